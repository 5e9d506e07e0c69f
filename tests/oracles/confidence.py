"""Confidence as the definitions say it: probabilities of one case at a time, and conformal sets by counting."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Votes = Mapping[Any, float]


def smoothed(
    votes: Votes, answer: Any, frequency: Mapping[Any, float], amount: float, power: float, sharpness: float
) -> dict[Any, float]:
    """The probability of each class, and the answer not below any other."""
    total, n = sum(votes.values()), sum(frequency.values())
    shares = {c: (votes.get(c, 0.0) / total) ** sharpness if votes.get(c, 0.0) else 0.0 for c in frequency}
    shares = {c: share / sum(shares.values()) for c, share in shares.items()}
    strength = total**power
    p = {c: (strength * shares[c] + amount * frequency[c] / n) / (strength + amount) for c in frequency}
    pool = [answer]
    others = sorted((c for c in p if c != answer), key=lambda c: -p[c])
    while others and p[others[0]] >= sum(p[c] for c in pool) / len(pool):
        pool.append(others.pop(0))
    level = sum(p[c] for c in pool) / len(pool)
    return {c: level if c in pool else p[c] for c in p}


def best_smoothing(
    held_out: Sequence[tuple[Votes, Any, Any]], frequency: Mapping[Any, float], grid: Sequence[tuple[float, ...]]
) -> tuple[float, tuple[float, ...]]:
    """The smallest mean log loss of (votes, answer, class), and the amount, power and sharpness that have it."""

    def loss(candidate: tuple[float, ...]) -> float:
        probabilities = [smoothed(votes, answer, frequency, *candidate)[label] for votes, answer, label in held_out]
        return -sum(map(math.log, probabilities)) / len(probabilities)

    return min(((loss(candidate), candidate) for candidate in grid), key=lambda pair: round(pair[0], 9))


def nonconformity(rows: Sequence[Any], labels: Sequence[Any], distance: Callable[[Any], float], label: Any) -> float:
    """How much farther the nearest case of a class is than the nearest case of another class."""
    inside = min((distance(row) for row, c in zip(rows, labels) if c == label), default=math.inf)
    outside = min((distance(row) for row, c in zip(rows, labels) if c != label), default=math.inf)
    return 0.0 if inside == outside == math.inf else inside - outside


def conformal_set(scores: Sequence[float], of_classes: Mapping[Any, float], confidence: float, allowed: int = 0) -> set:
    """The classes for which at most the wanted share of n + 1 scores is smaller, not counting `allowed` of them."""
    n = len(scores)
    return {
        c
        for c, score in of_classes.items()
        if sum(other < score for other in scores) - allowed < confidence * (n + 1) - 1e-9
    }
