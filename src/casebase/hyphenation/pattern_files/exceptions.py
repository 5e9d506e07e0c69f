"""Exceptions: whole words as patterns, `.word.` with a digit at each place, above all others."""

from collections.abc import Iterable
from dataclasses import replace

from casebase.hyphenation.patterns import Pattern, PatternSet, check_length
from casebase.hyphenation.words import HYPHEN, parse_word
from casebase.strings.letters import is_mark
from casebase.strings.texts import EDGE


def with_exceptions(patterns: PatternSet, words: Iterable[str], hyphen: str = HYPHEN) -> PatternSet:
    """Add patterns that break the given words exactly at their hyphens, whatever other patterns say.

    No other word changes.

    >>> rules = PatternSet((Pattern("co", 0, 1),))
    >>> with_exceptions(rules, ["rec-ord"]).positions("record"), rules.positions("recorder")
    ([3], [2])
    """
    top = max((p.level for p in patterns.patterns), default=0)
    forbidding = top + 2 - top % 2
    added: dict[tuple[str, int], Pattern] = {}
    for word in words:
        letters, breaks = parse_word(word, hyphen)
        check_length(letters, len(letters))
        for place in range(1, len(letters)):
            if not is_mark(letters[place]):
                level = forbidding + (place in breaks)
                text = f"{EDGE}{letters}{EDGE}"
                added[text, place + 1] = Pattern(text, place + 1, level, support=1.0)
    return replace(patterns, patterns=(*patterns.patterns, *added.values()))


def leftovers(patterns: PatternSet, words: Iterable[str], hyphen: str = HYPHEN) -> list[str]:
    """Return the words that the patterns do not break exactly at their hyphens.

    >>> leftovers(PatternSet((Pattern("co", 0, 1),)), ["re-cord", "rec-ord"])
    ['rec-ord']
    """
    return [word for word in words if _is_wrong(patterns, *parse_word(word, hyphen))]


def _is_wrong(patterns: PatternSet, letters: str, breaks: Iterable[int]) -> bool:
    last = len(letters) - patterns.right_min
    return set(patterns.positions(letters)) != {b for b in breaks if patterns.left_min <= b <= last}
