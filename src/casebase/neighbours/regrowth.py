"""Incremental growth of a tree: after an insertion or removal only the paths of those cases change.

One more thing can change: a tied node takes as its default the class that is more frequent in the whole memory. If two
classes change places in that order, the paths of all cases of the rarer class are reviewed too. They include every
node where the two are tied, because such a node has cases of both.
"""

import numpy as np

from casebase import _native
from casebase.base.answers import Preference
from casebase.base.trees import Tree
from casebase.memory.segments import Memory
from casebase.memory.store import Change

LARGEST_SHARE = 0.25  # of the cases; with more paths to review, growing a new tree is faster
MOST_LEVELS = 4096  # the kernel follows a path by recursion, which the stack limits


def corrected_tree(
    tree: Tree,
    memory: Memory,
    n_levels: int,
    change: Change,
    before: Preference,
    after: Preference,
    *,
    compress: bool,
) -> Tree | None:
    """Return the tree over the first features of a changed memory; None if growing a new tree is better."""
    if n_levels > MOST_LEVELS:
        return None
    rows = rows_to_review(memory, before, after)
    if len(rows) > LARGEST_SHARE * memory.n_cases:
        return None
    # A change with difference 0 leaves the counts alone, but makes the kernel decide the defaults on its path again.
    review = Change(
        tuple(memory.column(rank, rows) for rank in range(n_levels)), memory.labels(rows), np.zeros(len(rows))
    )
    change = change.and_then(review)
    columns = change.columns[:n_levels]
    order = _native.lexicographic_order(list(columns), len(change.labels))
    segments = [(list(s.columns[:n_levels]), s.labels, s.counts, s.removed) for s in memory.segments]
    arrays = _native.correct_tree(
        tree.first_child,
        tree.value,
        tree.label,
        tree.first_count,
        tree.count_label,
        tree.count,
        segments,
        [column[order] for column in columns],
        change.labels[order],
        change.difference[order],
        after.frequency,
        after.rank,
        compress,
    )
    return Tree(**arrays)


def rows_to_review(memory: Memory, before: Preference, after: Preference) -> np.ndarray:
    """Return the rows whose class now wins or loses other ties than before."""
    is_reordered = reordered_classes(before, after)
    if not is_reordered.any():
        return np.empty(0, dtype=np.int64)
    rows = []
    for first, segment in zip(memory.first_rows, memory.segments):
        here = np.flatnonzero(is_reordered[segment.labels])
        rows.append(first + (here if segment.removed is None else here[segment.removed[here] == 0]))
    return np.concatenate(rows)


def reordered_classes(before: Preference, after: Preference) -> np.ndarray:
    """Return, for every class, whether it is the rarer of two classes that have changed places.

    >>> rank = np.arange(3)
    >>> reordered_classes(Preference(np.array([5, 3, 4]), rank), Preference(np.array([5, 5, 4]), rank)).tolist()
    [False, False, True]
    """
    is_reordered = np.zeros(len(before.rank), dtype=bool)
    for one in np.flatnonzero((before.frequency != after.frequency) | (before.rank != after.rank)).tolist():
        changed = _comes_before(before, one) != _comes_before(after, one)
        is_rarer = after.frequency < after.frequency[one]
        is_reordered |= changed & is_rarer
        is_reordered[one] |= bool((changed & ~is_rarer).any())
    return is_reordered


def _comes_before(preference: Preference, one: int) -> np.ndarray:
    """Return whether the class wins a tie against each of the classes."""
    frequency, rank = preference.frequency, preference.rank
    wins: np.ndarray = (frequency[one] > frequency) | ((frequency[one] == frequency) & (rank[one] < rank))
    return wins
