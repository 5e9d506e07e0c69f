"""Values of stored cases and of queries, as evidence quotes them."""

from typing import Any

import numpy as np

from casebase.base.evidence import Unseen
from casebase.data import Cases, Feature, Schema
from casebase.memory.segments import Memory


def stored_values(schema: Schema, memory: Memory, rows: np.ndarray) -> np.ndarray:
    """Return the original values of stored cases, a row each, in column order; None where nothing is stored."""
    values = np.full((len(rows), len(schema.features)), None, dtype=object)
    for rank, position in enumerate(memory.order):
        feature = schema.features[position]
        values[:, position] = [feature.value(stored) for stored in memory.column(rank, rows)]
    return values


def stored_cases(schema: Schema, memory: Memory, rows: np.ndarray, agrees: np.ndarray) -> list[dict[str, Any]]:
    """Return what the evidence tells of stored cases; `agrees` has a row per feature in the order of the memory."""
    values, counts = stored_values(schema, memory, rows), memory.counts(rows)
    agreeing = np.full(values.shape, None, dtype=object)
    agreeing[:, memory.order] = agrees.T
    return [
        {
            "id": case_id.item() if hasattr(case_id, "item") else case_id,
            "values": tuple(values[i]),
            "label": schema.classes[label],
            "weight": 1.0 if counts is None else float(counts[i]),
            "agrees": tuple(agreeing[i].tolist()),
        }
        for i, (case_id, label) in enumerate(zip(memory.ids(rows), memory.labels(rows)))
    ]


def unseen_values(case: Cases) -> tuple[Unseen, ...]:
    """Return the values of a case that no stored case has for that feature."""
    return tuple(
        Unseen(feature.name, case.values(0)[i])
        for i, feature in enumerate(case.schema.features)
        if feature.kind != "ignored"
        and feature.vocabulary is not None
        and case.columns[i][0] == feature.vocabulary.unknown
    )


def why_no_branch(feature: Feature, code: Any, value: Any, *, is_compressed: bool = False) -> str:
    """Return why a tree has no branch for a case: its value is missing, was never seen, or occurs elsewhere only.

    A tree that is compressed has no branches that would only repeat the answer.
    """
    if value is None:
        return f"{feature.name} is missing, which has no branch here"
    if feature.vocabulary is not None and code == feature.vocabulary.unknown:
        return f"{feature.name} = {value} was never seen in training"
    return f"{feature.name} = {value} has no branch here{' that would change the answer' if is_compressed else ''}"
