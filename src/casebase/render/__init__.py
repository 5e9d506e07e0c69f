"""Text, HTML pages and drawings from blocks of words and numbers; this layer does not know models."""
