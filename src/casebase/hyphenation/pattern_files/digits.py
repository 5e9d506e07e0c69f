"""A set of patterns in TeX's notation: letters, and one digit for each place in them.

TeX lacks some features of a `PatternSet`; they are translated so that the breaks stay the same:

* a pattern of classes is expanded to patterns of letters;
* a default that allows breaks becomes a 1 before every letter;
* a combining mark, before which no break is allowed, gets a forbidding digit above all others before it;
* levels are renumbered, as low as their order and their parity (odd allows, even forbids) permit;
* digits at or beyond an edge of the word, as in `.1ab`, have no effect and are dropped: libhyphen crashes on some;
* patterns with the same letters are merged, because the libraries keep only one line for them.

The breaks differ only for letters outside the alphabet: a default that allows breaks does not apply to them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from casebase.errors import CasebaseError, TooManyPatternsError
from casebase.hyphenation.patterns import Pattern, PatternSet, check_length
from casebase.strings.letters import compose, is_mark, places_in
from casebase.strings.texts import EDGE

MAX_EXPANSION = 500_000
HIGHEST_DIGIT = 9

Digits = dict[str, list[int]]  # letters → digits: one before each letter, and one after the last


@dataclass(frozen=True)
class Alphabet:
    """The letters of a file, and the letters of each class."""

    letters: tuple[str, ...]
    of_class: Mapping[str, str]


def alphabet_of(patterns: PatternSet, letters: Iterable[str] | None = None) -> Alphabet:
    """Return the letters of patterns and those given; if letters are given, the classes have only these.

    >>> alphabet_of(PatternSet((Pattern("öl", 1, 1),), {"a": "E", "t": "K"})).letters
    ('a', 'l', 't', 'ö')
    """
    classes = patterns.classes or {}
    in_patterns = {c for p in patterns.patterns if not p.is_classes for c in p.text if c != EDGE}
    known = set(classes) if letters is None else set(letters)
    of_class: dict[str, str] = {}
    for letter in sorted(known & set(classes)):
        of_class[classes[letter]] = of_class.get(classes[letter], "") + letter
    return Alphabet(tuple(sorted(known | in_patterns)), of_class)


def digits_of(patterns: PatternSet, letters: Iterable[str] | None = None, limit: int = MAX_EXPANSION) -> Digits:
    """Return the patterns as letters with digits, in alphabetical order.

    `letters` are those of the training words, by default those of the patterns and their classes. Patterns of classes
    are expanded to these letters only, and to at most `limit` patterns.

    >>> digits_of(PatternSet((Pattern("KE", 0, 1, is_classes=True),), {"k": "K", "a": "E", "o": "E"}))
    {'ka': [1, 0, 0], 'ko': [1, 0, 0]}
    """
    alphabet = alphabet_of(patterns, letters)
    _refuse_too_many(patterns.patterns, alphabet, limit)
    rules = list(patterns.patterns)
    if patterns.default_allows:
        rules += [Pattern(letter, 0, 1) for letter in alphabet.letters]
    marks = [letter for letter in alphabet.letters if is_mark(letter)]
    if marks:
        above = next_even(max((p.level for p in rules), default=0))
        rules += [Pattern(mark, 0, above) for mark in marks]
    digit_of = _digit_of_level({p.level for p in rules})
    digits: Digits = {}
    for pattern in filter(_is_within, rules):
        for text in _with_letters(pattern, alphabet):
            row = digits.setdefault(text, [0] * (len(text) + 1))
            row[pattern.offset] = max(row[pattern.offset], digit_of[pattern.level])
    return {text: row for text, row in sorted(digits.items()) if not _is_redundant(text, row, digits)}


def patterns_of(digits: Mapping[str, Iterable[int]], *, left_min: int, right_min: int) -> PatternSet:
    """Return letters with digits as a set of patterns; digits outside the word are dropped.

    >>> [f"{p} {p.level}" for p in patterns_of({".ab": [0, 5, 1, 2]}, left_min=2, right_min=2).patterns]
    ['.a-b 1', '.ab- 2']
    """
    rules = (Pattern(text, offset, digit) for text, row in digits.items() for offset, digit in enumerate(row) if digit)
    return PatternSet(tuple(filter(_is_within, rules)), left_min=left_min, right_min=right_min)


def with_digits(text: str, row: Iterable[int]) -> str:
    """Return letters with their digits between them, zeros left out.

    >>> with_digits(".hyp", [0, 0, 0, 3, 0])
    '.hy3p'
    """
    numbers = [str(digit or "") for digit in row]
    return "".join(number + letter for number, letter in zip(numbers, [*text, ""], strict=True))


def parse_digits(word: str) -> tuple[str, list[int]]:
    """Return the letters, in composed form, and the digits of a pattern in a file.

    >>> parse_digits(".hy3p2h")
    ('.hyph', [0, 0, 0, 3, 2, 0])
    """
    letters, digits = "", [0]
    is_after_digit = False
    for c in word:
        if c in "0123456789":
            if is_after_digit:
                raise CasebaseError(f"{word!r} has two digits at one place; there can be one, from 0 to 9")
            digits[-1], is_after_digit = int(c), True
        else:
            letters += c
            digits.append(0)
            is_after_digit = False
    if not letters.strip(EDGE):
        raise CasebaseError(f"{word!r} is no pattern: it has no letters")
    if EDGE in letters[1:-1]:
        raise CasebaseError(f"{word!r} has a '.' inside; it is an edge of the word, and stands at an end")
    check_length(letters, sum(map(bool, digits)))
    return _compose_letters(letters, digits)


def _compose_letters(letters: str, digits: list[int]) -> tuple[str, list[int]]:
    """Compose letters and their marks; the digit between the two is dropped, because no break is possible there."""
    whole = compose(letters)
    if whole == letters:
        return letters, digits
    # Composition may also split a letter, as in Bengali: a place that is new gets a 0.
    return whole, [digits[at] if at or not place else 0 for place, at in enumerate(places_in(letters, whole))]


def _is_within(pattern: Pattern) -> bool:
    """Whether the place of a pattern lies inside the word, not at an edge or beyond it."""
    is_behind = pattern.offset > 1 or pattern.text[0] != EDGE
    return is_behind and (pattern.offset < len(pattern.text) - 1 or pattern.text[-1] != EDGE)


def _with_letters(pattern: Pattern, alphabet: Alphabet) -> Iterable[str]:
    """Yield the patterns of letters that a pattern expands to."""
    if not pattern.is_classes:
        return (pattern.text,)
    return ("".join(letters) for letters in product(*_choices(pattern, alphabet)))


def _choices(pattern: Pattern, alphabet: Alphabet) -> list[str]:
    return [EDGE if kind == EDGE else alphabet.of_class.get(kind, "") for kind in pattern.text]


def _refuse_too_many(patterns: Iterable[Pattern], alphabet: Alphabet, limit: int) -> None:
    sizes = {p: prod(map(len, _choices(p, alphabet))) for p in patterns if p.is_classes}
    n_patterns = sum(sizes.values())
    if n_patterns > limit:
        widest = max(sizes, key=lambda p: (sizes[p], p.text))
        raise TooManyPatternsError(
            f"Written with letters, the patterns of classes are {n_patterns:,} patterns; at most {limit:,} are "
            f"written. {widest} alone stands for {sizes[widest]:,}. Learn with short patterns of classes "
            "(max_class_length=3, --max-class-length 3) or without (classes='none', --classes none), or raise the "
            "limit (limit=, --limit).",
            n_patterns,
        )


def next_even(level: int) -> int:
    """Return the lowest forbidding level above a level."""
    return level + 2 - level % 2


def _digit_of_level(levels: set[int]) -> dict[int, int]:
    """Return a digit for each level: the lowest that keep the order, odd for odd and even for even.

    >>> _digit_of_level({1, 2, 12, 13, 17})
    {1: 1, 2: 2, 12: 2, 13: 3, 17: 3}
    """
    digit_of: dict[int, int] = {}
    digit = 0
    for level in sorted(levels):
        if not digit or (level - digit) % 2:
            digit = digit + 1 if digit or level % 2 else 2
        digit_of[level] = digit
    if digit > HIGHEST_DIGIT:
        raise CasebaseError(
            f"A pattern file has digits up to {HIGHEST_DIGIT}, and these patterns need {digit} levels. "
            "Learn with a smaller depth."
        )
    return digit_of


def _is_redundant(text: str, row: list[int], digits: Digits) -> bool:
    """Whether shorter patterns inside a pattern have digits at least as high at each of its places."""
    n = len(text)
    places = [place for place, digit in enumerate(row) if digit]
    for place in places:
        if not any(
            shorter[place - begin] >= row[place]
            for begin in range(place + 1)
            for end in range(max(place, begin + 1), n + 1)
            if end - begin < n and (shorter := digits.get(text[begin:end])) is not None
        ):
            return False
    return True
