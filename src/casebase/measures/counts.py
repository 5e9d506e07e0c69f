"""Counts of values and classes that change, case by case.

Most cells stay as they were: a large table that never changes is shared, and the few cells that have changed since
stand beside it. Entropies follow by exchanging the terms of the cells that change; all other measures read the cells.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase.measures.contingency import Contingency, Sums
from casebase.measures.exact import Exact, n_log_n

LARGEST_BESIDE = 4096  # cells that may stand beside the table before both become one


@dataclass(frozen=True, eq=False)
class Changing:
    """A table, cells that have changed since (`cell` is value · n_classes + class, ascending), and what they sum to."""

    base: Contingency
    cell: np.ndarray
    difference: np.ndarray
    per_value: np.ndarray
    per_class: np.ndarray
    total: float
    n_seen: int
    sums: Sums

    @property
    def n_values(self) -> int:
        return len(self.per_value)

    @property
    def n_classes(self) -> int:
        return self.base.n_classes

    @cached_property
    def folded(self) -> Contingency:
        """The counts as one table."""
        return _folded(self.base, self.cell, self.difference, self.n_values)

    @property
    def value(self) -> np.ndarray:
        return self.folded.value

    @property
    def label(self) -> np.ndarray:
        return self.folded.label

    @property
    def count(self) -> np.ndarray:
        return self.folded.count

    def counts_of(self, cell: np.ndarray) -> np.ndarray:
        return _at(self.base.keys, self.base.count, cell) + _at(self.cell, self.difference, cell)


Counts = Contingency | Changing


def changed(table: Counts, value: np.ndarray, label: np.ndarray, difference: np.ndarray, n_values: int) -> Changing:
    """Return the counts after cases came (`difference` is their weight) or went (it is negative).

    >>> table = Contingency.from_dense([[2, 0], [0, 2]])
    >>> table = changed(table, np.array([1, 2]), np.array([1, 0]), np.array([-1.0, 1.0]), n_values=3)
    >>> table.value.tolist(), table.label.tolist(), table.count.tolist()
    ([0, 1, 2], [0, 1, 0], [2.0, 1.0, 1.0])
    """
    table = _started(table) if isinstance(table, Contingency) else table
    value, label = value.astype(np.int64), label.astype(np.int64)
    cell, which = np.unique(value * table.n_classes + label, return_inverse=True)
    per_value = np.concatenate([table.per_value, np.zeros(n_values - table.n_values)])
    per_class = table.per_class.copy()
    in_cells = np.bincount(which.ravel(), difference, minlength=len(cell))
    before = table.counts_of(cell)
    cells = _exchanged(table.sums.cells, before, before + in_cells)
    values, n_more = _added(table.sums.values, per_value, value, difference)
    classes, _ = _added(table.sums.classes, per_class, label, difference)
    cell, difference = _joined(table.cell, table.difference, cell, in_cells)
    base = table.base
    if len(cell) > LARGEST_BESIDE:
        base, cell, difference = _folded(base, cell, difference, n_values), cell[:0], difference[:0]
    total = float(per_class.sum())
    return Changing(
        base, cell, difference, per_value, per_class, total, table.n_seen + n_more, Sums(cells, values, classes)
    )


def _started(table: Contingency) -> Changing:
    nothing = np.empty(0, dtype=np.int64)
    return Changing(
        table, nothing, np.empty(0), table.per_value, table.per_class, table.total, table.n_seen, table.sums
    )


def _added(sums: Exact, counts: np.ndarray, which: np.ndarray, difference: np.ndarray) -> tuple[Exact, int]:
    """Change some counts; return their sum then, and how many more of them are not zero."""
    touched = np.unique(which)
    before = counts[touched]
    np.add.at(counts, which, difference)
    after = counts[touched]
    return _exchanged(sums, before, after), int(np.count_nonzero(after)) - int(np.count_nonzero(before))


def _exchanged(sums: Exact, before: np.ndarray, after: np.ndarray) -> Exact:
    return sums + (n_log_n(after).sum() - n_log_n(before).sum())


def _at(cells: np.ndarray, counts: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the counts of cells, 0 for those that are not there."""
    if not len(cells):
        return np.zeros(len(wanted))
    at = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
    return np.where(cells[at] == wanted, counts[at], 0.0)


def _joined(
    cell: np.ndarray, difference: np.ndarray, more: np.ndarray, more_difference: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    cells, which = np.unique(np.concatenate([cell, more]), return_inverse=True)
    sums = np.bincount(which.ravel(), np.concatenate([difference, more_difference]), minlength=len(cells))
    return cells[sums != 0], sums[sums != 0]


def _folded(base: Contingency, cell: np.ndarray, difference: np.ndarray, n_values: int) -> Contingency:
    cells, counts = _joined(base.keys, base.count, cell, difference)
    return Contingency(cells // base.n_classes, cells % base.n_classes, counts, n_values, base.n_classes)
