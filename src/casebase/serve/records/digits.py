"""The digits of whole numbers, a row per place: finding some digits in a million ids is a few comparisons of bytes."""

import numpy as np

ZERO, MINUS = ord("0"), ord("-")


def digits_of(numbers: np.ndarray) -> np.ndarray:
    """Return the characters of whole numbers, 0 where there is none: row 0 has the last of each, row 1 the one before.

    >>> digits_of(np.array([7, -12])).tolist()
    [[55, 50], [0, 49], [0, 45]]
    """
    rest = np.abs(numbers)
    width = len(str(int(rest.max(initial=0)))) + bool((numbers < 0).any())
    digits = np.zeros((width, len(numbers)), dtype=np.uint8)
    has_digit = np.ones(len(numbers), dtype=bool)
    for row in digits:
        quotient = rest // 10
        row[:] = np.where(has_digit, rest - 10 * quotient + ZERO, 0)
        has_digit, rest = quotient != 0, quotient
    if (numbers < 0).any():
        n_digits = np.count_nonzero(digits, axis=0)
        negative = np.flatnonzero(numbers < 0)
        digits[n_digits[negative], negative] = MINUS
    return digits


def containing(digits: np.ndarray, text: str) -> np.ndarray:
    """Return which numbers have a text in their spelling.

    >>> containing(digits_of(np.array([7, 71, 107, -7])), "7").tolist()
    [True, True, True, True]
    >>> containing(digits_of(np.array([7, 71, 107, -7, 10])), "07").tolist()
    [False, False, True, False, False]
    """
    found = np.zeros(digits.shape[1], dtype=bool)
    wanted = [ord(character) for character in reversed(text)]
    for first in range(len(digits) - len(wanted) + 1):
        here = digits[first] == wanted[0]
        for place, character in enumerate(wanted[1:], first + 1):
            here &= digits[place] == character
        found |= here
    return found
