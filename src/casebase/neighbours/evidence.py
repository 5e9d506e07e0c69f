"""The evidence of a vote: which stored cases decided, what each feature cost, who else was near."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base.answers import Answers
from casebase.base.evidence import Evidence, Step
from casebase.base.evidence.cases import counted, named
from casebase.base.evidence.explanation import restored_number
from casebase.base.evidence.records import PREFERRED, is_tied
from casebase.base.evidence.walks import classes_on, path_section
from casebase.base.quotes import stored_values, unseen_values
from casebase.data import Cases
from casebase.neighbours.search import Neighbourhood, Neighbours, Questions
from casebase.render.blocks import CaseTable, Column, Row, Section
from casebase.render.words import NOT_COMPARED, number, plural, same_value, shortened, spelled


@dataclass(frozen=True)
class Neighbour:
    """A stored case, how far it is, and what each feature added to the distance."""

    id: Any
    values: tuple[Any, ...]
    label: Any
    distance: float
    weight: float
    costs: tuple[float, ...]

    def row(self, asked: Sequence[Any]) -> Row:
        """Return the case beside the one asked."""
        compared = list(zip(self.values, asked, self.costs))
        return Row(
            tuple(_shown(*one) for one in compared),
            tuple(_differs(*one) for one in compared),
            self.costs,
        )

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the neighbour that JSON tells of."""
        return cls(
            id=record["id"],
            values=tuple(record["values"]),
            label=record["label"],
            distance=restored_number(record["distance"]),
            weight=restored_number(record["weight"]),
            costs=tuple(map(restored_number, record["costs"])),
        )


def _shown(stored: Any, asked: Any, cost: float) -> str:
    """Return a stored value; a dash for a feature that is not compared, which has no value and costs nothing."""
    return spelled(stored) if stored is not None or asked is None or cost else NOT_COMPARED


def _differs(stored: Any, asked: Any, cost: float) -> bool:
    """Return whether a stored value is not the one asked; a feature that is not compared does not differ."""
    return bool(cost) or (stored is not None and asked is not None and not same_value(stored, asked))


@dataclass(frozen=True, kw_only=True)
class NeighbourEvidence(Evidence):
    """The nearest stored cases decided.

    `n_neighbours` cases at `distances` voted, of which `neighbours` lists the first; a tied first vote was
    taken once more with one more distance. Below a tree, `path` leads to the cases that were compared.
    """

    kind: ClassVar[str] = "neighbours"
    k: int
    n_neighbours: int
    distances: tuple[float, ...]
    neighbours: tuple[Neighbour, ...]
    nearest_other: Neighbour | None
    is_exact: bool
    was_tied: bool
    path: tuple[Step, ...] = ()

    def how_decided(self) -> list[str]:
        where = ""
        if self._has_path:
            below = self.path[-1].n_cases
            where = f" among the {'one case' if below == 1 else plural(below, 'case')} at the end of the path"
        n, d = self.n_neighbours, self.distances
        if self.is_exact and len(d) == 1:
            lines = [("an identical case is stored" if n == 1 else f"{n} identical cases are stored") + where]
        elif len(d) == 1:
            lines = [f"{'nearest case' if n == 1 else f'{n} nearest cases'} at distance {number(d[0])}{where}"]
        else:
            some = ", ".join(map(number, d[:4])) + (", …" if len(d) > 4 else "")
            lines = [f"{plural(n, 'nearest case')} at {len(d)} distances ({some}){where}"]
            lines += ["an identical case is stored"] if self.is_exact else []
        if self.was_tied:
            # A second vote counts only if it is not tied, so tied votes are those of the first.
            again = f"the vote at k = {self.k} was tied and was taken again with one more distance"
            lines.append(f"the vote was tied: {PREFERRED}" if is_tied(self.votes) else again)
        return lines

    @property
    def _has_path(self) -> bool:
        """Whether there is a path to show: none if the walk led nowhere, and the nearest of all cases decided."""
        return len(self.path) > 1

    def parts(self) -> Sequence[Section]:
        path = [path_section(self.path)] if self._has_path else []
        return [*path, Section("Nearest cases", (self._table(),))]

    def _table(self) -> CaseTable:
        """Return the neighbours, and the nearest case of another class if it is not one of them."""
        other = self.nearest_other
        cases = [*self.neighbours, *([] if other is None or other in self.neighbours else [other])]
        distances = tuple(case.distance for case in cases)
        remarks = tuple("nearest other" if case == other else "" for case in cases)
        n_more = self.n_neighbours - len(self.neighbours)
        return CaseTable(
            self.features,
            self.values,
            (
                *named(cases),
                Column("", remarks, page_only=True),  # a terminal has the sentence below the table
                Column("distance", distances, is_number=True, greatest=max(distances, default=0.0)),
                *counted(cases),
            ),
            tuple(case.row(self.values) for case in cases),
            self.weights,
            "≠ marks a value that differs from the one asked, with what it adds to the distance.",
            (*([f"… and {plural(n_more, 'neighbour')} not listed"] if n_more > 0 else []), self._nearest_other()),
        )

    def _nearest_other(self) -> str:
        """Return how far the nearest case of another class is: "nearest other: Q at 0.887"."""
        other = self.nearest_other
        if other is None:
            return "nearest other: none, all cases compared are of one class"
        label, which = shortened(spelled(other.label), 24), shortened(spelled(other.id), 24)
        return f"nearest other: {label} at {number(other.distance)} (case {which})"

    def classes(self) -> dict[Any, None]:
        return super().classes() | classes_on(self.path)

    @classmethod
    def restored(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        other = record["nearest_other"]
        return super().restored(record, classes) | {
            "distances": tuple(map(restored_number, record["distances"])),
            "neighbours": tuple(map(Neighbour.from_dict, record["neighbours"])),
            "nearest_other": None if other is None else Neighbour.from_dict(other),
            "path": tuple(Step.from_dict(step, classes) for step in record["path"]),
        }


@dataclass(frozen=True, eq=False)
class Explainer:
    """A memory and how it votes, able to say why; `weights` are in column order."""

    nearby: Neighbourhood
    weights: np.ndarray
    retry_exact: bool = True

    def evidence(
        self, case: Cases, asked: Questions, answers: Answers, limit: int, path: tuple[Step, ...] = ()
    ) -> NeighbourEvidence:
        """Return why one case was answered so, listing at most `limit` of the cases that voted."""
        schema, memory = self.nearby.schema, self.nearby.memory
        label = int(answers.label[0])
        found = self._deciding(asked, answers)
        distances = np.repeat(found.distance, found.n_rows)
        by_distance = sorted(zip(distances.tolist(), memory.given(found.rows).tolist(), found.rows.tolist()))
        shown = by_distance[:limit]
        return NeighbourEvidence(
            features=schema.names,
            values=tuple(case.values(0)),
            unseen=unseen_values(case),
            label=schema.classes[label],
            votes={schema.classes[c]: votes for c, votes in answers.votes_of(0).items()},
            k=self.nearby.voting.k,
            n_neighbours=len(found.rows),
            distances=tuple(found.distance.tolist()),
            neighbours=tuple(self._neighbours(asked, [row for _, _, row in shown], [d for d, _, _ in shown])),
            nearest_other=self._nearest_other(asked, label),
            is_exact=bool(found.is_exact[0]),
            was_tied=bool(answers.was_tied is not None and answers.was_tied[0]),
            weights=tuple(self.weights.tolist()),
            path=path,
        )

    def _deciding(self, asked: Questions, answers: Answers) -> Neighbours:
        """Return the neighbours whose vote counted: of a first vote, or of one more distance if that decided."""
        found = self.nearby.deciding(asked, retry_exact=self.retry_exact)
        n_more = int(found.n_groups[0]) - 1
        first = Neighbours(
            found.distance[:n_more],
            found.n_rows[:n_more],
            np.array([n_more], dtype=found.n_groups.dtype),
            found.rows[: int(found.n_rows[:n_more].sum())],
            found.is_exact,
        )
        was_retried = answers.was_tied is not None and answers.was_tied[0] and n_more == self.nearby.voting.k
        if not was_retried:
            return found
        _, still_tied = self.nearby.count_votes(found, n_expected=n_more + 1)
        return first if still_tied[0] else found

    def _neighbours(self, asked: Questions, rows: list[int], distances: list[float]) -> list[Neighbour]:
        """Return stored cases with their values and what each feature costs, in column order."""
        schema, memory = self.nearby.schema, self.nearby.memory
        at = np.array(rows, dtype=np.uint32)
        values = stored_values(schema, memory, at)
        by_rank = self.nearby.search.feature_costs(asked.arrays(), 0, at).reshape(len(rows), len(memory.order))
        costs = np.zeros(values.shape)
        costs[:, memory.order] = by_rank
        counts = memory.counts(at)
        weights = np.ones(len(rows)) if counts is None else counts
        return [
            Neighbour(
                id=case_id.item() if hasattr(case_id, "item") else case_id,
                values=tuple(values[i]),
                label=schema.classes[label],
                distance=float(distances[i]),
                weight=float(weights[i]),
                costs=tuple(costs[i].tolist()),
            )
            for i, (case_id, label) in enumerate(zip(memory.ids(at), memory.labels(at)))
        ]

    def _nearest_other(self, asked: Questions, label: int) -> Neighbour | None:
        """Return the nearest case of another class; None if there is none to compare with."""
        nearby = self.nearby
        segments = tuple(
            replace(s, removed=((s.labels == label) | (0 if s.removed is None else s.removed)).astype(np.uint8))
            for s in nearby.memory.segments
        )
        others = replace(nearby, memory=replace(nearby.memory, segments=segments))
        found = others.nearest(asked, 1)
        if not len(found.rows):
            return None
        first = found.rows[np.argmin(nearby.memory.given(found.rows))]
        return self._neighbours(asked, [int(first)], [float(found.distance[0])])[0]
