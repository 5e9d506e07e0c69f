"""Competing patterns (Liang's), as TeX, LibreOffice and web browsers use them to break words.

A pattern is a piece of a word, a place in it, and a level. Wherever the piece occurs in a word, the pattern applies to
that place: odd levels allow a break, even levels forbid it, and the pattern of the highest level wins. Where no
pattern applies, the default decides. So level 1 states rules, level 2 the exceptions to them, level 3 the exceptions
to those: a hierarchical rule, read from its innermost exceptions outwards.

A `.` at an end of the piece is an edge of the word: `.ab` is "ab" at the beginning. A piece of classes has the kinds
of letters, such as `KE` for a consonant and a vowel.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from casebase.errors import CasebaseError
from casebase.strings.letters import compose, fold_case, is_mark, places_in
from casebase.strings.piece import CLASSES, LETTERS, Piece
from casebase.strings.texts import EDGE, NO_LETTER

LONGEST = 255  # letters of a word with a level at every place: each place is a pattern of its own
LARGEST_MIN = 1_000_000  # characters that a break may have to leave on a side


def check_length(text: str, n_places: int) -> None:
    """Raise an error if a word or pattern with levels at so many places is too long: each place repeats its letters."""
    if len(text) * n_places > LONGEST**2:
        raise CasebaseError(
            f"Words and patterns with a digit at every place have at most {LONGEST} letters; {text[:20]!r}… has "
            f"{len(text):,}. Check that the file has blanks or line breaks between its words."
        )


@dataclass(frozen=True)
class Pattern:
    """A piece of a word, the place in it that it decides, and its level.

    `text` has letters, or names of classes if `is_classes`; the place lies before `text[offset]`. `support` is the
    weight of the training examples that it matches.

    >>> print(Pattern("hyp", 2, 1), Pattern(".KE", 2, 2, is_classes=True))
    hy-p .K-E
    """

    text: str
    offset: int
    level: int
    is_classes: bool = False
    support: float = 0.0

    def __post_init__(self) -> None:
        if not self.text or not 0 <= self.offset <= len(self.text):
            raise CasebaseError(
                f"A pattern is a piece of a word and a place in it; got {self.text!r} with place {self.offset}."
            )
        if EDGE in self.text[1:-1]:
            raise CasebaseError(f"A '.' in a pattern is an edge of the word; got {self.text!r}, with one inside.")
        if self.level < 1:
            raise CasebaseError(f"Levels of patterns begin at 1; {self.text!r} has level {self.level}.")

    def __str__(self) -> str:
        return f"{self.text[: self.offset]}-{self.text[self.offset :]}"

    @property
    def piece(self) -> Piece:
        """The piece alone."""
        return Piece(self.text, self.offset, CLASSES if self.is_classes else LETTERS)

    @property
    def allows(self) -> bool:
        """Whether it allows a break at its place, instead of forbidding one."""
        return self.level % 2 == 1


@dataclass(frozen=True)
class PatternSet:
    """Patterns, the class of each letter, and the default where no pattern applies.

    A break leaves at least `left_min` characters before it and `right_min` after it. A letter without a class matches
    no pattern of classes; `classes` is None if there are none.

    >>> hyphens = PatternSet((Pattern("KE", 0, 1, is_classes=True),), {"k": "K", "l": "K", "a": "E", "o": "E"})
    >>> hyphens.positions("kalakala")
    [2, 4, 6]
    """

    patterns: tuple[Pattern, ...]
    classes: Mapping[str, str] | None = None
    default_allows: bool = False
    left_min: int = 1
    right_min: int = 1
    _by_text: dict[tuple[bool, str], list[Pattern]] = field(init=False, repr=False, compare=False)
    _longest: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not (1 <= self.left_min <= LARGEST_MIN and 1 <= self.right_min <= LARGEST_MIN):
            raise CasebaseError(
                f"Breaks leave 1 to {LARGEST_MIN:,} characters at least on each side; got left_min={self.left_min} and "
                f"right_min={self.right_min}."
            )
        for letter, kind in (self.classes or {}).items():
            if len(letter) != 1 or len(kind) != 1:
                raise CasebaseError(
                    f"Each letter has one class, and the name of a class is one character; got the class {kind!r} of "
                    f"{letter!r}."
                )
        by_text: dict[tuple[bool, str], list[Pattern]] = {}
        for pattern in self.patterns:
            by_text.setdefault((pattern.is_classes, pattern.text), []).append(pattern)
        object.__setattr__(self, "_by_text", by_text)
        object.__setattr__(self, "_longest", max((len(text) for _, text in by_text), default=0))

    def __len__(self) -> int:
        return len(self.patterns)

    def __iter__(self) -> Iterator[Pattern]:
        return iter(self.patterns)

    def positions(self, word: str) -> list[int]:
        """Return where the word may be broken: 2 is between its second and third character.

        >>> PatternSet((Pattern("hyp", 2, 1), Pattern("na", 1, 1))).positions("hyphenation")
        [2, 6]
        """
        matching = self.matching(word)
        return [p for p, found in matching.items() if (found[0].allows if found else self.default_allows)]

    def matching(self, word: str) -> dict[int, list[Pattern]]:
        """Return the patterns that apply to each place where a break is possible, the strongest first.

        The first one decides. Patterns of one level agree; of these the one of larger support comes first, then the
        shorter one, then the first in the alphabet.
        """
        letters = compose(word)
        places = places_in(word, letters)
        found: dict[int, list[Pattern]] = {p: [] for p in self._inner_places(letters)}
        for place, pattern in self._occurrences(fold_case(letters)):
            if place in found:
                found[place].append(pattern)
        return {places[p]: sorted(patterns, key=_strongest_first) for p, patterns in found.items()}

    def _inner_places(self, letters: str) -> list[int]:
        """Return the places far enough from both edges, and not before a combining mark."""
        places = range(self.left_min, len(letters) - self.right_min + 1)
        return [p for p in places if not is_mark(letters[p])]

    def _occurrences(self, letters: str) -> Iterator[tuple[int, Pattern]]:
        """Yield each occurrence of a pattern in the word, with the place that it applies to."""
        letters = letters.replace(EDGE, NO_LETTER)  # a full stop inside the word is not an edge
        kinds = "".join((self.classes or {}).get(letter, NO_LETTER) for letter in letters)
        for is_classes, row in ((False, letters), (True, kinds)):
            row = f"{EDGE}{row}{EDGE}"
            for begin in range(len(row)):
                for end in range(begin + 1, min(begin + self._longest, len(row)) + 1):
                    for pattern in self._by_text.get((is_classes, row[begin:end]), ()):
                        yield begin + pattern.offset - 1, pattern


def _strongest_first(pattern: Pattern) -> tuple[int, float, int, str, bool]:
    return -pattern.level, -pattern.support, len(pattern.text), str(pattern), pattern.is_classes
