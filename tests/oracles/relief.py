"""RELIEF: a feature's weight is its difference to the nearest miss minus its difference to the nearest hit.

`relief` is Kira and Rendell's (1992) for two classes, one neighbour of each and nothing missing, with
Kononenko's difference in place of its square. `relieff` is RELIEF-F of Kononenko, "Estimating
attributes: analysis and extensions of RELIEF" (1994), for several classes, k neighbours and missing values;
the other classes count by their share among the others, as in Robnik-Šikonja and Kononenko (2003),
so that it is `relief` for two classes. Every case is taken once, so there is nothing random, and
nothing depends on the order of the rows: of the cases at the last distance that has a place left
among the k, each takes its share of those places.

A case of weight n is n cases: its copies are among its neighbours. Equal cases are one case with
their weights together. Sums are exact fractions; distances closer than 1e-9 are equal.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Row = Sequence[Hashable]
Weights = Sequence[float]

SAME = Fraction(1, 10**9)


@dataclass(frozen=True)
class Case:
    """A row with its class; its weight is that of all its copies."""

    row: tuple[Hashable, ...]
    label: str
    weight: Fraction


def relief(rows: Sequence[Row], labels: Sequence[str], numeric: Collection[int] = ()) -> list[Fraction]:
    """Return Kira and Rendell's weights: two classes, all values known, one nearest hit and miss.

    Several cases at the nearest distance count by the mean of their differences.

    >>> [float(w) for w in relief([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], list("PPQQ"))]
    [1.0, -1.0]
    """
    n_features = len(rows[0])
    spans = {f: max(row[f] for row in rows) - min(row[f] for row in rows) for f in numeric}  # type: ignore[type-var, operator]

    def diff(f: int, x: Hashable, y: Hashable) -> Fraction:
        if x == y:
            return Fraction(0)
        return abs(Fraction(x) - Fraction(y)) / Fraction(spans[f]) if f in numeric else Fraction(1)  # type: ignore[arg-type]

    def mean_diffs(i: int, others: Sequence[int]) -> list[Fraction]:
        distances = {j: sum(diff(f, rows[i][f], rows[j][f]) for f in range(n_features)) for j in others}
        nearest = [j for j in others if distances[j] - min(distances.values()) <= SAME]
        return [
            sum((diff(f, rows[i][f], rows[j][f]) for j in nearest), Fraction(0)) / max(len(nearest), 1)
            for f in range(n_features)
        ]

    weights = [Fraction(0)] * n_features
    for i in range(len(rows)):
        near_hit = mean_diffs(i, [j for j in range(len(rows)) if j != i and labels[j] == labels[i]])
        near_miss = mean_diffs(i, [j for j in range(len(rows)) if labels[j] != labels[i]])
        weights = [w - hit + miss for w, hit, miss in zip(weights, near_hit, near_miss)]
    return [w / len(rows) for w in weights]


def relieff(
    rows: Sequence[Row],
    labels: Sequence[str],
    k: int = 10,
    numeric: Collection[int] = (),
    weights: Weights | None = None,
) -> list[Fraction]:
    """Return the weight of every feature: its mean difference to the misses minus that to the hits.

    W[A] = 1/m Σ_R ( -mean diff to the k nearest hits + Σ_C P(C) / (1 - P(class of R)) mean diff to the k nearest of C )
    """
    memory = Memory(rows, labels, numeric, weights)
    worth = []
    for feature in range(memory.n_features):
        total = Fraction(0)
        for r in memory.cases:
            own = memory.prior(r.label)
            gained = -memory.mean_diff(feature, r, r.label, k)
            for label in memory.classes:
                if label != r.label:
                    gained += memory.prior(label) / (1 - own) * memory.mean_diff(feature, r, label, k)
            total += r.weight * gained
        worth.append(total / memory.m)
    return worth


class Memory:
    """The distinct cases and their statistics."""

    def __init__(
        self, rows: Sequence[Row], labels: Sequence[str], numeric: Collection[int], weights: Weights | None
    ) -> None:
        together: dict[tuple[tuple[Hashable, ...], str], Fraction] = {}
        for row, label, weight in zip(rows, labels, [1] * len(rows) if weights is None else weights, strict=True):
            if weight > 0:
                together[tuple(row), label] = together.get((tuple(row), label), Fraction(0)) + Fraction(weight)
        self.cases = [Case(row, label, weight) for (row, label), weight in together.items()]
        self.classes = sorted({case.label for case in self.cases})
        self.m = sum((case.weight for case in self.cases), Fraction(0))
        self.n_features = len(rows[0])
        self.numeric = numeric
        self.neighbours: dict[tuple[Case, str, int], list[tuple[Case, Fraction]]] = {}

    def prior(self, label: str) -> Fraction:
        """Return P(C)."""
        return sum((case.weight for case in self.cases if case.label == label), Fraction(0)) / self.m

    def possible(self, feature: int, case: Case) -> dict[Hashable, Fraction]:
        """Return the value of a case, or the likely ones if it is missing, with their probabilities.

        A missing value is one of those known in its class; if none is, one of those known at all.
        """
        if case.row[feature] is not None:
            return {case.row[feature]: Fraction(1)}
        known = [other for other in self.cases if other.row[feature] is not None]
        known = [other for other in known if other.label == case.label] or known
        total = sum((other.weight for other in known), Fraction(0))
        shares: dict[Hashable, Fraction] = {}
        for other in known:
            shares[other.row[feature]] = shares.get(other.row[feature], Fraction(0)) + other.weight / total
        return shares

    def diff(self, feature: int, r: Case, s: Case) -> Fraction:
        """Return how much two cases differ on a feature: the expected difference if a value is missing.

        For symbols that is Kononenko's 1 - P(v | class), and 1 - Σ_v P(v | class1) P(v | class2).
        """
        return sum(
            (
                p * q * self.difference(feature, x, y)
                for x, p in self.possible(feature, r).items()
                for y, q in self.possible(feature, s).items()
            ),
            Fraction(0),
        )

    def difference(self, feature: int, x: Hashable, y: Hashable) -> Fraction:
        """Return how much two values differ: 0 or 1, or their distance as a part of the range."""
        if x == y:
            return Fraction(0)
        if feature not in self.numeric:
            return Fraction(1)
        known = [Fraction(case.row[feature]) for case in self.cases if case.row[feature] is not None]  # type: ignore[arg-type]
        return abs(Fraction(x) - Fraction(y)) / (max(known) - min(known))  # type: ignore[arg-type]

    def nearest(self, r: Case, label: str, k: int) -> list[tuple[Case, Fraction]]:
        """Return the k nearest cases of a class, each with the places it takes among the k.

        One case is the case itself, which is not its own neighbour; its copies are.
        """
        if (r, label, k) in self.neighbours:
            return self.neighbours[r, label, k]
        weight = {s: s.weight - (min(s.weight, 1) if s == r else 0) for s in self.cases if s.label == label}
        distances = {
            s: sum((self.diff(f, r, s) for f in range(self.n_features)), Fraction(0)) for s in weight if weight[s] > 0
        }
        places = Fraction(k)
        taken: list[tuple[Case, Fraction]] = []
        while distances and places > 0:
            first = min(distances.values())
            group = [s for s in distances if distances[s] - first <= SAME]
            n = sum((weight[s] for s in group), Fraction(0))
            taken += [(s, weight[s] * min(1, places / n)) for s in group]
            places -= min(places, n)
            distances = {s: d for s, d in distances.items() if s not in group}
        self.neighbours[r, label, k] = taken
        return taken

    def mean_diff(self, feature: int, r: Case, label: str, k: int) -> Fraction:
        """Return the mean difference to the nearest cases of a class; 0 if there are none."""
        taken = self.nearest(r, label, k)
        filled = sum((places for _, places in taken), Fraction(0))
        return (
            sum((places * self.diff(feature, r, s) for s, places in taken), Fraction(0)) / filled if taken else filled
        )
