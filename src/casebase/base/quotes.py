"""The values of stored cases and queries, in the form in which evidence quotes them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from casebase.base.evidence import Unseen
from casebase.data import Cases, Feature, Schema
from casebase.memory.segments import Memory

MANY = 8  # as many times the places that are wanted are too many to be sorted


def stored_values(schema: Schema, memory: Memory, rows: np.ndarray) -> list[tuple[Any, ...]]:
    """Return the original values of stored cases, in column order; None for features that are not stored."""
    columns: list[Sequence[Any]] = [[None] * len(rows)] * len(schema.features)
    notations = memory.notations(rows) or (None,) * len(memory.order)
    for rank, position in enumerate(memory.order.tolist()):
        columns[position] = schema.features[position].values(memory.column(rank, rows), notations[rank])
    return list(zip(*columns))


def foremost(n: int, *keys: np.ndarray) -> np.ndarray:
    """Return the places of the n smallest: by the first key, equal ones by the second, and so on.

    Keys are whole numbers of at least 0. Places that are equal in all of them come in ascending order.

    >>> foremost(2, np.array([1, 0, 1, 1]), np.array([2, 5, 0, 1])).tolist()
    [1, 2]
    """
    first, n_places = keys[0].astype(np.int64), len(keys[0])
    for key in keys[1:]:
        first = first * (int(key.max(initial=0)) + 1) + key
    if n < n_places // MANY:  # the others need not be sorted
        candidates = np.flatnonzero(first <= np.partition(first, n)[n])
        return candidates[np.argsort(first[candidates], kind="stable")[:n]]
    return np.argsort(first, kind="stable")[:n]


def stored_cases(schema: Schema, memory: Memory, rows: np.ndarray, agrees: np.ndarray) -> list[dict[str, Any]]:
    """Return the fields that evidence shows of stored cases; `agrees` has a row per feature in the memory's order."""
    values, counts = stored_values(schema, memory, rows), memory.counts(rows)
    agreeing: list[Sequence[bool | None]] = [[None] * len(rows)] * len(schema.features)
    for position, of_feature in zip(memory.order.tolist(), agrees.tolist()):
        agreeing[position] = of_feature
    ids, labels = memory.ids(rows).tolist(), memory.labels(rows).tolist()
    weights = [1.0] * len(rows) if counts is None else counts.tolist()
    kept = stored_provenance(schema, memory, rows)
    return [
        {
            "id": case_id,
            "values": of_case,
            "label": schema.classes[label],
            "weight": weight,
            "agrees": same,
            "provenance": provenance,
        }
        for case_id, of_case, label, weight, same, provenance in zip(ids, values, labels, weights, zip(*agreeing), kept)
    ]


def stored_provenance(schema: Schema, memory: Memory, rows: np.ndarray) -> list[dict[str, str | None]]:
    """Return the provenance of stored cases, by the names of its columns."""
    names, texts = schema.provenance_names, memory.provenance(rows)
    if not names or texts is None:
        return [{}] * len(rows)
    return [dict(zip(names, of_case)) for of_case in texts.tolist()]


def unseen_values(case: Cases, values: Sequence[Any]) -> tuple[Unseen, ...]:
    """Return the values of a case that are unknown: no stored case has them for that feature."""
    return tuple(
        Unseen(feature.name, value)
        for feature, column, value in zip(case.schema.features, case.columns, values)
        if feature.vocabulary is not None and column.item(0) == feature.vocabulary.unknown and feature.kind != "ignored"
    )


def unseen_in_each(cases: Cases, values: Sequence[Sequence[Any]]) -> list[tuple[Unseen, ...]]:
    """Return the unknown values of each case, as `unseen_values` does; `values` are the values of the cases."""
    if len(values) == 1:  # for one case plain Python is faster than NumPy
        return [unseen_values(cases, values[0])]
    unseen: list[list[Unseen]] = [[] for _ in values]
    for i, feature in enumerate(cases.schema.features):
        if feature.kind != "ignored" and feature.vocabulary is not None:
            for row in np.flatnonzero(cases.columns[i] == feature.vocabulary.unknown).tolist():
                unseen[row].append(Unseen(feature.name, values[row][i]))
    return [tuple(of_case) for of_case in unseen]


def why_no_branch(feature: Feature, code: Any, value: Any, *, is_compressed: bool = False) -> str:
    """Return why a tree has no branch for a case: its value is missing, unknown, or occurs only in other nodes.

    A compressed tree has no branches that would only repeat the answer.
    """
    if value is None:
        return f"{feature.name} is missing, which has no branch here"
    if feature.vocabulary is not None and code == feature.vocabulary.unknown:
        return f"{feature.name} = {value} was never seen in training"
    return f"{feature.name} = {value} has no branch here{' that would change the prediction' if is_compressed else ''}"
