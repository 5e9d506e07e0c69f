"""`read_table` and `read_cases`: detect the format, call its reader, find the class column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.data.kinds import Kinds, cases_with_kinds
from casebase.data.table import Table
from casebase.errors import CasebaseError, EncodingError
from casebase.formats.detect import detect_format, first_line, format_by_magic, format_called
from casebase.formats.encodings import decoded
from casebase.formats.plan import Given, TextOrBinary, planned
from casebase.formats.registry import FORMATS, Found
from casebase.formats.source import Source, open_source
from casebase.formats.text import empty

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
class Reading:
    """A table, and what was taken to read it; `encoding` is None for a binary format."""

    table: Table
    format: str
    encoding: str | None
    found: Found
    decimal: str | None


def decoded_file(opened: Source, given: Given, *, by_head: bool = False) -> TextOrBinary:
    """Return a file as its reader takes it; `by_head` as in `decoded`."""
    kind = stated_format(opened.data, given)
    if kind is not None and FORMATS[kind].is_binary:
        return TextOrBinary(opened, kind, None)
    return text_file(*decoded(opened, given.encoding, by_head=by_head), kind, given)


def stated_format(data: bytes, given: Given) -> str | None:
    """Return the format that the caller names, or the first bytes of the file show."""
    return format_by_magic(data) if given.format is None else format_called(given.format)


def text_file(source: Source, encoding: str, format: str | None, given: Given) -> TextOrBinary:
    """Return a text in UTF-8, and the encoding that it had, with its format; by default this is detected."""
    if not first_line(source.data):
        raise empty(source.name)
    if format is None:
        # No program that writes one of TiMBL's formats writes UTF-16; Excel does, as "Unicode text".
        is_export = given.encoding is None and encoding.startswith(("utf-16", "utf-32"))
        format = detect_format(source, separator=given.separator, width=given.width, is_export=is_export)
    return TextOrBinary(source, format, None if FORMATS[format].is_binary else encoding)


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
    check_given(given, n_threads)
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


def check_given(given: Given, n_threads: int) -> None:
    """Raise an error for a value that no format takes."""
    given.check()
    for name, number in (("n_features", given.n_features), ("n_threads", n_threads), ("width", given.width)):
        if number is not None and not is_whole(number, 1, LARGEST):
            raise CasebaseError(f"Expected {name} to be 1 or more, up to {LARGEST}, got {number!r}.")


def _read_decoded(
    file: TextOrBinary, *, given: Given, n_threads: int, has_target: bool, schema: Schema | None, keep_text: bool
) -> Reading:
    plan = planned(file, given, n_threads, has_target=has_target, schema=schema, keep_text=keep_text)
    raw = plan.read(file.source)
    plan = replace(plan, found=raw.found)
    decision = plan.decide(raw.facts)
    return Reading(plan.table(raw, decision), file.format, file.encoding, raw.found, decision.decimal)


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
