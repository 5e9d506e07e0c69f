"""Tables that compare stored records with the query, for several kinds of evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from casebase.base.evidence.records import Evidence
from casebase.render.blocks import CaseTable, Column, Row
from casebase.render.words import NOT_COMPARED, format_value, shorten

NAME_WIDTH = 24


class AgreeingCase(Protocol):
    """A stored case; `agrees` says for each feature whether its value is that of the query, None if not compared."""

    @property
    def id(self) -> Any: ...
    @property
    def values(self) -> tuple[Any, ...]: ...
    @property
    def label(self) -> Any: ...
    @property
    def weight(self) -> float: ...
    @property
    def provenance(self) -> Mapping[str, str | None]: ...
    @property
    def agrees(self) -> tuple[bool | None, ...]: ...


def agreeing_cases(evidence: Evidence, cases: Sequence[AgreeingCase], own: Sequence[Column], *notes: str) -> CaseTable:
    """Return a table of cases; `own` are the additional columns of this kind of evidence."""
    rows = (
        Row(
            tuple(
                NOT_COMPARED if same is None else format_value(value) for value, same in zip(case.values, case.agrees)
            ),
            tuple(same is False for same in case.agrees),
        )
        for case in cases
    )
    return CaseTable(
        evidence.features,
        evidence.values,
        (*identity_columns(cases), *own, *count_columns(cases), *provenance_columns(cases)),
        tuple(rows),
        evidence.weights,
        tuple(note for note in notes if note),
    )


class NamedCase(Protocol):
    """A stored case with an id, a class, its provenance and a weight: the number of cases that it counts for."""

    @property
    def id(self) -> Any: ...
    @property
    def label(self) -> Any: ...
    @property
    def weight(self) -> float: ...
    @property
    def provenance(self) -> Mapping[str, str | None]: ...


def provenance() -> Any:
    """Return the field for the provenance of a stored case: texts by the names of the columns that are kept.

    JSON has it only where there is any.
    """
    return field(default_factory=dict, metadata={"if_any": True})


def identity_columns(cases: Sequence[NamedCase]) -> list[Column]:
    """Return the columns with the ids and the classes of the cases."""
    return [
        Column("record", tuple(case.id for case in cases)),
        Column("class", tuple(case.label for case in cases)),
    ]


def count_columns(cases: Sequence[NamedCase]) -> list[Column]:
    """Return a column with the weights of the cases; none if every case counts once."""
    if all(case.weight == 1 for case in cases):
        return []
    return [Column("count", tuple(case.weight for case in cases), is_number=True)]


def provenance_columns(cases: Sequence[NamedCase]) -> list[Column]:
    """Return a column for each kind of provenance that the cases have."""
    names = dict.fromkeys(name for case in cases for name in case.provenance)
    return [
        Column(
            shorten(format_value(name), NAME_WIDTH), tuple(case.provenance.get(name) for case in cases), gives_way=True
        )
        for name in names
    ]
