"""What the classifiers share: tables in, labels out, in the way scikit-learn expects.

A classifier only adapts. It checks its input as scikit-learn does, turns it into cases, calls a learner
and keeps the frozen model; every answer comes from that model.
"""

import os
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from casebase import methods
from casebase.base.evidence import Evidence
from casebase.base.model import Model
from casebase.base.settings import Settings
from casebase.data import Cases
from casebase.data.tables import as_table
from casebase.estimators._input import accept_symbols, checked_table, n_threads, training_cases
from casebase.estimators._parameters import N_JOBS, Own, take_settings
from casebase.methods import method_named


class CaseClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: a method with scikit-learn's manners.

    A subclass names its method; its parameters are the settings of that method, and `n_jobs`.
    """

    learner: ClassVar[str]  # the name of the method
    model_: Any
    n_jobs: int | None

    _own_parameters: ClassVar[Mapping[str, Own]] = N_JOBS

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "learner" in cls.__dict__:
            take_settings(cls, method_named(cls.learner).settings, cls._own_parameters)

    def _settings(self) -> Settings:
        """Return the parameters as the checked record that the method takes."""
        record = method_named(self.learner).settings
        return record(**{name: getattr(self, name) for name in record.public()})

    def _learn(self, cases: Cases) -> Model:
        return method_named(self.learner).fit(cases, self._settings(), n_jobs=self._n_threads)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, ids: Any = None) -> Self:
        """Learn from the cases.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            A data frame (pandas, polars, pyarrow, duckdb), numpy array or list of rows. Strings, categories,
            booleans and integers are symbols; floats are numbers; missing values are allowed.
        y : array-like of shape (n_cases,)
            The class of each case.
        sample_weight : array-like of shape (n_cases,), optional
            A case of weight n counts as n cases.
        ids : array-like of shape (n_cases,), optional
            What cases are called in evidence: whole numbers or text; 0, 1, 2 … if not given. Taken by all classifiers,
            so that they are called alike; of those that keep no list of their cases, only SMILE and hierarchical rules
            name cases in their evidence.
        """
        cases, class_dtype = training_cases(self, X, y, sample_weight, ids=ids)
        return self._with_model(self._learn(cases), class_dtype)

    def _with_model(self, model: Model, class_dtype: np.dtype) -> Self:
        self.model_ = model
        self._answers = np.array(model.schema.classes, dtype=class_dtype)
        self.classes_ = self._answers
        return self

    def _cases(self, X: Any) -> Cases:
        check_is_fitted(self, "model_")
        return self.model_.schema.encode(as_table(checked_table(self, X)))

    @property
    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each case."""
        cases = self._cases(X)
        return self._answers[self.model_.answer(cases, n_jobs=self._n_threads).label]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return each class's share of the votes, in the order of `classes_`."""
        cases = self._cases(X)
        answers = self.model_.answer(cases, n_jobs=self._n_threads)
        return answers.distribution(len(self._answers), self.model_.normalisation)

    def explain(self, X: Any, limit: int = 10) -> list[Evidence]:
        """Return why: the evidence for each case's answer, listing at most `limit` cases each."""
        cases = self._cases(X)
        return self.model_.explain(cases, limit=limit)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file; `casebase.load` reads it."""
        check_is_fitted(self, "model_")
        besides = {name: getattr(self, name) for name in self._own_parameters}
        besides["class_dtype"] = self._answers.dtype.str
        if hasattr(self, "feature_names_in_"):
            besides["feature_names_in"] = [str(name) for name in self.feature_names_in_]
        methods.save(path, self.model_, besides)

    def __sklearn_tags__(self) -> Any:
        return accept_symbols(super().__sklearn_tags__())
