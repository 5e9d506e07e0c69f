"""Rows of black and white pixels in two representations: an example of how much a representation matters.

A clump is a run of black pixels. The number of clumps is hard to learn from the colours, each of which says nothing
alone, and easy to learn from the places where a clump begins.
"""

from itertools import product

from casebase.datasets._base import Dataset, from_rows
from casebase.errors import CasebaseError, unknown_name

_MAX_PIXELS = 20  # the full space doubles with each pixel: a million cases here

_QUESTIONS = {"two_or_more": "two or more clumps", "two": "exactly two clumps"}
_REPRESENTATIONS = ("pixel", "edge")


def load_clumps(n_pixels: int = 10, *, task: str = "two_or_more", representation: str = "pixel") -> Dataset:
    """Return every row of pixels, classed by its number of clumps.

    The row lies between two white pixels, which are not features. `task` asks for `two_or_more` clumps or for exactly
    `two`; the class is `yes` or `no`. In the representation `pixel` a feature is the colour of a pixel, 1 for black; in
    `edge` it is 1 where white turns to black, read from left to right, so that each clump has one edge. Both
    representations list the rows in the same order.

    >>> for name in ("pixel", "edge"):
    ...     print(*load_clumps(4, representation=name).data[13])
    1 1 0 1
    1 0 0 1

    Denker et al., Large Automatic Learning, Rule Extraction, and Generalization, Complex Systems 1, 1987; as in Saxena,
    An Algorithm to Evaluate Instance Representations, COINS 91-21, 1991.
    """
    if not 1 <= n_pixels <= _MAX_PIXELS:
        raise CasebaseError(f"n_pixels must be from 1 to {_MAX_PIXELS}, got {n_pixels}.")
    if task not in _QUESTIONS:
        raise CasebaseError(unknown_name("task", task, _QUESTIONS))
    if representation not in _REPRESENTATIONS:
        raise CasebaseError(unknown_name("representation of clumps", representation, _REPRESENTATIONS))
    rows = []
    for pixels in product("01", repeat=n_pixels):
        edges = ["1" if pair == ("0", "1") else "0" for pair in zip(("0", *pixels), pixels)]
        n_clumps = edges.count("1")
        is_positive = n_clumps >= 2 if task == "two_or_more" else n_clumps == 2
        rows.append([*(pixels if representation == "pixel" else edges), "yes" if is_positive else "no"])
    names = [f"{representation}{i + 1}" for i in range(n_pixels)]
    text = f"Every row of {n_pixels} black and white pixels: has it {_QUESTIONS[task]}?"
    return from_rows(f"clumps-{task}-{representation}", rows, names, text)
