"""Answers to tables of any size, part by part: as arrays, or as the lines of a file."""

from casebase.batches.arrays import predict_parts

__all__ = ["predict_parts"]
