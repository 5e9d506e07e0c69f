"""Conversion of any in-memory table to named Arrow columns.

Data frames pass their columns through Arrow's PyCapsule interface; NumPy arrays and lists of rows are converted
column by column. Users need no encoder, and no value is lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time
from decimal import Decimal
from types import NoneType
from typing import Any

import numpy as np

from casebase.data.arrays import as_floats
from casebase.data.arrow import pa
from casebase.data.columns import MISSING, as_text, is_missing, symbolic_or_numeric, text_column
from casebase.data.ids import index_ids
from casebase.data.spellings import with_arrow_unit
from casebase.data.table import Table
from casebase.errors import CasebaseError, SchemaError, unknown_name

UNSPELLED = (
    bytes,
    bytearray,
    memoryview,
    list,
    tuple,
    set,
    frozenset,
    dict,
    np.ndarray,
    np.void,
)  # as Arrow's binary and nested

ARROWS_FLOATS = (np.float32, np.float64)  # those of NumPy that it takes beside integers
NUMPY_TIMES = (np.datetime64, np.timedelta64)
LARGEST_WHOLE = 2**53  # up to this limit an integer and its float are one number
NOT_IN_ARROW = ("Int128", "UInt128", "Object")  # types of polars


def as_table(data: Any, target: str | int | None = None) -> Table:
    """Convert a table of pandas, polars, pyarrow, duckdb or NumPy, or a list of rows.

    `target` is the name or the position (from 0) of the class column; without it every column is a feature.

    >>> as_table([["sunny", 31.5], ["rainy", None]]).columns[1].to_pylist()
    [31.5, None]
    """
    if isinstance(data, Table):
        table = data
    elif isinstance(data, pa.Table | pa.RecordBatch):
        table = _from_arrow(data)
    elif hasattr(data, "__dataframe__") and hasattr(data, "iloc"):  # pandas: columns may mix types
        table = _from_pandas(data)
    elif hasattr(data, "__arrow_c_stream__"):
        table = _from_arrow(arrow_table(data))
    elif are_records(data):
        table = records_table(data)
    else:
        table = _from_array(rows_as_array(data))
    return table if target is None else with_target(table, target)


def are_records(data: Any) -> bool:
    """Return whether a table is a list of dicts."""
    return isinstance(data, Sequence) and len(data) > 0 and all(isinstance(row, Mapping) for row in data)


def records_table(rows: Sequence[Mapping[Any, Any]], expected: Sequence[str] = (), known: Sequence[str] = ()) -> Table:
    """Return the table of a list of dicts: their keys are columns, in any order, and a key that is absent is missing.

    The `expected` columns of a model come first, in its order, whether a row has them or not. If there are any, a row
    has no other keys than these and the `known` ones, because a misspelt key would silently be a missing value.

    >>> records_table([{"b": "x", "a": "y"}, {"a": "z"}], expected=["a", "b"]).columns[1].to_pylist()
    ['x', None]
    """
    keys = dict.fromkeys(name for row in rows for name in row)
    by_name = {str(key): key for key in keys}
    unknown = [name for name in by_name if expected and name not in expected and name not in known]
    if unknown:
        raise SchemaError(f"A row has an unknown key. {unknown_name('column', unknown[0], expected)}")
    names = list(dict.fromkeys([*expected, *by_name]))
    return _from_columns([[row.get(by_name.get(name, name)) for row in rows] for name in names], names)


def with_target(table: Table, target: str | int) -> Table:
    """Return the table with this column, given by name or position, as its class."""
    if isinstance(target, str):
        if target not in table.names:
            raise SchemaError(unknown_name("column", target, table.names))
        position = table.names.index(target)
    else:
        if not -len(table.names) <= target < len(table.names):
            raise SchemaError(f"There is no column {target}: the table has {len(table.names)} columns.")
        position = range(len(table.names))[target]
    return replace(table, target=position)


def _from_arrow(data: pa.Table | pa.RecordBatch) -> Table:
    names = tuple(data.schema.names)
    columns = tuple(symbolic_or_numeric(data.column(i), name) for i, name in enumerate(names))
    return Table(names, columns)


def arrow_table(data: Any) -> pa.Table:
    """Return a table of polars, duckdb or another library as Arrow's; what polars cannot give it goes by way of lists.

    >>> arrow_table(pa.record_batch({"a": [1]})).schema.names
    ['a']
    """
    schema = getattr(data, "schema", None)
    kinds: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    lists = [name for name, kind in kinds.items() if str(kind) in NOT_IN_ARROW]
    if not lists:
        return pa.table(data)
    columns = {name: _column(data[name].to_list(), name) for name in lists}
    shared = pa.table(data.drop(lists))
    columns |= {name: shared.column(name) for name in shared.schema.names}
    return pa.table({name: columns[name] for name in kinds})


def _from_pandas(frame: Any) -> Table:
    is_named = all(isinstance(name, str) for name in frame.columns)
    names = [str(name) for name in frame.columns]
    columns = [_pandas_column(frame.iloc[:, i], name) for i, name in enumerate(names)]
    return Table(tuple(names), tuple(columns), is_named=is_named, ids=index_ids(frame))


def _pandas_column(values: Any, name: str) -> pa.Array:
    """Return a column of pandas; objects one by one, because Arrow would ignore their time zones, and in categories."""
    if hasattr(values, "sparse"):
        values = values.sparse.to_dense()
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "fO":
        return _column(values.to_numpy(), name)
    categories = values.cat.categories if hasattr(values, "cat") else None
    # pyarrow 16 ignores the time zone of categories, too.
    if categories is not None and (categories.dtype == object or getattr(categories.dtype, "tz", None)):
        texts = as_text(_mixed_column(categories.tolist(), name))
        codes = values.cat.codes.to_numpy()
        coded = pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), texts, ordered=values.cat.ordered)
        return coded if values.cat.ordered else coded.dictionary_decode().dictionary_encode()
    return _column(values.array, name)


def rows_as_array(data: Any) -> Any:
    """Return a list of rows as an array of objects, so that every value keeps its type; arrays stay as they are."""
    return _object_array(data) if isinstance(data, list | tuple) else data


def _from_array(data: Any) -> Table:
    array = np.asarray(data)
    if array.ndim != 2:
        raise CasebaseError(
            f"Expected a table with rows and columns, got an array of shape {array.shape}. "
            "For a single case, wrap it in a list: [case]."
        )
    return _from_columns([array[:, i] for i in range(array.shape[1])])


def _object_array(data: Any) -> np.ndarray:
    rows = [list(row) if isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) else row for row in data]
    lengths = {len(row) if isinstance(row, list) else -1 for row in rows}
    if len(lengths) > 1:
        first = next(i for i, row in enumerate(rows) if not isinstance(row, list) or len(row) != len(rows[0]))
        raise CasebaseError(
            f"Row {first} does not have as many values as row 0. Every row needs a value for each feature."
        )
    if lengths == {-1}:
        return np.array(rows, dtype=object)
    array = np.empty((len(rows), lengths.pop() if lengths else 0), dtype=object)
    for i, row in enumerate(rows):
        array[i] = row
    return array


def _from_columns(columns: Sequence[Any], names: Sequence[str] | None = None) -> Table:
    is_named = names is not None
    names = [f"f{i + 1}" for i in range(len(columns))] if names is None else names
    return Table(tuple(names), tuple(_column(c, n) for c, n in zip(columns, names)), is_named=is_named)


def _column(values: Any, name: str) -> pa.Array:
    """Return one column; values of mixed types become text."""
    if isinstance(values, list):
        values = _objects(values)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return symbolic_or_numeric(pa.array(np.ascontiguousarray(values, dtype=np.float64)), name)
    if isinstance(values, np.ndarray) and values.dtype.kind in "US":
        return text_column(values.tolist())
    if isinstance(values, np.ndarray) and values.dtype.kind == "O":
        return _object_column(values.tolist(), name)
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        values = with_arrow_unit(values)
    return _arrow_column(values, name)


def _object_column(values: list[Any], name: str) -> pa.Array:
    if any(kind.__name__ in MISSING or issubclass(kind, NUMPY_TIMES) for kind in set(map(type, values))):
        values = [None if is_missing(value) else value for value in values]
    types = set(map(type, values)) - {NoneType}
    if _is_mixed(values, types):
        return _mixed_column(values, name)
    if any(issubclass(kind, np.floating | Decimal) and kind not in ARROWS_FLOATS for kind in types):
        numbers = _floats(values)
        return _mixed_column(values, name) if numbers is None else symbolic_or_numeric(numbers, name)
    return _arrow_column(_objects(values), name)


def _arrow_column(values: Any, name: str) -> pa.Array:
    try:
        array = pa.array(values if not isinstance(values, np.ndarray) else values.copy(), from_pandas=True)
    except (
        UnicodeEncodeError,
        pa.ArrowInvalid,
        pa.ArrowTypeError,
        pa.ArrowNotImplementedError,
        OverflowError,
        TypeError,
    ):
        return _mixed_column(list(values), name)
    return symbolic_or_numeric(array, name)


def _floats(values: list[Any]) -> pa.Array | None:
    """Return numbers as floats, missing ones as nulls; None if no known one is a float, or a float would change one.

    Arrow cannot mix decimals with other numbers, and makes 0 of a half-precision 0.1 beside an integer.
    """
    known = [value for value in values if not is_missing(value)]
    if not any(isinstance(value, float | np.floating | Decimal) for value in known):
        return None
    if any(isinstance(value, int | np.integer) and abs(int(value)) > LARGEST_WHOLE for value in known):
        return None
    return as_floats(np.array([math.nan if is_missing(value) else float(value) for value in values]))


def _objects(values: Any) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _mixed_column(values: list[Any], name: str) -> pa.Array:
    """Return the texts of values of several types; what is refused in a column of its own is refused here, too."""
    refused = next((type(value) for value in values if isinstance(value, UNSPELLED)), None)
    if refused is not None:
        raise CasebaseError(
            f"Expected columns of text, categories, booleans, integers, floats or dates; column {name!r} has a value "
            f"of type {refused.__name__}. Convert it to text, or leave it out."
        )
    return text_column(values)


def _is_mixed(values: list[Any], types: set[type]) -> bool:
    """Return whether values must be spelled one by one, because Arrow would convert them to one type, or knows none.

    Beside a date Arrow makes a date of 1, and beside 1.0 it makes 1 of True. It takes some units of NumPy's times only,
    no nanoseconds of objects of pandas, and no zone of a time of day.
    """
    if any(issubclass(kind, NUMPY_TIMES) or hasattr(kind, "nanoseconds") for kind in types):
        return True
    families = {_family(kind) for kind in types}
    if len(families) > 1 and float in families:
        kinds = {kind for kind in types if _family(kind) is float}
        numbers = (value for value in values if type(value) in kinds)
        families -= {float} if all(map(is_missing, numbers)) else set()  # NaN is a missing value
    if len(families) > 1:
        return True
    if any(issubclass(kind, datetime) for kind in families):
        has_zone = {value.tzinfo is not None for value in values if isinstance(value, datetime)}
        return len(has_zone) > 1 or any(getattr(value, "nanosecond", 0) for value in values)
    return time in families and any(isinstance(value, time) and value.tzinfo is not None for value in values)


def _family(kind: type) -> type:
    """Return the type that Arrow may convert a value to: float for numbers, those of Python for NumPy's."""
    if issubclass(kind, bool | np.bool_):
        return bool
    if issubclass(kind, int | float | np.integer | np.floating | Decimal):
        return float
    return str if issubclass(kind, str) else kind
