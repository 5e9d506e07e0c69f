"""Discretisation as a scikit-learn transformer."""

from typing import Any, Self

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from casebase.data.features import Feature, encode_column
from casebase.data.intervals import interval_names
from casebase.data.labels import coded_labels
from casebase.data.tables import are_records, as_table, rows_as_array
from casebase.errors import CasebaseError, unknown_name
from casebase.estimators._input import accept_symbols, case_weights, checked, checked_table, is_frame, with_names
from casebase.measures.cuts import N_INTERVALS, checked_n_bins, discretiser_named

ENCODINGS = ("ordinal", "name")


class MDLPDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Discretise numbers into the intervals that say most about the class.

    It cuts columns of floats; all other columns (text, categories, booleans, integers) pass unchanged. Missing numbers
    stay missing. A frame comes back as a frame.

    Parameters
    ----------
    strategy : {"mdlp", "equal_width", "equal_frequency"}, default="mdlp"
        Where to cut: by minimum description length of the classes (Fayyad and Irani 1993), or into `n_bins` intervals
        of equal width or of equal frequency. The last two need no `y`.
    n_bins : int, default=10
        The number of intervals, for strategies other than "mdlp".
    encode : {"ordinal", "name"}, default="ordinal"
        What replaces a number: the index of its interval (0, 1, 2, …, as a float so that missing ones can be NaN), or
        the name of its interval ("≤ 2.45").

    Attributes
    ----------
    cuts_ : for each column of floats an ascending array of cuts, None for other columns.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import MDLPDiscretizer
    >>> X = [[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]]
    >>> cut = MDLPDiscretizer(encode="name").fit(X, list("aaabbb"))
    >>> cut.cuts_
    [array([5.])]
    >>> cut.transform([[5.0], [6.0], [float("nan")]]).tolist()
    [['≤ 5'], ['> 5'], [nan]]
    """

    cuts_: list[np.ndarray | None]

    def __init__(self, *, strategy: str = "mdlp", n_bins: int = N_INTERVALS, encode: str = "ordinal") -> None:
        self.strategy = strategy
        self.n_bins = n_bins
        self.encode = encode

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the cuts of each column of floats.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            A data frame (pandas, polars, pyarrow, duckdb), numpy array or list of rows; missing values are allowed.
        y : array-like of shape (n_cases,)
            The class of each case; not needed unless `strategy` is "mdlp".
        sample_weight : array-like of shape (n_cases,), optional
            A case of weight n counts as n cases; for equal width it matters only whether a weight is 0.
        """
        find_cuts, n_bins = discretiser_named(self.strategy), checked_n_bins(self.n_bins)
        if self.encode not in ENCODINGS:
            raise CasebaseError(unknown_name("encode", self.encode, ENCODINGS))
        if y is not None or self.strategy == "mdlp":
            X, y = checked(self, X, y, reset=True)
            classes, labels = coded_labels(np.asarray(y))
        else:
            X = self._checked_alone(X)
            classes, labels = np.zeros(1), np.zeros(len(X), dtype=np.uint32)
        weights = case_weights(X, sample_weight)
        table = as_table(X)
        self.cuts_ = [
            find_cuts(encode_column(column, Feature(name, "numeric")), labels, len(classes), weights, n_bins)
            if pa.types.is_floating(column.type)
            else None
            for name, column in zip(table.names, table.columns)
        ]
        return self

    def _checked_alone(self, X: Any) -> Any:
        """Return a table without classes, checked as scikit-learn does."""
        if is_frame(X):
            X = with_names(X)
            validate_data(self, X, reset=True, skip_check_array=True)
            return X
        return validate_data(self, rows_as_array(X), reset=True, dtype=None, ensure_all_finite="allow-nan")

    def transform(self, X: Any) -> Any:
        """Return the table with numbers replaced by intervals; a frame for a frame, an array otherwise."""
        check_is_fitted(self, "cuts_")
        X = with_names(X, self) if are_records(X) else X
        checked = checked_table(self, X)
        table = as_table(checked)
        intervals = {
            i: self._intervals(encode_column(table.columns[i], Feature(table.names[i], "numeric")), cuts)
            for i, cuts in enumerate(self.cuts_)
            if cuts is not None
        }
        container = _get_output_config("transform", self)["dense"]
        if not is_frame(X):
            return _array_with(checked, intervals, missing=None if container == "polars" else np.nan)
        if container in ("default", _library(X)):
            return _frame_with(X, intervals)
        is_pandas = _library(checked) == "pandas"
        arrow = pa.Table.from_pandas(checked, preserve_index=False) if is_pandas else pa.table(checked)
        frame = _frame_with(arrow, intervals)  # polars accepts it as it is
        return frame.to_pandas() if container == "pandas" else frame

    def _intervals(self, numbers: np.ndarray, cuts: np.ndarray) -> pa.Array:
        interval = pa.array(np.searchsorted(cuts, numbers, side="left"), mask=np.isnan(numbers))
        return (
            interval.cast(pa.float64()) if self.encode == "ordinal" else pa.array(interval_names(cuts)).take(interval)
        )

    def __sklearn_tags__(self) -> Any:
        tags = accept_symbols(super().__sklearn_tags__())
        tags.target_tags.required = self.strategy == "mdlp"
        tags.transformer_tags.preserves_dtype = []
        return tags


def _library(frame: Any) -> str:
    return type(frame).__module__.partition(".")[0]


def _array_with(X: Any, intervals: dict[int, pa.Array], missing: float | None) -> np.ndarray:
    """Return the rows of a table with some columns replaced."""
    rows = np.asarray(X)
    if (
        intervals
        and all(pa.types.is_floating(column.type) for column in intervals.values())
        and len(intervals) == rows.shape[1]
    ):
        return np.column_stack([column.to_numpy(zero_copy_only=False) for column in intervals.values()])
    rows = rows.astype(object) if intervals else rows
    for i, column in intervals.items():
        rows[:, i] = [missing if value is None else value for value in column.to_pylist()]
    return rows


def _frame_with(X: Any, intervals: dict[int, pa.Array]) -> Any:
    """Return a frame of the same library (Arrow if that has no frames) with some columns replaced."""
    if _library(X) == "polars":
        return X.with_columns(type(X)(pa.table({X.columns[i]: column for i, column in intervals.items()})))
    if _library(X) == "pandas":
        frame = X.copy()
        for i, column in intervals.items():
            frame.isetitem(i, column.to_numpy(zero_copy_only=False))
        return frame
    table = with_names(X)
    for i, column in intervals.items():
        table = table.set_column(i, table.schema.names[i], column)
    return table
