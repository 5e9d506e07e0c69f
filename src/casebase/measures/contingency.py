"""Contingency tables: how often each value of a feature occurs with each class.

Feature weights, trees and value differences are functions of these counts alone. Only nonzero cells are stored, so a
feature with a million values takes no more room than its cases.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase import _native
from casebase.data import Cases
from casebase.measures.exact import Exact, n_log_n

N_BINS = 20


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of n·log2(n) over cells, values and classes: entropies are differences of them."""

    cells: Exact
    values: Exact
    classes: Exact


@dataclass(frozen=True, eq=False)
class Contingency:
    """Cell i: `count[i]` cases have value `value[i]` and class `label[i]`; cells ascend by value, class.

    >>> table = Contingency.from_dense([[2, 0], [1, 1]])
    >>> table.value.tolist(), table.label.tolist(), table.count.tolist()
    ([0, 1, 1], [0, 0, 1], [2.0, 1.0, 1.0])
    """

    value: np.ndarray
    label: np.ndarray
    count: np.ndarray
    n_values: int
    n_classes: int

    @classmethod
    def from_dense(cls, table: object) -> "Contingency":
        counts = np.asarray(table, dtype=float)
        value, label = np.nonzero(counts)
        return cls(value, label, counts[value, label], *counts.shape)

    @cached_property
    def per_value(self) -> np.ndarray:
        return np.bincount(self.value, self.count, minlength=self.n_values)

    @cached_property
    def per_class(self) -> np.ndarray:
        return np.bincount(self.label, self.count, minlength=self.n_classes)

    @cached_property
    def total(self) -> float:
        return float(self.count.sum())

    @cached_property
    def n_seen(self) -> int:
        """The number of values that occur."""
        return int(np.count_nonzero(self.per_value))

    @cached_property
    def keys(self) -> np.ndarray:
        """One number per cell, ascending."""
        keys: np.ndarray = self.value * self.n_classes + self.label
        return keys

    @cached_property
    def sums(self) -> Sums:
        return Sums(n_log_n(self.count).sum(), n_log_n(self.per_value).sum(), n_log_n(self.per_class).sum())

    def without(self, value: int, label: int, count: float) -> "Contingency":
        """Return the counts without one case of this value, class and weight."""
        cell = np.searchsorted(self.keys, value * self.n_classes + label)
        counts = self.count.copy()
        counts[cell] -= count
        is_kept = counts > 0
        return Contingency(self.value[is_kept], self.label[is_kept], counts[is_kept], self.n_values, self.n_classes)


def contingency(codes: np.ndarray, cases: Cases, n_values: int) -> Contingency:
    """Return the contingency table of codes, one per case, and the classes of the cases."""
    start, label, count = _native.contingency(codes, cases.known_labels, cases.weights, n_values, cases.n_classes)
    value = np.repeat(np.arange(n_values), (start[1:] - start[:-1]).astype(np.int64))
    return Contingency(value, label.astype(np.int64), count, n_values, cases.n_classes)


def feature_contingency(cases: Cases, feature: int) -> Contingency:
    """Return the contingency table of a feature; a numeric feature is counted in bins."""
    vocabulary, column = cases.schema.features[feature].vocabulary, cases.columns[feature]
    if vocabulary is not None:
        return contingency(column, cases, len(vocabulary))
    codes, n_values = bin_numbers(column)
    return contingency(codes, cases, n_values)


def bin_numbers(numbers: np.ndarray, n_bins: int = N_BINS) -> tuple[np.ndarray, int]:
    """Return the bin of each number, and the number of bins; missing numbers have a bin of their own.

    Each bin gets an equal share of the distinct numbers, not of the cases; if the division leaves a remainder, the
    first bins get one more.

    >>> bin_numbers(np.array([1.0, 2.0, 3.0, 3.0, 4.0, 5.0]), n_bins=2)[0].tolist()
    [0, 0, 0, 0, 1, 1]
    """
    distinct, rank = np.unique(numbers, return_inverse=True)  # all NaN are one value, the last
    n_missing = int(np.isnan(distinct).sum())
    n_distinct = len(distinct) - n_missing
    bin_of = np.repeat(np.arange(n_bins), bin_sizes(n_distinct, n_bins))
    if n_missing:
        bin_of = np.append(bin_of, n_bins)
    return bin_of[rank].astype(np.uint32), n_bins + n_missing


def bin_sizes(n_distinct: int, n_bins: int = N_BINS) -> np.ndarray:
    """Return the number of distinct numbers in each bin.

    >>> bin_sizes(8, 3).tolist()
    [3, 3, 2]
    """
    share, rest = divmod(n_distinct, n_bins)
    sizes = np.full(n_bins, share)
    sizes[:rest] += 1
    return sizes
