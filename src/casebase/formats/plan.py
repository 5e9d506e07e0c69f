"""How a file is read: what its beginning and the caller tell (`Plan`), and what the whole of it decides (`Decision`).

A plan reads a source, which may be a whole file or one of its parts, into a `RawTable`: columns as the file has them,
and their facts. The facts of all parts decide which columns are numbers, the decimal mark, and which column is the
class; with that decision every raw table becomes an ordinary `Table`. A file that is read at once is its only part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from casebase.data import Schema
from casebase.data.arrays import as_numpy
from casebase.data.arrow import pa, pc
from casebase.data.notation import Notations, notation_of
from casebase.data.table import Layout, Table, Written
from casebase.errors import CasebaseError, FormatError
from casebase.formats import delimited, text
from casebase.formats.decimals import as_numbers, check_decimal
from casebase.formats.delimited import SEPARATORS, split_on
from casebase.formats.detect import first_line
from casebase.formats.facts import ColumnFacts, Facts, Signs, recognised_decimal
from casebase.formats.naming import check_names, filled_names, find_target, is_header_for, table_of, target_for
from casebase.formats.registry import FORMATS, Content, Found, Options
from casebase.formats.rows import first_rows
from casebase.formats.source import Source
from casebase.formats.sparse import ends_in_class

WITH_SEPARATOR = [name for name, format in FORMATS.items() if format.has_separator]
WITH_DECIMAL = [name for name, format in FORMATS.items() if format.has_decimal]
WITH_HEADER = [name for name, format in FORMATS.items() if format.has_header]
COLUMNAR = ("parquet", "feather")
WRITTEN_WITH = {"tsv": "\t", "tabbed": "\t", "columns": "\t"}  # the others are written with commas
NAMES_OF_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "TABs", "|": "vertical bars"}


@dataclass(frozen=True)
class Given:
    """What the caller says about a file; None is to be recognised."""

    format: str | None = None
    header: bool | None = None
    target: str | int | None = None
    separator: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    width: int | None = None
    n_features: int | None = None
    encoding: str | None = None

    def check(self) -> None:
        """Raise an error for a value that no format takes."""
        if self.separator is not None:
            _check_separator(self.separator)
        if self.decimal is not None:
            check_decimal(self.decimal)
        if self.separator is not None and self.separator == self.decimal:
            raise CasebaseError(
                f"{self.separator!r} cannot separate fields and be the decimal mark: pass another separator "
                "(--separator) or decimal mark (--decimal)."
            )
        for name, given in (("sheet", self.sheet), ("encoding", self.encoding)):
            if not isinstance(given, str | None):
                raise CasebaseError(f"Expected {name} to be a text, got {given!r}.")


@dataclass(frozen=True)
class TextOrBinary:
    """A file whose text is in UTF-8 by now, its format, and the encoding it had: None if it is binary."""

    source: Source
    format: str
    encoding: str | None


@dataclass(frozen=True, eq=False)
class RawTable:
    """The columns of a file or a part of one, as the file has them, and their facts.

    A column is a dictionary array of strings, or float64 where the format has types. `names` are None if the file has
    none; the keys of JSON objects are those of this part alone. `typed` is that of the `Content`.
    """

    n_rows: int
    names: tuple[str, ...] | None
    columns: tuple[pa.Array, ...]
    facts: Facts
    found: Found = Found()
    typed: Callable[[int | None], list[pa.Array]] | None = None
    texts: Callable[[], Sequence[pa.DictionaryArray]] | None = None

    @classmethod
    def of(cls, name: str, content: Content, names: Sequence[str] | None = None) -> RawTable:
        """Return the content of a part with this name; the names are those of the whole file, or of the content."""
        columns = tuple(content.columns)
        n_rows = len(columns[0]) if content.n_rows is None else content.n_rows
        taken = content.names if names is None else names
        all_names = None if taken is None else tuple(taken)
        of_columns = tuple(content.facts) if content.facts is not None else (ColumnFacts(),) * len(columns)
        facts = Facts(name, n_rows, all_names, of_columns, content.has_keys)
        return cls(n_rows, all_names, columns, facts, content.found, content.typed, content.texts)


@dataclass(frozen=True)
class Decision:
    """What the whole of a table decides: columns, class, decimal mark, and which columns are numbers.

    `keys` are those of JSON objects, by which a part finds its columns. `orders` has the values of ordered categories.
    """

    names: tuple[str, ...] | None
    keys: tuple[str, ...] | None
    target: int | None
    decimal: str | None
    is_number: tuple[bool, ...]
    orders: tuple[tuple[str, ...] | None, ...]


@dataclass(frozen=True)
class Plan:
    """How a file, and each of its parts, is read."""

    name: str
    given: Given
    options: Options
    encoding: str | None
    schema: Schema | None = None
    keep_text: bool = False
    found: Found = Found()

    @property
    def format(self) -> str:
        return self.options.format

    def read(self, source: Source) -> RawTable:
        """Return what a source has, be it the whole file or its beginning."""
        return RawTable.of(source.name, FORMATS[self.format].read(source, self.options))

    def decide(self, facts: Facts) -> Decision:
        """Return what the facts of all parts decide; an error if they are those of no table."""
        has_header = bool(facts.names) and self.format in WITH_HEADER
        if facts.n_rows == 0 or not facts.columns:
            if self.format in COLUMNAR:
                raise FormatError(f"{self.name} is empty: expected at least one row and one column.")
            raise text.only_a_header(self.name) if has_header else text.empty(self.name)
        keys = facts.names if facts.has_keys else None
        names = facts.names if keys is None else tuple(filled_names(keys))
        n_columns = len(facts.columns)
        if names is not None:
            check_names(self.name, names, are_a_line=self.format in WITH_HEADER)
        if self.schema is not None and self.given.target is None:
            position = target_for(self.schema, names, n_columns)
        else:
            position = find_target(self.name, names, n_columns, self.given.target, self.options.has_target)
        n_found = n_columns - (position is not None)
        if self.options.n_features is not None and n_found != self.options.n_features:
            raise FormatError(
                f"{self.name}: expected {self.options.n_features} features, got {n_found}. Leave out n_features "
                "(--n-features) to accept any number."
            )
        decimal = self._decimal(facts)
        is_number = [
            column.family == "number" or (i != position and column.signs.are_measured(decimal or "."))
            for i, column in enumerate(facts.columns)
        ]
        for i, column in enumerate(facts.columns):
            if is_number[i] and Signs.TOO_LARGE in column.signs:
                called = repr(names[i]) if names else str(i + 1)
                raise FormatError(f"{self.name}, column {called}: a whole number is too large for a double.")
        orders = tuple(column.order for column in facts.columns)
        return Decision(names, keys, position, decimal, tuple(is_number), orders)

    def _decimal(self, facts: Facts) -> str | None:
        if not FORMATS[self.format].has_decimal:
            return None
        if self.given.decimal is not None:
            return self.given.decimal
        assert self.found.separator is not None
        signs = [column.signs for column in facts.columns]
        return recognised_decimal(signs, self.found.separator, self.options.known_decimal)

    def table(self, raw: RawTable, decision: Decision) -> Table:
        """Return the ordinary table of a raw one, read as the whole decides."""
        texts: Sequence[pa.Array] = raw.columns if decision.keys is None else _by_key(raw, decision.keys)
        if raw.typed is not None:
            texts = raw.typed(decision.target)
        columns = [
            _typed(column, is_number, decision.decimal or ".", order)
            for column, is_number, order in zip(texts, decision.is_number, decision.orders)
        ]
        notations = _notations(texts if raw.texts is None else raw.texts(), columns, decision.decimal or ".")
        table = table_of(decision.names, columns, decision.target)
        mark = self.given.separator or raw.found.separator or WRITTEN_WITH.get(self.format, ",")
        return replace(
            table,
            has_header=decision.names is not None and self.format in WITH_HEADER,
            layout=self._layout(decision, raw.found),
            recognised=tuple(self._recognised(decision, raw.found)),
            written=Written(table.names, tuple(texts), mark) if self.keep_text else None,
            notations=notations,
        )

    def _layout(self, decision: Decision, found: Found) -> Layout:
        separator = found.separator if found.separator != SEPARATORS.get(self.format) else None
        decimal = "," if decision.decimal == "," else None
        return Layout(self.format, self.given.separator or separator, self.given.width, decimal)

    def _recognised(self, decision: Decision, found: Found) -> Iterator[str]:
        """Yield what was taken although nobody said it, and the name and the format of the file do not."""
        given = self.given
        if given.encoding is None and self.encoding not in (None, "utf-8", "utf-8-sig"):
            yield f"encoding {self.encoding}"
        if given.separator is None and found.separator is not None and found.separator != SEPARATORS.get(self.format):
            yield f"fields separated by {NAMES_OF_SEPARATORS.get(found.separator, repr(found.separator))}"
        if given.decimal is None and decision.decimal == ",":
            yield "decimal comma"
        if given.sheet is None and len(found.sheets) > 1:
            yield f"sheet {found.sheet!r} of {len(found.sheets)}"
        if found.above:
            n = len(found.above)
            yield f"{n} row{'' if n == 1 else 's'} above the header skipped: {' / '.join(found.above)[:80]}"

    def settled(self, head: Source) -> tuple[tuple[str, ...] | None, Plan]:
        """Return the names in a text, and the plan by which each of its parts is read like its beginning."""
        options = replace(self.options, known_header=None)  # a part that is sent elsewhere needs no vocabularies
        if self.format == "jsonl":
            return None, replace(self, options=replace(options, n_columns=0))
        settle = delimited.settled if self.format in SEPARATORS else text.settled
        names, options = settle(head, options)
        found = Found(options.separator) if self.format in SEPARATORS else self.found
        return None if names is None else tuple(names), replace(self, options=options, found=found)


def planned(
    file: TextOrBinary,
    given: Given,
    n_threads: int = 1,
    *,
    has_target: bool = True,
    schema: Schema | None = None,
    keep_text: bool = False,
) -> Plan:
    """Return how a file is read, of which the source may have no more than the beginning."""
    source, format = file.source, file.format
    _check_options(format, given)
    header, n_features = given.header, given.n_features
    if schema is not None and header is None and format in WITH_HEADER and not FORMATS[format].is_binary:
        header = is_header_for(schema, _first_fields(source, format, given.separator))
    if schema is not None and format in ("sparse", "binary"):
        # Lines of these formats have no fixed number of fields, so it cannot show whether one of them is a class.
        n_features = n_features or len(schema.column_names)
        has_target = has_target and ends_in_class(first_line(source.data), format, [str(c) for c in schema.classes])
    options = Options(
        format,
        header=header,
        separator=given.separator,
        width=given.width,
        n_features=n_features,
        n_threads=n_threads,
        has_target=has_target,
        is_training=schema is None,
        decimal=given.decimal,
        sheet=given.sheet,
        known_decimal=None if schema is None or schema.layout is None else schema.layout.decimal,
        known_header=None if schema is None else partial(is_header_for, schema),
    )
    return Plan(source.name, given, options, file.encoding, schema, keep_text)


def _by_key(raw: RawTable, keys: Sequence[str]) -> tuple[pa.Array, ...]:
    """Return the columns of all keys; those that a part does not have are missing."""
    known = dict(zip(raw.names or (), raw.columns))
    absent = pa.nulls(raw.n_rows, pa.string()).dictionary_encode()
    return tuple(known.get(key, absent) for key in keys)


def _typed(column: pa.Array, is_number: bool, decimal: str, order: tuple[str, ...] | None) -> pa.Array:
    if pa.types.is_floating(column.type):
        return column
    if is_number:
        return as_numbers(column, decimal)
    if order is not None and tuple(column.dictionary.to_pylist()) != order:
        values = pa.array(order, pa.string())
        indices = pc.index_in(column.dictionary_decode(), value_set=values)
        return pa.DictionaryArray.from_arrays(indices, values, ordered=True)
    return column


def _notations(texts: Sequence[pa.Array], columns: Sequence[pa.Array], decimal: str) -> Notations:
    """Return how the numbers of each column are written, where they are text."""
    notations = [
        notation_of(text, as_numpy(column, null=np.nan), decimal)
        if pa.types.is_floating(column.type) and pa.types.is_dictionary(text.type)
        else None
        for text, column in zip(texts, columns)
    ]
    return () if all(one is None for one in notations) else tuple(notations)


def _first_fields(source: Source, format: str, separator: str | None) -> list[str]:
    """Return the fields of the first line, be they names or values."""
    if format in SEPARATORS:
        return filled_names(first_rows(*split_on(source, format, separator))[0])
    rule = text.rule_for(format, separator, None)
    line = first_line(source.data).decode("utf-8", "replace")
    fields = line.split(None if rule.mode == "blanks" else rule.separator)
    return [field.strip() for field in fields]


def _check_separator(separator: str) -> None:
    if len(separator) != 1 or not separator.isascii() or separator in '\r\n\0"':
        raise CasebaseError(
            f"Expected a separator of one ASCII character, got {separator!r}. For runs of white space pass "
            "format='columns' (--format columns)."
        )


def _check_options(format: str, given: Given) -> None:
    """Raise an error for an option that the format would ignore."""
    row = FORMATS[format]
    if given.separator is not None and not row.has_separator:
        raise CasebaseError(
            f"The {format} format takes no separator. Formats that take one: {', '.join(WITH_SEPARATOR)}."
        )
    if given.decimal is not None and not row.has_decimal:
        raise CasebaseError(
            f"The {format} format takes no decimal mark. Formats that take one: {', '.join(WITH_DECIMAL)}."
        )
    if given.sheet is not None and not row.has_sheets:
        raise CasebaseError(f"The {format} format takes no sheet: only workbooks (excel) have sheets.")
    if given.width is not None and format != "compact":
        raise CasebaseError(f"The {format} format takes no width: only the compact format has fields of fixed width.")
    if given.header and not row.has_header:
        raise CasebaseError(
            f"The {format} format has no header line. Formats that may have one: {', '.join(WITH_HEADER)}."
        )
