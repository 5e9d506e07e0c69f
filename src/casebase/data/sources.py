"""The columns of a source table by kind, and the features that are learned from them.

A model that was trained with kinds keeps this record. It turns every later table, like the training table, into the
columns that the learner sees: keys, constants and text are left out, ordinals and whole numbers become numbers, and a
date becomes its year, month, weekday and days since 1970-01-01. A column of ids names the cases, and columns of
provenance travel with them; neither is learned from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase.data.arrays import as_booleans, as_floats, as_integers, as_numpy, as_strings
from casebase.data.arrow import pa, pc
from casebase.data.checks import is_whole
from casebase.data.columns import as_text, spelling
from casebase.data.dates import STYLES, Style, dates_in
from casebase.data.features import Feature
from casebase.data.ids import column_ids
from casebase.data.numbers import is_missing
from casebase.data.table import Table
from casebase.data.vocabulary import entries_of
from casebase.errors import CasebaseError, SchemaError, unknown_name

NUMERIC = ("number", "ordinal")
SYMBOLIC = ("symbol", "truth")
KEPT = ("id", "provenance")  # not learned from, but stored with the cases
LEFT_OUT = ("key", "constant", "text", "ignored", *KEPT)
KINDS = ("number", "ordinal", "symbol", "truth", "date", *LEFT_OUT)
DATE_PARTS = ("year", "month", "weekday", "days")
LARGEST_WHOLE = 2**63
MOST_NAMED = 12  # columns in a message

# What the reason for a kind tells of single values, and what stays of it without them.
QUOTES = (
    (re.compile(r", from \S+ to [^\s,:]+"), ""),  # the least and the greatest number
    (re.compile(r"^((?:one|two) values?|.* different whole numbers .*): .*", re.DOTALL), r"\1"),
    (re.compile(r"^(['\"]).*\1 (in .*, missing in the others)$", re.DOTALL), r"one value \2"),
)
NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"

PlainColumn = tuple[type, list[Any]]
Columns = str | int | Sequence[str | int] | None  # columns by name or number from 0


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
    def from_dict(cls, record: Mapping[str, Any]) -> ColumnKind:
        """Return the record that `to_dict` converted, as a model file has it; an error unless it is one."""
        risky, order, style = record["risky"], record.get("order", []), record.get("style", "iso")
        texts = [record["name"], record["reason"], *order, *([] if risky is None else [risky])]
        if record["kind"] not in KINDS or style not in STYLES or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"the kind of a column is not a record of one: {record!r}")
        return cls(record["name"], record["kind"], record["reason"], risky, tuple(order), style)

    def without_quotes(self) -> ColumnKind:
        """Return the kind with a reason that quotes no value: the only case with that value may have been removed.

        >>> ColumnKind("pay", "number", "numbers with decimals, from 0.5 to 99.75").without_quotes().reason
        'numbers with decimals'
        """
        reason = self.reason
        for quote, rest in QUOTES:
            reason = quote.sub(rest, reason)
        return replace(self, reason=reason)

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

    def without_quotes(self) -> Source:
        """Return the columns with reasons that quote no values."""
        return Source(tuple(column.without_quotes() for column in self.kinds))

    @cached_property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """The texts of the ordinals that are learned as ranks, the least first, by feature."""
        return {column.name: column.order for column in self.kinds if column.order and column.is_learned}

    @cached_property
    def date_styles(self) -> dict[str, Style]:
        """How the dates are written that are learned as days, by feature."""
        return {column.features[-1]: column.style for column in self.kinds if column.kind == "date"}

    def with_quotes(self, feature: Feature) -> Feature:
        """Return a feature that quotes its values as the source has them."""
        return replace(feature, levels=self.levels.get(feature.name, ()), date_style=self.date_styles.get(feature.name))

    @cached_property
    def provenance_names(self) -> tuple[str, ...]:
        """The names of the columns that are kept with the cases and never compared."""
        return tuple(column.name for column in self.kinds if column.kind == "provenance")

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

    @cached_property
    def origins(self) -> tuple[int | None, ...]:
        """The column that has the values of each feature; None for ranks and for parts of dates."""
        return tuple(
            None if column.order or column.kind == "date" else i
            for i, column in enumerate(self.kinds)
            for _ in column.features
        )

    def ids(self, columns: Sequence[pa.Array | None], *, are_stored: bool) -> np.ndarray | None:
        """Return the ids of the cases; None if there is no column of ids, or queries have none in it."""
        for column, values in zip(self.kinds, columns, strict=True):
            if column.kind == "id" and values is not None and (are_stored or values.null_count < len(values)):
                return column_ids(column.name, values, are_stored=are_stored)
        return None

    def provenance(self, columns: Sequence[pa.Array | None], n_rows: int) -> np.ndarray:
        """Return the provenance of the cases as texts, a row for each; None for a missing one."""
        kept = [values for column, values in zip(self.kinds, columns, strict=True) if column.kind == "provenance"]
        texts = np.full((n_rows, len(kept)), None, dtype=object)
        for i, values in enumerate(kept):
            if values is not None:
                texts[:, i] = as_text(values).to_pylist()
        return texts

    def has_provenance(self, columns: Sequence[pa.Array | None]) -> np.ndarray:
        """Return which columns of provenance a table has."""
        pairs = zip(self.kinds, columns, strict=True)
        return np.array([values is not None for column, values in pairs if column.kind == "provenance"])

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


def plain_kind(name: str, column: pa.Array) -> ColumnKind:
    """Return the kind that a column has without kinds."""
    is_float = pa.types.is_floating(column.type)
    return ColumnKind(
        name, "number" if is_float else "symbol", "no kind was asked for; " + ("floats" if is_float else "text")
    )


def plain_source(table: Table) -> Source:
    """Return the columns of a table, except its class, with the kinds that they have without kinds."""
    columns = zip(table.names, table.columns)
    return Source(tuple(plain_kind(*column) for i, column in enumerate(columns) if i != table.target))


def left_out_kinds(names: Sequence[str], ignore: Columns, keep: Columns, target: str | None = None) -> dict[str, str]:
    """Return the kinds of the columns to ignore and to keep as provenance, by name.

    An unknown column is an error, and so is the class, `target`, which `names` does not have.

    >>> left_out_kinds(["age", "name", "source"], ignore=["name"], keep=2)
    {'name': 'ignored', 'source': 'provenance'}
    """
    ignored, kept = (
        listed_columns(names, columns, what, target) for columns, what in ((ignore, "ignore"), (keep, "keep"))
    )
    both = [name for name in ignored if name in kept]
    if both:
        raise CasebaseError(f"Column {both[0]!r} is to be ignored and to be kept: name it once.")
    return dict.fromkeys(ignored, "ignored") | dict.fromkeys(kept, "provenance")


def listed_columns(names: Sequence[str], columns: Columns, what: str, target: str | None = None) -> list[str]:
    """Return columns given by name or number as names; `what` is the parameter that they come from."""
    if columns is None:
        return []
    if isinstance(columns, str | int):
        columns = [columns]
    if isinstance(columns, Mapping) or not isinstance(columns, Iterable):
        raise CasebaseError(f"{what} is a list of columns, by name or number; got {columns!r}.")
    listed: dict[str, None] = {}
    for column in columns:
        if isinstance(column, str):
            if column == target and column not in names:
                raise SchemaError(f"{what}: column {column!r} is the class. Name only other columns.")
            if column not in names:
                raise SchemaError(f"{what}: {unknown_name('column', column, names)}")
            listed[column] = None
        elif is_whole(column) and -len(names) <= column < len(names):
            listed[names[int(column)]] = None
        else:
            raise SchemaError(
                f"{what}: there is no column {column!r}; columns are names, or numbers from 0 to {len(names) - 1}."
            )
    return list(listed)


def with_columns_left_out(source: Source, kinds: Mapping[str, str]) -> Source:
    """Return the source with other kinds for some columns, which are not learned from.

    The column of ids is refused: with another kind it would no longer name the cases.
    """
    for column in source:
        if column.kind == "id" and column.name in kinds:
            raise CasebaseError(
                f"Column {column.name!r} has the ids, which are stored anyway and not learned from: do not ignore or "
                "keep it as well."
            )
    return Source(
        tuple(
            ColumnKind(column.name, kinds[column.name], "asked for") if column.name in kinds else column
            for column in source
        )
    )


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


def derived_columns(columns: Sequence[tuple[str, pa.Array]], source: Source) -> list[tuple[str, pa.Array]]:
    """Return the names and the columns of the features that are derived from a source's columns."""
    check_features(source)
    return list(zip(source.feature_names, source.columns([column for _, column in columns])))


def check_features(source: Source) -> None:
    """Raise an error if no feature is derived from a source's columns, or two have the same name."""
    names = source.feature_names
    if not names:
        left_out = ", ".join([f"{one.name} ({one.kind})" for one in source][:MOST_NAMED])
        if len(source) > MOST_NAMED:
            left_out += f" and {len(source) - MOST_NAMED:,} others"
        raise SchemaError(
            f"No column is left to learn from: {left_out}. Give one of them another kind (kinds=…, --kind NAME=KIND)."
        )
    name, n_columns = Counter(names).most_common(1)[0]
    if n_columns > 1:
        raise SchemaError(f"A part of a date is called {name!r}, like another column: rename that column.")
