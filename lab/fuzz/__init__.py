"""Damaged input for every reader and every kind of model file: refused with a message or read, never a traceback."""
