"""ARFF: a header of attribute declarations, then comma-separated cases.

The declared types decide: numeric, real and integer attributes become numbers, all others symbols. The class is
symbolic whatever its type. `?` is a missing value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from casebase import _native
from casebase.data.arrays import as_floats, as_numpy
from casebase.data.arrow import pa
from casebase.errors import FormatError
from casebase.formats.encodings import is_utf8
from casebase.formats.facts import ColumnFacts
from casebase.formats.registry import Content, Options
from casebase.formats.source import Source, not_utf8
from casebase.formats.text import coded_column

NUMERIC = ("numeric", "real", "integer")
SYMBOLIC = ("string", "date")

_ATTRIBUTE = re.compile(
    r"""@attribute \s+ (?P<name> '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | [^\s'"{]+ ) \s* (?P<kind>\S.*)? """,
    re.IGNORECASE | re.VERBOSE,
)
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True)
class Attribute:
    """The name of a column, and whether it is declared numeric."""

    name: str
    is_numeric: bool


@dataclass(frozen=True)
class ArffText:
    """The attributes of an ARFF text and its columns of texts, in which nulls are missing values."""

    source: Source
    attributes: list[Attribute]
    columns: list[pa.DictionaryArray]
    n_lines_before: int  # `@data` included

    @property
    def n_rows(self) -> int:
        return len(self.columns[0])

    def line_of(self, row: int) -> str:
        """Return the place of a row: file and line."""
        lines = enumerate(self.source.data.decode("utf-8").split("\n"), start=1)
        data = (i for i, line in lines if i > self.n_lines_before and line.strip() and line.strip()[0] not in "%@")
        return self.source.line(next(islice(data, row, None)))

    def numbers(self, column: int) -> np.ndarray:
        """Return a column as numbers, in which missing values are NaN; `ValueError` for the first that is none."""
        texts = self.columns[column]
        numbers = np.append(_values(texts.dictionary), np.nan)
        by_row: np.ndarray = numbers[as_numpy(texts.indices, null=len(numbers) - 1)]
        return by_row


def read_arff(source: Source, options: Options) -> Content:
    """Return the content of an ARFF file; a numeric attribute that is the class is read as symbols."""
    text = parse_arff(source, options.n_threads)
    names = [attribute.name for attribute in text.attributes]
    return Content(
        names,
        [],
        [ColumnFacts()] * len(names),
        typed=partial(arff_columns, text),
        n_rows=text.n_rows,
        texts=lambda: text.columns,
    )


def parse_arff(source: Source, n_threads: int = 1) -> ArffText:
    """Return the attributes and the columns of an ARFF text; the compiled kernel splits the lines of data."""
    if not is_utf8(source.data):
        raise not_utf8(source)
    attributes, n_lines, start = _declarations(source)
    data = np.frombuffer(source.data, dtype=np.uint8)[start:]
    columns, problem = _native.split_text(data, "arff", n_fields=len(attributes), n_threads=n_threads)
    if problem is not None:
        raise _problem(source, len(attributes), n_lines, start, *problem)
    if not columns or not len(columns[0][0]):
        raise FormatError(f"{source.name}: expected at least one line of data after @data, got none.")
    return ArffText(source, attributes, [coded_column(*column) for column in columns], n_lines)


def arff_columns(text: ArffText, target: int | None) -> list[pa.Array]:
    """Return the columns, numeric where declared numeric; the class is always symbolic."""
    return [
        _numbers(text, i) if attribute.is_numeric and i != target else column
        for i, (attribute, column) in enumerate(zip(text.attributes, text.columns, strict=True))
    ]


def _declarations(source: Source) -> tuple[list[Attribute], int, int]:
    """Return the attributes, the number of lines up to `@data`, and the position of the line after it."""
    attributes: list[Attribute] = []
    number, start = 0, 0
    while start <= len(source.data):
        number, end = number + 1, source.data.find(b"\n", start)
        end = len(source.data) if end < 0 else end
        where, line = source.line(number), source.data[start:end].decode("utf-8").strip()
        start = end + 1
        keyword = line.split(maxsplit=1)[0].lower() if line else ""
        if keyword == "@data":
            if not attributes:
                raise FormatError(f"{where}: expected @attribute lines before @data, got none.")
            return attributes, number, start
        if keyword == "@attribute":
            attributes.append(_attribute(where, line))
        elif line and not line.startswith("%") and keyword != "@relation":
            raise FormatError(
                f"{where}: expected @relation, @attribute, @data or a comment (%), got {line[:40]!r}. "
                "If this is not an ARFF file, pass another format (--format)."
            )
    raise FormatError(f"{source.name}: expected a line @data, got none. Is the file complete, and is it an ARFF file?")


def _attribute(where: str, line: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    kind = (match["kind"] or "").strip() if match else ""
    if match is None or not kind:
        raise FormatError(
            f"{where}: expected '@attribute name type', got {line[:60]!r}. Put a name with spaces in quotes."
        )
    word = kind.split()[0].lower()
    if word in NUMERIC:
        return Attribute(_unquote(match["name"]), is_numeric=True)
    if word in SYMBOLIC or (kind.startswith("{") and kind.endswith("}")):
        return Attribute(_unquote(match["name"]), is_numeric=False)
    raise FormatError(
        f"{where}: unknown attribute type {kind[:40]!r}. Known: {', '.join(NUMERIC + SYMBOLIC)}, "
        "or the values in braces: {yes, no}."
    )


def _problem(
    source: Source, n_expected: int, n_lines_before: int, start: int, kind: str, line: int, detail: int
) -> FormatError:
    """Return the error for a line of data that the kernel could not split."""
    where = source.line(line + n_lines_before)
    if kind == "braces":
        return FormatError(
            f"{where}: sparse ARFF ({{index value, …}}) is not supported. Write every value of the row, "
            "separated by commas."
        )
    if kind == "nul":
        return FormatError(f"{where}: expected text, got a NUL byte. The file may be binary.")
    if kind == "full":
        return FormatError(f"{source.name}: a column has more than 2 GB of distinct values, the limit here.")
    if kind == "quote":
        rest = source.data[start + detail :].split(b"\n", 1)[0].decode("utf-8").rstrip()
        return FormatError(f"{where}: a quote is not closed, or occurs inside a value: {rest[:40]!r}.")
    return FormatError(
        f"{where}: expected {n_expected} values, one for each @attribute, got {detail}. The line is "
        "split on ','; put a value with a comma in quotes."
    )


def _unquote(text: str) -> str:
    if len(text) < 2 or text[0] not in "'\"":
        return text
    return _ESCAPED.sub(lambda m: _ESCAPES.get(m[1], m[1]), text[1:-1])


def _numbers(text: ArffText, i: int) -> pa.Array:
    try:
        return as_floats(text.numbers(i))
    except ValueError:
        row, field = _first_without_number(text.columns[i])
        raise FormatError(
            f"{text.line_of(row)}: expected a number for {text.attributes[i].name!r}, got {field!r}. Declare the "
            "attribute as nominal or string, or write ? for a missing value."
        ) from None


def _values(texts: pa.StringArray) -> np.ndarray:
    """Return texts as numbers, as `float` reads them."""
    try:
        numbers = as_numpy(texts.cast(pa.float64()))
    except pa.ArrowInvalid:  # not all that `float` reads: 1_000, for example
        numbers = None
    if numbers is None or np.isnan(numbers).any():  # Arrow takes nan(1) for a number
        numbers = np.array([float(text) for text in texts.to_pylist()], dtype=np.float64)
    return numbers


def _first_without_number(column: pa.DictionaryArray) -> tuple[int, str]:
    """Return the first row that has a value but no number, and the value; codes follow the first appearance."""
    for code, field in enumerate(column.dictionary.to_pylist()):
        try:
            float(field)
        except ValueError:
            return int(np.argmax(as_numpy(column.indices, null=len(column.dictionary)) == code)), field
    raise AssertionError("every value is a number")
