"""Selection of features before learning."""
