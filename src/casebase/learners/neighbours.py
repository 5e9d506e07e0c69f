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
from casebase.errors import CasebaseError
from casebase.learners.answers import Answers, Preference
from casebase.learners.memory import Memory
from casebase.measures.votes import vote_named

NO_ROW = 0xFFFFFFFF
BLOCK = 20_000  # queries between two looks at the progress callback (and at Ctrl-C)

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


def whole_memory(memory: Memory) -> np.ndarray:
    """Return the scope of a search that leaves nothing out."""
    return np.array([[0, memory.n_cases, 0, NO_ROW]], dtype=np.uint32)


def nearest(
    memory: Memory,
    queries: list[np.ndarray],
    metric: Metric,
    scopes: np.ndarray,
    k: int,
    *,
    exact_first: bool,
    missing_agrees: bool,
    n_jobs: int = 1,
) -> Neighbours:
    """Return the stored cases at the k smallest distinct distances from each query.

    A scope is (first row, end row, first feature by rank, row to leave out), one for all queries or one
    each. With `exact_first` identical cases are the first group alone, without others at distance 0.
    """
    found = _native.nearest(
        memory.columns, memory.n_cases, queries, len(queries[0]), metric.weights, metric.ranges, metric.sum_order,
        scopes, min(k, max(memory.n_cases, 1)), exact_first, missing_agrees, n_jobs,
    )  # fmt: skip
    return Neighbours(**found)


def answer(
    memory: Memory,
    queries: list[np.ndarray],
    metric: Metric,
    scopes: np.ndarray,
    voting: Voting,
    *,
    retry_exact: bool = True,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Answers:
    """Return the class that the nearest cases vote for, for every query."""
    n_queries = len(queries[0])
    parts = []
    for start in range(0, n_queries, BLOCK):
        block = slice(start, min(start + BLOCK, n_queries))
        part = [column[block] for column in queries]
        block_scopes = scopes if len(scopes) == 1 else scopes[block]
        parts.append(_answer_block(memory, part, metric.part(block), block_scopes, voting, retry_exact, n_jobs))
        if progress:
            progress(block.stop - block.start)
    return Answers.joined(parts) if parts else _no_answers()


def _answer_block(
    memory: Memory,
    queries: list[np.ndarray],
    metric: Metric,
    scopes: np.ndarray,
    voting: Voting,
    retry_exact: bool,
    n_jobs: int,
) -> Answers:
    def ballot(
        queries: list[np.ndarray], metric: Metric, scopes: np.ndarray, k: int, exact_first: bool
    ) -> tuple[Answers, np.ndarray, np.ndarray]:
        found = nearest(
            memory, queries, metric, scopes, k,
            exact_first=exact_first, missing_agrees=voting.missing_agrees, n_jobs=n_jobs,
        )  # fmt: skip
        answers, is_tied = count_votes(memory, found, voting)
        return answers, is_tied, found.is_exact.astype(bool)

    answers, is_tied, is_exact = ballot(queries, metric, scopes, voting.k, voting.k == 1)
    again = np.flatnonzero(is_tied & ~(is_exact & (not retry_exact)))
    if len(again):
        retried, still_tied, _ = ballot(
            [column[again] for column in queries],
            metric.part(again),
            scopes if len(scopes) == 1 else scopes[again],
            voting.k + 1,
            voting.k == 1,
        )
        decided = np.flatnonzero(~still_tied)
        if len(decided):
            answers = answers.replaced(again[decided], retried.picked(decided))
    return answers


def count_votes(memory: Memory, found: Neighbours, voting: Voting) -> tuple[Answers, np.ndarray]:
    """Return the class chosen by each query's neighbours, and whether the vote was tied."""
    factors = vote_named(voting.vote)(found.distance, found.n_groups)
    tally = _native.tally(
        found.n_groups, factors, found.n_rows, found.rows, memory.labels, memory.counts,
        voting.preference.frequency, voting.preference.rank,
    )  # fmt: skip
    is_tied = tally["is_tied"].astype(bool)
    return Answers(tally["label"], tally["first_vote"], tally["vote_label"], tally["votes"]), is_tied


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
