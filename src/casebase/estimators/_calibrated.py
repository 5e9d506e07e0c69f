"""The calibration of a classifier: found when it is first needed, and kept from then on.

A model that keeps its cases is calibrated by them. For the others the classifier keeps the training cases until the
calibration is known: `save` and `pickle` find it first, and neither writes the cases.
"""

from dataclasses import dataclass
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from casebase.base.calibration import Calibration
from casebase.confidence import calibrate, has_smoothing, keeps_cases
from casebase.data import Cases


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
    _n_threads: int
    _known: Known

    @property
    def calibration_(self) -> Calibration:
        """How votes are smoothed, and how that was found out; computed when it is first read."""
        check_is_fitted(self, "model_")
        known = self._known
        if known.calibration is None:
            known.calibration = calibrate(self.model_, known.training, n_jobs=self._n_threads)
            known.training = None
        return known.calibration

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

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle; it has the calibration instead of training cases that the model did not keep."""
        state = dict(super().__getstate__())  # type: ignore[misc]
        if "_known" in state:
            state["_known"] = Known(self._calibration_to_keep())
        return state
