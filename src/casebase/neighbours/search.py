"""k-nearest-neighbour search, and the vote of the neighbours.

k counts distinct distances: all cases at the k smallest distances vote. A tied vote is repeated with k + 1 distances,
and the second result counts if it is not tied. Otherwise the first result stands, and the class preference decides
it. If cases identical to the question are stored, at k = 1 they answer alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase import _native
from casebase.base.answers import Answers, Preference
from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, ModelFileError
from casebase.measures.distances import BY_LETTERS
from casebase.measures.quirks import USUAL, Quirks
from casebase.measures.votes import (
    VOTES,
    VOTES_ABOVE_ZERO,
    Decay,
    Normalisation,
)
from casebase.memory.segments import Memory, as_questions, question_columns
from casebase.neighbours.comparison import Comparing, asked_texts
from casebase.progress import Progress

NO_ROW = NO_LABEL = 0xFFFFFFFF
LARGEST_K = 2**31 - 1  # no memory has as many different distances
NO_LIMIT = 0xFFFFFFFFFFFFFFFF
IN_SCOPE = 4  # numbers of a scope, before the marks of classes that are left out
BLOCK = 20_000  # questions per native call at most; progress and Ctrl-C are handled between calls
FIRST_BLOCK = 1024
NEIGHBOURS_AT_ONCE = 4_000_000  # bounds the memory of a block


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Groups of cases at equal distance, those of all queries in one flat array.

    Query q has `n_groups[q]` groups, nearest first; a group has a distance and `n_rows` positions in the memory.
    """

    distance: np.ndarray
    n_rows: np.ndarray
    n_groups: np.ndarray
    rows: np.ndarray
    is_exact: np.ndarray

    @staticmethod
    def none(n_queries: int) -> "Neighbours":
        """Return an empty list of groups for every query."""
        nothing = np.zeros(n_queries, np.uint32)
        return Neighbours(np.empty(0), nothing[:0], nothing, np.empty(0, np.uint32), nothing.astype(np.uint8))

    @property
    def first_group(self) -> np.ndarray:
        """Where the groups of each query begin; the last number is the end."""
        return np.concatenate([[0], np.cumsum(self.n_groups, dtype=np.int64)])

    @property
    def nearest_distance(self) -> np.ndarray:
        """The distance of each query's first group."""
        return self.distance[:1] if len(self.n_groups) == 1 else self.distance[self.first_group[:-1]]

    @property
    def first_row(self) -> np.ndarray:
        """Where the rows of each group begin; the last number is the end."""
        return np.concatenate([[0], np.cumsum(self.n_rows, dtype=np.int64)])

    def take(self, queries: np.ndarray) -> "Neighbours":
        """Return the groups of some queries, in the order given."""
        n_groups = self.n_groups[queries]
        groups = _runs(self.first_group[queries], n_groups)
        n_rows = self.n_rows[groups]
        rows = self.rows[_runs(self.first_row[groups], n_rows)]
        return Neighbours(self.distance[groups], n_rows, n_groups, rows, self.is_exact[queries])

    def replace_at(self, queries: np.ndarray, other: "Neighbours") -> "Neighbours":
        """Return these groups, with the groups of some queries replaced by others, given in the same order."""
        names = ("distance", "n_rows", "n_groups", "rows", "is_exact")
        both = Neighbours(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names))
        source = np.arange(len(self.n_groups))
        source[queries] = len(source) + np.arange(len(queries))
        return both.take(source)


def _runs(first: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return consecutive numbers: lengths[0] of them from first[0] on, then lengths[1] from first[1] on, and so on.

    >>> _runs(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.repeat(first - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)


@dataclass(frozen=True, eq=False)
class Metric:
    """Weights, ranges and summation order of the features, by rank: one row for all queries, or one per query."""

    weights: np.ndarray
    ranges: np.ndarray
    sum_order: np.ndarray

    def part(self, queries: np.ndarray | slice) -> "Metric":
        return Metric(*(m if len(m) == 1 else m[queries] for m in (self.weights, self.ranges, self.sum_order)))


@dataclass(frozen=True, eq=False)
class Voting:
    """The rules of the vote: how many distances vote, how votes are weighted, and how ties are decided.

    `exact_match` says when identical cases answer alone: "first" (at k = 1, unless they are tied), "alone" (always)
    or "never". `had_tie` says whether there was a tie during learning, for the quirk that weights votes equally after
    the first tie.
    """

    k: int
    vote: str
    missing_agrees: bool
    preference: Preference
    decay: Decay = field(default_factory=Decay)
    exact_match: str = "first"
    normalisation: Normalisation = "probability"
    quirks: Quirks = USUAL
    had_tie: bool = False


@dataclass(frozen=True, eq=False)
class Questions:
    """New cases by column of the memory, with the metric and the scope of the search for each.

    `scopes` restricts the search, in one row for all questions or one row each (see the function `scopes`). `own` has
    the class and count of each held-out case if it must be subtracted from the value differences too. Cases farther
    than `within`, one number per question, are not looked for.
    """

    columns: list[np.ndarray]
    metric: Metric
    scopes: np.ndarray
    texts: tuple[Any, ...]
    own: tuple[np.ndarray, np.ndarray] | None = None
    within: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.columns[0])

    def part(self, which: np.ndarray | slice) -> "Questions":
        scopes = self.scopes if len(self.scopes) == 1 else self.scopes[which]
        own = None if self.own is None else (self.own[0][which], self.own[1][which])
        within = None if self.within is None else self.within[which]
        columns = [column[which] for column in self.columns]
        return Questions(columns, self.metric.part(which), scopes, self.texts, own, within)

    def without_labels(self, labels: np.ndarray) -> "Questions":
        """Return the same questions, where each search skips the cases of one class."""
        scopes = np.repeat(self.scopes, len(self), axis=0) if len(self.scopes) == 1 else self.scopes.copy()
        scopes[:, 3] = labels
        return Questions(self.columns, self.metric, scopes, self.texts, self.own, self.within)

    def without_classes(self, left_out: np.ndarray) -> "Questions":
        """Return the same questions, where each search skips some classes: one row per question, one mark per class."""
        n_words = -(-left_out.shape[1] // 32)
        bits = np.zeros((len(self), 32 * n_words), dtype=bool)
        bits[:, : left_out.shape[1]] = left_out
        words = np.packbits(bits, axis=1, bitorder="little").view("<u4").astype(np.uint32)
        scopes = np.hstack([np.broadcast_to(self.scopes[:, :IN_SCOPE], (len(self), IN_SCOPE)), words])
        return Questions(self.columns, self.metric, scopes, self.texts, self.own, self.within)

    def arrays(self) -> _native.Asked:
        labels, counts = self.own or (None, None)
        metric = self.metric
        return _native.Asked(
            self.columns,
            len(self),
            metric.weights,
            metric.ranges,
            metric.sum_order,
            self.scopes,
            labels,
            counts,
            list(self.texts),
            self.within,
        )


def scopes(
    n_symbols: int | np.ndarray = 0,
    left_out: int | np.ndarray = NO_ROW,
    n_numbers: int | np.ndarray = 0,
    label_left_out: int | np.ndarray = NO_LABEL,
) -> np.ndarray:
    """Return the scopes of searches: four numbers in one row for all questions, or in one row each.

    A search can be restricted to the stored cases that agree with the question on the first symbolic and on the first
    numeric features, by rank; it can skip one row, and the cases of one class. `Questions.without_classes` adds marks
    of several classes.
    """
    parts = (n_symbols, left_out, n_numbers, label_left_out)
    table = np.empty((max(map(np.size, parts)), len(parts)), dtype=np.uint32)
    for column, part in zip(table.T, parts):
        column[:] = part
    return table


WHOLE_MEMORY = scopes()


@dataclass(frozen=True, eq=False)
class Decisions:
    """Answers to a block of questions, and the groups of cases behind them.

    `found` are the neighbours at k distances. The questions `retried` were tied there, and decided by the neighbours
    `more`, at k + 1 distances.
    """

    answers: Answers
    found: Neighbours
    had_retry: bool
    retried: np.ndarray
    more: Neighbours | None

    @property
    def voters(self) -> Neighbours:
        """The groups whose votes were counted."""
        return self.found if self.more is None else self.found.replace_at(self.retried, self.more)


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """A memory, the metric that compares it with questions, and the rules of the vote; its `index` if already built."""

    schema: Schema
    memory: Memory
    comparing: Comparing
    metric: Metric
    voting: Voting
    index: _native.Search | None = None

    @cached_property
    def search(self) -> _native.Search:
        if self.index is not None:
            return self.index
        voting = self.voting
        with self.memory.in_doubt():
            return self.comparing.search(self.memory, self.schema, voting.preference, voting.missing_agrees)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the native index, which cannot be pickled; a copy builds its own."""
        return {name: value for name, value in vars(self).items() if name != "search"} | {"index": None}

    def voting_by(self, voting: Voting) -> "Neighbourhood":
        """Return the same memory with other voting rules, and the same index."""
        return replace(self, voting=voting, index=self.search)

    def questions(self, cases: Cases, scopes: np.ndarray | None = None) -> Questions:
        """Return new cases as questions to the search, by default to the whole memory."""
        columns = question_columns(cases, self.memory.order, self.voting.missing_agrees)
        return self._questions(columns, WHOLE_MEMORY if scopes is None else scopes, cases.source)

    def _questions(self, columns: list[np.ndarray], scopes: np.ndarray, source: Sequence[Any] | None) -> Questions:
        """Return columns as questions, with the texts of unknown values where a metric compares letters."""
        texts: list[Any] = [None] * len(columns)
        for rank, metric in enumerate(self.comparing.metrics):
            if metric in BY_LETTERS:
                position = self.memory.order[rank]
                columns[rank], texts[rank] = asked_texts(
                    columns[rank],
                    None if source is None else source[position],
                    self.schema.features[position],
                    self.comparing.quirks.letters_are_bytes,
                )
        return Questions(columns, self.metric, scopes, tuple(texts))

    def stored_questions(self, rows: np.ndarray) -> Questions:
        """Return stored cases, by their rows in the memory, each as a question to all other cases."""
        self.memory.check()
        memory = self.memory
        stored = [memory.column(rank, rows) for rank in range(len(memory.order))]
        columns = as_questions(stored, self.schema, memory.order, self.voting.missing_agrees)
        return self._questions(columns, scopes(left_out=rows), None)

    def nearest(
        self,
        questions: Questions,
        k: int,
        *,
        exact: str = "never",
        n_jobs: int = 1,
        enough: int | None = None,
        are_joined: bool = True,
    ) -> Neighbours:
        """Return the stored cases at the k smallest distinct distances from each question.

        With `enough`, a search ends with the first distance up to which there are that many cases; k may be larger.
        With `exact` = "first" identical cases are the first group, without other cases at distance 0; with "alone" they
        are the only group. Distances that are not joined are a group each, even if they differ only by rounding; they
        are at least those of which the groups at k distances are joined.
        """
        k = min(k, max(self.memory.n_cases, 1))
        try:
            limit = NO_LIMIT if enough is None else enough
            return Neighbours(**self.search.nearest(questions.arrays(), k, exact, n_jobs, limit, are_joined))
        except OverflowError as error:
            name = self.comparing.metrics[0]
            raise CasebaseError(f"The metric {name!r} cannot compare these rows: {error}.") from error

    def answer(
        self, questions: Questions, *, retry_exact: bool = True, n_jobs: int = 1, progress: Progress | None = None
    ) -> Answers:
        """Return the class that the neighbours vote for, for every question."""
        if 0 < len(questions) <= FIRST_BLOCK and progress is None:
            return self._decide(questions, retry_exact, n_jobs, self.voting.had_tie).answers
        parts: list[Answers] = []
        for block, decisions in self.decisions(questions, retry_exact=retry_exact, n_jobs=n_jobs):
            parts.append(decisions.answers)
            if progress:
                progress(block.stop, len(questions))
        return Answers.concat(parts) if parts else Answers.none()

    def decisions(
        self, questions: Questions, *, retry_exact: bool = True, n_jobs: int = 1
    ) -> Iterator[tuple[slice, Decisions]]:
        """Yield the decisions block by block, each with the slice of its questions."""
        start, n_block = 0, FIRST_BLOCK
        had_tie = self.voting.had_tie
        while start < len(questions):
            block = slice(start, min(start + n_block, len(questions)))
            asked = questions if block == slice(0, len(questions)) else questions.part(block)
            decisions = self._decide(asked, retry_exact, n_jobs, had_tie)
            had_tie |= decisions.had_retry
            yield block, decisions
            start = block.stop
            n_block = next_block(n_block, decisions.found)

    def deciding(self, questions: Questions, *, retry_exact: bool = True, n_jobs: int = 1) -> Neighbours:
        """Return the groups that were considered for each question: k, and one more where the vote was tied."""
        found = self._first_groups(questions, self.voting.k, n_jobs)
        _, is_tied = self.count_votes(found)
        again = self._to_retry(found, is_tied, retry_exact)
        if not len(again):
            return found
        return found.replace_at(again, self._first_groups(questions.part(again), self.voting.k + 1, n_jobs))

    @property
    def exact(self) -> str:
        """How the search treats identical cases."""
        exact = self.voting.exact_match
        # By cosine or dot product a row may be nearer to another row than to itself.
        if (exact == "first" and self.voting.k > 1) or self.comparing.similarity != "none":
            exact = "never"
        return exact

    def _first_groups(self, questions: Questions, k: int, n_jobs: int) -> Neighbours:
        return self.nearest(questions, k, exact=self.exact, n_jobs=n_jobs)

    def _to_retry(self, found: Neighbours, is_tied: np.ndarray, retry_exact: bool) -> np.ndarray:
        may_retry = retry_exact and self.voting.exact_match != "alone"
        return np.flatnonzero(is_tied if may_retry else is_tied & ~found.is_exact.astype(bool))

    def _decide(self, questions: Questions, retry_exact: bool, n_jobs: int, had_tie: bool) -> Decisions:
        """Answer a block of questions; `had_tie` says whether there was a tie before it."""

        def look(k: int, among: np.ndarray | None) -> tuple[Neighbourhood, Neighbours]:
            return self, self._first_groups(questions if among is None else questions.part(among), k, n_jobs)

        return self.decide(look, len(questions), retry_exact=retry_exact, had_tie=had_tie)

    def decide(self, look: "Look", n_questions: int, *, retry_exact: bool = True, had_tie: bool = False) -> Decisions:
        """Answer questions by what a `look` finds for them; `had_tie` says whether there was a tie before."""
        voters, found = look(self.voting.k, None)
        answers, is_tied = voters.count_votes(found, np.full(n_questions, had_tie) if had_tie else None)
        again = self._to_retry(found, is_tied, retry_exact)
        # As a quirk the first tie changes the votes of all later questions of the block: count them again.
        if self.remembers_ties and len(again) and not had_tie:
            answers, is_tied = voters.count_votes(found, np.arange(n_questions) > again[0])
            again = self._to_retry(found, is_tied, retry_exact)
        retried, deciding = again[:0], None
        if len(again):
            voters, more = look(self.voting.k + 1, again)
            second, still_tied = voters.count_votes(more, n_expected=self.voting.k + 1)
            decided = np.flatnonzero(~still_tied)
            if len(decided):
                retried, deciding = again[decided], more.take(decided)
                answers = answers.replace_at(retried, second.take(decided))
        answers = answers.with_details(distance=found.nearest_distance, was_tied=is_tied)
        return Decisions(answers, found, bool(len(again)), retried, deciding)

    @property
    def remembers_ties(self) -> bool:
        return self.voting.quirks.flat_after_tie and self.voting.vote == "inverse_linear"

    def count_votes(
        self, found: Neighbours, is_flat: np.ndarray | None = None, n_expected: int | None = None
    ) -> tuple[Answers, np.ndarray]:
        """Return the class chosen by each query's neighbours, and whether the vote was tied.

        With the quirk `remembers_ties`, the inverse linear vote weights all groups equally for queries marked `is_flat`
        (those after the first tie of a run), and where fewer groups were found than expected.
        """
        voting = self.voting
        votes = VOTES_ABOVE_ZERO if voting.quirks.votes_above_zero else VOTES
        factors = votes[voting.vote](found.distance, found.n_groups, voting.decay)
        is_first_vote = n_expected is None
        if self.remembers_ties:
            flat = found.n_groups < (n_expected or voting.k)
            flat |= False if is_flat is None else is_flat
            factors = np.where(np.repeat(flat, found.n_groups), 1.0, factors)
        # Identical cases that answer alone have one vote each: a weight for distance 0 may be infinite.
        has_exact = is_first_vote and found.is_exact.any()
        if has_exact:
            is_alone = found.is_exact.astype(bool) & (found.n_groups == 1)
            factors = np.where(np.repeat(is_alone, found.n_groups), 1.0, factors)
        segments = [(segment.labels, segment.counts) for segment in self.memory.segments]
        has_exemplars = self.memory.segments[0].exemplars is not None
        if voting.quirks.exemplars_vote and has_exemplars and has_exact:
            return self._count_exemplars(found, factors, segments)
        return self._tally(found, factors, segments)

    def _tally(self, found: Neighbours, factors: np.ndarray, segments: list[Any]) -> tuple[Answers, np.ndarray]:
        preference = self.voting.preference
        try:
            with self.memory.in_doubt():
                tally = _native.tally(
                    found.n_groups, factors, found.n_rows, found.rows, segments, preference.frequency, preference.rank
                )
        except ValueError as error:  # a forged tree may lead to no case
            raise ModelFileError(f"The model is damaged: {error}.") from error
        is_tied = tally["is_tied"].astype(bool)
        return Answers(tally["label"], tally["first_vote"], tally["vote_label"], tally["votes"]), is_tied

    def _count_exemplars(
        self, found: Neighbours, factors: np.ndarray, segments: list[Any]
    ) -> tuple[Answers, np.ndarray]:
        """Count votes as TiMBL does for identical cases: the exemplar weight of the first of each class is its vote."""
        answers, is_tied = self._tally(found, factors, segments)
        exact = np.flatnonzero(found.is_exact & (found.n_groups == 1))
        if not len(exact):
            return answers, is_tied
        first_group = found.first_group
        first_row = found.first_row
        segment = self.memory.segments[0]
        assert segment.exemplars is not None
        rows = []
        for query in exact:
            group = first_group[query]
            members = found.rows[first_row[group] : first_row[group + 1]]
            members = members[np.argsort(segment.row_of[members])]
            _, at = np.unique(segment.labels[members], return_index=True)
            rows.append(members[at])
        n_rows = np.array([len(r) for r in rows], dtype=np.uint32)
        one = np.ones(len(exact), dtype=np.uint32)
        alone = Neighbours(np.zeros(len(exact)), n_rows, one, np.concatenate(rows), one.astype(np.uint8))
        weighed, tied = self._tally(alone, np.ones(len(exact)), [(segment.labels, segment.exemplars)])
        is_tied = is_tied.copy()
        is_tied[exact] = tied
        return answers.replace_at(exact, weighed), is_tied


def next_block(n_block: int, found: Neighbours) -> int:
    """Return how many questions to ask after a block of questions for which this was found."""
    # With many equal distances a question may have the whole memory as neighbours: expect as many as before.
    expected = NEIGHBOURS_AT_ONCE * len(found.n_groups) // max(1, len(found.rows))
    return min(BLOCK, 4 * n_block, max(1, expected))


# From a number of distances, and the questions to ask (all, or some), to their neighbours and the memory these are in.
Look = Callable[[int, np.ndarray | None], tuple[Neighbourhood, Neighbours]]


def checked_k(k: object) -> int:
    if not is_whole(k, 1, LARGEST_K):
        raise CasebaseError(
            f"k is the number of nearest distances: a whole number of at least 1; got {k!r}. It is at most {LARGEST_K}."
        )
    return int(k)


def checked_exact_match(exact_match: object) -> str:
    ways = {False: "first", True: "alone", "never": "never"}
    if not isinstance(exact_match, bool | str | np.bool_) or exact_match not in ways:
        raise CasebaseError(
            "exact_match is True (identical cases answer alone, whatever k), False (only at k = 1) or 'never'; "
            f"got {exact_match!r}."
        )
    return ways[exact_match]
