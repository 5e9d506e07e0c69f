"""What the estimators share: tables in, labels out, in the way scikit-learn expects.

An estimator only adapts. It checks its input as scikit-learn does, turns it into cases, calls a learner
and keeps the frozen model; every answer comes from that model.
"""

import os
import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data

from casebase import persist
from casebase.cores import n_cores
from casebase.data import Cases
from casebase.data.labels import coded_labels, label_array
from casebase.data.tables import are_records, as_table, rows_as_array
from casebase.errors import CasebaseError
from casebase.evidence import Evidence
from casebase.learners import LEARNERS, Model, correcting
from casebase.learners.correcting import Receipt
from casebase.learners.fingerprints import shown

MAX_THREADS = 1024


def _can_be_corrected(classifier: Any) -> bool:
    """IB2 keeps some of its cases only: it has no `partial_fit`."""
    return classifier.learner != "ib2"


class MemoryClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: a learner of `casebase.learners` with scikit-learn's manners."""

    learner: ClassVar[str]
    model_: Any
    _declared: np.ndarray | None = None

    def _learn(self, cases: Cases) -> Model:
        parameters = self.get_params(deep=False)
        del parameters["n_jobs"]  # how to answer, not what to learn
        return LEARNERS[self.learner](cases, **parameters)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, exemplar_weight: Any = None, ids: Any = None) -> Self:
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
        ids : array-like of shape (n_cases,), optional
            What cases are called in evidence, and when they are to be removed: whole numbers or text; 0, 1, 2 … if
            not given.
        """
        target = getattr(y, "name", None)
        X, y = self._checked(X, y, reset=True)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        cases = Cases.from_table(X, y=np.asarray(y), weights=sample_weight, exemplars=exemplar_weight, ids=ids)
        if isinstance(target, str) and target:  # so that files for this model can have a class column of that name
            cases = replace(cases, schema=replace(cases.schema, target=target))
        self._declared = None
        return self._with_model(self._learn(cases), np.asarray(y).dtype)

    def _checked(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        """Return a table and its classes, checked as scikit-learn does."""
        if is_frame(X):
            X = with_names(X)
            # First, because this forgets the names of the columns.
            y = validate_data(self, "no_validation", y) if reset else column_or_1d(y, warn=True)
            validate_data(self, X, reset=reset, skip_check_array=True)
            check_consistent_length(X, y)
        else:
            X, y = validate_data(self, rows_as_array(X), y, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        try:
            with warnings.catch_warnings():
                if not reset:  # a few cases may well be of as many classes
                    warnings.simplefilter("ignore", UserWarning)
                check_classification_targets(y)
        except TypeError:  # classes that cannot be put in order: ours says what they are
            coded_labels(np.asarray(y))
            raise
        return X, y

    def _with_model(self, model: Model, class_dtype: np.dtype) -> Self:
        self.model_ = model
        self._answers = np.array(model.schema.classes, dtype=class_dtype)
        self.classes_ = self._answers if self._declared is None else self._declared
        self.weights_ = model.weights
        return self

    def insert(
        self, X: Any, y: Any, ids: Any = None, *, sample_weight: Any = None, exemplar_weight: Any = None
    ) -> Self:
        """Remember more cases; afterwards the model is the one that `fit` on all of them would give.

        Parameters
        ----------
        X, y, sample_weight, exemplar_weight : as in `fit`.
        ids : array-like of shape (n_cases,), optional
            Ids that no stored case has; if not given, numbers on from the largest.
        """
        check_is_fitted(self, "model_")
        X, y = self._checked(X, y, reset=False)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        model = correcting.insert(
            self.model_, X, np.asarray(y), ids=ids, weights=sample_weight, exemplars=exemplar_weight
        )
        return self._with_model(model, self._class_dtype(model))

    def remove(self, ids: Any) -> Receipt:
        """Forget cases, by their ids, and return a receipt; the model is then the one without them."""
        check_is_fitted(self, "model_")
        model, receipt = correcting.remove(self.model_, ids)
        self._with_model(model, self._class_dtype(model))
        return receipt

    def update(self, ids: Any, X: Any, y: Any, *, sample_weight: Any = None, exemplar_weight: Any = None) -> Self:
        """Give stored cases, by their ids, other values and classes; they keep their places."""
        check_is_fitted(self, "model_")
        X, y = self._checked(X, y, reset=False)
        model = correcting.update(self.model_, ids, X, np.asarray(y), weights=sample_weight, exemplars=exemplar_weight)
        return self._with_model(model, self._class_dtype(model))

    @available_if(_can_be_corrected)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Remember cases, in as many calls as it takes; the first one fits.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`.
        classes : array-like, optional
            All classes that will ever come, in the first call; then `classes_` and `predict_proba` have them from
            the start. Without it, classes are added as they come.
        """
        if not hasattr(self, "model_"):
            declared = None if classes is None else _declared_classes(classes)
            refuse_others(declared, y)
            self.fit(X, y, sample_weight=sample_weight)
            self._declared = declared
            return self._with_model(self.model_, self._answers.dtype)
        if classes is not None:
            known = self.classes_ if self._declared is None else self._declared
            if not np.array_equal(_declared_classes(classes), known):
                raise CasebaseError(
                    f"classes={list(classes)!r} is not what it was in the first call, {known.tolist()!r}."
                )
        refuse_others(self._declared, y)
        return self.insert(X, y, sample_weight=sample_weight)

    def _class_dtype(self, model: Model) -> np.dtype:
        """Return the type of the classes: as it was, unless there are some that it does not hold."""
        before, now = self._answers.dtype, np.array(model.schema.classes)
        if before.kind == "O":
            return before
        is_held = before.kind not in "US" and before.kind == now.dtype.kind
        return before if is_held else now.dtype

    @property
    def ids_(self) -> np.ndarray:
        """The ids of the stored cases, in the order in which they were given."""
        check_is_fitted(self, "model_")
        memory = correcting.memory_of(self.model_)
        if memory is None:
            raise AttributeError("This tree was grown without keeping its cases (keep_cases=False).")
        return memory.ids(memory.in_given_order)

    @property
    def fingerprint_(self) -> str:
        """A number, in hexadecimal digits, that all memories of the same cases have; see `remove`."""
        check_is_fitted(self, "model_")
        return shown(correcting.fingerprint(self.model_))

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

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each case."""
        cases = self._cases(X)
        return self._answers[self.model_.answer(cases, n_jobs=self._n_threads).label]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return each class's share of the votes, in the order of `classes_`."""
        cases = self._cases(X)
        answers = self.model_.answer(cases, n_jobs=self._n_threads)
        shares = answers.distribution(len(self._answers), self.model_.normalisation)
        if self._declared is None:
            return shares
        of_all = np.zeros((len(shares), len(self._declared)))
        of_all[:, np.searchsorted(self._declared, self._answers)] = shares
        return of_all

    def explain(self, X: Any, limit: int = 10) -> list[Evidence]:
        """Return why: the evidence for each case's answer, listing at most `limit` cases each."""
        cases = self._cases(X)
        return self.model_.explain(cases, limit=limit)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file; `casebase.load` reads it."""
        check_is_fitted(self, "model_")
        parameters = persist.plain_parameters(self.get_params(deep=False))
        parameters["class_dtype"] = self._answers.dtype.str
        if hasattr(self, "feature_names_in_"):
            parameters["feature_names_in"] = [str(name) for name in self.feature_names_in_]
        persist.save(path, self.model_, parameters)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled; as in a file, nothing is left of cases that were removed."""
        state = dict(super().__getstate__())
        if "model_" in state:
            state["model_"] = correcting.in_order(state["model_"])
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def _declared_classes(classes: Any) -> np.ndarray:
    return coded_labels(label_array(classes))[0]


def refuse_others(declared: np.ndarray | None, y: Any) -> None:
    """Refuse classes that are not among those that were said to come."""
    if declared is not None:
        others = [label for label in np.unique(np.asarray(y)).tolist() if label not in declared.tolist()]
        if others:
            raise CasebaseError(f"y has the class {others[0]!r}, which is not among classes={declared.tolist()!r}.")


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
