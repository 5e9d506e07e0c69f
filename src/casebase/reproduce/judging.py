"""Small judgements for claims, and how they are worded."""

from collections.abc import Mapping

from casebase.reproduce.records import Measured


def is_positive(difference: Measured) -> bool | None:
    """Return whether a mean difference is above 0, None if its 95 % interval leaves that open.

    >>> is_positive(Measured((1.0, 1.1))), is_positive(Measured((-1.0, -1.1))), is_positive(Measured((1.0, -0.5)))
    (True, False, None)
    >>> is_positive(Measured((0.0, 0.0)))
    False
    """
    if difference.interval is None:
        return None
    lower, upper = difference.interval
    return True if lower > 0 else False if upper <= 0 else None


def cases_needed(curve: Mapping[int, float], height: float) -> float | None:
    """Return where the line through the points of a curve first reaches a height, None if it never does.

    >>> cases_needed({10: 50.0, 20: 70.0, 40: 90.0}, 80.0)
    30.0
    """
    before: tuple[int, float] | None = None
    for n, reached in sorted(curve.items()):
        if reached >= height:
            if before is None:
                return float(n)
            return before[0] + (n - before[0]) * (height - before[1]) / (reached - before[1])
        before = n, reached
    return None


def points(difference: Measured, decimals: int = 1) -> str:
    """Return a mean difference with its 95 % interval.

    >>> points(Measured((7.0, 9.0))), points(Measured((-8.0,)), 2)
    ('+8.0 points (-4.7 to +20.7)', '-8.00 points')
    """
    shown = f"{difference.mean:+.{decimals}f} points"
    if difference.interval is None:
        return shown
    return f"{shown} ({difference.interval[0]:+.{decimals}f} to {difference.interval[1]:+.{decimals}f})"


def at_sizes(differences: Mapping[int, Measured]) -> str:
    """Return mean differences by number of training cases.

    >>> at_sizes({50: Measured((7.0, 9.0)), 100: Measured((6.0,))})
    '+8.0 at 50, +6.0 at 100'
    """
    return ", ".join(f"{difference.mean:+.1f} at {n}" for n, difference in differences.items())
