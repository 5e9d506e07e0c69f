"""Whole words as patterns: `.word.` with a digit at each place, above all others."""

from collections.abc import Iterable
from dataclasses import replace

from casebase.data.letters import composed, folded, is_mark
from casebase.errors import CasebaseError
from casebase.learners.patterns import EDGE, Pattern, PatternSet


def with_exceptions(patterns: PatternSet, words: Iterable[str], hyphen: str = "-") -> PatternSet:
    """Return the patterns with some words broken just where they have a hyphen, whatever other patterns say.

    No other word is changed.

    >>> rules = PatternSet((Pattern("co", 0, 1),))
    >>> with_exceptions(rules, ["rec-ord"]).positions("record"), rules.positions("recorder")
    ([3], [2])
    """
    top = max((p.level for p in patterns.patterns), default=0)
    forbidding = top + 2 - top % 2
    added: dict[tuple[str, int], Pattern] = {}
    for word in words:
        letters, breaks = _parts(word, hyphen)
        for place in range(1, len(letters)):
            if not is_mark(letters[place]):
                level = forbidding + (place in breaks)
                text = f"{EDGE}{letters}{EDGE}"
                added[text, place + 1] = Pattern(text, place + 1, level, support=1.0)
    return replace(patterns, patterns=(*patterns.patterns, *added.values()))


def leftovers(patterns: PatternSet, words: Iterable[str], hyphen: str = "-") -> list[str]:
    """Return the words that the patterns break elsewhere than at their hyphens.

    >>> leftovers(PatternSet((Pattern("co", 0, 1),)), ["re-cord", "rec-ord"])
    ['rec-ord']
    """
    return [word for word in words if _is_wrong(patterns, *_parts(word, hyphen))]


def _is_wrong(patterns: PatternSet, letters: str, breaks: set[int]) -> bool:
    last = len(letters) - patterns.right_min
    return set(patterns.positions(letters)) != {b for b in breaks if patterns.left_min <= b <= last}


def _parts(word: str, hyphen: str) -> tuple[str, set[int]]:
    """Return the letters of a hyphenated word and where it may be broken."""
    pieces = folded(composed(word)).split(hyphen)
    if not all(pieces):
        raise CasebaseError(f"{word!r} is no hyphenated word: hyphens stand alone, between letters")
    letters = "".join(pieces)
    if EDGE in letters:
        raise CasebaseError(f"{word!r} has a '.', which is an edge of a word in patterns, not a letter")
    ends = [sum(map(len, pieces[: i + 1])) for i in range(len(pieces) - 1)]
    return letters, set(ends)
