"""OBLIVION's search: drop one feature after another, as long as abstract cases answer no worse.

Cases are held out, one at a time or in folds, and answered by the abstract cases of all others: by the one that
matches, else by the nearest ones together. Backward, the feature is dropped without which the fewest cases are
answered wrongly, unless that would be more than now; so of two sets that do equally well the smaller one is kept.
Forward, by the same rule, the best feature is added only if fewer cases are then answered wrongly.

Which of several features that do equally well goes (or comes) first is decided by their names where the columns have
names, else by their position: the earlier one.

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
# Between two looks at the progress, and at Ctrl-C, so many groups are asked; each may look at all that are stored.
FEWEST_AT_ONCE, MOST_AT_ONCE = 64, 8192
COMPARISONS_AT_ONCE = 1 << 26  # half a second's work or so

# Leave one out, a number of folds, or pairs of the cases to learn from and the cases to ask, by position.
HoldOut = str | int | list[tuple[Any, Any]] | tuple[tuple[Any, Any], ...]
WAYS_TO_HOLD_OUT = (
    'cv is "loo" (leave one out), a number of folds, or a list of pairs (train, test) of positions; got {!r}.'
)


@dataclass(frozen=True)
class Trial:
    """One step of the search: the feature dropped or added (None at the start), and how well the rest then does."""

    feature: int | None
    n_features: int
    errors: float


@dataclass(frozen=True, eq=False)
class Selection:
    """The features that are kept, and how the search came to them.

    `ranking` is 1 for a feature that is kept; of the others, the one that was dropped last has 2. `otherwise` has the
    errors that dropping each kept feature would lead to (adding each of the others, if the search went forward).
    `total` is what all cases weigh, so `errors / total` is the error rate.
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
        """Return the steps of the search, with the names of the features; the first is the start, and has none."""
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
        by_rank = sorted(used, key=lambda i: -self.ranking[i])  # what was dropped first stands first
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
    """Cases to answer from the cases that are left; `left` is None where each case is answered by all others."""

    asked: Kinds
    left: Kinds | None
    preference: Preference

    def without(self, rank: int) -> "_HoldOut":
        return _HoldOut(
            self.asked.without(rank), None if self.left is None else self.left.without(rank), self.preference
        )


class _Search:
    """The features in use, and what is known about the cases with these features alone."""

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

    def held_out(self, features: Sequence[int]) -> list[_HoldOut]:
        """Return what is asked, and of whom, when only these features are looked at."""
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
        """Return the errors without each feature and, last, with all; and the parts with what was learnt of them."""
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
    """How OBLIVION searches the features."""

    first: ClassVar[str] = "direction"

    direction: str = setting(
        "backward",
        '{"backward", "forward"}',
        "Whether features are dropped, beginning with all, as long as no more cases are predicted wrongly, or added, "
        "beginning with none, as long as fewer are.",
        check_name("direction", DIRECTIONS),
        kind="choice",
        choices=DIRECTIONS,
    )
    cv: HoldOut = setting(
        "loo",
        '"loo", int or list of splits',
        "How predictions are estimated: each case from all others, in this many folds, or (in Python) by pairs of row "
        "numbers to learn from and to predict, such as `list(KFold(5).split(X))` gives.",
        lambda cv: check_hold_out(cv),
        kind="whole",
        word="loo",
        option="--folds",
    )
    max_steps: int | None = setting(
        None,
        "int, optional",
        "Drop, or add, at most this many features.",
        lambda n: None if n is None else _whole("max_steps", n),
        kind="whole",
    )
    min_features: int = setting(
        0, "int", "Keep at least this many features.", lambda n: _whole("min_features", n), kind="whole"
    )
    missing: str = common.missing("Whether a missing value is a value like any other, or agrees with nothing.")
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
    """Return the features without which, or with which, abstract cases answer best.

    `cv` says how the answers are estimated: "loo" leaves one case out at a time, a number makes that many folds (by
    chance, from `random_state`), a list of pairs says which cases to learn from and which to ask.
    Ctrl-C ends the search and returns the best so far.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"], ["b", "y", "Q"]], target=-1)
    >>> select(cases).kept
    (0,)
    """
    settings = SearchSettings.of(settings, values)
    used = [i for i, feature in enumerate(cases.schema.features) if feature.kind != "ignored"]
    cases = with_symbols(cases, used)
    limits = _limits(settings.max_steps, settings.min_features, len(used))
    search = _Search(cases, settings.cv, checked_missing(settings.missing), settings.random_state, n_jobs)
    found = (_backward if settings.direction == "backward" else _forward)(search, used, *limits, progress)
    return Selection(**found, total=search.total)


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
        parts = search.held_out(features)
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
        return float(search.errors(search.held_out(features), features, False, report)[0][-1])

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
    """Return features, those first on which two cases disagree most often: the search then passes over most."""

    def spread(feature: int) -> float:
        counts = np.bincount(cases.columns[feature])
        return -float(((counts / counts.sum()) ** 2).sum())

    return sorted(features, key=spread, reverse=True)


def _places(schema: Schema, features: list[int]) -> dict[int, int]:
    """Return the place of each feature among those that do equally well."""
    return {feature: place for place, feature in enumerate(relevance_order(schema, features))}


def _reporter(progress: Progress | None, n_done: int, n_all: int) -> Callable[[float], object]:
    parts = 1000
    if progress is None:
        return lambda share: None
    return lambda share: progress(int((n_done + share) * parts), n_all * parts)


def _limits(max_steps: object, min_features: object, n_features: int) -> tuple[int, int]:
    fewest = _whole("min_features", min_features)
    if fewest > n_features:
        raise CasebaseError(f"min_features={min_features}: there are not so many features to keep, only {n_features}.")
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
    """Return the positions to learn from and to ask, after checking; a part that has none of either says nothing."""
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
        raise CasebaseError(f"A split has the positions of its cases as a list of whole numbers; got {rows!r}.")
    outside = positions[(positions < 0) | (positions >= n_cases)]
    if len(outside):
        raise CasebaseError(f"A split names case {outside[0]}, but there are cases 0 to {n_cases - 1} only.")
    return positions.astype(np.int64)
