"""Differences between two values of one feature, each by its formula.

Numbers are compared by their difference, symbols by their class distributions, strings by their
characters. Weights, thresholds and unknown values are the callers' business.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

Shares = Mapping[str, float]  # the share of each class among the cases with a value


def value_difference(p: Shares, q: Shares, order: Sequence[str] | None = None) -> float:
    """Return half the summed absolute difference of two class distributions (MVDM).

    Sums are taken over the classes in `order`.

    >>> value_difference({"P": 0.5, "Q": 0.5}, {"Q": 1.0})
    0.5
    """
    total = 0.0
    for c in order or classes_of(p, q):
        total += abs(p.get(c, 0.0) - q.get(c, 0.0))
    return total / 2


def jeffrey(p: Shares, q: Shares, order: Sequence[str] | None = None) -> float:
    """Return TiMBL's Jeffrey divergence: a class that only one side has adds its share.

    The textbook's sum is infinite there. A class that both sides list, one of them with a
    share of 0, adds nothing: TiMBL keeps a class on its list after all its cases were removed.
    """
    forth = back = 0.0
    for c in order or classes_of(p, q):
        x, y = p.get(c, 0.0), q.get(c, 0.0)
        if x > 0 and y > 0:
            forth += x * math.log2(x / y)
            back += y * math.log2(y / x)
        elif not (c in p and c in q):
            forth += x
            back += y
    return (forth + back) / 2


def jensen_shannon(p: Shares, q: Shares, order: Sequence[str] | None = None) -> float:
    """Return the Jensen-Shannon divergence in bits: 0 for equal, 1 for disjoint distributions."""
    forth = back = 0.0
    for c in order or classes_of(p, q):
        x, y = p.get(c, 0.0), q.get(c, 0.0)
        if x > 0 and y > 0:
            forth += x * math.log2(2 * x / (x + y))
            back += y * math.log2(2 * y / (x + y))
        else:
            forth += x
            back += y
    return (forth + back) / 2


def classes_of(p: Shares, q: Shares) -> list[str]:
    """Return the classes of two distributions, those of the first before the others."""
    return list(dict.fromkeys([*p, *q]))


def levenshtein(s: Sequence, t: Sequence, *, first_swap: int = 1) -> int:
    """Return the least number of insertions, deletions, substitutions and swaps of neighbours.

    No character is edited twice (the restricted distance of Damerau). Swaps are recognised from the
    character `first_swap` on, counted from 1. With TiMBL's 2, a swap of the first two is not recognised.

    >>> levenshtein("abcd", "bacd"), levenshtein("abcd", "bacd", first_swap=2)
    (1, 2)
    """
    cost = {(i, 0): i for i in range(len(s) + 1)} | {(0, j): j for j in range(len(t) + 1)}
    for i in range(1, len(s) + 1):
        for j in range(1, len(t) + 1):
            cost[i, j] = min(
                cost[i - 1, j] + 1,
                cost[i, j - 1] + 1,
                cost[i - 1, j - 1] + (s[i - 1] != t[j - 1]),
            )
            if i > first_swap and j > first_swap and s[i - 2] == t[j - 1] and s[i - 1] == t[j - 2]:
                cost[i, j] = min(cost[i, j], cost[i - 2, j - 2] + 1)
    return cost[len(s), len(t)]


def dice(s: Sequence, t: Sequence) -> float:
    """Return one minus the share of pairs of neighbouring characters that two strings have in common.

    Pairs are sets. If either string has one character or none, the characters themselves are compared.

    >>> dice("abcd", "abc")
    0.19999999999999996
    """
    if len(s) <= 1 or len(t) <= 1:
        left, right = set(s), set(t)
    else:
        left, right = set(itertools.pairwise(s)), set(itertools.pairwise(t))
    return 1 - 2 * len(left & right) / (len(left) + len(right))


def scaled_difference(x: float, y: float, value_range: float) -> float:
    """Return the difference of two numbers as a share of the range seen in training."""
    return abs((x - y) / value_range)


def timbl_euclidean(x: float, y: float, value_range: float) -> float:
    """Return TiMBL's Euclidean difference: the root of the difference of the squares, divided by the range."""
    return math.sqrt(abs(x * x - y * y)) / value_range
