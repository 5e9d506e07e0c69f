"""Models and searches as pictures: one file per kind, drawn with matplotlib (an optional extra)."""
