"""Stored cases beside the one asked, as several kinds of evidence list them."""

from collections.abc import Sequence
from typing import Any, Protocol

from casebase.base.evidence.records import Evidence
from casebase.render.blocks import CaseTable, Column, Row
from casebase.render.words import NOT_COMPARED, spelled


class AgreeingCase(Protocol):
    """A stored case that says of every feature whether its value is the one asked; None where it is not compared."""

    @property
    def id(self) -> Any: ...
    @property
    def values(self) -> tuple[Any, ...]: ...
    @property
    def label(self) -> Any: ...
    @property
    def weight(self) -> float: ...
    @property
    def agrees(self) -> tuple[bool | None, ...]: ...


def agreeing_cases(
    evidence: Evidence, cases: Sequence[AgreeingCase], own: Sequence[Column], legend: str, note: str
) -> CaseTable:
    """Return a table of cases; `own` are the columns that only this kind of evidence has."""
    rows = (
        Row(
            tuple(NOT_COMPARED if same is None else spelled(value) for value, same in zip(case.values, case.agrees)),
            tuple(same is False for same in case.agrees),
        )
        for case in cases
    )
    return CaseTable(
        evidence.features,
        evidence.values,
        (*named(cases), *own, *counted(cases)),
        tuple(rows),
        evidence.weights,
        legend,
        (note,) if note else (),
    )


class NamedCase(Protocol):
    """A stored case that has an id, a class, and a number of cases that it counts for."""

    @property
    def id(self) -> Any: ...
    @property
    def label(self) -> Any: ...
    @property
    def weight(self) -> float: ...


def named(cases: Sequence[NamedCase]) -> list[Column]:
    """Return the columns that say which cases they are."""
    return [
        Column("case", tuple(case.id for case in cases)),
        Column("class", tuple(case.label for case in cases)),
    ]


def counted(cases: Sequence[NamedCase]) -> list[Column]:
    """Return a column that says how many cases each stands for, if one stands for others too."""
    if all(case.weight == 1 for case in cases):
        return []
    return [Column("count", tuple(case.weight for case in cases), is_number=True)]
