"""The exemplar weights that TiMBL stores: one for each pattern and class, the first that it reads."""

from __future__ import annotations

from collections.abc import Sequence

from tests.oracles.weights import EPS, Row


def stored(rows: Sequence[Row], labels: Sequence[str], exemplars: Sequence[float]) -> list[float]:
    """Return the weight of each case after reading; a negative one, or one of nothing, is 1.

    >>> stored([["a"], ["a"], ["b"]], list("PPP"), [2.0, 3.0, -1.0])
    [2.0, 2.0, 1.0]
    """
    first: dict[tuple, float] = {}
    for row, label, weight in zip(rows, labels, exemplars, strict=True):
        first.setdefault((tuple(row), label), weight if weight > EPS else 1.0)
    return [first[tuple(row), label] for row, label in zip(rows, labels)]
