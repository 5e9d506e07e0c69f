"""Weights of groups of neighbours as functions of their distance.

Each function takes the distances of the groups, nearest first, and returns a weight for each;
a class's votes are its frequencies in the groups times these weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tests.oracles.weights import EPS

LARGEST = 1.7976931348623157e308  # the distance of a group that does not exist
GroupWeights = Callable[[Sequence[float]], list[float]]


def equal(distances: Sequence[float]) -> list[float]:
    """Return 1 for every group."""
    return [1.0 for _ in distances]


def inverse_distance(distances: Sequence[float]) -> list[float]:
    """Return one over the distance; an exact match weighs 2^52."""
    return [1 / (d + EPS) for d in distances]


def inverse_linear(distances: Sequence[float]) -> list[float]:
    """Return 1 for the nearest group, 0 for the farthest, and in proportion between.

    >>> inverse_linear([1.0, 2.0, 3.0])
    [1.0, 0.5, 0.0]
    """
    first, last = distances[0], distances[-1]
    return [1.0 if j == 0 else (last - d) / (last - first) for j, d in enumerate(distances)]


def exponential(alpha: float = 1.0, beta: float = 1.0) -> GroupWeights:
    """Return the function exp(-alpha d^beta), with 2^-52 where that is 0."""
    return lambda distances: [math.exp(-alpha * d**beta) or EPS for d in distances]


def exponential_from_the_nearest(alpha: float = 1.0, beta: float = 1.0) -> GroupWeights:
    """Return the same weights divided by that of the nearest group."""
    return lambda distances: [math.exp(alpha * distances[0] ** beta - alpha * d**beta) for d in distances]


def group_weights(vote: str, alpha: float = 1.0, beta: float = 1.0, compat: str | None = None) -> GroupWeights:
    """Return the function for a value of casebase's parameter `vote`."""
    functions = {"equal": equal, "inverse_distance": inverse_distance, "inverse_linear": inverse_linear}
    if vote in functions:
        return functions[vote]
    return exponential(alpha, beta) if compat == "timbl" else exponential_from_the_nearest(alpha, beta)


class TimblInverseLinear:
    """Inverse linear weights as TiMBL computes them in one run: they depend on earlier queries.

    The farthest distance is that of the last entry of a list that also holds entries for
    groups that do not exist: where there are fewer than k distances, and one more for every
    tie that was retried since the start. Against such an entry all the weights are 1.
    """

    def __init__(self, k: int):
        self.k = k
        self.was_retried = False

    def __call__(self, distances: Sequence[float]) -> list[float]:
        """Return the weights of a first vote."""
        if self.was_retried or len(distances) < self.k:
            return equal(distances)
        return inverse_linear(distances)

    def retry(self, distances: Sequence[float]) -> list[float]:
        """Return the weights of a second vote: group k + 1 is the last of the list, if there is one."""
        self.was_retried = True
        return inverse_linear(distances) if len(distances) > self.k else equal(distances)
