"""What the estimators share: tables in, labels out, in the way scikit-learn expects.

An estimator only adapts. It checks its input as scikit-learn does, turns it into cases, calls a learner
and keeps the frozen model; every answer comes from that model.
"""

import os
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from casebase import persist
from casebase.cores import n_cores
from casebase.data import Cases
from casebase.data.labels import coded_labels
from casebase.data.tables import are_records, as_table, rows_as_array
from casebase.errors import CasebaseError
from casebase.evidence import Evidence
from casebase.learners import LEARNERS, IGTree, Model
from casebase.measures.votes import Normalisation

MAX_THREADS = 1024


class MemoryClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: a learner of `casebase.learners` with scikit-learn's manners."""

    learner: ClassVar[str]
    model_: Any

    def _learn(self, cases: Cases) -> Model:
        parameters = self.get_params(deep=False)
        del parameters["n_jobs"]  # how to answer, not what to learn
        return LEARNERS[self.learner](cases, **parameters)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, exemplar_weight: Any = None) -> Self:
        """Remember the cases.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            A data frame (pandas, polars, pyarrow, duckdb), numpy array or list of rows. Strings, categories,
            booleans and integers are symbols; floats are numbers; missing values are allowed.
        y : array-like of shape (n_cases,)
            The class of each case.
        sample_weight : array-like of shape (n_cases,), optional
            A case of weight n counts as n cases.
        exemplar_weight : array-like of shape (n_cases,), optional
            A case of exemplar weight n is n times as near as it would be. Trees have no use for it.
        """
        target = getattr(y, "name", None)
        if is_frame(X):
            X = with_names(X)
            y = validate_data(self, "no_validation", y)  # first, because it forgets the names of the columns
            validate_data(self, X, skip_check_array=True)
            check_consistent_length(X, y)
        else:
            X, y = validate_data(self, rows_as_array(X), y, dtype=None, ensure_all_finite="allow-nan")
        try:
            check_classification_targets(y)
        except TypeError:  # classes that cannot be put in order: ours says what they are
            coded_labels(np.asarray(y))
            raise
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        cases = Cases.from_table(X, y=np.asarray(y), weights=sample_weight, exemplars=exemplar_weight)
        if isinstance(target, str) and target:  # so that files for this model can have a class column of that name
            cases = replace(cases, schema=replace(cases.schema, target=target))
        return self._with_model(self._learn(cases), np.asarray(y).dtype)

    def _with_model(self, model: Model, class_dtype: np.dtype) -> Self:
        self.model_ = model
        self.classes_ = np.array(model.schema.classes, dtype=class_dtype)
        self.weights_ = model.weights
        return self

    def _cases(self, X: Any) -> Cases:
        check_is_fitted(self, "model_")
        if is_frame(X):
            X = with_names(X)
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            array = rows_as_array(X)
            X = validate_data(self, array, reset=False, dtype=None, ensure_all_finite="allow-nan")
        table = as_table(X)
        return self.model_.schema.encode(table)

    @property
    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    @property
    def _normalisation(self) -> Normalisation:
        model = self.model_
        return model.normalisation if isinstance(model, IGTree) else model.voting.normalisation

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each case."""
        cases = self._cases(X)
        return self.classes_[self.model_.answer(cases, n_jobs=self._n_threads).label]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return each class's share of the votes, in the order of `classes_`."""
        cases = self._cases(X)
        return self.model_.answer(cases, n_jobs=self._n_threads).distribution(len(self.classes_), self._normalisation)

    def explain(self, X: Any, limit: int = 10) -> list[Evidence]:
        """Return why: the evidence for each case's answer, listing at most `limit` cases each."""
        cases = self._cases(X)
        return self.model_.explain(cases, limit=limit)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file; `casebase.load` reads it."""
        check_is_fitted(self, "model_")
        parameters = persist.plain_parameters(self.get_params(deep=False))
        parameters["class_dtype"] = self.classes_.dtype.str
        if hasattr(self, "feature_names_in_"):
            parameters["feature_names_in"] = [str(name) for name in self.feature_names_in_]
        persist.save(path, self.model_, parameters)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def is_frame(X: Any) -> bool:
    """Whether a table brings its columns with it, each with a name and a type of its own."""
    interfaces = ("__dataframe__", "__arrow_c_stream__", "__arrow_c_array__")
    return are_records(X) or any(hasattr(X, interface) for interface in interfaces)


def with_names(frame: Any) -> Any:
    """Return a frame whose names scikit-learn can see; it does not know duckdb's relations, nor rows with names."""
    if are_records(frame):
        table = as_table(frame)
        return pa.table(dict(zip(table.names, table.columns)))
    return frame if hasattr(frame, "__dataframe__") else pa.table(frame)


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads meant by scikit-learn's `n_jobs`.

    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0 or n_jobs > MAX_THREADS:
        raise CasebaseError(f"n_jobs is a number of threads, or -1 for all; got {n_jobs!r}.")
    return int(n_jobs) if n_jobs > 0 else max(1, n_cores() + 1 + int(n_jobs))
