"""Input of the estimators: tables, checked as scikit-learn checks them, encoded as cases.

Classifiers and selectors share this: the kinds of tables, the names of their columns, and the threads of `n_jobs`.
"""

import warnings
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from casebase.base.threads import n_threads as n_threads
from casebase.data import Cases, Schema
from casebase.data.kinds import cases_with_kinds, warnings_of
from casebase.data.labels import coded_labels
from casebase.data.rows import PlainRows
from casebase.data.tables import are_records, as_table, rows_as_array
from casebase.methods import method_named


def training_cases(estimator: Any, X: Any, y: Any, sample_weight: Any = None, **others: Any) -> tuple[Cases, np.dtype]:
    """Return the cases to learn from, and the type of their classes."""
    target = getattr(y, "name", None)
    X, y = checked(estimator, X, y, reset=True)
    weights = case_weights(X, sample_weight)
    if hasattr(estimator, "learner"):
        finds_kinds = method_named(estimator.learner).finds_kinds
        is_free = estimator.kinds is None and finds_kinds
        # A table of constants is no error if nobody asked for kinds: its answer is the most frequent class.
        others |= {"kinds": "auto" if is_free else estimator.kinds, "find_others": finds_kinds, "or_plain": is_free}
    else:  # a selector tells of the columns that it was given
        others["kinds"] = None
    cases = cases_with_kinds(X, np.asarray(y), weights=weights, **others)
    warn_of_kinds(cases)
    if isinstance(target, str) and target:  # so that data files for this model can name their class column so
        cases = cases.with_target(target)
    return cases, np.asarray(y).dtype


def warn_of_kinds(cases: Cases) -> None:
    """Warn of the risky choices among the kinds of the columns."""
    risks = warnings_of(cases.schema.kinds)
    if risks:
        warnings.warn("Check the kinds of these columns. " + " ".join(risks), stacklevel=4)


def case_weights(X: Any, sample_weight: Any) -> Any:
    return None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)


def checked(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
    """Return a table and its classes, checked as scikit-learn does."""
    if is_frame(X):
        X = with_names(X) if reset else _with_columns_left_out(with_names(X), estimator.model_.schema)
        # First, because this resets the names of the columns.
        y = validate_data(estimator, "no_validation", y) if reset else column_or_1d(y, warn=True)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        check_consistent_length(X, y)
    else:
        X, y = validate_data(estimator, rows_as_array(X), y, reset=reset, dtype=None, ensure_all_finite="allow-nan")
    try:
        with warnings.catch_warnings():
            if not reset:  # a few new cases may have as many classes, which is no reason to warn
                warnings.simplefilter("ignore", UserWarning)
            check_classification_targets(y)
    except TypeError:  # classes that cannot be sorted: our own error names them
        coded_labels(np.asarray(y))
        raise
    return X, y


def checked_table(estimator: Any, X: Any, schema: Schema | None = None) -> Any:
    """Return a table without classes, checked against the training table; its schema tells what it may lack."""
    if is_frame(X):
        X = with_names(X)
        X = X if schema is None else _with_columns_left_out(X, schema)
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return X
    return validate_data(estimator, rows_as_array(X), reset=False, dtype=None, ensure_all_finite="allow-nan")


def _with_columns_left_out(X: Any, schema: Schema) -> Any:
    """Return a table with all columns of the training table: scikit-learn expects also those that are left out."""
    if schema.source is None:
        return X
    table = as_table(X)
    absent = [name for name in schema.column_names if name not in table.names]
    if not table.is_named or not absent or set(absent) & set(schema.needed_columns):
        return X
    columns = dict(zip(table.names, table.columns)) | dict.fromkeys(absent, pa.nulls(table.n_rows))
    others = [name for name in table.names if name not in schema.column_names]
    return pa.table({name: columns[name] for name in (*schema.column_names, *others)})


def fits(estimator: Any, rows: PlainRows) -> bool:
    """Whether plain rows would pass scikit-learn's checks: the names, or the number, of their columns match.

    If not, `checked_table` raises scikit-learn's error. Values need no check here: `Schema.encode_rows` accepts none
    that scikit-learn refuses.
    """
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return rows.names is None and bool(rows.n_columns == estimator.n_features_in_)
    return bool(rows.names == names.tolist())


def accept_symbols(tags: Any) -> Any:
    """Return scikit-learn's tags of an estimator that takes categories, text and missing values."""
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.input_tags.allow_nan = True
    return tags


def is_frame(X: Any) -> bool:
    """Whether a table has columns with names and types."""
    interfaces = ("__dataframe__", "__arrow_c_stream__", "__arrow_c_array__")
    return are_records(X) or any(hasattr(X, interface) for interface in interfaces)


def with_names(frame: Any) -> Any:
    """Return a frame whose column names scikit-learn can read: it knows neither duckdb relations nor lists of dicts."""
    if are_records(frame):
        table = as_table(frame)
        return pa.table(dict(zip(table.names, table.columns)))
    return frame if hasattr(frame, "__dataframe__") else pa.table(frame)
