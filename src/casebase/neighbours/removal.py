"""The smallest set of stored cases without which the neighbours give another answer.

Weights, value differences, and the preference between classes are those of the model: nothing is learned again, so only
the votes change. Cases of one class and weight at one distance are interchangeable, so a set is a number of cases of
each such kind. Each removed case brings at most one more distance into the vote, so sets of r cases concern only the
k + 1 + r nearest distances. All sets of one case are counted, then of two, and so on up to `PROVED` cases or the
budget; after that, the cases of the answer's class are removed in order of distance, until the answer changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np

from casebase.base.flips import Removal
from casebase.data import Cases
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ib2 import IB2
from casebase.neighbours.search import Neighbourhood, Neighbours, Questions, scopes
from casebase.neighbours.tribl import TRIBL
from casebase.neighbours.tribl2 import TRIBL2

PROVED = 3  # cases: larger sets are not searched exhaustively
SETS = 4_000  # at most of one size
VOTERS = 400_000  # rows counted at once
FARTHEST = 256  # distances that are removed one after the other at most


@dataclass(frozen=True, eq=False)
class Asked:
    """One question to a memory; a tree above the cases decides an exact match without a second vote.

    `wider` are the scopes that are searched one after the other, where all cases of the one before were removed.
    """

    nearby: Neighbourhood
    questions: Questions
    retry_exact: bool
    wider: tuple[np.ndarray, ...] = ()


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

    distance: list[float]
    rows: list[np.ndarray]
    scope: list[int]
    has_exact: bool
    is_all: bool

    @staticmethod
    def of(asked: Asked, n_groups: int) -> "Groups":
        nearby, questions = asked.nearby, asked.questions
        found = nearby._first_groups(questions, n_groups, 1)
        groups = [found.rows[a:b] for a, b in zip(found.first_row[:-1].tolist(), found.first_row[1:].tolist())]
        distance, has_exact = found.distance.tolist(), bool(found.is_exact[0])
        if has_exact and nearby.voting.exact_match == "alone":
            # Identical cases hide all others: the others come after them.
            others = nearby.nearest(questions, n_groups)
            bounds = zip(others.first_row[:-1].tolist(), others.first_row[1:].tolist())
            for away, (a, b) in zip(others.distance.tolist(), bounds):
                rows = np.setdiff1d(others.rows[a:b], groups[0])
                if len(rows):
                    groups.append(rows)
                    distance.append(away)
        scope = [0] * len(groups)
        for i, wider in enumerate(asked.wider, start=1):
            if len(groups) >= n_groups:
                break
            others = nearby.nearest(replace(questions, scopes=wider), n_groups + len(groups))
            bounds = zip(others.first_row[:-1].tolist(), others.first_row[1:].tolist())
            known = np.concatenate(groups)
            for away, (a, b) in zip(others.distance.tolist(), bounds):
                rows = np.setdiff1d(others.rows[a:b], known)
                if len(rows):
                    groups.append(rows)
                    distance.append(away)
                    scope.append(i)
        return Groups(distance, groups, scope, has_exact, len(groups) < n_groups)


def find_removal(
    model: IB1 | IB2 | TRIBL | TRIBL2, case: Cases, label: int, wanted: int | None, proved: int = PROVED
) -> Removal | None:
    """Return the smallest set of stored cases without which the answer is another one, or the wanted one."""
    asked = asked_of(model, case)
    if asked is None:
        return None
    search = _Search(asked, label, wanted)
    rows, new_label, n_proved = search.run(proved)
    memory, classes = asked.nearby.memory, model.schema.classes
    in_order = rows[np.argsort(memory.given(rows), kind="stable")]
    ids = tuple(memory.ids(in_order).tolist())
    return Removal(ids, None if new_label is None else classes[new_label], n_proved)


class _Search:
    def __init__(self, asked: Asked, label: int, wanted: int | None) -> None:
        self.asked, self.label, self.wanted = asked, label, wanted
        self.k = asked.nearby.voting.k

    def run(self, most: int) -> tuple[np.ndarray, int | None, int]:
        """Return the rows of the set, the answer without them, and up to which size no set does that."""
        proved = 0
        for size in range(1, most + 1):
            groups = Groups.of(self.asked, self.k + 1 + size)
            kinds = self._kinds(groups)
            sets = list(_sets(kinds, size, SETS))
            if len(sets) > SETS:
                break
            found = self._first(groups, kinds, sets)
            if found is not None:
                return *found, proved
            proved = size
            if groups.is_all and size >= sum(map(len, groups.rows)) - 1:
                return np.empty(0, np.int64), None, proved
        return *self._greedy(), proved

    def _kinds(self, groups: Groups) -> list[np.ndarray]:
        """Return the rows of each kind: of one group, class and weight, in the order in which they were given."""
        memory, kinds = self.asked.nearby.memory, []
        for rows in groups.rows:
            labels, counts = memory.labels(rows), memory.counts(rows)
            keys = np.stack([labels, np.zeros(len(rows)) if counts is None else counts])
            _, kind = np.unique(keys, axis=1, return_inverse=True)
            order = np.argsort(memory.given(rows), kind="stable")
            kind = kind.ravel()
            kinds += [rows[order][kind[order] == i] for i in range(int(kind.max()) + 1)]
        return kinds

    def _first(
        self, groups: Groups, kinds: list[np.ndarray], sets: list[dict[int, int]]
    ) -> tuple[np.ndarray, int] | None:
        """Return the first set that changes the answer, and the answer."""
        n_rows = sum(map(len, groups.rows))
        at_once = max(1, VOTERS // max(n_rows, 1))
        for start in range(0, len(sets), at_once):
            removed = [
                np.concatenate([kinds[kind][:n] for kind, n in one.items()]) for one in sets[start : start + at_once]
            ]
            # An empty memory has no answer.
            kept = [one for one in removed if len(one) < n_rows or not groups.is_all]
            if not kept:
                continue
            labels = self._labels(groups, kept)
            changed = np.flatnonzero(labels != self.label if self.wanted is None else labels == self.wanted)
            if len(changed):
                return kept[int(changed[0])], int(labels[changed[0]])
        return None

    def _labels(self, groups: Groups, removed: list[np.ndarray]) -> np.ndarray:
        """Return the answer without each of some sets of cases, as `Neighbourhood` decides it."""
        nearby, k = self.asked.nearby, self.k
        first = [self._without(groups, one, k) for one in removed]
        found = _merged(first)
        answers, is_tied = nearby.count_votes(found, np.full(len(removed), True) if nearby.voting.had_tie else None)
        labels = answers.label.copy()
        again = nearby._to_retry(found, is_tied, self.asked.retry_exact)
        if len(again):
            more = _merged([self._without(groups, removed[i], k + 1) for i in again.tolist()])
            second, still_tied = nearby.count_votes(more, n_expected=k + 1)
            decided = np.flatnonzero(~still_tied)
            labels[again[decided]] = second.label[decided]
        return labels

    def _without(self, groups: Groups, removed: np.ndarray, k: int) -> tuple[list[float], list[np.ndarray], bool]:
        """Return the first k groups that are left, and whether the first is of identical cases."""
        distance: list[float] = []
        rows: list[np.ndarray] = []
        has_exact, scope = False, -1
        is_alone = self.asked.nearby.voting.exact_match == "alone"
        for i, (away, group) in enumerate(zip(groups.distance, groups.rows)):
            left = group[~np.isin(group, removed)]
            if not len(left):
                continue
            if rows and groups.scope[i] != scope:
                break
            scope = groups.scope[i]
            distance.append(away)
            rows.append(left)
            if i == 0 and groups.has_exact:
                has_exact = True
                if is_alone:
                    break
            if len(rows) == k:
                break
        return distance, rows, has_exact

    def _greedy(self) -> tuple[np.ndarray, int | None]:
        """Remove the cases of the answer's class, or of all but the wanted class, until the answer changes.

        Only as many of the last distance as are needed.
        """
        memory = self.asked.nearby.memory
        groups = Groups.of(self.asked, self.k + 1 + FARTHEST)
        removed = np.empty(0, np.int64)
        for rows in groups.rows[: len(groups.rows) - (0 if groups.is_all else self.k + 1)]:
            labels = memory.labels(rows)
            against = rows[labels == self.label if self.wanted is None else labels != self.wanted]
            counts = memory.counts(against)
            heaviest = against if counts is None else against[np.argsort(-counts, kind="stable")]
            sets = [np.concatenate([removed, heaviest[:n]]) for n in _sizes(len(heaviest))]
            sets = [one for one in sets if len(one) < sum(map(len, groups.rows)) or not groups.is_all]
            if sets:
                new = self._labels(groups, sets)
                changed = np.flatnonzero(new != self.label if self.wanted is None else new == self.wanted)
                if len(changed):
                    return sets[int(changed[0])], int(new[changed[0]])
            removed = np.concatenate([removed, heaviest])
        return np.empty(0, np.int64), None


def _sizes(n: int) -> list[int]:
    """Return how many of n cases to try: all numbers if there are few, otherwise about a hundred."""
    return np.unique(np.linspace(1, n, min(n, 100)).astype(int)).tolist() if n else []


def _sets(kinds: list[np.ndarray], size: int, most: int) -> Iterator[dict[int, int]]:
    """Yield the sets of a size as numbers of cases of each kind, one more than `most` at most."""
    n_found = 0
    for combination in combinations_with_replacement(range(len(kinds)), size):
        numbers = {kind: combination.count(kind) for kind in combination}
        if all(n <= len(kinds[kind]) for kind, n in numbers.items()):
            yield numbers
            n_found += 1
            if n_found > most:
                return


def _merged(parts: list[tuple[list[float], list[np.ndarray], bool]]) -> Neighbours:
    return Neighbours(
        np.array([away for distance, _, _ in parts for away in distance], dtype=float),
        np.array([len(group) for _, rows, _ in parts for group in rows], dtype=np.uint32),
        np.array([len(rows) for _, rows, _ in parts], dtype=np.uint32),
        np.concatenate([group for _, rows, _ in parts for group in rows]).astype(np.uint32),
        np.array([has_exact for _, _, has_exact in parts], dtype=np.uint8),
    )
