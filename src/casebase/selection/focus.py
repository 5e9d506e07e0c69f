"""FOCUS: the smallest set of features that tells the classes apart as well as all features do.

Cases that agree on a set of features but have different classes are in conflict: whatever class the group gets as its
answer, the cases of its other classes are answered wrongly. FOCUS looks for the smallest set with no more
conflicts than all features have (none, if the cases are consistent), by size, the first in the order of the features
among sets of one size. Such a set is called sufficient.

Trying all sets of a size would be simple and slow. Instead, every insufficient set gives reasons: it does not separate
some cases that must be separated, so every sufficient set contains one of the features on which these cases differ.
The search collects the reasons and checks on the cases only the sets that contain a feature for each reason, a minimum
hitting set; a failure adds new reasons, and the search goes on where it was. Once no set of a size hits all reasons, no
set of that size is sufficient: the search is exact.

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
from casebase.progress import Progress, warn_user
from casebase.selection.masks import elements, mask_of, minimal
from casebase.selection.subsets import kept_and_dropped

STEPS_PER_REPORT, STEPS_BEFORE_WARNING = 2**16, 2**21  # partial sets tried: a tenth of a second, and some seconds
N_PAIRS, N_REASONS = 1024, 32  # per insufficient set: pairs of cases examined, reasons kept


@dataclass(frozen=True, eq=False)
class Focus:
    """The selected features, as a mask over the columns and as positions.

    `n_conflicts` is the weight of the cases that even all features answer wrongly. `n_subsets` is the number of sets
    that an exhaustive search by size and order would try up to this one, including it and the empty set; this search
    checked `n_checked` of them on the cases. `sizes` are the sizes that were searched. If the search was interrupted
    (`was_interrupted`), the set is sufficient but may not be the smallest: only the sizes searched are ruled out.
    """

    support: np.ndarray
    features: tuple[int, ...]
    n_conflicts: float
    n_subsets: int
    n_checked: int
    sizes: tuple[int, ...]
    was_interrupted: bool = False

    def to_dict(self, cases: Cases) -> dict[str, Any]:
        """Return the result as `casebase select --json` prints it."""
        return kept_and_dropped(self.features, cases) | {
            "features": [cases.schema.names[i] for i in self.features],
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
        "The largest number of features to select; an error if no set of that size is sufficient.",
        lambda size: checked_max_size(size),
        kind="whole",
    )
    missing: str = common.missing("Whether a missing value counts as a value of its own, or agrees with no value.")


def focus(cases: Cases, settings: Settings | None = None, *, progress: Progress | None = None, **values: Any) -> Focus:
    """Return the smallest set of features that tells the classes apart as well as all features do.

    `progress` is called with the current set size and the number of features. An interruption (Ctrl-C) returns the
    smallest sufficient set found so far.

    >>> rows = [["0", "0", "0", "P"], ["0", "1", "0", "Q"], ["1", "0", "1", "Q"], ["1", "1", "1", "P"]]
    >>> focus(Cases.from_table(rows, target=-1)).features
    (0, 1)
    """
    settings = Settings.of(settings, values)
    limit = settings.max_size
    names = cases.schema.names
    # Sorted by name where features have names, so that the order of the columns does not change the result.
    order = sorted(used_features(cases), key=lambda i: (names[i] if cases.schema.is_named else "", i))
    columns = [value_codes(cases, i, checked_missing(settings.missing)) for i in order]
    consistency = Consistency(columns, cases.known_labels, cases.weights, cases.n_classes)
    search = Search(consistency, progress)
    try:
        found, was_interrupted = search.smallest(limit), False
    except KeyboardInterrupt:
        found, was_interrupted = search.best, True
    if found is None or (limit is not None and found.bit_count() > limit):
        raise CasebaseError(_limit_message(consistency, [names[i] for i in order], search, limit, was_interrupted))
    n = len(order)
    n_smaller = sum(comb(n, size) for size in range(search.size))
    chosen = elements(found)
    support = np.zeros(cases.n_features, dtype=bool)
    support[[order[i] for i in chosen]] = True
    return Focus(
        support,
        tuple(np.flatnonzero(support).tolist()),
        consistency.conflicts(found),
        n_smaller if was_interrupted else n_smaller + place(chosen, n) + 1,
        search.n_checked,
        tuple(range(search.size + (not was_interrupted))),
        was_interrupted,
    )


def place(chosen: list[int], n: int) -> int:
    """Return the lexicographic rank of an ascending set among all sets of its size out of n features.

    >>> place([0, 1], 4), place([0, 3], 4), place([2, 3], 4)
    (0, 2, 5)
    """
    before, first = 0, 0
    for i, element in enumerate(chosen):
        before += sum(comb(n - 1 - skipped, len(chosen) - i - 1) for skipped in range(first, element))
        first = element + 1
    return before


def value_codes(cases: Cases, feature: int, missing_agrees: bool) -> np.ndarray:
    """Return codes that are equal where values agree; unless `missing_agrees`, every missing value has its own code."""
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


class Consistency:
    """Checks whether sets of features separate the classes; sets are bit masks over the columns.

    Cases that agree on all features form a point. If some class is the most frequent one in every point of a group,
    it answers the whole group with no more errors than the points have on their own; a group without such a class is
    mixed, and the set of features that leaves it together is insufficient.
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
        # The most frequent classes of each point, usually one. Only with ties does a point have several.
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
        """Return why a set is insufficient: masks of features, one of each must be added; none if it is sufficient."""
        order, group = grouped([self.columns[i] for i in elements(mask)], self.n_points)
        if self.has_ties:
            return self._differences(self._mixed_groups(order, group))
        label = self.most[order]  # one entry per point
        at = np.flatnonzero((group[1:] == group[:-1]) & (label[1:] != label[:-1]))
        # Points are in lexicographic order, so adjacent ones differ in few features: small reasons prune most.
        return self._differences([order[[i, i + 1]] for i in at[:: len(at) // N_PAIRS + 1].tolist()])

    def _mixed_groups(self, order: np.ndarray, group: np.ndarray) -> list[np.ndarray]:
        """Return, for every mixed group, a minimal set of its points without a most frequent class in common."""
        of_point = np.empty(self.n_points, dtype=np.int64)
        of_point[order] = group
        cell, n_points = np.unique(of_point[self.most_of] * self.n_classes + self.most, return_counts=True)
        most = np.zeros(int(group[-1]) + 1, dtype=np.int64)
        np.maximum.at(most, cell // self.n_classes, n_points)
        first = np.append(np.flatnonzero(np.diff(group, prepend=-1)), self.n_points)
        # A group is mixed if none of its classes is a most frequent class of all its points.
        mixed = np.flatnonzero(most < np.diff(first))
        return [self._without_common_class(order[first[g] : first[g + 1]]) for g in mixed[:N_REASONS].tolist()]

    def _without_common_class(self, points: np.ndarray) -> np.ndarray:
        first = np.searchsorted(self.most_of, [points, points + 1])
        classes = [frozenset(self.most[a:b].tolist()) for a, b in first.T]
        # Take points until no class is common to all of them; then drop every point that is not needed for that.
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
        """Return, as masks, the features on which the points of each set differ: one of them must be selected."""
        if not together:
            return []
        if all(len(points) == 2 for points in together):  # pairs, the usual case, are compared in one step
            a, b = np.array(together).T
            differs = np.stack([column[a] != column[b] for column in self.columns], axis=1)
        else:
            differs = np.array([[len(set(column[p].tolist())) > 1 for column in self.columns] for p in together])
        packed = np.unique(np.packbits(differs, axis=1, bitorder="little"), axis=0)
        return minimal(int.from_bytes(row.tobytes(), "little") for row in packed)[:N_REASONS]


def grouped(columns: list[np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows sorted by the columns, and the group number of each sorted row; equal rows form a group."""
    order = _native.lexicographic_order(columns, n)
    return order.astype(np.int64), np.cumsum(begins_run([column[order] for column in columns], n)) - 1


class Search:
    """A search for the smallest sufficient set; it keeps all reasons and the best set so far."""

    def __init__(self, consistency: Consistency, progress: Progress | None) -> None:
        self.consistency, self.progress = consistency, progress
        self.everything = (1 << consistency.n_features) - 1
        self.sets = _native.HittingSets(consistency.n_features)
        self.best: int | None = None
        self.size = 0
        self.n_checked = 0
        self.n_steps = 0

    def missed(self, chosen: list[int]) -> list[list[int]]:
        """Return the reasons that a set of features does not hit: none if it is sufficient."""
        reasons = self.consistency.reasons(mask_of(chosen))
        self.n_checked += 1
        if self.progress:
            self.progress(self.size, self.consistency.n_features)
        return [elements(mask) for mask in reasons]

    def is_sufficient(self, mask: int) -> bool:
        reasons = self.missed(elements(mask))
        for reason in reasons:
            self.sets.add(reason)
        return not reasons

    def _step(self, n_steps: int) -> None:
        """Count partial sets that were tried; say once what may be ahead, and now and then that the search goes on."""
        before, self.n_steps = self.n_steps, self.n_steps + n_steps
        if before // STEPS_PER_REPORT < self.n_steps // STEPS_PER_REPORT and self.progress:
            self.progress(self.size, self.consistency.n_features)
        if before < STEPS_BEFORE_WARNING <= self.n_steps:
            assert self.best is not None
            n, largest = self.consistency.n_features, self.best.bit_count()
            n_sets = sum(comb(n, size) for size in range(self.size, largest))
            warn_user(
                f"FOCUS has tried {self.n_steps:,} partial sets of {n} features, and no set of fewer than {self.size} "
                f"tells the classes apart. It ends at {largest} at the latest, after up to {n_sets:,} sets: the search "
                "is exponential where the classes are noise. Ctrl-C returns the smallest set found so far; max_size "
                "limits the search; OBLIVION and RELIEF select features of noisy cases."
            )

    def smallest(self, limit: int | None) -> int | None:
        """Return the first of the smallest sufficient sets; None if they have more features than the limit."""
        self.best = self._prune()  # an upper bound, and an answer if the search is interrupted
        while self.size < self.best.bit_count():
            if limit is not None and self.size > limit:
                return None
            found = self._find([], 0)
            if found is None:
                self.size += 1
            else:
                self.best = found
        return self._first(self.best)

    def _prune(self) -> int:
        """Return a sufficient set from which no feature can be dropped, by backward elimination from the last one."""
        mask = self.best = self.everything
        for i in reversed(range(self.consistency.n_features)):
            if self.is_sufficient(mask & ~(1 << i)):
                mask = self.best = mask & ~(1 << i)
        return mask

    def _first(self, found: int) -> int:
        """Return the lexicographically first sufficient set of the same size as the one found."""
        chosen: list[int] = []
        while len(chosen) < self.size:
            start, end = (chosen[-1] + 1 if chosen else 0), elements(found)[len(chosen)]
            # Fix the features one by one: is there a sufficient set with an earlier feature in this place?
            for i in range(start, end):
                better = self._find([*chosen, i], i + 1)
                if better is not None:
                    found, end = better, i
                    break
            chosen.append(end)
        self.best = found
        return found

    def _find(self, chosen: list[int], begin: int) -> int | None:
        """Return a sufficient set of the size, the chosen features and some from `begin` on; None if there is none."""
        candidates = list(range(begin, self.consistency.n_features))
        found = self.sets.find(chosen, candidates, self.size - len(chosen), self.missed, self._step)
        return None if found is None else mask_of(found)


def checked_max_size(max_size: object) -> int | None:
    if max_size is None:
        return None
    if not is_whole(max_size, 0):
        raise CasebaseError(
            f"max_size is the largest number of features to select: a whole number of at least 0, or None; "
            f"got {max_size!r}."
        )
    return int(max_size)


def _limit_message(
    consistency: Consistency, names: list[str], search: Search, limit: int | None, was_interrupted: bool
) -> str:
    """Return the error message for a limit that is too small, with the best that a greedy choice reaches within it."""
    if was_interrupted:
        return (
            f"Interrupted before finding a set of at most {limit} features that tells the classes apart as well as "
            f"all features do; no set of fewer than {search.size} does."
        )
    assert limit is not None
    mask = 0
    for _ in range(limit):
        candidates = [mask | 1 << i for i in range(consistency.n_features) if not mask >> i & 1]
        mask = min(candidates, key=consistency.conflicts)
    shown = ", ".join(names[i] for i in elements(mask)) or "none"
    return (
        f"max_size={limit} is too small: no set of that size tells the classes apart as well as all "
        f"{consistency.n_features} features do. A greedy choice ({shown}) leaves {consistency.conflicts(mask):g} cases "
        f"in conflict, all features leave {consistency.conflicts(search.everything):g}. Allow more features, or use "
        "a method that weighs errors."
    )
