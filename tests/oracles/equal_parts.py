"""Cut points that ignore the classes: bins of equal width, or of equal frequency."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise


def equal_width(numbers: Sequence[float], n_bins: int) -> list[float]:
    """Return the upper ends of all intervals of equal width but the last; none if all numbers are equal.

    >>> equal_width([1, 1, 1, 2, 3, 4, 9, 11], 4)
    [3.5, 6.0, 8.5]
    """
    low, high = min(numbers), max(numbers)
    return [low + (high - low) * i / n_bins for i in range(1, n_bins)] if high > low else []


def equal_frequency(numbers: Sequence[float], n_bins: int, weights: Sequence[float] | None = None) -> list[float]:
    """Return the gaps nearest to equal shares of the cases, half-way between two numbers, each once.

    If two gaps are equally near, the lower one is used.

    >>> equal_frequency([1, 1, 1, 2, 3, 4, 9, 11], 4)
    [1.5, 2.5, 6.5]
    """
    exact = [Fraction(w) for w in ([1] * len(numbers) if weights is None else weights)]
    values = sorted({x for x, w in zip(numbers, exact, strict=True) if w > 0})
    gaps = {
        (low + high) / 2: sum((w for x, w in zip(numbers, exact) if x <= low), Fraction(0))
        for low, high in pairwise(values)
    }
    shares = [sum(exact, Fraction(0)) * i / n_bins for i in range(1, n_bins)]
    return sorted({min(gaps, key=lambda gap: (abs(gaps[gap] - share), gap)) for share in shares}) if gaps else []
