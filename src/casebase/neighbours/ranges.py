"""Answers from ranges of one memory, merged exactly: for a memory that is larger than one process can hold.

A range is a slice of the sorted cases. Each range looks for its own nearest cases and gives, per question, distances
with the number of cases of each class at them: a `Partial`. Distances that differ only by rounding are equal, but
joining them is not associative: {0, ε/2} and {ε/2, ε} are one group each, and {0, ε/2, ε} is two. So a partial has the
distances as they are, all that belong to the range's first k groups, and they are joined once, when partials are
merged. More cases only move the first distance of a group down: no other distance can matter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from casebase.base.answers import Answers
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.memory.segments import Arrival, Memory, Segment
from casebase.neighbours.ib1 import IB1, with_depth
from casebase.neighbours.search import FIRST_BLOCK, Neighbourhood, Neighbours, next_block

EPSILON = 2.0**-52  # distances that differ by less are equal


@dataclass(frozen=True, eq=False)
class Partial:
    """What a range of a memory has for some questions: distances, ascending, with the cases of each class at them.

    Question q has `n_distances[q]` of them; a distance has `n_entries` pairs of a `label` and a `count`, the sum of the
    case weights. If a question `is_exact`, identical cases answer alone, and are the only entries. All arrays are
    plain, so that a partial can be sent to another process.
    """

    n_distances: np.ndarray
    distance: np.ndarray
    n_entries: np.ndarray
    label: np.ndarray
    count: np.ndarray
    is_exact: np.ndarray

    def __len__(self) -> int:
        return len(self.n_distances)

    def reach(self, k: int) -> np.ndarray:
        """Return for each question the distance past which no case can be at one of the k nearest distances.

        It is infinite where this range has too few cases for a bound.
        """
        question = np.repeat(np.arange(len(self)), self.n_distances)
        is_first = starts_of_groups(question, self.distance)
        place = _place_in_question(question[is_first], len(self))
        reach = np.full(len(self), np.inf)
        is_kth = place == k - 1
        reach[question[is_first][is_kth]] = self.distance[is_first][is_kth]
        reach[self.is_exact.astype(bool)] = 0.0
        return reach


def ib1_range(model: IB1, begin: int, end: int) -> IB1:
    """Return a model of some consecutive rows of the memory, with the metric and the classes of the whole.

    The rows are views: nothing is read or copied, and the range of a mapped file stays one.
    """
    if len(model.memory.segments) != 1 or model.memory.is_corrected:
        raise CasebaseError("A corrected memory has no ranges. Save the model and load it again first.")
    if not 0 <= begin <= end <= model.memory.n_rows:
        raise CasebaseError(f"A range of rows lies between 0 and {model.memory.n_rows}; got {begin} to {end}.")
    return replace(model, memory=replace(model.memory, segments=(model.memory.segments[0].range(begin, end),)))


def partial_answers(
    model: IB1, cases: Cases, *, k: int | None = None, within: np.ndarray | None = None, n_jobs: int = 1
) -> Partial:
    """Return what a range of a memory has for some questions at its k smallest distances, by default as many as vote.

    With another k, identical cases do not answer alone: this is for questions whose first vote was tied. Cases farther
    than `within`, one number per question, are not looked for.
    """
    nearby = model.nearby
    questions = replace(model.questions(cases), within=within)
    exact = nearby.exact if k is None else "never"
    parts: list[Partial] = []
    start, n_block = 0, FIRST_BLOCK
    while start < len(questions) or not parts:
        part = questions.part(slice(start, start + n_block))
        found = nearby.nearest(part, k or model.voting.k, exact=exact, n_jobs=n_jobs, are_joined=False)
        parts.append(_summed(nearby, found))
        start += n_block
        n_block = next_block(n_block, found)
    return _concatenated(parts)


def _summed(nearby: Neighbourhood, found: Neighbours) -> Partial:
    """Return neighbours as sums of case weights, by distance and class."""
    memory, n_classes = nearby.memory, len(nearby.schema.classes)
    labels, counts = memory.labels(found.rows), memory.counts(found.rows)
    with memory.in_doubt():
        if len(labels) and labels.max() >= n_classes:
            raise IndexError("a label is out of range")
    group = np.repeat(np.arange(len(found.n_rows)), found.n_rows)
    group, label, count = _sums(group, labels, counts, n_classes)
    n_entries = np.bincount(group, minlength=len(found.n_rows))
    return Partial(found.n_groups, found.distance, n_entries.astype(np.uint32), label, count, found.is_exact)


def _sums(
    group: np.ndarray, label: np.ndarray, count: np.ndarray | None, n_classes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sums of counts by group and class, both ascending. Case weights add up exactly, in any order."""
    cells, place = np.unique(group.astype(np.int64) * n_classes + label, return_inverse=True)
    total = np.bincount(place.ravel(), count, minlength=len(cells)).astype(np.float64)
    return cells // n_classes, (cells % n_classes).astype(np.uint32), total


def _concatenated(parts: Sequence[Partial]) -> Partial:
    names = ("n_distances", "distance", "n_entries", "label", "count", "is_exact")
    return Partial(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def merged(model: IB1, partials: Sequence[Partial], again: Callable[[np.ndarray], Sequence[Partial]]) -> Answers:
    """Return the answers of the whole memory from the partials of its ranges: the same, bit by bit.

    `model` is one of the ranges, for the rules of the vote. A tied vote is repeated with one distance more: `again` is
    called at most once, with the numbers of these questions, and returns their partials with k + 1.
    """
    segment, voting = model.memory.segments[0], model.voting
    if not partials or len({len(partial) for partial in partials}) != 1:
        raise CasebaseError("Expected the partial answers of at least one range, all to the same questions.")
    if voting.quirks.exemplars_vote and segment.exemplars is not None:
        raise CasebaseError("With compat='timbl' and exemplar weights, a memory cannot be answered from ranges.")
    n_classes, identical = len(model.schema.classes), _Entries.of(partials)

    def look(k: int, among: np.ndarray | None) -> tuple[Neighbourhood, Neighbours]:
        if among is None:
            return _voters(model, identical.joined(k, n_classes))
        entries = _Entries.of(again(among))
        return _voters(model, entries.joined(k, n_classes, identical.exact_of(among)))

    decisions = model.nearby.decide(look, len(partials[0]), had_tie=voting.had_tie)
    return with_depth(decisions.answers, len(model.memory.order))


def answer_from_ranges(models: Sequence[IB1], cases: Cases, *, n_jobs: int = 1) -> Answers:
    """Return the answers of the whole memory from models of its ranges, one after the other.

    The nearest cases found in one range bound the search in the next.
    """

    def ask(asked: Cases, k: int | None = None) -> list[Partial]:
        partials: list[Partial] = []
        within = np.full(asked.n_cases, np.inf)
        for model in models:
            partials.append(partial_answers(model, asked, k=k, within=within, n_jobs=n_jobs))
            within = np.minimum(within, partials[-1].reach(k or model.voting.k))
        return partials

    return merged(models[0], ask(cases), lambda among: ask(cases.take(among), models[0].voting.k + 1))


@dataclass(frozen=True, eq=False)
class _Entries:
    """The entries of all ranges: question, distance, class and count of each, by question and distance."""

    n_questions: int
    question: np.ndarray
    distance: np.ndarray
    label: np.ndarray
    count: np.ndarray
    is_exact: np.ndarray

    @staticmethod
    def of(partials: Sequence[Partial]) -> "_Entries":
        """Return the entries of several partials; where one has identical cases, the others do not count."""
        n_questions = len(partials[0])
        is_exact = np.any([partial.is_exact for partial in partials], axis=0).astype(np.uint8)
        question, distance, label, count = [], [], [], []
        for partial in partials:
            of_group = np.repeat(np.arange(n_questions), partial.n_distances)
            counts = partial.is_exact[of_group] == is_exact[of_group]
            in_entries = np.repeat(counts, partial.n_entries)
            question.append(np.repeat(of_group, partial.n_entries)[in_entries])
            distance.append(np.repeat(partial.distance, partial.n_entries)[in_entries])
            label.append(partial.label[in_entries])
            count.append(partial.count[in_entries])
        asked, far = np.concatenate(question), np.concatenate(distance)
        order = np.lexsort((far, asked))
        return _Entries(
            n_questions,
            asked[order],
            far[order],
            np.concatenate(label)[order],
            np.concatenate(count)[order],
            is_exact,
        )

    def exact_of(self, questions: np.ndarray) -> "_Entries":
        """Return the entries of identical cases of some questions, which are numbered anew."""
        number = np.full(self.n_questions, -1)
        number[questions] = np.arange(len(questions))
        number[self.is_exact == 0] = -1
        kept = number[self.question] >= 0
        return _Entries(
            len(questions),
            number[self.question[kept]],
            self.distance[kept],
            self.label[kept],
            self.count[kept],
            self.is_exact[questions],
        )

    def joined(self, k: int, n_classes: int, identical: "_Entries | None" = None) -> "_Joined":
        """Return the first k groups of each question; identical cases are alone in the first group, if given."""
        is_first = starts_of_groups(self.question, self.distance)
        group = np.cumsum(is_first) - 1
        question = self.question[is_first]
        place = _place_in_question(question, self.n_questions)
        is_kept = place < k
        number = np.cumsum(is_kept) - 1  # of the groups that are kept
        counts = is_kept[group]
        is_exact = self.is_exact
        label, count = self.label, self.count
        if identical is not None and identical.is_exact.any():
            is_exact = identical.is_exact
            counts &= ~((place[group] == 0) & is_exact[self.question].astype(bool))
            first = np.searchsorted(question, identical.question)  # their groups: the first of each question
            group = np.concatenate([group[counts], first])
            label = np.concatenate([label[counts], identical.label])
            count = np.concatenate([count[counts], identical.count])
        else:
            group, label, count = group[counts], label[counts], count[counts]
        in_group, label, count = _sums(number[group], label, count, n_classes)
        return _Joined(
            self.distance[is_first][is_kept],
            np.bincount(in_group, minlength=int(is_kept.sum())).astype(np.uint32),
            np.bincount(question[is_kept], minlength=self.n_questions).astype(np.uint32),
            is_exact,
            label,
            count,
        )


@dataclass(frozen=True, eq=False)
class _Joined:
    """Groups of equal distances, those of all questions in one flat array, and their entries."""

    distance: np.ndarray
    n_entries: np.ndarray
    n_groups: np.ndarray
    is_exact: np.ndarray
    label: np.ndarray
    count: np.ndarray


def _voters(model: IB1, joined: _Joined) -> tuple[Neighbourhood, Neighbours]:
    """Return the entries as cases that vote: one for each class of a group, with the weight of all of its cases."""
    rows = np.arange(len(joined.label), dtype=np.uint32)
    segment = Segment((), joined.label, joined.count, None, Arrival(rows, rows))
    memory = Memory(np.empty(0, np.int64), (segment,))
    found = Neighbours(joined.distance, joined.n_entries, joined.n_groups, rows, joined.is_exact)
    return replace(model.nearby, memory=memory, index=None), found


def starts_of_groups(question: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Return where groups of equal distances begin; both arrays ascend, by question and then by distance.

    A distance belongs to a group if it is less than EPSILON above the group's first.

    >>> tiny = 2.0**-53
    >>> starts_of_groups(np.zeros(4, int), np.array([0.0, tiny, 2 * tiny, 3 * tiny])).tolist()
    [True, False, True, False]
    """
    n = len(distance)
    is_first = np.ones(n, dtype=bool)
    is_first[1:] = (question[1:] != question[:-1]) | (distance[1:] - distance[:-1] >= EPSILON)
    while n:
        # A chain of small steps is longer than EPSILON: the first distance past the end begins a new group.
        first = np.maximum.accumulate(np.where(is_first, np.arange(n), 0))
        is_past = distance - distance[first] >= EPSILON
        if not is_past.any():
            break
        at = np.flatnonzero(is_past)
        is_first[at[np.unique(first[at], return_index=True)[1]]] = True
    return is_first


def _place_in_question(question: np.ndarray, n_questions: int) -> np.ndarray:
    """Return the number of each group among those of its question, from 0; the groups are sorted by question."""
    n_groups = np.bincount(question, minlength=n_questions)
    return np.arange(len(question)) - np.repeat(np.cumsum(n_groups) - n_groups, n_groups)
