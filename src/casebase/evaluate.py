"""How good answers are: reports, cross-validation, leave-one-out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.base.model import Model
from casebase.data import Cases
from casebase.data.folds import folds
from casebase.errors import CasebaseError
from casebase.neighbours import ib1
from casebase.progress import Progress


@dataclass(frozen=True)
class ClassScore:
    """How one class fared: of those said to be it, and of those that are it, how many rightly."""

    label: Any
    precision: float | None
    recall: float | None
    f_score: float
    n_actual: int
    n_answered: int


@dataclass(frozen=True)
class Report:
    """Accuracy, scores per class, and who was taken for whom.

    `confusion[i][j]` counts the cases of class `labels[i]` that were answered with `labels[j]`. A class that
    never occurs has no recall, one that is never answered no precision (None); its F-score is 0.
    """

    n_cases: int
    n_correct: int
    labels: tuple[Any, ...]
    confusion: tuple[tuple[int, ...], ...]
    per_class: tuple[ClassScore, ...]
    fold_accuracies: tuple[float, ...] = ()

    @property
    def accuracy(self) -> float:
        return self.n_correct / self.n_cases

    @property
    def macro_f(self) -> float:
        """The mean F-score of the classes."""
        return float(np.mean([score.f_score for score in self.per_class]))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        return {
            "n_cases": self.n_cases,
            "n_correct": self.n_correct,
            "accuracy": self.accuracy,
            "macro_f": self.macro_f,
            "labels": list(self.labels),
            "per_class": [vars(score) for score in self.per_class],
            "confusion": [list(row) for row in self.confusion],
            "fold_accuracies": list(self.fold_accuracies),
        }


def report(actual: Sequence[Any], answered: Sequence[Any], fold_accuracies: Sequence[float] = ()) -> Report:
    """Return how well answers fit the actual classes.

    >>> report(["a", "a", "b"], ["a", "b", "b"]).per_class[0].recall
    0.5
    """
    if len(actual) == 0 or len(actual) != len(answered):
        raise CasebaseError(f"Expected as many answers as cases, and at least one: {len(answered)}, {len(actual)}.")
    labels = sorted({*actual, *answered}, key=lambda label: (str(type(label)), label))
    code = {label: i for i, label in enumerate(labels)}
    rows = np.array([code[label] for label in actual])
    columns = np.array([code[label] for label in answered])
    n = len(labels)
    confusion = np.bincount(rows * n + columns, minlength=n * n).reshape(n, n)
    n_actual, n_answered, right = confusion.sum(axis=1), confusion.sum(axis=0), np.diag(confusion)
    scores = []
    for i, label in enumerate(labels):
        precision = float(right[i] / n_answered[i]) if n_answered[i] else None
        recall = float(right[i] / n_actual[i]) if n_actual[i] else None
        f_score = float(2 * right[i] / (n_actual[i] + n_answered[i]))
        scores.append(ClassScore(label, precision, recall, f_score, int(n_actual[i]), int(n_answered[i])))
    return Report(
        len(actual),
        int(right.sum()),
        tuple(labels),
        tuple(tuple(int(x) for x in row) for row in confusion),
        tuple(scores),
        tuple(fold_accuracies),
    )


def cross_validate(
    cases: Cases,
    fit: Callable[[Cases], Model],
    n_folds: int = 10,
    *,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Return the report of answers to each fold from a model of the other folds.

    It is for the functions behind the estimators; for estimators there is scikit-learn's `cross_val_score`.

    Parameters
    ----------
    cases : Cases
        All cases, with their classes.
    fit : function
        From cases to a model: `fit` of a method, such as `casebase.neighbours.ib1.fit`, with
        `functools.partial` for its settings.
    n_folds : int, default=10
        How many folds; each class is spread evenly over them.
    seed : int, default=0
        Shuffles the folds.
    n_jobs : int, default=1
        Number of threads that answer.
    progress : function, optional
        Called with the number of cases answered and of all, after each fold.

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
    for i in range(n_folds):
        test = np.flatnonzero(fold == i)
        model = fit(cases.take(np.flatnonzero(fold != i)))
        answered[test] = model.answer(model.schema.recode(cases.take(test)), n_jobs=n_jobs).label
        accuracies.append(float(np.mean(answered[test] == labels[test])))
        n_done += len(test)
        if progress:
            progress(n_done, cases.n_cases)
    classes = cases.schema.classes
    return report([classes[c] for c in labels], [classes[c] for c in answered], accuracies)


def leave_one_out(
    cases: Cases,
    parameters: Mapping[str, Any] | ib1.Settings | None = None,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Return the report of IB1's answers to each case from a memory of all the others.

    Parameters
    ----------
    cases : Cases
        All cases, with their classes.
    parameters : dict or casebase.neighbours.ib1.Settings, optional
        Those of IB1, such as `{"k": 3, "metric": "mvdm"}`.
    n_jobs : int, default=1
        Number of threads.
    progress : function, optional
        Called with the number of cases answered and of all, every now and then.

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
    return report([classes[c] for c in cases.known_labels], [classes[c] for c in answers.label])


def _check_function(fit: Any) -> None:
    """Refuse an estimator, or its method: they learn from X and y, not from cases."""
    if not callable(fit) or hasattr(getattr(fit, "__self__", None), "get_params"):
        raise CasebaseError(
            f"Expected a function from cases to a model, such as casebase.neighbours.ib1.fit; got {fit!r}. For an "
            "estimator there is sklearn.model_selection.cross_val_score(estimator, X, y)."
        )
