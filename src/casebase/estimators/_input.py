"""Input of the estimators: tables, checked as scikit-learn checks them, encoded as cases.

Classifiers and selectors share this: the kinds of tables, the names of their columns, and the threads of `n_jobs`.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from casebase.base.method import Method
from casebase.base.threads import n_threads as n_threads
from casebase.data import Cases, Schema, Table
from casebase.data.kinds import cases_with_kinds, warnings_of
from casebase.data.labels import coded_labels
from casebase.data.rows import PlainRows
from casebase.data.sources import Columns
from casebase.data.tables import are_records, arrow_table, as_table, records_table, rows_as_array
from casebase.errors import CasebaseError
from casebase.methods import method_named
from casebase.progress import warn_user


def training_cases(estimator: Any, X: Any, y: Any, sample_weight: Any = None, **others: Any) -> tuple[Cases, np.dtype]:
    """Return the cases to learn from, and the type of their classes."""
    target = getattr(y, "name", None)
    X, y = checked(estimator, X, y, reset=True)
    weights = case_weights(y, sample_weight)
    table, stores_cases = as_table(X), False
    if hasattr(estimator, "learner"):
        method = method_named(estimator.learner)
        stores_cases = method.stores_cases and getattr(estimator, "keep_cases", True)
        is_free = estimator.kinds is None and method.finds_kinds
        others |= {"kinds": "auto" if is_free else estimator.kinds, "find_others": method.finds_kinds}
        # A table of constants is no error if nobody asked for kinds: its answer is the most frequent class.
        others |= {"or_plain": is_free, "ignore": estimator.ignore, "keep": estimator.keep}
        if has_columns(estimator.keep) and not stores_cases:
            warn_user(without_effect(method))
    else:  # a selector tells of the columns that it was given
        others["kinds"] = None
    if not stores_cases:  # nobody will see the ids, so it does not matter if the index has one twice
        table = replace(table, ids=None)
    cases = cases_with_kinds(table, np.asarray(y), weights=weights, **others)
    warn_of_kinds(cases)
    if isinstance(target, str) and target:  # so that data files for this model can name their class column so
        cases = cases.with_target(target)
    return cases, np.asarray(y).dtype


def has_columns(columns: Columns) -> bool:
    """Whether columns are named at all."""
    return columns is not None and (isinstance(columns, str | int) or len(columns) > 0)


def without_effect(method: Method) -> str:
    """Return the warning that a method keeps no provenance, because it stores no cases."""
    return (
        f"{method.title} stores no cases: the columns to keep are left out, and not kept. IB1, TRIBL, SMILE, "
        "hierarchical rules and the autopilot store cases."
    )


def warn_of_kinds(cases: Cases) -> None:
    """Warn of the risky choices among the kinds of the columns."""
    risks = warnings_of(cases.schema.kinds)
    if risks:
        warn_user("Check the kinds of these columns. " + " ".join(risks))


def case_weights(y: Any, sample_weight: Any) -> Any:
    """Return the weights of the cases, of which `y` has one entry each; None if they all count once."""
    return None if sample_weight is None else _check_sample_weight(sample_weight, y, ensure_non_negative=True)


def checked(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
    """Return a table and its classes, checked as scikit-learn does."""
    if is_frame(X) and reset:
        X = with_names(X)
        # First, because this resets the names of the columns.
        y = validate_data(estimator, "no_validation", y)
        validate_data(estimator, X, reset=True, skip_check_array=True)
        check_consistent_length(X, y)
    elif is_frame(X):
        X, y = _new_table(estimator, X, estimator.model_.schema), column_or_1d(y, warn=True)
        if X.n_rows != len(y):
            raise CasebaseError(f"Expected one class per case: {X.n_rows} cases, {len(y)} classes.")
    else:
        X = rows_as_array(X) if reset else _with_all_columns(rows_as_array(X), estimator.model_.schema)
        X, y = validate_data(estimator, X, y, reset=reset, dtype=None, ensure_all_finite="allow-nan")
    try:
        with warnings.catch_warnings():
            if not reset:  # a few new cases may have as many classes, which is no reason to warn
                warnings.simplefilter("ignore")
            check_classification_targets(y)
    except TypeError:  # classes that cannot be sorted: our own error names them
        coded_labels(np.asarray(y))
        raise
    return X, y


def checked_table(estimator: Any, X: Any, schema: Schema | None = None) -> Any:
    """Return a table without classes, checked against the training table; its schema tells what it may lack."""
    if is_frame(X) and schema is not None:
        return _new_table(estimator, X, schema)
    if is_frame(X):
        X = with_names(X, estimator)
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return X
    X = rows_as_array(X) if schema is None else _with_all_columns(rows_as_array(X), schema)
    return validate_data(estimator, X, reset=False, dtype=None, ensure_all_finite="allow-nan")


def _new_table(estimator: Any, X: Any, schema: Schema) -> Table:
    """Return a frame, or rows as dicts, after scikit-learn's check of the names of the columns."""
    if are_records(X) and schema.is_named:  # the keys of dicts have no order, and may be absent
        table = schema.table(X)
        validate_data(estimator, _columns_named(schema.column_names), reset=False, skip_check_array=True)
        return table
    X = with_names(X)
    table = as_table(X)
    validate_data(estimator, _with_columns_left_out(X, table, schema), reset=False, skip_check_array=True)
    return table


def _with_columns_left_out(X: Any, table: Table, schema: Schema) -> Any:
    """Return a table with the names of all columns: scikit-learn expects also those that are left out."""
    absent = [name for name in schema.column_names if name not in table.names]
    if not table.is_named or not absent or set(absent) & set(schema.needed_columns):
        return X
    others = [name for name in table.names if name not in schema.column_names]
    return _columns_named([*schema.column_names, *others])


def _columns_named(names: Sequence[str]) -> pa.Table:
    return pa.table({name: pa.nulls(0) for name in names})


def _with_all_columns(array: Any, schema: Schema) -> Any:
    """Return an array with missing values in the columns that are left out, if it has only the others."""
    n_needed = len(schema.needed_columns)
    is_short = getattr(array, "ndim", 0) == 2 and array.shape[1] == n_needed != len(schema.column_names)
    if not is_short or schema.source is None:
        return array
    filled = np.full((len(array), len(schema.column_names)), None, dtype=object)
    filled[:, [i for i, column in enumerate(schema.source) if column.is_learned]] = array
    return filled


def fits(estimator: Any, rows: PlainRows) -> bool:
    """Whether plain rows would pass scikit-learn's checks: the names, or the number, of their columns match.

    If not, `checked_table` raises scikit-learn's error. Values need no check here: `Schema.encode_rows` accepts none
    that scikit-learn refuses.
    """
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return rows.names is None and bool(rows.n_columns == estimator.n_features_in_)
    if rows.are_records:  # keys have no order
        return rows.names is not None and set(rows.names) <= set(names.tolist())
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


def with_names(frame: Any, estimator: Any = None) -> Any:
    """Return a frame whose column names scikit-learn can read: it knows neither duckdb relations nor lists of dicts.

    The keys of dicts have no order: an estimator that is fitted has its own.
    """
    if are_records(frame):
        table = records_table(frame, list(getattr(estimator, "feature_names_in_", ())))
        return pa.table(dict(zip(table.names, table.columns)))
    return frame if hasattr(frame, "__dataframe__") else arrow_table(frame)
