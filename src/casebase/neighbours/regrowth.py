"""A tree after cases came and went: what lies off their paths stays as it is.

The default of a node with a tie also depends on which of the tied classes is more frequent in the whole memory. Where
two classes change places in that order, the paths of all cases of the rarer one are looked at again: a node where the
two are tied has cases of both.
"""

import numpy as np

from casebase import _native
from casebase.base.answers import Preference
from casebase.base.trees import Tree
from casebase.memory.segments import Memory
from casebase.memory.store import Change

LARGEST_SHARE = 0.25  # of the cases; where more paths must be looked at again, a new tree is grown sooner
MOST_LEVELS = 4096  # paths are followed by nested calls


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
    """Return the tree over the first features of a memory that has changed; None if it is better grown anew."""
    if n_levels > MOST_LEVELS:
        return None
    rows = rows_to_review(memory, before, after)
    if len(rows) > LARGEST_SHARE * memory.n_cases:
        return None
    again = Change(
        tuple(memory.column(rank, rows) for rank in range(n_levels)), memory.labels(rows), np.zeros(len(rows))
    )
    change = change.and_then(again)
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
    """Return the rows of classes that ties are decided about otherwise than before."""
    is_reordered = reordered_classes(before, after)
    if not is_reordered.any():
        return np.empty(0, dtype=np.int64)
    rows = []
    for first, segment in zip(memory.first_rows, memory.segments):
        here = np.flatnonzero(is_reordered[segment.labels])
        rows.append(first + (here if segment.removed is None else here[segment.removed[here] == 0]))
    return np.concatenate(rows)


def reordered_classes(before: Preference, after: Preference) -> np.ndarray:
    """Return, for every class, whether it is the rarer of two that have changed places.

    >>> rank = np.arange(3)
    >>> reordered_classes(Preference(np.array([5, 3, 4]), rank), Preference(np.array([5, 5, 4]), rank)).tolist()
    [False, False, True]
    """
    is_reordered = np.zeros(len(before.rank), dtype=bool)
    for one in np.flatnonzero(before.frequency != after.frequency).tolist():
        changed = _comes_before(before, one) != _comes_before(after, one)
        is_rarer = after.frequency < after.frequency[one]
        is_reordered |= changed & is_rarer
        is_reordered[one] |= bool((changed & ~is_rarer).any())
    return is_reordered


def _comes_before(preference: Preference, one: int) -> np.ndarray:
    """Whether a class wins its ties, with each of the classes."""
    frequency, rank = preference.frequency, preference.rank
    return (frequency[one] > frequency) | ((frequency[one] == frequency) & (rank[one] < rank))
