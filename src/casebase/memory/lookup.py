"""Stored cases by id: ids as the memory has them, and the rows of the cases that have them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from casebase.data.ids import LARGEST_ID
from casebase.errors import CasebaseError
from casebase.memory.segments import Memory


def are_numbers(memory: Memory) -> bool:
    """Return whether the ids of the stored cases are whole numbers; otherwise they are text."""
    return all(segment.ids.dtype.kind in "iu" for segment in memory.segments)


def given_ids(memory: Memory, ids: Any) -> np.ndarray:
    """Return ids as an array, after checking that they have the type of the stored ids and are unique."""
    values = np.asarray([ids] if isinstance(ids, str) else ids)
    if values.ndim != 1:
        what = repr(ids) if values.ndim == 0 else f"an array of shape {values.shape}"
        raise CasebaseError(f"Expected a list of ids, got {what}.")
    if are_numbers(memory):
        if len(values) and values.dtype.kind not in "iu":
            raise CasebaseError(f"The ids of the stored cases are whole numbers; got {values.tolist()[0]!r}.")
        if len(values) and values.max() > LARGEST_ID:
            raise CasebaseError(f"Ids are whole numbers up to {LARGEST_ID}; got {values.max()}.")
        values = values.astype(np.int64)
    else:
        values = np.array([str(value) for value in values.tolist()], dtype=object)
    distinct, n = np.unique(values, return_counts=True)
    if (n > 1).any():
        raise CasebaseError(f"An id was given twice: {id_list(distinct[n > 1])}.")
    return values


def rows_or_none(memory: Memory, ids: np.ndarray) -> np.ndarray:
    """Return the row of the case with each id; -1 where no stored case has it."""
    rows = np.full(len(ids), -1, dtype=np.int64)
    for first, segment in zip(memory.first_rows, memory.segments):
        at = segment.arrival.places.of(ids)
        is_here = at >= 0
        if segment.removed is not None:
            is_here &= segment.removed[np.maximum(at, 0)] == 0
        rows[is_here] = first + at[is_here]
    return rows


def rows_with(memory: Memory, ids: np.ndarray) -> np.ndarray:
    """Return the row of the case with each id; an error if no stored case has one of them."""
    rows = rows_or_none(memory, ids)
    if (rows < 0).any():
        raise CasebaseError(f"No stored case has the id {id_list(ids[rows < 0])}.")
    return rows


def id_list(ids: np.ndarray) -> str:
    """Return the first of some ids, for a message."""
    values: Sequence[Any] = ids.tolist()
    return ", ".join(repr(value) for value in values[:5]) + (f", … ({len(values)} in all)" if len(values) > 5 else "")
