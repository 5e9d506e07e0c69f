"""FOCUS: the smallest set of features that separates the classes as well as all features do.

Almuallim and Dietterich, "Learning with many irrelevant features" (1991): the subsets are tried in
order of their size, and the first on which no two cases of different classes are equal is the result. Cases
of different classes that are equal in all features would leave no such subset; so the *conflicts* of a subset
are, in each group of cases equal on it, those not of the group's most frequent class (the inconsistency
count of Liu and Setiono, 1996), and a subset is enough if it has no more of them than all features have.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations

Row = Sequence[Hashable]
Weights = Sequence[float]


def groups(
    rows: Sequence[Row], labels: Sequence[str], subset: Sequence[int], weights: Weights, missing: str = "value"
) -> list[dict[str, float]]:
    """Return the classes of each group of cases that are equal on a subset.

    A missing value equals a missing one, or nothing if `missing` is `"unknown"`: then its case is alone.
    """
    together: dict[Hashable, dict[str, float]] = {}
    for i, row in enumerate(rows):
        values: Hashable = tuple(row[f] for f in subset)
        if missing == "unknown" and any(row[f] is None for f in subset):
            values = i
        classes = together.setdefault(values, {})
        classes[labels[i]] = classes.get(labels[i], 0) + weights[i]
    return list(together.values())


def conflicts(
    rows: Sequence[Row],
    labels: Sequence[str],
    subset: Sequence[int],
    weights: Weights | None = None,
    missing: str = "value",
) -> float:
    """Return the weight of the cases that are not of the most frequent class among their equals.

    >>> conflicts([["a", "x"], ["a", "y"], ["b", "x"]], list("PQQ"), [0])
    1
    """
    weights = [1] * len(rows) if weights is None else weights
    found = groups(rows, labels, subset, weights, missing)
    return sum(sum(classes.values()) - max(classes.values()) for classes in found)


def breadth_first(n_features: int, max_size: int | None = None) -> list[tuple[int, ...]]:
    """Return the subsets by size, those of equal size by their columns.

    >>> breadth_first(2)
    [(), (0,), (1,), (0, 1)]
    """
    largest = n_features if max_size is None else min(max_size, n_features)
    return [subset for size in range(largest + 1) for subset in combinations(range(n_features), size)]


def smallest(
    rows: Sequence[Row],
    labels: Sequence[str],
    weights: Weights | None = None,
    *,
    max_size: int | None = None,
    missing: str = "value",
) -> list[int] | None:
    """Return the first subset that is enough; None if all such are larger than `max_size`.

    >>> smallest([["a", "x", "1"], ["a", "y", "1"], ["b", "x", "1"]], list("PQQ"))
    [0, 1]
    """
    fewest = conflicts(rows, labels, range(len(rows[0])), weights, missing)
    for subset in breadth_first(len(rows[0]), max_size):
        if conflicts(rows, labels, subset, weights, missing) <= fewest:
            return list(subset)
    return None
