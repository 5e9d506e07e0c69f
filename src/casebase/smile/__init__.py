"""SMILE: every set of features on which enough stored cases agree with the question votes."""
