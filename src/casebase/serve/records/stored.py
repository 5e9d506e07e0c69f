"""The records that a model keeps, as rows of a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.base.leave_out import memory_of
from casebase.base.log import Id
from casebase.base.model import Model
from casebase.base.records import records_of
from casebase.errors import CasebaseError, NotFoundError
from casebase.memory.lookup import are_numbers, rows_or_none
from casebase.memory.segments import Memory

PAGE = 50  # records of a page


def why_no_records(model: Model) -> str | None:
    """Return why a model has no records to show; None if it has some."""
    try:
        memory_of(model)
    except CasebaseError as error:
        return str(error)
    return None


def record_id(memory: Memory, text: str) -> Id:
    """Return the id that an address names; an error if no record can have it."""
    if not are_numbers(memory):
        return text
    try:
        return int(text)
    except ValueError:
        raise NotFoundError(f"There is no record {text!r}: the ids of these records are whole numbers.") from None


def has_text_ids(model: Model) -> bool:
    """Return whether a model keeps records whose ids are texts: a new one is not the next number."""
    return why_no_records(model) is None and not are_numbers(memory_of(model))


def typed_id(model: Model, text: str) -> Id:
    """Return the id that a form gives to a new record."""
    if has_text_ids(model):
        return text
    try:
        return int(text)
    except ValueError:
        raise CasebaseError(f"The ids of these records are whole numbers; got {text!r}.") from None


def rows_of(model: Model, ids: Sequence[Id]) -> np.ndarray:
    """Return the rows of records in memory; -1 for those that are no longer there."""
    memory = memory_of(model)
    return rows_or_none(memory, np.array(ids, dtype=np.int64 if are_numbers(memory) else object))


def records_with(model: Model, ids: Sequence[Id]) -> dict[Id, dict[str, Any]]:
    """Return records by id, as JSON objects; those that are no longer there are left out."""
    rows = rows_of(model, ids) if len(ids) else np.array([], dtype=np.int64)
    there = rows[rows >= 0]
    return {one["id"]: one for one in records_of(model, there).to_dicts()} if len(there) else {}


@dataclass(frozen=True)
class Part:
    """A page of a list: where it starts, how long the list is, and where the pages before and after start."""

    start: int
    total: int
    size: int = PAGE

    @classmethod
    def at(cls, text: str | None, total: int, size: int = PAGE) -> "Part":
        """Return the page that a parameter of an address names; the first if it names none."""
        try:
            start = int(text or 0)
        except ValueError:
            raise CasebaseError(f"start is the number of entries before the page; got {text!r}.") from None
        return cls(min(max(start, 0), max(total - 1, 0)), total, size)

    @property
    def stop(self) -> int:
        return min(self.start + self.size, self.total)

    def to_dict(self) -> dict[str, int | None]:
        """Return the page as a JSON object."""
        return {
            "start": self.start,
            "stop": self.stop,
            "total": self.total,
            "before": max(0, self.start - self.size) if self.start else None,
            "after": self.stop if self.stop < self.total else None,
        }
