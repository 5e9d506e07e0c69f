"""Texts as arrays of code points: letters, their classes, and edges."""

from collections.abc import Mapping, Sequence

import numpy as np

EDGE = "."
NO_LETTER = "\0"  # matches no piece


def as_codes(text: str) -> np.ndarray:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)


def as_text(codes: np.ndarray) -> str:
    """Return the text of code points."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def offsets(lengths: Sequence[int]) -> np.ndarray:
    """Return where each of the concatenated texts begins, and the end of the last.

    >>> offsets([2, 3])
    array([0, 2, 5], dtype=uint64)
    """
    first = np.zeros(len(lengths) + 1, dtype=np.uint64)
    np.cumsum(lengths, out=first[1:])
    return first


def class_codes(text: str, classes: Mapping[str, str]) -> np.ndarray:
    """Return the classes of the letters of a text; edges stay, and letters without a class match nothing."""
    table = {ord(letter): name for letter, name in classes.items()}
    table |= {ord(letter): NO_LETTER for letter in set(text) if letter not in classes}
    return as_codes(text.translate(table | {ord(EDGE): EDGE}))
