"""Features (name, kind, vocabulary), and their columns as codes or numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from casebase.data.arrays import as_floats, as_integers, as_numpy, as_strings
from casebase.data.arrow import pa
from casebase.data.columns import as_text, spelling
from casebase.data.dates import Style, date_text, is_day
from casebase.data.intervals import interval_names, interval_names_of_dates, interval_names_of_levels
from casebase.data.notation import Notation, notation_of
from casebase.data.numbers import MISSING, WrittenNumber, numbers_in, with_points
from casebase.data.vocabulary import Vocabulary, entries_of, vocabulary_of
from casebase.errors import CasebaseError, SchemaError, unknown_name

Kind = Literal["symbolic", "numeric", "ignored"]


@dataclass(frozen=True, eq=False)
class Feature:
    """The name and the kind of a column, and the vocabulary of a symbolic one.

    A feature `of_numbers` is symbolic, but its values are numbers: trees test them for equality by their spelling. An
    ordinal of texts is learned as the ranks 1, 2, … of its `levels`, and quoted by their texts. The days of a date,
    a feature with a `date_style`, are quoted as the date. A feature with `cuts`, which ascend, is symbolic: it is
    learned as the intervals between them that occur, and each number is quoted with its interval.
    """

    name: str
    kind: Kind
    vocabulary: Vocabulary | None = None
    of_numbers: bool = False
    levels: tuple[str, ...] = ()
    date_style: Style | None = None
    cuts: np.ndarray | None = None

    @property
    def has_quotes(self) -> bool:
        """Whether values are quoted in another form than they are learned in."""
        return bool(self.levels) or self.date_style is not None or self.cuts is not None

    @property
    def is_cut(self) -> bool:
        """Whether numbers are learned as the intervals that contain them."""
        return self.cuts is not None and self.kind != "ignored"

    @property
    def asks_number(self) -> bool:
        """Whether tables have numbers in its column: it is compared as numbers, or as intervals of them."""
        return self.vocabulary is None or self.is_cut

    @cached_property
    def intervals(self) -> list[str]:
        """The names of the intervals between the cuts, ascending."""
        assert self.cuts is not None
        return interval_names(self.cuts)

    def interval_number(self, name: str) -> int:
        """Return the number of an interval, from 0, by its name or as it is quoted."""
        names = self.intervals if name in self.intervals else self._quoted_intervals
        return names.index(name)

    def interval_codes(self, numbers: np.ndarray) -> np.ndarray:
        """Return the code of the interval that contains each number; one that no stored number has is unknown.

        >>> vocabulary = Vocabulary(as_strings(["> 2", "≤ 2"]))
        >>> Feature("size", "symbolic", vocabulary, cuts=np.array([2.0])).interval_codes(np.array([2.0, 2.5, np.nan]))
        array([  1,   0, 255], dtype=uint8)
        """
        assert self.cuts is not None
        codes: np.ndarray = self._code_of_interval[interval_places(numbers, self.cuts)]
        return codes

    @cached_property
    def _code_of_interval(self) -> np.ndarray:
        """The code of each interval, and of a missing number last."""
        assert self.vocabulary is not None
        return self.vocabulary.encode_few([*self.intervals, None])

    def learned_texts(self, column: pa.Array) -> list[str | None]:
        """Return the values of a symbolic feature for a column of a table: its texts, or the names of intervals."""
        if not self.is_cut and not self.of_numbers:
            texts: list[str | None] = as_text(column).to_pylist()
            return texts
        numbers = encode_column(column, as_recorded(self))
        if self.cuts is not None and self.is_cut:
            names = [*self.intervals, None]
            return [names[place] for place in interval_places(numbers, self.cuts).tolist()]
        return [None if number != number else spelling(number) for number in numbers.tolist()]

    def value(self, stored: Any) -> str | float | None:
        """Return the original value for a code or number, None if missing."""
        if self.vocabulary is None:
            return self.quoted(None if np.isnan(stored) else float(stored))
        return self.quoted(self.vocabulary.value(int(stored)))

    def values(self, stored: np.ndarray, notation: Notation | None = None) -> Sequence[str | float | None]:
        """Return the original values for an array of codes or numbers, and numbers as they were written."""
        if self.cuts is not None and notation is not None and notation.numbers is not None:
            return [self.quoted(number) for number in notation.values(stored)]
        if self.has_quotes:
            return [self.value(one) for one in stored]
        if self.vocabulary is None:
            if notation is not None:
                return notation.values(stored)
            return [None if number != number else number for number in stored.tolist()]
        texts = self.vocabulary.values_of(stored)
        return texts if notation is None else as_written_texts(texts, notation)

    def quoted(self, value: str | float | None) -> str | float | None:
        """Return a value as the table has it: the text of a rank, the date of days, and any other value unchanged.

        The number of a feature with cuts is quoted with its interval; an interval alone is quoted by its bounds.

        >>> Feature("size", "numeric", levels=("small", "large")).quoted(2.0), Feature("age", "numeric").quoted(2.0)
        ('large', 2.0)
        >>> Feature("born.days", "numeric", date_style="dmy").quoted(2.0)
        '03/01/1970'
        """
        if value is None or not self.has_quotes:
            return value
        if self.cuts is not None:
            return self._quoted_with_interval(value)
        if self.date_style is not None:
            days = float(value)
            return date_text(days, self.date_style) if is_day(days) else value  # a damaged file may have any number
        rank = float(value)
        return self.levels[int(rank) - 1] if rank.is_integer() and 1 <= rank <= len(self.levels) else value

    def _quoted_with_interval(self, value: str | float) -> str | float:
        assert self.cuts is not None
        if isinstance(value, str) and value in self.intervals:
            return self._quoted_intervals[self.intervals.index(value)]
        (number,), _ = numbers_in(as_strings([spelling(value)]))
        if np.isnan(number):
            return value
        interval = self._quoted_intervals[int(np.searchsorted(self.cuts, number, side="left"))]
        shown = replace(self, cuts=None).quoted(value)
        if isinstance(shown, str) and shown != spelling(value):
            return f"{shown} ({interval})"
        return WrittenNumber(float(number), f"{spelling(shown)} ({interval})")

    @cached_property
    def _quoted_intervals(self) -> list[str]:
        assert self.cuts is not None
        if self.levels:
            return interval_names_of_levels(self.cuts, self.levels)
        if self.date_style is not None:
            return interval_names_of_dates(self.cuts, self.date_style)
        return self.intervals


def as_written_texts(texts: Sequence[str | float | None], notation: Notation) -> list[str | None]:
    """Return numbers that are compared as symbols, in their shortest spelling, as they were written."""
    numbers, _ = numbers_in(as_strings([spelling(text) for text in texts]))
    return [spelling(text if x is None else x) for text, x in zip(texts, notation.values(numbers))]


def new_feature(name: str, column: pa.Array) -> tuple[Feature, np.ndarray]:
    """Return a feature for a column, and the column as codes or numbers."""
    if pa.types.is_floating(column.type):
        return Feature(name, "numeric"), checked_range(name, finite_numbers(name, column))
    vocabulary, codes = vocabulary_of(column)
    return Feature(name, "symbolic", vocabulary), codes


def finite_numbers(name: str, column: pa.Array) -> np.ndarray:
    """Return a numeric column with NaN for missing values, and 0 for -0; infinity is an error."""
    numbers = as_numpy(column, null=np.nan).astype(float) + 0.0
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise CasebaseError(
            f"Feature {name!r} contains infinity (first in row {row + 1} of {len(numbers)}); numeric features "
            "need finite numbers. Replace the value, or mark it as missing."
        )
    return numbers


def checked_range(name: str, numbers: np.ndarray) -> np.ndarray:
    """Return the numbers unchanged; an error if their differences exceed the range of a double."""
    known = numbers[~np.isnan(numbers)]
    with np.errstate(over="ignore"):
        span = known.max() - known.min() if len(known) else 0.0
    if np.isinf(span):
        raise CasebaseError(
            f"Feature {name!r} has numbers from {known.min():g} to {known.max():g}, whose difference exceeds the range "
            "of a double. Scale them down."
        )
    return numbers


def decode_column(column: np.ndarray, feature: Feature, notation: Notation | None = None) -> pa.Array:
    """Return the original values for a feature's codes or numbers; `notation` has those of a feature with cuts."""
    if feature.is_cut and notation is not None and notation.numbers is not None:
        return as_floats(notation.numbers)
    if feature.vocabulary is None:
        return as_floats(column)
    return pa.DictionaryArray.from_arrays(as_integers(column.astype(np.int64)), feature.vocabulary.values)


def encode_column(column: pa.Array, feature: Feature) -> np.ndarray:
    """Return a new column as codes, or numbers, of an existing feature; values it does not have are unknown."""
    if feature.is_cut:
        return feature.interval_codes(encode_column(column, as_recorded(feature)))
    if feature.vocabulary is not None:
        # Encode the distinct values, then look up every row's code: a column has few distinct values.
        if feature.of_numbers and pa.types.is_dictionary(column.type):
            column = pa.DictionaryArray.from_arrays(column.indices, spelled_numbers(column.dictionary))
        if pa.types.is_floating(column.type):
            return feature.vocabulary.encode(as_text(column))
        column = without_spare_entries(column)
        codes = feature.vocabulary.encode(column.dictionary)  # a null in the dictionary is a missing value too
        missing = feature.vocabulary.unknown if feature.vocabulary.missing is None else feature.vocabulary.missing
        code_of_entry = np.append(codes, np.array([missing], codes.dtype))
        coded: np.ndarray = code_of_entry[entries_of(column)]
        return coded
    if pa.types.is_floating(column.type):
        return finite_numbers(feature.name, column)
    numbers, wrong = numbers_in(column.dictionary)
    if wrong is not None:
        row = column.dictionary_decode().to_pylist().index(wrong)
        raise SchemaError(
            f"Feature {feature.name!r} is numeric, but row {row + 1} of {len(column)} has {wrong!r}, which is not a "
            "number. Write a number, or '?' or nothing for a missing number."
        )
    by_row: np.ndarray = np.append(numbers, np.nan)[entries_of(column)]
    return by_row


def encode_columns(columns: Iterable[pa.Array], features: Iterable[Feature]) -> list[np.ndarray]:
    """Return new columns as codes, or numbers, of existing features.

    One column may stand for many features: those that no line of a Sparse or Binary file lists. It is encoded once.
    """
    pairs = list(zip(columns, features))
    known: dict[tuple[int, int, bool, bool], np.ndarray] = {}
    coded = []
    for column, feature in pairs:
        key = id(column), id(feature.vocabulary), feature.is_cut, feature.of_numbers
        if key not in known or feature.vocabulary is None or feature.is_cut:
            known[key] = encode_column(column, feature)
        coded.append(known[key])
    return coded


def as_recorded(feature: Feature) -> Feature:
    """Return the numeric feature that was cut into intervals, or made symbolic; any other feature unchanged."""
    if not feature.is_cut and not feature.of_numbers:
        return feature
    return replace(feature, kind="numeric", vocabulary=None, cuts=None, of_numbers=False)


def interval_places(numbers: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Return the number of the interval that contains each number, from 0; a missing number comes after the last."""
    return np.where(np.isnan(numbers), len(cuts) + 1, np.searchsorted(cuts, numbers, side="left"))


def cut_feature(feature: Feature, numbers: np.ndarray, cuts: np.ndarray) -> tuple[Feature, np.ndarray]:
    """Return a numeric feature with the intervals between cuts as its values, and its column of codes.

    >>> feature, codes = cut_feature(Feature("size", "numeric"), np.array([1.0, 9.0, np.nan]), np.array([2.0, 5.0]))
    >>> feature.vocabulary.values.to_pylist(), codes.tolist()
    ([None, '> 5', '≤ 2'], [2, 1, 0])
    """
    names = [*interval_names(cuts), None]
    place = as_integers(interval_places(numbers, cuts))
    vocabulary, codes = vocabulary_of(pa.DictionaryArray.from_arrays(place, as_strings(names)))
    return replace(feature, kind="symbolic", vocabulary=vocabulary, cuts=cuts), codes


def with_points_in(column: pa.Array | None) -> pa.Array | None:
    """Return a column of texts with decimal points in place of commas; any other column unchanged."""
    if column is None or not pa.types.is_dictionary(column.type):
        return column
    return pa.DictionaryArray.from_arrays(column.indices, with_points(column.dictionary))


def notation_in(column: pa.Array, numbers: np.ndarray, known: Notation | None) -> Notation | None:
    """Return how a feature's numbers are written in the column of a table; `known` if that column has numbers."""
    is_text = pa.types.is_dictionary(column.type)
    return notation_of(column, numbers) if is_text and numbers.dtype.kind == "f" else known


def without_spare_entries(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Drop dictionary entries that no row uses, if there are more entries than rows.

    A few rows sliced from a large table still carry the whole table's dictionary.
    """
    if len(column.dictionary) <= len(column):
        return column
    return column.dictionary_decode().dictionary_encode()


def spelled_numbers(texts: pa.Array) -> pa.Array:
    """Return texts with numbers in their usual spelling; other texts stay as they are."""
    numbers, _ = numbers_in(texts)
    known = [None if text in MISSING else text for text in texts.to_pylist()]
    return as_strings([text if np.isnan(x) else spelling(x) for x, text in zip(numbers, known)])


def as_kind(feature: Feature, column: np.ndarray, kind: Kind) -> tuple[Feature, np.ndarray]:
    """Return a feature and its column converted to another kind."""
    if kind == feature.kind:
        return feature, column
    if kind == "ignored":
        return replace(feature, kind=kind), column
    if kind == "symbolic":
        if feature.vocabulary is not None:
            return replace(feature, kind=kind), column
        distinct, codes = np.unique(column, return_inverse=True)
        texts = as_strings([spelling(x) for x in distinct])
        entries = pa.DictionaryArray.from_arrays(as_integers(codes.astype(np.int32)), texts)
        symbolic, coded = new_feature(feature.name, entries)
        return replace(symbolic, levels=feature.levels, date_style=feature.date_style), coded
    if kind != "numeric":
        raise CasebaseError(unknown_name("kind of feature", kind, ("symbolic", "numeric", "ignored")))
    if feature.vocabulary is None:
        return replace(feature, kind=kind), column
    numbers, wrong = numbers_in(feature.vocabulary.values)
    if wrong is not None:
        raise CasebaseError(
            f"Feature {feature.name!r} should be numeric, but its value {wrong!r} is not a number. "
            "Compare it as a symbol (metric 'overlap'), or mark missing numbers as '?' or leave them empty."
        )
    numeric = Feature(feature.name, "numeric", levels=feature.levels, date_style=feature.date_style)
    return numeric, checked_range(feature.name, numbers[column])
