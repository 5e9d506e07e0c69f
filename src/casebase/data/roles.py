"""What a caller says about the columns of a training table: their kinds, and those that are not learned from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from casebase.data.kinds import Kinds
from casebase.data.sources import Columns
from casebase.data.table import Table
from casebase.data.tables import with_target
from casebase.errors import SchemaError


@dataclass(frozen=True)
class Roles:
    """The kinds of some columns, whether those of the others are found, and the columns of ids, to ignore, and to keep.

    Columns are given by name, or by number from 0; the class counts as a column for `id_column` alone.
    """

    kinds: Mapping[str | int, Any] = field(default_factory=dict)
    finds_kinds: bool = False
    id_column: str | int | None = None
    ignore: Columns = None
    keep: Columns = None

    def kinds_of(self, table: Table) -> Kinds:
        """Return the kinds of a table's columns as `cases_with_kinds` takes them; None if nobody asked."""
        given = dict(self.kinds)
        if self.id_column is not None:
            given[table.names[self._id_position(table, self.id_column)]] = "id"
        if not given:
            return "auto" if self.finds_kinds else None
        kinds: dict[str | int, Any] = {}
        if self.finds_kinds:
            kinds |= {name: "auto" for i, name in enumerate(table.names) if i != table.target}
        return kinds | given

    def _id_position(self, table: Table, column: str | int) -> int:
        """Return the position of the column of ids."""
        position = id_position(table, column)
        if position == table.target:
            raise SchemaError(f"column {table.names[position]!r} is the class: it has no ids.")
        return position


def id_position(table: Table, column: str | int) -> int:
    """Return the position of the column of ids in any table."""
    try:
        position = with_target(table, column).target
    except SchemaError as error:
        raise SchemaError(f"--id-column: {error}") from error
    assert position is not None
    return position
