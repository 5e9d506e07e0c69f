"""Model files of taggers."""
