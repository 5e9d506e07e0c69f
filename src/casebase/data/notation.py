"""How numbers are written: a number that was read from text is quoted as the text has it, `1.10` and not `1.1`.

A column of numbers has a form for each of its cases. Most texts follow from the number and a rule, so a form is a rule:
`.2f` is two decimals, `,2f` two decimals after a comma, `.3e` an exponent after three decimals. The form of any other
text is the text itself, after an equals sign: `=007`, `=+5`, `=1e3`. The empty form is the shortest spelling of the
number, that of numbers which never were text. A column that is written uniformly has one form for all of its cases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from casebase.data.arrays import as_booleans, as_floats, as_integers, as_numpy
from casebase.data.arrow import pa, pc
from casebase.data.columns import spelling
from casebase.data.numbers import WrittenNumber
from casebase.data.vocabulary import entries_of

SHORTEST = ""  # the form of numbers that were not read from text
LITERAL = "="
RULE = re.compile(r"[.,][0-9]{1,3}[ef]")
PLAIN = {mark: rf"^-?(0|[1-9][0-9]*)({re.escape(mark)}[0-9]+)?$" for mark in ".,"}
RULED = {mark: re.compile(rf"-?[0-9]+({re.escape(mark)}([0-9]+))?(e[+-][0-9]+)?", re.ASCII) for mark in ".,"}
SAFE_LENGTH = 15  # a decimal of up to 15 digits survives the way through a double
SMALLEST_SHORT = 1e-4  # smaller numbers are shown with an exponent
LARGEST_SHORT = 1e16  # larger whole numbers are shown with an exponent unless they are written in full


@dataclass(frozen=True, eq=False)
class Notation:
    """The forms in which the numbers of some cases are written: `codes` has the place of each case's form.

    There are no codes if all cases have the only form. That of a missing number means nothing. Where numbers are
    learned as intervals, `numbers` has those that were recorded, NaN for a missing one.

    >>> Notation((".1f", ".2f"), np.array([1, 0])).values(np.array([1.1, 5.0]))
    [1.1, 5.0]
    >>> [spelling(value) for value in Notation((".1f", ".2f"), np.array([1, 0])).values(np.array([1.1, 5.0]))]
    ['1.10', '5.0']
    """

    forms: tuple[str, ...]
    codes: np.ndarray | None = None
    numbers: np.ndarray | None = None

    def take(self, rows: np.ndarray | slice) -> Notation:
        """Return the notation of the cases at some rows, in that order."""
        if self.codes is None and self.numbers is None:
            return self
        numbers = None if self.numbers is None else self.numbers[rows]
        return Notation(self.forms, None if self.codes is None else self.codes[rows], numbers)

    @property
    def written(self) -> Notation | None:
        """How the recorded numbers are written; None if in their shortest spelling."""
        return None if self.forms == (SHORTEST,) else replace(self, numbers=None)

    def values(self, numbers: Iterable[float | None]) -> list[float | None]:
        """Return the numbers of all cases, each with its text unless that is its shortest spelling; None if missing.

        Recorded numbers take the place of those given.
        """
        numbers = numbers if self.numbers is None else self.numbers
        if isinstance(numbers, np.ndarray):
            numbers = numbers.tolist()
        if self.codes is None:
            (form,) = self.forms
            return [None if x is None or x != x else as_written(x, form) for x in numbers]
        forms = map(self.forms.__getitem__, self.codes.tolist())
        return [None if x is None or x != x else as_written(x, form) for x, form in zip(numbers, forms)]

    def value(self, row: int, number: float | None) -> float | None:
        """Return the number of one case as `values` does."""
        number = number if self.numbers is None else float(self.numbers[row])
        code = 0 if self.codes is None else int(self.codes[row])
        return None if number is None or number != number else as_written(number, self.forms[code])

    def are_short(self, numbers: np.ndarray) -> np.ndarray:
        """Return which numbers are written in their shortest spelling."""
        short = np.zeros(len(numbers), dtype=bool)
        for code, form in enumerate(self.forms):
            if form[:1] != LITERAL:
                here = slice(None) if self.codes is None else np.flatnonzero(self.codes == code)
                short[here] = _are_short(numbers[here], form)
        return short

    def tidy(self, numbers: np.ndarray) -> Notation | None:
        """Return the same notation in the only form that depends on nothing but the texts of these cases.

        One rule is enough for all numbers that follow it. Otherwise numbers in their shortest spelling have its form,
        and there are no forms but those that occur.
        """
        if self.numbers is not None:
            return recorded(replace(self, numbers=None).tidy(self.numbers), self.numbers)
        is_known = ~np.isnan(numbers)
        known = numbers[is_known]
        of_known = self.take(np.flatnonzero(is_known)) if self.codes is not None else self
        short = of_known.are_short(known)
        if short.all():
            return None
        forms = [SHORTEST, *self.forms]
        codes = np.where(short, 0, 1 if of_known.codes is None else of_known.codes.astype(np.int64) + 1)
        rules = [forms[code] for code in np.flatnonzero(np.bincount(codes, minlength=len(forms))) if code]
        if len(rules) == 1 and (not short.any() or _follow(known[short], rules[0])):
            return Notation((rules[0],))
        found = _notation(forms, codes)
        assert found.codes is not None
        by_row = np.zeros(len(numbers), dtype=found.codes.dtype)  # what a missing number is written like means nothing
        by_row[is_known] = found.codes
        return Notation(found.forms, by_row)


def recorded(notation: Notation | None, numbers: np.ndarray) -> Notation:
    """Return how numbers that are learned as intervals are written, with the numbers."""
    return replace(Notation((SHORTEST,)) if notation is None else notation, numbers=numbers)


Notations = tuple[Notation | None, ...]  # of features; none at all if no number was read from text


def as_written(number: float, form: str) -> float:
    """Return a number in a form: with its text, unless that is its shortest spelling."""
    if form == SHORTEST:
        return number
    text = form[1:] if form[0] == LITERAL else _by_rule(number, form)
    is_short = abs(number) < LARGEST_SHORT and text == spelling(float(number))
    return float(number) if is_short else WrittenNumber(number, text)


def _are_short(numbers: np.ndarray, form: str) -> np.ndarray:
    """Return which numbers in a form are written in their shortest spelling.

    A decimal of up to 15 digits is the shortest if it does not end in 0, and needs no exponent. A longer one has a rule
    only if it is not.
    """
    if form == SHORTEST:
        return np.ones(len(numbers), dtype=bool)
    n = _n_decimals(form)
    if n is None:
        return np.zeros(len(numbers), dtype=bool)
    digits = np.abs(numbers) * 10.0**n
    is_safe = digits < 10.0**SAFE_LENGTH
    short: np.ndarray = is_safe & ((np.abs(numbers) >= SMALLEST_SHORT) | (numbers == 0))
    if n:
        short &= np.rint(np.where(is_safe, digits, 0.0)) % 10 != 0
    return short


def _n_decimals(form: str) -> int | None:
    """Return the number of decimals of a form that is plain enough to be computed for many numbers at once."""
    n = int(form[1:-1]) if RULE.fullmatch(form) and form[0] == "." and form[-1] == "f" else SAFE_LENGTH
    return n if n < SAFE_LENGTH else None


def _follow(numbers: np.ndarray, rule: str) -> bool:
    """Return whether numbers that are written in their shortest spelling are written by a rule all the same."""
    n = _n_decimals(rule)
    if n is None:
        return False
    # The division gives the double that the decimal is read as.
    return bool((_are_short(numbers, rule) & (np.rint(numbers * 10.0**n) / 10.0**n == numbers)).all())


def _by_rule(number: float, rule: str) -> str:
    text = format(float(number), f".{rule[1:]}")
    return text if rule[0] == "." else text.replace(".", rule[0])


def notation_of(column: pa.DictionaryArray, numbers: np.ndarray, decimal: str = ".") -> Notation | None:
    """Return how the numbers of a column are written; `numbers` has the number of each row, NaN if it is missing.

    White space around a number does not count.

    >>> notation_of(pa.array(["1.10", "2.25", None, "2.25"]).dictionary_encode(), np.array([1.1, 2.25, np.nan, 2.25]))
    Notation(forms=('.2f',), codes=None, numbers=None)
    """
    entries = entries_of(column)
    by_entry = np.full(len(column.dictionary) + 1, np.nan)
    by_entry[entries] = numbers
    forms, of_entry = _forms(pc.utf8_trim_whitespace(column.dictionary), by_entry[:-1], decimal)
    tidy = Notation(tuple(forms), np.append(of_entry, 0)).tidy(by_entry)
    return tidy if tidy is None else tidy.take(entries)


def _forms(texts: pa.Array, numbers: np.ndarray, decimal: str) -> tuple[list[str], np.ndarray]:
    """Return all forms, and the place of the form of each text."""
    lengths = as_numpy(pc.binary_length(texts), null=0).astype(np.int64)
    place = as_numpy(pc.find_substring(texts, decimal), null=-1).astype(np.int64)
    n_decimals = np.where(place < 0, 0, lengths - place - 1)
    is_decimal = as_booleans(pc.match_substring_regex(texts, PLAIN[decimal]))
    if (numbers == 0).any():  # not every way through the program keeps the sign of -0
        is_decimal &= (numbers != 0) | ~as_booleans(pc.starts_with(texts, "-"))
    is_plain = is_decimal & (lengths <= SAFE_LENGTH)
    known, codes = np.unique(np.where(is_plain, n_decimals, -1), return_inverse=True)
    forms = [_decimals(int(n), decimal) if n >= 0 else SHORTEST for n in known]
    others = np.flatnonzero(~is_plain & ~np.isnan(numbers))
    if len(others):
        place_of = {form: i for i, form in enumerate(forms)}
        # Numbers with all digits that a double needs are frequent: Arrow has the same digits.
        shortest = as_booleans(pc.equal(as_floats(numbers[others]).cast(pa.string()), texts.take(as_integers(others))))
        shortest &= is_decimal[others] & (np.abs(numbers[others]) >= SMALLEST_SHORT)
        shortest &= np.abs(numbers[others]) < LARGEST_SHORT
        codes[others] = place_of.setdefault(SHORTEST, len(place_of))
        others = others[~shortest]
        pairs = zip(texts.take(as_integers(others)).to_pylist(), numbers[others].tolist())
        codes[others] = [place_of.setdefault(_form(*pair, decimal), len(place_of)) for pair in pairs]
        forms = list(place_of)
    return forms, codes


def _decimals(n: int, decimal: str) -> str:
    return f"{decimal if n else '.'}{n}f"


def _form(text: str, number: float, decimal: str) -> str:
    """Return the form of one text, found by trial."""
    if text == spelling(number) and abs(number) < LARGEST_SHORT:
        return SHORTEST
    match = RULED[decimal].fullmatch(text) if number else None
    if match is not None:
        n = len(match[2] or "")
        rule = _decimals(n, decimal)[:-1] + ("f" if match[3] is None else "e")
        if RULE.fullmatch(rule) and _by_rule(number, rule) == text:
            return rule
    return LITERAL + text if _is_faithful(text, number) else SHORTEST


def _is_faithful(text: str, number: float) -> bool:
    """Return whether a text can stand for a number: it is none, or it is this one with any decimal mark.

    With a decimal comma `1.234` may be a thousand and more. Quoted like that, it would look like another number.
    """
    for one in (text, text.replace(",", ".")):
        try:
            return float(one) == number
        except ValueError:
            continue
    return True


def joined(notations: Sequence[Notation | None], n_rows: Sequence[int]) -> Notation | None:
    """Return the notation of several parts of a column, one after the other."""
    numbers = [one.numbers for one in notations if one is not None and one.numbers is not None]
    if numbers:
        assert len(numbers) == len(notations), "the numbers of all cases are recorded, or of none"
        return recorded(joined([one and one.written for one in notations], n_rows), np.concatenate(numbers))
    forms = sorted({form for one in notations for form in ((SHORTEST,) if one is None else one.forms)})
    if forms == [SHORTEST] or not forms:
        return None
    if len(forms) == 1:
        return Notation((forms[0],))
    place = {form: i for i, form in enumerate(forms)}
    parts = []
    for one, n in zip(notations, n_rows):
        if one is None or one.codes is None:
            parts.append(np.full(n, place[SHORTEST if one is None else one.forms[0]], dtype=np.int64))
        else:
            parts.append(np.array([place[form] for form in one.forms])[one.codes])
    return Notation(tuple(forms), _narrow(np.concatenate(parts), len(forms)))


def joined_each(notations: Sequence[Notations], n_rows: Sequence[int]) -> Notations:
    """Return the notation of each feature for several parts of a table, one after the other."""
    n_features = max(map(len, notations), default=0)
    return tuple(joined([part[i] if part else None for part in notations], n_rows) for i in range(n_features))


def taken(notations: Notations, rows: np.ndarray | slice) -> Notations:
    """Return the notation of each feature for the cases at some rows."""
    return tuple(None if one is None else one.take(rows) for one in notations)


def _notation(forms: Sequence[str], codes: np.ndarray) -> Notation:
    """Return a notation with the forms that occur, sorted."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(forms)))
    ascending = sorted(used.tolist(), key=forms.__getitem__)
    place = np.zeros(len(forms), dtype=np.int64)
    place[ascending] = np.arange(len(ascending))
    return Notation(tuple(forms[i] for i in ascending), _narrow(place[codes], len(ascending)))


def _narrow(codes: np.ndarray, n_forms: int) -> np.ndarray:
    return codes.astype(code_type(n_forms))


def code_type(n_forms: int) -> np.dtype:
    """Return the narrowest unsigned type that holds the codes of some forms."""
    return np.dtype(np.uint8 if n_forms <= 2**8 else np.uint16 if n_forms <= 2**16 else np.uint32)


def is_form(form: object) -> bool:
    """Return whether a text of a model file is a form."""
    return isinstance(form, str) and (form == SHORTEST or form[0] == LITERAL or RULE.fullmatch(form) is not None)
