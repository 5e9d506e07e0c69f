"""The evidence of SMILE: the sets of features that were used, their pools, and cases from them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.data import Cases, Schema
from casebase.evidence import Pool, PooledCase, SmileEvidence
from casebase.learners.answers import Answers
from casebase.learners.explaining import stored_values, unseen_values
from casebase.learners.memory import Memory


@dataclass(frozen=True, eq=False)
class Pooling:
    """Stored cases, as they were given and as they are compared (`coded`), able to say which pools they are in."""

    schema: Schema
    memory: Memory
    coded: Cases
    alpha: int

    def evidence(
        self, case: Cases, asked: list[np.ndarray], joints: list[list[int]], answers: Answers, limit: int
    ) -> SmileEvidence:
        """Return why one case was answered so, listing at most `limit` of the cases in its pools.

        Sets come by descending number of features, then cases. Listed first are the cases in most pools, then those
        that agree with the question on most features, then those that were given first.
        """
        classes, order = self.schema.classes, self.memory.order
        agrees = [self.coded.columns[position] == column[0] for position, column in zip(order, asked)]
        members = [np.logical_and.reduce([agrees[rank] for rank in joint]) for joint in joints]
        values = self._asked_values(case, asked)
        pools = [self._pool(joint, rows, values) for joint, rows in zip(joints, members)]
        by_size = sorted(range(len(pools)), key=lambda i: (-len(joints[i]), -pools[i].n_cases, pools[i].features))
        in_pools = np.array([members[i] for i in by_size]).reshape(len(by_size), self.coded.n_cases)
        return SmileEvidence(
            features=self.schema.names,
            values=tuple(case.values(0)),
            unseen=unseen_values(case),
            label=classes[answers.label[0]],
            votes={classes[c]: votes for c, votes in answers.votes_of(0).items()},
            weights=(),
            alpha=self.alpha,
            pools=tuple(pools[i] for i in by_size),
            n_cases=int(in_pools.any(axis=0).sum()),
            cases=self._cases(in_pools, np.array(agrees), limit),
        )

    def _pool(self, joint: list[int], rows: np.ndarray, values: list[Any]) -> Pool:
        classes = self.schema.classes
        weights = None if self.coded.weights is None else self.coded.weights[rows]
        counts = np.bincount(self.coded.known_labels[rows], weights, minlength=len(classes)).astype(float)
        positions = sorted(int(self.memory.order[rank]) for rank in joint)
        return Pool(
            features=tuple(self.schema.names[i] for i in positions),
            values=tuple(values[i] for i in positions),
            n_cases=float(counts.sum()),
            counts={classes[c]: float(counts[c]) for c in np.flatnonzero(counts)},
        )

    def _asked_values(self, case: Cases, asked: list[np.ndarray]) -> list[Any]:
        """Return the values of the question, intervals where numbers are cut."""
        values = case.values(0)
        for position, column in zip(self.memory.order, asked):
            vocabulary = self.coded.schema.features[position].vocabulary
            is_cut = self.schema.features[position].kind == "numeric"
            if is_cut and vocabulary is not None and column[0] != vocabulary.unknown:
                values[position] = vocabulary.value(int(column[0]))
        return values

    def _cases(self, in_pools: np.ndarray, agrees: np.ndarray, limit: int) -> tuple[PooledCase, ...]:
        n_pools, n_agreeing = in_pools.sum(axis=0), agrees.sum(axis=0)
        given = self.memory.given(np.arange(self.coded.n_cases))
        rows = np.lexsort((given, -n_agreeing, -n_pools))[: min(limit, int(np.count_nonzero(n_pools)))]
        values, counts = stored_values(self.schema, self.memory, rows), self.memory.counts(rows)
        agreeing = np.full(values.shape, None, dtype=object)
        agreeing[:, self.memory.order] = agrees[:, rows].T
        return tuple(
            PooledCase(
                id=case_id.item() if hasattr(case_id, "item") else case_id,
                values=tuple(values[i]),
                label=self.schema.classes[label],
                weight=1.0 if counts is None else float(counts[i]),
                agrees=tuple(agreeing[i].tolist()),
                pools=tuple(np.flatnonzero(in_pools[:, rows[i]]).tolist()),
            )
            for i, (case_id, label) in enumerate(zip(self.memory.ids(rows), self.memory.labels(rows)))
        )
