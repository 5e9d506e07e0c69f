"""Whole `hyph_*.dic` dictionaries: patterns that change letters at a break, and parts that break compounds first.

* `c1k/k=k,1,2` allows a break in "ck" and says what it looks like: from letter 1 of the pattern, 2 letters are replaced
  by "k=k", where "=" is the break. *Zucker* becomes *Zuk-ker*. Without numbers, the whole pattern is replaced.
* The part before a line `NEXTLEVEL` breaks compounds. Each component that it does not break further is hyphenated by
  the part behind that line, as a word of its own; `COMPOUNDLEFTHYPHENMIN` and `COMPOUNDRIGHTHYPHENMIN` are the least
  numbers of letters of such a break from a border of its component inside of the word.

Two oddities are libhyphen's, found by experiment: no distance to the right is kept behind the first letter, and no
component is broken before its last letter.

A `Hyphenator` has none of this: it learns where words break. A `Dictionary` is what LibreOffice's files say.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from casebase.errors import CasebaseError, FormatError
from casebase.hyphenation.pattern_files.dic import (
    DEFAULT_MIN,
    LEFT,
    NEXT_LEVEL,
    RIGHT,
    close_prefixes,
    decode,
    minimum,
)
from casebase.hyphenation.pattern_files.digits import Digits, parse_digits, patterns_of, with_digits
from casebase.hyphenation.patterns import PatternSet
from casebase.strings.letters import compose
from casebase.strings.texts import EDGE

COMPOUND_LEFT, COMPOUND_RIGHT, NO_HYPHEN = "COMPOUNDLEFTHYPHENMIN", "COMPOUNDRIGHTHYPHENMIN", "NOHYPHEN"
MINIMA = (LEFT, RIGHT, COMPOUND_LEFT, COMPOUND_RIGHT)


@dataclass(frozen=True)
class Change:
    """From letter `start` of a pattern, counted from 1, `cut` letters become `before`, a break and `after`."""

    before: str
    after: str
    start: int
    cut: int

    def __str__(self) -> str:
        return f"{self.before}={self.after},{self.start},{self.cut}"


@dataclass(frozen=True)
class Break:
    """A possible break: its position in the word, and the two parts of the word as they are written at a line's end."""

    position: int
    before: str
    after: str


@dataclass(frozen=True)
class Part:
    """The patterns of one part, as letters with digits, and the changes of letters that some of them make."""

    digits: Mapping[str, tuple[int, ...]]
    changes: Mapping[str, Change] = field(default_factory=dict)

    def breaks(self, word: str, left_min: int, right_min: int) -> list[tuple[int, tuple[int, int, str, str] | None]]:
        """Return the breaks: position, and where which letters change (begin, end, before, after) or None."""
        found = []
        for place, matching in self._patterns.matching(word).items():
            is_far = left_min <= place <= max(len(word) - right_min, 1)
            if not is_far or not matching or not matching[0].allows:
                continue
            # Of patterns of the same level, one that changes letters decides how the break looks.
            top = [p for p in matching if p.level == matching[0].level and p.text in self.changes]
            change = None
            if top:
                rule = self.changes[top[0].text]
                begin = place - top[0].offset + top[0].text.startswith(EDGE) + rule.start - 1
                change = begin, begin + rule.cut, rule.before, rule.after
            found.append((place, change))
        return found

    @cached_property
    def _patterns(self) -> PatternSet:
        return patterns_of(self.digits, left_min=1, right_min=1)


@dataclass(frozen=True)
class Dictionary:
    """A dictionary of one part or more; all but the last break compounds.

    >>> old_german = read_dictionary(b"UTF-8\\nc1k/k=k,1,2\\n1l\\n")
    >>> old_german.hyphenate("Zuckerl", "-"), old_german.breaks("Zucker")
    ('Zuk-kerl', [Break(position=3, before='Zuk', after='ker')])
    """

    parts: tuple[Part, ...]
    left_min: int = DEFAULT_MIN
    right_min: int = DEFAULT_MIN
    compound_left_min: int = 0
    compound_right_min: int = 0
    no_hyphen: tuple[str, ...] = ()

    def positions(self, word: str) -> list[int]:
        """Return where a word may be broken."""
        return [place for place, _ in self._breaks(word)]

    def breaks(self, word: str) -> list[Break]:
        """Return the possible breaks, each with the word as it is written if it is broken there."""
        word = compose(word)
        found = []
        for place, change in self._breaks(word):
            begin, end, before, after = change or (place, place, "", "")
            found.append(Break(place, word[:begin] + before, after + word[end:]))
        return found

    def hyphenate(self, word: str, sep: str) -> str:
        """Return the word with a separator at each break, and with the letters that the breaks change.

        Of two changes of the same letters the first is made.
        """
        word = compose(word)
        written, done = "", 0
        for place, change in self._breaks(word):
            begin, end, before, after = change or (place, place, "", "")
            if begin < done:
                continue
            written += word[done:begin] + before + sep + after
            done = end
        return written + word[done:]

    def _breaks(self, word: str) -> list[tuple[int, tuple[int, int, str, str] | None]]:
        word = compose(word)
        found = self._of_part(0, word, is_first=True, is_last=True)
        last = max(len(word) - self.right_min, 1)
        return [(place, change) for place, change in found if self.left_min <= place <= last]

    def _of_part(
        self, number: int, word: str, *, is_first: bool, is_last: bool
    ) -> list[tuple[int, tuple[int, int, str, str] | None]]:
        """Return the breaks of a component; `is_first` and `is_last` say whether it has the borders of the word."""
        is_compound_part = number + 1 < len(self.parts)
        left = 1 if is_first or is_compound_part else max(1, self.compound_left_min)
        right = 1 if is_last or is_compound_part else max(1, self.compound_right_min)
        found = self.parts[number].breaks(word, left, right)
        if not is_compound_part:
            return found
        if not found:
            return self._of_part(number + 1, word, is_first=is_first, is_last=is_last)
        borders = [0, *(place for place, _ in found), len(word)]
        everything = list(found)
        for begin, end in pairwise(borders):
            inner = self._of_part(
                number, word[begin:end], is_first=is_first and begin == 0, is_last=is_last and end == len(word)
            )
            for place, change in inner:
                if place == end - begin - 1:  # see above
                    continue
                moved = None if change is None else (change[0] + begin, change[1] + begin, *change[2:])
                everything.append((place + begin, moved))
        return sorted(everything, key=lambda one: one[0])

    def to_dic(self) -> str:
        """Return the dictionary as the text of a `hyph_*.dic` file, for writing in UTF-8."""
        lines = ["UTF-8", f"{LEFT} {self.left_min}", f"{RIGHT} {self.right_min}"]
        if self.compound_left_min:
            lines.append(f"{COMPOUND_LEFT} {self.compound_left_min}")
        if self.compound_right_min:
            lines.append(f"{COMPOUND_RIGHT} {self.compound_right_min}")
        if self.no_hyphen:
            lines.append(f"{NO_HYPHEN} {','.join(self.no_hyphen)}")
        for number, part in enumerate(self.parts):
            if number:
                lines.append(NEXT_LEVEL)
            closed = close_prefixes({text: list(row) for text, row in part.digits.items()})
            for text, row in closed.items():
                change = f"/{part.changes[text]}" if text in part.changes else ""
                lines.append(with_digits(text, row) + change)
        return "\n".join(lines) + "\n"


def read_dictionary(data: bytes | str, *, name: str = "the given file", skipped: list[str] | None = None) -> Dictionary:
    """Return the dictionary in the bytes, or the text, of a `hyph_*.dic` file.

    A line that is not a pattern is an error, which names it; with a list `skipped` the line is skipped, and the message
    is added to the list.
    """
    lines = (decode(data, name) if isinstance(data, bytes) else data).split("\n")
    minima = dict.fromkeys(MINIMA, 0)
    no_hyphen: tuple[str, ...] = ()
    parts: list[tuple[Digits, dict[str, Change]]] = [({}, {})]
    for number, raw in enumerate(lines[1:], start=2):
        line, where = raw.strip(), f"{name}, line {number}"
        keyword, _, rest = line.partition(" ")
        if not line or line.startswith(("%", "#")):
            continue
        if keyword in MINIMA:
            minima[keyword] = minimum(rest, keyword, where)
        elif keyword == NO_HYPHEN:
            no_hyphen = tuple(rest.split(","))
        elif keyword == NEXT_LEVEL:
            parts.append(({}, {}))
        else:
            pattern, slash, change = line.partition("/")
            digits, changes = parts[-1]
            try:
                text, row = parse_digits(pattern)
                if slash:
                    changes[text] = _change(change, text)
                digits[text] = row
            except CasebaseError as error:
                message = f"{where}: {str(error).removesuffix('.')}."
                if skipped is None:
                    raise FormatError(message) from None
                skipped.append(message)
    return Dictionary(
        tuple(Part({text: tuple(row) for text, row in digits.items()}, changes) for digits, changes in parts),
        minima[LEFT] or DEFAULT_MIN,
        minima[RIGHT] or DEFAULT_MIN,
        minima[COMPOUND_LEFT],
        minima[COMPOUND_RIGHT],
        no_hyphen,
    )


def _change(written: str, text: str) -> Change:
    """Return the change that is written behind a pattern, as `k=k,1,2` or `k=k`."""
    letters = text.strip(EDGE)
    replacement, *numbers = written.split(",")
    before, equals, after = replacement.partition("=")
    if not numbers:
        numbers = ["1", str(len(letters))]
    is_whole = len(numbers) == 2 and all(_is_whole(number.strip()) for number in numbers)
    start, cut = map(int, numbers) if is_whole else (0, 0)
    if not equals or not is_whole or start < 1 or start - 1 + cut > len(letters):
        raise CasebaseError(
            f"expected a change such as 'k=k,1,2' behind the '/': letters with '=' at the break, the first letter of "
            f"{letters!r} to replace, and how many; got {written!r}"
        )
    return Change(before, after, start, cut)


def _is_whole(text: str) -> bool:
    return text.isdecimal() and len(text) < 10  # Python converts no text of thousands of digits


def dictionary_of(
    parts: Iterable[PatternSet], *, compound_left_min: int = 0, compound_right_min: int = 0
) -> Dictionary:
    """Return a dictionary of patterns of letters, compounds first; the last part has the distances to the edges.

    >>> from casebase.hyphenation.patterns import Pattern
    >>> borders = PatternSet((Pattern("tz", 1, 1),))
    >>> dictionary_of([borders, PatternSet((Pattern("ze", 0, 1),))]).hyphenate("netzeze", "-")
    'net-ze-ze'
    """
    parts = list(parts)
    if not parts or any(p.is_classes for part in parts for p in part.patterns) or any(p.default_allows for p in parts):
        raise CasebaseError("A dictionary has parts of patterns of letters, which forbid what no pattern allows.")
    rows = []
    for part in parts:
        digits: Digits = {}
        for pattern in part.patterns:
            row = digits.setdefault(pattern.text, [0] * (len(pattern.text) + 1))
            row[pattern.offset] = max(row[pattern.offset], pattern.level)
        rows.append(Part({text: tuple(row) for text, row in digits.items()}))
    last = parts[-1]
    return Dictionary(tuple(rows), last.left_min, last.right_min, compound_left_min, compound_right_min)
