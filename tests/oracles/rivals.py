"""The nearest rival: the nearest case of another class than the predicted one; of several, the first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from tests.oracles.weights import EPS, Row


def nearest_rival(
    rows: Sequence[Row],
    labels: Sequence[str],
    chosen: str,
    distance: Callable[[Row], float],
    within: Collection[int] | None = None,
) -> tuple[int, float] | None:
    """Return the row number and the distance of the nearest case of another class; None if there is none.

    `within` are the rows that were compared at all; all of them unless given.
    """
    rivals = [i for i in range(len(rows)) if labels[i] != chosen and (within is None or i in within)]
    if not rivals:
        return None
    distances = {i: distance(rows[i]) for i in rivals}
    nearest = min(distances.values())
    return next(i for i in rivals if distances[i] - nearest < EPS), nearest
