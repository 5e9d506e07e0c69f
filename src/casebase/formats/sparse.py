"""Sparse and Binary files: a line lists only the features that have a value.

A Sparse line is `(2,red)(9,4.5) class`, a Binary line `2,9,class`; features are numbered from 1. The table is dense: a
feature that a line does not list has the value `0.0000E-17` (Sparse) or `0` (Binary). The compiled kernel reads the
lines; its work is that of the text, however many features there are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection

import numpy as np

from casebase import _native
from casebase.data.arrays import as_integers, as_strings
from casebase.data.arrow import pa
from casebase.errors import FormatError
from casebase.formats.encodings import is_utf8
from casebase.formats.registry import Content, Options
from casebase.formats.source import Source, not_utf8
from casebase.formats.text import coded_column, empty

MAX_FEATURES = 100_000  # the limit for a line of every text format
ABSENT = {"sparse": "0.0000E-17", "binary": "0"}

_PAIRS = re.compile(r"(?:\([0-9]+,[^()]+\))*")


def read_pairs(source: Source, options: Options) -> Content:
    """Return the content of a file that lists, for each case, the features with a value."""
    columns = read_sparse(
        source,
        options.format,
        n_features=options.n_features,
        has_target=options.has_target,
        n_threads=options.n_threads,
    )
    return Content(None, columns)


def read_sparse(
    source: Source, format: str, *, n_features: int | None, has_target: bool, n_threads: int = 1
) -> list[pa.Array]:
    """Return the symbolic columns of a Sparse or Binary text, the class last.

    By default the largest feature number in the text is the number of features.
    """
    if not is_utf8(source.data):
        raise not_utf8(source)
    text = np.frombuffer(source.data, dtype=np.uint8)
    n_most = MAX_FEATURES if n_features is None else min(n_features, MAX_FEATURES)
    lines = _native.ListedLines(text, format == "sparse", has_target, ABSENT[format], n_most, n_threads)
    if lines.problem is not None:
        raise _problem(source, format, has_target, *lines.problem)
    if not lines.n_rows:
        raise empty(source.name)
    n_features = lines.largest if n_features is None else n_features
    _check_features(source, lines, n_features)
    # Features that no line lists are one column: a file may declare many of them, and whoever sees the column again
    # need not look at it again.
    unlisted = _coded(np.zeros(lines.n_rows, dtype=np.uint32), [ABSENT[format]])
    columns = [unlisted] * n_features
    for number, column in lines.columns():
        columns[number - 1] = coded_column(*column)
    return [*columns, coded_column(*lines.classes())] if has_target else columns


def _check_features(source: Source, lines: _native.ListedLines, n_features: int) -> None:
    """Raise an error for features that do not exist, or for more than a table can have."""
    if n_features > MAX_FEATURES:
        raise FormatError(
            f"{source.name}: got {n_features} features, more than the limit of {MAX_FEATURES}. If the file has "
            "another format, pass it (--format)."
        )
    if lines.outside is not None:
        line, feature = lines.outside
        raise FormatError(
            f"{source.line(line)}: expected features 1 to {n_features}, got feature "
            f"{feature}. Pass n_features={feature} (--n-features) or more if the data have that many."
        )
    if lines.is_full:
        raise FormatError(f"{source.name}: a column has more than 2 GB of distinct values, the limit here.")
    n_bytes = 4 * lines.n_rows * lines.n_listed
    if n_bytes > _memory():
        raise FormatError(
            f"{source.name}: {lines.n_rows:,} lines that list {lines.n_listed:,} features make a table of "
            f"{n_bytes / 1e9:,.0f} GB, more than the memory of this machine ({_memory() / 1e9:,.0f} GB). Leave out "
            "features that few lines list, or read fewer lines."
        )


def _memory() -> float:
    """Return the bytes of memory of this machine, without a limit where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _coded(codes: np.ndarray, values: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(as_integers(codes), as_strings(values))


def ends_in_class(line: bytes, format: str, classes: Collection[str]) -> bool:
    """Return whether a line of new cases for a model ends in a class.

    >>> ends_in_class(b"(2,red)(9,4.5) P", "sparse", ["P"]), ends_in_class(b"2,9", "binary", ["P"])
    (True, False)
    """
    text = line.decode("utf-8", "replace").strip(" \t\r")
    if format == "sparse":
        return bool(_without_dot(_PAIRS.sub("", text, count=1).strip(" \t")))
    last = _without_dot(text).rpartition(",")[2].strip(" \t")
    return last in classes or not (last.isascii() and last.isdigit())


def _problem(source: Source, format: str, has_target: bool, kind: str, line: int, text: bytes) -> FormatError:
    """Return the error for a line that the kernel could not read."""
    where, came = source.line(line), _excerpt(text.decode("utf-8"))
    if kind == "nul":
        return FormatError(f"{where}: expected text, got a NUL byte. The file may be binary.")
    if kind == "class" and format == "binary":
        return FormatError(f"{where}: expected a class after the last ',', got nothing.")
    if kind == "class":
        return FormatError(
            f"{where}: expected a class after the (number,value) pairs, got none. If the data have no class, pass "
            "has_target=False."
        )
    if kind == "stray":
        return FormatError(
            f"{where}: expected (number,value) pairs without spaces between them"
            f"{' and then a class' if has_target else ''}, got {came} after the last pair."
        )
    if kind == "field":
        return FormatError(
            f"{where}: expected feature numbers separated by ','"
            f"{', then a class' if has_target else ''}, got {came}. Correct the line, or pass "
            "another format (--format)."
        )
    if kind == "number":
        return FormatError(f"{where}: expected the number of a feature, got {came}.")
    return FormatError(f"{where}: a feature occurs twice. Give each feature at most one value.")


def _without_dot(line: str) -> str:
    return line.removesuffix(".").rstrip(" \t")


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
