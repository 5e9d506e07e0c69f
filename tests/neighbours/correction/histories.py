"""Random histories of small memories, and what a new fit on the same cases would be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import strategies as st

from casebase.data import Cases
from casebase.methods import method_named
from casebase.neighbours import correction

SYMBOLS = ["a", "b", "c", None]
NUMBERS = [0.0, 0.5, 1.0, 2.0, None]
LABELS = ["P", "Q", "R"]


@dataclass
class Table:
    """The cases that a memory should hold, in the order given: id → (values, class, weight)."""

    numeric: tuple[bool, ...]
    weighted: bool
    rows: dict[int, tuple[list[Any], str, float]] = field(default_factory=dict)

    def cases(self) -> Cases:
        kinds = {i: "numeric" if is_numeric else "symbolic" for i, is_numeric in enumerate(self.numeric)}
        values, labels, weights = zip(*self.rows.values())
        return Cases.from_table(
            [list(row) for row in values],
            y=list(labels),
            kinds=kinds,
            ids=list(self.rows),
            weights=list(weights) if self.weighted else None,
        )


@dataclass(frozen=True)
class Step:
    """One correction: what to do, to which of the stored cases (by position), with which new cases."""

    what: str
    which: tuple[int, ...]
    new: tuple[tuple[tuple[Any, ...], str, float], ...]


def rows_of(numeric: tuple[bool, ...], numbers: Sequence[Any], symbols: Sequence[Any]):
    """Values for each feature, from numbers or from symbols."""
    return st.tuples(*(st.sampled_from(numbers if is_numeric else symbols) for is_numeric in numeric))


# The same strategy for every step and history with these features: hypothesis looks through a new one first.
@cache
def first_cases(numeric: tuple[bool, ...]):
    rows = rows_of(numeric, NUMBERS, SYMBOLS).map(list)
    return st.tuples(rows, st.sampled_from(LABELS), st.sampled_from([1.0, 2.0, 0.5]))


@cache
def new_cases(numeric: tuple[bool, ...]):
    rows = rows_of(numeric, NUMBERS, [*SYMBOLS, "d", "e"])
    return st.tuples(rows, st.sampled_from([*LABELS, "A"]), st.sampled_from([1.0, 2.0, 0.5]))


@cache
def questions(numeric: tuple[bool, ...]):
    return rows_of(numeric, [*NUMBERS, 5.0], [*SYMBOLS, "d", "e", "z"]).map(list)


@cache
@st.composite
def steps(draw, numeric: tuple[bool, ...]):
    what = draw(st.sampled_from(["insert", "insert", "remove", "remove", "update", "save"]))
    which = draw(st.lists(st.integers(0, 30), min_size=1, max_size=4, unique=True))
    return Step(what, tuple(which), tuple(draw(st.lists(new_cases(numeric), min_size=4, max_size=4))))


@dataclass(frozen=True)
class History:
    """A first table, corrections of it, and questions to ask after each."""

    table: Table
    steps: tuple[Step, ...]
    queries: list[list[Any]]


@st.composite
def histories(draw, numbers=True, max_rows=10, max_steps=6):
    n_features = draw(st.integers(1, 4))
    numeric = tuple(numbers and draw(st.integers(0, 3)) == 0 for _ in range(n_features))
    weighted = draw(st.booleans())
    table = Table(numeric, weighted)
    for i, (row, label, weight) in enumerate(draw(st.lists(first_cases(numeric), min_size=1, max_size=max_rows))):
        table.rows[i] = (row, label, weight if weighted else 1.0)
    queries = draw(st.lists(questions(numeric), min_size=2, max_size=5))
    return History(table, tuple(draw(st.lists(steps(numeric), min_size=1, max_size=max_steps))), queries)


def taken(model, table: Table, step: Step):
    """Do one correction to a model and to the table it should equal; return the model."""
    ids = list(table.rows)
    chosen = list(dict.fromkeys(ids[i % len(ids)] for i in step.which))
    new = step.new[: len(chosen)] if step.what == "update" else step.new[: 1 + step.which[0] % 4]
    weights = [weight for _, _, weight in new] if table.weighted else None
    rows, labels = [list(row) for row, _, _ in new], [label for _, label, _ in new]
    stored = [(row, label, weight if table.weighted else 1.0) for row, label, weight in new]
    if step.what == "insert":
        first = max(ids) + 1
        table.rows |= {first + i: case for i, case in enumerate(stored)}
        return correction.insert(model, rows, labels, weights=weights)
    if step.what == "update":
        for case_id, case in zip(chosen, stored):
            table.rows[case_id] = case
        return correction.update(model, chosen, rows, labels, weights=weights)
    if step.what == "remove" and len(chosen) < len(ids):
        for case_id in chosen:
            del table.rows[case_id]
        return correction.remove(model, chosen)[0]
    return model


def refitted(learner: str, table: Table, parameters: dict[str, Any]):
    return method_named(learner).fit(table.cases(), **parameters)
