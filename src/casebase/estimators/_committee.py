"""Base of the classifiers of the autopilot: committees of readings of one memory."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from casebase.errors import CasebaseError
from casebase.estimators._correctable import CorrectableClassifier
from casebase.methods import method_named
from casebase.neighbours.correction import Receipt


class CommitteeClassifier(CorrectableClassifier):
    """Base of the classifiers that answer with readings of their stored cases."""

    def insert(
        self,
        X: Any,
        y: Any,
        ids: Any = None,
        *,
        sample_weight: Any = None,
        exemplar_weight: Any = None,
        by: str | None = None,
        note: str | None = None,
        refit: str = "hold",
    ) -> Self:
        """Store more cases; the readings learn again.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        ids : array-like of shape (n_cases,), optional
            Ids that no stored case has; by default, count on from the largest.
        exemplar_weight : array-like of shape (n_cases,), optional
            Checked, but not used, as in `fit`: a committee has no distances to divide.
        by, note : str, optional
            Who inserts them, and why, for the log.
        refit : {"hold", "choose"}
            Whether the choice is held (readings, exponents, weights), or made again as in `fit`.
        """
        _check_refit(refit)
        super().insert(X, y, ids, sample_weight=sample_weight, exemplar_weight=exemplar_weight, by=by, note=note)
        return self._chosen_again(refit)

    def remove(self, ids: Any, *, by: str | None = None, note: str | None = None, refit: str = "hold") -> Receipt:
        """Remove cases by id and return a receipt; `by`, `note` and `refit` as in `insert`."""
        _check_refit(refit)
        receipt: Receipt = super().remove(ids, by=by, note=note)
        self._chosen_again(refit)
        return receipt

    def update(
        self,
        ids: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        exemplar_weight: Any = None,
        by: str | None = None,
        note: str | None = None,
        refit: str = "hold",
    ) -> Self:
        """Replace the values and classes of stored cases by id; weights, `by`, `note` and `refit` as in `insert`."""
        _check_refit(refit)
        super().update(ids, X, y, sample_weight=sample_weight, exemplar_weight=exemplar_weight, by=by, note=note)
        return self._chosen_again(refit)

    def _chosen_again(self, refit: str) -> Self:
        if refit == "hold":
            return self
        model = method_named(self.learner).fit(
            self.model_.store().cases(), self.model_.settings, n_jobs=self._n_threads
        )
        return self._with_model(model, self._class_dtype(model))

    @property
    def readings_(self) -> tuple[str, ...]:
        """The names of the readings in use."""
        check_is_fitted(self, "model_")
        return tuple(self.model_.readings)

    @property
    def weights_of_readings_(self) -> np.ndarray:
        """The exponent of each reading in use."""
        check_is_fitted(self, "model_")
        exponents: np.ndarray = self.model_.pool.exponents
        return exponents

    @property
    def held_out_log_loss_(self) -> float:
        """The mean log loss of the held-out answers of stored cases."""
        check_is_fitted(self, "model_")
        return float(self.model_.held_out_loss)

    @property
    def held_out_accuracy_(self) -> float:
        """The accuracy of the held-out answers of stored cases."""
        check_is_fitted(self, "model_")
        return float(self.model_.held_out_accuracy)


def _check_refit(refit: Any) -> None:
    """Refuse anything but hold and choose, before a case has changed."""
    if refit not in ("hold", "choose"):
        raise CasebaseError(f"refit is 'hold' or 'choose'; got {refit!r}.")
