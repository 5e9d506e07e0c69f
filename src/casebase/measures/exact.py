"""Sums of n·log2(n) that do not depend on the order of their terms.

Entropies are differences of such sums. Terms are rounded once, to multiples of 2^-52, and then added as integers. So a
weight does not depend on the order of the cases, and a case can be removed from (or added to) a sum exactly, without
summing again.
"""

from dataclasses import dataclass

import numpy as np

from casebase.measures import functions

COARSE = 2.0**12  # the coarse part of a term counts units of 2^-12, the fine part the rest in units of 2^-52
FINE = 2.0**52


@dataclass(frozen=True, eq=False)
class Exact:
    """Numbers coarse / 2^12 + fine / 2^52; each part is an integer that a double represents exactly."""

    coarse: np.ndarray
    fine: np.ndarray

    def __add__(self, other: "Exact") -> "Exact":
        return Exact(self.coarse + other.coarse, self.fine + other.fine)

    def __sub__(self, other: "Exact") -> "Exact":
        return Exact(self.coarse - other.coarse, self.fine - other.fine)

    def sum(self) -> "Exact":
        return Exact(self.coarse.sum(), self.fine.sum())

    def rounded(self) -> np.ndarray:
        """Return the nearest doubles."""
        return self.coarse / COARSE + self.fine / FINE


def n_log_n(counts: np.ndarray | float) -> Exact:
    """Return n·log2(n) for each count, and 0 for 0.

    >>> float((n_log_n(np.array([2, 4, 0])).sum()).rounded())
    10.0
    """
    n = np.asarray(counts, dtype=float)
    terms = n * functions.log2(np.where(n > 0, n, 1.0))
    coarse = np.floor(terms * COARSE)
    fine = np.rint((terms - coarse / COARSE) * FINE)
    return Exact(coarse.astype(np.int64), fine.astype(np.int64))
