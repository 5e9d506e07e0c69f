"""FOCUS: the smallest set of features that tells the classes apart as well as all features do.

Cases that agree on a set of features and are of different classes are in conflict there: whatever is answered to
them, all but the most frequent class of the group are answered wrongly. FOCUS looks for the smallest set with no more
conflicts than all features have (none, if the cases are consistent), by size, the first in the order of the features
among sets of one size.

Trying all sets of a size would be simple and slow. Instead, a set that is not enough is asked why: it leaves cases
together that must be told apart, so every set that is enough has one of the features on which they differ. These
reasons are collected, only sets that have a feature for each of them are checked on the cases, and a failure adds new
reasons. Once no set of a size has a feature for each reason, no set of that size is enough: the search is exact.

References: Almuallim, Dietterich, "Learning with many irrelevant features" (1991); Liu, Setiono, "A probabilistic
approach to feature selection: a filter solution" (1996), for the number of conflicts.
"""

from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.base import common
from casebase.base.checks import checked_missing
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.data import Cases
from casebase.data.checks import is_whole
from casebase.data.runs import begins_run
from casebase.errors import CasebaseError
from casebase.measures.weights import used_features
from casebase.progress import Progress
from casebase.selection.hitting_set import elements, hitting_set, mask_of, minimal

N_PAIRS, N_REASONS = 1024, 32  # of one failure: cases that are looked at, reasons that are kept


@dataclass(frozen=True, eq=False)
class Focus:
    """The features that are enough: whether each column is one, and their positions.

    `n_conflicts` is the weight of the cases that even all features answer wrongly. `n_subsets` is how many sets a
    search by size and order has gone through when it comes to this one, itself and the empty set included; of them
    `n_checked` had to be looked at. `sizes` are the sizes searched. Of a search that was interrupted
    (`was_interrupted`) the set is enough, but perhaps not the smallest: only the sizes searched are ruled out.
    """

    support: np.ndarray
    features: tuple[int, ...]
    n_conflicts: float
    n_subsets: int
    n_checked: int
    sizes: tuple[int, ...]
    was_interrupted: bool = False

    def to_dict(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the result as JSON has it; `names` are those of all columns."""
        return {
            "features": [names[i] for i in self.features],
            "n_conflicts": self.n_conflicts,
            "n_subsets": self.n_subsets,
            "n_checked": self.n_checked,
            "sizes": list(self.sizes),
            "was_interrupted": self.was_interrupted,
        }


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How many features FOCUS may select, and how it compares missing values."""

    first: ClassVar[str] = "max_size"

    max_size: int | None = setting(
        None,
        "int, optional",
        "How many features may be selected; an error says so if that is not enough.",
        lambda size: checked_max_size(size),
        kind="whole",
    )
    missing: str = common.missing("Whether a missing value is a value like any other, or agrees with nothing.")


def focus(cases: Cases, settings: Settings | None = None, *, progress: Progress | None = None, **values: Any) -> Focus:
    """Return the smallest set of features that tells the classes apart as well as all do.

    `progress` is called with the size that is searched and the number of
    features. An interruption (Ctrl-C) gives the smallest set that was found by then.

    >>> rows = [["0", "0", "0", "P"], ["0", "1", "0", "Q"], ["1", "0", "1", "Q"], ["1", "1", "1", "P"]]
    >>> focus(Cases.from_table(rows, target=-1)).features
    (0, 1)
    """
    settings = Settings.of(settings, values)
    limit = settings.max_size
    names = cases.schema.names
    # By name where there are names: the order of the columns then changes nothing.
    order = sorted(used_features(cases), key=lambda i: (names[i] if cases.schema.is_named else "", i))
    columns = [value_codes(cases, i, checked_missing(settings.missing)) for i in order]
    told = Telling(columns, cases.known_labels, cases.weights, cases.n_classes)
    search = Search(told, progress)
    try:
        found, was_interrupted = search.smallest(limit), False
    except KeyboardInterrupt:
        found, was_interrupted = search.best, True
    if found is None or (limit is not None and found.bit_count() > limit):
        raise CasebaseError(_too_small(told, [names[i] for i in order], search, limit, was_interrupted))
    n = len(order)
    n_smaller = sum(comb(n, size) for size in range(search.size))
    chosen = elements(found)
    support = np.zeros(cases.n_features, dtype=bool)
    support[[order[i] for i in chosen]] = True
    return Focus(
        support,
        tuple(np.flatnonzero(support).tolist()),
        told.conflicts(found),
        n_smaller if was_interrupted else n_smaller + place(chosen, n) + 1,
        search.n_checked,
        tuple(range(search.size + (not was_interrupted))),
        was_interrupted,
    )


def place(chosen: list[int], n: int) -> int:
    """Return how many sets of as many of n features come before this one, which is ascending.

    >>> place([0, 1], 4), place([0, 3], 4), place([2, 3], 4)
    (0, 2, 5)
    """
    before, first = 0, 0
    for i, element in enumerate(chosen):
        before += sum(comb(n - 1 - skipped, len(chosen) - i - 1) for skipped in range(first, element))
        first = element + 1
    return before


def value_codes(cases: Cases, feature: int, missing_agrees: bool) -> np.ndarray:
    """Return the values of a feature as codes: equal if they agree, each missing one its own unless they agree."""
    column, vocabulary = cases.columns[feature], cases.schema.features[feature].vocabulary
    if vocabulary is None:
        is_missing = np.isnan(column)
        column = np.unique(column, return_inverse=True)[1].ravel().astype(np.uint32)
    else:
        is_missing = np.zeros(len(column), dtype=bool) if vocabulary.missing is None else column == vocabulary.missing
    if missing_agrees or not is_missing.any():
        return column
    codes = column.astype(np.uint32)
    codes[is_missing] = codes.max() + 1 + np.arange(np.count_nonzero(is_missing), dtype=np.uint32)
    return codes


class Telling:
    """What sets of features tell apart. Features are numbered as their columns come; sets are masks.

    Cases that agree on all features are one point. A class that is most frequent in every point of a group can answer
    the whole group without more errors than the points have; a group without such a class is torn.
    """

    def __init__(
        self, columns: list[np.ndarray], labels: np.ndarray, weights: np.ndarray | None, n_classes: int
    ) -> None:
        self.n_features = len(columns)
        self.n_classes = n_classes
        order, group = grouped(columns, len(labels))
        self.labels = labels[order].astype(np.int64)
        self.weights = np.ones(len(labels)) if weights is None else weights[order]
        self.point = group
        first = np.flatnonzero(np.diff(group, prepend=-1))
        self.columns = [column[order][first] for column in columns]
        self.n_points = len(first)
        # The most frequent classes of each point: almost always one.
        cell, counts = self._counts(group)
        most = np.zeros(self.n_points)
        np.maximum.at(most, cell // n_classes, counts)
        is_most = counts == most[cell // n_classes]
        self.most_of, self.most = cell[is_most] // n_classes, cell[is_most] % n_classes
        self.has_ties = len(self.most) > self.n_points

    def _counts(self, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cells, which = np.unique(group * self.n_classes + self.labels, return_inverse=True)
        return cells, np.bincount(which.ravel(), self.weights, minlength=len(cells))

    def conflicts(self, mask: int) -> float:
        """Return the weight of the cases that are not of the most frequent class of their group."""
        order, group = grouped([self.columns[i] for i in elements(mask)], self.n_points)
        of_point = np.empty(self.n_points, dtype=np.int64)
        of_point[order] = group
        cell, counts = self._counts(of_point[self.point])
        most = np.zeros(self.n_points)
        np.maximum.at(most, cell // self.n_classes, counts)
        return float(self.weights.sum() - most.sum())

    def reasons(self, mask: int) -> list[int]:
        """Return why a set of features is not enough: sets of which it needs one more; none if it is enough."""
        order, group = grouped([self.columns[i] for i in elements(mask)], self.n_points)
        if self.has_ties:
            return self._differences(self._torn(order, group))
        label = self.most[order]  # one entry per point
        at = np.flatnonzero((group[1:] == group[:-1]) & (label[1:] != label[:-1]))
        # Points are in lexicographic order, so neighbours differ in few features: the best reasons.
        return self._differences([order[[i, i + 1]] for i in at[:: len(at) // N_PAIRS + 1].tolist()])

    def _torn(self, order: np.ndarray, group: np.ndarray) -> list[np.ndarray]:
        """Return points of one group each that have no most frequent class in common, as few as possible."""
        of_point = np.empty(self.n_points, dtype=np.int64)
        of_point[order] = group
        cell, n_points = np.unique(of_point[self.most_of] * self.n_classes + self.most, return_counts=True)
        most = np.zeros(int(group[-1]) + 1, dtype=np.int64)
        np.maximum.at(most, cell // self.n_classes, n_points)
        first = np.append(np.flatnonzero(np.diff(group, prepend=-1)), self.n_points)
        torn = np.flatnonzero(most < np.diff(first))
        return [self._without_common_class(order[first[g] : first[g + 1]]) for g in torn[:N_REASONS].tolist()]

    def _without_common_class(self, points: np.ndarray) -> np.ndarray:
        first = np.searchsorted(self.most_of, [points, points + 1])
        classes = [frozenset(self.most[a:b].tolist()) for a, b in first.T]
        # Walk on until no class is common to all; then walk back from there, which leaves out whom it can.
        kept, common = list(range(len(points))), frozenset(range(self.n_classes))
        for n, i in enumerate(kept):
            common &= classes[i]
            if not common:
                kept = kept[: n + 1]
                break
        for i in list(kept):
            others = [classes[j] for j in kept if j != i]
            if others and not frozenset.intersection(*others):
                kept.remove(i)
        return points[kept]

    def _differences(self, together: list[np.ndarray]) -> list[int]:
        """Return the features on which points that must not stay together differ."""
        if not together:
            return []
        if all(len(points) == 2 for points in together):
            a, b = np.array(together).T
            differs = np.stack([column[a] != column[b] for column in self.columns], axis=1)
        else:
            differs = np.array([[len(set(column[p].tolist())) > 1 for column in self.columns] for p in together])
        packed = np.unique(np.packbits(differs, axis=1, bitorder="little"), axis=0)
        return minimal(int.from_bytes(row.tobytes(), "little") for row in packed)[:N_REASONS]


def grouped(columns: list[np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows sorted by columns, and for each of them, in that order, the number of its group of equal rows."""
    order = _native.lexicographic_order(columns, n)
    return order.astype(np.int64), np.cumsum(begins_run([column[order] for column in columns], n)) - 1


class Search:
    """A search for the smallest set that is enough; it keeps the reasons, and the best set so far."""

    def __init__(self, told: Telling, progress: Progress | None) -> None:
        self.told, self.progress = told, progress
        self.everything = (1 << told.n_features) - 1
        self.needed: list[int] = []
        self.best: int | None = None
        self.size = 0
        self.n_checked = 0

    def is_enough(self, mask: int) -> bool:
        reasons = self.told.reasons(mask)
        self.n_checked += 1
        if self.progress:
            self.progress(self.size, self.told.n_features)
        if reasons:
            self.needed = minimal([*self.needed, *reasons])
        return not reasons

    def smallest(self, limit: int | None) -> int | None:
        """Return the first of the smallest sets that are enough; None if it has more features than the limit."""
        self.best = self._pruned()
        while self.size < self.best.bit_count():
            if limit is not None and self.size > limit:
                return None
            found = hitting_set(self.needed, self.everything, self.size)
            if found is None:
                self.size += 1
            elif self.is_enough(found):
                self.best = found
        return self._first(self.best)

    def _pruned(self) -> int:
        """Return a set that is enough, from which no feature can be left out: the last ones go first."""
        mask = self.best = self.everything
        for i in reversed(range(self.told.n_features)):
            if self.is_enough(mask & ~(1 << i)):
                mask = self.best = mask & ~(1 << i)
        return mask

    def _first(self, found: int) -> int:
        """Return the first set, in the order of the features, that is enough and as small as the one found."""
        chosen: list[int] = []
        while len(chosen) < self.size:
            start, end = (chosen[-1] + 1 if chosen else 0), elements(found)[len(chosen)]
            for i in range(start, end):
                better = self._with(mask_of([*chosen, i]), i)
                if better is not None:
                    found, end = better, i
                    break
            chosen.append(end)
        self.best = found
        return found

    def _with(self, chosen: int, last: int) -> int | None:
        """Return a smallest set that is enough and that begins with the chosen features."""
        later = self.everything & ~((2 << last) - 1)
        while True:
            left = [mask for mask in self.needed if not mask & chosen]
            others = hitting_set(left, later, self.size - chosen.bit_count())
            if others is None:
                return None
            if self.is_enough(chosen | others):
                return chosen | others


def checked_max_size(max_size: object) -> int | None:
    if max_size is None:
        return None
    if not is_whole(max_size, 0):
        raise CasebaseError(
            f"max_size is how many features may be chosen: a whole number of at least 0, or None; got {max_size!r}."
        )
    return int(max_size)


def _too_small(told: Telling, names: list[str], search: Search, limit: int | None, was_interrupted: bool) -> str:
    """Return the message for a limit under which nothing was found, with what can be had within it."""
    if was_interrupted:
        return (
            f"Interrupted before a set of at most {limit} features was found that tells the classes apart as well as "
            f"all features do; of fewer than {search.size} there is none."
        )
    assert limit is not None
    mask = 0
    for _ in range(limit):
        candidates = [mask | 1 << i for i in range(told.n_features) if not mask >> i & 1]
        mask = min(candidates, key=told.conflicts)
    shown = ", ".join(names[i] for i in elements(mask)) or "none"
    return (
        f"max_size={limit} is too small: no set of so few features tells the classes apart as well as all "
        f"{told.n_features} do. Taking the best ones first ({shown}) leaves {told.conflicts(mask):g} cases in "
        f"conflict, all features leave {told.conflicts(search.everything):g}. Allow more, or use "
        "a method that weighs errors."
    )
