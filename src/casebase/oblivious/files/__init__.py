"""Model files of this family."""
