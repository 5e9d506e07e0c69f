"""The methods written a second time, plainly and slowly, straight from their papers.

Nothing here imports casebase. A row is a list of values: strings, floats in the features
said to be `numeric`, and None where the value is missing. A case of count n stands for n
equal cases. Sums are taken in the order TiMBL takes them, so that even ties by rounding agree.
"""
