"""Naive versions of the methods, written from their papers: simple and slow.

Nothing here imports casebase. A row is a list of values: strings, floats in the features
listed in `numeric`, and None where the value is missing. A case of count n stands for n
equal cases. Sums are added up in TiMBL's order, so that even ties by rounding agree.
"""
