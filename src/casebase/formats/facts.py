"""What the values of a table show, as facts that add up: those of two parts of a table give those of both.

Some decisions need the whole table: a column of a CSV file is numeric if *all* its values are numbers, and the decimal
mark is a comma if *some* column shows it. A part of the table contributes its facts; the sum decides, so nothing
depends on how the table was cut into parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto

from casebase.data.arrow import pa
from casebase.data.numbers import MISSING, rounded_whole
from casebase.errors import FormatError
from casebase.formats.decimals import AMBIGUOUS, INFINITE, MARKS, MEASURED, is_number

N_LOOKED_AT = 50  # most columns of text end here


class Signs(Flag):
    """What the texts of a column show about numbers; the signs of two parts are united by `|`."""

    NONE = 0
    VALUE = auto()  # a finite value that is not missing
    INFINITE = auto()
    NO_POINT = auto()  # a value that is no number with a decimal point
    NO_COMMA = auto()
    SHOWS_POINT = auto()  # a number that can only be read with a decimal point
    SHOWS_COMMA = auto()
    MEASURED_POINT = auto()  # a number with decimals or an exponent: whole numbers are more often codes
    MEASURED_COMMA = auto()
    ROUNDED = auto()  # a long whole number that a double would change
    TOO_LARGE = auto()  # a whole number that no double holds, in a format with types of its own

    def shows(self, mark: str) -> bool:
        """Return whether the values are numbers, of which one can only be read with this decimal mark."""
        no, shows, _ = _OF_MARK[mark]
        return shows in self and Signs.VALUE in self and not self & (no | Signs.INFINITE)

    def are_measured(self, mark: str) -> bool:
        """Return whether the values are measurements, written with this decimal mark."""
        no, _, measured = _OF_MARK[mark]
        return measured in self and Signs.VALUE in self and not self & (no | Signs.ROUNDED)


_OF_MARK = {
    ".": (Signs.NO_POINT, Signs.SHOWS_POINT, Signs.MEASURED_POINT),
    ",": (Signs.NO_COMMA, Signs.SHOWS_COMMA, Signs.MEASURED_COMMA),
}
TEXT = Signs.VALUE | Signs.NO_POINT | Signs.NO_COMMA
WHOLE = Signs.VALUE | Signs.NO_COMMA  # a whole number of a format that has types of its own, written with points
DECIMAL = WHOLE | Signs.MEASURED_POINT


def signs_of(values: pa.Array, marks: Sequence[str] = MARKS) -> Signs:
    """Return what the distinct texts of a column show about numbers with these decimal marks.

    >>> signs_of(pa.array(["1,5", "20"])).shows(","), signs_of(pa.array(["1,500", "20"])).shows(",")
    (True, False)
    >>> signs_of(pa.array(["1", "2.5"])).are_measured("."), signs_of(pa.array(["007", "12"])).are_measured(".")
    (True, False)
    """
    if all(any(not _may_be(text, mark) for text in values[:N_LOOKED_AT].to_pylist()) for mark in marks):
        return TEXT
    present = [text.strip() for text in values.to_pylist() if text.strip() not in MISSING]
    finite = [text for text in present if not _is_infinite(text)]
    found = Signs.VALUE if finite else Signs.NONE
    if len(finite) < len(present):
        found |= Signs.INFINITE
    for mark in marks:
        no, shows, measured = _OF_MARK[mark]
        if not all(is_number(text, mark) for text in finite):
            found |= no  # and nothing else matters
            continue
        if any(mark in text and not AMBIGUOUS[mark].fullmatch(text) for text in finite):
            found |= shows
        if any(sign in text for text in finite for sign in MEASURED[mark]):
            found |= measured
    return found | Signs.ROUNDED if rounded_whole(values) is not None else found


def recognised_decimal(columns: Sequence[Signs], separator: str, known: str | None = None) -> str:
    """Return the decimal mark of a table; `known` is that of the training file, for new cases that may show none."""
    if separator == ",":
        return "."
    if known != "," and not any(signs.shows(",") for signs in columns):
        return "."
    return "." if any(signs.shows(".") for signs in columns) else ","


def _may_be(text: str, mark: str) -> bool:
    text = text.strip()
    return text in MISSING or _is_infinite(text) or is_number(text, mark)


def _is_infinite(text: str) -> bool:
    return text.lower().lstrip("+-") in INFINITE


@dataclass(frozen=True)
class ColumnFacts:
    """The facts of a column: the signs of its texts, the family of its type, and the order of its categories.

    A format with types has a family ("number", "integer", …); it is empty for a column without values, which may have
    any type. `order` has the values of an ordered category, None if it is none.
    """

    signs: Signs = Signs.NONE
    family: str = ""
    order: tuple[str, ...] | None = None

    def __add__(self, other: ColumnFacts) -> ColumnFacts:
        order = self.order
        if other.order is not None:
            order = tuple(dict.fromkeys((*(self.order or ()), *other.order)))
        return ColumnFacts(self.signs | other.signs, self.family or other.family, order)


@dataclass(frozen=True)
class Facts:
    """The facts of one or several parts of a table; `name` is that of the first of them.

    If columns are found by their keys (JSON), a part may lack some, and `names` are those of all parts, in the order in
    which they first occur. In every other format all parts have the same columns.
    """

    name: str
    n_rows: int
    names: tuple[str, ...] | None
    columns: tuple[ColumnFacts, ...]
    has_keys: bool = False

    def __add__(self, other: Facts) -> Facts:
        if other.n_rows == 0 and other.has_keys == self.has_keys:
            return self
        if self.n_rows == 0:
            return replace(other, name=self.name) if other.has_keys else other
        if self.has_keys and other.has_keys:
            return self._with_keys(other)
        check_columns(other.name, other.names, other.columns, self.name, self.names, self.columns)
        columns = tuple(a + b for a, b in zip(self.columns, other.columns))
        return replace(self, n_rows=self.n_rows + other.n_rows, columns=columns)

    def _with_keys(self, other: Facts) -> Facts:
        assert self.names is not None
        assert other.names is not None
        columns = dict(zip(self.names, self.columns))
        for name, column in zip(other.names, other.columns):
            columns[name] = columns.get(name, ColumnFacts()) + column
        return Facts(self.name, self.n_rows + other.n_rows, tuple(columns), tuple(columns.values()), True)


def check_columns(
    name: str,
    names: Sequence[str] | None,
    columns: Sequence[ColumnFacts],
    first: str,
    first_names: Sequence[str] | None,
    first_columns: Sequence[ColumnFacts],
) -> None:
    """Raise an error unless a part has the columns of the first one, in the same order, and of the same types."""
    if len(columns) != len(first_columns):
        raise FormatError(
            f"{name}: expected {len(first_columns)} columns, as in {first}, got {len(columns)}. All parts of a table "
            "need the same columns."
        )
    for i, (ours, theirs) in enumerate(zip(names or (), first_names or ())):
        if ours != theirs:
            raise FormatError(
                f"{name}: expected column {i + 1} to be {theirs!r}, as in {first}, got {ours!r}. All parts of a table "
                "need the same columns in the same order."
            )
    for i, (column, other) in enumerate(zip(columns, first_columns)):
        if column.family and other.family and column.family != other.family:
            called = repr((names or first_names or [])[i]) if names or first_names else str(i + 1)
            raise FormatError(
                f"{name}: column {called} has {FAMILIES[column.family]}, but {FAMILIES[other.family]} in {first}. All "
                "parts of a table need columns of the same types: convert one of them."
            )


FAMILIES = {
    "text": "texts",
    "number": "numbers with decimals",
    "integer": "whole numbers",
    "truth": "truth values",
    "time": "dates or times",
}


def family_of(kind: pa.DataType) -> str:
    """Return the family of an Arrow type: columns of one family are read alike.

    >>> family_of(pa.int8()), family_of(pa.dictionary(pa.int8(), pa.string())), family_of(pa.null())
    ('integer', 'text', '')
    """
    if isinstance(kind, pa.BaseExtensionType):
        return family_of(kind.storage_type)
    if pa.types.is_dictionary(kind):
        # Numbers as categories are symbols, whatever their type.
        return "text" if pa.types.is_floating(kind.value_type) else family_of(kind.value_type)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_integer(kind):
        return "integer"
    if pa.types.is_boolean(kind):
        return "truth"
    if pa.types.is_temporal(kind):
        return "time"
    return "" if pa.types.is_null(kind) else "text"
