"""Runs of equal rows in a sorted table."""

from collections.abc import Sequence

import numpy as np


def begins_run(columns: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Return whether each row differs from the one before; the first always does.

    >>> begins_run([np.array([0, 0, 1, 1]), np.array([5, 5, 5, 6])], 4).tolist()
    [True, False, True, True]
    """
    is_new = np.zeros(n_rows, dtype=bool)
    is_new[:1] = True
    for column in columns:
        is_new[1:] |= column[1:] != column[:-1]
    return is_new
