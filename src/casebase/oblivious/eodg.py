"""EODG as its authors built it: the tests of an oblivious tree, its depth by cross-validation, and its nodes merged.

The next test has the greatest conditional mutual information with the class, given the tests above, divided by the
logarithm of its number of values. Numbers are split at one threshold for all nodes of a level, and may be split again.
Nodes of one class need no more tests; tests are added until at most one case in a thousand is in a node of several
classes. Cross-validation of these trees chooses the number of levels.

Then every node is split down to that level. From the root down, the nodes of a level are merged, that pair first whose
pessimistic error falls most if the subtrees are laid over each other; branches that no case takes fit everything. In
the end values without a branch lead where most cases of their node go.

Reference: Kohavi, Li, "Oblivious decision trees, graphs, and top-down pruning" (1995).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from casebase import _native
from casebase.base.answers import Preference
from casebase.data import Cases
from casebase.data.folds import folds
from casebase.memory.distinct import kinds_of
from casebase.progress import Estimate, Progress

MOST_IN_CONFLICT = 0.001  # of the cases, in nodes of several classes
N_FOLDS, N_TIMES = 5, 2
MOST_DEALT = 5_000_000  # cases of whole weights that are dealt to folds one by one
Z = 1.65  # standard deviations: the one-sided 95 % limit
WIDEST = 1000  # nodes of a level whose pairs are all compared
AT_MOST, ABOVE, MISSING, UNKNOWN = 0, 1, 2, 255  # branches of a number
N_BRANCHES = 3


@dataclass(frozen=True, eq=False)
class Levels:
    """The feature of each level by its position, and the threshold of a numeric one, NaN for symbols."""

    order: np.ndarray
    thresholds: np.ndarray

    def columns(self, cases: Cases, missing: int = MISSING) -> list[np.ndarray]:
        """Return the branch of each case at each level; `missing` is that of missing numbers."""
        return [
            cases.columns[position] if np.isnan(threshold) else branch_of(cases.columns[position], threshold, missing)
            for position, threshold in zip(self.order.tolist(), self.thresholds.tolist())
        ]

    def first(self, n: int) -> "Levels":
        return Levels(self.order[:n], self.thresholds[:n])


def branch_of(numbers: np.ndarray, threshold: float, missing: int = MISSING) -> np.ndarray:
    """Return for each number whether it is above the threshold, or the code of missing numbers.

    >>> branch_of(np.array([1.0, 2.5, np.nan]), 2.0).tolist()
    [0, 1, 2]
    """
    return np.where(np.isnan(numbers), missing, numbers > threshold).astype(np.uint8)


def learn(
    cases: Cases, candidates: Sequence[int], preference: Preference, progress: Progress | None
) -> tuple[Levels, "_native._Graph"]:
    """Return the levels of the graph and its nodes."""
    levels = choose(cases, candidates, share_of(progress, 0.0, 0.3))
    levels = levels.first(best_depth(cases, levels, preference, share_of(progress, 0.3, 0.4)))
    groups = kinds_of(levels.columns(cases), cases.known_labels, cases.weights).groups
    return levels, _native.grow_eodg(
        list(groups.columns),
        groups.first_count,
        groups.count_label,
        groups.count,
        preference.frequency,
        preference.rank,
        Z,
        WIDEST,
        _with_estimate(progress, groups.n_groups),
    )


def choose(cases: Cases, candidates: Sequence[int], report: Callable[[float], object] | None = None) -> Levels:
    """Return a test for each level, until hardly any case is in a node of several classes."""
    columns = [cases.columns[i] for i in candidates]
    n_values = [0] * len(columns)
    for at, i in enumerate(candidates):
        if cases.schema.features[i].vocabulary is not None:
            values, codes = np.unique(columns[at], return_inverse=True)
            columns[at], n_values[at] = codes.ravel().astype(np.uint32), len(values)
    feature, threshold = _native.choose_eodg_levels(
        columns,
        np.array(n_values, dtype=np.uint32),
        cases.known_labels,
        weights_of(cases),
        cases.n_classes,
        MOST_IN_CONFLICT,
        report,
    )
    return Levels(np.array(candidates, dtype=np.int64)[feature], threshold)


def best_depth(
    cases: Cases, levels: Levels, preference: Preference, report: Callable[[float], object] | None = None
) -> int:
    """Return the number of levels with which trees predict the most held-out cases; of equal ones, the smallest."""
    if not len(levels.order):
        return 0
    columns = [np.unique(column, return_inverse=True)[1].ravel().astype(np.uint32) for column in levels.columns(cases)]
    # Cases are dealt to the folds in the order of their values, so that the order of the table does not matter.
    weights = weights_of(cases)
    by_weight = np.unique(weights, return_inverse=True)[1].ravel().astype(np.uint32)
    rows = _native.lexicographic_order([*columns, cases.known_labels, by_weight], cases.n_cases)
    if (weights == np.floor(weights)).all() and weights.sum() <= max(MOST_DEALT, cases.n_cases):
        rows = np.repeat(rows, weights[rows].astype(np.int64))  # a weight of two is two cases
        weights = np.ones(cases.n_cases)
    columns, labels, weights = [column[rows] for column in columns], cases.known_labels[rows], weights[rows]
    n_folds = min(N_FOLDS, len(rows))
    right = np.zeros(len(columns) + 1)
    for seed in range(N_TIMES):
        right += _native.right_by_depth(
            columns,
            np.array([int(column.max()) + 1 for column in columns], dtype=np.uint32),
            labels,
            weights,
            folds(labels, n_folds, seed).astype(np.uint32),
            n_folds,
            preference.frequency,
            preference.rank,
            report,
        )
    return int(np.argmax(right >= right.max() - 1e-9 * weights.sum()))


def weights_of(cases: Cases) -> np.ndarray:
    return np.ones(cases.n_cases) if cases.weights is None else cases.weights.astype(np.float64)


def _with_estimate(
    progress: Progress | None, n_groups: int, clock: Callable[[], float] = time.monotonic
) -> Callable[[float], object]:
    """Return a function that reports the share of the merging, and how long it may take yet."""
    report = share_of(progress, 0.4, 1.0)
    estimate = Estimate(
        progress,
        f"merging {n_groups:,} distinct cases, about {{seconds}} s left; Ctrl-C stops",
        f"EODG merges {n_groups:,} distinct cases, which may take {{seconds}} s more: many nodes of a level differ. "
        'Ctrl-C stops. method="consistent" with merge="equal" or "compatible" takes seconds; so does a sample of the '
        "cases.",
        clock,
    )

    def reported(share: float) -> None:
        if report is not None:
            report(share)
        estimate(share)

    return reported


def share_of(progress: Progress | None, begin: float, end: float) -> Callable[[float], object] | None:
    """Return a function that reports the share of a stage as progress of the whole, in thousandths."""
    if progress is None:
        return None
    return lambda share: progress(int(1000 * (begin + share * (end - begin))), 1000)
