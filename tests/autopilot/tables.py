"""Small random tables of every kind, and the stored cases as the readings and as the oracles take them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from casebase.autopilot.inputs import Inputs, Stored
from casebase.data import Cases
from casebase.methods import method_named

METHODS = ("auto", "forest", "kernel", "opinions", "discriminant")


@dataclass(frozen=True)
class Table:
    """Rows with classes, weights if they differ from 1, and rows to ask."""

    rows: list[list[Any]]
    labels: list[str]
    asked: list[list[Any]]
    numeric: tuple[int, ...] = ()
    weights: list[float] | None = None

    def cases(self) -> Cases:
        kinds = {i: "numeric" if i in self.numeric else "symbolic" for i in range(len(self.rows[0]))}
        return Cases.from_table(self.rows, y=self.labels, kinds=kinds, weights=self.weights)

    def take(self, rows) -> Table:
        weights = None if self.weights is None else [self.weights[i] for i in rows]
        return replace(self, rows=[self.rows[i] for i in rows], labels=[self.labels[i] for i in rows], weights=weights)


def random_table(
    kinds: str, n: int = 40, seed: int = 0, *, gaps: float = 0.0, weights=None, n_classes: int = 3, n_values: int = 4
) -> Table:
    """Return a table with a symbolic feature per "s" in `kinds` and a numeric one per "n"; the first ones tell."""
    draw = np.random.default_rng(seed)
    labels = [f"c{int(c)}" for c in np.arange(n) % n_classes]

    def cell(kind: str, place: int, label: str | None) -> Any:
        if draw.random() < gaps:
            return None
        told = (
            int(label[1:]) if label is not None and draw.random() < 0.7 / (1 + place) else int(draw.integers(n_values))
        )
        return f"v{told}" if kind == "s" else round(told + float(draw.normal()), 1)

    rows = [[cell(kind, place, label) for place, kind in enumerate(kinds)] for label in labels]
    asked = [[cell(kind, place, None) for place, kind in enumerate(kinds)] for _ in range(6)]
    asked.append([f"never{i}" if kind == "s" else 99.5 for i, kind in enumerate(kinds)])
    asked.append([None for _ in kinds])
    asked.append([f"never{i}" if kind == "s" else None for i, kind in enumerate(kinds)])
    numeric = tuple(i for i, kind in enumerate(kinds) if kind == "n")
    each = None if weights is None else [float(w) for w in draw.choice(weights, n)]
    return Table(rows, labels, [*asked, *rows[:2]], numeric, each)


TABLES = {
    "symbolic": random_table("sss", seed=1),
    "numeric": random_table("nnn", seed=2),
    "mixed": random_table("snsn", seed=3),
    "missing": random_table("snsn", seed=4, gaps=0.3),
    "repeated": random_table("sn", seed=5, weights=[1, 2, 3]),
    "weighted": random_table("snn", seed=6, weights=[0.25, 0.5, 1, 2.5]),
    "two classes": random_table("ssn", seed=7, n_classes=2, gaps=0.1),
    "single feature": random_table("s", seed=8),
    "few": random_table("sn", n=5, seed=9, n_classes=2),
}


def stored_of(cases: Cases) -> Stored:
    """Return the stored cases as the readings take them."""
    return method_named("discriminant").fit(cases).stored


def without(stored: Stored, i: int) -> Stored:
    """Return all stored cases but one; codes and classes keep their numbers."""
    others = np.delete(np.arange(stored.n_cases), i)
    weights = None if stored.weights is None else stored.weights[others]
    return Stored(stored.inputs.take(others), stored.labels[others], weights, stored.n_classes, stored.classes)


def one_case(stored: Stored, i: int) -> Inputs:
    return stored.inputs.take(np.array([i]))


def plain_numbers(inputs: Inputs) -> list[list[float | None]]:
    """Return the numbers of each numeric feature, None if missing."""
    return [[None if x != x else x for x in row] for row in inputs.numbers.tolist()]


def plain_cases(inputs: Inputs) -> list[tuple[list[float | None], list[int]]]:
    """Return each case as its numbers and its codes."""
    numbers, codes = plain_numbers(inputs), inputs.codes.tolist()
    return [([row[i] for row in numbers], [row[i] for row in codes]) for i in range(inputs.n_cases)]
