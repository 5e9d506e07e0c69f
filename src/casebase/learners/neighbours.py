"""Finding the nearest stored cases and letting them vote.

k counts distinct distances: all cases at the k smallest distances vote. If the vote is tied it is taken
once more with k + 1 distances, and the second result counts if it is not tied; otherwise the first one
stands, decided by the class preference. A case that is stored exactly as it is asked is answered, at
k = 1, by its identical cases alone.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from casebase import _native
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.learners.answers import Answers, Preference, preference_of
from casebase.learners.memory import Memory
from casebase.measures.votes import vote_named

NO_ROW = 0xFFFFFFFF
BLOCK = 20_000  # questions answered between two looks at the progress (and at Ctrl-C)
FIRST_BLOCK = 1024
NEIGHBOURS_AT_ONCE = 4_000_000

Progress = Callable[[int], object]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Groups of cases at equal distance, all queries in a row.

    Query q has `n_groups[q]` groups, nearest first; a group has a distance and `n_rows` positions in the memory.
    """

    distance: np.ndarray
    n_rows: np.ndarray
    n_groups: np.ndarray
    rows: np.ndarray
    is_exact: np.ndarray


@dataclass(frozen=True, eq=False)
class Metric:
    """How features are compared: by rank of the memory, one row for all queries or one per query."""

    weights: np.ndarray
    ranges: np.ndarray
    sum_order: np.ndarray

    def part(self, queries: np.ndarray | slice) -> "Metric":
        return Metric(*(m if len(m) == 1 else m[queries] for m in (self.weights, self.ranges, self.sum_order)))


@dataclass(frozen=True, eq=False)
class Voting:
    """How many distances vote, and how their votes are counted and decided."""

    k: int
    vote: str
    missing_agrees: bool
    preference: Preference


@dataclass(frozen=True, eq=False)
class Questions:
    """New cases by column of the memory, how to compare each, and where to look for its neighbours.

    A scope is (first row, end row, first feature by rank, row to leave out), one for all or one each.
    """

    columns: list[np.ndarray]
    metric: Metric
    scopes: np.ndarray

    def __len__(self) -> int:
        return len(self.columns[0])

    def part(self, which: np.ndarray | slice) -> "Questions":
        scopes = self.scopes if len(self.scopes) == 1 else self.scopes[which]
        return Questions([column[which] for column in self.columns], self.metric.part(which), scopes)


def whole_memory(memory: Memory) -> np.ndarray:
    """Return the scope of a search that leaves nothing out."""
    return np.array([[0, memory.n_cases, 0, NO_ROW]], dtype=np.uint32)


def nearest(
    memory: Memory, asked: Questions, k: int, *, exact_first: bool, missing_agrees: bool, n_jobs: int = 1
) -> Neighbours:
    """Return the stored cases at the k smallest distinct distances from each question.

    With `exact_first` identical cases are the first group alone, without others at distance 0.
    """
    metric, k = asked.metric, min(k, max(memory.n_cases, 1))
    found = _native.nearest(
        memory.columns, memory.n_cases, asked.columns, len(asked), metric.weights, metric.ranges, metric.sum_order,
        asked.scopes, k, exact_first, missing_agrees, n_jobs,
    )  # fmt: skip
    return Neighbours(**found)


def answer(
    memory: Memory,
    asked: Questions,
    voting: Voting,
    *,
    retry_exact: bool = True,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Answers:
    """Return the class that the nearest cases vote for, for every question."""
    parts: list[Answers] = []
    start, n_block = 0, FIRST_BLOCK
    while start < len(asked):
        block = asked.part(slice(start, start + n_block))
        answers, n_neighbours = _answer_block(memory, block, voting, retry_exact, n_jobs)
        parts.append(answers)
        start += len(block)
        # Questions that all of the memory answers need room for all of it, each.
        n_block = min(BLOCK, 4 * n_block, max(1, NEIGHBOURS_AT_ONCE * len(block) // n_neighbours))
        if progress:
            progress(len(block))
    return Answers.joined(parts) if parts else _no_answers()


def _answer_block(
    memory: Memory, asked: Questions, voting: Voting, retry_exact: bool, n_jobs: int
) -> tuple[Answers, int]:
    """Return answers, and how many neighbours were found for them in all."""

    def ballot(asked: Questions, k: int) -> tuple[Answers, np.ndarray, Neighbours]:
        found = nearest(
            memory, asked, k, exact_first=voting.k == 1, missing_agrees=voting.missing_agrees, n_jobs=n_jobs
        )
        return *count_votes(memory, found, voting), found

    answers, is_tied, found = ballot(asked, voting.k)
    again = np.flatnonzero(is_tied if retry_exact else is_tied & ~found.is_exact.astype(bool))
    if len(again):
        retried, still_tied, _ = ballot(asked.part(again), voting.k + 1)
        decided = np.flatnonzero(~still_tied)
        if len(decided):
            answers = answers.replaced(again[decided], retried.picked(decided))
    return answers, len(found.rows)


def count_votes(memory: Memory, found: Neighbours, voting: Voting) -> tuple[Answers, np.ndarray]:
    """Return the class chosen by each query's neighbours, and whether the vote was tied."""
    factors = vote_named(voting.vote)(found.distance, found.n_groups)
    tally = _native.tally(
        found.n_groups, factors, found.n_rows, found.rows, memory.labels, memory.counts,
        voting.preference.frequency, voting.preference.rank,
    )  # fmt: skip
    is_tied = tally["is_tied"].astype(bool)
    return Answers(tally["label"], tally["first_vote"], tally["vote_label"], tally["votes"]), is_tied


def voting_for(cases: Cases, *, k: int, vote: str, missing: str, compat: str | None) -> Voting:
    """Return how the neighbours of a question vote, after checking what was asked for."""
    vote_named(vote)
    return Voting(checked_k(k), vote, checked_missing(missing), preference_of(cases, compat))


def checked_k(k: object) -> int:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise CasebaseError(f"k is the number of nearest distances, a whole number of at least 1; got {k!r}.")
    return int(k)


def checked_missing(missing: str) -> bool:
    """Return whether two missing values agree."""
    if missing not in ("value", "unknown"):
        raise CasebaseError(
            f"missing is 'value' (a missing value is a value like any other) or 'unknown' (it agrees with nothing); "
            f"got {missing!r}."
        )
    return missing == "value"


def _no_answers() -> Answers:
    return Answers(np.empty(0, np.uint32), np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0))
