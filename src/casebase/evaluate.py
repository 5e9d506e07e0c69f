"""Evaluation: reports, cross-validation, leave-one-out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from casebase.base.leave_out import memory_of
from casebase.base.model import LeavesOneOut, Model, is_incomplete
from casebase.base.wrong_answers import Detail, NearRecord, WrongAnswer, details_of, wrong_answers
from casebase.data import Cases
from casebase.data.folds import folds
from casebase.errors import CasebaseError
from casebase.measures.confidence import wilson_interval
from casebase.memory.store import Store
from casebase.methods import method_named
from casebase.neighbours import ib1
from casebase.progress import Progress
from casebase.render.scores import headline, scores_report

N_FOLDS = 10  # by default


@dataclass(frozen=True)
class ClassScore:
    """Precision, recall and F-score of one class, and how many cases have it or were answered with it."""

    label: Any
    precision: float | None
    recall: float | None
    f_score: float
    n_actual: int
    n_answered: int


@dataclass(frozen=True)
class Report:
    """Accuracy, scores per class, the confusion matrix, and the wrong answers.

    `confusion[i][j]` counts the cases of class `labels[i]` that were answered with `labels[j]`. A class that never
    occurs has no recall (None), and a class that is never answered has no precision (None); its F-score is 0.
    """

    n_cases: int
    n_correct: int
    labels: tuple[Any, ...]
    confusion: tuple[tuple[int, ...], ...]
    per_class: tuple[ClassScore, ...]
    fold_accuracies: tuple[float, ...] = ()
    errors: tuple[WrongAnswer, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return f"<Report: {headline(self)}>"

    def __str__(self) -> str:
        return scores_report(self).text()

    def _repr_html_(self) -> str:
        return scores_report(self).fragment()

    @property
    def accuracy(self) -> float:
        return self.n_correct / self.n_cases

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the accuracy, by Wilson's score; it takes the cases as independent."""
        return wilson_interval(self.n_correct, self.n_cases)

    @property
    def majority(self) -> Any:
        """The most frequent class of the evaluated cases."""
        return max(self.per_class, key=lambda score: score.n_actual).label

    @property
    def baseline(self) -> float:
        """The accuracy of always answering with the most frequent class."""
        return max(score.n_actual for score in self.per_class) / self.n_cases

    @property
    def macro_f(self) -> float:
        """The mean F-score of the classes."""
        return float(np.mean([score.f_score for score in self.per_class]))

    def to_dict(self) -> dict[str, Any]:
        """Return the report in a form that JSON can represent; the wrong answers are records of their own."""
        return {
            "n_cases": self.n_cases,
            "n_correct": self.n_correct,
            "accuracy": self.accuracy,
            "interval": list(self.interval),
            "baseline": self.baseline,
            "majority": self.majority,
            "macro_f": self.macro_f,
            "labels": list(self.labels),
            "per_class": [vars(score) for score in self.per_class],
            "confusion": [list(row) for row in self.confusion],
            "fold_accuracies": list(self.fold_accuracies),
        }


def report(
    actual: Sequence[Any],
    answered: Sequence[Any],
    fold_accuracies: Sequence[float] = (),
    *,
    ids: Sequence[Any] | None = None,
    details: Mapping[int, Detail] | None = None,
) -> Report:
    """Return a report that compares answers with the actual classes.

    `ids` are those of the cases, 0, 1, 2 … by default; `details` has what is kept of wrong answers, by row.

    >>> report(["a", "a", "b"], ["a", "b", "b"]).per_class[0].recall
    0.5
    """
    if len(actual) == 0 or len(actual) != len(answered):
        raise CasebaseError(f"Expected as many answers as cases, and at least one: {len(answered)}, {len(actual)}.")
    labels = sorted({*actual, *answered}, key=_by_type)
    code = {label: i for i, label in enumerate(labels)}
    rows = np.array([code[label] for label in actual])
    columns = np.array([code[label] for label in answered])
    n = len(labels)
    confusion = np.bincount(rows * n + columns, minlength=n * n).reshape(n, n)
    errors = wrong_answers(actual, answered, range(len(actual)) if ids is None else ids, details or {})
    return replace(report_of_counts(labels, confusion, fold_accuracies), errors=errors)


def report_of_counts(classes: Sequence[Any], confusion: np.ndarray, fold_accuracies: Sequence[float] = ()) -> Report:
    """Return the report of counts: how many cases of each class were answered with each class.

    Counts add up, so those of the parts of a table give the report of the table. It has no list of errors.

    >>> report_of_counts(["a", "b", "c"], np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]])).labels
    ('a', 'b')
    """
    n_actual, n_answered, right = confusion.sum(axis=1), confusion.sum(axis=0), np.diag(confusion)
    used = [i for i in range(len(classes)) if n_actual[i] or n_answered[i]]
    used.sort(key=lambda i: _by_type(classes[i]))
    scores = []
    for i in used:
        precision = float(right[i] / n_answered[i]) if n_answered[i] else None
        recall = float(right[i] / n_actual[i]) if n_actual[i] else None
        f_score = float(2 * right[i] / (n_actual[i] + n_answered[i]))
        scores.append(ClassScore(classes[i], precision, recall, f_score, int(n_actual[i]), int(n_answered[i])))
    return Report(
        int(confusion.sum()),
        int(right.sum()),
        tuple(classes[i] for i in used),
        tuple(tuple(int(x) for x in row) for row in confusion[np.ix_(used, used)]),
        tuple(scores),
        tuple(fold_accuracies),
    )


def _by_type(label: Any) -> tuple[str, Any]:
    """Return a key to sort labels by: labels of different types cannot be compared."""
    return str(type(label)), label


def cross_validate(
    cases: Cases,
    fit: Callable[[Cases], Model],
    n_folds: int = 10,
    *,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
    nearest: int = 0,
) -> Report:
    """Return the report of a cross-validation: each fold is answered by a model of the other folds.

    It takes the functions behind the estimators; for estimators use scikit-learn's `cross_val_score`.

    Parameters
    ----------
    cases : Cases
        All cases, with their classes.
    fit : function
        From cases to a model: `fit` of a method, such as `casebase.neighbours.ib1.fit`, with
        `functools.partial` for its settings.
    n_folds : int, default=10
        Number of folds; each class is spread evenly over them.
    seed : int, default=0
        Seed of the shuffle.
    n_jobs : int, default=1
        Number of threads that answer.
    progress : function, optional
        Called after each fold with the number of cases answered and the total.
    nearest : int, default=0
        Number of nearest records to keep for each wrong answer, with the values of the query; 0 keeps neither.

    Examples
    --------
    >>> from functools import partial
    >>> from casebase.neighbours import ib1
    >>> cases = Cases.from_table([["a", "P"], ["a", "P"], ["b", "Q"], ["b", "Q"]], target=-1)
    >>> cross_validate(cases, partial(ib1.fit, weighting="none"), n_folds=2).accuracy
    1.0
    """
    _check_function(fit)
    labels = cases.known_labels
    fold = folds(labels, n_folds, seed)
    answered = np.empty_like(labels)
    accuracies = []
    n_done = 0
    details: dict[int, Detail] = {}
    for i in range(n_folds):
        test = np.flatnonzero(fold == i)
        model = fit(cases.take(np.flatnonzero(fold != i)))
        if is_incomplete(model):  # its accuracy is not that of the method
            raise KeyboardInterrupt
        asked = model.schema.recode(cases.take(test))
        answered[test] = model.answer(asked, n_jobs=n_jobs).label
        if nearest:
            wrong = np.flatnonzero(answered[test] != labels[test])
            details |= zip(test[wrong].tolist(), details_of(model, asked, wrong, nearest))
        accuracies.append(float(np.mean(answered[test] == labels[test])))
        n_done += len(test)
        if progress:
            progress(n_done, cases.n_cases)
    classes = cases.schema.classes
    ids = cases.case_ids().tolist()
    return report([classes[c] for c in labels], [classes[c] for c in answered], accuracies, ids=ids, details=details)


def leave_one_out(
    cases: Cases,
    parameters: Mapping[str, Any] | ib1.Settings | None = None,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    nearest: int = 0,
) -> Report:
    """Return the report of leave-one-out: IB1 answers each case from a memory of all other cases.

    Parameters
    ----------
    cases : Cases
        All cases, with their classes.
    parameters : dict or casebase.neighbours.ib1.Settings, optional
        The parameters of IB1, such as `{"k": 3, "metric": "mvdm"}`.
    n_jobs : int, default=1
        Number of threads.
    progress : function, optional
        Called from time to time with the number of cases answered and the total.
    nearest : int, default=0
        Number of nearest records to keep for each wrong answer, with the values of the query; 0 keeps neither.

    Examples
    --------
    >>> cases = Cases.from_table([["a", "P"], ["a", "P"], ["b", "Q"], ["b", "Q"]], target=-1)
    >>> leave_one_out(cases, {"weighting": "none"}).accuracy
    1.0
    """
    if parameters is not None and not isinstance(parameters, Mapping | ib1.Settings):
        raise CasebaseError(f"Expected the parameters of IB1 as a dict, such as {{'k': 3}}; got {parameters!r}.")
    settings = parameters if isinstance(parameters, ib1.Settings) else ib1.Settings.of(None, parameters or {})
    answers = ib1.leave_one_out(cases, settings, n_jobs=n_jobs, progress=progress)
    classes = cases.schema.classes
    labels, ids = cases.known_labels, cases.case_ids().tolist()
    wrong = np.flatnonzero(answers.label != labels)
    details = _held_out_details(cases, settings, wrong, nearest) if nearest else {}
    return report([classes[c] for c in labels], [classes[c] for c in answers.label], ids=ids, details=details)


@dataclass(frozen=True, eq=False)
class HeldOutRecords:
    """The records that a model keeps, each answered by a model that has not seen it.

    `n_folds` is None for leave-one-out.
    """

    cases: Cases
    report: Report
    n_folds: int | None

    @property
    def how(self) -> str:
        """How the records were held out, in a few words."""
        return how_held_out(self.n_folds)

    @cached_property
    def answers(self) -> np.ndarray:
        """The answer to each record, as a code of the classes: its own class, unless the report lists an error."""
        codes: np.ndarray = self.cases.known_labels.astype(np.int64)
        code = {label: i for i, label in enumerate(self.cases.schema.classes)}
        for error in self.report.errors:
            codes[error.row] = code[error.predicted]
        return codes

    @property
    def predicted(self) -> list[Any]:
        """The answer to each record."""
        classes = self.cases.schema.classes
        return [classes[code] for code in self.answers.tolist()]


def how_held_out(n_folds: int | None) -> str:
    """Return in a few words how cases were held out; None is leave-one-out."""
    return "leave-one-out" if n_folds is None else f"{n_folds} folds"


def default_folds(per_class: np.ndarray) -> int:
    """Return how many folds there are if nobody says so: ten, or fewer if no class has as many cases."""
    return max(2, min(N_FOLDS, int(per_class.max())))


def held_out_records(
    model: Model,
    *,
    n_folds: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
    nearest: int = 0,
) -> HeldOutRecords:
    """Answer the records that a model keeps, each with a model of the others that has the same settings.

    IB1 leaves one record out at a time, exactly and without a new fit. Other methods learn from folds, ten by default.
    A model that keeps no records is an error.

    Parameters
    ----------
    model : Model
        A model that keeps its records, such as `casebase.methods.load(path).model`.
    n_folds : int, optional
        Number of folds; by default leave-one-out where the model can, else ten, or fewer if no class has as many
        records.
    seed, n_jobs, progress, nearest
        As for `cross_validate`.

    Examples
    --------
    >>> cases = Cases.from_table([["a", "P"], ["a", "P"], ["b", "Q"], ["b", "P"]], target=-1)
    >>> found = held_out_records(ib1.fit(cases))
    >>> found.how, found.report.accuracy, found.predicted
    ('leave-one-out', 0.5, ['P', 'P', 'P', 'Q'])
    """
    cases = Store(model.schema, memory_of(model), None).cases()
    if n_folds is None and isinstance(model, LeavesOneOut) and model.leaves_one_out:
        report = leave_one_out(cases, model.settings, n_jobs=n_jobs, progress=progress, nearest=nearest)
        return HeldOutRecords(cases, report, None)
    if n_folds is None:
        n_folds = default_folds(cases.class_counts)
    fit = partial(method_named(model.method).fit, settings=model.settings.for_sample(), n_jobs=n_jobs)
    options = {"seed": seed, "n_jobs": n_jobs, "nearest": nearest}
    return HeldOutRecords(cases, cross_validate(cases, fit, n_folds, progress=progress, **options), n_folds)


def _held_out_details(cases: Cases, settings: ib1.Settings, wrong: np.ndarray, limit: int) -> dict[int, Detail]:
    """Return the values of held-out cases and their nearest records, as leave-one-out compares them."""
    if not len(wrong):
        return {}
    names, classes, labels = cases.schema.names, cases.schema.classes, cases.known_labels
    ids = cases.case_ids().tolist()
    details = {}
    for row, found in zip(wrong.tolist(), ib1.held_out_neighbours(cases, settings, wrong, limit)):
        records = (
            NearRecord(ids[case], tuple(cases.values(case)), classes[labels[case]], distance)
            for case, distance in found
        )
        details[row] = Detail(names, tuple(cases.values(row)), tuple(records), cases.provenance_of(row))
    return details


def _check_function(fit: Any) -> None:
    """Raise an error for an estimator or its `fit`: they learn from X and y, not from cases."""
    if not callable(fit) or hasattr(getattr(fit, "__self__", None), "get_params"):
        raise CasebaseError(
            f"Expected a function from cases to a model, such as casebase.neighbours.ib1.fit; got {fit!r}. For an "
            "estimator use sklearn.model_selection.cross_val_score(estimator, X, y)."
        )
