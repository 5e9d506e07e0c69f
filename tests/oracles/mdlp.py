"""Fayyad and Irani's recursion, cut by cut, as the paper writes it."""

from collections import Counter
from math import isnan, log2

ROUNDING = 1e-12


def entropy(labels):
    return -sum(n / len(labels) * log2(n / len(labels)) for n in Counter(labels).values())


def cuts(numbers, labels):
    """Return the cuts of numbers, each tried between all different neighbours."""
    return _cuts(sorted((x, label) for x, label in zip(numbers, labels) if not isnan(x)))


def _cuts(cases):
    n, best, least = len(cases), None, None
    for i in range(1, n):
        if cases[i - 1][0] < cases[i][0]:
            left, right = _labels(cases[:i]), _labels(cases[i:])
            remaining = (len(left) * entropy(left) + len(right) * entropy(right)) / n
            if least is None or remaining < least - ROUNDING:
                best, least = i, remaining
    if best is None or not _is_accepted(_labels(cases), _labels(cases[:best]), _labels(cases[best:]), least):
        return []
    return [*_cuts(cases[:best]), (cases[best - 1][0] + cases[best][0]) / 2, *_cuts(cases[best:])]


def _labels(cases):
    return [label for _, label in cases]


def _is_accepted(labels, left, right, remaining):
    n, k, k1, k2 = len(labels), len(set(labels)), len(set(left)), len(set(right))
    gain = entropy(labels) - remaining
    delta = log2(3**k - 2) - (k * entropy(labels) - k1 * entropy(left) - k2 * entropy(right))
    return k > 1 and gain > (log2(n - 1) + delta) / n + ROUNDING
