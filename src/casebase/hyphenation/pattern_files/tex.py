r"""TeX's pattern files: `\patterns{…}` and, for whole words, `\hyphenation{…}`, in UTF-8 as XeTeX and LuaTeX read it.

A pattern that is a whole word (`.word.`) matches no other word, so it is written as an exception with all breaks of
that word: TeX then applies no patterns to the word, and the breaks are the same.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from casebase.errors import CasebaseError, FormatError
from casebase.hyphenation.pattern_files.digits import (
    MAX_EXPANSION,
    Digits,
    alphabet_of,
    digits_of,
    parse_digits,
    patterns_of,
    with_digits,
)
from casebase.hyphenation.pattern_files.exceptions import with_exceptions
from casebase.hyphenation.patterns import PatternSet
from casebase.strings.letters import is_mark
from casebase.strings.texts import EDGE

LONGEST = 63  # letters: TeX breaks no longer words and reads no longer patterns
DEFAULT_MINS = 2, 3  # of plain TeX
NO_LETTERS = frozenset("\\{}%#$&^_~-./=,")

_COMMAND = re.compile(r"\\([A-Za-z]+)")
_ASSIGNMENT = re.compile(r"\s*(?:=\s*)?(\d+)")
_HEX = re.compile(r"\^\^\^\^([0-9a-f]{4})|\^\^([0-9a-f]{2})")
_MIN_IN_COMMENT = re.compile(r"^%\s*(left|right):\s*(\d+)\s*$", re.MULTILINE)  # the notation of hyph-utf8


def to_tex(patterns: PatternSet, *, letters: Iterable[str] | None = None, limit: int = MAX_EXPANSION) -> str:
    r"""Return the patterns as the text of a TeX file, for writing in UTF-8.

    `letters` are those of the training words; patterns of classes are expanded to these only, and to at most `limit`
    patterns of letters.

    >>> from casebase.hyphenation.patterns import Pattern
    >>> print(to_tex(PatternSet((Pattern("hyp", 2, 1), Pattern(".record.", 4, 1)))), end="")
    % Hyphenation patterns, written by casebase. Encoding: UTF-8
    % hyphenmins:
    %     typesetting:
    %         left: 1
    %         right: 1
    \lefthyphenmin=1 \righthyphenmin=1
    \patterns{
    hy1p
    }
    \hyphenation{
    rec-ord
    }
    """
    letters = None if letters is None else set(letters)
    digits = digits_of(patterns, letters, limit)
    whole = {text: row for text, row in digits.items() if len(text) > 2 and text[0] == text[-1] == EDGE}
    for text in digits:
        _check(text)
    left, right = patterns.left_min, patterns.right_min
    lines = [
        "% Hyphenation patterns, written by casebase. Encoding: UTF-8",
        "% hyphenmins:",
        "%     typesetting:",
        f"%         left: {left}",
        f"%         right: {right}",
        f"\\lefthyphenmin={left} \\righthyphenmin={right}",
    ]
    others = [c for c in alphabet_of(patterns, letters).letters if not (c.isalpha() or is_mark(c))]
    # To TeX an apostrophe, for example, is a letter only if it has a lower-case code.
    lines += [f'\\lccode"{ord(c):04X}="{ord(c):04X}' for c in others]
    lines += ["\\patterns{", *(with_digits(text, row) for text, row in digits.items() if text not in whole), "}"]
    if whole:
        lines += ["\\hyphenation{", *(_hyphenate(patterns, text[1:-1]) for text in whole), "}"]
    return "\n".join(lines) + "\n"


def from_tex(
    text: str, *, left_min: int | None = None, right_min: int | None = None, name: str = "the given file"
) -> PatternSet:
    r"""Return the patterns and exceptions of a TeX file; exceptions become patterns of whole words, above all others.

    The minimum distances to the edges are those in the file, in a comment as in hyph-utf8 or as `\lefthyphenmin`; by
    default those of plain TeX, 2 and 3.

    >>> from_tex(r"\patterns{hy1p n1a} \hyphenation{na-na}", right_min=2).positions("hyphenation")
    [2, 6]
    """
    digits: Digits = {}
    exceptions: list[str] = []
    minima = {side: _minimum(number) for side, number in _MIN_IN_COMMENT.findall(text)}
    n_blocks = 0
    for piece in _pieces(text, name):
        if piece.command == "patterns":
            n_blocks += 1
            for word, line in piece.words:
                try:
                    letters, row = parse_digits(word)
                except CasebaseError as error:
                    raise FormatError(f"{name}, line {line}: {error}.") from None
                if digits.setdefault(letters, row) != row:
                    raise FormatError(
                        f"{name}, line {line}: {word!r} has other digits than a pattern of the same letters before it, "
                        f"{with_digits(letters, digits[letters])}. TeX allows one; leave one away."
                    )
        elif piece.command == "hyphenation":
            n_blocks += 1
            for word, line in piece.words:
                _check_exception(word, f"{name}, line {line}")
                exceptions.append(word)
        else:
            minima[piece.command.removesuffix("hyphenmin")] = piece.number
    if not n_blocks:
        raise FormatError(f"{name}: expected a TeX file with \\patterns{{…}}; there is none in it.")
    left, right = (
        argument if argument is not None else minima.get(side, default)
        for side, argument, default in zip(("left", "right"), (left_min, right_min), DEFAULT_MINS)
    )
    return with_exceptions(patterns_of(digits, left_min=max(left, 1), right_min=max(right, 1)), exceptions)


@dataclass(frozen=True)
class _Piece:
    """A command: the words in its braces with their line numbers, or the number that follows it."""

    command: str
    words: tuple[tuple[str, int], ...] = ()
    number: int = 0


def _pieces(text: str, name: str) -> Iterator[_Piece]:
    bare = "\n".join(_without_comment(line) for line in text.replace("\r\n", "\n").split("\n"))
    at = 0
    while match := _COMMAND.search(bare, at):
        at, command = match.end(), match[1]
        if command == "endinput":
            return
        if command in ("patterns", "hyphenation"):
            begin = at + len(bare[at:]) - len(bare[at:].lstrip())
            if bare[begin : begin + 1] != "{":
                continue  # a mention, not a use
            end = bare.find("}", begin)
            line = bare.count("\n", 0, begin) + 1
            if end < 0:
                raise FormatError(f"{name}, line {line}: \\{command}{{ has no closing brace.")
            yield _Piece(command, tuple(_words(bare[begin + 1 : end], command, line, name)))
            at = end + 1
        elif command in ("lefthyphenmin", "righthyphenmin") and (assignment := _ASSIGNMENT.match(bare, at)):
            yield _Piece(command, number=_minimum(assignment[1]))


def _minimum(digits: str) -> int:
    """Return a number of letters; one with more digits than Python converts is larger than any word, too."""
    return int(digits[-9:]) if not digits[:-9].strip("0") else 10**9


def _without_comment(line: str) -> str:
    return re.sub(r"(?<!\\)%.*", "", line)


def _words(block: str, command: str, first_line: int, name: str) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(block.split("\n"), start=first_line):
        for word in line.split():
            plain = _HEX.sub(lambda match: chr(int(match[1] or match[2], 16)), word)
            wrong = next((c for c in plain if c in "\\{}$&#^~_"), None)
            if wrong is not None:
                raise FormatError(
                    f"{name}, line {number}: {word!r} in \\{command}: expected letters, got {wrong!r}. "
                    "Files with commands inside have to be turned into UTF-8 letters first."
                )
            yield plain, number


def _check_exception(word: str, where: str) -> None:
    if not all(word.split("-")) or any(c.isdecimal() or c == EDGE for c in word):
        raise FormatError(f"{where}: {word!r} is no exception: expected letters with single hyphens between them.")


def _check(text: str) -> None:
    letters = text.strip(EDGE)
    wrong = next((c for c in letters if c in NO_LETTERS or c.isspace() or c.isdecimal() or not c.isprintable()), None)
    if wrong is not None:
        raise CasebaseError(f"A pattern with {wrong!r} cannot be written for TeX, where it is no letter: {text!r}.")
    if len(letters) > LONGEST:
        raise CasebaseError(
            f"The pattern {text} cannot be written for TeX: patterns have at most {LONGEST} letters, and longer words "
            "are not broken. Learn with shorter patterns (max_length=, --max-length)."
        )


def _hyphenate(patterns: PatternSet, word: str) -> str:
    places = [0, *patterns.positions(word), len(word)]
    return "-".join(word[begin:end] for begin, end in pairwise(places))
