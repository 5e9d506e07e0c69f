"""Cut points by the minimum description length of Fayyad and Irani (1993).

A set of numbers is cut where the classes of the two sides have the least entropy, if the gain
exceeds the cost of encoding the cut and the classes; then each side in its turn. Cuts are tried
half-way between neighbouring distinct values; of equally good ones the lowest is used. A value that
equals a cut lies below it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import pairwise

Weights = Sequence[float]
Sample = list[tuple[float, Hashable, float]]  # number, class, weight


def cuts(numbers: Sequence[float | None], labels: Sequence[Hashable], weights: Weights | None = None) -> list[float]:
    """Return the accepted cuts in ascending order; missing numbers (None, NaN) and weights of 0 are left out.

    >>> cuts([1, 2, 3, 4, 5, 6, 7, 8], list("PPPPQQQQ"))
    [4.5]
    """
    weights = [1] * len(numbers) if weights is None else weights
    sample = [(x, c, w) for x, c, w in zip(numbers, labels, weights, strict=True) if x is not None and w > 0]
    return cut([(x, c, w) for x, c, w in sample if not math.isnan(x)])


def cut(sample: Sample) -> list[float]:
    """Return the cuts of a set of numbers: the best one, if it pays, between those of its two sides."""
    best = best_cut(sample)
    if best is None or not pays(sample, best):
        return []
    return [*cut([case for case in sample if case[0] <= best]), best, *cut([case for case in sample if case[0] > best])]


def candidates(sample: Sample) -> list[float]:
    """Return the points half-way between neighbouring distinct values."""
    values = sorted({x for x, _, _ in sample})
    middles = [(low + high) / 2 for low, high in pairwise(values)]
    return [low if middle >= high else middle for low, middle, high in zip(values, middles, values[1:])]


def best_cut(sample: Sample) -> float | None:
    """Return the candidate that leaves the least class entropy, the lowest of those equal up to rounding."""
    left_over = {point: information_after(sample, point) for point in candidates(sample)}
    if not left_over:
        return None
    least = min(left_over.values())
    return min(point for point, bits in left_over.items() if bits - least <= 1e-10)


def pays(sample: Sample, point: float) -> bool:
    """Return whether the gain exceeds (log2(N - 1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2)) / N.

    Fewer than two cases, for which log2(N - 1) is negative or undefined, are not cut.
    """
    n = total(sample)
    if n < 2:
        return False
    below, above = sides(sample, point)
    gain = entropy(sample) - information_after(sample, point)
    k, k1, k2 = (len({c for _, c, _ in part}) for part in (sample, below, above))
    delta = math.log2(3**k - 2) - (k * entropy(sample) - k1 * entropy(below) - k2 * entropy(above))
    return gain > (math.log2(n - 1) + delta) / n + 1e-12


def sides(sample: Sample, point: float) -> tuple[Sample, Sample]:
    """Return the cases up to a point, and those above it."""
    return [case for case in sample if case[0] <= point], [case for case in sample if case[0] > point]


def information_after(sample: Sample, point: float) -> float:
    """Return the class entropy of the two sides, by their weight."""
    return sum(total(side) / total(sample) * entropy(side) for side in sides(sample, point))


def entropy(sample: Sample) -> float:
    """Return the bits of class uncertainty.

    >>> entropy([(1, "P", 1), (2, "Q", 1)])
    1.0
    """
    counts: dict[Hashable, float] = {}
    for _, label, weight in sample:
        counts[label] = counts.get(label, 0) + weight
    whole = total(sample)
    return sum(n / whole * math.log2(whole / n) for n in counts.values())


def total(sample: Sample) -> float:
    """Return the number of cases, each as often as its weight says."""
    return sum(weight for _, _, weight in sample)
