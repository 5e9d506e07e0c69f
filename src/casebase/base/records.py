"""Stored cases as records: id, values, provenance, class and weights, to be shown, searched and exported.

Values are those of the training table's columns, including provenance. A model that was trained with kinds of columns
stores features: ranks in place of ordered words, parts in place of dates. Records have the words and the dates again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from casebase.base.leave_out import memory_of
from casebase.base.model import Model
from casebase.base.ordering import Key, text_key
from casebase.data import Schema
from casebase.data.arrays import as_floats, as_integers, as_strings
from casebase.data.arrow import pa, pc
from casebase.data.columns import as_text, spelling
from casebase.data.features import as_written_texts, decode_column
from casebase.data.notation import Notation
from casebase.data.numbers import written_texts
from casebase.data.sources import DATE_PARTS, ColumnKind
from casebase.errors import SchemaError, unknown_name
from casebase.memory.segments import Memory, by_feature

MICROSECONDS = 86_400_000_000  # of a day
FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, eq=False)
class Records:
    """Stored cases in the order of insertion; `weights` and `exemplars` are None if no case has one."""

    ids: pa.Array
    columns: dict[str, pa.Array]
    target: str
    labels: pa.Array
    weights: pa.Array | None = None
    exemplars: pa.Array | None = None
    provenance: dict[str, pa.Array] = field(default_factory=dict)  # texts by column
    levels: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of ordinals, the lowest first
    notations: dict[str, Notation] = field(default_factory=dict)  # how numbers were written, if they were read as text

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def id_name(self) -> str:
        """The name of the column of ids: `id`, or another one if a column has that name."""
        return free_name("id", (*self.columns, *self.provenance, self.target))

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table: the ids, the columns, the provenance, the class, and the weights if there are any."""
        columns = {self.id_name: self.ids, **self.columns, **self.provenance, self.target: self.labels}
        for name, numbers in (("weight", self.weights), ("exemplar_weight", self.exemplars)):
            if numbers is not None:
                columns[free_name(name, columns)] = numbers
        return pa.table(columns)

    @property
    def names(self) -> list[str]:
        """The names of the columns of `to_arrow` and of `rows`."""
        return list(self.to_arrow().column_names)

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows of `to_arrow` with their values as they were written; `spelling` gives the text of each."""
        table = self.to_arrow()
        return list(zip(*(self._values(name, table.column(name)) for name in table.column_names)))

    def _values(self, name: str, column: pa.Array | pa.ChunkedArray) -> list[Any]:
        values: list[Any] = column.to_pylist()
        return self.notations[name].values(values) if name in self.notations else values

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a JSON object for each record: id, values and provenance by column, class, and weights (default 1).

        Numbers that are not written in their shortest spelling are under `written` too, as texts.
        """
        values, provenance = self._by_name(self.columns), self._by_name(self.provenance)
        numbers = [[1.0] * len(self) if part is None else part.to_pylist() for part in (self.weights, self.exemplars)]
        return [
            {
                "id": case,
                "values": of_case,
                **({"written": texts} if (texts := written_texts(of_case)) else {}),
                "provenance": kept,
                "class": label,
                "weight": weight,
                "exemplar_weight": exemplar,
            }
            for case, of_case, kept, label, weight, exemplar in zip(
                self.ids.to_pylist(), values, provenance, self.labels.to_pylist(), *numbers
            )
        ]

    def _by_name(self, columns: dict[str, pa.Array]) -> list[dict[str, Any]]:
        """Return what each record has in some columns."""
        rows = zip(*itertools.starmap(self._values, columns.items())) if columns else [()] * len(self)
        return [dict(zip(columns, row)) for row in rows]

    def as_logged(self) -> list[dict[str, Any]]:
        """Return each record as one flat dictionary, without its id."""
        names = self.names
        return [{name: value for name, value in zip(names, row) if name != self.id_name} for row in self.rows()]

    def take(self, places: np.ndarray) -> Records:
        """Return the records at these places."""
        at = as_integers(places)
        return Records(
            self.ids.take(at),
            {name: column.take(at) for name, column in self.columns.items()},
            self.target,
            self.labels.take(at),
            None if self.weights is None else self.weights.take(at),
            None if self.exemplars is None else self.exemplars.take(at),
            {name: column.take(at) for name, column in self.provenance.items()},
            self.levels,
            {name: notation.take(places) for name, notation in self.notations.items()},
        )

    def where(self, name: str, text: str) -> Records:
        """Return the records with this value in a column, in the class, or as their id; no text is a missing value."""
        column = self._column(name)
        is_missing = column.is_null()
        if not text:
            return self.take(np.flatnonzero(is_missing))
        texts = _texts(column)
        # A number is found however it is spelled: 29.0 is 29.
        wanted = spelling(_as_number(text)) if pa.types.is_floating(column.type) else text
        return self.take(np.flatnonzero(pc.fill_null(pc.equal(texts, wanted), False)))

    def search(self, text: str) -> Records:
        """Return the records with a text in a value, the provenance, the class or the id, in upper or lower case."""
        found = np.zeros(len(self), dtype=bool)
        written = (
            as_strings(list(map(spelling, self._values(name, column)))) if name in self.notations else _texts(column)
            for name, column in self.columns.items()
        )
        for texts in (*written, *map(_texts, (self.ids, *self.provenance.values(), self.labels))):
            is_here = pc.match_substring(texts, text, ignore_case=True)
            found |= pc.fill_null(is_here, False).to_numpy(zero_copy_only=False)
        return self.take(np.flatnonzero(found))

    def sort(self, by: str) -> Records:
        """Return the records by a column, the class or the id: numbers by number, then texts, missing values last.

        A '-' before the column reverses the order; '-' alone reverses the order of insertion.
        """
        if by == "-":
            return self.take(np.arange(len(self))[::-1])
        names = (self.id_name, *self.columns, *self.provenance, self.target)
        is_reversed = by.startswith("-") and by not in names
        name = by[1:] if is_reversed else by
        rank = {level: i for i, level in enumerate(self.levels.get(name, ()))}
        keys = [_sort_key(value, rank) for value in self._column(name).to_pylist()]
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
        return self.take(order[::-1] if is_reversed else order)

    def _column(self, name: str) -> pa.Array:
        if name in self.columns:
            return self.columns[name]
        if name in self.provenance:
            return self.provenance[name]
        if name in (self.target, "class"):
            return self.labels
        if name == self.id_name:
            return self.ids
        raise SchemaError(unknown_name("column", name, (self.id_name, *self.columns, *self.provenance, self.target)))


def _texts(column: pa.Array) -> pa.Array:
    return column if pa.types.is_string(column.type) else as_strings([spelling(value) for value in column.to_pylist()])


def _sort_key(value: Any, rank: dict[str, int]) -> Key:
    if value in rank:
        return (0, rank[value])
    if isinstance(value, int | float) and not isinstance(value, bool):  # with all digits
        return (0, value)
    return text_key(spelling(value))


def _as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def values_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a record's JSON object that has its values, and how its numbers are written."""
    return {name: record[name] for name in ("values", "written") if name in record}


def free_name(name: str, taken: Sequence[str] | dict[str, Any]) -> str:
    """Return a name for a column that no other has.

    >>> free_name("id", ["word", "id"])
    'case_id'
    """
    while name in taken:
        name = f"case_{name}"
    return name


def records_of(model: Model, rows: np.ndarray | None = None) -> Records:
    """Return the stored cases at some rows of the memory; by default all, in the order of insertion."""
    memory, schema = memory_of(model), model.schema
    rows = memory.in_given_order if rows is None else rows
    counts, exemplars, ids = memory.weights_given(rows), memory.exemplars(rows), memory.ids(rows)
    return Records(
        as_integers(ids.astype(np.int64)) if ids.dtype.kind in "iu" else as_strings(list(map(str, ids.tolist()))),
        _columns(schema, memory, rows),
        schema.target,
        _classes(schema).take(as_integers(memory.labels(rows).astype(np.int64))),
        None if counts is None else as_floats(counts),
        None if exemplars is None else as_floats(exemplars),
        _provenance(schema, memory, rows),
        {one.name: one.order for one in schema.source or () if one.order},
        _notations(schema, memory, rows),
    )


def _classes(schema: Schema) -> pa.Array:
    texts = [label for label in schema.classes if isinstance(label, str)]
    return as_strings(texts) if len(texts) == len(schema.classes) else pa.array(list(schema.classes))


def _columns(schema: Schema, memory: Memory, rows: np.ndarray) -> dict[str, pa.Array]:
    """Return the columns of the training table that are stored, by name."""
    features: dict[str, pa.Array] = {}
    notations = memory.notations(rows)
    for position, rank in sorted((position, rank) for rank, position in enumerate(memory.order.tolist())):
        feature = schema.features[position]
        notation = notations[rank] if notations else None
        with memory.in_doubt():
            column = decode_column(memory.column(rank, rows), feature, notation)
        if feature.of_numbers:  # a tree tests numbers by their spelling
            column = as_floats(np.array([np.nan if t is None else float(t) for t in column.to_pylist()]))
        elif (
            feature.vocabulary is not None and notation is not None and not feature.is_cut
        ):  # numbers that are compared as symbols
            column = as_strings(as_written_texts(as_text(column).to_pylist(), notation)).dictionary_encode()
        features[feature.name] = pc.if_else(pc.is_nan(column), None, column) if _is_number(column) else as_text(column)
    if schema.source is None:
        return features
    restored = {one.name: _restored(one, features) for one in schema.source}
    return {name: column for name, column in restored.items() if column is not None}


def _notations(schema: Schema, memory: Memory, rows: np.ndarray) -> dict[str, Notation]:
    """Return how the numbers of the columns were written, by name."""
    notations = by_feature(memory.notations(rows), memory.order, len(schema.features))
    pairs = zip(schema.features, notations)
    return {
        feature.name: notation
        for feature, notation in pairs
        if notation is not None and (feature.vocabulary is None or feature.of_numbers or feature.is_cut)
    }


def _provenance(schema: Schema, memory: Memory, rows: np.ndarray) -> dict[str, pa.Array]:
    """Return the columns that are stored with the cases and never compared, by name."""
    texts = memory.provenance(rows)
    return {} if texts is None else dict(zip(schema.provenance_names, map(as_strings, texts.T.tolist())))


def _is_number(column: pa.Array) -> bool:
    return bool(pa.types.is_floating(column.type))


def _restored(column: ColumnKind, features: dict[str, pa.Array]) -> pa.Array | None:
    """Return a column of the training table from the features that were learned from it; None if none is stored."""
    if column.kind == "date":
        days = features.get(f"{column.name}.{DATE_PARTS[-1]}")
        return None if days is None else as_strings([date_of_days(day) for day in days.to_pylist()])
    feature = features.get(column.name)
    if feature is None or not column.order:
        return feature
    return as_strings([None if rank is None else column.order[int(rank) - 1] for rank in feature.to_pylist()])


def date_of_days(days: float | None) -> str | None:
    """Return a date in ISO form, with the time of day if it has one."""
    if days is None:
        return None
    moment = FIRST_DAY + timedelta(days=int(days // 1), microseconds=round(days % 1 * MICROSECONDS))
    return (moment.date() if moment.time() == FIRST_DAY.time() else moment.replace(tzinfo=None)).isoformat()
