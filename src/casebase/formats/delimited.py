"""CSV and TSV files: quoted fields, often a header, no types.

Arrow splits the text. Every field is read as text, so `007` stays `007`. A column becomes numeric only if all its
values are numbers and at least one has a decimal mark or an exponent: integers are more often codes than quantities.
"""

import csv
import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from casebase.data.arrays import as_buffer
from casebase.errors import FormatError
from casebase.formats.decimals import MARKS, numeric_if_measured, recognised_decimal
from casebase.formats.naming import filled_names
from casebase.formats.registry import Content, Found, Options
from casebase.formats.rows import first_rows, looks_like_a_header, rows_of, start_of_text
from casebase.formats.separators import declared_separator, recognised_separator
from casebase.formats.source import Source, not_utf8
from casebase.formats.text import empty, only_a_header

SEPARATORS = {"csv": ",", "tsv": "\t"}
_NOT_BLANK = re.compile(rb"[^ \t\r\n]")


def read_csv(source: Source, options: Options) -> Content:
    """Return the content of a CSV or TSV file; columns with decimals are numbers, unless they are the class."""
    source, separator = split_on(source, options.format, options.separator)
    names, columns = read_delimited(source, separator, header=options.header, n_threads=options.n_threads)
    decimal = options.decimal or recognised_decimal(columns, separator, options.known_decimal)

    def typed(target: int | None) -> list[pa.Array]:
        return [column if i == target else numeric_if_measured(column, decimal) for i, column in enumerate(columns)]

    return Content(names, columns, typed, Found(separator, decimal), lambda: columns)


def split_on(source: Source, format: str, separator: str | None) -> tuple[Source, str]:
    """Return the separator of a delimited text, and the text without a line that only declares it."""
    source, declared = declared_separator(source)
    taken = separator or declared
    return source, recognised_separator(source, SEPARATORS[format]) if taken is None else taken


def read_delimited(
    source: Source, separator: str, *, header: bool | None, n_threads: int
) -> tuple[list[str] | None, list[pa.Array]]:
    """Return the names (if there is a header) and the symbolic columns of a delimited text."""
    if not _NOT_BLANK.search(source.data):
        raise empty(source.name)
    nul = source.data.find(b"\0")
    if nul >= 0:
        line = source.data.count(b"\n", 0, nul) + 1
        raise FormatError(
            f"{source.name}, line {line}: expected text, got a NUL byte. The file may be binary, or in "
            "another encoding: encoding='utf-16' (--encoding utf-16), for example."
        )
    rows = first_rows(source, separator)
    if separator == "\t" and any("\n" in field for row in rows for field in row):
        raise _multiline_field_error(source.name)
    _check_quotes(source, separator)
    if header is None:
        header = looks_like_a_header(rows, *(MARKS if separator != "," else ()))
    table = _arrow_table(source, separator, len(rows[0]), header, n_threads)
    if table.num_rows == 0:
        raise only_a_header(source.name) if header else empty(source.name)
    names = filled_names(rows[0]) if header else None
    return names, [column.dictionary_encode().combine_chunks() for column in table.columns]


def _arrow_table(source: Source, separator: str, n_columns: int, header: bool, n_threads: int) -> pa.Table:
    # Arrow's rows may not span two blocks, so a file with very long rows is read again as one block.
    for n_block_bytes in (1 << 20, min(len(source.data) + 1, 2**31 - 1)):
        try:
            table = _in_blocks(source, separator, n_columns, header, n_threads, n_block_bytes)
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
    source: Source, separator: str, n_columns: int, header: bool, n_threads: int, n_block_bytes: int
) -> pa.Table:
    names = [str(i) for i in range(n_columns)]  # the names in the file may be empty or occur twice
    return pa.csv.read_csv(
        pa.BufferReader(as_buffer(source.data, start_of_text(source.data))),
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


def _check_quotes(source: Source, separator: str) -> None:
    """Raise an error if a quote is never closed: Arrow would read the rest of the file as one field."""
    if source.data.count(b'"') % 2 == 0:
        return
    line = 0
    try:
        # When an error ends the loop, `line` is the last complete line.
        for line, _ in rows_of(source.data.decode("utf-8"), separator, strict=True):  # noqa: B007  (used after the loop)
            pass
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise FormatError(
                f"{source.name}, line {line + 1}: a double quote is never closed. Close it; if quotes are "
                "ordinary characters in this file, pass format='tabbed' or 'c45' (--format)."
            ) from None


def _row_error(source: Source, separator: str, n_expected: int, reason: str) -> FormatError:
    """Return the error with its line, which Arrow does not report: read the file again, slowly, to find it."""
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError:
        return not_utf8(source)
    for line, row in rows_of(text, separator):
        if len(row) != n_expected:
            return FormatError(
                f"{source.name}, line {line}: expected {n_expected} fields as in the first line, got "
                f"{len(row)}. The line is split on {separator!r} outside double quotes; correct the line, or "
                "pass separator (--separator) if the file uses another character."
            )
    return FormatError(f"{source.name}: {reason}")
