"""The order of values: numbers by number, then other texts, and missing values last."""

import math
import re

Key = tuple[float | str, ...]
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
BEGINNINGS = frozenset("+-.0123456789")


def number_of(text: str | None) -> float | None:
    """Return the finite number that a text is; None if it is another text.

    >>> number_of("1e3"), number_of("5abc"), number_of("nan"), number_of(None)
    (1000.0, None, None, None)
    """
    if not text or text[0] not in BEGINNINGS or NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def text_key(text: str | None) -> Key:
    """Return what the text of a value is sorted by, whatever other values there are.

    >>> sorted(["b", "10", None, "9", "a"], key=text_key)
    ['9', '10', 'a', 'b', None]
    """
    if text is None:
        return (2,)
    number = number_of(text)
    return (1, text) if number is None else (0, number, text)
