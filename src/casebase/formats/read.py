"""`read_table` and `read_cases`: detect the format, call its reader, find the class column."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from casebase.data import Cases, Schema
from casebase.data.arrays import as_numpy
from casebase.data.checks import is_whole
from casebase.data.kinds import Kinds, cases_with_kinds
from casebase.data.notation import Notations, notation_of
from casebase.data.table import Layout, Table, Written
from casebase.errors import CasebaseError, EncodingError, FormatError
from casebase.formats.decimals import check_decimal
from casebase.formats.delimited import SEPARATORS, split_on
from casebase.formats.detect import detect_format, first_line, format_by_magic, format_called
from casebase.formats.encodings import decoded
from casebase.formats.naming import check_names, filled_names, find_target, is_header_for, table_of, target_for
from casebase.formats.registry import FORMATS, Content, Found, Options
from casebase.formats.rows import first_rows
from casebase.formats.source import Source, open_source
from casebase.formats.sparse import ends_in_class
from casebase.formats.text import empty, rule_for

WITH_SEPARATOR = [name for name, format in FORMATS.items() if format.has_separator]
WITH_DECIMAL = [name for name, format in FORMATS.items() if format.has_decimal]
WITH_HEADER = [name for name, format in FORMATS.items() if format.has_header]
WRITTEN_WITH = {"tsv": "\t", "tabbed": "\t", "columns": "\t"}  # the others are written with commas
NAMES_OF_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "TABs", "|": "vertical bars"}
LARGEST = 2**31 - 1  # no table is that wide, and no line that long


def read_table(
    source: str | Path | bytes | BinaryIO,
    *,
    format: str | None = None,
    header: bool | None = None,
    target: str | int | None = None,
    separator: str | None = None,
    width: int | None = None,
    n_features: int | None = None,
    n_threads: int = 1,
    has_target: bool = True,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    schema: Schema | None = None,
    keep_text: bool = False,
) -> Table:
    """Return the table in a file, with its class column.

    `source` is a path, `-` for standard input, bytes, or a file opened in binary mode; gzip and zstd compression are
    detected. `format` is one of `FORMATS`; by default it is detected from the name or the content. `header` says
    whether the first line has the names of the columns; by default this is detected for CSV and TSV, and the other
    formats have no header. `target` is the name or the position (from 0, negative from the end) of the class; the
    default is the last column; with `has_target=False` every column is a feature. `separator` (Tabbed, C4.5, CSV, TSV)
    and `width` (Compact) define how a line is split, `n_features` how many features are expected. `encoding` and, in
    CSV and TSV files, `separator` and `decimal` ("." or ",") are recognised by default; `sheet` is the name of a sheet
    of a workbook, by default the first that is not empty. `Table.recognised` tells what was taken. Pass the `schema` of
    a model if the file has new cases for that model: the class column is then optional and is found as in training, and
    the model's names and values help to distinguish a header from data. With `keep_text` the table has its fields also
    as they are written in the file.

    >>> read_table(b"small,red,yes\\nlarge,red,no\\n").names
    ('f1', 'f2', 'class')
    """
    opened = open_source(source)
    given = Given(format, header, target, separator, decimal, sheet, width, n_features, encoding)
    return read_opened(opened, given, n_threads, has_target=has_target, schema=schema, keep_text=keep_text).table


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
        for name, text in (("sheet", self.sheet), ("encoding", self.encoding)):
            if not isinstance(text, str | None):
                raise CasebaseError(f"Expected {name} to be a text, got {text!r}.")


@dataclass(frozen=True)
class Reading:
    """A table, and what was taken to read it; `encoding` is None for a binary format."""

    table: Table
    format: str
    encoding: str | None
    found: Found


@dataclass(frozen=True)
class TextOrBinary:
    """A file whose text is in UTF-8 by now, its format, and the encoding it had: None if it is binary."""

    source: Source
    format: str
    encoding: str | None


def decoded_file(opened: Source, given: Given, *, by_head: bool = False) -> TextOrBinary:
    """Return a file as its reader takes it; `by_head` as in `decoded`."""
    kind = format_by_magic(opened.data) if given.format is None else format_called(given.format)
    if kind is not None and FORMATS[kind].is_binary:
        return TextOrBinary(opened, kind, None)
    opened, encoding = decoded(opened, given.encoding, by_head=by_head)
    if not first_line(opened.data):
        raise empty(opened.name)
    if kind is None:
        # No program that writes one of TiMBL's formats writes UTF-16; Excel does, as "Unicode text".
        is_export = given.encoding is None and encoding.startswith(("utf-16", "utf-32"))
        kind = detect_format(opened, separator=given.separator, width=given.width, is_export=is_export)
    return TextOrBinary(opened, kind, None if FORMATS[kind].is_binary else encoding)


def read_opened(
    opened: Source,
    given: Given,
    n_threads: int = 1,
    *,
    has_target: bool = True,
    schema: Schema | None = None,
    keep_text: bool = False,
) -> Reading:
    """Return the table in a file that is already in memory, and what was taken to read it."""
    given.check()
    for name, number in (("n_features", given.n_features), ("n_threads", n_threads), ("width", given.width)):
        if number is not None and not is_whole(number, 1, LARGEST):
            raise CasebaseError(f"Expected {name} to be 1 or more, up to {LARGEST}, got {number!r}.")
    read = partial(
        _read_decoded, given=given, n_threads=n_threads, has_target=has_target, schema=schema, keep_text=keep_text
    )
    try:
        return read(decoded_file(opened, given, by_head=True))
    except EncodingError:
        if given.encoding is not None:
            raise
        file = decoded_file(opened, given)  # by all of its bytes
        if file.encoding == "utf-8":
            raise
        return read(file)


def _read_decoded(
    file: TextOrBinary, *, given: Given, n_threads: int, has_target: bool, schema: Schema | None, keep_text: bool
) -> Reading:
    opened, kind, encoding = file.source, file.format, file.encoding
    _check_options(kind, given)
    header, n_features = given.header, given.n_features
    if schema is not None and header is None and kind in WITH_HEADER and not FORMATS[kind].is_binary:
        header = is_header_for(schema, _first_fields(opened, kind, given.separator))
    if schema is not None and kind in ("sparse", "binary"):
        # Lines of these formats have no fixed number of fields, so it cannot show whether one of them is a class.
        n_features = n_features or len(schema.column_names)
        has_target = has_target and ends_in_class(first_line(opened.data), kind, [str(c) for c in schema.classes])
    options = Options(
        kind,
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
    names, columns, position, content = _read(opened, options, given.target, schema)
    notations = _notations(content, columns)
    n_found = len(columns) - (position is not None)
    if n_features is not None and n_found != n_features:
        raise FormatError(
            f"{opened.name}: expected {n_features} features, got {n_found}. Leave out n_features (--n-features) "
            "to accept any number."
        )
    found = content.found
    table = table_of(names, columns, position)
    texts = content.columns if len(content.columns) == len(columns) else columns
    mark = given.separator or found.separator or WRITTEN_WITH.get(kind, ",")
    table = replace(
        table,
        has_header=names is not None and kind in WITH_HEADER,
        layout=_layout(kind, given, found),
        recognised=tuple(_recognised(kind, given, encoding, found)),
        written=Written(table.names, tuple(texts), mark) if keep_text else None,
        notations=notations,
    )
    return Reading(table, kind, encoding, found)


def _layout(kind: str, given: Given, found: Found) -> Layout:
    separator = found.separator if found.separator != SEPARATORS.get(kind) else None
    return Layout(kind, given.separator or separator, given.width, "," if found.decimal == "," else None)


def _recognised(kind: str, given: Given, encoding: str | None, found: Found) -> Iterator[str]:
    """Yield what was taken although nobody said it, and the name and the format of the file do not."""
    if given.encoding is None and encoding not in (None, "utf-8", "utf-8-sig"):
        yield f"encoding {encoding}"
    if given.separator is None and found.separator is not None and found.separator != SEPARATORS.get(kind):
        yield f"fields separated by {NAMES_OF_SEPARATORS.get(found.separator, repr(found.separator))}"
    if given.decimal is None and found.decimal == ",":
        yield "decimal comma"
    if given.sheet is None and len(found.sheets) > 1:
        yield f"sheet {found.sheet!r} of {len(found.sheets)}"
    if found.above:
        n = len(found.above)
        yield f"{n} row{'' if n == 1 else 's'} above the header skipped: {' / '.join(found.above)[:80]}"


def read_cases(
    source: str | Path | bytes | BinaryIO,
    *,
    kinds: Kinds = None,
    format: str | None = None,
    header: bool | None = None,
    target: str | int | None = None,
    separator: str | None = None,
    width: int | None = None,
    n_features: int | None = None,
    n_threads: int = 1,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> Cases:
    """Return the cases in a file, ready to learn from.

    Parameters
    ----------
    source : path, bytes or file
        A file's path, "-" for standard input, its bytes, or a file opened in binary mode; compression with gzip or
        zstd is detected.
    kinds : "auto" or dict, optional
        "auto" finds the kinds of the columns and leaves keys out, as `kinds` of the estimators does. A dict gives some
        columns, by name or position, a kind ("symbol", "number", "date", …), or "symbolic", "numeric" or "ignored".
    format : str, optional
        "columns", "tabbed", "c45", "compact", "sparse", "binary", "arff", "csv", "tsv", "jsonl", "excel", "parquet" or
        "feather"; by default it is detected from the name or the content.
    header : bool, optional
        Whether the first line has the names of the columns; by default this is detected for CSV, TSV and Excel, and
        the other text formats have no header.
    target : str or int, optional
        The class: the name of its column, or its position, from 0, negative from the end; by default the last column.
    separator : str, optional
        The character between two fields (tabbed, c45, csv, tsv); by default that of the format, or in CSV and TSV
        files the comma, semicolon, TAB or vertical bar that splits the lines evenly.
    width : int, optional
        The number of characters of every field (compact).
    n_features : int, optional
        The number of features to expect; in sparse and binary files it may exceed the number of those that occur.
    n_threads : int, default=1
        Number of threads that read.
    encoding : str, optional
        The encoding of text; by default UTF-8 if the text is valid, or UTF-16 or cp1252 if it is one of these.
    decimal : "." or ",", optional
        The decimal mark of the numbers in a CSV or TSV file; by default a comma if fields are separated by another
        character and the numbers show it.
    sheet : str, optional
        The name of a workbook's sheet; by default the first that is not empty.

    Examples
    --------
    >>> from casebase import read_cases
    >>> read_cases(b"small,red,yes\\nlarge,red,no\\n", target=0).schema.classes
    ('large', 'small')
    """
    table = read_table(
        source,
        format=format,
        header=header,
        target=target,
        separator=separator,
        width=width,
        n_features=n_features,
        n_threads=n_threads,
        encoding=encoding,
        decimal=decimal,
        sheet=sheet,
    )
    if isinstance(kinds, Mapping) and all(kind in ("symbolic", "numeric", "ignored") for kind in kinds.values()):
        return Cases.from_table(table, kinds=kinds)
    return cases_with_kinds(table, kinds=kinds, find_others=False)


def _read(
    source: Source, options: Options, target: str | int | None, schema: Schema | None
) -> tuple[list[str] | None, list[pa.Array], int | None, Content]:
    """Return the names, the columns, the position of the class, and the content before numbers were recognised."""
    content = FORMATS[options.format].read(source, options)
    names, n_columns = content.names, len(content.columns) or len(content.names or ())
    if names is not None:
        check_names(source.name, names, are_a_line=options.format in WITH_HEADER)
    if schema is not None and target is None:
        position = target_for(schema, names, n_columns)
    else:
        position = find_target(source.name, names, n_columns, target, options.has_target)
    columns = list(content.columns) if content.typed is None else content.typed(position)
    return names, columns, position, content


def _notations(content: Content, columns: Sequence[pa.Array]) -> Notations:
    """Return how the numbers of each column are written, for a format in which they are text."""
    if content.texts is None:
        return ()
    decimal = content.found.decimal or "."
    notations = [
        notation_of(text, as_numpy(column, null=np.nan), decimal) if pa.types.is_floating(column.type) else None
        for text, column in zip(content.texts(), columns)
    ]
    return () if all(one is None for one in notations) else tuple(notations)


def _first_fields(source: Source, format: str, separator: str | None) -> list[str]:
    """Return the fields of the first line, be they names or values."""
    if format in SEPARATORS:
        return filled_names(first_rows(*split_on(source, format, separator))[0])
    rule = rule_for(format, separator, None)
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
