"""The comparison itself: every contestant learns and answers the same folds."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log2
from statistics import mean, stdev
from typing import Any

import numpy as np

from casebase.base.model import format_count
from casebase.base.threads import n_threads
from casebase.data import Cases, Table
from casebase.data.checks import is_number, is_whole
from casebase.data.folds import checked_seed, folds
from casebase.errors import CasebaseError
from casebase.measures.paired import mcnemar_p
from casebase.method_comparison.contestants import Contestant, TrainedModel, contestants
from casebase.method_comparison.record import HeldOutAnswers, MethodComparison, MethodScore
from casebase.progress import Progress, part_of

SIGNIFICANT = 0.05  # a p-value below it tells a method from the best
LEAST_PROBABILITY = 1e-15  # of the true class: a log loss would otherwise be infinite
N_CASES_SLOW = 5000  # from here on the time of a method with a cost of n² is estimated beforehand
N_CLASSES_SHOWN = 3
SAMPLE_SIZES = (1000, 2000)  # cases of the two fits from which a time is estimated


def compare_methods(
    X: Any,
    y: Any = None,
    *,
    methods: Sequence[str] | None = None,
    peers: bool = False,
    cv: int = 5,
    time_budget: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> MethodComparison:
    """Compare all methods on a table, by cross-validation on the same folds.

    Which representation of the same examples suits one method is another question: see `compare_representations`.

    Each method has its default settings. The rows are compared with the best by McNemar's exact test on the held-out
    answers. Each case is answered once by each method, so the answers are paired, and the test needs only the cases on
    which two methods differ. It is exact for small tables, and remains valid if a method has answered some folds only.
    A t-test over the folds, even with the correction of Nadeau and Bengio (2003), has as many observations as there are
    folds: with five it rarely tells two methods apart. What the test leaves out is how much the models would vary with
    other training cases; and p is not corrected for the number of methods.

    Parameters
    ----------
    X : table
        A data frame, array or list of rows, as for the classifiers; or `Cases` with classes, without `y`.
    y : array-like, optional
        The class of each case.
    methods : list of str, optional
        Names of methods, as in `casebase train --learner`; all by default.
    peers : bool, default=False
        Whether to add scikit-learn's random forest and histogram boosting, and LightGBM where it is installed.
    cv : int, default=5
        Number of folds; each class is spread evenly over them. There are fewer if no class has that many cases.
    time_budget : float, optional
        Seconds for each method. A method that has used them up skips its remaining folds. A method with a cost of n²
        or more is not started on more than 5,000 cases if its first fold is estimated to take longer.
    random_state : int, default=0
        Seed of the folds, and of the methods and peers that draw random numbers.
    n_jobs : int, optional
        Number of threads; 1 by default, -1 for all cores.
    progress : callable, optional
        Called with the number of finished folds and the number of all folds of all methods.

    An interruption (Ctrl-C) after the first method returns the result so far, marked `was_interrupted`.

    References: McNemar, Psychometrika 12 (1947); Dietterich, Neural Computation 10 (1998); Nadeau and Bengio, Machine
    Learning 52 (2003).

    Examples
    --------
    >>> rows = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]] * 5
    >>> compare_methods(rows, ["apple", "pepper", "apple", "bean"] * 5, methods=["ib1", "c45"]).best
    'c45'
    """
    cases = _checked_cases(X, y)
    seed, threads = checked_seed(random_state), n_threads(n_jobs)
    if time_budget is not None and (not is_number(time_budget) or not time_budget > 0):
        raise CasebaseError(f"time_budget is a number of seconds above 0; got {time_budget!r}.")
    if progress is not None and not callable(progress):
        raise CasebaseError(f"progress is a function of the finished folds and all folds; got {progress!r}.")
    entered = contestants(methods, peers=peers, random_state=seed, n_threads=threads)
    n_folds = _n_folds(cases, cv)
    fold = folds(cases.known_labels, n_folds, seed)
    finished: list[_Outcome] = []
    was_interrupted = False
    for number, contestant in enumerate(entered):
        try:
            part = part_of(progress, number * n_folds, len(entered) * n_folds)
            finished.append(_run(contestant, cases, fold, time_budget, part))
        except KeyboardInterrupt:
            if not finished:
                raise
            was_interrupted = True
            break
    rows = _scores(finished, cases)
    return MethodComparison(
        rows=tuple(rows),
        best=rows[0].method if rows[0].accuracy is not None else None,
        best_method=next((row.method for row in rows if row.role == "method" and row.accuracy is not None), None),
        n_cases=cases.n_cases,
        n_features=cases.n_features,
        n_classes=cases.n_classes,
        n_folds=n_folds,
        fold_sizes=tuple(np.bincount(fold, minlength=n_folds).tolist()),
        random_state=seed,
        time_budget=None if time_budget is None else float(time_budget),
        notes=tuple(_notes(cases, cv, n_folds, rows, [one.name for one in entered[len(finished) :]])),
        was_interrupted=was_interrupted,
        held_out=HeldOutAnswers(
            cases.case_ids(),
            cases.schema.classes,
            cases.known_labels,
            {one.contestant.name: one.labels for one in finished if one.is_answered.any()},
        ),
    )


@dataclass
class _Outcome:
    """What a contestant did: the label of each case (-1 if it was not answered), its log loss, and the times."""

    contestant: Contestant
    labels: np.ndarray
    losses: np.ndarray
    accuracies: list[float] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    answer_seconds: float = 0.0
    n_bytes: int | None = None
    error: str | None = None
    note: str | None = None

    @property
    def is_answered(self) -> np.ndarray:
        return self.labels >= 0


def _run(
    contestant: Contestant, cases: Cases, fold: np.ndarray, time_budget: float | None, progress: Progress | None
) -> _Outcome:
    """Cross-validate a contestant; an error ends its run, not the comparison."""
    outcome = _Outcome(contestant, np.full(cases.n_cases, -1), np.zeros(cases.n_cases))
    n_folds = int(fold.max()) + 1
    try:
        if time_budget is not None:
            expected = estimated_seconds(contestant, cases.take(np.flatnonzero(fold != 0)))
            if expected is not None and expected > time_budget:
                outcome.note = f"not run: one fold is estimated to take {expected:,.0f} s"
                n_folds = 0
        start = time.perf_counter()
        for i in range(n_folds):
            seconds = time.perf_counter() - start
            if i and time_budget is not None and seconds >= time_budget:
                outcome.note = f"stopped after {i} of {n_folds} folds and {seconds:,.1f} s"
                break
            _answer_fold(outcome, cases, fold, i, part_of(progress, i, n_folds))
            if progress:
                progress(i + 1, n_folds)
    except Exception as error:
        outcome.error = str(error) if isinstance(error, CasebaseError) else f"{type(error).__name__}: {error}"
    if progress:  # folds that were skipped are done, too
        progress(int(fold.max()) + 1, n_folds)
    return outcome


def _answer_fold(outcome: _Outcome, cases: Cases, fold: np.ndarray, i: int, progress: Progress | None) -> None:
    """Train on all folds but one, and answer that one; the training reports that the fold is not done yet."""
    test = np.flatnonzero(fold == i)
    training, held_out = cases.take(np.flatnonzero(fold != i)), cases.take(test)
    actual = cases.known_labels[test]
    start = time.perf_counter()
    trained = outcome.contestant.fit(training, None if progress is None else lambda *_: progress(0, 1))
    outcome.fit_seconds.append(time.perf_counter() - start)
    if isinstance(trained, TrainedModel):  # once for all answers, and only if somebody asks for probabilities
        trained = trained.calibrated(training)
    start = time.perf_counter()
    labels, probabilities = trained.answer(held_out)
    outcome.answer_seconds += time.perf_counter() - start
    outcome.labels[test] = labels
    outcome.losses[test] = log_losses(probabilities[np.arange(len(test)), actual])
    outcome.accuracies.append(float(np.mean(labels == actual)))
    if i == 0:
        outcome.n_bytes = trained.n_bytes()


def log_losses(probabilities: np.ndarray) -> np.ndarray:
    """Return the log loss of each case from the probability of its true class, in nats.

    >>> log_losses(np.array([1.0, 0.5, 0.0])).round(3).tolist()
    [0.0, 0.693, 34.539]
    """
    losses: np.ndarray = np.abs(np.log(np.clip(probabilities, LEAST_PROBABILITY, 1.0)))
    return losses


def _scores(outcomes: Sequence[_Outcome], cases: Cases) -> list[MethodScore]:
    """Return the rows, best first, each compared with the best."""
    actual = cases.known_labels
    rows = [(_score(one, actual), one) for one in outcomes]
    # What has answered some folds only may have had the easy ones: it is the best only if no method has answered all.
    has_complete = any(one.contestant.role != "baseline" and one.is_answered.all() for one in outcomes)

    def order(pair: tuple[MethodScore, _Outcome]) -> tuple[bool, bool, float, float]:
        row, outcome = pair
        is_partial = has_complete and not outcome.is_answered.all()
        return row.accuracy is None, is_partial, -(row.accuracy or 0.0), row.log_loss or 0.0

    rows.sort(key=order)  # stable: what is equally good stays in the order of the list of methods
    best = rows[0][1]
    compared = []
    for row, outcome in rows:
        if row.accuracy is None:
            compared.append(row)
        elif outcome is best:
            compared.append(replace(row, within_noise=True))
        else:
            p = _paired_p(best, outcome, actual)
            compared.append(replace(row, p=p, within_noise=p >= SIGNIFICANT))
    return compared


def _score(outcome: _Outcome, actual: np.ndarray) -> MethodScore:
    contestant, accuracies = outcome.contestant, outcome.accuracies
    row = MethodScore(contestant.name, contestant.title, contestant.role, error=outcome.error, note=outcome.note)
    if outcome.error is not None or not accuracies:
        return row
    answered = outcome.is_answered
    n_answered = int(answered.sum())
    return replace(
        row,
        accuracy=float(np.mean(outcome.labels[answered] == actual[answered])),
        standard_error=stdev(accuracies) / len(accuracies) ** 0.5 if len(accuracies) > 1 else None,
        log_loss=float(outcome.losses[answered].mean()),
        fit_seconds=mean(outcome.fit_seconds),
        answers_per_second=n_answered / outcome.answer_seconds,
        n_bytes=outcome.n_bytes,
        fold_accuracies=tuple(accuracies),
    )


def _paired_p(best: _Outcome, other: _Outcome, actual: np.ndarray) -> float:
    """Return McNemar's p for the cases that both have answered."""
    both = best.is_answered & other.is_answered
    best_right, other_right = (one.labels[both] == actual[both] for one in (best, other))
    return mcnemar_p(int((best_right & ~other_right).sum()), int((other_right & ~best_right).sum()))


def estimated_seconds(contestant: Contestant, cases: Cases) -> float | None:
    """Return the estimated time to train on these cases; None unless there are many and the cost is n² or more.

    Two fits on small samples give the growth of the time, which is at most that of the cost.
    """
    if contestant.exponent == 1 or cases.n_cases <= N_CASES_SLOW:
        return None
    order = np.random.default_rng(0).permutation(cases.n_cases)
    small, large = (_fit_seconds(contestant, cases.take(np.sort(order[:size]))) for size in SAMPLE_SIZES)
    growth = log2(large / small) / log2(SAMPLE_SIZES[1] / SAMPLE_SIZES[0])
    power = min(max(growth, 1.0), float(contestant.exponent))
    return float(large * (cases.n_cases / SAMPLE_SIZES[1]) ** power)


def _fit_seconds(contestant: Contestant, cases: Cases) -> float:
    start = time.perf_counter()
    contestant.fit(cases, None)
    return time.perf_counter() - start


def slow_methods(
    cases: Cases, names: Sequence[str] | None, *, cv: int = 5, n_jobs: int | None = None
) -> dict[str, float]:
    """Return the estimated seconds of all folds, for the methods with a cost of n² or more on many cases."""
    found = {}
    training = cases.take(np.arange(cases.n_cases - cases.n_cases // max(cv, 2)))
    for one in contestants(names, peers=False, random_state=0, n_threads=n_threads(n_jobs)):
        try:
            seconds = estimated_seconds(one, training)
        except Exception:  # the comparison itself reports a method that fails
            continue
        if seconds is not None:
            found[one.name] = seconds * cv
    return found


def _checked_cases(X: Any, y: Any) -> Cases:
    if isinstance(X, Cases):
        if y is not None:
            raise CasebaseError("Cases have their classes already: pass them without y.")
        cases = X
    elif y is None and not (isinstance(X, Table) and X.target is not None):
        raise CasebaseError("There is no class: pass y, one class per case.")
    else:
        cases = Cases.from_table(X, y=y)
    if cases.weights is not None and (cases.weights != 1).any():
        raise CasebaseError("The cases have weights, but each counts once here: repeat those that count more.")
    present = np.unique(cases.known_labels)
    if len(present) == 1:
        only = cases.schema.classes[present[0]]
        raise CasebaseError(f"All cases are of class {only!r}: there is nothing to compare.")
    return cases


def _n_folds(cases: Cases, cv: int) -> int:
    """Return the number of folds: not more than the most frequent class has cases, and at least two.

    A rare class does not reduce it: a class of m cases has m - 1 in training when one is held out, with m folds and
    with more.
    """
    if not is_whole(cv, 2):
        raise CasebaseError(f"cv is the number of folds, a whole number of at least 2; got {cv!r}.")
    return max(2, min(int(cv), int(np.bincount(cases.known_labels).max())))


def _notes(cases: Cases, cv: int, n_folds: int, rows: Sequence[MethodScore], not_run: Sequence[str]) -> list[str]:
    """Return what a reader must know before trusting the result."""
    notes = []
    counts = np.bincount(cases.known_labels, minlength=cases.n_classes)
    if n_folds < cv:
        notes.append(
            f"{n_folds} folds instead of {cv}: no class has more than {format_count(int(counts.max()), 'case')}."
        )
    single = [cases.schema.classes[code] for code in np.flatnonzero(counts == 1)]
    if single:
        shown = [repr(label) for label in single[:N_CLASSES_SHOWN]] + ["…"] * (len(single) > N_CLASSES_SHOWN)
        notes.append(f"No method can answer classes with a single case from the others: {', '.join(shown)}.")
    baseline = next((row for row in rows if row.role == "baseline"), None)
    if baseline is not None and baseline.within_noise:
        notes.append("No method is better than always answering the most frequent class, beyond the noise.")
    if not_run:
        notes.append(f"Interrupted: {', '.join(not_run)} did not finish.")
    return notes
