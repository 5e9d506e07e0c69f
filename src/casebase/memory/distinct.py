"""Abstract cases: all cases that agree on some features are merged into one, with their class counts.

They are the leaves of an oblivious decision tree: all its paths test the same features, so the values on the path
define the leaf. Cases that agree on all features in use, on their class and on their weight form one *kind*: in
leave-one-out all of them get the same answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from casebase import _native
from casebase.data.runs import begins_run

# Groups are found by their values if there are as many of them, and two agree on a smaller share of the features.
FEWEST_LISTED, LARGEST_SHARE = 512, 0.1
MOST_FEATURES_LISTED, MOST_LISTED = 64, 1 << 31


@dataclass(frozen=True, eq=False)
class AbstractCases:
    """Groups of cases, sorted by value; the counts of group i begin at entry `first_count[i]`."""

    columns: tuple[np.ndarray, ...]
    first_count: np.ndarray
    count_label: np.ndarray
    count: np.ndarray

    @property
    def n_groups(self) -> int:
        return len(self.first_count) - 1

    @property
    def is_diverse(self) -> bool:
        """Whether two groups agree on few features, so that a search by values pays."""
        n = self.n_groups
        m = len(self.columns)
        if n < max(FEWEST_LISTED, 2) or not 0 < m <= MOST_FEATURES_LISTED or n * m > MOST_LISTED:
            return False
        shares = [((np.bincount(column) / n) ** 2).sum() for column in self.columns]
        return float(np.mean(shares)) < LARGEST_SHARE

    def lists(self, *, for_others: bool = False) -> "_native.ValueLists | None":
        """Return the groups by their values, for the native search; None where comparing all is as fast.

        `for_others`: only the groups themselves will be asked about, each for the others (leave-one-out).
        """
        if not self.is_diverse:
            return None
        n_classes = int(self.count_label.max()) + 1
        counts = self.first_count, self.count_label, self.count
        return _native.ValueLists(list(self.columns), *counts, n_classes, for_others)

    def counts_of(self, group: int) -> dict[int, float]:
        """Return the class counts of a group."""
        entries = slice(int(self.first_count[group]), int(self.first_count[group + 1]))
        return dict(zip(self.count_label[entries].tolist(), self.count[entries].tolist()))


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of cases, sorted by value, class and `left_out`, the weight removed when one case is held out.

    A case of weight n is n cases, one of which is held out; a case of weight below 1 is removed entirely. `amount` is
    the total weight of a kind. `at_most` is an upper bound for the distance to the nearest other group, in features
    that disagree.
    """

    columns: tuple[np.ndarray, ...]
    label: np.ndarray
    left_out: np.ndarray
    amount: np.ndarray
    at_most: np.ndarray

    @cached_property
    def first_kind(self) -> np.ndarray:
        """The first kind of each group of equal values, and one past the last kind."""
        return _starts(begins_run(self.columns, len(self.label)))

    @property
    def n_groups(self) -> int:
        return len(self.first_kind) - 1

    @property
    def n_kinds(self) -> np.ndarray:
        """The number of kinds in each group."""
        first = self.first_kind.astype(np.int64)
        return first[1:] - first[:-1]

    @cached_property
    def groups(self) -> AbstractCases:
        """One abstract case for each group of kinds that agree on all values."""
        first = self.first_kind[:-1].astype(np.int64)
        is_entry = begins_run((*self.columns, self.label), len(self.label))
        entry = np.flatnonzero(is_entry)
        first_count = np.append(np.cumsum(is_entry)[first] - 1, len(entry)).astype(np.uint64)
        count = np.add.reduceat(self.amount, entry)
        return AbstractCases(tuple(column[first] for column in self.columns), first_count, self.label[entry], count)

    def without(self, rank: int) -> "Kinds":
        """Return the kinds that remain when a feature is dropped."""
        columns = tuple(column for i, column in enumerate(self.columns) if i != rank)
        return _merge_equal(replace(self, columns=columns))

    def with_bounds(self, disagreements: np.ndarray) -> "Kinds":
        """Return the kinds with a bound per group, which stays valid: dropping a feature increases no distance."""
        return replace(self, at_most=np.repeat(disagreements, self.n_kinds))


def kinds_of(columns: Sequence[np.ndarray], labels: np.ndarray, weights: np.ndarray | None) -> Kinds:
    """Return the kinds of cases.

    >>> kinds = kinds_of([np.array([0, 1, 0], np.uint8)], np.array([0, 1, 0], np.uint32), None)
    >>> kinds.amount.tolist(), kinds.groups.count.tolist()
    ([2.0, 1.0], [2.0, 1.0])
    """
    n = len(labels)
    amount = np.ones(n) if weights is None else weights
    at_most = np.full(n, len(columns), dtype=np.uint32)
    return _merge_equal(Kinds(tuple(columns), labels, np.minimum(amount, 1.0), amount, at_most))


def _merge_equal(kinds: Kinds) -> Kinds:
    # The kernel sorts integer codes, so the weights get codes too.
    weights, by_weight = np.unique(kinds.left_out, return_inverse=True)
    keys = [*kinds.columns, kinds.label, by_weight.ravel().astype(np.uint32)]
    rows = _native.lexicographic_order(keys, len(kinds.label))
    keys = [key[rows] for key in keys]
    first = np.flatnonzero(begins_run(keys, len(rows)))
    *columns, label, by_weight = (key[first] for key in keys)
    return Kinds(
        tuple(columns),
        label,
        weights[by_weight],
        np.add.reduceat(kinds.amount[rows], first),
        np.minimum.reduceat(kinds.at_most[rows], first),
    )


def _starts(is_new: np.ndarray) -> np.ndarray:
    return np.append(np.flatnonzero(is_new), len(is_new)).astype(np.uint64)
