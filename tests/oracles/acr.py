"""ACR: the representation of the same examples with which a learner describes them in the fewest bits.

Saxena, "An algorithm to evaluate instance representations" (1991). A run gives a learner nested random
samples of growing size. Each hypothesis, with the corrections of its errors on all examples, has a
codelength; the run of a representation ends when its errors are independent, or when its codelengths
grow, and the minimum of its codelengths counts. Runs are repeated until the sign test is significant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import floor, sqrt

from tests.oracles.codelengths import exceptions

TOLERANCE = 1e-9


def error_vector(answers: Sequence[object], labels: Sequence[object], order: Sequence[int]) -> list[int]:
    """Return, in the order of the examples, a 1 for each wrong answer.

    >>> error_vector("0011", "0001", [0, 1, 2, 3])
    [0, 0, 1, 0]
    """
    return [int(answers[i] != labels[i]) for i in order]


def lexicographic_order(rows: Sequence[Sequence[str | float | None]]) -> list[int]:
    """Return the examples sorted by their values, the first feature first; missing values come first, ties stay."""
    return sorted(range(len(rows)), key=lambda i: [(v is not None, "" if v is None else v) for v in rows[i]])


def autocorrelations(vector: Sequence[float]) -> list[float]:
    """Return the correlation of a series with itself, shifted by 1, 2, and so on to a quarter of its length.

    >>> autocorrelations([1, 0, 1, 0, 1, 0, 1, 0])
    [-0.875, 0.75]
    """
    n = len(vector)
    mean = sum(vector) / n
    variance = sum((x - mean) ** 2 for x in vector)
    return [
        sum((vector[t] - mean) * (vector[t + lag] - mean) for t in range(n - lag)) / variance
        for lag in range(1, n // 4 + 1)
    ]


def is_independent(vector: Sequence[int]) -> bool:
    """Return whether fewer than a twentieth of the autocorrelations are outside their 95 % interval.

    If all examples are right, or all wrong, the errors are independent; of too few examples they are not.
    """
    n = len(vector)
    if len(set(vector)) < 2:
        return True
    coefficients = autocorrelations(vector)
    if not coefficients:
        return False
    n_outside = sum(abs(r) > 1.96 / sqrt(n) for r in coefficients)
    return n_outside < 0.05 * len(coefficients)


def kendall_score(series: Sequence[float]) -> int:
    """Return the number of pairs that increase minus the number that decrease."""
    return sum((b > a) - (b < a) for i, a in enumerate(series) for b in series[i + 1 :])


def kendall_p(series: Sequence[float]) -> Fraction:
    """Return the probability of at least this increase if all orders are equally likely, by enumeration.

    >>> kendall_p([1, 2, 3, 4, 5])
    Fraction(1, 120)
    """
    seen = kendall_score(series)
    scores = [kendall_score(order) for order in permutations(series)]
    return Fraction(sum(score >= seen for score in scores), len(scores))


def kendall_null(n: int) -> Counter[int]:
    """Return how many orders of n different numbers have each score."""
    return Counter(kendall_score(order) for order in permutations(range(n)))


def is_increasing(series: Sequence[float], confidence: float = 0.99) -> bool:
    """Return whether the increase is significant; with fewer than five sizes it never is."""
    return len(series) >= 5 and kendall_p(series) < 1 - confidence


def sign_p(n_wins: int, n_losses: int) -> Fraction:
    """Return the probability of at least this many equal signs, by enumeration.

    >>> sign_p(7, 0), sign_p(6, 0), sign_p(0, 0)
    (Fraction(1, 128), Fraction(1, 64), Fraction(1, 1))
    """
    n, most = n_wins + n_losses, max(n_wins, n_losses)
    return Fraction(sum(sum(signs) >= most for signs in product((0, 1), repeat=n)), 2**n)


@dataclass
class Run:
    """One run of one representation."""

    sizes: list[int]
    totals: list[float]
    reason: str  # "no_errors" (or all wrong), "independent", "increasing" or "all_examples" (there are no more)

    @property
    def minimum(self) -> float:
        return min(self.totals)


def sample_sizes(first: int, growth: float, n: int) -> list[int]:
    """Return growing sizes up to all n examples; halves are rounded up, duplicates are dropped.

    >>> sample_sizes(10, 2, 50), sample_sizes(1, 1.5, 5)
    ([10, 20, 40, 50], [1, 2, 3, 5])
    """
    sizes, i = [min(first, n)], 1
    while sizes[-1] < n:
        size = min(floor(first * growth**i + 0.5), n)
        sizes += [size] * (size > sizes[-1])
        i += 1
    return sizes


def run(
    sizes: Sequence[int],
    learn: Callable[[int], tuple[float, Sequence[object]]],
    labels: Sequence[object],
    order: Sequence[int],
    confidence: float = 0.99,
) -> Run:
    """Return the codelengths of a run; `learn` maps a sample size to the bits of a hypothesis and its answers."""
    n, n_classes = len(labels), len(set(labels))
    totals: list[float] = []
    for i, size in enumerate(sizes):
        bits, answers = learn(size)
        vector = error_vector(answers, labels, order)
        totals.append(bits + exceptions(n, sum(vector), n_classes=n_classes))
        if len(set(vector)) < 2:
            return Run(list(sizes[: i + 1]), totals, "no_errors")
        if is_independent(vector):
            return Run(list(sizes[: i + 1]), totals, "independent")
        if is_increasing(totals, confidence):
            return Run(list(sizes[: i + 1]), totals, "increasing")
    return Run(list(sizes), totals, "all_examples")


def verdict(minima: Sequence[tuple[float, float]], confidence: float = 0.99) -> tuple[int, int, int, Fraction, int]:
    """Return wins, losses and ties of the first of two, the p-value of the sign test, and which one is better.

    1 for the first, -1 for the second, 0 for undecided.
    """
    wins = sum(a < b - TOLERANCE for a, b in minima)
    losses = sum(b < a - TOLERANCE for a, b in minima)
    p = sign_p(wins, losses)
    decided = p < 1 - confidence
    return wins, losses, len(minima) - wins - losses, p, (1 if wins > losses else -1) if decided else 0


def best(names: Sequence[str], winners: dict[tuple[str, str], str | None]) -> str | None:
    """Return the representation that is better than all others, if there is one.

    >>> best("abc", {("a", "b"): "b", ("a", "c"): None, ("b", "c"): "b"})
    'b'
    """
    for name in names:
        if all(winner == name for pair, winner in winners.items() if name in pair):
            return name
    return None


def cycles(names: Sequence[str], winners: dict[tuple[str, str], str | None]) -> list[set[str]]:
    """Return the groups whose members beat each other in a circle, directly or through others.

    >>> cycles("abc", {("a", "b"): "a", ("b", "c"): "b", ("a", "c"): "c"}) == [set("abc")]
    True
    """
    beats = {name: {(set(pair) - {name}).pop() for pair, won in winners.items() if won == name} for name in names}
    reached = {name: set(beats[name]) for name in names}
    for _ in names:
        reached = {name: found.union(*(beats[other] for other in found)) for name, found in reached.items()}
    groups: list[set[str]] = []
    for name in names:
        group = {other for other in reached[name] if name in reached[other]}
        if name in group and group not in groups:
            groups.append(group)
    return groups
