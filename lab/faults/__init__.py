"""Faults made on purpose: processes that are killed in the middle of their work."""
