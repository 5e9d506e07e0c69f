"""OBLIVION's greedy feature selection: backward elimination, or forward selection.

Cross-validation holds cases out, one at a time or in folds. The abstract cases of all others predict them: the one that
matches, else the nearest ones together. Backward elimination drops the feature whose removal gives the fewest errors,
as long as errors do not increase; of two equally good sets it therefore keeps the smaller one. Forward selection adds
the best feature, as long as errors decrease.

Ties between features go to the first one: by name if columns have names, else by position.

Reference: Langley, Sage, "Oblivious decision trees and abstract cases" (1994).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.base import common
from casebase.base.answers import Preference
from casebase.base.checks import check_name, checked_missing
from casebase.base.settings import Settings, setting
from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.data.folds import folds
from casebase.errors import CasebaseError
from casebase.measures.weights import used_features
from casebase.memory.distinct import Kinds, kinds_of
from casebase.memory.segments import as_questions, relevance_order, with_symbols
from casebase.progress import Progress

DIRECTIONS = ("backward", "forward")
# Groups per native call: progress and Ctrl-C wait for its end, and each group may be compared with all stored ones.
FEWEST_AT_ONCE, MOST_AT_ONCE = 64, 8192
COMPARISONS_AT_ONCE = 1 << 26  # about half a second of work

# Leave-one-out, a number of folds, or pairs of training and test positions.
HoldOut = str | int | list[tuple[Any, Any]] | tuple[tuple[Any, Any], ...]
WAYS_TO_HOLD_OUT = (
    'cv is "loo" (leave-one-out), a number of folds, or a list of pairs (train, test) of positions; got {!r}.'
)


@dataclass(frozen=True)
class Trial:
    """One step of the search: the feature dropped or added (None at the start), and the errors after it."""

    feature: int | None
    n_features: int
    errors: float


@dataclass(frozen=True, eq=False)
class Selection:
    """The selected features, and the steps of the search.

    `ranking` is 1 for a selected feature, 2 for the one that was dropped last, and so on. `otherwise` has the errors
    after one more step: without each selected feature, or with each of the others in a forward search. `total` is the
    weight of all cases, so `errors / total` is the error rate.
    """

    kept: tuple[int, ...]
    trials: tuple[Trial, ...]
    ranking: np.ndarray
    otherwise: dict[int, float]
    total: float
    was_interrupted: bool = False

    def accuracy(self, trial: Trial) -> float:
        return 1 - trial.errors / self.total

    def steps(self, schema: Schema) -> list[dict[str, Any]]:
        """Return the steps of the search with feature names; the first is the start, without a feature."""
        return [
            {
                "feature": None if trial.feature is None else schema.names[trial.feature],
                "n_features": trial.n_features,
                "errors": trial.errors,
                "accuracy": self.accuracy(trial),
            }
            for trial in self.trials
        ]

    def to_dict(self, cases: Cases) -> dict[str, Any]:
        """Return the search as `casebase select --json` prints it."""
        used, names = used_features(cases), cases.schema.names
        by_rank = sorted(used, key=lambda i: -self.ranking[i])  # in the order of dropping
        return {
            "kept": [names[i] for i in used if i in self.kept],
            "dropped": [names[i] for i in by_rank if i not in self.kept],
            "accuracy": self.accuracy(self.trials[-1]),
            "steps": self.steps(cases.schema),
            "otherwise": {names[i]: errors for i, errors in self.otherwise.items()},
            "ranking": {names[i]: int(self.ranking[i]) for i in used},
            "was_interrupted": self.was_interrupted,
        }


@dataclass(frozen=True, eq=False)
class _HoldOut:
    """One fold: test cases, and the training cases that are left (None for leave-one-out)."""

    asked: Kinds
    left: Kinds | None
    preference: Preference

    def without(self, rank: int) -> "_HoldOut":
        return _HoldOut(
            self.asked.without(rank), None if self.left is None else self.left.without(rank), self.preference
        )


class _Search:
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

    def folds(self, features: Sequence[int]) -> list[_HoldOut]:
        """Return the folds over these features alone."""
        rank = np.arange(self.cases.n_classes, dtype=np.uint32)
        return [
            _HoldOut(self._kinds(asked, features), None if left is None else self._kinds(left, features), preference)
            for (asked, left), preference in zip(self.parts, (Preference(n, rank) for n in self.frequency))
        ]

    def _kinds(self, rows: np.ndarray, features: Sequence[int]) -> Kinds:
        weights = self.cases.weights
        columns = [self.cases.columns[i][rows] for i in features]
        return kinds_of(columns, self.cases.known_labels[rows], None if weights is None else weights[rows])

    def errors(
        self, parts: list[_HoldOut], features: Sequence[int], each_feature: bool, report: Callable[[float], object]
    ) -> tuple[np.ndarray, list[_HoldOut]]:
        """Return the errors without each feature and, last, with all; and the folds with tighter search bounds.

        The nearest group found now bounds the search of the next step, which has one feature fewer.
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
            disagreements = []
            n_at_once = min(max(COMPARISONS_AT_ONCE // stored.n_groups, FEWEST_AT_ONCE), MOST_AT_ONCE)
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
                    each_feature,
                    self.n_jobs,
                )
                errors += found
                disagreements.append(n_off)
                n_done += end - begin
                report(n_done / n_all)
            bounded.append(_HoldOut(asked.with_bounds(np.concatenate(disagreements)), part.left, part.preference))
        return errors, bounded


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Settings):
    """How OBLIVION selects features."""

    first: ClassVar[str] = "direction"

    direction: str = setting(
        "backward",
        '{"backward", "forward"}',
        "Backward elimination starts with all features and drops them as long as errors do not increase; forward "
        "selection starts with none and adds them as long as errors decrease.",
        check_name("direction", DIRECTIONS),
        kind="choice",
        choices=DIRECTIONS,
    )
    cv: HoldOut = setting(
        "loo",
        '"loo", int or list of splits',
        "Cross-validation: leave-one-out, this many folds, or (in Python) pairs of training and test rows, such as "
        "`list(KFold(5).split(X))`.",
        lambda cv: check_hold_out(cv),
        kind="whole",
        word="loo",
        option="--folds",
    )
    max_steps: int | None = setting(
        None,
        "int, optional",
        "The largest number of features to drop or add.",
        lambda n: None if n is None else _whole("max_steps", n),
        kind="whole",
    )
    min_features: int = setting(
        0, "int", "The smallest number of features to keep.", lambda n: _whole("min_features", n), kind="whole"
    )
    missing: str = common.missing("Whether a missing value is a value like any other, or differs from every value.")
    random_state: int = common.random_state("Seed of the folds.")


def check_hold_out(cv: object) -> None:
    if not isinstance(cv, list | tuple) and cv != "loo":
        checked_folds(cv)


def select(
    cases: Cases,
    settings: SearchSettings | None = None,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    **values: Any,
) -> Selection:
    """Return the features with which abstract cases predict best, by greedy search.

    `cv` is the cross-validation: "loo" leaves one case out at a time, a number makes that many random folds (from
    `random_state`), and a list of pairs gives the training and test positions. Ctrl-C ends the search and returns the
    best features so far.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"], ["b", "y", "Q"]], target=-1)
    >>> select(cases).kept
    (0,)
    """
    settings = SearchSettings.of(settings, values)
    used = [i for i, feature in enumerate(cases.schema.features) if feature.kind != "ignored"]
    cases = with_symbols(cases, used)
    limits = _limits(settings.max_steps, settings.min_features, len(used))
    search = _Search(cases, settings.cv, checked_missing(settings.missing), settings.random_state, n_jobs)
    run = _backward if settings.direction == "backward" else _forward
    return Selection(**run(search, used, *limits, progress), total=search.total)


def _backward(
    search: _Search, used: list[int], max_steps: int, min_features: int, progress: Progress | None
) -> dict[str, Any]:
    features = _by_spread(search.cases, used)
    places = _places(search.cases.schema, used)
    trials: list[Trial] = []
    otherwise: dict[int, float] = {}
    dropped: list[int] = []
    was_interrupted = False
    n_steps = min(max_steps, len(used) - min_features)
    try:
        # One pass gives the errors without each feature, because the native search counts all of them at once.
        parts = search.folds(features)
        while True:
            errors, parts = search.errors(parts, features, True, _reporter(progress, len(dropped), n_steps + 1))
            if not trials:
                trials.append(Trial(None, len(features), float(errors[-1])))
            otherwise = {feature: float(n) for feature, n in zip(features, errors)}
            if not features or len(dropped) >= n_steps:
                break
            best = min(range(len(features)), key=lambda rank: (errors[rank], places[features[rank]]))
            if errors[best] > trials[-1].errors:
                break
            parts = [part.without(best) for part in parts]
            feature = features.pop(best)
            dropped.append(feature)
            trials.append(Trial(feature, len(features), float(errors[best])))
    except KeyboardInterrupt:
        if not trials:
            raise
        was_interrupted = True
        otherwise = {}
    ranking = np.ones(search.cases.n_features, dtype=np.int64)
    for place, feature in enumerate(reversed(dropped)):
        ranking[feature] = place + 2
    return {
        "kept": tuple(sorted(features)),
        "trials": tuple(trials),
        "ranking": ranking,
        "otherwise": otherwise,
        "was_interrupted": was_interrupted,
    }


def _forward(
    search: _Search, used: list[int], max_steps: int, min_features: int, progress: Progress | None
) -> dict[str, Any]:
    places = _places(search.cases.schema, used)
    n_steps = min(max_steps, len(used))
    kept: list[int] = []
    trials: list[Trial] = []
    otherwise: dict[int, float] = {}
    was_interrupted = False

    def errors_with(features: list[int], report: Callable[[float], object]) -> float:
        features = _by_spread(search.cases, features)
        return float(search.errors(search.folds(features), features, False, report)[0][-1])

    try:
        trials.append(Trial(None, 0, errors_with([], lambda share: None)))
        while len(kept) < n_steps:
            others = [i for i in used if i not in kept]
            otherwise = {}
            for i, feature in enumerate(others):
                report = _reporter(progress, len(kept) * len(used) + i, (n_steps + 1) * len(used))
                otherwise[feature] = errors_with([*kept, feature], report)
            best = min(others, key=lambda feature: (otherwise[feature], places[feature]))
            if otherwise[best] >= trials[-1].errors and len(kept) >= min_features:
                break
            kept.append(best)
            trials.append(Trial(best, len(kept), otherwise.pop(best)))
    except KeyboardInterrupt:
        if not trials:
            raise
        was_interrupted = True
    ranking = np.full(search.cases.n_features, 2, dtype=np.int64)
    ranking[kept] = 1
    others = [i for i in used if i not in kept]
    for place, feature in enumerate(sorted(others, key=lambda i: (otherwise.get(i, np.inf), places[i]))):
        ranking[feature] = place + 2
    return {
        "kept": tuple(sorted(kept)),
        "trials": tuple(trials),
        "ranking": ranking,
        "otherwise": otherwise,
        "was_interrupted": was_interrupted,
    }


def _by_spread(cases: Cases, features: Sequence[int]) -> list[int]:
    """Order features by how often two cases differ on them: the search then skips most groups early."""

    def spread(feature: int) -> float:
        counts = np.bincount(cases.columns[feature])
        return -float(((counts / counts.sum()) ** 2).sum())

    return sorted(features, key=spread, reverse=True)


def _places(schema: Schema, features: list[int]) -> dict[int, int]:
    """Return the rank of each feature in ties."""
    return {feature: place for place, feature in enumerate(relevance_order(schema, features))}


def _reporter(progress: Progress | None, n_done: int, n_all: int) -> Callable[[float], object]:
    parts = 1000
    if progress is None:
        return lambda share: None
    return lambda share: progress(int((n_done + share) * parts), n_all * parts)


def _limits(max_steps: object, min_features: object, n_features: int) -> tuple[int, int]:
    fewest = _whole("min_features", min_features)
    if fewest > n_features:
        raise CasebaseError(f"min_features={min_features}: there are only {n_features} features to keep.")
    return n_features if max_steps is None else _whole("max_steps", max_steps), fewest


def _whole(name: str, number: object) -> int:
    if not is_whole(number, 0):
        raise CasebaseError(f"{name} is a number of features, 0 or more; got {number!r}.")
    return int(number)


def checked_folds(cv: object) -> int:
    if not is_whole(cv):
        raise CasebaseError(WAYS_TO_HOLD_OUT.format(cv))
    return int(cv)


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
