"""The smallest set of stored cases without which the neighbours give another answer.

Weights, value differences, and the preference between classes are those of the model: nothing is learned again, so only
the votes change. Cases of one class and weight at one distance are interchangeable: they are a *kind*, and a set is a
number of cases of each kind. Each removed case brings at most one more distance into the vote, so sets of r cases
concern only the k + 1 + r nearest distances. All sets of one case are counted, then of two, and so on up to `PROVED`
cases or the budget. Larger sets are found by removing the cases against the new answer in order of distance. At k = 1 a
lower bound often proves that such a set is the smallest, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np

from casebase.base.flips import Removal
from casebase.data import Cases
from casebase.memory.segments import Arrival, Memory, Segment
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ib2 import IB2
from casebase.neighbours.search import Neighbourhood, Neighbours, Questions, scopes
from casebase.neighbours.tribl import TRIBL
from casebase.neighbours.tribl2 import TRIBL2

PROVED = 3  # cases: larger sets are not searched exhaustively
SETS = 2_000  # of one size
N_GROUPS = (16, 64, 256)  # distances that are looked at for larger sets
STEPS = 64  # numbers of cases of one kind that are tried for larger sets


@dataclass(frozen=True, eq=False)
class Asked:
    """One question to a memory; a tree above the cases decides an exact match without a second vote.

    `wider` are the scopes that are searched one after the other, where all cases of the one before were removed.
    """

    nearby: Neighbourhood
    questions: Questions
    retry_exact: bool
    wider: tuple[np.ndarray, ...] = ()

    @property
    def exact_is_alone(self) -> bool:
        return self.nearby.voting.exact_match == "alone"


def asked_of(model: IB1 | IB2 | TRIBL | TRIBL2, case: Cases) -> Asked | None:
    """Return the question that a model asks its memory; None where the tree answered."""
    if isinstance(model, IB2):
        model = model.kept
    if isinstance(model, IB1):
        return Asked(model.nearby, model.questions(case), True)
    if isinstance(model, TRIBL2):
        questions = model._questions(case, 1)
        depth = int(questions.scopes[0, 0] + questions.scopes[0, 2])
        n_numbers = [int(model._n_numbers[d]) for d in range(depth)]
        wider = tuple(scopes(d - n_numbers[d], n_numbers=n_numbers[d]) for d in range(depth - 1, -1, -1))
        return Asked(model.below.nearby, questions, False, wider)
    if not model._reaches_cases(model._walk(case, 1)[1]).all():
        return None
    return Asked(model.below.nearby, model._questions(case), False)


@dataclass(frozen=True, eq=False)
class Groups:
    """The nearest cases group by group; the first group has cases identical to the question if `has_exact`.

    Only groups of the same `scope` vote together. `is_all` says that no further cases can be reached.
    """

    distance: np.ndarray
    rows: list[np.ndarray]
    scope: np.ndarray
    has_exact: bool
    is_all: bool

    @staticmethod
    def of(asked: Asked, n_groups: int) -> "Groups":
        nearby, questions = asked.nearby, asked.questions
        found = nearby._first_groups(questions, n_groups, 1)
        groups = list(_each_group(found))
        has_exact = bool(found.is_exact[0])
        if has_exact and asked.exact_is_alone:  # identical cases hide all others, which come after them
            groups += _without(nearby.nearest(questions, n_groups), groups)
        scope = [0] * len(groups)
        for i, wider in enumerate(asked.wider, start=1):
            if len(groups) >= n_groups:
                break
            groups += _without(nearby.nearest(replace(questions, scopes=wider), n_groups + len(groups)), groups)
            scope += [i] * (len(groups) - len(scope))
        distance = np.array([away for away, _ in groups])
        return Groups(distance, [rows for _, rows in groups], np.array(scope), has_exact, len(groups) < n_groups)


def _each_group(found: Neighbours) -> Iterator[tuple[float, np.ndarray]]:
    bounds = found.first_row.tolist()
    for away, begin, end in zip(found.distance.tolist(), bounds[:-1], bounds[1:]):
        yield away, found.rows[begin:end]


def _without(found: Neighbours, known: list[tuple[float, np.ndarray]]) -> list[tuple[float, np.ndarray]]:
    """Return the groups without the cases that are known already."""
    seen = np.concatenate([rows for _, rows in known])
    left = ((away, rows[~np.isin(rows, seen)]) for away, rows in _each_group(found))
    return [(away, rows) for away, rows in left if len(rows)]


class Election:
    """The vote of the nearest cases, without some of them."""

    def __init__(self, asked: Asked, n_groups: int) -> None:
        self.asked = asked
        self.groups = groups = Groups.of(asked, n_groups)
        memory = asked.nearby.memory
        self.kinds: list[np.ndarray] = []
        group_of, label_of, weight_of = [], [], []
        for i, rows in enumerate(groups.rows):
            rows = rows[np.argsort(memory.given(rows), kind="stable")]
            labels, counts = memory.labels(rows), memory.counts(rows)
            weights = np.ones(len(rows)) if counts is None else counts
            order = np.lexsort((weights, labels))
            cuts = np.flatnonzero(np.diff(labels[order]).astype(bool) | (np.diff(weights[order]) != 0)) + 1
            for part in np.split(order, cuts):
                self.kinds.append(rows[np.sort(part)])
                group_of.append(i)
                label_of.append(int(labels[part[0]]))
                weight_of.append(float(weights[part[0]]))
        self.group, self.label, self.weight = np.array(group_of), np.array(label_of), np.array(weight_of)
        self.size = np.array([len(rows) for rows in self.kinds])

    @cached_property
    def first_kind(self) -> np.ndarray:
        """The first kind of each group."""
        return np.searchsorted(self.group, np.arange(len(self.groups.rows)))

    @cached_property
    def n_cases(self) -> int:
        return int(self.size.sum())

    def has_answer(self, removed: np.ndarray) -> np.ndarray:
        """Return which sets leave some case."""
        has: np.ndarray = (removed.sum(axis=1) < self.n_cases) | (not self.groups.is_all)
        return has

    def labels(self, removed: np.ndarray) -> np.ndarray:
        """Return the answer without each of some sets, given as a row of numbers per kind, as the search decides it."""
        left = self.size - removed
        nearby, k = self.asked.nearby, self.asked.nearby.voting.k
        found, memory = self._found(left, k)
        voters = replace(nearby, memory=memory)
        n_sets = len(removed)
        answers, is_tied = voters.count_votes(found, np.full(n_sets, True) if nearby.voting.had_tie else None)
        labels = answers.label.copy()
        again = nearby._to_retry(found, is_tied, self.asked.retry_exact)
        if len(again):
            more, memory = self._found(left[again], k + 1)
            second, still_tied = replace(nearby, memory=memory).count_votes(more, n_expected=k + 1)
            decided = np.flatnonzero(~still_tied)
            labels[again[decided]] = second.label[decided]
        return labels

    def _found(self, left: np.ndarray, k: int) -> tuple[Neighbours, Memory]:
        """Return the first k groups of each set, and a memory in which one row stands for the cases of a kind."""
        groups = self.groups
        is_left = np.logical_or.reduceat(left > 0, self.first_kind, axis=1)
        nth = np.cumsum(is_left, axis=1)
        first_scope = groups.scope[np.argmax(is_left, axis=1)]
        votes = is_left & (nth <= k) & (groups.scope == first_scope[:, None])
        is_exact = is_left[:, 0] & groups.has_exact
        if self.asked.exact_is_alone:
            votes[is_exact, 1:] = False
        voting = (left > 0) & votes[:, self.group]
        of_set, kind = np.nonzero(voting)
        n_kinds = np.add.reduceat(voting, self.first_kind, axis=1)
        chosen = np.nonzero(votes)
        counts = left[of_set, kind] * self.weight[kind]
        n_rows = len(kind)
        arrival = Arrival(np.arange(n_rows), np.arange(n_rows))
        segment = Segment((), self.label[kind].astype(np.uint32), counts.astype(float), None, arrival)
        found = Neighbours(
            groups.distance[chosen[1]],
            n_kinds[chosen].astype(np.uint32),
            votes.sum(axis=1).astype(np.uint32),
            np.arange(n_rows, dtype=np.uint32),
            is_exact.astype(np.uint8),
        )
        return found, Memory(np.empty(0, np.int64), (segment,))

    def rows(self, removed: np.ndarray) -> np.ndarray:
        """Return the stored rows of one set: of each kind those that were given first."""
        return np.concatenate([np.empty(0, np.int64), *(rows[:n] for rows, n in zip(self.kinds, removed.tolist()))])


def find_removal(
    model: IB1 | IB2 | TRIBL | TRIBL2, case: Cases, label: int, wanted: int | None, proved: int = PROVED
) -> Removal | None:
    """Return the smallest set of stored cases without which the answer is another one, or the wanted one."""
    asked = asked_of(model, case)
    if asked is None or (asked.nearby.voting.quirks.exemplars_vote and _has_exemplars(asked.nearby.memory)):
        return None
    rows, new_label, n_proved = Search(asked, label, wanted).run(proved)
    memory = asked.nearby.memory
    in_order = rows[np.argsort(memory.given(rows), kind="stable")]
    ids = tuple(memory.ids(in_order).tolist())
    return Removal(ids, None if new_label is None else model.schema.classes[new_label], n_proved)


def _has_exemplars(memory: Memory) -> bool:
    return any(segment.exemplars is not None for segment in memory.segments)


Found = tuple[np.ndarray, int]  # the rows of a set, and the answer without them


class Search:
    """The search for one question."""

    def __init__(self, asked: Asked, label: int, wanted: int | None) -> None:
        self.asked, self.label, self.wanted = asked, label, wanted
        self.k = asked.nearby.voting.k

    def run(self, most: int) -> tuple[np.ndarray, int | None, int]:
        """Return the rows of the set, the answer without them, and up to which size no set does that."""
        proved = 0
        for size in range(1, most + 1):
            election = Election(self.asked, self.k + 1 + size)
            sets = sets_of(election.size, size, SETS)
            if sets is None:
                break
            found = self._smallest(election, sets)
            if found is not None:
                return *found, proved
            proved = size
            if election.groups.is_all and size >= election.n_cases - 1:
                return np.empty(0, np.int64), None, proved
        return self._larger(proved)

    def _is_changed(self, labels: np.ndarray) -> np.ndarray:
        changed: np.ndarray = labels != self.label if self.wanted is None else labels == self.wanted
        return changed

    def _smallest(self, election: Election, sets: np.ndarray) -> Found | None:
        """Return the smallest set that changes the answer, of equal ones the first, and the answer."""
        sets = sets[election.has_answer(sets)]
        sets = sets[np.argsort(sets.sum(axis=1), kind="stable")]
        for start in range(0, len(sets), SETS):
            some = sets[start : start + SETS]
            labels = election.labels(some)
            changed = np.flatnonzero(self._is_changed(labels))
            if len(changed):
                return election.rows(some[changed[0]]), int(labels[changed[0]])
        return None

    def _larger(self, proved: int) -> tuple[np.ndarray, int | None, int]:
        """Return a set that is found without trying all, and what is proved of it."""
        for n_groups in N_GROUPS:
            election = Election(self.asked, self.k + 1 + n_groups)
            sets = self._in_order_of_distance(election)
            found = self._smallest(election, sets)
            if found is None:
                if election.groups.is_all:
                    break
                continue
            if self.k == 1 and not self.asked.wider:
                bound, is_unique = self._bound(election)
                # No smaller set can do it; the only sets of that size are among those that were tried.
                proved = max(proved, bound if is_unique and len(found[0]) > bound else bound - 1)
            return *found, proved
        return np.empty(0, np.int64), None, proved

    def _in_order_of_distance(self, election: Election) -> np.ndarray:
        """Return sets of all cases up to some distance, and at that distance some of the classes against the change.

        Before it, either all cases are removed, or only those against the change.
        """
        is_against = election.label == self.label if self.wanted is None else election.label != self.wanted
        n_groups = len(election.groups.rows) - (0 if election.groups.is_all else self.k + 1)
        sets = []
        for group in range(n_groups):
            here = (election.group == group) & is_against
            for before in (election.group < group, (election.group < group) & is_against):
                first = np.where(before, election.size, 0)
                sets.append(first)
                heaviest = np.flatnonzero(here)[np.argsort(-election.weight[here], kind="stable")]
                removed = first.copy()
                for kind in heaviest.tolist():
                    n = int(election.size[kind])
                    steps = np.tile(removed, (min(n, STEPS), 1))
                    steps[:, kind] = np.arange(1, n + 1) if n <= STEPS else np.linspace(1, n, STEPS).astype(int)
                    sets += list(steps)
                    removed[kind] = n
            sets += self._for_each_rival(election, group)
        rows = np.array(sets)
        not_empty: np.ndarray = rows[rows.sum(axis=1) > 0]
        return not_empty

    def _for_each_rival(self, election: Election, group: int) -> list[np.ndarray]:
        """Return the sets that leave no class more cases at a distance than one class has, and one fewer."""
        before = np.where(election.group < group, election.size, 0)
        here = np.flatnonzero(election.group == group)
        sets = []
        for rival in np.unique(election.label[here]).tolist():
            if rival == self.label or (self.wanted is not None and rival != self.wanted):
                continue
            votes = float((election.size * election.weight)[here][election.label[here] == rival].sum())
            for is_fewer in (False, True):
                removed = before.copy()
                for other in np.unique(election.label[here]).tolist():
                    if other != rival and (self.wanted is not None or other == self.label):
                        _lower(election, here[election.label[here] == other], votes, is_fewer, removed)
                sets.append(removed)
        return sets

    def _bound(self, election: Election) -> tuple[int, bool]:
        """Return a lower bound of the size at k = 1, and whether the sets of that size are determined.

        Some distance is the first that is left, so all cases before it go. There the answer's class must not be the
        only one with the most votes, or, for a wanted class, the vote must at least be tied.
        """
        bounds = []
        n_before = 0
        for group in range(len(election.groups.rows)):
            here = np.flatnonzero(election.group == group)
            votes = {
                label: float((election.size * election.weight)[here][election.label[here] == label].sum())
                for label in np.unique(election.label[here]).tolist()
            }
            if self.wanted is None:
                others = [n for label, n in votes.items() if label != self.label]
                if others:
                    removed = np.zeros(len(election.size), dtype=np.int64)
                    _lower(election, here[election.label[here] == self.label], max(others), False, removed)
                    bounds.append(n_before + int(removed.sum()))
            elif len(votes) > 1 or self.wanted in votes:
                first, *rest = sorted(votes, key=lambda label: -votes[label])
                removed = np.zeros(len(election.size), dtype=np.int64)
                if first != self.wanted:
                    second = votes[rest[0]]
                    _lower(election, here[election.label[here] == first], second, False, removed)
                bounds.append(n_before + int(removed.sum()))
            n_before += int(election.size[here].sum())
        if not election.groups.is_all:
            bounds.append(n_before)
        is_unique = self.wanted is None and bool((election.weight == 1.0).all())
        return min(bounds, default=0), is_unique


def _lower(election: Election, kinds: np.ndarray, votes: float, is_fewer: bool, removed: np.ndarray) -> None:
    """Remove the fewest cases of some kinds that leave at most so many votes, or fewer; the heaviest go first."""
    left = float((election.size * election.weight)[kinds].sum())
    for kind in kinds[np.argsort(-election.weight[kinds], kind="stable")].tolist():
        weight, n = float(election.weight[kind]), int(election.size[kind])
        too_many = left - votes
        n_needed = int(np.floor(too_many / weight)) + 1 if is_fewer else int(np.ceil(too_many / weight))
        n_gone = min(max(n_needed, 0), n)
        removed[kind] = n_gone
        left -= n_gone * weight


def sets_of(sizes: np.ndarray, n_cases: int, most: int) -> np.ndarray | None:
    """Return all sets of so many cases, a row of numbers per kind; None if there are more than `most`.

    >>> sets_of(np.array([1, 2]), 2, 10).tolist()
    [[1, 1], [0, 2]]
    """
    n_kinds = len(sizes)
    n_sets = 1.0
    for i in range(n_cases):
        n_sets *= (n_kinds + i) / (i + 1)
    if n_sets > most:
        return None
    chosen = np.array(list(combinations_with_replacement(range(n_kinds), n_cases)), dtype=np.int64)
    sets = np.zeros((len(chosen), n_kinds), dtype=np.int64)
    for slot in range(n_cases):
        np.add.at(sets, (np.arange(len(chosen)), chosen[:, slot]), 1)
    possible: np.ndarray = sets[(sets <= sizes).all(axis=1)]
    return possible
