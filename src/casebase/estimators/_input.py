"""Tables as scikit-learn's users bring them, checked as scikit-learn does, as cases.

Everything here is the same for classifiers and selectors: what a table may be, which names its columns have, and how
many threads `n_jobs` means.
"""

import warnings
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from casebase.base.threads import n_threads as n_threads
from casebase.data import Cases
from casebase.data.labels import coded_labels
from casebase.data.rows import PlainRows
from casebase.data.tables import are_records, as_table, rows_as_array


def training_cases(estimator: Any, X: Any, y: Any, sample_weight: Any = None, **others: Any) -> tuple[Cases, np.dtype]:
    """Return the cases to learn from, and the type of their classes."""
    target = getattr(y, "name", None)
    X, y = checked(estimator, X, y, reset=True)
    cases = Cases.from_table(X, y=np.asarray(y), weights=case_weights(X, sample_weight), **others)
    if isinstance(target, str) and target:  # so that files for this model can have a class column of that name
        cases = cases.with_target(target)
    return cases, np.asarray(y).dtype


def case_weights(X: Any, sample_weight: Any) -> Any:
    return None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)


def checked(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
    """Return a table and its classes, checked as scikit-learn does."""
    if is_frame(X):
        X = with_names(X)
        # First, because this forgets the names of the columns.
        y = validate_data(estimator, "no_validation", y) if reset else column_or_1d(y, warn=True)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        check_consistent_length(X, y)
    else:
        X, y = validate_data(estimator, rows_as_array(X), y, reset=reset, dtype=None, ensure_all_finite="allow-nan")
    try:
        with warnings.catch_warnings():
            if not reset:  # a few cases may well be of as many classes
                warnings.simplefilter("ignore", UserWarning)
            check_classification_targets(y)
    except TypeError:  # classes that cannot be put in order: ours says what they are
        coded_labels(np.asarray(y))
        raise
    return X, y


def checked_table(estimator: Any, X: Any) -> Any:
    """Return a table without classes, checked against the one that the estimator was fitted on."""
    if is_frame(X):
        X = with_names(X)
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return X
    return validate_data(estimator, rows_as_array(X), reset=False, dtype=None, ensure_all_finite="allow-nan")


def fits(estimator: Any, rows: PlainRows) -> bool:
    """Whether scikit-learn's checks would let a few plain rows pass without a word: their names, or their number, fit.

    If not, `checked_table` says what scikit-learn says. Their values need no check of its own: `Schema.encode_rows`
    takes none that scikit-learn refuses.
    """
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return rows.names is None and rows.n_columns == estimator.n_features_in_
    return rows.names == names.tolist()


def accept_symbols(tags: Any) -> Any:
    """Return scikit-learn's tags of an estimator that takes categories, text and missing values."""
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
