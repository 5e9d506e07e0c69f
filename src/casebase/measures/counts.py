"""Incremental contingency tables, updated case by case.

An update changes few cells. A large base table is shared between versions and never changes; each version stores only
its differences from the base. Entropies are updated by replacing the terms of the changed cells; all other measures
read the cells.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase.measures.contingency import Contingency, Sums
from casebase.measures.exact import Exact, n_log_n

MAX_DIFFERENCES = 4096  # changed cells; with more, base and differences are merged into a new base


@dataclass(frozen=True, eq=False)
class UpdatedCounts:
    """A base table, the differences of changed cells (`cell` is value · n_classes + class, ascending), and the sums."""

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
    def table(self) -> Contingency:
        """The counts as one table."""
        return _merge(self.base, self.cell, self.difference, self.n_values)

    @property
    def value(self) -> np.ndarray:
        return self.table.value

    @property
    def label(self) -> np.ndarray:
        return self.table.label

    @property
    def count(self) -> np.ndarray:
        return self.table.count

    def counts_of(self, cell: np.ndarray) -> np.ndarray:
        counts: np.ndarray = _look_up(self.base.keys, self.base.count, cell) + _look_up(
            self.cell, self.difference, cell
        )
        return counts


Counts = Contingency | UpdatedCounts


def update(table: Counts, value: np.ndarray, label: np.ndarray, difference: np.ndarray, n_values: int) -> UpdatedCounts:
    """Return the counts after cases were added (`difference` is their weight) or removed (minus their weight).

    >>> table = Contingency.from_dense([[2, 0], [0, 2]])
    >>> table = update(table, np.array([1, 2]), np.array([1, 0]), np.array([-1.0, 1.0]), n_values=3)
    >>> table.value.tolist(), table.label.tolist(), table.count.tolist()
    ([0, 1, 2], [0, 1, 0], [2.0, 1.0, 1.0])
    """
    table = _without_differences(table) if isinstance(table, Contingency) else table
    value, label = value.astype(np.int64), label.astype(np.int64)
    # Several cases may fall into one cell: sum their differences first.
    cell, which = np.unique(value * table.n_classes + label, return_inverse=True)
    per_value = np.concatenate([table.per_value, np.zeros(n_values - table.n_values)])
    per_class = table.per_class.copy()
    in_cells = np.bincount(which.ravel(), difference, minlength=len(cell))
    before = table.counts_of(cell)
    cells = _replace_terms(table.sums.cells, before, before + in_cells)
    values, n_more = _add_differences(table.sums.values, per_value, value, difference)
    classes, _ = _add_differences(table.sums.classes, per_class, label, difference)
    cell, difference = _add_cells(table.cell, table.difference, cell, in_cells)
    base = table.base
    if len(cell) > MAX_DIFFERENCES:
        base, cell, difference = _merge(base, cell, difference, n_values), cell[:0], difference[:0]
    total = float(per_class.sum())
    return UpdatedCounts(
        base, cell, difference, per_value, per_class, total, table.n_seen + n_more, Sums(cells, values, classes)
    )


def _without_differences(table: Contingency) -> UpdatedCounts:
    no_cells = np.empty(0, dtype=np.int64)
    return UpdatedCounts(
        table, no_cells, np.empty(0), table.per_value, table.per_class, table.total, table.n_seen, table.sums
    )


def _add_differences(sums: Exact, counts: np.ndarray, which: np.ndarray, difference: np.ndarray) -> tuple[Exact, int]:
    """Update some counts in place; return their new sum of n·log2(n), and how many more of them are nonzero."""
    touched = np.unique(which)
    before = counts[touched]
    np.add.at(counts, which, difference)
    after = counts[touched]
    return _replace_terms(sums, before, after), int(np.count_nonzero(after)) - int(np.count_nonzero(before))


def _replace_terms(sums: Exact, before: np.ndarray, after: np.ndarray) -> Exact:
    return sums + (n_log_n(after).sum() - n_log_n(before).sum())


def _look_up(cells: np.ndarray, counts: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return the counts of the cells with these keys, 0 for cells that are not stored."""
    if not len(cells):
        return np.zeros(len(keys))
    at = np.minimum(np.searchsorted(cells, keys), len(cells) - 1)
    return np.where(cells[at] == keys, counts[at], 0.0)


def _add_cells(
    cell: np.ndarray, difference: np.ndarray, more: np.ndarray, more_difference: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    cells, which = np.unique(np.concatenate([cell, more]), return_inverse=True)
    sums = np.bincount(which.ravel(), np.concatenate([difference, more_difference]), minlength=len(cells))
    return cells[sums != 0], sums[sums != 0]


def _merge(base: Contingency, cell: np.ndarray, difference: np.ndarray, n_values: int) -> Contingency:
    cells, counts = _add_cells(base.keys, base.count, cell, difference)
    return Contingency(cells // base.n_classes, cells % base.n_classes, counts, n_values, base.n_classes)
