"""Paired t-tests over folds, and ratios of two measurements in the same fold."""

from scipy.special import stdtr

from lab.papers.records import Measured

LEVEL = 0.05


def p_value(difference: Measured) -> float | None:
    """Return the p-value of a mean difference by the paired, two-sided t-test.

    >>> round(p_value(Measured((1.0, 2.0, 3.0))), 6), p_value(Measured((0.0, 0.0))), p_value(Measured((1.0,)))
    (0.07418, 1.0, None)
    """
    if difference.deviation is None:
        return None
    if difference.deviation == 0:
        return 1.0 if difference.mean == 0 else 0.0
    t = difference.mean / (difference.deviation / difference.n_runs**0.5)
    return float(2 * stdtr(difference.n_runs - 1, -abs(t)))


def sign(difference: Measured) -> int | None:
    """Return 1 or -1 where the mean difference is significantly above or below 0, else 0; None for a single run.

    >>> sign(Measured((1.0, 1.1, 0.9))), sign(Measured((-1.0, -1.1, -0.9))), sign(Measured((1.0, -1.0, 0.5)))
    (1, -1, 0)
    """
    p = p_value(difference)
    return None if p is None else 0 if p >= LEVEL else 1 if difference.mean > 0 else -1


def format_p(p: float | None) -> str:
    """Return a p-value as text.

    >>> format_p(0.0342), format_p(0.00001), format_p(None)
    ('p = .034', 'p < .001', 'one fold')
    """
    return "one fold" if p is None else "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def times(one: Measured, other: Measured) -> Measured:
    """Return the ratio of two measurements, fold by fold.

    >>> times(Measured((4.0, 9.0)), Measured((2.0, 3.0))).runs
    (2.0, 3.0)
    """
    return Measured(tuple(a / b for a, b in zip(one.runs, other.runs, strict=True)))


def percent_of(part: Measured, whole: Measured) -> Measured:
    """Return the part in percent of the whole, fold by fold.

    >>> percent_of(Measured((1.0,)), Measured((4.0,))).runs
    (25.0,)
    """
    return Measured(tuple(100 * ratio for ratio in times(part, whole).runs))
