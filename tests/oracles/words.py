"""Hyphenated words as examples, and the substrings around a break as concepts.

Kivinen, Mannila, Ukkonen and Vilo, "An algorithm for learning hierarchical classifiers", Section 3. A word of n
letters gives n - 1 examples, one break in each; where the word has a hyphen the example is positive: class 1, so that
of equally cheap rules the one wins whose default is no break. A concept covers the examples that contain its
name. A dot before and after the word marks its edges; with classes every name also stands with its letters replaced by
their classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.oracles.rules import Concept

BREAK, EDGE = "-", "."
PLUS, MINUS = 1, 0


def letters(word: str) -> str:
    """Return the word without its hyphens."""
    return word.replace(BREAK, "")


def breaks(word: str) -> list[int]:
    """Return the number of letters before each hyphen.

    >>> breaks("hy-phen-a-tion")
    [2, 6, 7]
    """
    return [len(letters(word[:at])) for at, letter in enumerate(word) if letter == BREAK]


def examples(word: str, left_min: int = 1, right_min: int = 1) -> list[tuple[str, int]]:
    """Return the word with a break at each place, and 1 where the break is allowed.

    >>> examples("o-pen")
    [('o-pen', 1), ('op-en', 0), ('ope-n', 0)]
    """
    plain = letters(word)
    places = range(left_min, len(plain) - right_min + 1)
    return [(plain[:at] + BREAK + plain[at:], PLUS if at in breaks(word) else MINUS) for at in places]


def in_classes(text: str, classes: Mapping[str, str]) -> str | None:
    """Return the text with letters replaced by their classes, or None where a letter has none.

    >>> in_classes(".o-p", {"o": "E", "p": "K"})
    '.E-K'
    """
    if any(letter not in classes and letter not in (BREAK, EDGE) for letter in text):
        return None
    return "".join(classes.get(letter, letter) for letter in text)


def substrings(text: str) -> set[str]:
    """Return all substrings of a text."""
    return {text[start:end] for end in range(len(text) + 1) for start in range(end)}


def concept_names(
    marked: str,
    *,
    edges: bool = True,
    around_break: bool = True,
    classes: Mapping[str, str] | None = None,
    max_length: int | None = None,
) -> set[str]:
    """Return the names of the concepts that cover an example: its substrings, and these in classes.

    `around_break` keeps those that contain the break and a letter beside it; `max_length` counts letters and edges.

    >>> sorted(concept_names("o-p"))
    ['-p', '-p.', '.o-', '.o-p', '.o-p.', 'o-', 'o-p', 'o-p.']
    """
    names = substrings(EDGE + marked + EDGE if edges else marked)
    if classes is not None:
        names |= {mapped for name in names if (mapped := in_classes(name, classes)) is not None}
    names -= {BREAK}
    if around_break:
        names = {name for name in names if BREAK in name}
    return {name for name in names if max_length is None or len(letters(name)) <= max_length}


def problem(
    words: Sequence[str],
    *,
    left_min: int = 1,
    right_min: int = 1,
    edges: bool = True,
    around_break: bool = True,
    classes: Mapping[str, str] | None = None,
    max_length: int | None = None,
    cost: str = "unit",
) -> tuple[list[Concept], list[int], list[str]]:
    """Return concepts, the label of each example, and the examples; `cost` is 1 or the letters of the name."""
    pairs = [pair for word in words for pair in examples(word, left_min, right_min)]
    extents: dict[str, set[int]] = {}
    for i, (marked, _) in enumerate(pairs):
        names = concept_names(marked, edges=edges, around_break=around_break, classes=classes, max_length=max_length)
        for name in names:
            extents.setdefault(name, set()).add(i)
    concepts = [
        Concept(name, 1 if cost == "unit" else len(letters(name)), frozenset(extent))
        for name, extent in sorted(extents.items())
    ]
    return concepts, [label for _, label in pairs], [marked for marked, _ in pairs]
