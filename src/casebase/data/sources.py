"""The columns of a source table by kind, and the features that are learned from them.

A model that was trained with kinds keeps this record. It turns every later table, like the training table, into the
columns that the learner sees: keys, constants and text are left out, ordinals and whole numbers become numbers, and a
date becomes its year, month, weekday and days since 1970-01-01.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.data.arrays import as_booleans, as_floats, as_integers, as_numpy, as_strings
from casebase.data.columns import spelling
from casebase.data.dates import STYLES, Style, dates_in
from casebase.data.numbers import is_missing
from casebase.data.vocabulary import entries_of
from casebase.errors import SchemaError

NUMERIC = ("number", "ordinal")
SYMBOLIC = ("symbol", "truth")
LEFT_OUT = ("key", "constant", "text", "ignored")
KINDS = ("number", "ordinal", "symbol", "truth", "date", "key", "constant", "text", "ignored")
DATE_PARTS = ("year", "month", "weekday", "days")
LARGEST_WHOLE = 2**63

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"

PlainColumn = tuple[type, list[Any]]


@dataclass(frozen=True)
class ColumnKind:
    """The kind of one column of a table, and the reason.

    `risky` is a warning if the choice may be wrong. `order` has the values of an ordinal of texts, the least first;
    `style` is how the texts of a date column are written.
    """

    name: str
    kind: str
    reason: str
    risky: str | None = None
    order: tuple[str, ...] = ()
    style: Style = "iso"

    @property
    def is_learned(self) -> bool:
        return self.kind not in LEFT_OUT

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that are learned from the column."""
        if self.kind == "date":
            return tuple(f"{self.name}.{part}" for part in DATE_PARTS)
        return (self.name,) if self.is_learned else ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record in a form that JSON can represent; `order` and `style` only where they mean something."""
        record = asdict(self) | {"order": list(self.order), "features": list(self.features)}
        without = [name for name, kind in (("order", "ordinal"), ("style", "date")) if self.kind != kind]
        return {name: value for name, value in record.items() if name not in without}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "ColumnKind":
        """Return the record that `to_dict` converted, as a model file has it; an error unless it is one."""
        risky, order, style = record["risky"], record.get("order", []), record.get("style", "iso")
        texts = [record["name"], record["reason"], *order, *([] if risky is None else [risky])]
        if record["kind"] not in KINDS or style not in STYLES or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"the kind of a column is not a record of one: {record!r}")
        return cls(record["name"], record["kind"], record["reason"], risky, tuple(order), style)

    def columns(self, column: pa.Array) -> list[pa.Array]:
        """Return the columns of the features; an error that names the row if a value is not of this kind."""
        if self.kind in SYMBOLIC:
            return [as_symbols(column)]
        if self.kind == "date":
            return self._date_parts(column)
        if self.order:
            return [self._ranks(column)]
        if self.kind in NUMERIC:
            return [self._numbers(column)]
        return []

    def plain_columns(self, kind: type, values: list[Any]) -> list[PlainColumn] | None:
        """Return the columns of the features for a few plain values; None where `columns` is needed.

        It must agree with `columns` and handles only values for which that is plain to see.
        """
        if kind is type(None) and self.kind != "date":
            return [(kind, values)]
        if self.kind in SYMBOLIC:
            return [(str, [spelling(value) for value in values]) if kind is float else (kind, values)]
        if self.order:
            if kind is not str or any(value is not None and value not in self._rank for value in values):
                return None
            return [(float, [None if value is None else self._rank[value] for value in values])]
        if self.kind in NUMERIC:
            if kind is int and all(value is None or -LARGEST_WHOLE < value < LARGEST_WHOLE for value in values):
                return [(float, [None if value is None else float(value) for value in values])]
            return [(kind, values)] if kind is float else None
        if self.kind == "date":
            if kind is not str and kind is not type(None):
                return None
            parts = self._date_parts(as_strings(values).dictionary_encode())
            types = (str if part == "weekday" else float for part in DATE_PARTS)
            return [(of, column.to_pylist()) for of, column in zip(types, parts)]
        return []

    def _numbers(self, column: pa.Array) -> pa.Array:
        if pa.types.is_floating(column.type):
            return column
        column = with_used_entries(column)
        numbers, wrong = strict_numbers(column.dictionary)
        if wrong is not None:
            raise self._error(column, wrong, "a number", "Write a number, or '?' or nothing for a missing number.")
        return as_floats(np.append(numbers, np.nan)[entries_of(column)])

    @cached_property
    def _rank(self) -> dict[str, float]:
        return {text: float(rank) for rank, text in enumerate(self.order, 1)}

    def _ranks(self, column: pa.Array) -> pa.Array:
        texts = with_used_entries(as_symbols(column))
        known = texts.dictionary.to_pylist()
        wrong = next((text for text in known if text is not None and text not in self._rank), None)
        if wrong is not None:
            raise self._error(texts, wrong, f"one of {' < '.join(self.order)}", "Name every value in the order.")
        ranks = np.array([np.nan if text is None else self._rank[text] for text in known] + [np.nan])
        return as_floats(ranks[entries_of(texts)])

    def _date_parts(self, column: pa.Array) -> list[pa.Array]:
        texts = with_used_entries(as_symbols(column))
        dates, wrong = dates_in(texts.dictionary, self.style)
        if wrong is not None:
            written = {"iso": "YYYY-MM-DD", "dmy": "day/month/year", "mdy": "month/day/year"}[self.style]
            raise self._error(texts, wrong, f"a date ({written})", "Correct it, or leave it empty if it is missing.")
        rows = entries_of(texts)
        by_row = [np.append(numbers, np.nan)[rows] for numbers in (dates.year, dates.month, dates.days)]
        year, month, days = (as_floats(numbers) for numbers in by_row)
        entries = pa.DictionaryArray.from_arrays(texts.indices, as_strings(dates.weekday))
        # Many dates have the same weekday: merge the entries that are equal.
        return [year, month, entries.dictionary_decode().dictionary_encode(), days]

    def _error(self, column: pa.Array, wrong: str, expected: str, hint: str) -> SchemaError:
        row = column.dictionary_decode().to_pylist().index(wrong)
        return SchemaError(
            f"Column {self.name!r} is of the kind {self.kind!r}, but row {row + 1} of {len(column)} has {wrong!r}, "
            f"which is not {expected}. {hint}"
        )


@dataclass(frozen=True)
class Source:
    """The columns of the table that a model was trained on, by kind."""

    kinds: tuple[ColumnKind, ...]

    def __iter__(self) -> Iterator[ColumnKind]:
        return iter(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.kinds)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(name for column in self.kinds for name in column.features)

    @cached_property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """The texts of the ordinals that are learned as ranks, the least first, by feature."""
        return {column.name: column.order for column in self.kinds if column.order and column.is_learned}

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The names of the columns that are learned from; a table with names needs no others."""
        return tuple(column.name for column in self.kinds if column.is_learned)

    def columns(self, columns: Sequence[pa.Array | None]) -> list[pa.Array]:
        """Return the columns of the features, from those of the source; None for a column that is left out."""
        return [
            feature
            for column, values in zip(self.kinds, columns, strict=True)
            if column.is_learned and values is not None
            for feature in column.columns(values)
        ]

    def plain_columns(self, columns: Sequence[PlainColumn | None]) -> list[PlainColumn] | None:
        """Return the columns of the features for a few plain rows; None where `columns` is needed."""
        found: list[PlainColumn] = []
        for column, values in zip(self.kinds, columns, strict=True):
            if not column.is_learned or values is None:
                continue
            features = column.plain_columns(*values)
            if features is None:
                return None
            found += features
        return found

    def to_list(self) -> list[dict[str, Any]]:
        return [column.to_dict() for column in self.kinds]


def as_symbols(column: pa.Array) -> pa.DictionaryArray:
    """Return a column as text, numbers in their usual spelling."""
    if not pa.types.is_floating(column.type):
        return column
    numbers = column.dictionary_encode()
    return pa.DictionaryArray.from_arrays(
        numbers.indices, as_strings(list(map(spelling, numbers.dictionary.to_pylist())))
    )


def with_used_entries(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return a column whose dictionary has no entry that no row uses: such an entry must not be a wrong value."""
    n_uses = np.bincount(entries_of(column), minlength=len(column.dictionary) + 1)
    return column if n_uses[:-1].all() else column.dictionary_decode().dictionary_encode()


def strict_numbers(texts: pa.Array) -> tuple[np.ndarray, str | None]:
    """Return the number that each text is (NaN if it is missing), and the first text that is neither.

    >>> numbers, wrong = strict_numbers(pa.array(["5", " 1e1", "?", "5abc"]))
    >>> numbers.tolist(), wrong
    ([5.0, 10.0, nan, nan], '5abc')
    """
    trimmed = pc.utf8_trim_whitespace(texts)
    is_number = as_booleans(pc.match_substring_regex(trimmed, NUMBER))
    numbers = np.full(len(texts), np.nan)
    if is_number.any():
        spelled = trimmed if is_number.all() else trimmed.take(as_integers(np.flatnonzero(is_number)))
        numbers[is_number] = as_numpy(spelled.cast(pa.float64()))
        numbers[np.isinf(numbers)] = np.nan  # 1e999
    others = texts.take(as_integers(np.flatnonzero(np.isnan(numbers))))
    return numbers, next((text for text in others.to_pylist() if not is_missing(text)), None)
