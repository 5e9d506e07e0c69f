"""Rows as CSV or TSV, so that every program reads back the fields that were written.

Fields are data and stay what they are: a text that a spreadsheet takes for a formula, such as `=1+1`, too.
"""

import csv
from typing import Any, Protocol


class _Text(Protocol):
    def write(self, text: str, /) -> object: ...


class _Lines:
    """Ends rows with a line feed that the writer has ended with both characters of a line end.

    Of these, Python's writer quotes only what it ends rows with; other programs take each for the end of a row.
    """

    def __init__(self, text: _Text) -> None:
        self._text = text

    def write(self, row: str) -> None:
        self._text.write(f"{row.removesuffix(BOTH)}\n")


BOTH = "\r\n"


def row_writer(text: _Text, separator: str = ",") -> Any:
    r"""Return a writer of rows, as of Python's module `csv`, that ends each with a line feed.

    >>> import io
    >>> text = io.StringIO()
    >>> row_writer(text).writerow(["a", "b\rc", "d,e", "=1+1"])
    >>> text.getvalue()
    'a,"b\rc","d,e",=1+1\n'
    """
    return csv.writer(_Lines(text), delimiter=separator, lineterminator=BOTH)
