"""OBLIVION: greedy elimination of features, and abstract cases over the features that are left.

Langley and Sage, "Oblivious decision trees and abstract cases", Section 2. An abstract case is
a combination of values of the kept features, with the classes of the cases that have it. A
query that matches one entirely gets its distribution; any other query gets the summed distributions
of the nearest ones, which match the most conditions. Backward elimination drops the feature
whose removal leaves the fewest errors as long as these are no more than before; the forward
variant of the paper's footnote adds one as long as that makes errors fewer. With a beam several sets
of features stay after each step.

Every estimate builds the abstract cases anew, for each case or fold that is left out.
Equal errors: the earlier column. Equal votes: the class more frequent among the cases learnt from,
then the earlier label. An answer from no case at all is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache

Row = Sequence[Hashable]
Weights = Sequence[float]
Condition = tuple[int, Hashable]  # a feature and its value
Distribution = dict[str, float]


@dataclass
class AbstractCase:
    """The values that some cases share, and their class counts."""

    conditions: tuple[Condition, ...]
    distribution: Distribution


@dataclass
class Selection:
    """The kept features, by column, and each step: the feature dropped or added, and the errors after it.

    The first step is the start, without a feature.
    """

    kept: list[int]
    history: list[tuple[int | None, float]]


def abstract_cases(
    rows: Sequence[Row], labels: Sequence[str], kept: Sequence[int], weights: Weights | None = None
) -> list[AbstractCase]:
    """Return the paths of the oblivious tree that tests the kept features.

    >>> [c.distribution for c in abstract_cases([["a", "x"], ["a", "y"], ["b", "x"]], list("PQQ"), [0])]
    [{'P': 1, 'Q': 1}, {'Q': 1}]
    """
    if weights is None:
        weights = [1] * len(rows)
    found: list[AbstractCase] = []
    for row, label, weight in zip(rows, labels, weights, strict=True):
        if weight == 0:
            continue
        conditions = tuple((feature, row[feature]) for feature in sorted(kept))
        same = [case for case in found if case.conditions == conditions]
        if not same:
            same = [AbstractCase(conditions, {})]
            found += same
        same[0].distribution[label] = same[0].distribution.get(label, 0) + weight
    return found


def n_matched(case: AbstractCase, query: Row, missing: str = "value") -> int:
    """Return how many conditions of an abstract case a case meets.

    A missing value meets the condition "missing", or none if `missing` is `"unknown"`.
    """
    return sum(
        query[feature] == value and not (value is None and missing == "unknown") for feature, value in case.conditions
    )


def predict(
    rows: Sequence[Row],
    labels: Sequence[str],
    kept: Sequence[int],
    query: Row,
    weights: Weights | None = None,
    missing: str = "value",
) -> tuple[str | None, Distribution]:
    """Return the class of a case, and the summed distribution of the abstract cases that decided.

    Without any case to learn from there is no class.
    """
    cases = abstract_cases(rows, labels, kept, weights)
    if not cases:
        return None, {}
    most = max(n_matched(case, query, missing) for case in cases)
    nearest = [case for case in cases if n_matched(case, query, missing) == most]
    return choose(add(nearest), add(cases)), add(nearest)


def add(cases: Sequence[AbstractCase]) -> Distribution:
    """Return the distributions of several abstract cases together."""
    total: Distribution = {}
    for case in cases:
        for label, weight in case.distribution.items():
            total[label] = total.get(label, 0) + weight
    return total


def choose(distribution: Distribution, learnt_from: Distribution) -> str:
    """Return the most likely class; of equal ones the more frequent, then the earlier label."""
    return min(distribution, key=lambda label: (-distribution[label], -learnt_from[label], label))


def held_out_answers(
    rows: Sequence[Row],
    labels: Sequence[str],
    kept: Sequence[int],
    weights: Weights | None = None,
    missing: str = "value",
    leave_out: str = "one",
) -> list[tuple[str | None, Distribution]]:
    """Return the answer to every case from all the others.

    Of a case of weight n, `"one"` leaves out one of the n cases it stands for, `"case"` all of them.
    """
    if weights is None:
        weights = [1] * len(rows)
    answers = []
    for i, row in enumerate(rows):
        rest = list(weights)
        rest[i] = max(rest[i] - 1, 0) if leave_out == "one" else 0
        answers.append(predict(rows, labels, kept, row, rest, missing))
    return answers


def leave_one_out_errors(
    rows: Sequence[Row],
    labels: Sequence[str],
    kept: Sequence[int],
    weights: Weights | None = None,
    missing: str = "value",
    leave_out: str = "one",
) -> float:
    """Return the weight of the cases that the others answer wrongly.

    >>> leave_one_out_errors([["a"], ["a"], ["b"]], list("PPQ"), [0])
    1
    """
    if weights is None:
        weights = [1] * len(rows)
    answers = held_out_answers(rows, labels, kept, weights, missing, leave_out)
    return sum(weight for (answer, _), label, weight in zip(answers, labels, weights) if answer != label)


def fold_errors(
    rows: Sequence[Row],
    labels: Sequence[str],
    kept: Sequence[int],
    folds: Sequence[int],
    weights: Weights | None = None,
    missing: str = "value",
) -> float:
    """Return the weight of the cases that the other folds answer wrongly; `folds` has the fold of each case."""
    if weights is None:
        weights = [1] * len(rows)
    errors = 0.0
    for row, label, fold, weight in zip(rows, labels, folds, weights, strict=True):
        rest = [0 if other == fold else n for other, n in zip(folds, weights)]
        answer, _ = predict(rows, labels, kept, row, rest, missing)
        if answer != label:
            errors += weight
    return errors


def select(
    rows: Sequence[Row],
    labels: Sequence[str],
    *,
    direction: str = "backward",
    weights: Weights | None = None,
    missing: str = "value",
    folds: Sequence[int] | None = None,
    max_steps: int | None = None,
    min_features: int = 0,
    leave_out: str = "one",
    beam: int = 1,
) -> Selection:
    """Return the features kept, by leave-one-out errors or by those of the given folds.

    `max_steps` is the most that may be dropped or added. Backward elimination stops at `min_features`;
    forward selection goes on to as many, whether that makes errors fewer or not. `beam` sets stay after each step.
    """

    @cache
    def errors_of(kept: tuple[int, ...]) -> float:
        if folds is not None:
            return fold_errors(rows, labels, kept, folds, weights, missing)
        return leave_one_out_errors(rows, labels, kept, weights, missing, leave_out)

    search = eliminate if direction == "backward" else accumulate
    return search(len(rows[0]), errors_of, max_steps, min_features, beam)


def eliminate(
    n_features: int,
    errors_of: Callable[[tuple[int, ...]], float],
    max_steps: int | None = None,
    min_features: int = 0,
    beam: int = 1,
) -> Selection:
    """Return what is left when features are dropped until the best of the smaller trees is worse."""
    everything = range(n_features)

    def left(dropped: Steps) -> list[int]:
        return [f for f in everything if f not in dropped]

    def may_follow(errors: float, before: float, n_dropped: int) -> bool:
        return errors <= before and n_features - n_dropped >= min_features

    return climb(everything, lambda dropped: errors_of(tuple(left(dropped))), left, may_follow, 0, max_steps, beam)


def accumulate(
    n_features: int,
    errors_of: Callable[[tuple[int, ...]], float],
    max_steps: int | None = None,
    min_features: int = 0,
    beam: int = 1,
) -> Selection:
    """Return what is gathered when features are added until the best of the larger trees is no better."""

    def may_follow(errors: float, before: float, n_added: int) -> bool:
        return errors < before or n_added <= min_features

    def errors_with(added: Steps) -> float:
        return errors_of(tuple(sorted(added)))

    return climb(range(n_features), errors_with, sorted, may_follow, min_features, max_steps, beam)


Steps = tuple[int, ...]  # features in the order in which they were dropped or added


def climb(
    features: Sequence[int],
    errors_of: Callable[[Steps], float],
    kept_by: Callable[[Steps], list[int]],
    may_follow: Callable[[float, float, int], bool],
    min_features: int,
    max_steps: int | None,
    beam: int,
) -> Selection:
    """Return the best set of a beam search: after every step the best few sets stay, the earlier columns of equal ones.

    A set that several others lead to comes from the best of these. Of all sets met, the one with the fewest errors is
    the result, and of equal ones the smallest; but one with fewer than `min_features` only if there is no larger one.
    """
    states: list[Steps] = [()]
    met: list[Steps] = [()]
    while states and (max_steps is None or len(states[0]) < max_steps):
        next_states: list[Steps] = []
        for state in states:
            for feature in features:
                if feature in state or any(set(other) == {*state, feature} for other in next_states):
                    continue
                if may_follow(errors_of((*state, feature)), errors_of(state), len(state) + 1):
                    next_states.append((*state, feature))
        next_states.sort(key=lambda state: (errors_of(state), sorted(state)))
        states = next_states[:beam]
        met += states

    def worth(state: Steps) -> tuple[int, float, int]:
        n_kept = len(kept_by(state))
        return max(min_features - n_kept, 0), errors_of(state), n_kept

    best = min(met, key=worth)  # the first of equal ones
    path = [best[:n] for n in range(len(best) + 1)]
    return Selection(kept_by(best), [(state[-1] if state else None, errors_of(state)) for state in path])
