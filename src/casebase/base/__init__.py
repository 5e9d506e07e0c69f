"""What all methods share: answers, evidence, settings and model files."""
