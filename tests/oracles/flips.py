"""Smallest flips by the definition: all combinations of values, by number of changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from casebase.memory.store import without_rows

Row = tuple[Any, ...]
# The changes, as pairs of a column and its new value.
Changes = tuple[tuple[int, Any], ...]


@dataclass(frozen=True)
class Flips:
    """The smallest number of changes and all flips that have so many; none if `changes` is empty."""

    changes: tuple[Changes, ...]

    @property
    def n_changes(self) -> int | None:
        return len(self.changes[0]) if self.changes else None


def smallest_flips(
    labels: Callable[[Sequence[Row]], Sequence[Any]],
    query: Row,
    values: Sequence[Sequence[Any]],
    *,
    wanted: Any = None,
    frozen: Sequence[int] = (),
    limit: int = 3,
) -> Flips:
    """Return all flips with the fewest changes; `values` has the values that each column may change to."""
    (before,) = labels([query])
    free = [i for i in range(len(query)) if i not in frozen]
    for n_changes in range(1, limit + 1):
        tried: list[Changes] = []
        for columns in combinations(free, n_changes):
            tried += [tuple(zip(columns, new)) for new in product(*(others(query, values, i) for i in columns))]
        after = labels([changed(query, changes) for changes in tried]) if tried else []
        is_flip = [label != before if wanted is None else label == wanted for label in after]
        found = tuple(changes for changes, flips in zip(tried, is_flip) if flips)
        if found:
            return Flips(found)
    return Flips(())


def others(query: Row, values: Sequence[Sequence[Any]], column: int) -> list[Any]:
    return [value for value in values[column] if value != query[column]]


def changed(query: Row, changes: Changes) -> Row:
    row = list(query)
    for column, value in changes:
        row[column] = value
    return tuple(row)


def smallest_removal(
    model: Any, case: Any, wanted: int | None, most: int, *, scope: np.ndarray | None = None
) -> int | None:
    """Return how many stored cases must go to change the answer; None if more than `most` must, or all.

    The cases that remain must include one of `scope`, if it is given.
    """
    rows = model.stored_memory().in_given_order
    before = int(model.answer(case).label[0])
    for size in range(1, min(most, len(rows) - 1) + 1):
        for removed in combinations(rows.tolist(), size):
            if scope is not None and set(scope.tolist()) <= set(removed):
                continue
            after = int(without(model, np.array(removed)).answer(case).label[0])
            if after != before if wanted is None else after == wanted:
                return size
    return None


def without(model: Any, rows: np.ndarray) -> Any:
    """Return the model without some stored cases; nothing is learned again."""
    smaller = without_rows(model.stored_memory(), rows)
    for below in ("kept", "below"):
        if hasattr(model, below):
            return replace(model, **{below: replace(getattr(model, below), memory=smaller)})
    return replace(model, memory=smaller)
