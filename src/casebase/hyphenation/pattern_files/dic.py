"""`hyph_*.dic`, the pattern files of LibreOffice, hunspell's libhyphen, Firefox and pyphen.

The first line names the encoding; the minimum distances to the edges follow, then one pattern per line. Experiments
with the libraries show:

* libhyphen uses 2 for a missing distance, and counts characters, not bytes; pyphen ignores the distances.
* libhyphen does not apply the right distance after the first letter: with 1 and 2 it breaks "ab" into "a-b". So where a
  break after the first letter is allowed at all, the right distance is written as patterns, too.
* libhyphen does not fold capitals (its caller must); pyphen does.
* libhyphen looks up, at each letter, only the longest prefix of a pattern that ends there, not the shorter patterns
  that end there, too. So prefixes are written as patterns of their own, with the digits of all patterns they end with.
* Of two lines with the same letters, both libraries use the last one.
* libhyphen truncates lines after 99 bytes.
* libhyphen puts a part of its own before a file of one part, in which hyphens and apostrophes are edges of words. An
  empty part before `NEXTLEVEL` prevents that; the writer adds one if the words have these characters as letters.
* pyphen fails on a file without patterns, so the writer always writes one.
"""

import codecs
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from casebase.errors import CasebaseError, FormatError
from casebase.formats.source import codec_name
from casebase.hyphenation.pattern_files.digits import (
    MAX_EXPANSION,
    Digits,
    alphabet_of,
    digits_of,
    next_even,
    parse_digits,
    patterns_of,
    with_digits,
)
from casebase.hyphenation.patterns import Pattern, PatternSet
from casebase.strings.texts import EDGE

LONGEST_LINE = 99
DEFAULT_MIN = 2  # if the file has no distance
LEFT, RIGHT = "LEFTHYPHENMIN", "RIGHTHYPHENMIN"
IGNORED = ("COMPOUNDLEFTHYPHENMIN", "COMPOUNDRIGHTHYPHENMIN", "NOHYPHEN")  # for parts of compounds only
NEXT_LEVEL = "NEXTLEVEL"
SPLITTING = frozenset("'-")  # libhyphen splits words here by default
NO_LETTERS = frozenset("%#/=^.-") - SPLITTING
ENCODINGS = {"microsoft-cp1251": "cp1251"}


def to_dic(patterns: PatternSet, *, letters: Iterable[str] | None = None, limit: int = MAX_EXPANSION) -> str:
    """Return the patterns as the text of a `hyph_*.dic` file, for writing in UTF-8.

    `letters` are those of the training words; patterns of classes are expanded to these only, and to at most `limit`
    patterns of letters.

    >>> from casebase.hyphenation.patterns import Pattern
    >>> print(to_dic(PatternSet((Pattern("hyp", 2, 1), Pattern("na", 1, 1)))), end="")
    UTF-8
    LEFTHYPHENMIN 1
    RIGHTHYPHENMIN 1
    hy1p
    n1a
    """
    letters = None if letters is None else set(letters)
    digits = close_prefixes(digits_of(_with_right_edge(patterns, letters, limit), letters, limit)) or {"a": [2, 0]}
    lines = ["UTF-8", f"{LEFT} {patterns.left_min}", f"{RIGHT} {patterns.right_min}"]
    if SPLITTING & set(alphabet_of(patterns, letters).letters):
        lines.append(NEXT_LEVEL)
    for text, row in digits.items():
        line = with_digits(text, row)
        wrong = next((c for c in text.strip(EDGE) if _is_no_letter(c)), None)
        if wrong is not None:
            raise CasebaseError(f"The pattern {line} cannot be written to a .dic file: {wrong!r} has a meaning there.")
        _check_length(line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def _check_length(line: str) -> None:
    if len(line.encode("utf-8")) > LONGEST_LINE:
        shown = line if len(line) <= 2 * LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
        raise CasebaseError(
            f"The pattern {shown} cannot be written to a .dic file: a line has at most {LONGEST_LINE} bytes. "
            "Learn with shorter patterns (max_length=, --max-length)."
        )


def _with_right_edge(patterns: PatternSet, letters: Iterable[str] | None, limit: int) -> PatternSet:
    """Add patterns that forbid breaks too near to the right edge, if they are needed."""
    if patterns.left_min > 1 or patterns.right_min == 1:
        return patterns
    known = alphabet_of(patterns, letters).letters
    if len(known) ** (patterns.right_min - 1) > limit:
        raise CasebaseError(
            f"left_min=1 with right_min={patterns.right_min} cannot be written to a .dic file with {len(known)} "
            f"letters and at most {limit:,} patterns: libhyphen breaks behind the first letter of short words. Learn "
            "with left_min=2 or a smaller right_min."
        )
    above = next_even(max((p.level for p in patterns.patterns), default=1))
    added = [
        Pattern("".join(ending) + EDGE, 0, above)
        for n in range(1, patterns.right_min)
        for ending in product(known, repeat=n)
    ]
    return replace(patterns, patterns=(*patterns.patterns, *added))


def close_prefixes(digits: Digits) -> Digits:
    """Return the patterns and their prefixes, each with the digits of all patterns that it ends with.

    >>> close_prefixes({"ab": [0, 1, 0], "xabc": [3, 0, 0, 0, 0]})
    {'ab': [0, 1, 0], 'xab': [0, 0, 1, 0], 'xabc': [3, 0, 0, 0, 0]}
    """
    for whole, row in digits.items():
        _check_length(with_digits(whole, row))  # the work below grows with the cube of the length
    closure: Digits = {}
    for text in sorted({whole[:n] for whole in digits for n in range(1, len(whole) + 1)}):
        row = [0] * (len(text) + 1)
        for begin in range(len(text)):
            for place, digit in enumerate(digits.get(text[begin:], ()), start=begin):
                row[place] = max(row[place], digit)
        if any(row):
            closure[text] = row
    return closure


def from_dic(data: str | bytes, *, name: str = "the given file", skipped: list[str] | None = None) -> PatternSet:
    """Return the patterns of a `hyph_*.dic` file; bytes are decoded by the encoding in its first line.

    Files of several parts (`NEXTLEVEL`), which break compounds first, can only be read if the first part has hyphens
    and apostrophes but no letters. A line that is not a pattern is an error; with a list `skipped` the line is skipped,
    and the error message is added to the list.

    >>> from_dic("UTF-8\\nLEFTHYPHENMIN 1\\nhy1p\\nn1a\\n").positions("hyphenation")
    [2, 6]
    """
    lines = (decode(data, name) if isinstance(data, bytes) else data).split("\n")
    mins = {LEFT: DEFAULT_MIN, RIGHT: DEFAULT_MIN}
    digits: Digits = {}
    n_parts = 1
    for number, raw in enumerate(lines[1:], start=2):
        line = raw.strip()
        where = f"{name}, line {number}"
        keyword, _, rest = line.partition(" ")
        if not line or line.startswith(("%", "#")) or keyword in IGNORED:
            continue
        if keyword in mins:
            mins[keyword] = minimum(rest, keyword, where)
        elif keyword == NEXT_LEVEL:
            n_parts += 1
            if n_parts > 2 or any(c.isalpha() for text in digits for c in text):
                raise FormatError(
                    f"{where}: {NEXT_LEVEL}: the patterns before it break compounds into parts, which a set of "
                    "patterns cannot do. Take a file without it, or read it with read_dictionary."
                )
            digits = {}
        else:
            try:
                text, row = _pattern(line, where)
            except FormatError as error:
                if skipped is None:
                    raise
                skipped.append(str(error))
            else:
                digits[text] = row
    return patterns_of(digits, left_min=mins[LEFT], right_min=mins[RIGHT])


def _pattern(line: str, where: str) -> tuple[str, list[int]]:
    if "/" in line or "=" in line:
        raise FormatError(
            f"{where}: {line!r} changes the letters at a break (the part behind '/'); a set of patterns only breaks. "
            "Leave the line away, write it without that part, or read the file with read_dictionary."
        )
    if len(line.split()) > 1:
        raise FormatError(f"{where}: expected one pattern, got {line!r}. Comments begin with %.")
    try:
        return parse_digits(line)
    except CasebaseError as error:
        raise FormatError(f"{where}: {error}.") from None


def minimum(text: str, keyword: str, where: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise FormatError(f"{where}: expected a number of letters behind {keyword}, got {text!r}.")
    return number or DEFAULT_MIN  # 0 counts as missing


def is_encoding(name: str) -> bool:
    """Whether a text, such as the first line of a file, is the name of an encoding."""
    try:
        return bool(name and codec_name(ENCODINGS.get(name.lower(), name)))
    except CasebaseError:
        return False


def decode(data: bytes, name: str) -> str:
    first, _, _ = data.removeprefix(codecs.BOM_UTF8).partition(b"\n")
    label = first.strip().decode("ascii", "replace")
    encoding = ENCODINGS.get(label.lower(), label)
    if not is_encoding(label):
        raise FormatError(
            f"{name}, line 1: expected the name of an encoding, such as UTF-8, got {label[:40]!r}. "
            "A .dic file begins with it."
        )
    try:
        return data.decode(encoding).removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{name}, line {line}: the byte 0x{data[error.start]:02X} does not belong in a text in {label}, "
            "which the first line says it is."
        ) from None


def _is_no_letter(c: str) -> bool:
    return c in NO_LETTERS or c.isspace() or c.isdecimal() or not c.isprintable()
