"""ARFF read line by line in Python: the reference for the compiled reader.

The declared types decide: numeric, real and integer attributes become numbers, all others symbols. The class is
symbolic whatever its type. `?` is a missing value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from casebase.data.arrays import as_floats
from casebase.data.arrow import pa
from casebase.errors import FormatError
from casebase.formats.source import Source, not_utf8

NUMERIC = ("numeric", "real", "integer")
SYMBOLIC = ("string", "date")

_ATTRIBUTE = re.compile(
    r"""@attribute \s+ (?P<name> '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | [^\s'"{]+ ) \s* (?P<kind>\S.*)? """,
    re.IGNORECASE | re.VERBOSE,
)
_FIELD = re.compile(
    # Nothing that was matched is given back: otherwise blanks before a stray quote take the cube of their number.
    r"""\s*+ ( '(?:[^'\\]|\\.)*+' | "(?:[^"\\]|\\.)*+" | [^,'"]*+ ) \s*+ (,|$)""",
    re.VERBOSE,
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
    """The attributes of an ARFF text and its fields, column by column; None is a missing value."""

    name: str
    attributes: list[Attribute]
    columns: list[list[str | None]]
    line_numbers: list[int]


def parse_arff(source: Source) -> ArffText:
    """Return the attributes and the fields of an ARFF text."""
    try:
        lines = source.data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    attributes, start = _declarations(source.name, lines)
    rows, numbers = [], []
    for number, line in enumerate(lines[start:], start=start + 1):
        line = line.strip()
        if line and line[0] not in "%@":
            rows.append(_fields(f"{source.name}, line {number}", line, len(attributes)))
            numbers.append(number)
    if not rows:
        raise FormatError(f"{source.name}: expected at least one line of data after @data, got none.")
    return ArffText(source.name, attributes, [list(column) for column in zip(*rows)], numbers)


def arff_columns(text: ArffText, target: int | None) -> list[pa.Array]:
    """Return the columns, numeric where declared numeric; the class is always symbolic."""
    return [
        _numbers(text, i) if attribute.is_numeric and i != target else _texts(column)
        for i, (attribute, column) in enumerate(zip(text.attributes, text.columns, strict=True))
    ]


def _texts(column: list[str | None]) -> pa.DictionaryArray:
    return pa.array(column, pa.string()).dictionary_encode()


def _declarations(name: str, lines: list[str]) -> tuple[list[Attribute], int]:
    """Return the attributes, and the position of the first line after `@data`."""
    attributes: list[Attribute] = []
    for number, line in enumerate(lines, start=1):
        where, line = f"{name}, line {number}", line.strip()
        keyword = line.split(maxsplit=1)[0].lower() if line else ""
        if keyword == "@data":
            if not attributes:
                raise FormatError(f"{where}: expected @attribute lines before @data, got none.")
            return attributes, number
        if keyword == "@attribute":
            attributes.append(_attribute(where, line))
        elif line and not line.startswith("%") and keyword != "@relation":
            raise FormatError(
                f"{where}: expected @relation, @attribute, @data or a comment (%), got {line[:40]!r}. "
                "If this is not an ARFF file, pass another format (--format)."
            )
    raise FormatError(f"{name}: expected a line @data, got none. Is the file complete, and is it an ARFF file?")


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


def _fields(where: str, line: str, n_expected: int) -> list[str | None]:
    if line.startswith("{"):
        raise FormatError(
            f"{where}: sparse ARFF ({{index value, …}}) is not supported. Write every value of the row, "
            "separated by commas."
        )
    if "\0" in line:
        raise FormatError(f"{where}: expected text, got a NUL byte. The file may be binary.")
    raw = [field.strip() for field in line.split(",")] if not {"'", '"'} & set(line) else _split_quoted(where, line)
    if len(raw) != n_expected:
        raise FormatError(
            f"{where}: expected {n_expected} values, one for each @attribute, got {len(raw)}. The line is "
            "split on ','; put a value with a comma in quotes."
        )
    # Only a bare question mark is missing: a quoted one is a value.
    return [None if field == "?" else _unquote(field) for field in raw]


def _split_quoted(where: str, line: str) -> list[str]:
    fields, start, has_more = [], 0, True
    while has_more:
        match = _FIELD.match(line, start)
        if match is None:
            raise FormatError(
                f"{where}: a quote is not closed, or occurs inside a value: {line[start : start + 40]!r}."
            )
        fields.append(match[1].strip() if match[1][:1] not in ("'", '"') else match[1])
        start, has_more = match.end(), match[2] == ","
    return fields


def _unquote(text: str) -> str:
    if len(text) < 2 or text[0] not in "'\"":
        return text
    return _ESCAPED.sub(lambda m: _ESCAPES.get(m[1], m[1]), text[1:-1])


def _numbers(text: ArffText, i: int) -> pa.Array:
    numbers = np.full(len(text.line_numbers), np.nan)
    for row, field in enumerate(text.columns[i]):
        try:
            if field is not None:
                numbers[row] = float(field)
        except ValueError:
            raise FormatError(
                f"{text.name}, line {text.line_numbers[row]}: expected a number for "
                f"{text.attributes[i].name!r}, got {field!r}. Declare the attribute as nominal or string, or "
                "write ? for a missing value."
            ) from None
    return as_floats(numbers)
