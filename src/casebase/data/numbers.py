"""Numbers in text.

As in TiMBL, the longest numeric prefix of a value counts: `5abc` is 5, `1,5` is 1. `inf` and `nan` are not numbers.
"""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
LONG_WHOLE = r"^\s*[+-]?[0-9]{16,300}\s*$"  # below 16 digits a double is exact
MISSING = frozenset({"", "?", "NA", "NaN", "nan", "N/A", "#N/A", "NULL", "null", "\\N"})


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
            numbers[i] = number
        elif text is not None and text not in MISSING and wrong is None:
            wrong = text
    return numbers, wrong
