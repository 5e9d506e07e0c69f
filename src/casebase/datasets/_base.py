"""A data set is a table of values, a class for each row, and the names to read them by.

Symbols stay the strings they were; a column of measurements holds floats, so that one table can mix
the two. `?` stands for a missing symbol, `nan` for a missing measurement.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.errors import CasebaseError, unknown_name
from casebase.formats.written import row_writer
from casebase.leftovers import whole_file

MISSING = "?"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table with its classes, readable as attributes or by key.

    `data` has a row for each case and a column for each feature: strings, or floats in the columns
    of measurements. `target` holds each case's class.

    >>> ds = Dataset("coins", np.array([["head"], ["tail"]], dtype=object), np.array(["win", "lose"]),
    ...              ("side",), "Two sides.")
    >>> ds
    Dataset('coins': 2 cases, 1 feature, 2 classes)
    >>> ds["target"] is ds.target
    True
    """

    name: str
    data: np.ndarray
    target: np.ndarray
    feature_names: tuple[str, ...]
    description: str

    def __post_init__(self) -> None:
        if self.data.ndim != 2 or self.data.shape != (len(self.target), len(self.feature_names)):
            raise CasebaseError(
                f"Data set {self.name!r}: data has shape {self.data.shape}, but there are "
                f"{len(self.target)} classes (rows) and {len(self.feature_names)} feature names (columns)."
            )

    def __getitem__(self, key: str) -> Any:
        if key not in self.__dataclass_fields__:
            raise KeyError(unknown_name("key", key, self.__dataclass_fields__))
        return getattr(self, key)

    def __repr__(self) -> str:
        n_cases, n_features = self.data.shape
        counts = (_format_count(n_cases, "case"), _format_count(n_features, "feature"))
        n_classes = len(np.unique(self.target))
        return f"Dataset({self.name!r}: {', '.join(counts)}, {n_classes} class{'es' * (n_classes != 1)})"

    def write_csv(self, path: str | os.PathLike[str], target: str = "class") -> None:
        """Write a CSV file with the class, named `target`, in the last column; missing values are empty."""
        with whole_file(path) as place, open(place, "w", encoding="utf-8", newline="") as file:
            writer = row_writer(file)
            writer.writerow([*self.feature_names, target])
            for row, label in zip(self.data.tolist(), self.target.tolist()):
                writer.writerow([*map(_as_field, row), label])


def from_rows(
    name: str,
    rows: Sequence[Sequence[str]],
    feature_names: Sequence[str],
    description: str,
    *,
    symbolic: bool = True,
) -> Dataset:
    """Return the data set of rows of text, the class last.

    Unless `symbolic`, a column whose known values are all numbers becomes floats.

    >>> from_rows("two", [["1.5", "a", "yes"], ["?", "b", "no"]], ["x", "y"], "", symbolic=False).data
    array([[1.5, 'a'],
           [nan, 'b']], dtype=object)
    """
    table = np.array(rows, dtype=object)
    data = table[:, :-1]
    if not symbolic:
        for column in range(data.shape[1]):
            measured = _as_floats(data[:, column])
            if measured is not None:
                data[:, column] = measured
    return Dataset(name, data, table[:, -1].astype(str), tuple(feature_names), description)


def _as_field(value: Any) -> Any:
    """Return a value as a field of a CSV file: nothing for a missing one, whole numbers without a point."""
    if isinstance(value, float):
        return "" if math.isnan(value) else int(value) if value.is_integer() else value
    return "" if value == MISSING else value


def _as_floats(values: np.ndarray) -> list[float] | None:
    """Return the values as floats, or None if one is not a number."""
    if all(value == MISSING for value in values):
        return None
    try:
        return [float("nan" if value == MISSING else value) for value in values]
    except ValueError:
        return None


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
