"""The hyphenator: patterns learned from hyphenated words."""
