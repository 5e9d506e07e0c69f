"""Sparse and Binary files read line by line in Python: the reference for the compiled reader.

A Sparse line is `(2,red)(9,4.5) class`, a Binary line `2,9,class`; features are numbered from 1. The table is dense: a
feature that a line does not list has the value `0.0000E-17` (Sparse) or `0` (Binary).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from casebase.data.arrays import as_integers, as_strings
from casebase.data.arrow import pa
from casebase.errors import FormatError
from casebase.formats.source import Source, not_utf8
from casebase.formats.text import empty

MAX_FEATURES = 100_000  # the limit for a line of every text format
ABSENT = {"sparse": "0.0000E-17", "binary": "0"}

_PAIRS = re.compile(r"(?:\([0-9]+,[^()]+\))*")
_PAIR = re.compile(r"\(([0-9]+),([^()]+)\)")


@dataclass(frozen=True)
class SparseLine:
    """The features that a line lists, their values, and its class."""

    number: int
    features: list[int]
    values: list[str]
    label: str | None


def read_sparse(source: Source, format: str, *, n_features: int | None, has_target: bool) -> list[pa.Array]:
    """Return the symbolic columns of a Sparse or Binary text, the class last.

    By default the largest feature number in the text is the number of features.
    """
    lines = list(_lines(source, format, has_target))
    if not lines:
        raise empty(source.name)
    if n_features is None:
        n_features = max((max(line.features) for line in lines if line.features), default=0)
    if n_features > MAX_FEATURES:
        raise FormatError(
            f"{source.name}: got {n_features} features, more than the limit of {MAX_FEATURES}. If the file has "
            "another format, pass it (--format)."
        )
    listed: dict[int, tuple[np.ndarray, dict[str, int]]] = {}  # codes and values of the features that a line has
    for row, line in enumerate(lines):
        for feature, value in zip(line.features, line.values, strict=True):
            if not 1 <= feature <= n_features:
                raise FormatError(
                    f"{source.name}, line {line.number}: expected features 1 to {n_features}, got feature "
                    f"{feature}. Pass n_features={feature} (--n-features) or more if the data have that many."
                )
            if feature not in listed:
                listed[feature] = np.zeros(len(lines), dtype=np.uint32), {ABSENT[format]: 0}
            codes, known = listed[feature]
            codes[row] = known.setdefault(value, len(known))
    # Features that no line lists are one column: a file may declare many of them, and whoever sees the column again
    # need not look at it again.
    unlisted = _coded(np.zeros(len(lines), dtype=np.uint32), [ABSENT[format]])
    columns = [unlisted] * n_features
    for feature, (codes, known) in listed.items():
        columns[feature - 1] = _coded(codes, list(known))
    if has_target:
        columns.append(pa.array([line.label for line in lines], pa.string()).dictionary_encode())
    return columns


def _coded(codes: np.ndarray, values: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(as_integers(codes), as_strings(values))


def _lines(source: Source, format: str, has_target: bool) -> Iterator[SparseLine]:
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError:
        raise not_utf8(source) from None
    parse = _sparse_line if format == "sparse" else _binary_line
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.strip(" \t\r")
        if not line:
            continue
        where = f"{source.name}, line {number}"
        if "\0" in line:
            raise FormatError(f"{where}: expected text, got a NUL byte. The file may be binary.")
        features, values, label = parse(where, line, has_target)
        if len(set(features)) < len(features):
            raise FormatError(f"{where}: a feature occurs twice. Give each feature at most one value.")
        yield SparseLine(number, features, values, label)


def _sparse_line(where: str, line: str, has_target: bool) -> tuple[list[int], list[str], str | None]:
    pairs = _PAIRS.match(line)
    assert pairs is not None  # the pattern also matches the empty string
    label = _without_dot(line[pairs.end() :].strip(" \t"))
    if has_target and not label:
        raise FormatError(
            f"{where}: expected a class after the (number,value) pairs, got none. If the data have no class, pass "
            "has_target=False."
        )
    if label.startswith("(") or (label and not has_target):
        raise FormatError(
            f"{where}: expected (number,value) pairs without spaces between them"
            f"{' and then a class' if has_target else ''}, got {_excerpt(label)} after the last pair."
        )
    matches = _PAIR.findall(pairs.group())
    return [_number(where, i) for i, _ in matches], [value for _, value in matches], label if has_target else None


def _binary_line(where: str, line: str, has_target: bool) -> tuple[list[int], list[str], str | None]:
    fields = [field.strip(" \t") for field in _without_dot(line).split(",")]
    label = fields.pop() if has_target else None
    for field in fields:
        if not (field.isascii() and field.isdigit()):
            raise FormatError(
                f"{where}: expected feature numbers separated by ','"
                f"{', then a class' if has_target else ''}, got {_excerpt(field)}. Correct the line, or pass "
                "another format (--format)."
            )
    if label == "":
        raise FormatError(f"{where}: expected a class after the last ',', got nothing.")
    return [_number(where, field) for field in fields], ["1"] * len(fields), label


def _number(where: str, digits: str) -> int:
    if len(digits.lstrip("0")) > 9:
        raise FormatError(f"{where}: expected the number of a feature, got {_excerpt(digits)}.")
    return int(digits[-9:])


def _without_dot(line: str) -> str:
    return line.removesuffix(".").rstrip(" \t")


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
