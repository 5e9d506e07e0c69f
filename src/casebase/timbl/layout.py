"""Layouts of lines: how TiMBL splits a line into values and a class, and how it prints them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from casebase.formats.sparse import ABSENT

SEPARATORS = {"Columns": " ", "C4.5": ",", "ARFF": ",", "Tabbed": "\t", "Compact": "", "Sparse": "", "Binary": ","}

_PAIRS = re.compile(r"((?:\([^(),]+,[^()]+\))*)[ \t]*([^ \t()]*)")
_PAIR = re.compile(r"\(([^(),]+),([^()]+)\)")
_BLANK_RUNS = re.compile(r"[ \t\r]+")


@dataclass(frozen=True)
class Layout:
    """How to split the lines of a file: format, number of features, position of the class."""

    format: str
    n_features: int
    width: int = 0
    target: int | None = None  # the position of the class from 0; the last field if None

    @property
    def separator(self) -> str:
        return SEPARATORS[self.format]

    def fields(self, line: str) -> list[str] | None:
        """Return the values and then the class of a line; None if it is malformed.

        >>> Layout("C4.5", 2).fields("a, b ,P.")
        ['a', 'b', 'P']
        """
        if self.format == "Sparse":
            return self._sparse(line)
        if self.format == "Binary":
            return self._binary(line)
        fields = cut(line, self.format, self.width)
        if fields is None or len(fields) != self.n_features + 1:
            return None
        if self.target is not None:
            fields.append(fields.pop(self.target))
        return fields

    def _sparse(self, line: str) -> list[str] | None:
        found = _PAIRS.fullmatch(_without_dot(line))
        if found is None or not found[2]:
            return None
        values = [ABSENT["sparse"]] * self.n_features
        for number, value in _PAIR.findall(found[1]):
            if not number.isdecimal() or not 1 <= int(number) <= self.n_features:
                return None
            values[int(number) - 1] = value
        return [*values, found[2]]

    def _binary(self, line: str) -> list[str] | None:
        *numbers, label = [field for field in _without_dot(line).split(",") if field]
        values = [ABSENT["binary"]] * self.n_features
        for number in numbers:
            number = number.strip(" \t")
            if not number.isdecimal() or not 1 <= int(number) <= self.n_features:
                return None
            values[int(number) - 1] = "1"
        return [*values, label]

    def join(self, values: Sequence[str]) -> str:
        """Return values as TiMBL lists them, with a separator after each."""
        if self.format == "Sparse":
            return "".join(f"({i},{v})" for i, v in enumerate(values, 1) if v != ABSENT["sparse"])
        if self.format == "Binary":
            return "".join(f"{i}," for i, v in enumerate(values, 1) if v == "1")
        return "".join([value + self.separator for value in values])

    def echo(self, fields: Sequence[str]) -> str:
        """Return the values and the class of a test line as they precede the answer."""
        *values, label = fields
        if self.format == "Columns":
            return self.join([field.replace("\\", "\\\\") for field in fields])
        return f"{self.join(values)}{label}{',' if self.format == 'Sparse' else self.separator}"


def cut(line: str, format: str, width: int = 0) -> list[str] | None:
    """Return the fields of a line, empty ones dropped; None if characters are left over.

    >>> cut("a, b ,P.", "C4.5"), cut("axP", "Compact", 1), cut("axPP", "Compact", 3)
    (['a', 'b', 'P'], ['a', 'x', 'P'], None)
    """
    if format == "Columns":
        return line.split()
    if format in ("C4.5", "ARFF"):
        return [value for value in (field.strip(" \t\r") for field in _without_dot(line).split(",")) if value]
    if format == "Tabbed":
        return [field for field in line.rstrip("\r").split("\t") if field]
    line = line.rstrip(" \t\r")
    if len(line) % width:
        return None
    return [line[i : i + width] for i in range(0, len(line), width)]


def detect_format(line: str) -> str:
    """Return the format of a first line: by its commas, and its runs of blanks that do not end it.

    >>> detect_format("a, b, P"), detect_format("a, b c ,P.")
    ('C4.5', 'Columns')
    """
    line = line.rstrip(" \t\r")
    n_commas, n_blanks = line.count(","), len(_BLANK_RUNS.findall(line))
    if n_commas == n_blanks == 0:
        return "Compact"
    return "C4.5" if n_commas >= n_blanks else "Columns"


def n_features_of(line: str, format: str, width: int) -> int:
    """Return the number of features in the first line, counted as the format requires."""
    if format in ("C4.5", "ARFF"):
        return line.count(",")
    if format == "Compact":
        return len(line.rstrip(" \t\r")) // width - 1
    return len(cut(line, format) or []) - 1


def _without_dot(line: str) -> str:
    return line.rstrip(" \t\r").removesuffix(".").rstrip(" \t\r")
