"""`read_table` and `read_cases`: detect the format, call its reader, find the class column."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.data.kinds import Kinds, cases_with_kinds
from casebase.data.table import Layout, Table, Written
from casebase.errors import CasebaseError, FormatError
from casebase.formats.delimited import SEPARATORS, first_rows
from casebase.formats.detect import detect_format, first_line, format_called
from casebase.formats.naming import check_names, filled_names, find_target, is_header_for, table_of, target_for
from casebase.formats.registry import FORMATS, Options
from casebase.formats.source import Source, as_utf8, open_source
from casebase.formats.sparse import ends_in_class
from casebase.formats.text import empty, rule_for

WITH_SEPARATOR = [name for name, format in FORMATS.items() if format.has_separator]
WITH_HEADER = [name for name, format in FORMATS.items() if format.has_header]
WRITTEN_WITH = {"tsv": "\t", "tabbed": "\t", "columns": "\t"}  # the others are written with commas
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
    encoding: str = "utf-8",
    schema: Schema | None = None,
    keep_text: bool = False,
) -> Table:
    """Return the table in a file, with its class column.

    `source` is a path, `-` for standard input, bytes, or a file opened in binary mode; gzip and zstd compression are
    detected. `format` is one of `FORMATS`; by default it is detected from the name or the content. `header` says
    whether the first line has the names of the columns; by default this is detected for CSV and TSV, and the other
    formats have no header. `target` is the name or the position (from 0, negative from the end) of the class; the
    default is the last column; with `has_target=False` every column is a feature. `separator` (Tabbed, C4.5, CSV, TSV)
    and `width` (Compact) define how a line is split, `n_features` how many features are expected. Pass the `schema` of
    a model if the file has new cases for that model: the class column is then optional and is found as in training, and
    the model's names and values help to distinguish a header from data. With `keep_text` the table has its fields also
    as they are written in the file.

    >>> read_table(b"small,red,yes\\nlarge,red,no\\n").names
    ('f1', 'f2', 'class')
    """
    opened = open_source(source)
    if separator is not None:
        _check_separator(separator)
    for name, number in (("n_features", n_features), ("n_threads", n_threads), ("width", width)):
        if number is not None and not is_whole(number, 1, LARGEST):
            raise CasebaseError(f"Expected {name} to be 1 or more, up to {LARGEST}, got {number!r}.")
    kind = format_called(format) if format is not None else None
    if kind is None or not FORMATS[kind].is_binary:
        opened = as_utf8(opened, encoding)
    if not first_line(opened.data):
        raise empty(opened.name)
    if kind is None:
        kind = detect_format(opened, separator=separator, width=width)
    _check_options(kind, header=header, separator=separator, width=width)
    if schema is not None and header is None and kind in WITH_HEADER:
        header = is_header_for(schema, _first_fields(opened, kind, separator))
    if schema is not None and kind in ("sparse", "binary"):
        # Lines of these formats have no fixed number of fields, so it cannot show whether one of them is a class.
        n_features = n_features or len(schema.column_names)
        has_target = has_target and ends_in_class(first_line(opened.data), kind, [str(c) for c in schema.classes])

    names, columns, position, texts = _read(
        opened, kind, header, target, separator, width, n_features, n_threads, has_target, schema
    )
    n_found = len(columns) - (position is not None)
    if n_features is not None and n_found != n_features:
        raise FormatError(
            f"{opened.name}: expected {n_features} features, got {n_found}. Leave out n_features (--n-features) "
            "to accept any number."
        )
    table = table_of(names, columns, position)
    written = Written(table.names, tuple(texts), separator or WRITTEN_WITH.get(kind, ",")) if keep_text else None
    return replace(
        table,
        has_header=names is not None and kind in WITH_HEADER,
        layout=Layout(kind, separator, width),
        written=written,
    )


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
    encoding: str = "utf-8",
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
        "columns", "tabbed", "c45", "compact", "sparse", "binary", "arff", "csv", "tsv", "parquet" or "feather"; by
        default it is detected from the name or the content.
    header : bool, optional
        Whether the first line has the names of the columns; by default this is detected for CSV and TSV, and the
        other formats have no header.
    target : str or int, optional
        The class: the name of its column, or its position, from 0, negative from the end; by default the last column.
    separator : str, optional
        The character between two fields (tabbed, c45, csv, tsv).
    width : int, optional
        The number of characters of every field (compact).
    n_features : int, optional
        The number of features to expect; in sparse and binary files it may exceed the number of those that occur.
    n_threads : int, default=1
        Number of threads that read.
    encoding : str, default="utf-8"
        The encoding of text.

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
    )
    if isinstance(kinds, Mapping) and all(kind in ("symbolic", "numeric", "ignored") for kind in kinds.values()):
        return Cases.from_table(table, kinds=kinds)
    return cases_with_kinds(table, kinds=kinds, find_others=False)


def _read(
    source: Source,
    format: str,
    header: bool | None,
    target: str | int | None,
    separator: str | None,
    width: int | None,
    n_features: int | None,
    n_threads: int,
    has_target: bool,
    schema: Schema | None,
) -> tuple[list[str] | None, list[pa.Array], int | None, Sequence[pa.Array]]:
    """Return the names, the columns, the position of the class, and the columns before numbers were recognised."""

    def position_in(names: list[str] | None, n_columns: int) -> int | None:
        if names is not None:
            check_names(source.name, names, are_a_line=format in WITH_HEADER)
        if schema is not None and target is None:
            return target_for(schema, names, n_columns)
        return find_target(source.name, names, n_columns, target, has_target)

    content = FORMATS[format].read(
        source, Options(format, header, separator, width, n_features, n_threads, has_target, schema is None)
    )
    position = position_in(content.names, len(content.columns) or len(content.names or ()))
    columns = list(content.columns) if content.typed is None else content.typed(position)
    return content.names, columns, position, content.columns if len(content.columns) == len(columns) else columns


def _first_fields(source: Source, format: str, separator: str | None) -> list[str]:
    """Return the fields of the first line, be they names or values."""
    if format in SEPARATORS:
        return filled_names(first_rows(source, separator or SEPARATORS[format])[0])
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


def _check_options(format: str, *, header: bool | None, separator: str | None, width: int | None) -> None:
    """Raise an error for an option that the format would ignore."""
    if separator is not None and format not in WITH_SEPARATOR:
        raise CasebaseError(
            f"The {format} format takes no separator. Formats that take one: {', '.join(WITH_SEPARATOR)}."
        )
    if width is not None and format != "compact":
        raise CasebaseError(f"The {format} format takes no width: only the compact format has fields of fixed width.")
    if header and format not in WITH_HEADER:
        raise CasebaseError(
            f"The {format} format has no header line. Formats that may have one: {', '.join(WITH_HEADER)}."
        )
