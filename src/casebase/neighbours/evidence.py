"""The evidence of a vote: which stored cases decided, what each feature cost, who else was near."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from casebase.base.evidence import Neighbour, NeighbourEvidence, Step
from casebase.base.quotes import stored_values, unseen_in_each
from casebase.data import Cases
from casebase.neighbours.search import Neighbourhood, Neighbours, Questions


@dataclass(frozen=True, eq=False)
class Explainer:
    """A memory and how it votes, able to say why; `weights` are in column order."""

    nearby: Neighbourhood
    weights: np.ndarray
    retry_exact: bool = True

    def evidence(
        self, cases: Cases, asked: Questions, limit: int, paths: Sequence[tuple[Step, ...]] | None = None
    ) -> list[NeighbourEvidence]:
        """Return why each case is answered as it is, listing at most `limit` of the cases that voted."""
        values = cases.all_values()
        unseen = unseen_in_each(cases, values)
        schema, weights = self.nearby.schema, tuple(self.weights.tolist())
        names, classes = schema.names, schema.classes
        evidence = []
        for block, decisions in self.nearby.decisions(asked, retry_exact=self.retry_exact):
            answers, voters = decisions.answers, decisions.voters
            assert answers.was_tied is not None
            listed = self._listed(asked.part(block), answers.label, voters, limit)
            first_group, first_row = voters.first_group.tolist(), voters.first_row.tolist()
            for i, (neighbours, nearest_other) in enumerate(listed):
                at, groups = block.start + i, slice(first_group[i], first_group[i + 1])
                evidence.append(
                    NeighbourEvidence(
                        features=names,
                        values=values[at],
                        unseen=unseen[at],
                        label=classes[answers.label[i]],
                        votes={classes[c]: votes for c, votes in answers.votes_of(i).items()},
                        k=self.nearby.voting.k,
                        n_neighbours=first_row[groups.stop] - first_row[groups.start],
                        distances=tuple(voters.distance[groups].tolist()),
                        neighbours=neighbours,
                        nearest_other=nearest_other,
                        is_exact=bool(voters.is_exact[i]),
                        was_tied=bool(answers.was_tied[i]),
                        weights=weights,
                        path=paths[at] if paths is not None else (),
                    )
                )
        return evidence

    def _listed(
        self, asked: Questions, labels: np.ndarray, voters: Neighbours, limit: int
    ) -> list[tuple[tuple[Neighbour, ...], Neighbour | None]]:
        """Return the first voters of each question, and the nearest case of a class that was not chosen, if any."""
        rivals = self.nearby.nearest(asked.without_labels(labels), 1)
        shown, others = self._first(voters, limit), self._first(rivals, 1)
        # The rows of a question side by side, its rival last: what they cost is then looked up at once.
        question, row, distance = (np.concatenate(both) for both in zip(shown, others))
        order = np.argsort(question, kind="stable")
        n_rows = np.bincount(question, minlength=len(asked)).astype(np.uint32)
        neighbours = self._neighbours(asked, row[order], n_rows, distance[order])
        ends, has_rival = np.cumsum(n_rows).tolist(), (rivals.n_groups > 0).tolist()
        listed = []
        for start, end, is_rival in zip([0, *ends], ends, has_rival):
            last = end - is_rival
            listed.append((tuple(neighbours[start:last]), neighbours[last] if is_rival else None))
        return listed

    def _first(self, found: Neighbours, limit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the first rows found for each question, the nearest and then the earliest given first.

        They come as the question, the row and its distance.
        """
        group = np.repeat(np.arange(len(found.n_rows)), found.n_rows)
        order = np.lexsort((self.nearby.memory.given(found.rows), group))
        first_row = found.first_row[found.first_group]
        n_rows = np.diff(first_row)
        rank = np.arange(len(order)) - np.repeat(first_row[:-1], n_rows)
        order = order[rank < limit]
        question = np.repeat(np.arange(len(n_rows)), np.minimum(n_rows, limit))
        return question, found.rows[order], found.distance[group[order]]

    def _neighbours(
        self, asked: Questions, rows: np.ndarray, n_rows: np.ndarray, distances: np.ndarray
    ) -> list[Neighbour]:
        """Return stored cases with their values and what each feature costs, in column order.

        The first `n_rows[0]` of the rows were found for the first question, the next `n_rows[1]` for the second …
        """
        schema, memory = self.nearby.schema, self.nearby.memory
        by_rank = self.nearby.search.feature_costs(asked.arrays(), n_rows, rows).reshape(len(rows), len(memory.order))
        costs = np.zeros((len(rows), len(schema.features)))
        costs[:, memory.order] = by_rank
        counts = memory.counts(rows)
        weights = [1.0] * len(rows) if counts is None else counts.tolist()
        labels = [schema.classes[label] for label in memory.labels(rows).tolist()]
        values, ids = stored_values(schema, memory, rows), memory.ids(rows).tolist()
        return list(map(Neighbour, ids, values, labels, distances.tolist(), weights, map(tuple, costs.tolist())))
