"""Readable text for values, numbers and lists, on a terminal and on a page.

Values, features and classes come from data and may be anything: empty, very long, or with characters that move the
cursor. `format_value` turns each of them into one harmless line; HTML pages escape that line in addition.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from casebase.data.numbers import WrittenNumber

MISSING = "?missing"


NOT_COMPARED = "–"


N_CLASSES_SHOWN = 4


# A number of as many characters as a float has at most: a part of it misquotes it.
_NUMBER = re.compile(r"(?=.{,25}$)[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", re.ASCII)
LARGEST_IN_FULL = 1e16  # larger whole numbers are written with an exponent


def format_value(value: Any) -> str:
    """Return a value as one line of text, never empty and never equal to one of our own marks.

    A value is quoted from a record, so a number is as it was written, or has all its digits; `number` rounds what was
    computed.

    >>> format_value(None), format_value(5.0), format_value("x"), format_value(""), format_value("?missing")
    ('?missing', '5', 'x', '""', '"?missing"')
    >>> format_value(12345.67), format_value(0.1), format_value(1.2345678901234567e19)
    ('12345.67', '0.1', '1.2345678901234567e+19')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, WrittenNumber):
        return value.text
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < LARGEST_IN_FULL else repr(float(value))
    text = printable(str(value))
    if not text or text != text.strip() or text in (MISSING, NOT_COMPARED) or text[0] in '≠"':
        return f'"{text}"'
    return text


def printable(text: str) -> str:
    """Return the text with line breaks, control and direction characters escaped.

    >>> print(printable("a\\tb"))
    a\\tb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def unbroken(word: str) -> str:
    """Return a word with control characters and line breaks escaped; characters that join letters stay.

    >>> print(unbroken("a\\nb"))
    a\\nb
    """
    if word.isprintable():
        return word
    is_control = {"Cc", "Cs", "Zl", "Zp"}
    written = (c.encode("unicode_escape").decode("ascii") if unicodedata.category(c) in is_control else c for c in word)
    return "".join(written)


def number(x: float) -> str:
    """Return a computed number (a distance, a vote, a weight) with four significant digits; integers in full.

    >>> number(3.0), number(0.88716), number(123456.0)
    ('3', '0.8872', '123456')
    """
    return str(int(x)) if math.isfinite(x) and x == int(x) and abs(x) < 1e15 else f"{x:.4g}"


def power_of_half(weight: float) -> str:
    """Return a power of one half as a fraction, or as a number if that is shorter.

    >>> power_of_half(1.0), power_of_half(0.125), power_of_half(2.0**-20)
    ('1', '1/8', '9.537e-07')
    """
    return number(weight) if weight == 1.0 or weight < 2.0**-16 else f"1/{number(1.0 / weight)}"


def n_columns(text: str) -> int:
    """Return the width of a text in terminal columns; a wide character takes two.

    >>> n_columns("ab"), n_columns("漢字")
    (2, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, width: int) -> str:
    """Return the text, shortened with an ellipsis if it is wider than `width`; a number keeps all its digits.

    >>> shorten("consonants", 6), shorten("0.1234567", 6)
    ('conso…', '0.1234567')
    """
    return text if _fits(text, width) else _beginning(text, width - 1) + "…"


def shorten_apart(texts: Sequence[str], width: int) -> list[str]:
    """Return the texts, shortened like `shorten` where they stay different, and else so that a difference shows.

    The texts that are too wide are cut at their ends, in the middle, or up to the place where they begin to differ:
    at the first of these that leaves the most texts different, those that differ from the first text before others.

    >>> shorten_apart(["consonants", "vowels"], 6), shorten_apart(["2020-01-01 00:00", "2020-01-01 00:01"], 9)
    (['conso…', 'vowels'], ['2020…0:00', '2020…0:01'])
    """
    wide = [text for text in dict.fromkeys(texts) if not _fits(text, width)]
    cuts: list[Callable[[str], str]] = [lambda text: _beginning(text, width - 1) + "…"]
    if len(wide) > 1:
        tail = width // 2
        cuts.append(lambda text: _beginning(text, width - 1 - tail) + "…" + _beginning(text[::-1], tail)[::-1])
        for begin in sorted({_first_difference(a, b) for a, b in pairwise(sorted(wide))}):
            cuts.append(partial(_from, begin=begin, width=width))
    best: list[str] = []
    most = (-1, -1)
    for cut in cuts:
        shown = [text if _fits(text, width) else cut(text) for text in texts]
        n_apart = sum(text != texts[0] and short != shown[0] for text, short in zip(texts, shown))
        if (n_apart, len(set(shown))) > most:
            best, most = shown, (n_apart, len(set(shown)))
    return best


def _fits(text: str, width: int) -> bool:
    return n_columns(text) <= width or _NUMBER.fullmatch(text) is not None


def _beginning(text: str, width: int) -> str:
    """Return as much of a text as fits into some columns."""
    end = used = 0
    while end < len(text) and used + n_columns(text[end]) <= width:
        used += n_columns(text[end])
        end += 1
    return text[:end]


def _from(text: str, begin: int, width: int) -> str:
    """Return a text without what is before a place, with a few characters around it if there is room."""
    head = _beginning(text, width // 4)
    rest = text[max(begin - width // 4, len(head)) :]
    lead = head + "…"
    room = width - n_columns(lead)
    return lead + (rest if n_columns(rest) <= room else _beginning(rest, room - 1) + "…")


def _first_difference(a: str, b: str) -> int:
    return next((i for i, (one, other) in enumerate(zip(a, b)) if one != other), min(len(a), len(b)))


def percent(part: float) -> str:
    """Return a share in percent; a small share is not shown as 0.

    >>> percent(0.25), percent(0.0004)
    ('25%', '<1%')
    """
    return "<1%" if 0 < part < 0.005 else f"{100 * part:.0f}%"


def plural(count: float, noun: str) -> str:
    """Return a count with its noun in the singular or plural.

    >>> plural(1, "case"), plural(2, "case")
    ('1 case', '2 cases')
    """
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def largest(counts: Mapping[Any, float]) -> list[tuple[Any, float]]:
    """Return classes with their counts, the most frequent first."""
    return sorted(counts.items(), key=lambda entry: -entry[1])


def list_counts(counts: Mapping[Any, float], width: int = 16) -> str:
    """Return the largest counts in one line.

    >>> list_counts({"P": 1.0, "Q": 3.0})
    'Q 3, P 1'
    """
    entries = [f"{shorten(format_value(label), width)} {number(n)}" for label, n in largest(counts)[:N_CLASSES_SHOWN]]
    return ", ".join([*entries, "…"] if len(counts) > N_CLASSES_SHOWN else entries)


def pairs(features: Sequence[str], values: Sequence[Any], width: int) -> list[str]:
    """Return texts of features with their values, such as "colour = red"."""
    return [
        f"{shorten(printable(feature), width)} {sign(value)}{shorten(format_value(value), width)}"
        for feature, value in zip(features, values)
    ]


def that_fit(entries: Sequence[str], room: int, *, at_least: int = 1) -> str:
    """Return the first of the entries that fit into some columns, and how many more there are.

    >>> that_fit(["sex", "pclass", "embarked"], 24), that_fit(["sex", "pclass", "embarked"], 20)
    ('sex, pclass, embarked', 'sex and 2 more')
    """
    for n in range(len(entries), at_least, -1):
        text = ", ".join(entries[:n]) + (f" and {len(entries) - n} more" if n < len(entries) else "")
        if n_columns(text) <= room:
            return text
    rest = len(entries) - at_least
    return ", ".join(entries[:at_least]) + (f" and {rest} more" if rest > 0 else "")


def sign(value: Any) -> str:
    """Return the sign between a feature and its value; an open interval begins with its own sign."""
    return "" if str(value).startswith(("≤ ", "> ")) else "= "


def same_value(a: Any, b: Any) -> bool:
    """Return whether two values have the same text, or are the same number in different spellings.

    >>> same_value("5", 5.0), same_value("a", "b")
    (True, False)
    """
    if format_value(a) == format_value(b):
        return True
    try:
        return float(a) == float(b)
    except (TypeError, ValueError):
        return False


def same_interval(a: Any, b: Any) -> bool:
    """Return whether two values are quoted with the same interval, or one of them is the interval of the other.

    >>> same_interval("3.5 (2.45 – 4.75)", "4 (2.45 – 4.75)"), same_interval("> 2", "2.5 (> 2)")
    (True, True)
    >>> same_interval("3.5 (2.45 – 4.75)", "5 (> 4.75)"), same_interval("a", "a")
    (False, False)
    """
    texts = [format_value(value) for value in (a, b)]
    intervals = [_INTERVAL.search(text) for text in texts]
    if not any(intervals):
        return False
    inside = [text if found is None else found[1] for text, found in zip(texts, intervals)]
    return inside[0] == inside[1]


_INTERVAL = re.compile(r" \((≤ [^()]+|> [^()]+|[^()]+ – [^()]+|any number)\)$")
