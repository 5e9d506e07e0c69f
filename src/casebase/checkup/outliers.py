"""Outliers: records whose nearest other record is much farther away than is usual in the table."""

import numpy as np

from casebase.checkup.distinct import Distinct
from casebase.checkup.findings import Commands, Finding
from casebase.render.words import number

FENCE = 3.0  # quartile distances beyond the upper quartile: Tukey's "far out"


def fence(distances: np.ndarray) -> float:
    """Return the distance beyond which a record is an outlier.

    Of the nearest distances that are not 0, it is Q3 + 3 · max(Q3 − Q1, Q3 / 3): Tukey's outer fence, and at least
    twice the upper quartile, because many records of a table of symbols have one distance.

    >>> fence(np.array([0.0, 1.0, 1.0, 1.0, 1.0]))
    2.0
    """
    known = distances[np.isfinite(distances) & (distances > 0)]
    if not len(known):
        return np.inf
    low, high = np.quantile(known, [0.25, 0.75])
    return float(high + FENCE * max(high - low, high / FENCE))


def outliers(distinct: Distinct, distance: np.ndarray, commands: Commands) -> list[Finding]:
    """Return the records beyond the fence, farthest first; `distance` is the nearest one of each kind."""
    limit, usual = limits(np.repeat(distance, distinct.count))
    return outliers_beyond(distinct, distance, limit, usual, commands)


def limits(distances: np.ndarray) -> tuple[float, float]:
    """Return the distance beyond which a record is an outlier, and that within which three quarters have another."""
    known = distances[np.isfinite(distances) & (distances > 0)]
    # Up to rounding: a distance at the fence is not beyond it.
    return fence(known) * (1 + 1e-9), float(np.quantile(known, 0.75)) if len(known) else np.inf


def outliers_beyond(
    distinct: Distinct, distance: np.ndarray, limit: float, usual: float, commands: Commands
) -> list[Finding]:
    """Return the records of the kinds whose distance is beyond a limit, farthest first."""
    found = []
    for kind in np.flatnonzero(np.isfinite(distance) & (distance > limit)).tolist():
        reason = (
            f"its nearest other record is at distance {number(float(distance[kind]))}; three quarters of the records "
            f"without a copy have one within {number(usual)}"
        )
        label = distinct.cases.schema.classes[distinct.labels[kind]]
        for record in distinct.ids(distinct.records(kind)):
            found.append(
                Finding("outlier", reason, commands.remove([record]), record, label, score=float(distance[kind]))
            )
    return sorted(found, key=lambda one: -one.score)
