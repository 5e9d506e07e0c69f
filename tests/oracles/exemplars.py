"""The exemplar weights that TiMBL stores: one per pattern and class, the first that it reads."""

from __future__ import annotations

from collections.abc import Sequence

from tests.oracles.weights import Row


def stored_weights(rows: Sequence[Row], labels: Sequence[str], exemplars: Sequence[float]) -> list[float]:
    """Return the weight of each case after reading; a negative one is 1.

    A weight of 0 is not covered: TiMBL stores a pattern that begins with it without any weights.

    >>> stored_weights([["a"], ["a"], ["b"]], list("PPP"), [2.0, 3.0, -1.0])
    [2.0, 2.0, 1.0]
    """
    first: dict[tuple, float] = {}
    for row, label, weight in zip(rows, labels, exemplars, strict=True):
        first.setdefault((tuple(row), label), weight if weight >= 0 else 1.0)
    return [first[tuple(row), label] for row, label in zip(rows, labels)]
