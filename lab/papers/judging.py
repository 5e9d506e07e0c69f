"""Judge claims by confidence intervals, and format the differences behind a judgement.

A claim about a number holds if it is true of the whole 95 % interval of the number, does not hold if it is false of the
whole interval, and is undecided (None) otherwise: another seed could reverse it.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from lab.papers.records import Measured, is_at_most

N_RESAMPLES = 1000

Interval = tuple[float, float]


def lies_within(interval: Interval | None, lowest: float, highest: float) -> bool | None:
    """Return whether an interval lies within bounds, None if it crosses one.

    >>> lies_within((1.0, 2.0), 0.0, 5.0), lies_within((6.0, 7.0), 0.0, 5.0), lies_within((4.0, 6.0), 0.0, 5.0)
    (True, False, None)
    """
    if interval is None:
        return None
    lower, upper = interval
    if is_at_most(lowest, lower) and is_at_most(upper, highest):
        return True
    return False if upper < lowest or lower > highest else None


def is_positive(difference: Measured) -> bool | None:
    """Return whether a mean difference is above 0.

    >>> is_positive(Measured((1.0, 1.1))), is_positive(Measured((-1.0, -1.1))), is_positive(Measured((1.0, -0.5)))
    (True, False, None)
    >>> is_positive(Measured((0.0, 0.0)))
    False
    """
    if difference.interval is None:
        return None
    lower, upper = difference.interval
    return True if lower > 0 else False if upper <= 0 else None


def all_of(judgements: Iterable[bool | None]) -> bool | None:
    """Return False if one judgement is False, None if one is undecided, True otherwise.

    >>> all_of([True, True]), all_of([True, None]), all_of([None, False])
    (True, None, False)
    """
    verdicts = list(judgements)
    return False if False in verdicts else None if None in verdicts else True


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


def ratio_of_needs(
    curve: Mapping[int, Measured], other: Mapping[int, Measured], height: float
) -> tuple[float, float] | None:
    """Return the 95 % bootstrap interval of the ratio of cases that two curves need to reach a height.

    Both curves were measured in the same runs. A height that the first curve never reaches makes the ratio infinite.
    None for a single run, or if the other curve reaches the height in less than half of the samples.

    >>> slow, fast = ({10: Measured((50.0, 50.0)), n: Measured((90.0, 90.0))} for n in (40, 20))
    >>> ratio_of_needs(slow, fast, 90.0)
    (2.0, 2.0)
    """
    n_runs = next(iter(curve.values())).n_runs
    if n_runs < 2:
        return None
    draw = np.random.default_rng(0)
    ratios = []
    for _ in range(N_RESAMPLES):
        runs = draw.integers(n_runs, size=n_runs)
        needed = [
            cases_needed({n: float(np.array(points.runs)[runs].mean()) for n, points in each.items()}, height)
            for each in (curve, other)
        ]
        if needed[1] is not None:
            ratios.append(np.inf if needed[0] is None else needed[0] / needed[1])
    if len(ratios) < N_RESAMPLES / 2:
        return None
    lower, upper = np.quantile(ratios, [0.025, 0.975], method="nearest")
    return float(lower), float(upper)


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
