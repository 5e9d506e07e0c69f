"""The values of stored cases and queries, in the form in which evidence quotes them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from casebase.base.evidence import Unseen
from casebase.data import Cases, Feature, Schema
from casebase.memory.segments import Memory


def stored_values(schema: Schema, memory: Memory, rows: np.ndarray) -> list[tuple[Any, ...]]:
    """Return the original values of stored cases, in column order; None for features that are not stored."""
    columns: list[Sequence[Any]] = [[None] * len(rows)] * len(schema.features)
    for rank, position in enumerate(memory.order.tolist()):
        columns[position] = schema.features[position].values(memory.column(rank, rows))
    return list(zip(*columns))


def stored_cases(schema: Schema, memory: Memory, rows: np.ndarray, agrees: np.ndarray) -> list[dict[str, Any]]:
    """Return the fields that evidence shows of stored cases; `agrees` has a row per feature in the memory's order."""
    values, counts = stored_values(schema, memory, rows), memory.counts(rows)
    agreeing = np.full((len(rows), len(schema.features)), None, dtype=object)
    agreeing[:, memory.order] = agrees.T
    return [
        {
            "id": case_id.item() if hasattr(case_id, "item") else case_id,
            "values": values[i],
            "label": schema.classes[label],
            "weight": 1.0 if counts is None else float(counts[i]),
            "agrees": tuple(agreeing[i].tolist()),
        }
        for i, (case_id, label) in enumerate(zip(memory.ids(rows), memory.labels(rows)))
    ]


def unseen_values(case: Cases) -> tuple[Unseen, ...]:
    """Return the values of a case that are unknown: no stored case has them for that feature."""
    return tuple(
        Unseen(feature.name, case.values(0)[i])
        for i, feature in enumerate(case.schema.features)
        if feature.kind != "ignored"
        and feature.vocabulary is not None
        and case.columns[i][0] == feature.vocabulary.unknown
    )


def unseen_in_each(cases: Cases, values: Sequence[Sequence[Any]]) -> list[tuple[Unseen, ...]]:
    """Return the unknown values of each case, as `unseen_values` does; `values` are the values of the cases."""
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
    return f"{feature.name} = {value} has no branch here{' that would change the answer' if is_compressed else ''}"
