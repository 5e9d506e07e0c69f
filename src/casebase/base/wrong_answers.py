"""Wrong answers of an evaluation: the query, its class, the prediction, and the nearest stored records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from casebase.base.evidence import Evidence
from casebase.base.model import Model
from casebase.data import Cases
from casebase.data.numbers import written_texts


def _by_name(features: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Return the values by feature, and the texts of numbers that are not written in their shortest spelling."""
    by_name = dict(zip(features, values))
    texts = written_texts(by_name)
    return {"values": by_name} | ({"written": texts} if texts else {})


@dataclass(frozen=True)
class NearRecord:
    """A stored case that decided: its distance, or its share of the answer, where the learner has them."""

    id: Any
    values: tuple[Any, ...]
    label: Any
    distance: float | None = None
    share: float | None = None

    def to_dict(self, features: Sequence[str]) -> dict[str, Any]:
        """Return the record as a JSON object."""
        return {
            "id": self.id,
            **_by_name(features, self.values),
            "class": self.label,
            "distance": self.distance,
            "share": self.share,
        }


@dataclass(frozen=True)
class WrongAnswer:
    """A case that was answered with another class than its own; `row` counts the evaluated cases from 0.

    `features`, `values`, `nearest` and `provenance`, texts by column, are there if the evaluation was asked for them.
    """

    row: int
    id: Any
    actual: Any
    predicted: Any
    features: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    nearest: tuple[NearRecord, ...] = ()
    provenance: Mapping[str, str | None] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as a JSON object."""
        return {
            "row": self.row,
            "id": self.id,
            **_by_name(self.features, self.values),
            "provenance": dict(self.provenance),
            "class": self.actual,
            "prediction": self.predicted,
            "nearest": [record.to_dict(self.features) for record in self.nearest],
        }


@dataclass(frozen=True)
class Detail:
    """What an evaluation keeps of a query that was answered wrongly."""

    features: tuple[str, ...]
    values: tuple[Any, ...]
    nearest: tuple[NearRecord, ...]
    provenance: Mapping[str, str | None]


def details_of(model: Model, cases: Cases, rows: np.ndarray, limit: int) -> list[Detail]:
    """Return the values and the nearest records, at most `limit`, of some queries."""
    if not len(rows):
        return []
    asked = cases.take(rows)
    names = asked.schema.names
    evidence: Sequence[Evidence] = model.explain(asked, limit=limit)
    return [
        Detail(names, tuple(one.values), nearest_records(one, limit), asked.provenance_of(row))
        for row, one in enumerate(evidence)
    ]


def nearest_records(evidence: Evidence, limit: int) -> tuple[NearRecord, ...]:
    """Return the stored cases that evidence lists, the nearest or most important first; none if it lists none."""
    if hasattr(evidence, "neighbours"):
        return tuple(NearRecord(n.id, n.values, n.label, n.distance) for n in evidence.neighbours[:limit])
    cases = list(getattr(evidence, "cases", ()))
    if cases and hasattr(cases[0], "share"):
        cases.sort(key=lambda case: -case.share)
    return tuple(
        NearRecord(case.id, tuple(case.values), case.label, share=getattr(case, "share", None))
        for case in cases[:limit]
    )


def wrong_answers(
    actual: Sequence[Any], answered: Sequence[Any], ids: Sequence[Any], details: Mapping[int, Detail]
) -> tuple[WrongAnswer, ...]:
    """Return a record for every answer that differs from the class of its case."""
    found = []
    for row, (label, answer) in enumerate(zip(actual, answered)):
        if label != answer:
            detail = details.get(row)
            more = () if detail is None else (detail.features, detail.values, detail.nearest, detail.provenance)
            found.append(WrongAnswer(row, ids[row], label, answer, *more))
    return tuple(found)
