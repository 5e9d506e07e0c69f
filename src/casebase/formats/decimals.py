"""Numbers in delimited text, and their decimal mark: a point, or the comma of most of Europe.

A table has one decimal mark. It is a comma only if fields are not separated by commas, some column has nothing but
numbers with decimal commas, and no column has numbers with decimal points. `1,234` is no evidence: it is a thousand or
little more than one. With decimal commas, a full stop, a blank or an apostrophe separates thousands: `1.234,56`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from casebase.data.arrays import as_floats
from casebase.data.arrow import pa
from casebase.data.numbers import EXPONENT, MISSING, THOUSANDS, WITH_COMMA, point_for_comma
from casebase.errors import CasebaseError

INFINITE = ("inf", "infinity")  # read as numbers, so that `Cases` can report them
MARKS = (".", ",")

NUMBERS = {
    ".": re.compile(rf"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+){EXPONENT}", re.ASCII),
    ",": WITH_COMMA,
}
AMBIGUOUS = {
    ".": re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{3})*", re.ASCII),
    ",": re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})?", re.ASCII),
}
MEASURED = {".": ".eE", ",": f",eE{THOUSANDS}"}  # one of them is in a measurement: whole numbers are more often codes


def check_decimal(decimal: object) -> None:
    """Raise an error unless the decimal mark is a point or a comma."""
    if decimal not in MARKS:
        raise CasebaseError(f"Expected '.' or ',' as the decimal mark, got {decimal!r}.")


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


def as_numbers(column: pa.DictionaryArray, decimal: str = ".") -> pa.Array:
    """Return a column of texts, all of which are numbers or missing, as float64.

    >>> as_numbers(pa.array(["1", "2.5", None, "NA"]).dictionary_encode()).to_pylist()
    [1.0, 2.5, None, None]
    >>> as_numbers(pa.array(["1.234,5", "12"]).dictionary_encode(), ",").to_pylist()
    [1234.5, 12.0]
    """
    texts = [text.strip() for text in column.dictionary.to_pylist()]
    numbers = np.array([np.nan if t in MISSING else _value(t, decimal) for t in texts], dtype=np.float64)
    return as_floats(numbers).take(column.indices)


def _value(text: str, decimal: str) -> float:
    return float(text if decimal == "." else point_for_comma(text))
