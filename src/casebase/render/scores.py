"""The scores of an evaluation as text and as HTML for a notebook."""

from collections.abc import Sequence
from typing import Any, Protocol

from casebase.render.grids import Grid
from casebase.render.report import Report
from casebase.render.words import format_value, shorten

N_CLASSES = 12


class ClassScores(Protocol):
    """Precision, recall and F-score of one class; None where there is nothing to divide by."""

    @property
    def label(self) -> Any: ...
    @property
    def precision(self) -> float | None: ...
    @property
    def recall(self) -> float | None: ...
    @property
    def f_score(self) -> float: ...
    @property
    def n_actual(self) -> int: ...
    @property
    def n_answered(self) -> int: ...


class Scores(Protocol):
    """The accuracy of some predictions, and the scores of each class."""

    @property
    def n_cases(self) -> int: ...
    @property
    def n_correct(self) -> int: ...
    @property
    def accuracy(self) -> float: ...
    @property
    def macro_f(self) -> float: ...
    @property
    def per_class(self) -> Sequence[ClassScores]: ...
    @property
    def fold_accuracies(self) -> Sequence[float]: ...


def headline(scores: Scores) -> str:
    """Return the accuracy in one line: "accuracy 0.812: 725 of 893 predictions right, macro F 0.79"."""
    right = f"{scores.n_correct:,} of {scores.n_cases:,} predictions right"
    return f"accuracy {scores.accuracy:.3f}: {right}, macro F {scores.macro_f:.3f}"


def scores_report(scores: Scores) -> Report:
    """Return the accuracy, and the scores of the largest classes as a table."""
    by_size = sorted(scores.per_class, key=lambda one: -one.n_actual)
    rest = len(by_size) - N_CLASSES
    folds = scores.fold_accuracies
    how = f"{len(folds)} folds, accuracy {min(folds):.3f} to {max(folds):.3f}" if folds else ""
    rows = tuple(
        (
            shorten(format_value(one.label), 24),
            _number(one.precision),
            _number(one.recall),
            f"{one.f_score:.3f}",
            f"{one.n_actual:,}",
            f"{one.n_answered:,}",
        )
        for one in by_size[:N_CLASSES]
    )
    caption = f"… and {rest:,} smaller classes" if rest > 0 else ""
    header = ("class", "precision", "recall", "F", "actual", "predicted")
    return Report(headline(scores), how, (), (Grid("", caption, header, rows),))


def _number(score: float | None) -> str:
    return "–" if score is None else f"{score:.3f}"
