"""One column of any table as a symbolic or a numeric Arrow array.

Strings, categories, booleans, integers and dates become dictionary arrays of text: symbolic columns. Columns of
floating-point numbers stay numeric. Equal values always have the same spelling: `True`, `7`, and `7` also for 7.0
in a column of mixed types.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np

from casebase.data.arrays import as_strings
from casebase.data.arrow import pa, pc
from casebase.data.listening import listening
from casebase.data.numbers import WrittenNumber
from casebase.data.spellings import spelled_time, spelled_times
from casebase.errors import CasebaseError

MISSING = ("NAType", "NaTType")  # types of pandas
TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def symbolic_or_numeric(array: pa.Array | pa.ChunkedArray, name: str = "") -> pa.Array:
    """Return a dictionary array of strings, or a float64 array for floating-point numbers.

    >>> symbolic_or_numeric(pa.array([True, None, False])).to_pylist()
    ['True', None, 'False']
    >>> symbolic_or_numeric(pa.array([1.5, float("nan")])).to_pylist()
    [1.5, None]
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # too large for one array, or no chunk at all
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    kind = array.type
    if isinstance(array, pa.ExtensionArray) and pa.types.is_struct(array.storage.type) and hasattr(kind, "closed"):
        return _intervals(array)
    if isinstance(array, pa.ExtensionArray):
        return text_column(_members(array)) if _has_own_values(kind) else symbolic_or_numeric(array.storage, name)
    pt = pa.types
    if pt.is_run_end_encoded(kind):
        return symbolic_or_numeric(pc.run_end_decode(array), name)
    if pt.is_floating(kind) or pt.is_decimal(kind):
        # By way of its text: Arrow divides a decimal by a power of ten, and 1000.000000000 becomes 1000.0000000000001.
        array = array.cast(pa.string()) if pt.is_decimal(kind) else array
        numbers = pc.add(array.cast(pa.float64()), 0.0)  # -0 is 0
        return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    if pt.is_dictionary(kind):
        if pt.is_string(kind.value_type):
            return array
        is_float = pt.is_floating(kind.value_type) or pt.is_decimal(kind.value_type)
        if is_float and not kind.ordered:
            return text_column(array.to_pylist())
        column = text_column(array.dictionary.to_pylist()) if is_float else symbolic_or_numeric(array.dictionary, name)
        dictionary = column.dictionary_decode()
        if kind.ordered and not dictionary.null_count:  # an ordered category keeps the order of its values
            return pa.DictionaryArray.from_arrays(array.indices, dictionary, ordered=True)
        return pa.DictionaryArray.from_arrays(array.indices, dictionary).dictionary_decode().dictionary_encode()
    if pt.is_boolean(kind):
        return pc.if_else(array, "True", "False").dictionary_encode()
    if pt.is_null(kind):
        return pa.nulls(len(array), pa.string()).dictionary_encode()
    if pt.is_string(kind):
        return array.dictionary_encode()
    if pt.is_temporal(kind) and not pt.is_interval(kind):
        distinct = array.dictionary_encode()
        texts = pa.DictionaryArray.from_arrays(distinct.indices, spelled_times(distinct.dictionary))
        return texts.dictionary_decode().dictionary_encode()  # two instants of one spelling are one value
    if pt.is_integer(kind) or pt.is_large_string(kind):
        distinct = array.dictionary_encode()
        return pa.DictionaryArray.from_arrays(distinct.indices, distinct.dictionary.cast(pa.string()))
    if pt.is_string_view(kind):  # the text of polars, which pyarrow 16 does not cast
        distinct = array.dictionary_encode()
        return pa.DictionaryArray.from_arrays(distinct.indices, as_strings(distinct.dictionary.to_pylist()))
    where = f"column {name!r} is" if name else "a column is"
    raise CasebaseError(
        f"Expected columns of text, categories, booleans, integers, floats or dates; {where} of type {kind}. "
        "Convert it to text, or leave it out."
    )


def _has_own_values(kind: pa.ExtensionType) -> bool:
    """Return whether the values of an extension type are others than those it stores: periods, UUIDs."""
    return kind.extension_name in ("pandas.period", "arrow.uuid")


def _members(array: pa.ExtensionArray) -> Iterable[object]:
    is_uuid = array.type.extension_name == "arrow.uuid"
    members: Iterable[object] = array.to_pylist() if is_uuid else array.type.to_pandas_dtype().__from_arrow__(array)
    return members


def _intervals(array: pa.ExtensionArray) -> pa.DictionaryArray:
    """Return the intervals of a data frame as it shows them: `(0, 5]`."""
    closed, bounds = array.type.closed, array.storage.to_pylist()
    texts = [None if one is None else _interval(one["left"], one["right"], closed) for one in bounds]
    return as_strings(texts).dictionary_encode()


def _interval(left: object, right: object, closed: str) -> str:
    opening = "[" if closed in ("left", "both") else "("
    return f"{opening}{spelling(left)}, {spelling(right)}{']' if closed in ('right', 'both') else ')'}"


def text_column(values: Iterable[object]) -> pa.DictionaryArray:
    """Return values of mixed types as a symbolic column of their spellings."""
    texts = [spelling(value) for value in values]
    try:
        array = pa.array(texts, pa.string())
        return listening(len(array), array.dictionary_encode)
    except UnicodeEncodeError as error:
        raise CasebaseError(f"The text {error.object!r} contains a lone surrogate: half a character.") from error


def spelling(value: object) -> str | None:
    """Return the text of a value, None for a missing value; that of a number as it is written, or the shortest.

    >>> spelling(3.0), spelling(True), spelling("x"), spelling(float("nan"))
    ('3', 'True', 'x', None)
    """
    if value is None:
        return None
    if isinstance(value, str):  # a member of an enumeration of texts shows its name otherwise
        return str.__str__(value)
    if isinstance(value, WrittenNumber):
        return value.text
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating):
        if math.isnan(value):
            return None
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    if isinstance(value, int | np.integer) and not isinstance(value, np.timedelta64):
        return str(int(value))
    if is_missing(value):
        return None
    if isinstance(value, Enum):
        return spelling(value.value)
    if isinstance(value, TIMES):
        return spelled_time(value)
    if isinstance(value, Decimal):  # the nearest number, as in a column of decimals
        return spelling(float(value))
    if hasattr(value, "closed") and hasattr(value, "left"):  # an interval of pandas
        interval: Any = value
        return _interval(interval.left, interval.right, interval.closed)
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def is_missing(value: object) -> bool:
    """Return whether a value of a table stands for none: None, NaN, NaT, and the NA of pandas or Arrow.

    >>> is_missing(float("nan")), is_missing(Decimal("sNaN")), is_missing(0)
    (True, True, False)
    """
    if value is None or type(value).__name__ in MISSING or value is pa.NA:
        return True
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))


def as_text(column: pa.Array) -> pa.Array:
    """Return the values of a column as strings, numbers in their usual spelling."""
    if pa.types.is_floating(column.type):
        return as_strings([spelling(value) for value in column.to_pylist()])
    return column.dictionary_decode()
