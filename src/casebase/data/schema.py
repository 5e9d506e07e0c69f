"""Where a table has the features and the class that a case base was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase.data.arrow import pa
from casebase.data.features import Feature, as_recorded, encode_column, notation_in, with_points_in
from casebase.data.notation import Notation, Notations, recorded
from casebase.data.sources import NUMERIC, ColumnKind, Source
from casebase.data.table import Layout, Table
from casebase.data.tables import are_records, as_table, records_table
from casebase.errors import SchemaError, unknown_name


@dataclass(frozen=True, eq=False)
class TableSchema:
    """The features and classes of a case base, and the columns of a table that they come from.

    `target` and `target_position` identify the class column of the training table; the position is None if the
    classes were passed separately (`y`). A `source` has the columns of the training table by kind, if the features are
    derived from them: new tables then have the columns of the source. `layout` is how the training file was written.
    """

    features: tuple[Feature, ...]
    classes: tuple[Any, ...]
    target: str = "class"
    is_named: bool = False
    target_position: int | None = None
    source: Source | None = None
    layout: Layout | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    @cached_property
    def has_quotes(self) -> bool:
        """Whether there are ordinals of texts, which are learned as ranks, or dates, which are learned as days."""
        return any(feature.has_quotes for feature in self.features)

    @property
    def cuts(self) -> dict[str, list[float]]:
        """The cuts of the features that are learned as intervals, by name."""
        return {one.name: one.cuts.tolist() for one in self.features if one.is_cut and one.cuts is not None}

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns that a table has: those of the source, or of the features."""
        return self.names if self.source is None else self.source.names

    @property
    def needed_columns(self) -> tuple[str, ...]:
        """The names of the columns that a table with names must have: a source has columns that are left out."""
        return self.names if self.source is None else self.source.needed

    @property
    def kinds(self) -> tuple[ColumnKind, ...]:
        """The kinds of the columns, if the model was trained with kinds."""
        return () if self.source is None else self.source.kinds

    @property
    def provenance_names(self) -> tuple[str, ...]:
        """The names of the columns that are kept with the cases and never compared."""
        return () if self.source is None else self.source.provenance_names

    def position(self, name: str | int) -> int:
        """Return the position of a feature, given by name or by number from 0."""
        if isinstance(name, str):
            if name not in self.names:
                raise SchemaError(unknown_name("feature", name, self.names))
            return self.names.index(name)
        if not 0 <= name < len(self.features):
            raise SchemaError(f"There is no feature {name}: the features are numbered 0 to {len(self.features) - 1}.")
        return int(name)

    def table(self, data: Any) -> Table:
        """Return any table, as `as_table` does; in rows that are dicts, a column that is absent is missing."""
        if self.is_named and are_records(data):
            return records_table(data, self.needed_columns, (*self.column_names, self.target))
        return as_table(data)

    def notations(self, table: Table, columns: Sequence[np.ndarray], which: Sequence[bool] | None = None) -> Notations:
        """Return how the numbers of the features are written in a table; `columns` are the coded features.

        With `which`, only those of some features are asked for. Features with cuts have the numbers beside.
        """
        return notations_in(table, self.positions(table), self.source, columns, which)

    def recorded_notations(self, table: Table, columns: Sequence[np.ndarray]) -> Notations:
        """Return the notations of cases to be stored, with the numbers that features with cuts were learned from."""
        if not any(feature.is_cut or feature.of_numbers for feature in self.features):
            return self.notations(table, columns)
        given = zip(self.features, self.feature_columns(table), columns)
        as_given = [
            encode_column(one, as_recorded(feature)) if feature.is_cut or feature.of_numbers else column
            for feature, one, column in given
        ]
        notations = self.notations(table, as_given) or (None,) * len(self.features)
        return tuple(
            recorded(notation, numbers) if feature.is_cut else notation
            for feature, notation, numbers in zip(self.features, notations, as_given)
        )

    def given_columns(self, table: Table) -> list[pa.Array | None]:
        """Return the columns of a table in the order of the training table; None for one that is left out."""
        return [None if position is None else table.columns[position] for position in self.positions(table)]

    def column_ids(self, table: Table, *, are_stored: bool) -> np.ndarray | None:
        """Return the ids in a table's column of ids; None if the model has none, or the table lacks it."""
        return None if self.source is None else self.source.ids(self.given_columns(table), are_stored=are_stored)

    def feature_columns(self, table: Table) -> tuple[pa.Array, ...]:
        """Return the column of each feature in a table, or the one derived from a column of the source."""
        return self._derived(self.given_columns(table))

    def _derived(self, given: Sequence[pa.Array | None]) -> tuple[pa.Array, ...]:
        if self.layout is not None and self.layout.decimal == ",":
            given = [with_points_in(column) if i in self._of_numbers else column for i, column in enumerate(given)]
        return tuple(given if self.source is None else self.source.columns(given))

    @cached_property
    def _of_numbers(self) -> frozenset[int]:
        """The columns of a table that are numbers for the model."""
        if self.source is not None:
            return frozenset(i for i, one in enumerate(self.source) if one.kind in NUMERIC and not one.order)
        return frozenset(
            i for i, one in enumerate(self.features) if one.kind == "numeric" or one.of_numbers or one.is_cut
        )

    def mark_target(self, table: Table) -> Table:
        """Return a file's table with its class column, if there is one, marked as the target.

        Named columns are matched by name. Without names, a table with one column more than the model takes has its
        class where the training table had it; the columns that are left out may be absent.
        """
        target, n_columns = None, len(table.names)
        if self.is_named and table.is_named:
            target = table.names.index(self.target) if self.target in table.names else None
        elif n_columns == len(self.column_names) + 1:
            target = len(self.column_names) if self.target_position is None else self.target_position
        elif n_columns == len(self.needed_columns) + 1 and n_columns != len(self.column_names):
            before = self.column_names[: self.target_position]
            target = sum(name in self.needed_columns for name in before)
        return replace(table, target=target)

    def positions(self, table: Table) -> list[int | None]:
        """Return the position in a table of each column: by name if both have names, otherwise by position.

        A column that the model leaves out, and that the table does not have, has none.
        """
        if self.is_named and table.is_named:
            absent = [name for name in self.needed_columns if name not in table.names]
            if absent:
                raise SchemaError(
                    f"The table has no column {absent[0]!r}, which the model was trained on. "
                    f"{unknown_name('column', absent[0], table.names)}"
                )
            place = {name: i for i, name in enumerate(table.names)}
            return [place.get(name) for name in self.column_names]
        positions: list[int | None] = [i for i in range(len(table.names)) if i != table.target]
        expected = self.column_names
        if self.source is not None and len(positions) == len(self.needed_columns) != len(expected):
            learned = iter(positions)
            return [next(learned) if column.is_learned else None for column in self.source]
        if len(positions) != len(expected):
            raise SchemaError(
                f"Expected {len(expected)} features ({', '.join(expected[:8])}"
                f"{', …' if len(expected) > 8 else ''}), got {len(positions)}."
            )
        return positions


def notations_in(
    table: Table,
    positions: Sequence[int | None],
    source: Source | None,
    columns: Sequence[np.ndarray],
    which: Sequence[bool] | None = None,
) -> Notations:
    """Return how the numbers of each feature are written in a table; `columns` are the coded features."""
    origins = range(len(columns)) if source is None else source.origins
    found: list[Notation | None] = []
    for i, (origin, column) in enumerate(zip(origins, columns, strict=True)):
        position = None if origin is None else positions[origin]
        if position is None or (which is not None and not which[i]):
            found.append(None)
        else:
            found.append(notation_in(table.columns[position], column, table.notation(position)))
    return () if all(one is None for one in found) else tuple(found)
