"""JSON: one object per line (JSON Lines, NDJSON), or one array of objects.

A key is a column, in the order in which keys first occur; a key that an object lacks is a missing value, as null is.
Values are texts, numbers and truth values: a number with decimals makes a numeric column, whole numbers are symbols.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from casebase.data.arrow import pa
from casebase.data.columns import text_column
from casebase.errors import CasebaseError, FormatError
from casebase.formats.facts import DECIMAL, TEXT, WHOLE, ColumnFacts, Signs
from casebase.formats.registry import Content, Options
from casebase.formats.source import Source, not_utf8

LARGEST = 1024  # bits of a whole number that a double may hold, rounded
Record = dict[str, Any]
Place = Callable[[], str]  # counts the lines of a file, so only an error asks for it


def read_json(source: Source, options: Options) -> Content:
    """Return the content of a JSON file, as texts; a class is symbolic whatever its type."""
    columns: dict[str, list[Any]] = {}
    n_rows = 0
    for where, record in _records(source, continued=options.continued):
        for name, value in record.items():
            if isinstance(value, dict | list):
                raise FormatError(
                    f"{where()}: expected a text, number, truth value or null for {name!r}, got "
                    f"{'an object' if isinstance(value, dict) else 'an array'}. A table has one value per column: "
                    "give each part a key of its own, or leave it out."
                )
            column = columns.setdefault(name, [])
            if len(column) < n_rows:
                column.extend([None] * (n_rows - len(column)))
            column.append(value)
        n_rows += 1
    values = [column + [None] * (n_rows - len(column)) for column in columns.values()]
    texts = [_texts(source, *pair) for pair in zip(columns, values)]
    return Content(list(columns), texts, [_facts(column) for column in values], has_keys=True, n_rows=n_rows)


def looks_like_json(line: bytes) -> bool:
    """Return whether the first line of a text is an object, or opens an array of objects.

    >>> looks_like_json(b'{"size": "small"}'), looks_like_json(b'[{"size": "small"},'), looks_like_json(b"{a} b P")
    (True, True, False)
    """
    text = line.strip()
    if text.startswith(b"[") and text[1:].lstrip()[:1] in (b"{", b""):
        return True
    try:
        return text.startswith(b"{") and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _records(source: Source, *, continued: bool) -> Iterator[tuple[Place, Record]]:
    """Yield the objects, each with its place for error messages."""
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    if not continued and text.lstrip().startswith("["):
        yield from _records_in_array(source.name, text)
        return
    is_first = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = partial(source.line, number)
        try:
            record = _parsed(where, line)
        except FormatError:
            if is_first and not continued:
                _check_lines(source.name, text)
            raise
        is_first = False
        if not isinstance(record, dict):
            raise FormatError(
                f'{where()}: expected an object such as {{"size": "small"}}, got {_called(record)}. Each line needs '
                "the names of its columns."
            )
        yield where, record


def _records_in_array(name: str, text: str) -> Iterator[tuple[Place, Record]]:
    array = _parsed(lambda: name, text)
    for number, record in enumerate(array, 1):
        where = partial("{}, object {}".format, name, number)
        if not isinstance(record, dict):
            raise FormatError(f"{where()}: expected an array of objects, got {_called(record)}.")
        yield where, record


def _check_lines(name: str, text: str) -> None:
    """Raise an error if the whole text is one object that is written on several lines."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return
    inside = [key for key, value in whole.items() if isinstance(value, list)] if isinstance(whole, dict) else []
    hint = f" The objects may be those under {inside[0]!r}: write only that array into the file." if inside else ""
    raise FormatError(f"{name}: expected one object per line, or an array of objects, got one object.{hint}")


def _parsed(where: Place, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f", line {error.lineno}" if error.lineno > 1 else ""
        raise FormatError(
            f"{where()}{place}: expected JSON, got something else at character {error.colno} ({error.msg}). The line "
            "may be cut off; if the file has another format, pass it (--format)."
        ) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        raise FormatError(f"{where()}: the JSON cannot be read: {error}.") from None


def _texts(source: Source, name: str, values: list[Any]) -> pa.Array:
    try:
        return text_column(values)
    except CasebaseError as error:
        raise FormatError(f"{source.name}, column {name!r}: {error}") from None


def _facts(values: list[Any]) -> ColumnFacts:
    """Return the facts of a column: it is numeric if its values are numbers and one has decimals."""
    known = {type(value) for value in values if value is not None}
    signs = Signs.NONE
    for kind in known:
        signs |= DECIMAL if kind is float else WHOLE if kind is int else TEXT
    if int in known and any(type(value) is int and value.bit_length() > LARGEST for value in values):
        signs |= Signs.TOO_LARGE
    return ColumnFacts(signs)


def _called(value: Any) -> str:
    if value is None:
        return "null"
    words = {list: "an array", str: "a text", bool: "a truth value", dict: "an object"}
    return words.get(type(value), "a number")
