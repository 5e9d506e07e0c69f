"""Text, pages and drawings: this layer knows words and numbers, not models."""
