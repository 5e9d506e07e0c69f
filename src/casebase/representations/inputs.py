"""The same examples in several representations, checked and encoded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.data.labels import coded_labels, label_array
from casebase.data.runs import begins_run
from casebase.data.table import Table
from casebase.errors import CasebaseError

MIN_EXAMPLES = 4  # fewer have no autocorrelations


@dataclass(frozen=True, eq=False)
class Representation:
    """The examples in one representation: encoded, and as the user gave them."""

    name: str
    cases: Cases
    given: Any

    @property
    def order(self) -> np.ndarray:
        """The examples in lexicographic order of their values, missing values first; equal ones keep their order."""
        return np.lexsort(tuple(_rank(column) for column in reversed(self.cases.columns)))

    @property
    def n_contradictory(self) -> int:
        """How many examples equal an example of another class: no hypothesis is right on all of them."""
        order = self.order
        starts = begins_run([_rank(column)[order] for column in self.cases.columns], len(order))
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.cumsum(starts) - 1
        n_classes = self.cases.n_classes
        kinds = np.unique(group * n_classes + self.cases.known_labels)
        is_mixed = np.bincount(kinds // n_classes) > 1
        return int(np.count_nonzero(is_mixed[group]))

    @property
    def is_constant(self) -> bool:
        """Whether all examples have the same values."""
        return all(len(np.unique(column)) == 1 for column in self.cases.columns)

    @property
    def n_missing(self) -> int:
        """How many values are missing."""
        return sum(
            int(np.isnan(column).sum() if feature.vocabulary is None else (column == feature.vocabulary.missing).sum())
            for feature, column in zip(self.cases.schema.features, self.cases.columns)
            if feature.vocabulary is None or feature.vocabulary.missing is not None
        )


def _rank(column: np.ndarray) -> np.ndarray:
    """Return a column that sorts like its values, missing numbers first; codes already do."""
    return np.nan_to_num(column, nan=-np.inf) if column.dtype.kind == "f" else column


def checked_representations(X: Any, y: Any) -> list[Representation]:
    """Return the representations after checking that they have the same examples and classes."""
    if not isinstance(X, Mapping):
        raise CasebaseError(
            'Expected representations by name, such as {"pixels": X1, "strokes": X2}; '
            f"got an object of type {type(X).__name__}."
        )
    if len(X) < 2:
        given = f"only {next(iter(X))!r}" if X else "none"
        raise CasebaseError(f"A comparison needs two representations of the same examples, or more; got {given}.")
    unnamed = [name for name in X if not isinstance(name, str) or not name]
    if unnamed:
        raise CasebaseError(f"Representations are named by text that is not empty; got {unnamed[0]!r}.")
    found = [Representation(name, _encode(f"Representation {name!r}", table, y), table) for name, table in X.items()]
    _check_same_examples(found)
    _check_classes(found[0].cases)
    return found


def checked_examples(X: Any, y: Any) -> Cases:
    """Return the examples of one table after checking that a learner can learn from them."""
    cases = _encode("The examples", X, y)
    _check_classes(cases)
    return cases


def _check_classes(cases: Cases) -> None:
    if cases.n_cases < MIN_EXAMPLES:
        raise CasebaseError(
            f"The test of independence needs at least {MIN_EXAMPLES} examples, and a reliable result about a hundred; "
            f"got {cases.n_cases}."
        )
    if cases.n_classes < 2 or len(np.unique(cases.known_labels)) < 2:
        only = cases.schema.classes[cases.known_labels[0]]
        raise CasebaseError(f"All examples are of class {only!r}: there is nothing to compare.")


def _encode(what: str, table: Any, y: Any) -> Cases:
    try:
        if isinstance(table, Cases):
            cases = table if y is None else _with_labels(table, y)
            cases.known_labels  # noqa: B018  refuses cases without a class
        elif y is None and not (isinstance(table, Table) and table.target is not None):
            raise CasebaseError("No classes: pass y, one class per example.")
        else:
            cases = Cases.from_table(table, y=y)
    except CasebaseError as error:
        raise type(error)(f"{what}: {error}") from error
    if cases.weights is not None and (cases.weights != 1).any():
        raise CasebaseError(
            f"{what}: examples have weights, but each example has one place in the error vector. "
            "Repeat examples that count more than once."
        )
    return replace(cases.with_weights(None), exemplars=None)


def _with_labels(cases: Cases, y: Any) -> Cases:
    classes, labels = coded_labels(label_array(y))
    if len(labels) != cases.n_cases:
        raise CasebaseError(f"Expected one class per case: {cases.n_cases} cases, {len(labels)} classes.")
    return replace(cases, schema=replace(cases.schema, classes=tuple(classes.tolist())), labels=labels)


def _check_same_examples(found: Sequence[Representation]) -> None:
    first = found[0]
    for other in found[1:]:
        if other.cases.n_cases != first.cases.n_cases:
            raise CasebaseError(
                f"All representations are of the same examples, in the same order; {first.name!r} has "
                f"{first.cases.n_cases} of them, {other.name!r} {other.cases.n_cases}."
            )
        labels, others = (_labels(one.cases) for one in (first, other))
        differ = np.flatnonzero(labels != others)
        if len(differ):
            row = int(differ[0])
            raise CasebaseError(
                f"All representations are of the same examples, in the same order, but {len(differ)} of them have "
                f"another class in {other.name!r} than in {first.name!r}: first example {row} (counted from 0), "
                f"{labels[row]!r} in {first.name!r} and {others[row]!r} in {other.name!r}."
            )


def _labels(cases: Cases) -> np.ndarray:
    classes = np.empty(cases.n_classes, dtype=object)
    classes[:] = cases.schema.classes
    labels: np.ndarray = classes[cases.known_labels]
    return labels


def rows_of(given: Any, cases: Cases, rows: np.ndarray | None) -> Any:
    """Return some rows of a table (all for None) in the same kind of table."""
    if isinstance(given, Cases | Table):
        learned = cases.without_quotes()
        given = [learned.values(i) for i in range(cases.n_cases)]
    if rows is None:
        return given
    if hasattr(given, "iloc"):
        return given.iloc[rows]
    if isinstance(given, list | tuple):
        return [given[i] for i in rows.tolist()]
    if hasattr(given, "take") and not isinstance(given, np.ndarray):
        return given.take(rows)
    return given[rows]


def class_values(cases: Cases) -> np.ndarray:
    """Return the class of each example."""
    values: np.ndarray = np.array(cases.schema.classes)[cases.known_labels]
    return values
