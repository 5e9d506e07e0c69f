"""Competing patterns as TeX applies them: at each place of a word the largest number wins.

Liang, "Word hy-phen-a-tion by com-put-er", 1983; Knuth, The TeXbook, Appendix H. A pattern is letters, perhaps with a
dot for an edge of the word, and a number before, between or after them. Wherever its letters stand in the word, its
number holds at that place; an odd number allows a break, an even one forbids it. A pattern of several numbers is
several patterns of one. Patterns of classes are compared with the classes of the letters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

EDGE = object()  # equal to no letter, not even to a dot in the word


class Pattern(NamedTuple):
    """Letters (a dot is an edge), how many stand before the number, the number, and whether they are classes."""

    text: str
    offset: int
    number: int
    is_classes: bool = False


def parse(written: str) -> list[Pattern]:
    """Return the patterns that a TeX pattern stands for, one for each of its numbers.

    >>> [(pattern.text, pattern.offset, pattern.number) for pattern in parse(".h2y3p")]
    [('.hyp', 2, 2), ('.hyp', 3, 3)]
    """
    text = "".join(letter for letter in written if not letter.isdigit())
    numbers = [
        (len([other for other in written[:at] if not other.isdigit()]), int(letter))
        for at, letter in enumerate(written)
        if letter.isdigit()
    ]
    return [Pattern(text, offset, number) for offset, number in numbers]


def matches(pattern: Pattern, around: Sequence[object], start: int, classes: Mapping[str, str] | None) -> bool:
    """Return whether a pattern matches at a place of a word with its edges; a letter without a class is in no class."""
    if start + len(pattern.text) > len(around):
        return False
    for wanted, letter in zip(pattern.text, around[start:]):
        if wanted == ".":
            if letter is not EDGE:
                return False
        elif letter is EDGE:
            return False
        elif pattern.is_classes:
            if (classes or {}).get(str(letter)) != wanted:
                return False
        elif letter != wanted:
            return False
    return True


def matching(
    word: Sequence[str], patterns: Collection[Pattern], classes: Mapping[str, str] | None = None
) -> list[list[Pattern]]:
    """Return the patterns whose number holds at each inner place, the first that after one letter."""
    around = [EDGE, *word, EDGE]
    found: list[list[Pattern]] = [[] for _ in range(len(word) + 1)]
    for start in range(len(around)):
        for pattern in patterns:
            at = start + pattern.offset - 1  # letters of the word before the number
            if matches(pattern, around, start, classes) and 0 < at < len(word):
                found[at].append(pattern)
    return found[1 : len(word)]


def numbers(
    word: Sequence[str], patterns: Collection[Pattern], classes: Mapping[str, str] | None = None
) -> list[int | None]:
    """Return the greatest number at each inner place, None where no pattern matches.

    >>> numbers("open", parse("1p") + parse("p2e"))
    [1, 2, None]
    """
    return [max((p.number for p in place), default=None) for place in matching(word, patterns, classes)]


def positions(
    word: Sequence[str],
    patterns: Collection[Pattern],
    *,
    classes: Mapping[str, str] | None = None,
    default_allows: bool = False,
    left_min: int = 1,
    right_min: int = 1,
) -> list[int]:
    """Return the number of letters before each break that is allowed, none nearer to an edge than the minima.

    >>> positions("open", parse("1p") + parse("p2e"))
    [1]
    """
    allowed = []
    for at, number in enumerate(numbers(word, patterns, classes), start=1):
        is_break = default_allows if number is None else number % 2 == 1
        if is_break and left_min <= at <= len(word) - right_min:
            allowed.append(at)
    return allowed
