"""Patterns in many levels, each supported by as many words as possible: the search for long lists of words.

Level 1 allows breaks, level 2 has the exceptions to it, and so on. At each level short pieces come first. A piece is
taken if the places that it puts right outnumber those that it spoils by at least a number, which is large at the first
levels and falls: what many words say is a rule, what few say an exception. Places that a level has decided do not
count again for its longer pieces. What is still wrong after these levels is put right by two more, which take pieces
that spoil nothing; in the end all training words are right.

This is Liang's order of search, with thresholds that were chosen by held-out words, see `docs/hyphenator.md`.

Reference: F. M. Liang, "Word Hy-phen-a-tion by Com-put-er" (1983).
"""

from collections.abc import Sequence

import numpy as np

from casebase import _native
from casebase.hyphenation.patterns import Pattern
from casebase.hyphenation.pieces import ALLOWED, Examples
from casebase.strings.pieces import LONGEST
from casebase.strings.texts import as_codes, as_text

SHORTEST = 2  # a single letter decides nothing
# Of each level: letters of the longest piece, and by how many places it must do more good than harm.
STEPS = ((5, 12.0), (6, 6.0), (7, 6.0), (8, 3.0), (9, 3.0), (9, 2.0))


def find_levels(
    examples: Examples,
    *,
    max_length: int | None = None,
    max_class_length: int | None = None,
    weights: np.ndarray | None = None,
    given: Sequence[tuple[Pattern, int]] = (),
    forbidden: Sequence[Pattern] = (),
) -> tuple[list[Pattern], np.ndarray]:
    """Return patterns, without those that are `given` with their label, and the examples that they get wrong.

    Given patterns that allow a break have level 1, those that forbid one level 2.
    """
    longest = LONGEST if max_length is None else max_length
    longest_class = longest if max_class_length is None else min(longest, max_class_length)
    steps = [(SHORTEST, min(n, longest), least, False) for n, least in STEPS]
    steps += [(1, longest, 1.0, True)] * 2
    word = examples.word
    of_breaks, of_bonds = (
        _extent(examples, [p for p, label in given if (label == ALLOWED) == allows]) for allows in (True, False)
    )
    found = _native.find_levels(
        examples.rows,
        examples.place,
        examples.first[word].astype(np.uint32),
        examples.first[word + 1].astype(np.uint32),
        (examples.labels == ALLOWED).astype(np.uint8),
        weights,
        of_breaks,
        of_bonds,
        [longest, longest_class],
        steps,
        [(int(p.is_classes), p.offset, as_codes(p.text).tolist()) for p in forbidden],
    )
    fields = (found[name].tolist() for name in ("kind", "place", "before", "after", "level"))
    patterns = [
        Pattern(as_text(examples.rows[kind][place - before : place + after]), before, level, bool(kind))
        for kind, place, before, after, level in zip(*fields)
    ]
    return patterns, found["wrong"].astype(np.int64)


def _extent(examples: Examples, patterns: Sequence[Pattern]) -> np.ndarray:
    """Return for each example whether one of the patterns applies to it."""
    applies = np.zeros(len(examples), dtype=np.uint8)
    for pattern in patterns:
        applies[examples.extent(pattern.piece)] = 1
    return applies
