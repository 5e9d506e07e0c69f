"""Numbers in text.

As in TiMBL, the longest numeric prefix of a value counts: `5abc` is 5, `1,5` is 1. `inf` and `nan` are not numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from casebase.data.arrays import as_booleans, as_strings
from casebase.data.arrow import pa, pc

NUMBER = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
LONG_WHOLE = r"^\s*[+-]?[0-9]{16,300}\s*$"  # below 16 digits a double is exact
EXPONENT = r"([eE][+-]?[0-9]+)?"
THOUSANDS = ".'’ \u00a0\u202f"
WITH_COMMA = re.compile(
    rf"[+-]?(([0-9]{{1,3}}([{THOUSANDS}][0-9]{{3}})+|[0-9]+)(,[0-9]*)?|,[0-9]+){EXPONENT}", re.ASCII
)
_TO_POINT = str.maketrans({**dict.fromkeys(THOUSANDS), ",": "."})
MISSING = frozenset({"", "?", "NA", "NaN", "nan", "N/A", "#N/A", "NULL", "null", "\\N"})


class WrittenNumber(float):
    """A number with the text that it was read from, where that is not its shortest spelling.

    It is a float: it compares, computes and converts to JSON as one. `str` gives the text.

    >>> number = WrittenNumber(1.1, "1.10")
    >>> number == 1.1, number + 1, str(number)
    (True, 2.1, '1.10')
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, number: float, text: str) -> WrittenNumber:
        self = super().__new__(cls, number)
        self.text = text
        return self

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]  # the arguments of a copy
        return float(self), self.text

    def __str__(self) -> str:
        return self.text


def written_texts(values: Mapping[str, object]) -> dict[str, str]:
    """Return the texts of the numbers that are not written in their shortest spelling, by name.

    >>> written_texts({"pay": WrittenNumber(1.1, "1.10"), "age": 29.0, "name": "x"})
    {'pay': '1.10'}
    """
    return {name: value.text for name, value in values.items() if isinstance(value, WrittenNumber)}


def is_missing(text: str | None) -> bool:
    """Return whether a text stands for a missing number or date."""
    return text is None or text.strip() in MISSING


def rounded_whole(texts: pa.Array) -> str | None:
    """Return the first whole number, by spelling, that a double would round to another one; None if there is none.

    >>> rounded_whole(pa.array(["9007199254740992", None, "x", "9007199254740993"])), rounded_whole(pa.array(["1e22"]))
    ('9007199254740993', None)
    """
    long = texts.filter(pc.match_substring_regex(texts, LONG_WHOLE))
    return min((text.strip() for text in long.to_pylist() if int(text) != int(float(text))), default=None)


def with_points(texts: pa.Array) -> pa.Array:
    """Return texts with a decimal point in place of the comma of those that are numbers with one, and with no other.

    >>> with_points(pa.array(["1,5", "1.5", "1.234,50", "x", None])).to_pylist()
    ['1.5', '1.5', '1234.50', 'x', None]
    """
    trimmed = pc.utf8_trim_whitespace(texts)
    has_comma = as_booleans(pc.match_substring(trimmed, ","))
    if not has_comma.any():
        return texts
    known = zip(texts.to_pylist(), trimmed.to_pylist(), has_comma.tolist())
    return as_strings(
        [point_for_comma(short) if is_one and WITH_COMMA.fullmatch(short) else text for text, short, is_one in known]
    )


def point_for_comma(text: str) -> str:
    """Return a number with a decimal comma as one with a point, and without separators of thousands."""
    return text.translate(_TO_POINT)


def numbers_in(values: pa.Array) -> tuple[np.ndarray, str | None]:
    """Return the number in each text (NaN if none), and the first text that is neither a number nor missing.

    >>> numbers_in(pa.array(["5", "1e1", "?", "5abc"]))[0].tolist()
    [5.0, 10.0, nan, 5.0]
    """
    wrong = None
    numbers = np.full(len(values), np.nan)
    for i, text in enumerate(values.to_pylist()):
        match = NUMBER.match(text) if text is not None else None
        number = float(match.group()) if match else np.nan
        if np.isfinite(number):  # 1e999 is infinite
            numbers[i] = number + 0.0  # -0 is 0, as it is where numbers are compared as symbols
        elif text is not None and text not in MISSING and wrong is None:
            wrong = text
    return numbers, wrong
