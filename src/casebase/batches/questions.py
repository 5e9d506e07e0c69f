"""How the tables of new cases become questions to a model: their ids, and their codes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from casebase.data import Cases, Schema, Table
from casebase.data.ids import column_ids
from casebase.data.roles import id_position
from casebase.errors import CasebaseError, SchemaError
from casebase.formats.source import STANDARD_INPUT


@dataclass(frozen=True)
class Questions:
    """What the caller said about the file of new cases, and the name of the file for errors.

    `id_column` has their ids, by name or number; `names_target` and `names_header` tell whether the caller named the
    class column, and whether the first line is a header.
    """

    path: str
    id_column: str | int | None = None
    names_target: bool = False
    names_header: bool = False

    def with_ids(self, table: Table, schema: Schema) -> Table:
        """Return a table for a model with the ids in the column of ids, which the model may not know."""
        if self.id_column is None:
            return table
        with errors_in(self.path):
            position = id_position(replace(table, target=None), self.id_column)
        name = table.names[position]
        ids = column_ids(name, table.columns[position], are_stored=False)
        if name in schema.column_names and table.is_named:
            return replace(table, ids=ids)
        rest = [i for i in range(len(table.names)) if i != position]
        target = None if table.target is None or table.target == position else rest.index(table.target)
        table = replace(table.select(rest, target), ids=ids)
        # Without names, the number of columns tells whether one is the class, and the ids were one too many.
        return table if self.names_target else schema.mark_target(table)

    def encoded(self, table: Table, schema: Schema, name: str) -> Cases:
        """Return the cases of a table in a model's codes; `name` is that of the file, or of the part of it."""
        try:
            return schema.encode(table)
        except SchemaError as error:
            hint = ""
            if table.is_named and schema.is_named and not self.names_header:
                hint = " If the first line holds values, not names, pass --no-header."
            raise SchemaError(f"{name}: {error}{hint}") from error


@contextmanager
def errors_in(path: str) -> Iterator[None]:
    """Add the name of the file to errors about its cases."""
    try:
        yield
    except CasebaseError as error:
        raise type(error)(f"{shown(path)}: {error}") from error


def shown(path: str) -> str:
    """Return what messages call a file."""
    return STANDARD_INPUT if path == "-" else path
