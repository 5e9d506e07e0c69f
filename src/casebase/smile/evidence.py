"""The evidence of SMILE: the sets of features that were used, their pools, and cases from them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.base.answers import Answers
from casebase.base.evidence import Pool, PooledCase, SmileEvidence
from casebase.base.quotes import stored_cases, unseen_values
from casebase.data import Cases, Schema
from casebase.memory.segments import Memory


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
        agrees = np.array([self.coded.columns[position] == column[0] for position, column in zip(order, asked)])
        values = self._asked_values(case, asked)
        n_pools, found = np.zeros(self.coded.n_cases, dtype=np.int64), []
        for joint in joints:
            members = np.flatnonzero(agrees[joint].all(axis=0))
            n_pools[members] += 1
            found.append((joint, self._pool(joint, members, values)))
        found.sort(key=lambda entry: (-len(entry[0]), -entry[1].n_cases, entry[1].features))
        return SmileEvidence(
            features=self.schema.names,
            values=tuple(case.values(0)),
            unseen=unseen_values(case),
            label=classes[answers.label[0]],
            votes={classes[c]: votes for c, votes in answers.votes_of(0).items()},
            weights=(),
            alpha=self.alpha,
            pools=tuple(pool for _, pool in found),
            n_cases=int(np.count_nonzero(n_pools)),
            cases=self._cases(n_pools, agrees, [joint for joint, _ in found], limit),
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

    def _cases(
        self, n_pools: np.ndarray, agrees: np.ndarray, joints: list[list[int]], limit: int
    ) -> tuple[PooledCase, ...]:
        # Cases in no pool are not listed; most are not, so those that are get sorted alone.
        rows = np.flatnonzero(n_pools)
        ranked = np.lexsort((self.memory.given(rows), -agrees[:, rows].sum(axis=0), -n_pools[rows]))
        rows = rows[ranked[:limit]]
        is_member = np.array([agrees[:, rows][joint].all(axis=0) for joint in joints])
        return tuple(
            PooledCase(**stored, pools=tuple(np.flatnonzero(is_member[:, i]).tolist()))
            for i, stored in enumerate(stored_cases(self.schema, self.memory, rows, agrees[:, rows]))
        )
