"""Desks: one model file each, which many read and one at a time corrects; the journal keeps what was confirmed."""
