"""Base of the classifiers whose memory can be corrected: insert, remove and update cases without a new fit."""

from typing import Any, Self

import numpy as np
import pyarrow as pa
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from casebase.base.log import Author, Log, log_of
from casebase.base.model import Model
from casebase.base.records import records_of
from casebase.data.labels import coded_labels, label_array
from casebase.errors import CasebaseError
from casebase.estimators._base import CaseClassifier
from casebase.estimators._input import case_weights, checked, training_cases
from casebase.memory.fingerprints import hexadecimal
from casebase.methods import method_named
from casebase.neighbours import correction, logged_correction
from casebase.neighbours.correction import Receipt


def _can_be_corrected(classifier: Any) -> bool:
    """Whether the model keeps all of its cases: only then can they change."""
    return hasattr(method_named(classifier.learner).model, "refit")


class CorrectableClassifier(CaseClassifier):
    """Base of the classifiers that keep their cases: a corrected model equals one from a new fit."""

    _declared: np.ndarray | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, exemplar_weight: Any = None, ids: Any = None) -> Self:
        """Store the cases.

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
            A case of exemplar weight n has its distance divided by n. It has no effect on IGTree, which computes no
            distances.
        ids : array-like of shape (n_cases,), optional
            Names of the cases in evidence and for removal, whole numbers or text; by default the index of a pandas
            frame, or 0, 1, 2 ….
        """
        cases, class_dtype = training_cases(self, X, y, sample_weight, exemplars=exemplar_weight, ids=ids)
        self._declared, self._log, self._data_file = None, (), None
        return self._with_model(self._learn_with_notice(cases), class_dtype)._learned_from(cases)

    def _with_model(self, model: Any, class_dtype: np.dtype) -> Self:
        super()._with_model(model, class_dtype)
        if self._declared is not None:
            self.classes_ = self._declared
        if hasattr(model, "weights"):
            self.weights_ = model.weights
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class, in the order of `classes_`; `normalisation` says how it is found."""
        shares = super().predict_proba(X)
        if self._declared is None:
            return shares
        all_shares = np.zeros((len(shares), len(self._declared)))
        all_shares[:, np.searchsorted(self._declared, self._answers)] = shares
        return all_shares

    @available_if(_can_be_corrected)
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
    ) -> Self:
        """Store more cases; the model then equals `fit` on all of them.

        Parameters
        ----------
        X, y, sample_weight, exemplar_weight
            As in `fit`.
        ids : array-like of shape (n_cases,), optional
            Ids that no stored case has; by default the index of a pandas frame if it is not 0, 1, 2 …, else count on
            from the largest.
        by, note : str, optional
            Who inserts them, and why, for the log.
        """
        return self._insert(X, y, ids, sample_weight, exemplar_weight, Author(by, note))

    def _insert(
        self, X: Any, y: Any, ids: Any, sample_weight: Any, exemplar_weight: Any, author: Author | None
    ) -> Self:
        """Store more cases; without an author nothing is logged."""
        check_is_fitted(self, "model_")
        X, y = checked(self, X, y, reset=False)
        others = {"ids": ids, "weights": case_weights(y, sample_weight), "exemplars": exemplar_weight}
        if author is None:
            model = correction.insert(self.model_, X, np.asarray(y), **others)
        else:
            model, self._log = logged_correction.insert(
                self.model_, self._log, X, np.asarray(y), **others, author=author
            )
        return self._with_model(model, self._class_dtype(model))

    @available_if(_can_be_corrected)
    def remove(self, ids: Any, *, by: str | None = None, note: str | None = None) -> Receipt:
        """Remove cases by id and return a receipt; the model then equals `fit` without them.

        The log says `by` whom they were removed, and why (`note`), and keeps no value of them.
        """
        check_is_fitted(self, "model_")
        model, self._log, receipt = logged_correction.remove(self.model_, self._log, ids, author=Author(by, note))
        self._with_model(model, self._class_dtype(model))
        return receipt

    @available_if(_can_be_corrected)
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
    ) -> Self:
        """Replace the values and classes of stored cases by id; they keep their positions.

        The log says `by` whom they were changed, and why (`note`), and keeps what they were before.
        """
        check_is_fitted(self, "model_")
        X, y = checked(self, X, y, reset=False)
        weights = {"weights": sample_weight, "exemplars": exemplar_weight}
        model, self._log = logged_correction.update(
            self.model_, self._log, ids, X, np.asarray(y), **weights, author=Author(by, note)
        )
        return self._with_model(model, self._class_dtype(model))

    @available_if(_can_be_corrected)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Store cases in several calls; the first call fits.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, optional
            All classes, in the first call: `classes_` and `predict_proba` then have them from the start. Without it,
            classes are added as they occur.
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
                raise CasebaseError(f"classes={list(classes)!r} differs from the first call, {known.tolist()!r}.")
        refuse_others(self._declared, y)
        return self._insert(X, y, None, sample_weight, None, None)

    def _class_dtype(self, model: Model) -> np.dtype:
        """Return the type of the classes: the old one, unless it cannot hold the new classes."""
        before, now = self._answers.dtype, np.array(model.schema.classes)
        if before.kind == "O":
            return before
        can_hold = before.kind not in "US" and before.kind == now.dtype.kind
        return before if can_hold else now.dtype

    @property
    def ids_(self) -> np.ndarray:
        """The ids of the stored cases, in the order of insertion."""
        check_is_fitted(self, "model_")
        memory = self.model_.stored_memory()
        if memory is None:
            raise AttributeError("This tree was grown without keeping its cases (keep_cases=False).")
        ids: np.ndarray = memory.ids(memory.in_given_order)
        return ids

    @property
    def records_(self) -> pa.Table:
        """The stored cases as an Arrow table: id, values, provenance, class, and weights if there are any."""
        check_is_fitted(self, "model_")
        try:
            return records_of(self.model_).to_arrow()
        except CasebaseError as error:  # AttributeError makes `hasattr` work
            raise AttributeError(str(error)) from error

    @property
    def log_(self) -> Log:
        """The corrections since the last `fit`: who, when, why, and what was before and after."""
        check_is_fitted(self, "model_")
        return log_of(self.model_, self._log)

    @property
    def fingerprint_(self) -> str:
        """A hexadecimal fingerprint: memories of the same cases have the same one; see `remove`."""
        check_is_fitted(self, "model_")
        try:
            return hexadecimal(correction.fingerprint(self.model_))
        except CasebaseError as error:  # AttributeError makes `hasattr` work
            raise AttributeError(str(error)) from error

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self._declared is not None and hasattr(self, "model_"):
            self.classes_ = self._declared


def _declared_classes(classes: Any) -> np.ndarray:
    return coded_labels(label_array(classes))[0]


def refuse_others(declared: np.ndarray | None, y: Any) -> None:
    """Refuse classes that were not declared."""
    if declared is not None:
        others = [label for label in np.unique(np.asarray(y)).tolist() if label not in declared.tolist()]
        if others:
            raise CasebaseError(f"y has the class {others[0]!r}, which is not among classes={declared.tolist()!r}.")
