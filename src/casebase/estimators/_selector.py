"""Base of the scikit-learn selectors: a table in, the same table with the selected features out."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from casebase.data import Cases
from casebase.data.tables import rows_as_array
from casebase.estimators._input import accept_symbols, is_frame, training_cases, with_names


class CaseSelector(SelectorMixin, BaseEstimator):
    """Base of the selectors: `_keep` finds the features to keep and sets `support_`."""

    support_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the features that matter.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            A data frame (pandas, polars, pyarrow, duckdb), numpy array or list of rows; missing values are allowed.
        y : array-like of shape (n_cases,)
            The class of each case.
        sample_weight : array-like of shape (n_cases,), optional
            A case of weight n counts as n cases.
        """
        cases, _ = training_cases(self, X, y, sample_weight)
        self._keep(cases)
        return self

    def _keep(self, cases: Cases) -> None:
        """Set `support_` and `ranking_`; each selector implements it."""
        raise NotImplementedError

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

    def transform(self, X: Any) -> Any:
        """Return the table with only the selected features."""
        return super().transform(with_names(X, self) if is_frame(X) else numbers_if_all(rows_as_array(X)))

    def __sklearn_tags__(self) -> Any:
        return accept_symbols(super().__sklearn_tags__())


def numbers_if_all(array: Any) -> Any:
    """Return an array of objects as an array of numbers if all are numbers, unchanged otherwise."""
    if not isinstance(array, np.ndarray) or array.dtype != object:
        return array
    plain = np.array(array.tolist())
    return plain if plain.dtype.kind in "iuf" else array
