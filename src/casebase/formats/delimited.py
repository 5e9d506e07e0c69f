"""CSV and TSV: quoted fields, often a header, no types.

Arrow cuts the text; every field is read as it is spelled, so `007` stays `007`. A column is numeric
only if all its values are numbers and one of them is written with a point or an exponent: whole
numbers are more often codes than quantities.
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
from casebase.errors import FormatError
from casebase.formats.naming import filled_names
from casebase.formats.source import Source, not_utf8
from casebase.formats.text import empty, only_a_header

INFINITE = ("inf", "infinity")  # numbers, but none to learn from: cases refuse them
MISSING_NUMBERS = frozenset(["", "?", "NA", "NaN", "nan"])
N_ROWS_LOOKED_AT = 300
N_BYTES_LOOKED_AT = 1 << 18

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_NOT_BLANK = re.compile(rb"[^ \t\r\n]")


def read_delimited(
    source: Source, separator: str, *, header: bool | None, n_threads: int
) -> tuple[list[str] | None, list[pa.Array]]:
    """Return the names (with a header) and the columns, still symbolic, of a delimited text."""
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
        raise _over_the_line(source.name)
    _check_quotes(source, separator)
    if header is None:
        header = looks_like_a_header(rows)
    table = _arrow_table(source, separator, len(rows[0]), header, n_threads)
    if table.num_rows == 0:
        raise only_a_header(source.name) if header else empty(source.name)
    names = filled_names(rows[0]) if header else None
    return names, [column.dictionary_encode().combine_chunks() for column in table.columns]


def first_rows(source: Source, separator: str) -> list[list[str]]:
    """Return the first few hundred rows, blank lines before them aside."""
    start = _start(source.data)
    end = source.data.find(b"\n", min(start + N_BYTES_LOOKED_AT, len(source.data)))
    head = source.data[start : end + 1 if end >= 0 else len(source.data)]
    rows = []
    try:
        for _, row in _rows(head.decode("utf-8"), separator):
            rows.append(row)
            if len(rows) > N_ROWS_LOOKED_AT:
                break
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    return rows


def looks_like_a_header(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row names the columns below it.

    Names are not numbers; some may be empty or occur twice, which `check_names` looks at. Given that, it is
    a header if a column holds only numbers below its name, or else if no name occurs again as a value of its own
    column.

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
    """Return the column as float64 if its values are measurements, else unchanged.

    >>> numeric_if_measured(pa.array(["1", "2.5", None, "NA"]).dictionary_encode()).to_pylist()
    [1.0, 2.5, None, None]
    >>> numeric_if_measured(pa.array(["007", "12"]).dictionary_encode()).to_pylist()
    ['007', '12']
    """
    texts = [text.strip() for text in column.dictionary.to_pylist()]
    finite = [t for t in texts if t.lower().lstrip("+-") not in INFINITE]
    if not _are_numbers(finite) or not any(_is_measured(t) for t in finite):
        return column
    numbers = np.array([np.nan if t in MISSING_NUMBERS else float(t) for t in texts])
    return as_floats(numbers).take(column.indices)


def _is_measured(text: str) -> bool:
    return text not in MISSING_NUMBERS and any(c in text for c in ".eE")


def _are_numbers(texts: Sequence[str]) -> bool:
    present = [t for t in texts if t.strip() not in MISSING_NUMBERS]
    return bool(present) and all(_NUMBER.fullmatch(t.strip()) for t in present)


def _arrow_table(source: Source, separator: str, n_columns: int, header: bool, n_threads: int) -> pa.Table:
    # A row may not span blocks, so a file with very long rows is read again as one block.
    for n_block_bytes in (1 << 20, min(len(source.data) + 1, 2**31 - 1)):
        try:
            table = _in_blocks(source, separator, n_columns, header, n_threads, n_block_bytes)
            break
        except pa.ArrowInvalid as error:
            reason = str(error)
            if "straddl" not in reason:
                raise _what_is_wrong(source, separator, n_columns, reason) from None
    else:
        raise _what_is_wrong(source, separator, n_columns, reason)
    if separator == "\t" and any(pc.any(pc.match_substring(c, "\n")).as_py() for c in table.columns):
        raise _over_the_line(source.name)
    return table


def _in_blocks(
    source: Source, separator: str, n_columns: int, header: bool, n_threads: int, n_block_bytes: int
) -> pa.Table:
    names = [str(i) for i in range(n_columns)]  # those of the file may be empty or occur twice
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
    """Return where the first line begins that is not blank."""
    found = _NOT_BLANK.search(data)
    return data.rfind(b"\n", 0, found.start()) + 1 if found else len(data)


def _over_the_line(where: str) -> FormatError:
    """Return the error for a TSV field of several lines: a lone quote is likelier than that."""
    return FormatError(
        f"{where}: a field between double quotes goes on over the end of its line. If quotes are "
        "ordinary characters in this file, pass format='tabbed' (--format tabbed)."
    )


def _check_quotes(source: Source, separator: str) -> None:
    """Refuse a quote that is never closed: Arrow would take the rest of the file for one field."""
    if source.data.count(b'"') % 2 == 0:
        return
    line = 0
    try:
        # `line` is looked at when the loop is left by an error: it is then the last line that was whole.
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
    """Rows that are not empty, with the number of the line on which each ends."""
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict)
    for row in reader:
        if row:
            yield reader.line_num, row


def _what_is_wrong(source: Source, separator: str, n_expected: int, reason: str) -> FormatError:
    """Read again, slowly, to say on which line Arrow gave up."""
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError:
        return not_utf8(source)
    for line, row in _rows(text, separator):
        if len(row) != n_expected:
            return FormatError(
                f"{source.name}, line {line}: expected {n_expected} fields as in the first line, got "
                f"{len(row)}. The line is split on {separator!r} outside double quotes; mend the line, or "
                "pass separator (--separator) if the file uses another character."
            )
    return FormatError(f"{source.name}: {reason}")
