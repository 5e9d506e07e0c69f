"""Lists of strings: one per line, with a class and a weight behind it if it has them."""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from casebase.errors import FormatError
from casebase.formats.plain_text import read_text
from casebase.strings.inputs import AskedStrings, asked_strings


@dataclass(frozen=True, eq=False)
class StringList:
    """The strings of a file, the class of each (None where there is none), its weight, and its line for errors."""

    asked: AskedStrings
    labels: tuple[str | None, ...]
    weights: np.ndarray
    names: tuple[str, ...]

    def known_labels(self) -> list[str]:
        """Return the classes; an error if one is missing."""
        for label, name in zip(self.labels, self.names):
            if label is None:
                raise FormatError(f"{name}: expected a string, a tab and its class; there is no class.")
        return [str(label) for label in self.labels]


def read_string_list(
    source: str | Path | bytes | BinaryIO, mark: str, *, separator: str = "\t", encoding: str = "utf-8"
) -> StringList:
    """Return the strings of a file; empty lines are skipped.

    >>> found = read_string_list(b"|cat\\tK\\n|city\\tS\\t2\\n", "|")
    >>> found.asked.strings, found.labels, found.weights.tolist()
    (('cat', 'city'), ('K', 'S'), [1.0, 2.0])
    """
    text = read_text(source, encoding=encoding)
    if len(separator) != 1 or separator == mark:
        raise FormatError(f"The separator is one character other than the mark {mark!r}; got {separator!r}.")
    strings, labels, weights, names = [], [], [], []
    for number, line in enumerate(text.data.decode("utf-8").split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        name = f"{text.name}, line {number}"
        string, *rest = line.split(separator)
        if len(rest) > 2:
            raise FormatError(
                f"{name}: expected a string, its class and at most a weight; got {len(rest) + 1} fields. Another "
                "separator?"
            )
        strings.append(string)
        labels.append(rest[0] if rest and rest[0] else None)
        weights.append(_weight(rest[1], name) if len(rest) == 2 else 1.0)
        names.append(name)
    if not strings:
        raise FormatError(f"{text.name} has no strings; expected one a line, such as 'na{mark}tion'.")
    return StringList(asked_strings(strings, mark, names=names), tuple(labels), np.array(weights), tuple(names))


def _weight(text: str, name: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = float("nan")
    if not 0.0 < weight < float("inf"):
        raise FormatError(f"{name}: the third field is a weight above 0; got {text!r}.")
    return weight
