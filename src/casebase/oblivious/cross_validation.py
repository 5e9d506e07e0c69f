"""Cross-validation of abstract cases over any set of features: leave-one-out, or in folds.

Cases are held out, one at a time or in folds. The abstract cases of all others predict them: the one that matches, else
the nearest ones together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase import _native
from casebase.base.answers import Preference
from casebase.data import Cases
from casebase.data.checks import is_whole
from casebase.data.folds import folds
from casebase.errors import CasebaseError
from casebase.memory.distinct import Kinds, kinds_of
from casebase.memory.segments import as_questions

# Groups per native call: progress and Ctrl-C wait for its end, and each group may be compared with all stored ones.
FEWEST_AT_ONCE, MOST_AT_ONCE = 64, 8192
COMPARISONS_AT_ONCE = 1 << 26  # about half a second of work
LISTED_AT_ONCE = 4096  # by lists a group takes some ten microseconds

# Leave-one-out, a number of folds, or pairs of training and test positions.
HoldOut = str | int | list[tuple[Any, Any]] | tuple[tuple[Any, Any], ...]
WAYS_TO_HOLD_OUT = (
    'cv is "loo" (leave-one-out), a number of folds, or a list of pairs (train, test) of positions; got {!r}.'
)


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold: test cases, and the training cases that are left (None for leave-one-out)."""

    asked: Kinds
    left: Kinds | None
    preference: Preference

    def without(self, rank: int) -> "Fold":
        return Fold(self.asked.without(rank), None if self.left is None else self.left.without(rank), self.preference)


class CrossValidation:
    """Cross-validation of abstract cases over any subset of the features."""

    def __init__(self, cases: Cases, cv: HoldOut, missing_agrees: bool, seed: int, n_jobs: int) -> None:
        self.cases, self.missing_agrees, self.n_jobs = cases, missing_agrees, n_jobs
        labels, weights = cases.known_labels, cases.weights
        everything = np.arange(cases.n_cases)
        self.parts: list[tuple[np.ndarray, np.ndarray | None]]
        if cv == "loo":
            self.parts = [(everything, None)]
        elif isinstance(cv, list | tuple):
            self.parts = [(test, train) for train, test in checked_splits(cv, cases.n_cases)]
        else:
            fold = folds(labels, checked_folds(cv), seed)
            self.parts = [(np.flatnonzero(fold == i), np.flatnonzero(fold != i)) for i in range(fold.max() + 1)]
        asked = np.concatenate([rows for rows, _ in self.parts])
        self.total = float(len(asked) if weights is None else weights[asked].sum())
        self.frequency = [
            np.bincount(labels[rows], None if weights is None else weights[rows], cases.n_classes).astype(float)
            for rows in (everything if left is None else left for _, left in self.parts)
        ]

    def folds(self, features: Sequence[int]) -> list[Fold]:
        """Return the folds over these features alone."""
        rank = np.arange(self.cases.n_classes, dtype=np.uint32)
        return [
            Fold(self._kinds(asked, features), None if left is None else self._kinds(left, features), preference)
            for (asked, left), preference in zip(self.parts, (Preference(n, rank) for n in self.frequency))
        ]

    def _kinds(self, rows: np.ndarray, features: Sequence[int]) -> Kinds:
        weights = self.cases.weights
        columns = [self.cases.columns[i][rows] for i in features]
        return kinds_of(columns, self.cases.known_labels[rows], None if weights is None else weights[rows])

    def errors(
        self, parts: Sequence[Fold], features: Sequence[int], wanted: np.ndarray, report: Callable[[float], object]
    ) -> tuple[np.ndarray, tuple[Fold, ...]]:
        """Return the errors without each wanted feature and, last, with all; and the folds with tighter search bounds.

        `wanted` marks the features, by position among them. The nearest group found now bounds the search of the next
        step, which has one feature fewer.
        """
        errors, bounded = np.zeros(len(features) + 1), []
        n_done, n_all = 0, sum(part.asked.n_groups for part in parts)
        for part in parts:
            stored = (part.asked if part.left is None else part.left).groups
            asked = part.asked
            questions = as_questions(
                list(asked.groups.columns), self.cases.schema, np.array(features, np.int64), self.missing_agrees
            )
            at_most = asked.at_most[asked.first_kind[:-1].astype(np.int64)]
            lists = stored.lists(for_others=part.left is None)
            disagreements = []
            n_at_once = min(max(COMPARISONS_AT_ONCE // stored.n_groups, FEWEST_AT_ONCE), MOST_AT_ONCE)
            if lists is not None:
                n_at_once = LISTED_AT_ONCE
            for begin in range(0, asked.n_groups, n_at_once):
                end = min(begin + n_at_once, asked.n_groups)
                found, n_off = _native.eliminate(
                    list(stored.columns),
                    stored.first_count,
                    stored.count_label,
                    stored.count,
                    questions,
                    part.left is None,
                    at_most,
                    asked.first_kind,
                    asked.label,
                    asked.left_out,
                    asked.amount,
                    begin,
                    end,
                    part.preference.frequency,
                    part.preference.rank,
                    wanted,
                    lists,
                    self.n_jobs,
                )
                errors += found
                disagreements.append(n_off)
                n_done += end - begin
                report(n_done / n_all)
            bounded.append(Fold(asked.with_bounds(np.concatenate(disagreements)), part.left, part.preference))
        return errors, tuple(bounded)


def checked_folds(cv: object) -> int:
    if not is_whole(cv):
        raise CasebaseError(WAYS_TO_HOLD_OUT.format(cv))
    return int(cv)


def by_spread(cases: Cases, features: Sequence[int]) -> list[int]:
    """Order features by how often two cases differ on them: the search then skips most groups early."""

    def spread(feature: int) -> float:
        counts = np.bincount(cases.columns[feature])
        return -float(((counts / counts.sum()) ** 2).sum())

    return sorted(features, key=spread, reverse=True)


def checked_splits(cv: Sequence[tuple[Any, Any]], n_cases: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the training and test positions, after checking; splits without either are left out."""
    splits = []
    for split in cv:
        if not isinstance(split, list | tuple) or len(split) != 2:
            raise CasebaseError(WAYS_TO_HOLD_OUT.format(split))
        train, test = (_positions(rows, n_cases) for rows in split)
        if len(train) and len(test):
            splits.append((train, test))
    if not splits:
        raise CasebaseError("The splits of cv hold out no case.")
    return splits


def _positions(rows: Any, n_cases: int) -> np.ndarray:
    positions = np.asarray(rows)
    if positions.ndim != 1 or (positions.size and positions.dtype.kind not in "iu"):
        raise CasebaseError(f"A split is a list of case positions, whole numbers; got {rows!r}.")
    outside = positions[(positions < 0) | (positions >= n_cases)]
    if len(outside):
        raise CasebaseError(f"A split names case {outside[0]}, but there are only cases 0 to {n_cases - 1}.")
    return positions.astype(np.int64)
