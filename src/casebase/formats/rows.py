"""The first rows of a delimited text: what separator and header are recognised from."""

import csv
import io
import re
from collections.abc import Iterator, Sequence

from casebase.data.numbers import MISSING
from casebase.formats.decimals import are_numbers, is_number
from casebase.formats.source import Source, not_utf8

N_SAMPLE_ROWS = 300
N_SAMPLE_BYTES = 1 << 18

_NOT_BLANK = re.compile(rb"[^ \t\r\n]")


def start_of_text(data: bytes) -> int:
    """Return the position at which the first line that is not blank begins."""
    match = _NOT_BLANK.search(data)
    return data.rfind(b"\n", 0, match.start()) + 1 if match else len(data)


def sample(data: bytes) -> bytes:
    """Return the beginning of a text, up to the end of a line."""
    start = start_of_text(data)
    end = data.find(b"\n", min(start + N_SAMPLE_BYTES, len(data)))
    return data[start : end + 1 if end >= 0 else len(data)]


def first_rows(source: Source, separator: str) -> list[list[str]]:
    """Return the first few hundred rows, without leading blank lines."""
    rows = []
    try:
        for _, row in rows_of(sample(source.data).decode("utf-8"), separator):
            rows.append(row)
            if len(rows) > N_SAMPLE_ROWS:
                break
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    return rows


def rows_of(text: str, separator: str, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with the number of its last line."""
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict)
    for row in reader:
        if row:
            yield reader.line_num, row


def looks_like_a_header(rows: Sequence[Sequence[str]], *decimals: str) -> bool:
    """Return whether the first row holds the names of the columns.

    Names are not numbers. (They may be empty or occur twice; `check_names` reports that.) The row is a header if some
    column has only numbers below its name, or if no name occurs again as a value in its own column. `decimals` are the
    decimal marks that a number may have; a point by default.

    >>> looks_like_a_header([["word", "tag"], ["can", "verb"], ["can", "noun"]])
    True
    >>> looks_like_a_header([["can", "verb"], ["can", "noun"]])
    False
    >>> looks_like_a_header([["", "word", "tag"], ["0", "can", "verb"], ["1", "can", "noun"]])  # as pandas writes it
    True
    """
    marks = decimals or (".",)
    named = {i: name.strip() for i, name in enumerate(rows[0]) if name.strip()}
    if not named or any(name in MISSING or is_number(name, *marks) for name in named.values()):
        return False
    below = {i: [row[i] for row in rows[1:] if i < len(row)] for i in named}
    if any(are_numbers(column, *marks) for column in below.values()):
        return True
    return not any(rows[0][i] in below[i] for i in named)
