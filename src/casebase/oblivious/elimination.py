"""OBLIVION's feature selection: backward elimination or forward selection, greedy or with a beam.

Cross-validation (`cross_validation`) tells how many errors abstract cases make over a set of features. Backward
elimination drops the feature whose removal gives the fewest errors, as long as errors do not increase; of two equally
good sets it therefore keeps the smaller one. Forward selection adds the best feature, as long as errors decrease.
With a beam, several sets go on in this way, the best ones after each step, and the best of all is the result.

Ties between features go to the first one: by name if columns have names, else by position.

Reference: Langley, Sage, "Oblivious decision trees and abstract cases" (1994).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from casebase.base import common, intervals
from casebase.base.checks import check_name, checked_missing
from casebase.base.intervals import NOT_CUT, CutsFirst
from casebase.base.settings import Settings, setting
from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError
from casebase.measures.weights import used_features
from casebase.memory.segments import relevance_order, with_symbols
from casebase.oblivious.cross_validation import CrossValidation, Fold, HoldOut, by_spread, checked_folds
from casebase.progress import Estimate, Progress

DIRECTIONS = ("backward", "forward")


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


@dataclass(frozen=True, kw_only=True)
class SearchSettings(CutsFirst, Settings):
    """How OBLIVION selects features."""

    first: ClassVar[str] = "direction"
    added: ClassVar[Mapping[str, Any]] = NOT_CUT

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
    beam: int = setting(
        1,
        "int",
        "How many sets of features are kept after each step; 1 is the greedy search. A larger beam takes as many times "
        "as long, and finds sets that greed misses.",
        lambda n: _checked_beam(n),
        kind="whole",
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
    discretise: str = intervals.cuts_first()
    n_bins: int = intervals.n_bins()
    random_state: int = common.random_state("Seed of the folds.")

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the settings in a model file; those of files from before the beam are greedy."""
        return super().from_dict({"beam": 1} | dict(record))


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
    """Return the features with which abstract cases predict best, by greedy search or with a beam.

    `cv` is the cross-validation: "loo" leaves one case out at a time, a number makes that many random folds (from
    `random_state`), and a list of pairs gives the training and test positions. Ctrl-C ends the search and returns the
    best features so far.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"], ["b", "y", "Q"]], target=-1)
    >>> select(cases).kept
    (0,)
    """
    settings = SearchSettings.of(settings, values)
    cases = settings.before_fit(cases)
    used = [i for i, feature in enumerate(cases.schema.features) if feature.kind != "ignored"]
    cases = with_symbols(cases, used)
    n_steps, min_features = _limits(settings.max_steps, settings.min_features, len(used))
    search = CrossValidation(cases, settings.cv, checked_missing(settings.missing), settings.random_state, n_jobs)
    if settings.direction == "backward":
        way: _Way = _Backward(search, used, min(n_steps, len(used) - min_features))
    else:
        way = _Forward(search, used, min(n_steps, len(used)), min_features)
    places = _places(cases.schema, used)
    found = _Climb(way, settings.beam, places, _Report(progress, cases.n_cases, way.n_steps, settings.beam)).run()
    return Selection(
        tuple(sorted(found.best.features)),
        found.best.trials,
        way.ranking(found.best, found.otherwise, places),
        found.otherwise,
        search.total,
        found.was_interrupted,
    )


@dataclass(frozen=True, eq=False)
class _State:
    """A set of features on the beam: the steps that led to it, the set before the last one, and its folds."""

    features: tuple[int, ...]
    trials: tuple[Trial, ...]
    before: "_State | None" = None
    parts: tuple[Fold, ...] = ()

    @property
    def changed(self) -> list[int]:
        """The features that were dropped or added, in this order."""
        return [trial.feature for trial in self.trials if trial.feature is not None]

    def changed_with(self, feature: int) -> "Changed":
        return frozenset([*self.changed, feature])

    @property
    def errors(self) -> float:
        return self.trials[-1].errors


Report = Callable[[float], object]
Changed = frozenset[int]  # a set of features on the beam, as what was dropped or added


class _Way(Protocol):
    """A direction of the search: from which set it starts, and which sets are one step away."""

    used: list[int]
    n_steps: int
    min_features: int  # sets with fewer features are no result
    looks_farther: bool  # whether the errors one step after the last one are of interest

    def start(self, report: Report) -> _State:
        """Return the first set."""
        ...

    def expand(self, state: _State, known: Mapping[Changed, float], report: Report) -> tuple[_State, dict[int, float]]:
        """Return the errors after each further step but those to a known set; and the state, for `step`."""
        ...

    def may_step(self, state: _State, errors: float) -> bool:
        """Return whether a set leads to one with these errors."""
        ...

    def step(self, state: _State, feature: int, errors: float) -> _State:
        """Return the set with one feature fewer, or more."""
        ...

    def ranking(self, best: _State, otherwise: dict[int, float], places: dict[int, int]) -> np.ndarray: ...


class _Climb:
    """A beam search. `best` is the set with the fewest errors so far; of equal ones the smaller.

    After each step the beam has the best sets, each once: those with the fewest errors, and of equal ones those whose
    features, dropped or added, come first. A set that several others lead to is evaluated once.
    """

    def __init__(self, way: _Way, beam: int, places: dict[int, int], report: "_Report") -> None:
        self.way, self.beam, self.places, self.report = way, beam, places, report
        self.best = way.start(report.of(0))
        self.known: dict[Changed, float] = {}  # errors one step from the beam
        self.sources: dict[Changed, tuple[_State, int]] = {}  # the sets that may follow, each with its first source
        self.otherwise: dict[int, float] = {}
        self.was_interrupted = False

    def run(self) -> "_Climb":
        states = [self.best]
        try:
            while states:
                states = self._next(states)
        except KeyboardInterrupt:
            self.was_interrupted, self.otherwise = True, {}
            if self.sources:  # of an unfinished step, the sets that were evaluated count
                self._note(self._stepped(1)[0])
        return self

    def _next(self, states: list[_State]) -> list[_State]:
        """Return the beam after one more step; nothing if no set leads farther."""
        way, n_done = self.way, len(states[0].changed)
        is_last = n_done >= way.n_steps
        members = [state for state in states[:1] if way.looks_farther and state is self.best] if is_last else states
        if members:
            self.known, self.sources = {}, {}
        for i, state in enumerate(members):
            expanded, errors = way.expand(state, self.known, self.report.of(n_done, i, len(members)))
            self.known |= {state.changed_with(feature): n for feature, n in errors.items()}
            for feature in way.used if not is_last else ():
                follower = state.changed_with(feature)
                is_new = len(follower) > n_done and follower not in self.sources
                if is_new and way.may_step(state, self.known[follower]):
                    self.sources[follower] = expanded, feature
            if state is self.best:
                self.otherwise = self._after(state)
        if is_last and not way.looks_farther and states[0] is self.best and self.best.before is not None:
            self.otherwise = self._after(self.best.before)
        if is_last or not self.sources:
            self.sources = {}
            return []
        states = self._stepped(self.beam)
        self._note(states[0])
        return states

    def _stepped(self, n: int) -> list[_State]:
        known, sources, places = self.known, self.sources, self.places
        chosen = nsmallest(n, sources, lambda changed: (known[changed], sorted(places[i] for i in changed)))
        return [self.way.step(*sources[changed], known[changed]) for changed in chosen]

    def _note(self, state: _State) -> None:
        """Remember a set if it is better than the best so far."""

        def rank(one: _State) -> tuple[int, float, int]:
            return max(self.way.min_features - len(one.features), 0), one.errors, len(one.features)

        if rank(state) < rank(self.best):
            self.best, self.otherwise = state, {}

    def _after(self, state: _State) -> dict[int, float]:
        """Return the errors one step after a set, without those to the best one."""
        return {i: self.known[state.changed_with(i)] for i in self.way.used if i not in self.best.changed}


class _Backward:
    """Features are dropped as long as errors do not increase."""

    min_features = 0  # there are no steps to smaller sets
    looks_farther = True

    def __init__(self, search: CrossValidation, used: list[int], n_steps: int) -> None:
        self.search, self.n_steps = search, n_steps
        self.used = by_spread(search.cases, used)
        self.first: tuple[_State, dict[int, float]] | None = None

    def start(self, report: Report) -> _State:
        # One pass gives the errors of a set and those without each feature, because the native search counts all.
        state = _State(tuple(self.used), (), None, tuple(self.search.folds(self.used)))
        errors, parts = self.search.errors(state.parts, state.features, np.ones(len(self.used), np.uint8), report)
        state = _State(state.features, (Trial(None, len(self.used), float(errors[-1])),), None, parts)
        self.first = state, dict(zip(state.features, errors[:-1].tolist()))
        return state

    def expand(self, state: _State, known: Mapping[Changed, float], report: Report) -> tuple[_State, dict[int, float]]:
        if self.first is not None and not state.changed:
            return self.first
        wanted = [state.changed_with(feature) not in known for feature in state.features]
        errors, parts = self.search.errors(state.parts, state.features, np.array(wanted, np.uint8), report)
        # The nearest group that was found bounds the search without one more feature.
        state = _State(state.features, state.trials, state.before, parts)
        return state, {i: float(n) for i, n, is_new in zip(state.features, errors, wanted) if is_new}

    def step(self, state: _State, feature: int, errors: float) -> _State:
        rank = state.features.index(feature)
        features = tuple(i for i in state.features if i != feature)
        trials = (*state.trials, Trial(feature, len(features), errors))
        return _State(features, trials, None, tuple(part.without(rank) for part in state.parts))

    def may_step(self, state: _State, errors: float) -> bool:
        return errors <= state.errors

    def ranking(self, best: _State, otherwise: dict[int, float], places: dict[int, int]) -> np.ndarray:
        ranking = np.ones(self.search.cases.n_features, dtype=np.int64)
        for place, feature in enumerate(reversed(best.changed)):
            ranking[feature] = place + 2
        return ranking


class _Forward:
    """Features are added as long as errors decrease, or fewer than `min_features` are kept."""

    looks_farther = False

    def __init__(self, search: CrossValidation, used: list[int], n_steps: int, min_features: int) -> None:
        self.search, self.used, self.n_steps, self.min_features = search, used, n_steps, min_features

    def start(self, report: Report) -> _State:
        return _State((), (Trial(None, 0, self._errors([], lambda share: None)),))

    def expand(self, state: _State, known: Mapping[Changed, float], report: Report) -> tuple[_State, dict[int, float]]:
        others = [i for i in self.used if i not in state.features and state.changed_with(i) not in known]
        found = {}
        for n_done, feature in enumerate(others):
            part = partial(_part_of, report, n_done, len(others))
            found[feature] = self._errors([*state.features, feature], part)
        return state, found

    def _errors(self, features: Sequence[int], report: Report) -> float:
        features = by_spread(self.search.cases, features)
        none = np.zeros(len(features), np.uint8)
        return float(self.search.errors(self.search.folds(features), features, none, report)[0][-1])

    def step(self, state: _State, feature: int, errors: float) -> _State:
        features = (*state.features, feature)
        return _State(features, (*state.trials, Trial(feature, len(features), errors)), state)

    def may_step(self, state: _State, errors: float) -> bool:
        return errors < state.errors or len(state.features) < self.min_features

    def ranking(self, best: _State, otherwise: dict[int, float], places: dict[int, int]) -> np.ndarray:
        ranking = np.full(self.search.cases.n_features, 2, dtype=np.int64)
        ranking[list(best.features)] = 1
        others = [i for i in self.used if i not in best.features]
        for place, feature in enumerate(sorted(others, key=lambda i: (otherwise.get(i, np.inf), places[i]))):
            ranking[feature] = place + 2
        return ranking


def _places(schema: Schema, features: list[int]) -> dict[int, int]:
    """Return the rank of each feature in ties."""
    return {feature: place for place, feature in enumerate(relevance_order(schema, features))}


class _Report:
    """Progress of the search, and how long it may take yet.

    The work is at most one evaluation for the first step, and one for each set of the beam in each later step. They
    become cheaper as features are dropped, and the search may end before the last step: the estimate of a backward
    search is an upper limit.
    """

    PARTS = 1000

    def __init__(
        self,
        progress: Progress | None,
        n_cases: int,
        n_steps: int,
        beam: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.progress, self.beam, self.total = progress, beam, 1 + n_steps * beam
        self.estimate = Estimate(
            progress,
            "up to {seconds} s left; Ctrl-C keeps the best features so far",
            f"OBLIVION evaluates sets of features on {n_cases:,} cases, which may take up to {{seconds}} s more. "
            "Ctrl-C keeps the best features so far; max_steps limits the search. A sample of the cases takes less, and "
            "so does FOCUS.",
            clock,
        )

    def of(self, n_steps: int, member: int = 0, n_members: int = 1) -> Report:
        """Return the function that reports an evaluation: that of a set on the beam after so many steps."""
        first, width = (1 + (n_steps - 1) * self.beam, self.beam) if n_steps else (0, 1)

        def reported(share: float) -> None:
            done = first + width * (member + share) / n_members
            if self.progress is not None:
                self.progress(int(done * self.PARTS), self.total * self.PARTS)
            self.estimate(done / self.total)

        return reported


def _part_of(report: Report, n_done: int, n_all: int, share: float) -> None:
    report((n_done + share) / n_all)


def _checked_beam(beam: object) -> None:
    if not is_whole(beam, 1):
        raise CasebaseError(f"beam is how many sets of features are kept after each step, 1 or more; got {beam!r}.")


def _limits(max_steps: object, min_features: object, n_features: int) -> tuple[int, int]:
    fewest = _whole("min_features", min_features)
    if fewest > n_features:
        raise CasebaseError(f"min_features={min_features}: there are only {n_features} features to keep.")
    return n_features if max_steps is None else _whole("max_steps", max_steps), fewest


def _whole(name: str, number: object) -> int:
    if not is_whole(number, 0):
        raise CasebaseError(f"{name} is a number of features, 0 or more; got {number!r}.")
    return int(number)
