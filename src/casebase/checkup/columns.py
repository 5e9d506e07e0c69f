"""Suspicious columns: constants, unique ids, and columns from which alone the class follows."""

from dataclasses import dataclass, replace

import numpy as np

from casebase.checkup.findings import Commands, Finding
from casebase.data import Cases, Feature
from casebase.render.words import format_value, percent

NEARLY_ALL = 0.95  # of the records have different values: ids
MANY_RECORDS = 20  # fewer may have different values by chance
LEAK = 0.99  # of the records follow from one column
LEFT_OVER = 0.1  # of the errors of the most frequent class may remain where a column is said to decide
FEWEST = 10  # records with a value that is said to decide


def suspicious_columns(cases: Cases, commands: Commands) -> list[Finding]:
    """Return the columns that hold nothing to learn from, or too much."""
    columns = {name: kind.name for kind in cases.schema.kinds for name in kind.features}
    # Where the kinds of the columns were found, those without anything to learn from have been left out already.
    found = [
        (kind.name, Finding("column", f"{kind.reason}: left out", "", score=0.5, column=kind.name))
        for kind in cases.schema.kinds
        if kind.kind in ("key", "constant")
    ]
    labels = cases.known_labels.astype(np.int64)
    for feature, column in zip(cases.schema.features, cases.columns):
        if feature.kind == "ignored":
            continue
        name = columns.get(feature.name, feature.name)
        codes, values = _codes(feature, column)
        reason = _empty_of_information(feature.kind == "symbolic", codes, cases.n_cases)
        score, value = 1.0, None
        if reason is None and cases.n_classes > 1:
            leak = _leak(cases, codes, values, labels, column if feature.kind == "numeric" else None)
            if leak is not None:
                reason, value, score = leak.reason, leak.value, leak.score
        if reason is not None:
            found.append((name, Finding("column", reason, "", score=score, column=feature.name, value=value)))
    found.sort(key=lambda pair: -pair[1].score)
    # The command of a column drops those before it, too, so that the last one drops all of them together.
    names = [name for name, _ in found]
    return [replace(one, command=commands.ignore(names[: i + 1])) for i, (_, one) in enumerate(found)]


@dataclass(frozen=True)
class _Leak:
    reason: str
    value: str | None
    score: float


def _codes(feature: Feature, column: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return the values of a column as codes, and their texts; of numbers only whether they are missing."""
    if column.dtype.kind == "f":
        return np.isnan(column).astype(np.int64), ["a number", format_value(None)]
    assert feature.vocabulary is not None
    codes = np.arange(len(feature.vocabulary)).astype(column.dtype)
    texts = [format_value(feature.value(code)) for code in codes]
    return column.astype(np.int64), texts


def _empty_of_information(is_symbolic: bool, codes: np.ndarray, n_cases: int) -> str | None:
    if not is_symbolic:
        return None
    n_values = len(np.unique(codes))
    if n_values == 1 and n_cases > 1:
        return "one value in all records: nothing to learn from"
    if n_cases >= MANY_RECORDS and n_values >= NEARLY_ALL * n_cases:
        return f"{n_values:,} different values in {n_cases:,} records: ids, which no new record will share"
    return None


def _leak(
    cases: Cases, codes: np.ndarray, texts: list[str], labels: np.ndarray, numbers: np.ndarray | None
) -> _Leak | None:
    """Return how the class follows from one column, if it does."""
    n, n_classes = cases.n_cases, cases.n_classes
    allowed = LEFT_OVER * (1 - np.bincount(labels).max() / n)
    if numbers is None:
        share = _decided_by_symbols(codes, labels, n_classes)
    else:
        share = _decided_by_numbers(numbers, labels, n_classes)
    if n >= MANY_RECORDS and share >= LEAK and 1 - share <= allowed:
        reason = f"the class of {percent(share)} of the records follows from this column alone: a leak?"
        return _Leak(reason, None, 2 + share)
    table = np.zeros((len(texts) + 1, n_classes), dtype=np.int64)
    np.add.at(table, (np.minimum(codes, len(texts)), labels), 1)
    of_value, of_class = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    value, label = np.nonzero((table == of_value) & (table == of_class) & (table >= FEWEST))
    if not len(value):
        return None
    best = int(np.argmax(table[value, label]))
    text, count = texts[int(value[best])], int(table[value[best], label[best]])
    name = format_value(cases.schema.classes[int(label[best])])
    return _Leak(f"{text} in all {count} records of class {name}, and in no other: a leak?", text, 1 + count / n)


def _decided_by_symbols(codes: np.ndarray, labels: np.ndarray, n_classes: int) -> float:
    """Return the share of records whose class has the most other records with their value."""
    keys, count = np.unique(codes * n_classes + labels, return_counts=True)
    order = np.lexsort([-count, keys // n_classes])
    value, count = (keys // n_classes)[order], count[order]
    first = np.flatnonzero(np.diff(value, prepend=-1))
    second = np.where(np.append(first[1:], len(value)) - first > 1, count[np.minimum(first + 1, len(count) - 1)], 0)
    return float(count[first][count[first] - 1 > second].sum() / len(labels))


def _decided_by_numbers(numbers: np.ndarray, labels: np.ndarray, n_classes: int) -> float:
    """Return the share of records whose class most of their neighbours in the order of a column have.

    The neighbours are the two records before and the two after; numbers that mostly repeat are taken as symbols.
    """
    distinct, codes = np.unique(numbers, return_inverse=True)
    if len(distinct) <= len(numbers) / 2:
        return _decided_by_symbols(codes.ravel(), labels, n_classes)
    own = labels[np.argsort(numbers, kind="stable")]
    n_agree, n_there = np.zeros(len(own)), np.zeros(len(own))
    for step in (1, 2):
        same = own[step:] == own[:-step]
        for here in (slice(step, None), slice(None, -step)):
            n_agree[here] += same
            n_there[here] += 1
    return float((2 * n_agree > n_there).mean())
