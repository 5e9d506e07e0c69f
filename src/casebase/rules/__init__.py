"""Hierarchical rules: a default, exceptions to it, and exceptions to those."""
