"""Opinions of values and pairs of values, multiplied: each answer counts the cases anew.

An opinion is (codes of all cases, smoothing): the class frequencies among the cases with the same code, drawn towards
a base. The product of the first opinions is the base of those of pairs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod

Counted = tuple[Sequence[Hashable], Hashable, float]  # codes of the stored cases, the code asked, smoothing

UNIT = 0.5  # cases of each class that are added to the class frequencies
FLOOR = 1e-6


def bin_of(number: float | None, cuts: Sequence[float]) -> int:
    """Return the bin of a number; a cut belongs to the lower bin, and a missing number has a bin of its own."""
    return 0 if number is None else 1 + sum(cut < number for cut in cuts)


def counts(members: Sequence[int], labels, weights, n_classes: int) -> list[float]:
    sums = [0.0] * n_classes
    for i in members:
        sums[labels[i]] += weights[i]
    return sums


def opinion(opinion: Counted, members, labels, weights, base: Sequence[float]) -> list[float]:
    """Return the smoothed class frequencies among the members with the code that was asked."""
    codes, asked, smoothing = opinion
    found = counts([i for i in members if codes[i] == asked], labels, weights, len(base))
    return [(n + smoothing * b) / (sum(found) + smoothing) for n, b in zip(found, base)]


def product(base, opinions, exponents, factors) -> list[float]:
    """Return the normalised product of the base and of what the opinions add to it, each with its exponent."""
    scores = [
        factors[c]
        * base[c] ** exponents[0]
        * prod((one[c] / base[c]) ** exponent for one, exponent in zip(opinions, exponents[1:], strict=True))
        for c in range(len(base))
    ]
    return [score / sum(scores) for score in scores]


def shares(
    members: Sequence[int],
    labels,
    weights,
    n_classes: int,
    singles: Sequence[Counted],
    first: Sequence[float],
    factors: Sequence[float],
    pairs: Sequence[Counted],
    second: Sequence[float],
) -> list[float]:
    """Return the answer of some stored cases; `factors` multiply the classes."""
    found = counts(members, labels, weights, n_classes)
    base = [(n + UNIT) / (sum(found) + UNIT * n_classes) for n in found]
    answer = product(base, [opinion(one, members, labels, weights, base) for one in singles], first, factors)
    if not pairs:
        return answer
    base = [max(share, FLOOR) for share in answer]
    return product(base, [opinion(one, members, labels, weights, base) for one in pairs], second, [1.0] * n_classes)
