"""ACR: which representation gives a learner the shortest codelength of the examples?

In a good representation, a short hypothesis is right on most examples. Each run learns hypotheses from nested random
samples of growing size, in each representation, and adds to the bits of each hypothesis the bits that correct it on all
examples. The smallest total is the representation's codelength in this run. A run of a representation ends when the
total cannot decrease any more: the errors look independent, or the total grows with the sample. Runs repeat until a
sign test decides every pair, or until the maximum number of runs.

Reference: Saxena, "An algorithm to evaluate instance representations" (1991).
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np

from casebase.base.parameters import plain_parameters
from casebase.base.threads import n_threads
from casebase.data.checks import is_number, is_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.measures import codelengths
from casebase.progress import Progress
from casebase.representations.contest import Contest, fewest_runs
from casebase.representations.inputs import Representation, checked_representations
from casebase.representations.learners import checked_learner, learn_function, learner_name, name_and_parameters
from casebase.representations.ranking import cycles
from casebase.representations.record import Comparison, Run
from casebase.representations.samples import Examples, Learn, Measurement, run, sample_sizes

ORDERS = ("lexicographic", "given")
FIRST_ROOTS = 4  # the first sample has this many times √n of n examples
GROWTH = 2**0.5
MAX_RUNS = 50
FIRST_SIZE_FACTORS = (0.5, 1, 2, 4)  # multiples of the first size in the sensitivity analysis
FEW_EXAMPLES = 80  # with fewer there are fewer than 20 autocorrelations, and one outside is 5 % of them


def compare_representations(
    X: Mapping[str, Any],
    y: Any = None,
    *,
    learner: Any = "id3",
    parameters: Mapping[str, Any] | None = None,
    first_size: int | None = None,
    growth: float = GROWTH,
    confidence: float = 0.99,
    max_runs: int = MAX_RUNS,
    order: str = "lexicographic",
    sensitivity: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Find the representation of the examples that suits a learner best, with the evidence.

    Parameters
    ----------
    X : dict
        The representations by name: tables of any kind (or `Cases`) with one row per example, the same examples in the
        same order.
    y : array-like, optional
        The class of each example; without it, all representations are `Cases` with classes.
    learner : str or object, default="id3"
        "id3", "c45", "c45rules", "perceptron_tree", "oblivious_graph", "igtree", "oblivion" or "rules"; or any object
        with `fit`, `predict` and `codelength` (bits of the fitted hypothesis); each sample gets a copy of it. A
        casebase classifier means the same as the name of its learner with its parameters.
    parameters : dict, optional
        Parameters of a learner given by name.
    first_size : int, optional
        The size of the first sample; by default 4·√n of n examples, at most a quarter of them. From smaller samples a
        learner learns nothing: errors look independent, and the run ends too early.
    growth : float, default=√2
        The factor by which each sample is larger than the one before.
    confidence : float, default=0.99
        Confidence level of the sign test that decides a pair, and of Kendall's test that ends a run.
    max_runs : int, default=50
        The number of runs after which a pair stays undecided.
    order : {"lexicographic", "given"}, default="lexicographic"
        The order of the examples in the test that errors are independent: by their values, or as given.
    sensitivity : bool, default=True
        Whether to repeat the comparison with other first sizes.
    random_state : int, default=0
        Seed of the samples. The same seed gives the same comparison for any n_jobs.
    n_jobs : int, optional
        Number of threads; 1 by default, -1 for all cores.
    progress : callable, optional
        Called with the number of finished runs and the maximum number of runs.

    An interruption (Ctrl-C) after the first run returns the result so far, marked `was_interrupted`.
    """
    checked_learner(learner, parameters)
    learner, parameters = name_and_parameters(learner, parameters)
    representations = checked_representations(X, y)
    n_examples = representations[0].cases.n_cases
    first_size = _checked_first(first_size, n_examples)
    _check_settings(growth, confidence, max_runs, order, random_state)
    if progress is not None and not callable(progress):
        raise CasebaseError(
            f"progress is a function of the finished runs and the maximum number of runs; got {progress!r}."
        )
    settings = _Settings(
        first_size, float(growth), float(confidence), int(max_runs), order, int(random_state), n_threads(n_jobs)
    )
    firsts = _first_sizes(first_size, n_examples) if sensitivity else [first_size]
    names = [one.name for one in representations]
    contests = [Contest(names, first, settings.confidence) for first in firsts]
    examples = [
        Examples(
            one.name,
            learn_function(learner, parameters, one),
            one.order if order == "lexicographic" else None,
            n_examples,
            one.cases.n_classes,
        )
        for one in representations
    ]
    was_interrupted = run_contests(contests, examples, settings, progress)
    own = next(contest for contest in contests if contest.first_size == first_size)
    bits, verdict = own.bits_per_example(n_examples), own.verdict(n_examples)
    contradictory = {one.name: one.n_contradictory for one in representations}
    constant = tuple(one.name for one in representations if one.is_constant)
    return Comparison(
        names=tuple(names),
        best=verdict.best,
        ranking=verdict.ranking,
        bits_per_example=bits,
        pairs=verdict.pairs,
        cycles=cycles(names, verdict.pairs),
        undecided=tuple((pair.first, pair.second) for pair in verdict.pairs if pair.verdict is None),
        runs=tuple(own.runs),
        sensitivity=tuple(contest.verdict(n_examples) for contest in contests if contest.n_runs),
        default_bits_per_example=_default_bits(representations[0]) / n_examples,
        n_examples=n_examples,
        n_classes=representations[0].cases.n_classes,
        n_contradictory=contradictory,
        constant=constant,
        learner=learner_name(learner),
        parameters=plain_parameters(parameters),
        first_size=first_size,
        growth=settings.growth,
        confidence=settings.confidence,
        max_runs=settings.max_runs,
        order=order,
        seed=settings.seed,
        notes=tuple(_notes(representations, contradictory, constant, settings)),
        was_interrupted=was_interrupted,
    )


@dataclass(frozen=True)
class _Settings:
    first_size: int
    growth: float
    confidence: float
    max_runs: int
    order: str
    seed: int
    n_threads: int


class _StopRun(Exception):
    """A run is no longer needed."""


def run_contests(
    contests: Sequence[Contest], examples: Sequence[Examples], settings: _Settings, progress: Progress | None
) -> bool:
    """Run until all contests are decided or the runs are used up; return whether the user interrupted."""
    own = next(contest for contest in contests if contest.first_size == settings.first_size)
    most = settings.max_runs
    try:
        for number, found in enumerate(_rounds(contests, examples, settings)):
            for contest in contests:
                if contest.active:
                    size = contest.first_size
                    contest.add({name: by_first[size] for name, by_first in found.items() if size in by_first})
            if progress:
                progress(number + 1, most)
    except KeyboardInterrupt:
        if not own.n_runs:
            raise
        return True
    if progress:
        progress(most, most)
    return False


def _rounds(
    contests: Sequence[Contest], examples: Sequence[Examples], settings: _Settings
) -> Iterator[dict[str, dict[int, Run]]]:
    """Yield the runs one by one: for each representation with an open pair, its run from each first size."""
    stop = Event()  # tells learners in other threads that their result is no longer needed

    def task(one: Examples, number: int, firsts: list[int]) -> dict[int, Run]:
        known: dict[int, Measurement] = {}
        one = replace(one, learn=_stoppable(one.learn, stop))
        sizes = {first: sample_sizes(one.n_examples, first, settings.growth) for first in firsts}
        try:
            return {
                first: run(one, number, settings.seed, sizes[first], known, 1.0 - settings.confidence)
                for first in firsts
            }
        except (_StopRun, KeyboardInterrupt):
            raise
        except Exception as error:
            raise _locate(error, one, number, known) from error

    def needed(name: str) -> list[int]:
        return [contest.first_size for contest in contests if name in contest.active]

    if settings.n_threads == 1:
        for number in range(settings.max_runs):
            wanted = {one.name: needed(one.name) for one in examples}
            if not any(wanted.values()):
                return
            yield {one.name: task(one, number, wanted[one.name]) for one in examples if wanted[one.name]}
        return
    # The first batch has as many runs as the earliest decision needs, so none of them is wasted; later batches have
    # one run per thread. Results are counted in order, so the outcome does not depend on the number of threads.
    number, at_once = 0, fewest_runs(settings.confidence)
    with ThreadPoolExecutor(settings.n_threads) as pool:
        try:
            while number < settings.max_runs:
                wanted = {one.name: needed(one.name) for one in examples}
                if not any(wanted.values()):
                    return
                numbers = range(number, min(number + at_once, settings.max_runs))
                batch: list[dict[str, Future[dict[int, Run]]]] = [
                    {one.name: pool.submit(task, one, n, wanted[one.name]) for one in examples if wanted[one.name]}
                    for n in numbers
                ]
                for futures in batch:
                    if not any(needed(name) for name in futures):
                        return
                    yield {name: future.result() for name, future in futures.items()}
                number, at_once = numbers.stop, settings.n_threads
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _stoppable(learn: Learn, stop: Event) -> Learn:
    """Return a function that learns unless its result is no longer needed."""

    def learn_unless_stopped(rows: np.ndarray) -> tuple[np.ndarray, float]:
        if stop.is_set():
            raise _StopRun
        return learn(rows)

    return learn_unless_stopped


def _locate(error: Exception, one: Examples, number: int, known: Mapping[int, Measurement]) -> Exception:
    """Return the error with the run and the representation in which it occurred."""
    where = f"In run {number}, on a sample of representation {one.name!r} (after {len(known)} smaller ones): "
    if isinstance(error, CasebaseError):
        return CasebaseError(f"{where}{error}")
    return CasebaseError(f"{where}the learner failed with {type(error).__name__}: {error}")


def _default_bits(representation: Representation) -> float:
    """Return the codelength of always answering the most frequent class, with its corrections."""
    counts = representation.cases.class_counts
    n_examples, n_errors = int(counts.sum()), int(counts.sum() - counts.max())
    n_classes: int = representation.cases.n_classes
    return codelengths.tree([], 1, n_classes) + codelengths.exceptions(n_examples, n_errors, n_classes=n_classes)


def _checked_first(first_size: int | None, n_examples: int) -> int:
    if first_size is None:
        # Even, so that half of it can be a first size too and share its samples.
        return max(min(2 * round(FIRST_ROOTS * float(n_examples**0.5) / 2), n_examples // 4), 1)
    if not is_whole(first_size, 1, n_examples):
        raise CasebaseError(
            f"first_size is the number of examples in the first sample, a whole number from 1 to {n_examples}; "
            f"got {first_size!r}."
        )
    return int(first_size)


def _first_sizes(first_size: int, n_examples: int) -> list[int]:
    return sorted(
        {
            max(1, int(first_size * times))
            for times in FIRST_SIZE_FACTORS
            if times <= 1 or first_size * times < n_examples
        }
    )


def _check_settings(growth: Any, confidence: Any, max_runs: Any, order: Any, seed: Any) -> None:
    if not is_number(growth) or not 1.0 < growth < float("inf"):
        raise CasebaseError(
            f"growth is the factor from each sample to the next, a number above 1, such as 1.5; got {growth!r}."
        )
    if not is_number(confidence) or not 0.5 <= confidence < 1.0:
        raise CasebaseError(f"confidence is a share from 0.5 to below 1, such as 0.99; got {confidence!r}.")
    if not is_whole(max_runs, 1):
        raise CasebaseError(f"max_runs is a whole number of at least 1; got {max_runs!r}.")
    if order not in ORDERS:
        raise CasebaseError(unknown_name("order", order, ORDERS))
    if not is_whole(seed, 0):
        raise CasebaseError(f"random_state is a whole number from 0 on; got {seed!r}.")


def _notes(
    representations: Sequence[Representation],
    contradictory: Mapping[str, int],
    constant: Sequence[str],
    settings: _Settings,
) -> Iterator[str]:
    """Yield what a reader must know before trusting the result."""
    n_examples = representations[0].cases.n_cases
    for name in constant:
        yield f"{name!r} has the same values in all examples: a learner can only learn the most frequent class from it."
    for name, n in contradictory.items():
        if n and name not in constant:
            yield (
                f"{n:,} of {n_examples:,} examples equal one of another class in {name!r}: "
                "no hypothesis is right on all of them."
            )
    for one in representations:
        if one.n_missing:
            are = "value is" if one.n_missing == 1 else "values are"
            yield f"{one.n_missing:,} {are} missing in {one.name!r}; the learner decides what they mean."
    n_classes = representations[0].cases.n_classes
    if 2 * n_classes > n_examples:
        yield (
            f"There are {n_classes:,} classes for {n_examples:,} examples: hardly any two examples share a class. "
            "To predict numbers, discretise them first."
        )
    if n_examples < FEW_EXAMPLES:
        yield (
            f"With {n_examples} examples the test of independence looks at {n_examples // 4} autocorrelations: "
            "a single one outside its interval keeps a run going."
        )
    if len(sample_sizes(n_examples, settings.first_size, settings.growth)) < 5:
        yield "There are fewer than five sample sizes, so Kendall's test for an increase never ran."
    if settings.max_runs < fewest_runs(settings.confidence):
        yield (
            f"No pair can be decided with {settings.max_runs} runs: a confidence of {settings.confidence:g} needs "
            f"at least {fewest_runs(settings.confidence)}."
        )
