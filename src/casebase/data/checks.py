"""Type checks for numbers: Python's and NumPy's count, True and False do not."""

from numbers import Integral, Real
from typing import TypeGuard


def is_whole(value: object, at_least: int | None = None, at_most: int | None = None) -> TypeGuard[int]:
    """Return whether a value is a whole number within bounds.

    >>> is_whole(3, 1), is_whole(0, 1), is_whole(True), is_whole(1.0)
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        return False
    return (at_least is None or int(value) >= at_least) and (at_most is None or int(value) <= at_most)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number; NaN and infinity are numbers, and left to the caller.

    >>> is_number(0.5), is_number(2), is_number(True), is_number("2")
    (True, True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)
