"""Counts that add up: the values of each column, and how often each occurs with each class.

The counts of two parts of a table add to the counts of both: vocabularies are united, cells are added as whole numbers.
So they do not depend on how a table is cut into parts, and weights, the order of the features and class frequencies
follow from them as from the table itself.
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase import _native
from casebase.data import Feature, Vocabulary
from casebase.data.arrays import as_numpy
from casebase.data.features import checked_range, finite_numbers
from casebase.data.ids import are_whole
from casebase.data.labels import labels_in
from casebase.data.vocabulary import vocabulary_of
from casebase.errors import CasebaseError
from casebase.measures.contingency import Contingency, bin_numbers
from casebase.scale.apart import Apart
from casebase.scale.reading import Kept, Shape
from casebase.scale.stored import write_whole


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """The distinct values of a column, ascending, and its cells: value and class by number, and how many cases.

    The values of a symbolic column are texts, a missing one first; those of a numeric column are numbers, NaN last.
    """

    values: pa.Array | np.ndarray
    value: np.ndarray
    label: np.ndarray
    count: np.ndarray

    @property
    def n_values(self) -> int:
        return len(self.values)

    @property
    def times(self) -> np.ndarray:
        """How many cases have each value."""
        times: np.ndarray = np.bincount(self.value, self.count, minlength=self.n_values).astype(np.int64)
        return times

    def that_occur(self) -> "ColumnCounts":
        """Return the numbers that cases have, without others; a vocabulary of texts keeps all of its values."""
        if not isinstance(self.values, np.ndarray):
            return self
        used, value = np.unique(self.value, return_inverse=True)
        return ColumnCounts(self.values[used], value, self.label, self.count)

    def table(self, codes: np.ndarray, n_values: int, n_classes: int) -> Contingency:
        """Return the contingency table in which the distinct values have these codes, by number."""
        value, label, count = added(codes.astype(np.int64)[self.value], self.label, self.count)
        return Contingency(value, label, count.astype(float), n_values, n_classes)


@dataclass(frozen=True, eq=False)
class Counts:
    """The counts of some cases: the classes in ascending order, how often each occurs, and the counts per column."""

    n_cases: int
    classes: pa.Array
    per_class: np.ndarray
    columns: tuple[ColumnCounts, ...]
    apart: "Counts | None" = None

    def learned(self) -> "Counts":
        """Return the counts without the cases that are kept apart, whose values and classes stay."""
        if self.apart is None:
            return self
        return without(self, self.apart)


def counts_of(names: Sequence[str], columns: Sequence[pa.Array], target: pa.Array) -> Counts:
    """Return the counts of the columns of one part and its class column."""
    classes, labels = labels_in(target)
    n_classes = len(classes)
    counted = tuple(_column_counts(name, column, labels, n_classes) for name, column in zip(names, columns))
    return Counts(
        len(labels),
        pa.array(classes.tolist(), pa.string()),
        np.bincount(labels, minlength=n_classes).astype(np.int64),
        counted,
    )


def _column_counts(name: str, column: pa.Array, labels: np.ndarray, n_classes: int) -> ColumnCounts:
    values: pa.Array | np.ndarray
    if pa.types.is_floating(column.type):
        values, codes = np.unique(checked_range(name, finite_numbers(name, column)), return_inverse=True)
        codes = codes.ravel().astype(np.uint32)
    else:
        vocabulary, codes = vocabulary_of(column)
        values = vocabulary.values
    start, label, count = _native.contingency(codes, labels, None, len(values), n_classes)
    value = np.repeat(np.arange(len(values)), (start[1:] - start[:-1]).astype(np.int64))
    return ColumnCounts(values, value, label.astype(np.int64), count.astype(np.int64))


def total(parts: Sequence[Counts]) -> Counts:
    """Return the counts of all parts together."""
    if len(parts) == 1:
        return parts[0]
    classes, class_of = _united([part.classes for part in parts])
    per_class = np.zeros(len(classes), dtype=np.int64)
    for part, numbers in zip(parts, class_of):
        per_class[numbers] += part.per_class
    columns = []
    for each in zip(*(part.columns for part in parts)):
        values, value_of = _united([column.values for column in each])
        cells = added(
            np.concatenate([numbers[column.value] for column, numbers in zip(each, value_of)]),
            np.concatenate([numbers[column.label] for column, numbers in zip(each, class_of)]),
            np.concatenate([column.count for column in each]),
        )
        columns.append(ColumnCounts(values, *cells))
    apart = [part.apart for part in parts if part.apart is not None]
    n_cases = sum(part.n_cases for part in parts)
    return Counts(n_cases, classes, per_class, tuple(columns), total(apart) if apart else None)


def without(all_cases: Counts, some: Counts) -> Counts:
    """Return the counts of all cases without some of them; classes and values that have no other cases stay."""
    class_of = _united([all_cases.classes, some.classes])[1][1]
    per_class = all_cases.per_class.copy()
    per_class[class_of] -= some.per_class
    columns = []
    for whole, part in zip(all_cases.columns, some.columns, strict=True):
        value_of = _united([whole.values, part.values])[1][1]
        value, label, count = added(
            np.concatenate([whole.value, value_of[part.value]]),
            np.concatenate([whole.label, class_of[part.label]]),
            np.concatenate([whole.count, -part.count]),
        )
        columns.append(ColumnCounts(whole.values, value[count > 0], label[count > 0], count[count > 0]))
    return Counts(all_cases.n_cases - some.n_cases, all_cases.classes, per_class, tuple(columns))


def _united(
    values: Sequence[pa.Array] | Sequence[np.ndarray],
) -> tuple[pa.Array | np.ndarray, list[np.ndarray]]:
    """Return all values in ascending order, and for each list of values their numbers in it."""
    if isinstance(values[0], np.ndarray):
        numbers = np.unique(np.concatenate(values))  # all NaN are one value, the last
        return numbers, [np.searchsorted(numbers, each) for each in values]
    texts = pc.unique(pa.concat_arrays(values))
    texts = texts.take(pc.array_sort_indices(texts, null_placement="at_start"))
    return texts, [as_numpy(pc.index_in(each, value_set=texts).cast(pa.int64())) for each in values]


def added(value: np.ndarray, label: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return cells in ascending order, with the counts of equal cells added."""
    order = np.lexsort([label, value])
    value, label, count = value[order], label[order], count[order]
    is_first = np.concatenate([[True], (value[1:] != value[:-1]) | (label[1:] != label[:-1])])
    first = np.flatnonzero(is_first)
    return value[first], label[first], np.add.reduceat(count, first)


def feature_of(name: str, counts: ColumnCounts) -> tuple[Feature, np.ndarray]:
    """Return the feature of a column, and its distinct values as codes or numbers."""
    if isinstance(counts.values, np.ndarray):
        return Feature(name, "numeric"), checked_range(name, counts.values)
    vocabulary = Vocabulary(counts.values)
    return Feature(name, "symbolic", vocabulary), np.arange(len(vocabulary)).astype(vocabulary.dtype)


def contingency_of(feature: Feature, distinct: np.ndarray, counts: ColumnCounts, n_classes: int) -> Contingency:
    """Return the contingency table of a feature, whose distinct values are these codes or numbers."""
    if feature.vocabulary is not None:
        return counts.table(distinct, len(feature.vocabulary), n_classes)
    codes, n_values = bin_numbers(distinct)
    return counts.table(codes, n_values, n_classes)


@dataclass(frozen=True)
class Counted:
    """The file with the counts of a part, whether its ids are whole numbers, and the texts in columns that are kept."""

    path: Path
    has_whole_ids: bool
    provenance: tuple[pa.Array, ...]


def count_part(shape: Shape, apart: Apart | None, kept: Kept, first: int, path: Path) -> Counted:
    """Count the values and classes of a part, and write the counts to a file; it begins with the case `first`."""
    table = shape.table(kept)
    assert table.target is not None
    columns = shape.columns(table)
    try:
        counts = counts_of(list(columns), list(columns.values()), table.columns[table.target])
        if apart is not None:
            rows = pa.array(apart.kept(first, first + table.n_rows))
            some = [column.take(rows) for column in (*columns.values(), table.columns[table.target])]
            if len(rows):
                counts = replace(counts, apart=counts_of(list(columns), some[:-1], some[-1]))
        ids = shape.ids(table)
    except CasebaseError as error:
        raise type(error)(f"{kept.part.name}: {error}") from None
    write_whole(path, pickle.dumps(counts))
    texts = tuple(column.dictionary for column in shape.kept_texts(table))
    return Counted(path, ids is None or are_whole(ids), texts)


def add_counts(files: Sequence[Path], path: Path) -> Path:
    """Add counts in files, and write the sum to another."""
    write_whole(path, pickle.dumps(total([pickle.loads(file.read_bytes()) for file in files])))
    return path
