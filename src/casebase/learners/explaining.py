"""The evidence of a vote: which stored cases decided, what each feature cost, who else was near."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from casebase.data import Cases, Schema
from casebase.evidence import Neighbour, NeighbourEvidence, Step, Unseen
from casebase.learners import neighbours
from casebase.learners.answers import Answers
from casebase.learners.memory import Memory
from casebase.learners.neighbours import NO_ROW, Metric, Neighbours, Questions, Voting


@dataclass(frozen=True, eq=False)
class Explainer:
    """A memory and how it votes, able to say why."""

    schema: Schema
    memory: Memory
    weights: np.ndarray
    metric: Metric
    voting: Voting
    retry_exact: bool = True

    def evidence(
        self, case: Cases, asked: Questions, answers: Answers, limit: int, path: tuple[Step, ...] = ()
    ) -> NeighbourEvidence:
        """Return why one case was answered so, listing at most `limit` of the cases that voted."""
        label = int(answers.label[0])
        found, was_tied = self._deciding(asked)
        distances = np.repeat(found.distance, found.n_rows)
        by_distance = sorted(zip(distances.tolist(), self.memory.row_of[found.rows].tolist(), found.rows.tolist()))
        return NeighbourEvidence(
            features=self.schema.names,
            values=tuple(case.values(0)),
            unseen=unseen_values(case),
            label=self.schema.classes[label],
            votes={self.schema.classes[c]: votes for c, votes in answers.votes_of(0).items()},
            k=self.voting.k,
            n_neighbours=len(found.rows),
            distances=tuple(found.distance.tolist()),
            neighbours=tuple(self._neighbour(asked, row, d) for d, _, row in by_distance[:limit]),
            nearest_other=self._nearest_other(asked, label),
            is_exact=bool(found.is_exact[0]),
            was_tied=was_tied,
            weights=tuple(self.weights.tolist()),
            path=path,
        )

    def _search(self, asked: Questions, k: int, exact_first: bool) -> Neighbours:
        agrees = self.voting.missing_agrees
        return neighbours.nearest(self.memory, asked, k, exact_first=exact_first, missing_agrees=agrees)

    def _deciding(self, asked: Questions) -> tuple[Neighbours, bool]:
        """Return the neighbours whose vote counted, and whether a first vote was tied."""
        k = self.voting.k
        found = self._search(asked, k, k == 1)
        _, is_tied = neighbours.count_votes(self.memory, found, self.voting)
        if is_tied[0] and (self.retry_exact or not found.is_exact[0]):
            more = self._search(asked, k + 1, k == 1)
            _, still_tied = neighbours.count_votes(self.memory, more, self.voting)
            found = found if still_tied[0] else more
        return found, bool(is_tied[0])

    def _neighbour(self, asked: Questions, row: int, distance: float) -> Neighbour:
        memory, features = self.memory, self.schema.features
        values: list[Any] = [None] * len(features)
        for rank, position in enumerate(memory.order):
            values[position] = features[position].value(memory.columns[rank][row])
        case_id = memory.ids[row]
        return Neighbour(
            id=case_id.item() if hasattr(case_id, "item") else case_id,
            values=tuple(values),
            label=self.schema.classes[memory.labels[row]],
            distance=float(distance),
            weight=1.0 if memory.counts is None else float(memory.counts[row]),
            costs=tuple(self._costs(asked, row)),
        )

    def _costs(self, asked: Questions, row: int) -> list[float]:
        """Return what each feature adds to the distance of one stored case, in column order."""
        costs = [0.0] * len(self.schema.features)
        for rank in range(int(asked.scopes[0, 2]), len(self.memory.order)):
            stored, new = self.memory.columns[rank][row], asked.columns[rank][0]
            weight, span = self.metric.weights[0, rank], self.metric.ranges[0, rank]
            if stored.dtype.kind != "f":
                difference = float(stored != new)
            elif np.isnan(stored) or np.isnan(new):
                both = np.isnan(stored) and np.isnan(new)
                difference = 0.0 if both and self.voting.missing_agrees else 1.0
            else:
                difference = abs((stored - new) / span) if span > 0 else float(stored != new)
            costs[self.memory.order[rank]] = float(weight * difference)
        return costs

    def _nearest_other(self, asked: Questions, label: int) -> Neighbour | None:
        """Return the nearest case of another class; None if there is none to compare with."""
        others = np.flatnonzero(self.memory.labels != label)
        begin, end = np.searchsorted(others, asked.scopes[0, :2])
        if begin == end:
            return None
        memory = replace(self.memory, columns=tuple(c[others] for c in self.memory.columns), labels=others)
        scope = np.array([[begin, end, asked.scopes[0, 2], NO_ROW]], dtype=np.uint32)
        agrees = self.voting.missing_agrees
        found = neighbours.nearest(memory, replace(asked, scopes=scope), 1, exact_first=False, missing_agrees=agrees)
        rows = others[found.rows]
        first = rows[np.argmin(self.memory.row_of[rows])]
        return self._neighbour(asked, int(first), float(found.distance[0]))


def unseen_values(case: Cases) -> tuple[Unseen, ...]:
    """Return the values of a case that no stored case has for that feature."""
    return tuple(
        Unseen(feature.name, case.values(0)[i])
        for i, feature in enumerate(case.schema.features)
        if feature.kind != "ignored"
        and feature.vocabulary is not None
        and case.columns[i][0] == feature.vocabulary.unknown
    )
