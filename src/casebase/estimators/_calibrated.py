"""The calibration of a classifier: found when it is first needed, and kept from then on.

A model that keeps its cases is calibrated by them. For the others the classifier keeps the training cases until the
calibration is known: `save` and `pickle` find it first, and neither writes the cases.
"""

from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from casebase.base.calibration import Calibration
from casebase.confidence import calibrate, has_smoothing, keeps_cases
from casebase.data import Cases


class Calibrated:
    """A mixin for classifiers whose votes are smoothed by as much as held-out training cases need."""

    model_: Any
    _n_threads: int
    _calibration: Calibration | None = None
    _training: Cases | None = None

    @property
    def calibration_(self) -> Calibration:
        """How the votes are smoothed, and how that was found out; computed when it is first read."""
        check_is_fitted(self, "model_")
        if self._calibration is None:
            self._calibration = calibrate(self.model_, self._training, n_jobs=self._n_threads)
            self._training = None
        return self._calibration

    def _forget_calibration(self) -> None:
        """Forget what was found for another model."""
        self._calibration = self._training = None

    def _learned_from(self, cases: Cases) -> Self:
        """Keep the training cases if the model does not."""
        if has_smoothing(self.model_) and not keeps_cases(self.model_):
            self._training = cases
        return self

    def _calibrated_by(self, calibration: Calibration | None) -> Self:
        self._calibration = calibration
        return self

    def _calibration_for_votes(self) -> Calibration | None:
        return self.calibration_ if has_smoothing(self.model_) else None

    def _calibration_to_keep(self) -> Calibration | None:
        """Return the calibration for a file or a copy: it is found now if it could not be found there."""
        return self._calibration if self._training is None else self.calibration_

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle; it has the calibration instead of training cases that the model did not keep."""
        state = dict(super().__getstate__())  # type: ignore[misc]
        if state.pop("_training", None) is not None:
            state["_calibration"] = self.calibration_
        return state
