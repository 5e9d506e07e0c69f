"""CSV and TSV files: quoted fields, often a header, no types.

Arrow splits the text. Every field is read as text, so `007` stays `007`. A column becomes numeric only if all its
values are numbers and at least one has a decimal point or an exponent: integers are more often codes than quantities.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from casebase.data.arrays import as_buffer, as_floats
from casebase.data.numbers import rounded_whole
from casebase.errors import FormatError
from casebase.formats.naming import filled_names
from casebase.formats.registry import Content, Options
from casebase.formats.source import Source, not_utf8
from casebase.formats.text import empty, only_a_header

INFINITE = ("inf", "infinity")  # read as numbers, so that `Cases` can report them
MISSING_NUMBERS = frozenset(["", "?", "NA", "NaN", "nan"])
N_SAMPLE_ROWS = 300
N_SAMPLE_BYTES = 1 << 18

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
SEPARATORS = {"csv": ",", "tsv": "\t"}
_NOT_BLANK = re.compile(rb"[^ \t\r\n]")


def read_csv(source: Source, options: Options) -> Content:
    """Return the content of a CSV or TSV file; columns with decimals are numbers, unless they are the class."""
    separator = options.separator or SEPARATORS[options.format]
    names, columns = read_delimited(source, separator, header=options.header, n_threads=options.n_threads)

    def typed(target: int | None) -> list[pa.Array]:
        return [column if i == target else numeric_if_measured(column) for i, column in enumerate(columns)]

    return Content(names, columns, typed)


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
        header = looks_like_a_header(rows)
    table = _arrow_table(source, separator, len(rows[0]), header, n_threads)
    if table.num_rows == 0:
        raise only_a_header(source.name) if header else empty(source.name)
    names = filled_names(rows[0]) if header else None
    return names, [column.dictionary_encode().combine_chunks() for column in table.columns]


def first_rows(source: Source, separator: str) -> list[list[str]]:
    """Return the first few hundred rows, without leading blank lines."""
    start = _start(source.data)
    end = source.data.find(b"\n", min(start + N_SAMPLE_BYTES, len(source.data)))
    head = source.data[start : end + 1 if end >= 0 else len(source.data)]
    rows = []
    try:
        for _, row in _rows(head.decode("utf-8"), separator):
            rows.append(row)
            if len(rows) > N_SAMPLE_ROWS:
                break
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    return rows


def looks_like_a_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row holds the names of the columns.

    Names are not numbers. (They may be empty or occur twice; `check_names` reports that.) The row is a header if some
    column has only numbers below its name, or if no name occurs again as a value in its own column.

    >>> looks_like_a_header([["word", "tag"], ["can", "verb"], ["can", "noun"]])
    True
    >>> looks_like_a_header([["can", "verb"], ["can", "noun"]])
    False
    >>> looks_like_a_header([["", "word", "tag"], ["0", "can", "verb"], ["1", "can", "noun"]])  # as pandas writes it
    True
    """
    named = {i: name for i, name in enumerate(rows[0]) if name.strip()}
    if not named or any(n.strip() in MISSING_NUMBERS or _NUMBER.fullmatch(n.strip()) for n in named.values()):
        return False
    below = {i: [row[i] for row in rows[1:] if i < len(row)] for i in named}
    if any(_are_numbers(column) for column in below.values()):
        return True
    return not any(name in below[i] for i, name in named.items())


def numeric_if_measured(column: pa.Array) -> pa.Array:
    """Return the column as float64 if its values are measurements, otherwise unchanged.

    >>> numeric_if_measured(pa.array(["1", "2.5", None, "NA"]).dictionary_encode()).to_pylist()
    [1.0, 2.5, None, None]
    >>> numeric_if_measured(pa.array(["007", "12"]).dictionary_encode()).to_pylist()
    ['007', '12']
    """
    texts = [text.strip() for text in column.dictionary.to_pylist()]
    finite = [t for t in texts if t.lower().lstrip("+-") not in INFINITE]
    if not _are_numbers(finite) or not any(_is_measured(t) for t in finite):
        return column
    if rounded_whole(column.dictionary) is not None:  # quoted as numbers, long whole numbers would be others
        return column
    numbers = np.array([np.nan if t in MISSING_NUMBERS else float(t) for t in texts])
    return as_floats(numbers).take(column.indices)


def _is_measured(text: str) -> bool:
    return text not in MISSING_NUMBERS and any(c in text for c in ".eE")


def _are_numbers(texts: Sequence[str]) -> bool:
    present = [t for t in texts if t.strip() not in MISSING_NUMBERS]
    return bool(present) and all(_NUMBER.fullmatch(t.strip()) for t in present)


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
        pa.BufferReader(as_buffer(source.data, _start(source.data))),
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


def _start(data: bytes) -> int:
    """Return the position at which the first line that is not blank begins."""
    match = _NOT_BLANK.search(data)
    return data.rfind(b"\n", 0, match.start()) + 1 if match else len(data)


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
        for line, _ in _rows(source.data.decode("utf-8"), separator, strict=True):  # noqa: B007
            pass
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise FormatError(
                f"{source.name}, line {line + 1}: a double quote is never closed. Close it; if quotes are "
                "ordinary characters in this file, pass format='tabbed' or 'c45' (--format)."
            ) from None


def _rows(text: str, separator: str, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with the number of its last line."""
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict)
    for row in reader:
        if row:
            yield reader.line_num, row


def _row_error(source: Source, separator: str, n_expected: int, reason: str) -> FormatError:
    """Return the error with its line, which Arrow does not report: read the file again, slowly, to find it."""
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError:
        return not_utf8(source)
    for line, row in _rows(text, separator):
        if len(row) != n_expected:
            return FormatError(
                f"{source.name}, line {line}: expected {n_expected} fields as in the first line, got "
                f"{len(row)}. The line is split on {separator!r} outside double quotes; correct the line, or "
                "pass separator (--separator) if the file uses another character."
            )
    return FormatError(f"{source.name}: {reason}")
