"""The names of the intervals between cuts, in which numbers are learned as symbols."""

from collections.abc import Sequence
from itertools import pairwise
from math import floor, log10

import numpy as np

from casebase.data.dates import Style, date_text

MIN_DIGITS, MAX_DIGITS = 6, 16
NO_CUTS = "any number"


def interval_names(cuts: Sequence[float] | np.ndarray) -> list[str]:
    """Return the names of the intervals between cuts, in ascending order.

    Cuts have six digits, or as many more as are needed to make them distinct.

    >>> interval_names([2.45, 4.75])
    ['≤ 2.45', '2.45 – 4.75', '> 4.75']
    >>> interval_names([])
    ['any number']
    """
    if not len(cuts):
        return [NO_CUTS]
    texts = _cut_texts(np.asarray(cuts, dtype=float).tolist())
    return [f"≤ {texts[0]}", *(f"{low} – {high}" for low, high in pairwise(texts)), f"> {texts[-1]}"]


def _cut_texts(cuts: list[float]) -> list[str]:
    # Enough digits for the integer part of the largest cut and one decimal, so that large cuts have no exponent and
    # a cut halfway between two whole numbers shows its .5.
    largest = max(abs(cut) for cut in cuts)
    before_point = floor(log10(largest)) + 1 if largest else 1
    fewest = max(MIN_DIGITS, min(before_point + 1, MAX_DIGITS))
    for digits in range(fewest, MAX_DIGITS + 1):
        texts = [f"{cut:.{digits}g}" for cut in cuts]
        if len(set(texts)) == len(texts):
            return texts
    return [repr(cut) for cut in cuts]


def interval_names_of_levels(cuts: np.ndarray, levels: Sequence[str]) -> list[str]:
    """Return the intervals between cuts in the ranks of ordered words, named by the first and the last word.

    >>> interval_names_of_levels(np.array([2.5]), ["small", "medium", "large"])
    ['small – medium', 'large']
    """
    edges = [0, *(min(max(floor(cut), 0), len(levels)) for cut in cuts.tolist()), len(levels)]
    inside = [levels[low:high] for low, high in pairwise(edges)]
    return [" – ".join(dict.fromkeys([some[0], some[-1]])) if some else "none" for some in inside]


def interval_names_of_dates(cuts: np.ndarray, style: Style) -> list[str]:
    """Return the intervals between cuts in days, named by dates.

    >>> interval_names_of_dates(np.array([2.5]), "iso")
    ['≤ 1970-01-03', '> 1970-01-03']
    """
    if not len(cuts):
        return [NO_CUTS]
    texts = [date_text(float(floor(cut)), style) for cut in cuts.tolist()]
    return [f"≤ {texts[0]}", *(f"{low} – {high}" for low, high in pairwise(texts)), f"> {texts[-1]}"]
