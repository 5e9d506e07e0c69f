"""Base of the scikit-learn classifiers: tables in, labels out.

A classifier only adapts. It checks its input as scikit-learn does, encodes it as cases, calls a method and keeps the
frozen model; every prediction comes from that model.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from casebase import methods
from casebase.about import about_predictions
from casebase.base.answers import Answers
from casebase.base.evidence import Evidence, Explanations
from casebase.base.files import CheckedArrays, Header, Target
from casebase.base.flips import BUDGET, Flip
from casebase.base.intervals import notice_of_numbers
from casebase.base.leave_out import explain_without_itself, rows_of_queries, stored_queries
from casebase.base.log import Entry
from casebase.base.model import Model
from casebase.base.parameters import plain_parameters
from casebase.base.settings import Settings
from casebase.base.state import StateIsFile
from casebase.confidence import probabilities
from casebase.data import Cases, Schema
from casebase.data.kinds import Kinds
from casebase.data.rows import plain_rows
from casebase.data.sources import ColumnKind, Columns
from casebase.data.tables import as_table
from casebase.errors import CasebaseError
from casebase.estimators._calibrated import Calibrated, Known
from casebase.estimators._input import accept_symbols, checked_table, fits, training_cases
from casebase.estimators._load import classifier_of
from casebase.estimators._parameters import KINDS, N_JOBS, Own, take_settings
from casebase.methods import method_named
from casebase.progress import warn_user


class CaseClassifier(StateIsFile, Calibrated, ClassifierMixin, BaseEstimator):
    """Base of the classifiers: a method with scikit-learn's interface.

    A subclass names its method; its parameters are the settings of that method, and `n_jobs`.
    """

    learner: ClassVar[str]  # the name of the method
    model_: Any
    kinds: Kinds
    ignore: Columns
    keep: Columns
    n_jobs: int | None
    _log: tuple[Entry, ...] = ()  # corrections since the last fit
    _data_file: str | None = None  # the name of the file of the training cases, if `casebase train` has read it

    _own_parameters: ClassVar[Mapping[str, Own]] = KINDS | N_JOBS
    _in_file: ClassVar[frozenset[str]] = frozenset({"model_", "_known", "_answers", "classes_", "weights_", "_log"})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "learner" in cls.__dict__:
            take_settings(cls, method_named(cls.learner).settings, cls._own_parameters)

    def _settings(self) -> Settings:
        """Return the parameters as the method's settings record, which checks them."""
        record = method_named(self.learner).settings
        return record(**{name: getattr(self, name) for name in record.public()})

    def _learn(self, cases: Cases) -> Model:
        model: Model = method_named(self.learner).fit(cases, self._settings(), n_jobs=self._n_threads)
        return model

    def _learn_with_notice(self, cases: Cases) -> Model:
        """Learn from the cases, and warn if numbers are compared as symbols or there are none to cut."""
        model = self._learn(cases)
        notice = notice_of_numbers(model.schema, model.settings, "discretise='mdlp'", "metric='numeric'")
        if notice is not None:
            warn_user(notice)
        return model

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
            Names of the cases in evidence, whole numbers or text; by default the index of a pandas frame, or 0, 1, 2 ….
            All classifiers accept ids, so that they share one signature; those that store no cases do not use them.
        """
        cases, class_dtype = training_cases(self, X, y, sample_weight, ids=ids)
        self._data_file = None
        return self._with_model(self._learn_with_notice(cases), class_dtype)._learned_from(cases)

    def _with_model(self, model: Model, class_dtype: np.dtype) -> Self:
        self.model_ = model
        self._known = Known()
        self._answers = np.array(model.schema.classes, dtype=class_dtype)
        self.classes_ = self._answers
        return self

    def _cases(self, X: Any) -> Cases:
        check_is_fitted(self, "model_")
        schema: Schema = self.model_.schema
        # A few plain rows skip scikit-learn's checks and Arrow, which cost far more than the answer.
        rows = plain_rows(X)
        cases = schema.encode_rows(rows) if rows is not None and fits(self, rows) else None
        return schema.encode(as_table(checked_table(self, X, schema))) if cases is None else cases

    @property
    def kinds_(self) -> tuple[ColumnKind, ...]:
        """The kind of each column of the training table, with its reason; empty without `kinds`."""
        check_is_fitted(self, "model_")
        kinds: tuple[ColumnKind, ...] = self.model_.schema.kinds
        return kinds

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each case."""
        cases = self._cases(X)
        labels: np.ndarray = self._answers[self.model_.answer(cases, n_jobs=self._n_threads).label]
        return labels

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class, in the order of `classes_`; `normalisation` says how it is found."""
        cases = self._cases(X)
        answers: Answers = self.model_.answer(cases, n_jobs=self._n_threads)
        return probabilities(self.model_, answers, self._calibration_for_votes())

    def explain(
        self, X: Any = None, limit: int = 10, *, ids: Any = None, leave_out: bool | None = None
    ) -> Explanations[Evidence]:
        """Return a list of the evidence for each prediction; each lists at most `limit` records.

        Printed, the list is short, and a notebook shows it as predictions to open; print one of its records for the
        evidence. `casebase.render_html` makes a page of it.

        Parameters
        ----------
        X : table of shape (n_cases, n_features), optional
            The cases; without it, the stored cases with these `ids`.
        limit : int, default=10
            Number of stored cases to list for each answer.
        ids : array-like of shape (n_cases,), optional
            Ids of stored cases; together with `X`, the ids of its rows.
        leave_out : bool, optional
            Whether a stored case is answered from the memory without it; the weights are those of all cases. A row of
            `X` is a stored case if it has the id of one. By default True without `X`, False with it.
        """
        check_is_fitted(self, "model_")
        model: Model = self.model_
        if X is None:
            if ids is None:
                raise CasebaseError("There is nothing to explain: pass cases (X), or ids of stored cases (ids=[…]).")
            cases, rows = stored_queries(model, ids)
            is_left_out = leave_out is None or leave_out
        else:
            cases = self._cases(X)
            cases = cases if ids is None else cases.with_ids(ids)
            is_left_out = bool(leave_out)
            rows = rows_of_queries(model, cases) if is_left_out else np.empty(0, dtype=np.int64)
        evidence: list[Evidence] = (
            explain_without_itself(model, cases, rows, limit=limit)
            if is_left_out
            else model.explain(cases, limit=limit)
        )
        return Explanations(evidence, partial(about_predictions, model, self._data_file, len(self._log)))

    def flip(
        self, X: Any, to: Any = None, *, frozen: Sequence[str | int] = (), limit: int = 3, budget: int = BUDGET
    ) -> list[Flip]:
        """Return for each case the fewest changes after which another class is predicted.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            The cases.
        to : class, optional
            The class that should be predicted; any other than now by default.
        frozen : list of str or int
            Names or numbers of the columns that must not change.
        limit : int
            The largest number of changes.
        budget : int
            How many predictions may be tried per case. A result says up to how many changes it is proved.
        """
        cases = self._cases(X)
        threads = self._n_threads
        return methods.flip(self.model_, cases, to=to, frozen=frozen, limit=limit, budget=budget, n_jobs=threads)

    def save(self, path: Target) -> None:
        """Write the fitted model to a file; `casebase.load` reads it.

        A model that was loaded from the file is refused if another program has changed the file since then.
        """
        check_is_fitted(self, "model_")
        extras = plain_parameters({name: getattr(self, name) for name in self._own_parameters})
        extras["class_dtype"] = self._answers.dtype.str
        if hasattr(self, "feature_names_in_"):
            extras["feature_names_in"] = [str(name) for name in self.feature_names_in_]
        if self._data_file is not None:
            extras["data_file"] = self._data_file
        with self._saving(path):
            methods.save(path, self.model_, extras, log=self._log, calibration=self._calibration_to_keep())

    @classmethod
    def _from_file(cls, name: str, header: Header, arrays: CheckedArrays) -> "CaseClassifier":
        return classifier_of(name, methods.model_of(name, header, arrays))

    def __sklearn_tags__(self) -> Any:
        return accept_symbols(super().__sklearn_tags__())
