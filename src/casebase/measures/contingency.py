"""How often each value of a feature occurs with each class.

Relevance, and later trees and value differences, are functions of these counts and of nothing else.
Only cells that are not zero are kept, so a feature with a million values costs no more than its cases.
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
    """Sums of n·log2(n) over cells, values and classes, of which entropies are made."""

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
        """One ascending number per cell."""
        return self.value * self.n_classes + self.label

    @cached_property
    def sums(self) -> Sums:
        return Sums(n_log_n(self.count).sum(), n_log_n(self.per_value).sum(), n_log_n(self.per_class).sum())

    def without(self, value: int, label: int, count: float) -> "Contingency":
        """Return the counts as they are when a case of this value, class and weight is left out."""
        cell = np.searchsorted(self.keys, value * self.n_classes + label)
        counts = self.count.copy()
        counts[cell] -= count
        kept = counts > 0
        return Contingency(self.value[kept], self.label[kept], counts[kept], self.n_values, self.n_classes)


def contingency(codes: np.ndarray, cases: Cases, n_values: int) -> Contingency:
    """Return the counts of codes (one per case) with the cases' classes."""
    start, label, count = _native.contingency(codes, cases.known_labels, cases.weights, n_values, cases.n_classes)
    value = np.repeat(np.arange(n_values), (start[1:] - start[:-1]).astype(np.int64))
    return Contingency(value, label.astype(np.int64), count, n_values, cases.n_classes)


def feature_contingency(cases: Cases, feature: int) -> Contingency:
    """Return a feature's counts; a numeric feature is counted in bins."""
    vocabulary, column = cases.schema.features[feature].vocabulary, cases.columns[feature]
    if vocabulary is not None:
        return contingency(column, cases, len(vocabulary))
    codes, n_values = binned(column)
    return contingency(codes, cases, n_values)


def binned(numbers: np.ndarray, n_bins: int = N_BINS) -> tuple[np.ndarray, int]:
    """Return each number's bin, and the number of bins; missing numbers have a bin of their own.

    The distinct numbers, not the cases, are dealt over the bins in equal shares; the first bins take
    one more where the division leaves a rest.

    >>> binned(np.array([1.0, 2.0, 3.0, 3.0, 4.0, 5.0]), n_bins=2)[0].tolist()
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
    """Return how many distinct numbers each bin takes.

    >>> bin_sizes(8, 3).tolist()
    [3, 3, 2]
    """
    share, rest = divmod(n_distinct, n_bins)
    sizes = np.full(n_bins, share)
    sizes[:rest] += 1
    return sizes
