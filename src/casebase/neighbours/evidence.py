"""The evidence of a vote: which stored cases decided, what each feature cost, who else was near."""

from dataclasses import dataclass, replace

import numpy as np

from casebase.base.answers import Answers
from casebase.base.evidence import Neighbour, NeighbourEvidence, Step
from casebase.base.quotes import stored_values, unseen_values
from casebase.data import Cases
from casebase.neighbours.search import Neighbourhood, Neighbours, Questions


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
