"""The calibration of a classifier: found when it is first needed, and kept from then on.

A model that keeps its cases is calibrated by them. For the others the classifier keeps the training cases until the
calibration is known: `save` and `pickle` find it first, and neither writes the cases.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from casebase.base.calibration import Calibration
from casebase.confidence import (
    NO_CLASS,
    PredictionSets,
    calibrate,
    calibrate_by,
    has_smoothing,
    keeps_cases,
    prediction_sets,
)
from casebase.data import Cases
from casebase.data.labels import label_array
from casebase.errors import CasebaseError
from casebase.estimators._input import n_threads


@dataclass(eq=False)
class Known:
    """The calibration, as soon as it is known; before that the cases to find it from, unless the model keeps them.

    It is not frozen, because answering must not change the attributes of an estimator.
    """

    calibration: Calibration | None = None
    training: Cases | None = None


class Calibrated:
    """A mixin for classifiers whose votes are smoothed by as much as held-out training cases need."""

    model_: Any
    n_jobs: int | None
    _known: Known
    _answers: np.ndarray
    _cases: Callable[[Any], Cases]

    @property
    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    @property
    def calibration_(self) -> Calibration:
        """How votes are smoothed, and how that was found out; computed when it is first read."""
        check_is_fitted(self, "model_")
        known = self._known
        if known.calibration is None:
            known.calibration = calibrate(self.model_, known.training, n_jobs=self._n_threads)
            known.training = None
        return known.calibration

    def calibrate(self, X: Any, y: Any) -> Self:
        """Take the coverage of prediction sets from cases that the classifier has not learned from.

        The true class is then in `predict_set` with the probability asked for, or a larger one, if these and the new
        cases come from one source. Probabilities and predictions do not change.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            Cases that were kept apart, as for `predict`.
        y : array-like of shape (n_cases,)
            The class of each case. A class that the classifier does not know counts as one it never finds.
        """
        cases, labels = self._cases(X), label_array(y)
        if len(labels) != cases.n_cases or not len(labels):
            raise CasebaseError(
                f"X has {cases.n_cases:,} cases and y {len(labels):,} classes: expected one class per case."
            )
        codes = {label: code for code, label in enumerate(self._answers.tolist())}
        coded = np.array([codes.get(label, NO_CLASS) for label in labels.tolist()])
        before = self.calibration_ if has_smoothing(self.model_) else Calibration()
        self._known.calibration = calibrate_by(self.model_, before, cases, coded, n_jobs=self._n_threads)
        return self

    def predict_set(self, X: Any, confidence: float = 0.9, *, class_conditional: bool = False) -> PredictionSets:
        """Return the classes that cannot be excluded, a tuple for each case: the prediction first, if it is among them.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            New cases, as for `predict`.
        confidence : float, default=0.9
            How often the true class should be in the set. `guarantee` of the result says what can be promised.
        class_conditional : bool, default=False
            Whether that should hold for the cases of each class, not only for all cases together.
        """
        cases = self._cases(X)
        sets = prediction_sets(
            self.model_,
            self.calibration_,
            cases,
            confidence,
            class_conditional=class_conditional,
            n_jobs=self._n_threads,
        )
        return replace(sets, classes=self._answers)

    def _learned_from(self, cases: Cases) -> Self:
        """Keep the training cases if the model does not."""
        if has_smoothing(self.model_) and not keeps_cases(self.model_):
            self._known.training = cases
        return self

    def _calibrated_by(self, calibration: Calibration | None) -> Self:
        self._known.calibration = calibration
        return self

    def _calibration_for_votes(self) -> Calibration | None:
        return self.calibration_ if has_smoothing(self.model_) else None

    def _calibration_to_keep(self) -> Calibration | None:
        """Return the calibration for a file or a copy: it is found now if it could not be found there."""
        return self._known.calibration if self._known.training is None else self.calibration_
