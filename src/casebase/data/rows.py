"""A fast path for a few plain rows, encoded value by value.

Building one Arrow array per column costs more than most answers. Rows of text, numbers, booleans and missing values do
not need it: each value is looked up in its feature's vocabulary, or is a number already. The Arrow path (`as_table`,
`encode_column`) defines what a table means. This module handles only input for which both paths surely agree, and
leaves everything else to Arrow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, overload

import numpy as np

from casebase.data.arrays import as_floats, as_strings
from casebase.data.arrow import pa
from casebase.data.columns import spelling
from casebase.data.features import Feature
from casebase.data.ids import index_ids

FEW = 32  # rows; Arrow is as fast for more
PLAIN = frozenset({str, int, float, bool, type(None)})
SCALARS = frozenset({np.str_, np.bool_, np.int32, np.int64, np.float32, np.float64})  # `item()` gives a plain value
DTYPES = frozenset("OUbiu")  # kinds of NumPy arrays with plain values; objects ("O") are checked one by one
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
LARGEST_WHOLE = 2**53  # up to this limit an integer and its float have the same spelling

Value = str | float | None


class PlainColumns(Sequence["pa.Array"]):
    """The columns of a few rows as plain values; indexing converts a column to an Arrow array."""

    def __init__(self, columns: Sequence[Sequence[Value]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns)

    @overload
    def __getitem__(self, position: int) -> pa.Array: ...
    @overload
    def __getitem__(self, position: slice) -> PlainColumns: ...
    def __getitem__(self, position: int | slice) -> pa.Array | PlainColumns:
        if isinstance(position, slice):
            return PlainColumns(self.columns[position])
        column = self.columns[position]
        if any(isinstance(value, float) for value in column):
            return as_floats(np.array(column, dtype=float))  # None becomes NaN, and NaN null
        # Without a number all values are texts or missing, which the type checker cannot know.
        return as_strings(column).dictionary_encode()  # type: ignore[arg-type]

    def take(self, rows: np.ndarray) -> PlainColumns:
        """Return the columns at these rows, in that order."""
        indices = rows.tolist()
        return PlainColumns([[column[row] for row in indices] for column in self.columns])

    def row(self, row: int) -> list[Value]:
        """Return the values of one row, None for missing values."""
        return [column[row] for column in self.columns]


@dataclass(frozen=True, eq=False)
class PlainRows:
    """A few rows of equal length, with the names of the columns and the ids if they have any.

    Rows that `are_records` come from dicts, whose keys have no order.
    """

    rows: Sequence[Sequence[Any]]
    names: list[str] | None = None
    ids: np.ndarray | None = None
    are_records: bool = False

    @property
    def n_columns(self) -> int:
        return len(self.rows[0])


def plain_rows(data: Any) -> PlainRows | None:
    """Return the rows of a table if there are few of them and they are cheap to unpack, else None.

    Rows are lists, tuples, arrays or dicts; a table is a list of rows, an array or a pandas frame.

    >>> plain_rows([{"colour": "red", "size": 3}]).rows
    [['red', 3]]
    >>> plain_rows([["red", 3], ["blue"]]) is None
    True
    """
    kind = type(data)
    if kind is list or kind is tuple:
        if not 0 < len(data) <= FEW:
            return None
        if type(data[0]) is dict:
            return _plain_records(data)
        rows = [_plain_row(row) for row in data]
        n_columns = len(rows[0]) if rows[0] is not None else 0
        if not n_columns or any(row is None or len(row) != n_columns for row in rows):
            return None
        return PlainRows([row for row in rows if row is not None])
    if kind is np.ndarray:
        is_plain = data.ndim == 2 and 0 < len(data) <= FEW and data.shape[1] > 0 and _has_plain_values(data)
        return PlainRows(data.tolist()) if is_plain else None
    if hasattr(data, "iloc") and hasattr(data, "dtypes") and hasattr(data, "to_numpy"):
        return _plain_frame(data)
    return None


def _plain_row(row: Any) -> Sequence[Any] | None:
    if type(row) is list or type(row) is tuple:
        return row
    if type(row) is np.ndarray and row.ndim == 1 and _has_plain_values(row):
        values: list[Any] = row.tolist()
        return values
    return None


def _has_plain_values(array: np.ndarray) -> bool:
    return array.dtype.kind in DTYPES or array.dtype in FLOATS


def _plain_records(data: Sequence[Mapping[str, Any]]) -> PlainRows | None:
    names = list(data[0])
    is_plain = names and all(type(name) is str for name in names)
    if not is_plain or any(type(row) is not dict or row.keys() != data[0].keys() for row in data):
        return None
    return PlainRows([[row[name] for name in names] for row in data], names, are_records=True)


def _plain_frame(frame: Any) -> PlainRows | None:
    if not 0 < len(frame) <= FEW:
        return None
    names = frame.columns.tolist()
    if not names or not all(type(name) is str for name in names) or len(set(names)) < len(names):
        return None
    # Extension types of pandas (categories, dates, nullable numbers) carry more meaning than their plain values.
    if not all(isinstance(dtype, np.dtype) and (dtype.kind in DTYPES or dtype in FLOATS) for dtype in frame.dtypes):
        return None
    return PlainRows(frame.to_numpy(dtype=object).tolist(), names, index_ids(frame))


def plain_columns(table: PlainRows) -> list[tuple[type, list[Any]]] | None:
    """Return each column's type and its values, None for missing values; None unless all columns are plain."""
    columns = []
    for values in zip(*table.rows):
        column = _plain_column(values)
        if column is None:
            return None
        columns.append(column)
    return columns


def _plain_column(values: tuple[Any, ...]) -> tuple[type, list[Any]] | None:
    column_type: type = type(None)
    column = []
    for value in values:
        value_type = type(value)
        if value_type in SCALARS:
            value = value.item()
            value_type = type(value)
        if value_type is float and value != value:  # NaN is a missing value
            value, value_type = None, type(None)
        if value_type is not type(None):
            if value_type is not column_type and column_type is not type(None):  # mixed types need Arrow's rules
                return None
            if value_type not in PLAIN or (value_type is str and not _is_text(value)):
                return None
            column_type = value_type
        column.append(value)
    return column_type, column


def coded_values(kind: type, values: list[Any], feature: Feature) -> tuple[np.ndarray, list[Value]] | None:
    """Return a plain column as codes or numbers, and its values as a table has them.

    None where the Arrow path is needed, for instance to report text or infinity in a numeric column.
    """
    if kind is float:
        if any(value in (np.inf, -np.inf) for value in values):
            return None
        values = [None if value is None else value + 0.0 for value in values]  # -0 is 0
        shown: list[Value] = values
    elif kind is int:
        largest = LARGEST_WHOLE if feature.of_numbers or feature.is_cut else 2**63
        if any(value is not None and not -largest < value < largest for value in values):
            return None
        shown = [None if value is None else str(value) for value in values]
    elif kind is bool:
        shown = [None if value is None else str(value) for value in values]
    else:
        shown = values
    vocabulary = feature.vocabulary
    if vocabulary is None or feature.is_cut:
        if kind is str or kind is bool:
            return None
        numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        return feature.interval_codes(numbers) if feature.is_cut else numbers, shown
    if feature.of_numbers and (kind is str or kind is bool):
        return None
    # Here `shown` is text or missing: numbers were spelled above, which the type checker cannot know.
    texts = map(spelling, values) if kind is float else shown
    return vocabulary.encode_few(texts), shown  # type: ignore[arg-type]


def coded_row(row: Sequence[Any], features: Sequence[Feature]) -> tuple[list[np.ndarray], list[list[Value]]] | None:
    """Return one row as codes and numbers, and its values; None unless it has just texts and finite numbers.

    A single row is what a service asks for, and most rows are like this: no list of columns is needed.
    """
    coded: list[np.ndarray] = []
    for value, feature in zip(row, features):
        vocabulary = feature.vocabulary
        if feature.is_cut:
            if type(value) is not float or not isfinite(value):
                return None
            coded.append(feature.interval_codes(np.array((value,))))
        elif type(value) is str and vocabulary is not None and value.isascii() and not feature.of_numbers:
            coded.append(vocabulary.encode_one(value))
        elif type(value) is float and isfinite(value):
            coded.append(np.array((value + 0.0,)) if vocabulary is None else vocabulary.encode_one(spelling(value)))
        else:
            return None
    return coded, [[value + 0.0 if type(value) is float else value] for value in row]  # -0 is 0


def _is_text(value: str) -> bool:
    """Return whether a string can be encoded: it contains no lone surrogate."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
