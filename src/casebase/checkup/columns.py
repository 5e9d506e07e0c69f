"""Suspicious columns: constants, unique ids, and columns from which alone the class follows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from casebase.checkup.findings import Commands, Finding
from casebase.data import Cases, Feature, Schema
from casebase.render.words import format_value, percent

NEARLY_ALL = 0.95  # of the records have different values: ids
MANY_RECORDS = 20  # fewer may have different values by chance
LEAK = 0.99  # of the records follow from one column
LEFT_OVER = 0.1  # of the errors of the most frequent class may remain where a column is said to decide
FEWEST = 10  # records with a value that is said to decide


@dataclass(frozen=True, eq=False)
class Cells:
    """How many records have a value, by its code, and a class: one entry for each pair that occurs, ascending."""

    value: np.ndarray
    label: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, codes: np.ndarray, labels: np.ndarray, n_classes: int) -> "Cells":
        keys, count = np.unique(codes * n_classes + labels, return_counts=True)
        return cls(keys // n_classes, keys % n_classes, count)


def suspicious_columns(cases: Cases, commands: Commands) -> list[Finding]:
    """Return the columns that hold nothing to learn from, or too much."""
    labels = cases.known_labels.astype(np.int64)
    found = []
    for feature, column in zip(cases.schema.features, cases.columns):
        if feature.kind == "ignored":
            continue
        codes, values = _codes(feature, column)
        cells = Cells.of(codes, labels, cases.n_classes)
        share = None
        if feature.kind == "numeric":
            share = _decided_by_numbers(column, labels, cases.n_classes)
        found += suspicions(cases.schema, feature, cells, values, np.bincount(labels, minlength=cases.n_classes), share)
    return in_order(cases.schema, found, commands)


def suspicions(
    schema: Schema,
    feature: Feature,
    cells: Cells,
    values: list[str],
    per_class: np.ndarray,
    decided: float | None = None,
) -> list[Finding]:
    """Return what is suspicious about a column, by its counts; a column of numbers has `decided` so many classes."""
    n_cases = int(per_class.sum())
    reason = _empty_of_information(feature.kind == "symbolic", cells, n_cases)
    score, value = 1.0, None
    if reason is None and len(schema.classes) > 1:
        leak = _leak(schema, cells, values, per_class, decided)
        if leak is not None:
            reason, value, score = leak.reason, leak.value, leak.score
    if reason is None:
        return []
    return [Finding("column", reason, "", score=score, column=feature.name, value=value)]


def in_order(schema: Schema, found: Sequence[Finding], commands: Commands) -> list[Finding]:
    """Return all findings about columns with their commands, the most suspicious first."""
    columns = {name: kind.name for kind in schema.kinds for name in kind.features}
    # Where the kinds of the columns were found, those without anything to learn from have been left out already.
    named = [
        (kind.name, Finding("column", f"{kind.reason}: left out", "", score=0.5, column=kind.name))
        for kind in schema.kinds
        if kind.kind in ("key", "constant")
    ]
    named += [(columns.get(str(one.column), str(one.column)), one) for one in found]
    named.sort(key=lambda pair: -pair[1].score)
    # The command of a column drops those before it, too, so that the last one drops all of them together.
    names = [name for name, _ in named]
    return [replace(one, command=commands.ignore(names[: i + 1])) for i, (_, one) in enumerate(named)]


@dataclass(frozen=True)
class _Leak:
    reason: str
    value: str | None
    score: float


def _codes(feature: Feature, column: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return the values of a column as codes, and their texts; of numbers only whether they are missing."""
    if column.dtype.kind == "f":
        return np.isnan(column).astype(np.int64), ["a number", format_value(None)]
    return column.astype(np.int64), value_texts(feature)


def value_texts(feature: Feature) -> list[str]:
    """Return the texts of all values of a symbolic feature."""
    assert feature.vocabulary is not None
    codes = np.arange(len(feature.vocabulary)).astype(feature.vocabulary.dtype)
    return [format_value(feature.value(code)) for code in codes]


def _empty_of_information(is_symbolic: bool, cells: Cells, n_cases: int) -> str | None:
    if not is_symbolic:
        return None
    n_values = len(np.unique(cells.value))
    if n_values == 1 and n_cases > 1:
        return "one value in all records: nothing to learn from"
    if n_cases >= MANY_RECORDS and n_values >= NEARLY_ALL * n_cases:
        return f"{n_values:,} different values in {n_cases:,} records: ids, which no new record will share"
    return None


def _leak(schema: Schema, cells: Cells, texts: list[str], per_class: np.ndarray, decided: float | None) -> _Leak | None:
    """Return how the class follows from one column, if it does."""
    n, n_classes = int(per_class.sum()), len(schema.classes)
    allowed = LEFT_OVER * (1 - per_class.max() / n)
    share = _decided_by_symbols(cells, n) if decided is None else decided
    if n >= MANY_RECORDS and share >= LEAK and 1 - share <= allowed:
        reason = f"the class of {percent(share)} of the records follows from this column alone: a leak?"
        return _Leak(reason, None, 2 + share)
    table = np.zeros((len(texts) + 1, n_classes), dtype=np.int64)
    np.add.at(table, (np.minimum(cells.value, len(texts)), cells.label), cells.count)
    of_value, of_class = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    value, label = np.nonzero((table == of_value) & (table == of_class) & (table >= FEWEST))
    if not len(value):
        return None
    best = int(np.argmax(table[value, label]))
    text, count = texts[int(value[best])], int(table[value[best], label[best]])
    name = format_value(schema.classes[int(label[best])])
    return _Leak(f"{text} in all {count} records of class {name}, and in no other: a leak?", text, 1 + count / n)


def _decided_by_symbols(cells: Cells, n_cases: int) -> float:
    """Return the share of records whose class has the most other records with their value."""
    order = np.lexsort([-cells.count, cells.value])
    value, count = cells.value[order], cells.count[order]
    first = np.flatnonzero(np.diff(value, prepend=-1))
    second = np.where(np.append(first[1:], len(value)) - first > 1, count[np.minimum(first + 1, len(count) - 1)], 0)
    return float(count[first][count[first] - 1 > second].sum() / n_cases)


def _decided_by_numbers(numbers: np.ndarray, labels: np.ndarray, n_classes: int) -> float:
    """Return the share of records whose class most of their neighbours in the order of a column have.

    The neighbours are the two records before and the two after; numbers that mostly repeat are taken as symbols.
    """
    distinct, codes = np.unique(numbers, return_inverse=True)
    if len(distinct) <= len(numbers) / 2:
        return _decided_by_symbols(Cells.of(codes.ravel(), labels, n_classes), len(labels))
    own = labels[np.argsort(numbers, kind="stable")]
    n_agree, n_there = np.zeros(len(own)), np.zeros(len(own))
    for step in (1, 2):
        same = own[step:] == own[:-step]
        for here in (slice(step, None), slice(None, -step)):
            n_agree[here] += same
            n_there[here] += 1
    return float((2 * n_agree > n_there).mean())
