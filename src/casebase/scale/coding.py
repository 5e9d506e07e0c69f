"""The coded cases in the order given: codes and numbers by the vocabularies of the whole table, as files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.data import Cases, Schema
from casebase.data.arrays import as_numpy
from casebase.data.columns import as_text
from casebase.data.features import as_recorded, encode_column
from casebase.data.notation import SHORTEST, Notation, Notations, code_type
from casebase.data.table import Table
from casebase.data.vocabulary import entries_of
from casebase.scale.apart import Apart
from casebase.scale.reading import Kept, Shape
from casebase.scale.stored import StoredArray


def forms_of_part(shape: Shape, kept: Kept) -> tuple[frozenset[str], ...]:
    """Return the forms in which the numbers of each feature of a part are written."""
    table = shape.table(kept)
    columns = shape.features(table)
    return tuple(map(_forms, shape.notations(table, columns) or [None] * len(columns)))


def _forms(notation: Notation | None) -> frozenset[str]:
    return frozenset((SHORTEST,) if notation is None else notation.forms)


@dataclass(frozen=True)
class Given:
    """The coded cases in the order given: an array for each feature, and one of labels.

    `forms` are those in which the numbers of each feature are written, and where there are several, `written` says
    which of them each case has. Features with cuts have the `recorded` numbers beside their intervals. If they have
    any, there are arrays of ids, and of codes for the texts of each column of `provenance`. Ids that are texts are not
    here: they do not have the same length, and a model has them in memory in any case. If some cases are kept apart,
    only the others are here, with their numbers in the table as ids unless they have others; `all_ids` are those of all
    cases.
    """

    schema: Schema
    columns: tuple[StoredArray, ...]
    labels: StoredArray
    forms: tuple[tuple[str, ...], ...]
    written: tuple[StoredArray | None, ...]
    recorded: tuple[StoredArray | None, ...]
    ids: StoredArray | None = None
    provenance: tuple[StoredArray, ...] = ()
    all_ids: StoredArray | None = None

    @classmethod
    def new(
        cls,
        folder: Path,
        schema: Schema,
        n_cases: int,
        forms: Sequence[frozenset[str]],
        *,
        has_ids: bool = False,
        n_provenance: int = 0,
        n_apart: int = 0,
        is_numbered: bool = False,
    ) -> "Given":
        columns = tuple(
            StoredArray(folder / f"given-{i}", _dtype(feature.vocabulary), n_cases)
            for i, feature in enumerate(schema.features)
        )
        ascending = tuple(tuple(sorted(each)) for each in forms)
        written = tuple(
            None if len(each) < 2 else StoredArray(folder / f"written-{i}", code_type(len(each)).name, n_cases)
            for i, each in enumerate(ascending)
        )
        ids = StoredArray(folder / "given-ids", "int64", n_cases) if has_ids or is_numbered else None
        all_ids = StoredArray(folder / "given-all-ids", "int64", n_cases + n_apart) if n_apart else ids
        kept = tuple(StoredArray(folder / f"given-kept-{i}", "uint32", n_cases) for i in range(n_provenance))
        labels = StoredArray(folder / "given-labels", "uint32", n_cases)
        numbers = tuple(
            StoredArray(folder / f"recorded-{i}", "float64", n_cases) if feature.is_cut else None
            for i, feature in enumerate(schema.features)
        )
        return cls(schema, columns, labels, ascending, written, numbers, ids, kept, all_ids if has_ids else None)

    @property
    def n_cases(self) -> int:
        return self.labels.n

    @property
    def notes(self) -> tuple[StoredArray, ...]:
        """The arrays that say how numbers are written, and which were recorded."""
        return tuple(array for array in (*self.written, *self.recorded) if array is not None)

    def noted(self, notes: Sequence[np.ndarray]) -> Notations:
        """Return the notation of each feature, from the arrays of some cases."""
        arrays = iter(notes)
        codes = [None if written is None else next(arrays) for written in self.written]
        numbers = [None if stored is None else next(arrays) for stored in self.recorded]
        notations = tuple(
            None if forms == (SHORTEST,) and of_numbers is None else Notation(forms, of_forms, of_numbers)
            for forms, of_forms, of_numbers in zip(self.forms, codes, numbers)
        )
        return () if all(one is None for one in notations) else notations

    def notations(self, ascending: np.ndarray, back: np.ndarray) -> Notations:
        """Return how the numbers of the cases at ascending rows are written, in another order."""
        known = self.noted([note.take(ascending)[back] for note in self.notes])
        notations = tuple(None if one is None else one.written for one in known)
        return () if all(one is None for one in notations) else notations

    @property
    def arrays(self) -> tuple[StoredArray, ...]:
        """The arrays that are sorted."""
        return (*self.columns, *self.notes, self.labels)

    @property
    def all_arrays(self) -> tuple[StoredArray, ...]:
        ids = {array for array in (self.ids, self.all_ids) if array is not None}
        return (*self.arrays, *ids, *self.provenance)

    def read(self, start: int, end: int) -> tuple[list[np.ndarray], np.ndarray]:
        return [column.read(start, end) for column in self.columns], self.labels.read(start, end)


def _dtype(vocabulary: Any) -> str:
    return "float64" if vocabulary is None else vocabulary.dtype.name


def code_part(
    shape: Shape,
    given: Given,
    provenance: tuple[pa.Array, ...],
    apart: Apart | None,
    kept: Kept,
    first: int,
    start: int,
) -> None:
    """Write the codes and numbers of a part to their place among all cases that are learned from.

    The part begins with the case `first` of the table, and with the case `start` of those that are learned from.
    """
    table = shape.table(kept)
    end = first + table.n_rows
    rows = slice(None) if apart is None else apart.learned(first, end)
    if given.ids is not None:
        ids = shape.ids(table)
        if ids is not None and given.all_ids is not None:
            given.all_ids.write(first, as_numpy(ids.cast(pa.int64())))
        if apart is not None:
            known = np.arange(first, end) if given.all_ids is None else given.all_ids.read(first, end)
            given.ids.write(start, known[rows])
        elif kept.rows is not None and given.all_ids is None:
            given.ids.write(start, kept.rows.numbers())
    for column, texts, stored in zip(shape.kept_texts(table), provenance, given.provenance, strict=True):
        codes = as_numpy(pc.index_in(column.dictionary, value_set=texts).cast(pa.int64()))
        stored.write(start, np.append(codes, len(texts))[entries_of(column)][rows])  # one past the last if missing
    columns = shape.features(table)
    for column, feature, stored in zip(columns, given.schema.features, given.columns, strict=True):
        stored.write(start, encode_column(column, feature)[rows])
    for column, feature, numbers in zip(columns, given.schema.features, given.recorded, strict=True):
        if numbers is not None:
            numbers.write(start, encode_column(column, as_recorded(feature))[rows])
    for i, notation in enumerate(shape.notations(table, columns)):
        written = given.written[i]
        if written is not None:
            place = {form: code for code, form in enumerate(given.forms[i])}
            codes = np.array([place[form] for form in ((SHORTEST,) if notation is None else notation.forms)])
            which = None if notation is None else notation.codes
            written.write(start, (np.full(table.n_rows, codes[0]) if which is None else codes[which])[rows])
    given.labels.write(start, label_codes(table, given.schema.classes)[rows])


def label_part(shape: Shape, classes: Sequence[Any], labels: StoredArray, kept: Kept, start: int) -> None:
    """Write the classes of a part to their place among all cases."""
    labels.write(start, label_codes(shape.table(kept), classes))


def label_codes(table: Table, classes: Sequence[Any]) -> np.ndarray:
    """Return the class of each row of a table by its number."""
    assert table.target is not None
    texts = as_text(table.columns[table.target])
    place = {label: code for code, label in enumerate(classes)}
    if not pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_encode()
    codes = np.array([place.get(label, 0) for label in texts.dictionary.to_pylist()], dtype=np.uint32)
    labels: np.ndarray = codes[texts.indices.to_numpy()]
    return labels


def cases_apart(shape: Shape, schema: Schema, apart: Apart, kept: Kept, first: int) -> Cases:
    """Return the cases of a part that are kept apart, in memory."""
    table = shape.table(kept)
    rows = apart.kept(first, first + table.n_rows)
    features = zip(shape.features(table), schema.features, strict=True)
    columns = tuple(encode_column(column, feature)[rows] for column, feature in features)
    return Cases(schema, columns, label_codes(table, schema.classes)[rows], n_cases=len(rows))
