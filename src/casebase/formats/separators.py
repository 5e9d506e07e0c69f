"""The character between two fields, if nobody names it: comma, semicolon, TAB or vertical bar.

The name of the file gives a default: a comma for CSV, a TAB for TSV. Another character is taken only if the default
does not split the first rows evenly and the other one does, or if all commas are decimal commas (`1,5;2,5;yes`).
Excel may write the separator into the first line: `sep=;`.
"""

import csv
import re

from casebase.formats.rows import first_rows, sample, start_of_text
from casebase.formats.source import Source

CANDIDATES = (",", ";", "\t", "|")

_DECLARED = re.compile(rb'"?sep=(?P<separator>[ -~\t])"?\r?\n', re.IGNORECASE)
_COMMA_OUTSIDE_NUMBERS = re.compile(rb"(?<![0-9]),|,(?![0-9])")


def declared_separator(source: Source) -> tuple[Source, str | None]:
    """Return the separator that the first line declares, as Excel's files may, and the source without that line."""
    match = _DECLARED.match(source.data, start_of_text(source.data))
    if match is None:
        return source, None
    n_lines = source.data.count(b"\n", 0, match.end())
    rest = Source(source.name, source.data[match.end() :], lambda: source.n_lines_before() + n_lines)
    return rest, match["separator"].decode("ascii")


def recognised_separator(source: Source, default: str) -> str:
    r"""Return the separator of a delimited text.

    >>> recognised_separator(Source("x.csv", b"name;size\nx;1,5\ny;2\n"), ",")
    ';'
    >>> recognised_separator(Source("x.csv", b"name,tags\nx,a;b\n"), ",")
    ','
    """
    head = sample(source.data)
    rivals = [mark for mark in CANDIDATES if mark != default and mark.encode() in head]
    if not rivals:
        return default
    own = _widths(source, default)
    even = [mark for mark in rivals if _is_even(_widths(source, mark))]
    if _is_even(own):
        return even[0] if even and default == "," and not _COMMA_OUTSIDE_NUMBERS.search(head) else default
    if even:
        return max(even, key=lambda mark: _widths(source, mark)[0])
    # No character splits all rows evenly, so a row is wrong: the error should be about that row.
    if own and own[0] > 1:
        return default
    widest = max(rivals, key=lambda mark: (_widths(source, mark) or [1])[0])
    return widest if (_widths(source, widest) or [1])[0] > 1 else default


def is_delimited(source: Source) -> bool:
    """Return whether a text without a telling name is split by semicolons or bars, not by blanks or commas.

    A text that blanks or commas could split is taken as such: so TiMBL's files are.
    """
    head = sample(source.data)
    if not any(_is_even(_widths(source, mark)) for mark in ";|" if mark.encode() in head):
        return False
    lines = [line for line in head.split(b"\n") if line.strip()]
    if any(b"," in line for line in lines) and not _COMMA_OUTSIDE_NUMBERS.search(head):
        return True
    if any(b"," in line for line in lines) and _is_even(_widths(source, ",")):
        return False
    n_fields = {len(line.split()) for line in lines}
    return len(n_fields) > 1 or n_fields == {1}


def _widths(source: Source, separator: str) -> list[int]:
    """Return the number of fields of each of the first rows; none if the text cannot be split like that."""
    try:
        rows = first_rows(source, separator)
    except csv.Error:
        return []
    return [len(row) for row in rows]


def _is_even(widths: list[int]) -> bool:
    return len(set(widths)) == 1 and widths[0] > 1
