"""TRIBL2: walk down while stored cases share the values of the question, then compare the cases that are left.

TRIBL switches from tree to cases at a fixed level; TRIBL2 switches for each question at its first mismatch. The walk
goes on as long as some stored case shares all values so far. At the first value that none of them has, the cases that
share the values before it are compared by all other features, this one included.

The memory is sorted by relevance, so the cases that share the first values are a range of it: no tree is needed.
Numbers match if they are equal.

Reference: Daelemans, Zavrel, Van der Sloot, Van den Bosch, "TiMBL: Tilburg Memory-Based Learner, Reference Guide".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from casebase.base.answers import Answers, Preference
from casebase.base.evidence import Step
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.data import Cases
from casebase.measures.distances import NUMERIC
from casebase.memory.segments import relevance_order
from casebase.memory.store import Change, Store
from casebase.neighbours.below import CasesBelow
from casebase.neighbours.correctable import relevance_keys
from casebase.neighbours.evidence import Explainer, NeighbourEvidence
from casebase.neighbours.ib1 import IB1, from_prepared
from casebase.neighbours.search import Neighbours, Questions, Voting, scopes
from casebase.neighbours.settings import NeighbourSettings
from casebase.neighbours.tribl import refuse_whole_rows
from casebase.progress import Progress


@dataclass(frozen=True, eq=False)
class TRIBL2(CasesBelow):
    """A memory that is searched among the cases that share a question's first values; `walk` orders the features."""

    below: IB1
    walk: np.ndarray
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "tribl2"

    @property
    def weights(self) -> np.ndarray:
        return self.below.weights

    def summary(self) -> Summary:
        """Return a summary of the model: its cases, weights and classes."""
        n_cases = self.below.memory.n_cases
        return summary_of(self, f"{format_count(n_cases, 'case')} in memory", {"n_cases": n_cases}, self.weights)

    def without(self, row: int) -> "TRIBL2":
        """Return the memory without one case; weights and the order of the walk stay the same."""
        return replace(self, below=self.below.without(row))

    def refit(self, cases: Cases) -> "TRIBL2":
        """Return the memory of other cases with the same settings."""
        return fit(cases, self.settings)

    def corrected(self, store: Store, change: Change, preference: Preference) -> "TRIBL2 | None":
        """Return the model of a changed store; None if the order of the features has changed."""
        assert store.tables is not None
        weights, keys = store.relevance(**relevance_keys(self.settings))
        keys = weights if self.settings.order_by is None else keys
        order = store.memory.order.tolist()
        walked = relevance_order(store.schema, list(store.tables), keys)
        if sorted(walked, key=lambda i: store.schema.features[i].kind == "numeric") != order:
            return None
        walk = np.array([order.index(i) for i in walked], dtype=np.uint32)
        return replace(self, below=self.below.with_store(store, weights, keys, preference), walk=walk)

    @cached_property
    def _n_numbers(self) -> np.ndarray:
        """How many of the first 0, 1, 2 … features of the walk are numeric."""
        is_number = np.array([metric in NUMERIC for metric in self.below.comparing.metrics])[self.walk]
        return np.concatenate([[0], np.cumsum(is_number)]).astype(np.uint32)

    def _questions(self, cases: Cases, n_jobs: int) -> Questions:
        """Return new cases as questions, each with its scope: the number of first values that stored cases share."""
        questions = self.below.questions(cases)
        depth = self.below.nearby.search.shared_features(questions.arrays(), self.walk, n_jobs)
        n_numbers = self._n_numbers[depth]
        return Questions(
            questions.columns, questions.metric, scopes(depth - n_numbers, n_numbers=n_numbers), questions.texts
        )

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the votes for every case."""
        questions = self._questions(cases, n_jobs)
        answers = self.below.nearby.answer(questions, retry_exact=False, n_jobs=n_jobs, progress=progress)
        depth = questions.scopes[:, 0] + questions.scopes[:, 2]
        return answers.with_details(depth=depth, at_leaf=depth == len(self.below.memory.order))

    def deciding(self, cases: Cases, *, n_jobs: int = 1) -> Neighbours:
        """Return the neighbours that were considered: those at k distances, and at one more where the vote was tied."""
        return self.below.nearby.deciding(self._questions(cases, n_jobs), retry_exact=False, n_jobs=n_jobs)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[NeighbourEvidence]:
        """Return the path of shared values and the cases that decided, for every case."""
        questions = self._questions(cases, 1)
        explainer = Explainer(self.below.nearby, self.weights, retry_exact=False)
        depth = questions.scopes[:, 0] + questions.scopes[:, 2]
        each = zip(cases.all_values(), zip(*(column.tolist() for column in questions.columns)), depth.tolist())
        paths = [partial(self._path, *one) for one in each]
        return explainer.evidence(cases, questions, limit, paths)

    def _path(self, values: Sequence[Any], codes: Sequence[Any], depth: int) -> tuple[Step, ...]:
        """Return one step for each shared value, with the stored cases that share all values so far."""
        memory = self.below.memory
        ranges = [(0, segment.n_rows) for segment in memory.segments]
        numbers: list[tuple[int, float]] = []
        steps = [self._root]
        for rank in self.walk[:depth].tolist():
            code, position = codes[rank], memory.order[rank]
            if memory.segments[0].columns[rank].dtype.kind == "f":
                numbers.append((rank, code))
            else:
                ranges = [
                    _range_of(segment.columns[rank], code, *bounds) for segment, bounds in zip(memory.segments, ranges)
                ]
            rows = self._rows(ranges, numbers)
            steps.append(self._step(self.schema.names[position], values[position], rows))
        return tuple(steps)

    def _rows(self, ranges: list[tuple[int, int]], numbers: list[tuple[int, float]]) -> np.ndarray:
        """Return the rows in a range of each segment that have these numbers and have not been removed."""
        memory, parts = self.below.memory, []
        for first, segment, (begin, end) in zip(memory.first_rows.tolist(), memory.segments, ranges):
            rows = np.arange(begin, end)
            parts.append(first + (rows if segment.removed is None else rows[segment.removed[begin:end] == 0]))
        rows = np.concatenate(parts)
        for rank, number in numbers:
            column = memory.column(rank, rows)
            rows = rows[np.isnan(column) if np.isnan(number) else column == number]
        return rows

    @cached_property
    def _root(self) -> Step:
        return self._step(None, None, self.below.memory.in_given_order)

    def _step(self, feature: str | None, value: Any, rows: np.ndarray) -> Step:
        memory, preference, classes = self.below.memory, self.voting.preference, self.schema.classes
        if memory.segments[0].counts is not None:  # the order of addition decides how fractions are rounded
            rows = rows[np.argsort(memory.given(rows))]
        counts = np.bincount(memory.labels(rows), memory.counts(rows), minlength=len(classes)).astype(float)
        present = np.flatnonzero(counts).tolist() or range(len(classes))
        default = max(present, key=lambda c: (counts[c], preference.frequency[c], -int(preference.rank[c])))
        shown = {classes[c]: float(counts[c]) for c in present if counts[c]}
        return Step(feature, value, classes[default], shown, float(counts.sum()))


def _range_of(column: np.ndarray, code: Any, begin: int, end: int) -> tuple[int, int]:
    """Return the range of a code in a sorted part of a column."""
    part, code = column[begin:end], column.dtype.type(code)
    return begin + int(np.searchsorted(part, code)), begin + int(np.searchsorted(part, code, side="right"))


@dataclass(frozen=True, kw_only=True)
class Settings(NeighbourSettings):
    """How TRIBL2 compares cases and lets them vote."""

    def voting_by(self, preference: Preference) -> Voting:
        """Return the voting rules; a walk to the end finds only identical cases, and they decide alone."""
        return replace(super().voting_by(preference), exact_match="alone")


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> TRIBL2:
    """Return a memory sorted by relevance, to be walked and searched.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"]], target=-1)
    >>> answers = fit(cases).answer(cases.schema.encode([["a", "z"]]))
    >>> cases.schema.classes[answers.label[0]], int(answers.depth[0])
    ('P', 1)
    """
    voting, prepared = settings.voting(cases), settings.prepare(cases)
    refuse_whole_rows(prepared)
    keys = prepared.weights if settings.order_by is None else prepared.keys
    walked = relevance_order(cases.schema, list(prepared.tables), keys)
    below = from_prepared(replace(prepared, keys=keys), voting, settings, first=walked)
    rank = {position: i for i, position in enumerate(below.memory.order.tolist())}
    return TRIBL2(below, np.array([rank[i] for i in walked], dtype=np.uint32), settings)
