"""JSON: one object per line (JSON Lines, NDJSON), or one array of objects.

A key is a column, in the order in which keys first occur; a key that an object lacks is a missing value, as null is.
Values are texts, numbers and truth values: a number with decimals makes a numeric column, whole numbers are symbols.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from casebase.data.arrow import pa
from casebase.data.columns import symbolic_or_numeric, text_column
from casebase.errors import CasebaseError, FormatError
from casebase.formats.registry import Content, Options
from casebase.formats.source import Source, not_utf8
from casebase.formats.text import empty

Record = dict[str, Any]


def read_json(source: Source, options: Options) -> Content:
    """Return the content of a JSON file; the class is symbolic whatever its type."""
    columns: dict[str, list[Any]] = {}
    n_rows = 0
    for where, record in _records(source):
        for name, value in record.items():
            if isinstance(value, dict | list):
                raise FormatError(
                    f"{where}: expected a text, number, truth value or null for {name!r}, got "
                    f"{'an object' if isinstance(value, dict) else 'an array'}. A table has one value per column: "
                    "give each part a key of its own, or leave it out."
                )
            column = columns.setdefault(name, [])
            if len(column) < n_rows:
                column.extend([None] * (n_rows - len(column)))
            column.append(value)
        n_rows += 1
    if not n_rows or not columns:
        raise empty(source.name)
    names = [name.strip() or f"column{i}" for i, name in enumerate(columns, 1)]
    values = [column + [None] * (n_rows - len(column)) for column in columns.values()]

    def typed(target: int | None) -> list[pa.Array]:
        return [_column(source, *pair, is_class=i == target) for i, pair in enumerate(zip(names, values))]

    return Content(names, [_column(source, *pair, is_class=True) for pair in zip(names, values)], typed)


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


def _records(source: Source) -> Iterator[tuple[str, Record]]:
    """Yield the objects, each with its place for error messages."""
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    if text.lstrip().startswith("["):
        yield from _records_in_array(source.name, text)
        return
    is_first = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{source.name}, line {number}"
        try:
            record = _parsed(where, line)
        except FormatError:
            if is_first:
                _check_lines(source.name, text)
            raise
        is_first = False
        if not isinstance(record, dict):
            raise FormatError(
                f'{where}: expected an object such as {{"size": "small"}}, got {_called(record)}. Each line needs the '
                "names of its columns."
            )
        yield where, record


def _records_in_array(name: str, text: str) -> Iterator[tuple[str, Record]]:
    array = _parsed(name, text)
    for number, record in enumerate(array, 1):
        where = f"{name}, object {number}"
        if not isinstance(record, dict):
            raise FormatError(f"{where}: expected an array of objects, got {_called(record)}.")
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


def _parsed(where: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f", line {error.lineno}" if error.lineno > 1 else ""
        raise FormatError(
            f"{where}{place}: expected JSON, got something else at character {error.colno} ({error.msg}). The line may "
            "be cut off; if the file has another format, pass it (--format)."
        ) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        raise FormatError(f"{where}: the JSON cannot be read: {error}.") from None


def _column(source: Source, name: str, values: list[Any], *, is_class: bool) -> pa.Array:
    """Return a column: numeric if its values are numbers and one has decimals, otherwise symbols."""
    try:
        known = {type(value) for value in values if value is not None}
        if not is_class and float in known and known <= {int, float}:
            return symbolic_or_numeric(pa.array([None if v is None else float(v) for v in values], pa.float64()), name)
        return text_column(values)
    except (CasebaseError, OverflowError) as error:
        raise FormatError(f"{source.name}, column {name!r}: {error}") from None


def _called(value: Any) -> str:
    if value is None:
        return "null"
    words = {list: "an array", str: "a text", bool: "a truth value", dict: "an object"}
    return words.get(type(value), "a number")
