"""CSV and TSV files: quoted fields, often a header, no types.

Arrow splits the text. Every field is read as text, so `007` stays `007`. A column becomes numeric only if all its
values are numbers and at least one has a decimal mark or an exponent: integers are more often codes than quantities.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from casebase import _native
from casebase.data.arrays import as_buffer
from casebase.data.arrow import pa, pc
from casebase.errors import FormatError
from casebase.formats.decimals import MARKS
from casebase.formats.encodings import is_utf8
from casebase.formats.facts import ColumnFacts, signs_of
from casebase.formats.naming import filled_names
from casebase.formats.registry import Content, Found, Options
from casebase.formats.rows import first_rows, looks_like_a_header, rows_of, start_of_text
from casebase.formats.separators import declared_separator, recognised_separator
from casebase.formats.source import Source, not_utf8
from casebase.formats.text import empty

SEPARATORS = {"csv": ",", "tsv": "\t"}
LINE_FEED = b"\n"


def read_csv(source: Source, options: Options) -> Content:
    """Return the content of a CSV or TSV file: texts, and what they show about numbers and their decimal mark."""
    names: list[str] | None = None
    header, start = False, 0
    if options.continued:
        assert options.separator is not None
        assert options.n_columns is not None
        separator, n_columns = options.separator, options.n_columns
        _check_nul(source)
    else:
        source, separator = split_on(source, options.format, options.separator)
        start = start_of_text(source.data)
        if start == len(source.data):
            raise empty(source.name)
        _check_nul(source)
        rows = first_rows(source, separator)
        header, n_columns = _has_header(source, rows, separator, options.header), len(rows[0])
        names = filled_names(rows[0]) if header else None
    _check_quotes(source, separator)
    table = _arrow_table(source, start, separator, n_columns, header, options.n_threads)
    columns = [column.dictionary_encode().combine_chunks() for column in table.columns]
    marks = MARKS if options.decimal is None and separator != "," else (options.decimal or ".",)
    facts = [ColumnFacts(signs_of(column.dictionary, marks)) for column in columns]
    return Content(names, columns, facts, Found(separator))


def settled(source: Source, options: Options) -> tuple[list[str] | None, Options]:
    """Return the names of the columns, and options that read each part of a file like its beginning."""
    source, separator = split_on(source, options.format, options.separator)
    rows = first_rows(source, separator)
    header = _has_header(source, rows, separator, options.header)
    names = filled_names(rows[0]) if header else None
    return names, replace(options, separator=separator, header=header, n_columns=len(rows[0]))


def split_on(source: Source, format: str, separator: str | None) -> tuple[Source, str]:
    """Return the separator of a delimited text, and the text without a line that only declares it."""
    source, declared = declared_separator(source)
    taken = separator or declared
    return source, recognised_separator(source, SEPARATORS[format]) if taken is None else taken


def _has_header(source: Source, rows: list[list[str]], separator: str, header: bool | None) -> bool:
    if separator == "\t" and any("\n" in field for row in rows for field in row):
        raise _multiline_field_error(source.name)
    return looks_like_a_header(rows, *(MARKS if separator != "," else ())) if header is None else header


def _check_nul(source: Source) -> None:
    nul = source.data.find(b"\0")
    if nul >= 0:
        raise FormatError(
            f"{source.line(source.data.count(LINE_FEED, 0, nul) + 1)}: expected text, got a NUL byte. The file may be "
            "binary, or in another encoding: encoding='utf-16' (--encoding utf-16), for example."
        )


def _check_quotes(source: Source, separator: str) -> None:
    """Raise an error if a quote is never closed: Arrow would read the rest of the file as one field."""
    end, is_open = row_end(source.data, separator)
    if is_open:
        if not is_utf8(source.data):
            raise not_utf8(source)
        raise FormatError(
            f"{source.line(source.data.count(LINE_FEED, 0, end) + 1)}: a double quote is never closed. Close it; if "
            "quotes are ordinary characters in this file, pass format='tabbed' or 'c45' (--format)."
        )


def row_end(data: bytes, separator: str) -> tuple[int, bool]:
    """Return where the last whole row of a delimited text ends (0 if none does), and whether a quote is open after it.

    >>> row_end(b'a,"b\\nc"\\nd,"e\\n', ",")
    (8, True)
    """
    if b'"' not in data:
        return data.rfind(LINE_FEED) + 1, False
    return _native.row_end(np.frombuffer(data, np.uint8), separator)


def _arrow_table(source: Source, start: int, separator: str, n_columns: int, header: bool, n_threads: int) -> pa.Table:
    if not source.data[start:].strip(b"\r\n"):
        return pa.table({str(i): pa.array([], pa.string()) for i in range(n_columns)})
    # Arrow's rows may not span two blocks, so a file with very long rows is read again as one block.
    for n_block_bytes in (1 << 20, min(len(source.data) + 1, 2**31 - 1)):
        try:
            table = _in_blocks(source, start, separator, n_columns, header, n_threads, n_block_bytes)
            break
        except pa.ArrowInvalid as error:
            reason = str(error)
            if "straddl" not in reason:
                raise _row_error(source, separator, n_columns, reason) from None
    else:
        raise _row_error(source, separator, n_columns, reason)
    if separator == "\t" and any(pc.any(pc.match_substring(c, "\n")).as_py() for c in table.columns):
        raise _multiline_field_error(source.name)
    return table


def _in_blocks(
    source: Source, start: int, separator: str, n_columns: int, header: bool, n_threads: int, n_block_bytes: int
) -> pa.Table:
    names = [str(i) for i in range(n_columns)]  # the names in the file may be empty or occur twice
    return pa.csv.read_csv(
        pa.BufferReader(as_buffer(source.data, start)),
        read_options=pa.csv.ReadOptions(
            use_threads=n_threads > 1,
            column_names=names,
            block_size=n_block_bytes,
            skip_rows_after_names=int(header),
        ),
        parse_options=pa.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(
            column_types={name: pa.string() for name in names},
            null_values=[""],
            strings_can_be_null=True,
        ),
    )


def _multiline_field_error(where: str) -> FormatError:
    """Return the error for a TSV field that spans lines: a lone quote is more likely than such a field."""
    return FormatError(
        f"{where}: a field in double quotes continues past the end of its line. If quotes are "
        "ordinary characters in this file, pass format='tabbed' (--format tabbed)."
    )


def _row_error(source: Source, separator: str, n_expected: int, reason: str) -> FormatError:
    """Return the error with its line, which Arrow does not report: read the file again, slowly, to find it."""
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError:
        return not_utf8(source)
    for line, row in rows_of(text, separator):
        if len(row) != n_expected:
            return FormatError(
                f"{source.line(line)}: expected {n_expected} fields as in the first line, got "
                f"{len(row)}. The line is split on {separator!r} outside double quotes; correct the line, or "
                "pass separator (--separator) if the file uses another character."
            )
    return FormatError(f"{source.name}: {reason}")
