"""TRIBL2: walk down while the case is known, and ask the nearest cases from there.

Where TRIBL switches from tree to cases at a level that is chosen beforehand, TRIBL2 switches for each case where its
first unknown comes: as long as some stored case shares all values so far, the walk goes on; at the first value that
none has there, the cases that share the values before it are compared by all other features, that one included.

The memory is sorted by relevance, so the cases that share the first values are a range of it: no tree is needed.
Numbers are shared if they are equal.

Reference: Daelemans, Zavrel, Van der Sloot, Van den Bosch, "TiMBL: Tilburg Memory-Based Learner, Reference Guide".
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from casebase.base.answers import Answers, Preference
from casebase.base.evidence import Step
from casebase.base.method import fitted_with
from casebase.base.model import Summary, counted, summary_of
from casebase.base.progress import Progress
from casebase.data import Cases, Schema
from casebase.measures.distances import NUMERIC
from casebase.measures.votes import Normalisation
from casebase.memory.relevance import relevance
from casebase.memory.segments import Memory, relevance_order
from casebase.memory.store import Change, Store
from casebase.neighbours.correctable import KeepsCases, refuse_limit, refuse_shared_exemplars, relevance_keys
from casebase.neighbours.evidence import Explainer, NeighbourEvidence
from casebase.neighbours.ib1 import IB1, remembered
from casebase.neighbours.search import NO_ROW, Neighbours, Questions, Voting
from casebase.neighbours.settings import NeighbourSettings
from casebase.neighbours.tribl import refuse_whole_rows


@dataclass(frozen=True, eq=False)
class TRIBL2(KeepsCases):
    """A memory that is searched below the values that a case shares with it; `walk` is the order of its features."""

    below: IB1
    walk: np.ndarray
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "tribl2"

    @property
    def schema(self) -> Schema:
        return self.below.schema

    @property
    def voting(self) -> Voting:
        return self.below.voting

    @property
    def preference(self) -> Preference:
        return self.voting.preference

    @property
    def normalisation(self) -> Normalisation:
        return self.voting.normalisation

    @property
    def weights(self) -> np.ndarray:
        return self.below.weights

    def summary(self) -> Summary:
        """Return what the model is: its cases, weights and classes."""
        n_cases = self.below.memory.n_cases
        return summary_of(self, f"{counted(n_cases, 'case')} in memory", {"n_cases": n_cases}, self.weights)

    def stored_memory(self) -> Memory:
        return self.below.memory

    def store(self) -> Store:
        """Return the cases with their counts."""
        refuse_limit(self.settings)
        refuse_shared_exemplars(self.below.memory, self.voting.as_timbl)
        return Store(self.schema, self.below.memory, self.below.tables)

    def refit(self, cases: Cases) -> "TRIBL2":
        """Return the memory of other cases with the same settings."""
        return fit(cases, self.settings)

    def corrected(self, store: Store, change: Change, frequency: np.ndarray) -> "TRIBL2 | None":
        """Return the memory of a changed store; None if it is sorted by another order of the features."""
        assert store.tables is not None
        weights, keys = relevance(store.tables, len(store.schema.features), **relevance_keys(self.settings))
        keys = weights if self.settings.order_by is None else keys
        order = store.memory.order.tolist()
        walked = relevance_order(store.schema, list(store.tables), keys)
        if sorted(walked, key=lambda i: store.schema.features[i].kind == "numeric") != order:
            return None
        walk = np.array([order.index(i) for i in walked], dtype=np.uint32)
        return replace(self, below=self.below.with_store(store, weights, keys, frequency), walk=walk)

    def _asked(self, cases: Cases, n_jobs: int) -> Questions:
        """Return new cases, each with the number of values that stored cases share with it."""
        asked = self.below.questions(cases)
        depth = self.below.nearby.search.shared_features(asked.arrays(), self.walk, n_jobs)
        is_number = np.array([metric in NUMERIC for metric in self.below.comparing.metrics])[self.walk]
        n_numbers = np.concatenate([[0], np.cumsum(is_number)])[depth]
        scopes = np.stack([depth - n_numbers, np.full(cases.n_cases, NO_ROW), n_numbers], axis=1).astype(np.uint32)
        return replace(asked, scopes=scopes)

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the votes for every case."""
        asked = self._asked(cases, n_jobs)
        answers = self.below.nearby.answer(asked, retry_exact=False, n_jobs=n_jobs, progress=progress)
        depth = asked.scopes[:, 0] + asked.scopes[:, 2]
        return replace(answers, depth=depth, at_leaf=depth == len(self.below.memory.order))

    def deciding(self, cases: Cases, *, n_jobs: int = 1) -> Neighbours:
        """Return the groups of cases that were asked: at k distances, and one more where the vote was tied."""
        return self.below.nearby.deciding(self._asked(cases, n_jobs), retry_exact=False, n_jobs=n_jobs)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[NeighbourEvidence]:
        """Return the values that were walked and the cases that decided, for every case."""
        answers, asked = self.answer(cases), self._asked(cases, 1)
        explainer = Explainer(self.below.nearby, self.weights, retry_exact=False)
        evidence = []
        for i in range(cases.n_cases):
            case, one = cases.take(np.array([i])), asked.part(np.array([i]))
            path = self._path(case.values(0), one, int(answers.depth[i])) if answers.depth is not None else ()
            evidence.append(explainer.evidence(case, one, answers.picked(np.array([i])), limit, path))
        return evidence

    def _path(self, values: list[Any], one: Questions, depth: int) -> tuple[Step, ...]:
        """Return how many stored cases share the first values of a case, one step for each value walked."""
        memory, rows = self.below.memory, self.below.memory.in_given_order
        steps = [self._step(None, None, rows)]
        for rank in self.walk[:depth]:
            column, code = memory.column(rank, rows), one.columns[rank][0]
            is_shared = column == code
            if column.dtype.kind == "f" and np.isnan(code):
                is_shared = np.isnan(column)
            rows = rows[is_shared]
            position = memory.order[rank]
            steps.append(self._step(self.schema.names[position], values[position], rows))
        return tuple(steps)

    def _step(self, feature: str | None, value: Any, rows: np.ndarray) -> Step:
        memory, preference = self.below.memory, self.voting.preference
        counts = np.bincount(memory.labels(rows), memory.counts(rows), minlength=len(self.schema.classes)).astype(float)
        ranked = np.lexsort((preference.rank, -preference.frequency, -counts))
        shown = {self.schema.classes[c]: float(counts[c]) for c in np.flatnonzero(counts)}
        return Step(feature, value, self.schema.classes[ranked[0]], shown, float(counts.sum()))


@dataclass(frozen=True, kw_only=True)
class Settings(NeighbourSettings):
    """How TRIBL2 compares cases and lets them vote."""


@fitted_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> TRIBL2:
    """Return a memory sorted by relevance, to be walked and searched.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"]], target=-1)
    >>> answers = fit(cases).answer(cases.schema.encode([["a", "z"]]))
    >>> cases.schema.classes[answers.label[0]], int(answers.depth[0])
    ('P', 1)
    """
    # A case that is walked to its end has its identical cases there.
    voting, made = replace(settings.voting(cases), exact_match="alone"), settings.prepared(cases)
    refuse_whole_rows(made)
    keys = made.weights if settings.order_by is None else made.keys
    walked = relevance_order(cases.schema, list(made.tables), keys)
    below = remembered(replace(made, keys=keys), voting, settings, first=walked)
    rank = {position: i for i, position in enumerate(below.memory.order.tolist())}
    return TRIBL2(below, np.array([rank[i] for i in walked], dtype=np.uint32), settings)
