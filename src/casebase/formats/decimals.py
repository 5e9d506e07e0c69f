"""Numbers in delimited text, and their decimal mark: a point, or the comma of most of Europe.

A table has one decimal mark. It is a comma only if fields are not separated by commas, some column has nothing but
numbers with decimal commas, and no column has numbers with decimal points. `1,234` is no evidence: it is a thousand or
little more than one. With decimal commas, a full stop, a blank or an apostrophe separates thousands: `1.234,56`.
"""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from casebase.data.arrays import as_floats
from casebase.data.numbers import EXPONENT, MISSING, THOUSANDS, WITH_COMMA, point_for_comma, rounded_whole
from casebase.errors import CasebaseError

INFINITE = ("inf", "infinity")  # read as numbers, so that `Cases` can report them
MARKS = (".", ",")
N_LOOKED_AT = 50  # most columns of text end here

NUMBERS = {
    ".": re.compile(rf"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+){EXPONENT}", re.ASCII),
    ",": WITH_COMMA,
}
_AMBIGUOUS = {
    ".": re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{3})*", re.ASCII),
    ",": re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})?", re.ASCII),
}
_SIGNS = {".": ".eE", ",": f",eE{THOUSANDS}"}  # of a measurement: whole numbers are more often codes


def check_decimal(decimal: object) -> None:
    """Raise an error unless the decimal mark is a point or a comma."""
    if decimal not in MARKS:
        raise CasebaseError(f"Expected '.' or ',' as the decimal mark, got {decimal!r}.")


def recognised_decimal(columns: Sequence[pa.DictionaryArray], separator: str, known: str | None = None) -> str:
    """Return the decimal mark of a table; `known` is that of the training file, for new cases that may show none.

    >>> recognised_decimal([pa.array(["1,5", "20"]).dictionary_encode()], ";")
    ','
    >>> recognised_decimal([pa.array(["1,500", "20"]).dictionary_encode()], ";")
    '.'
    """
    if separator == ",":
        return "."
    if known != "," and not any(_shows(column.dictionary, ",") for column in columns):
        return "."
    return "." if any(_shows(column.dictionary, ".") for column in columns) else ","


def _shows(values: pa.Array, mark: str) -> bool:
    """Whether values are numbers, of which one can only be read with this decimal mark."""
    if not are_numbers(values[:N_LOOKED_AT].to_pylist(), mark):
        return False
    texts = [text.strip() for text in values.to_pylist() if text.strip() not in MISSING]
    return are_numbers(texts, mark) and any(mark in text and not _AMBIGUOUS[mark].fullmatch(text) for text in texts)


def are_numbers(texts: Sequence[str], *decimals: str) -> bool:
    """Return whether all texts that are not missing are numbers, with one of the decimal marks, and there are any."""
    present = [text.strip() for text in texts if text.strip() not in MISSING]
    return bool(present) and all(is_number(text, *decimals) for text in present)


def is_number(text: str, *decimals: str) -> bool:
    """Return whether a text is a number with one of the decimal marks.

    >>> is_number("1,5", "."), is_number("1.234,5", ".", ",")
    (False, True)
    """
    return any(NUMBERS[decimal].fullmatch(text) for decimal in decimals)


def numeric_if_measured(column: pa.DictionaryArray, decimal: str = ".") -> pa.Array:
    """Return the column as float64 if its values are measurements, otherwise unchanged.

    >>> numeric_if_measured(pa.array(["1", "2.5", None, "NA"]).dictionary_encode()).to_pylist()
    [1.0, 2.5, None, None]
    >>> numeric_if_measured(pa.array(["007", "12"]).dictionary_encode()).to_pylist()
    ['007', '12']
    >>> numeric_if_measured(pa.array(["1.234,5", "12"]).dictionary_encode(), ",").to_pylist()
    [1234.5, 12.0]
    """
    texts = [text.strip() for text in column.dictionary.to_pylist()]
    finite = [t for t in texts if t.lower().lstrip("+-") not in INFINITE]
    if not are_numbers(finite, decimal) or not any(_is_measured(t, decimal) for t in finite):
        return column
    if rounded_whole(column.dictionary) is not None:  # quoted as numbers, long whole numbers would be others
        return column
    numbers = np.array([np.nan if t in MISSING else _value(t, decimal) for t in texts])
    return as_floats(numbers).take(column.indices)


def _is_measured(text: str, decimal: str) -> bool:
    return text not in MISSING and any(sign in text for sign in _SIGNS[decimal])


def _value(text: str, decimal: str) -> float:
    return float(text if decimal == "." else point_for_comma(text))
