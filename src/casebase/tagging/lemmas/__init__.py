"""Lemmas by edit scripts: what makes a lemma of a word is a class, and a tree of suffixes predicts it."""
