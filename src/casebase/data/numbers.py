"""Numbers in text.

As in TiMBL, the longest numeric prefix of a value counts: `5abc` is 5, `1,5` is 1. `inf` and `nan` are not numbers.
"""

import re

import numpy as np
import pyarrow as pa

NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
MISSING = frozenset({"", "?", "NA", "NaN", "nan", "N/A", "#N/A", "NULL", "null", "\\N"})


def is_missing(text: str | None) -> bool:
    """Return whether a text stands for a missing number or date."""
    return text is None or text.strip() in MISSING


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
