"""IB2: keep only the cases that the memory so far misclassifies.

The first `bootstrap` cases are kept. Every later case is classified by the cases kept so far, and kept itself if the
answer is wrong. Weights and value differences come from all cases: the kept cases are exceptions, and statistics of
exceptions would mislead. Unlike in the other methods here, the result depends on the order of the cases.

Reference: Aha, Kibler, Albert, "Instance-based learning algorithms" (1991).
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from casebase.base.answers import Answers, Preference
from casebase.base.checks import check_whole
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.settings import setting
from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.data.notation import taken
from casebase.errors import CasebaseError
from casebase.measures.votes import Normalisation
from casebase.memory.segments import Memory, Segment
from casebase.neighbours import ib1
from casebase.neighbours.evidence import NeighbourEvidence
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.search import Neighbours, Voting
from casebase.neighbours.settings import NeighbourSettings
from casebase.progress import Progress

FIRST_BLOCK, LARGEST_BLOCK = 16, 4096


@dataclass(frozen=True, eq=False)
class IB2:
    """A memory of the cases that were misclassified when they came; `kept` compares them as IB1 does."""

    kept: IB1
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "ib2"

    @property
    def schema(self) -> Schema:
        return self.kept.schema

    @property
    def memory(self) -> Memory:
        return self.kept.memory

    @property
    def weights(self) -> np.ndarray:
        return self.kept.weights

    @property
    def voting(self) -> Voting:
        return self.kept.voting

    @property
    def preference(self) -> Preference:
        return self.kept.preference

    @property
    def normalisation(self) -> Normalisation:
        return self.kept.normalisation

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the votes for every case."""
        return self.kept.answer(cases, n_jobs=n_jobs, progress=progress)

    def deciding(self, cases: Cases, *, n_jobs: int = 1) -> Neighbours:
        """Return the neighbours that were considered: those at k distances, and at one more where the vote was tied."""
        return self.kept.deciding(cases, n_jobs=n_jobs)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[NeighbourEvidence]:
        """Return the cases that decided, for every case; `limit` bounds how many are listed."""
        return self.kept.explain(cases, limit=limit)

    def stored_memory(self) -> Memory:
        return self.memory

    def without(self, row: int) -> "IB2":
        """Return the kept cases without one of them; which cases were kept, and their weights, stay the same."""
        return replace(self, kept=self.kept.without(row))

    def summary(self) -> Summary:
        """Return a summary of the model: its kept cases, weights and classes."""
        n_cases = self.memory.n_cases
        return summary_of(self, f"{format_count(n_cases, 'case')} kept", {"n_cases": n_cases}, self.weights)


@dataclass(frozen=True, kw_only=True)
class Settings(NeighbourSettings):
    """How many cases are kept untested, and how cases are compared."""

    first: ClassVar[str] = "bootstrap"

    bootstrap: int = setting(
        1,
        "int",
        "Number of initial cases that are kept without a test.",
        check_whole("bootstrap", "the number of initial cases that are kept without a test", 1),
        kind="whole",
    )


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> IB2:
    """Return a memory of the cases that the memory so far misclassified; the other settings are those of IB1.

    >>> cases = Cases.from_table([["a", "P"], ["a", "P"], ["b", "Q"], ["b", "Q"]], target=-1)
    >>> fit(cases, bootstrap=1).memory.n_cases
    2
    """
    bootstrap = checked_bootstrap(settings.bootstrap, cases.n_cases)
    model = _memory(cases, settings)
    kept, had_tie = _select(cases, model, bootstrap, n_jobs, progress)
    if not settings.quirks.kept_counted_twice:
        return IB2(replace(model, memory=_part(model.memory, kept)), settings)
    # TiMBL counts every added case a second time, and computes the weights from these counts.
    counts = np.ones(cases.n_cases) if cases.weights is None else cases.weights
    recounted = cases.with_weights(counts * np.where(kept & (np.arange(cases.n_cases) >= bootstrap), 2.0, 1.0))
    again = _memory(recounted, settings)
    segment = _sorted_like(again.memory, kept)
    if cases.exemplars is not None:
        exemplars = ib1.first_exemplars(cases.take(np.flatnonzero(kept)), again.memory.order.tolist())
        segment = replace(segment, exemplars=exemplars[segment.row_of])
    memory = Memory(again.memory.order, (replace(segment, counts=_counts(segment, cases, kept)),))
    return IB2(replace(again, memory=memory, voting=replace(again.voting, had_tie=had_tie)), settings)


def _memory(cases: Cases, settings: Settings) -> IB1:
    """Return IB1 with all cases in memory."""
    return replace(ib1.from_prepared(settings.prepare(cases), settings.voting(cases), settings), tables=None)


def _select(
    cases: Cases, model: IB1, bootstrap: int, n_jobs: int, progress: Progress | None
) -> tuple[np.ndarray, bool]:
    """Return which cases are kept, and whether any vote was tied.

    Cases are classified in blocks, which is faster than one by one. An error changes the memory, so the answers behind
    it in the block are discarded, and the next block begins there.
    """
    labels = cases.known_labels
    columns = replace(cases, schema=model.schema, columns=ib1.kept_columns(cases, model))
    questions = model.questions(columns)
    position = np.empty(cases.n_cases, dtype=np.int64)
    position[model.memory.segments[0].row_of] = np.arange(cases.n_cases)
    kept = np.zeros(cases.n_cases, dtype=bool)
    kept[:bootstrap] = True
    removed = np.ones(cases.n_cases, dtype=np.uint8)
    removed[position[:bootstrap]] = 0
    weights = _Exemplars.at_first(cases, model, position, bootstrap) if cases.exemplars is not None else None
    frequency = model.voting.preference.frequency.copy()
    start, n_block, had_tie = bootstrap, FIRST_BLOCK, False
    while start < cases.n_cases:
        current = replace(
            model,
            memory=_masked(model.memory, removed, weights),
            voting=replace(
                model.voting, preference=Preference(frequency, model.voting.preference.rank), had_tie=had_tie
            ),
        )
        end = min(start + n_block, cases.n_cases)
        answers = current.nearby.answer(questions.part(slice(start, end)), n_jobs=n_jobs)
        wrong = np.flatnonzero(answers.label != labels[start:end])
        n_done = int(wrong[0]) + 1 if len(wrong) else end - start
        assert answers.was_tied is not None
        had_tie |= bool(answers.was_tied[:n_done].any())
        if len(wrong):
            row = start + int(wrong[0])
            kept[row] = True
            removed[position[row]] = 0
            if weights is not None:
                weights.keep(row)
            if model.voting.quirks.kept_counted_twice:
                frequency[labels[row]] += 1.0
        # Twice the length of the last run without an error: long enough to save calls, short enough to waste little.
        n_block = min(LARGEST_BLOCK, max(FIRST_BLOCK, 2 * n_done if len(wrong) else 2 * n_block))
        start += n_done
        if progress:
            progress(start, cases.n_cases)
    return kept, had_tie


@dataclass(frozen=True, eq=False)
class _Exemplars:
    """The exemplar weights of a growing memory; in TiMBL equal cases have the weight of the first one kept."""

    given: np.ndarray
    stored: np.ndarray
    position: np.ndarray
    equal: np.ndarray | None
    first: dict[int, float] = field(default_factory=dict)

    @classmethod
    def at_first(cls, cases: Cases, model: IB1, position: np.ndarray, bootstrap: int) -> "_Exemplars":
        assert cases.exemplars is not None
        equal = ib1.equal_cases(cases, model.memory.order.tolist()) if model.voting.quirks.shared_exemplars else None
        stored = np.empty(cases.n_cases)
        stored[position] = cases.exemplars
        weights = cls(cases.exemplars, stored, position, equal)
        for row in range(bootstrap):
            weights.keep(row)
        return weights

    def keep(self, row: int) -> None:
        if self.equal is not None:
            self.stored[self.position[row]] = self.first.setdefault(int(self.equal[row]), float(self.given[row]))


def _masked(memory: Memory, removed: np.ndarray, weights: _Exemplars | None) -> Memory:
    segment = replace(memory.segments[0], removed=removed)
    segment = segment if weights is None else replace(segment, exemplars=weights.stored)
    return replace(memory, segments=(segment,))


def _part(memory: Memory, kept: np.ndarray) -> Memory:
    return Memory(memory.order, (_sorted_like(memory, kept),))


def _sorted_like(memory: Memory, kept: np.ndarray) -> Segment:
    """Return the kept cases of a memory, numbered in the order in which they were given."""
    segment = memory.segments[0]
    rows = np.flatnonzero(kept[segment.row_of])
    place = np.cumsum(kept) - 1
    return Segment(
        tuple(column[rows] for column in segment.columns),
        segment.labels[rows],
        None if segment.counts is None else segment.counts[rows],
        None if segment.exemplars is None else segment.exemplars[rows],
        segment.arrival.part(rows).in_order(place[segment.row_of[rows]].astype(np.uint32)),
        notations=taken(segment.notations, rows),
    )


def _counts(segment: Segment, cases: Cases, kept: np.ndarray) -> np.ndarray | None:
    """Return the votes of the kept cases: their weights as given, without the second count."""
    return None if cases.weights is None else cases.weights[kept][segment.row_of]


def checked_bootstrap(bootstrap: object, n_cases: int) -> int:
    if not is_whole(bootstrap, 1, n_cases):
        raise CasebaseError(
            f"bootstrap is the number of initial cases that are kept without a test: a whole number from 1 to "
            f"{n_cases}, the number of cases; got {bootstrap!r}."
        )
    return int(bootstrap)
