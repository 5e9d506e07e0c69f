"""Search for a representation: derive some, compare each with the one at hand, keep the best, and go on from there.

A search makes many comparisons, and some representation wins by chance. So the confidence that a comparison needs grows
with their number: round r may err with a probability of 1/2^r of the whole, which its comparisons share, and in each of
them all runs after which the sign test is made. What is found is then checked with examples that were kept apart from
the beginning.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.data.checks import is_number, is_whole
from casebase.data.folds import folds
from casebase.errors import CasebaseError, unknown_name
from casebase.measures.trend import sign_test_p
from casebase.measures.weights import feature_weights
from casebase.progress import Progress
from casebase.representations.comparison import MAX_RUNS, compare_representations
from casebase.representations.found import Candidate, Check, Found
from casebase.representations.generators import pairs
from casebase.representations.generators.contexts import window
from casebase.representations.generators.cuts import cuts
from casebase.representations.generators.features import subset
from casebase.representations.generators.letters import grams
from casebase.representations.generators.variants import View
from casebase.representations.inputs import Representation, checked_examples
from casebase.representations.learners import checked_learner, learn_function, learner_name, name_and_parameters

GENERATORS = ("features", "pairs", "bins", "ngrams", "windows")
GIVEN = "as given"
MAX_ROUNDS = 4
MOST_DROPPED = 12  # features of which each is left out in turn: those with the smallest gain ratios
MOST_PAIRED = 4  # features that are paired: those with the largest gain ratios
MOST_WINDOWS = 3
BINS = (3, 5, 10)
GRAMS = (2, 3)
TEXTS = 0.5  # a column with so many distinct values per example has texts
FEWEST_HELD_OUT = 10

Derived = tuple[str, View]


def search_representations(
    X: Any,
    y: Any = None,
    *,
    learner: Any = "id3",
    parameters: Mapping[str, Any] | None = None,
    generate: Sequence[str] | None = None,
    confidence: float = 0.95,
    held_out: float = 0.2,
    max_rounds: int = MAX_ROUNDS,
    max_runs: int = MAX_RUNS,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Found:
    """Search for a representation of the examples that suits a learner better than the one given.

    Parameters
    ----------
    X : table or Cases
        The examples.
    y : array-like, optional
        The class of each example; without it, `X` has classes.
    learner, parameters, max_runs, random_state, n_jobs
        As for `compare_representations`.
    generate : list of str, optional
        How to derive representations: "features" (leave one out, keep the better half), "pairs" (the values of two
        features as one more feature), "bins" (numbers in intervals), "ngrams" (texts as letter n-grams), "windows"
        (narrower windows around the middle column). By default all but "windows", each where the columns allow it.
    confidence : float, default=0.95
        The probability that no representation is kept by chance: one with which each side wins half of the runs.
    held_out : float, default=0.2
        The share of the examples that are kept apart, to check what was found.
    max_rounds : int, default=4
        How many changes are made at most, one on top of the other.
    progress : callable, optional
        Called with the number of finished comparisons and the number of comparisons of the rounds so far.

    An interruption (Ctrl-C) returns the best representation so far.
    """
    checked_learner(learner, parameters)
    learner, parameters = name_and_parameters(learner, parameters)
    chosen = _checked_generators(generate)
    _check_settings(confidence, held_out, max_rounds, max_runs)
    cases = checked_examples(X, y)
    apart = folds(cases.known_labels, round(1 / held_out), random_state, of="examples") == 0
    if apart.sum() < FEWEST_HELD_OUT:
        raise CasebaseError(
            f"A share of {held_out:g} of {cases.n_cases} examples is {apart.sum()}: a check needs at least "
            f"{FEWEST_HELD_OUT} examples that are kept apart. Give more examples or a larger held_out."
        )
    training = np.flatnonzero(~apart)

    def compare(one: Cases, other: Cases, level: float) -> Any:
        return compare_representations(
            {"current": one.take(training), "candidate": other.take(training)},
            learner=learner,
            parameters=parameters if isinstance(learner, str) else None,
            confidence=1.0 - level,
            max_runs=max_runs,
            sensitivity=False,
            random_state=random_state,
            n_jobs=n_jobs,
        )

    best, candidates, was_interrupted = _climb(
        cases, training, chosen, compare, 1.0 - confidence, max_rounds, max_runs, progress
    )
    names = tuple(one.name for one in candidates if one.is_kept)
    right = [_right(learner, parameters, one, training)[apart] for one in (cases, best)]
    return Found(
        names,
        tuple(candidates),
        _check(*right),
        best,
        learner_name(learner),
        len(training),
        confidence,
        random_state,
        was_interrupted,
    )


def _climb(
    cases: Cases,
    training: np.ndarray,
    generate: Sequence[str],
    compare: Callable[[Cases, Cases, float], Any],
    alpha: float,
    max_rounds: int,
    max_runs: int,
    progress: Progress | None,
) -> tuple[Cases, list[Candidate], bool]:
    """Return the best representation, all that were compared on the way, and whether the user interrupted."""
    current, candidates = cases, []
    n_planned = 0
    for number in range(1, max_rounds + 1):
        derived = list(_derived(current, training, generate))
        n_planned += len(derived)
        level = alpha / 2**number / max(1, len(derived)) / max_runs
        better: list[tuple[float, int, Cases]] = []
        try:
            for name, view in derived:
                table = view(current)
                found = compare(current, table, level)
                candidates.append(Candidate.of(name, number, level, found))
                if found.best == "candidate":
                    better.append((found.bits_per_example["candidate"], len(candidates) - 1, table))
                if progress is not None:
                    progress(len(candidates), n_planned)
                if found.was_interrupted:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            return current, candidates, True
        if not better:
            break
        _, place, current = min(better, key=lambda one: one[:2])
        candidates[place] = replace(candidates[place], is_kept=True)
    return current, candidates, False


def _derived(cases: Cases, training: np.ndarray, generate: Sequence[str]) -> Iterator[Derived]:
    """Yield representations that differ from the one at hand in one respect; classes come from training examples."""
    makers = {"features": _fewer, "pairs": _paired, "bins": _in_intervals, "ngrams": _in_grams, "windows": _in_windows}
    learned = cases.take(training)
    by_gain = np.argsort(-feature_weights(learned, "gain_ratio"), kind="stable")
    for name in generate:
        yield from makers[name](cases, by_gain)


def _fewer(cases: Cases, by_gain: np.ndarray) -> Iterator[Derived]:
    names = cases.schema.names
    if len(names) < 2:
        return
    for i in sorted(by_gain[::-1][:MOST_DROPPED].tolist()):
        yield f"without {names[i]}", subset([name for name in names if name != names[i]])
    half = sorted(by_gain[: len(names) // 2].tolist())
    if len(half) < len(names) - 1:
        yield f"only {', '.join(names[i] for i in half)}", subset([names[i] for i in half])


def _paired(cases: Cases, by_gain: np.ndarray) -> Iterator[Derived]:
    names, symbolic = cases.schema.names, pairs.are_symbols(cases)
    strongest = [i for i in by_gain.tolist() if symbolic[i] and pairs.JOIN not in names[i]][:MOST_PAIRED]
    for i, j in combinations(sorted(strongest), 2):
        if not pairs.is_joined(cases, names[i], names[j]):
            yield f"with {names[i]}{pairs.JOIN}{names[j]}", pairs.pair(names[i], names[j])


def _in_intervals(cases: Cases, _: np.ndarray) -> Iterator[Derived]:
    if not pairs.are_symbols(cases).all():
        yield from cuts(("equal_width", "equal_frequency"), BINS)


def _in_grams(cases: Cases, _: np.ndarray) -> Iterator[Derived]:
    vocabularies = [feature.vocabulary for feature in cases.schema.features]
    if any(one is not None and len(one) > TEXTS * cases.n_cases for one in vocabularies):
        for size in GRAMS:
            yield f"ngrams={size}", grams(size, size)


def _in_windows(cases: Cases, _: np.ndarray) -> Iterator[Derived]:
    n = cases.n_features
    if n % 2 and n > 1:
        for size in range(n // 2 - 1, max(-1, n // 2 - 1 - MOST_WINDOWS), -1):
            yield f"window={size}+{size}", window(size, size)


def _right(learner: Any, parameters: Mapping[str, Any], cases: Cases, training: np.ndarray) -> np.ndarray:
    """Return which examples a hypothesis from the training examples classifies correctly."""
    is_wrong, _ = learn_function(learner, parameters, Representation("", cases, cases))(training)
    return ~is_wrong


def _check(before: np.ndarray, after: np.ndarray) -> Check:
    won, lost = int((after & ~before).sum()), int((before & ~after).sum())
    return Check(len(before), float(before.mean()), float(after.mean()), won, lost, sign_test_p(won, lost))


def _checked_generators(generate: Sequence[str] | None) -> tuple[str, ...]:
    if generate is None:
        return GENERATORS[:-1]
    names = (generate,) if isinstance(generate, str) else tuple(generate)
    for name in names:
        if name not in GENERATORS:
            raise CasebaseError(unknown_name("generator", name, GENERATORS))
    if not names:
        raise CasebaseError(f"generate needs one of {', '.join(GENERATORS)}, or several; got none.")
    return tuple(dict.fromkeys(names))


def _check_settings(confidence: Any, held_out: Any, max_rounds: Any, max_runs: Any) -> None:
    if not is_number(confidence) or not 0.5 <= confidence < 1.0:
        raise CasebaseError(f"confidence is a share from 0.5 to below 1, such as 0.95; got {confidence!r}.")
    if not is_number(held_out) or not 0.0 < held_out <= 0.5:
        raise CasebaseError(f"held_out is a share of the examples, above 0 and at most 0.5; got {held_out!r}.")
    for name, value in (("max_rounds", max_rounds), ("max_runs", max_runs)):
        if not is_whole(value, 1):
            raise CasebaseError(f"{name} is a whole number of at least 1; got {value!r}.")
