"""Parts that were read, and how their columns become features."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from casebase.data.arrays import as_numpy
from casebase.data.columns import as_text
from casebase.data.ids import id_texts
from casebase.data.notation import Notations
from casebase.data.schema import notations_in
from casebase.data.sources import Source
from casebase.data.table import Table
from casebase.formats.columnar_parts import Part
from casebase.formats.facts import Facts
from casebase.formats.plan import Decision, Plan, RawTable
from casebase.formats.registry import Found
from casebase.scale.stored import StoredArray, whole_file


@dataclass(frozen=True)
class FoldRows:
    """The rows of a part, from `start` to `end` among all cases, that are in a fold, or those that are not."""

    folds: StoredArray
    start: int
    end: int
    fold: int
    are_others: bool

    def chosen(self) -> np.ndarray:
        """Return the rows, by their numbers in the part."""
        is_in = self.folds.read(self.start, self.end) == self.fold
        return np.flatnonzero(~is_in if self.are_others else is_in)

    def numbers(self) -> np.ndarray:
        """Return the rows, by their numbers in the table."""
        numbers: np.ndarray = self.start + self.chosen()
        return numbers


@dataclass(frozen=True)
class Kept:
    """A part that was read, and is kept as Arrow columns in a file; or some of its rows."""

    part: Part
    path: Path
    n_rows: int
    names: tuple[str, ...] | None
    facts: Facts
    found: Found
    rows: FoldRows | None = None

    def raw(self) -> RawTable:
        """Return the part as it was read."""
        if not self.path.exists():
            return self.part.read()
        with pa.memory_map(str(self.path)) as file:
            table = pa.ipc.open_file(file).read_all()
        columns = tuple(
            column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in table.columns
        )
        return RawTable(self.n_rows, self.names, columns, self.facts, self.found)


def read_part(part: Part, path: Path) -> Kept:
    """Parse a part once, and keep it as Arrow columns.

    A file of a format whose types depend on the class is one part, and is read again when the class is known.
    """
    raw = part.read()
    if raw.typed is None and raw.n_rows:
        columns = [narrow(column) for column in raw.columns]
        table = pa.Table.from_arrays(columns, names=[str(i) for i in range(len(columns))])
        with (
            whole_file(path) as temporary,
            pa.OSFile(str(temporary), "wb") as file,
            pa.ipc.new_file(file, table.schema) as writer,
        ):
            writer.write_table(table)
        del table, columns
    result = Kept(part.described(), path, raw.n_rows, raw.names, raw.facts, raw.found)
    del raw
    pa.default_memory_pool().release_unused()  # or the next stages would have that much less
    return result


def narrow(column: pa.Array) -> pa.Array:
    """Return a column with indices of as few bytes as its dictionary needs."""
    if not pa.types.is_dictionary(column.type):
        return column
    n = len(column.dictionary)
    narrow = pa.uint8() if n < 2**8 else pa.uint16() if n < 2**16 else pa.uint32()
    return pa.DictionaryArray.from_arrays(column.indices.cast(narrow), column.dictionary)


@dataclass(frozen=True)
class Shape:
    """How the columns of every part become features: what was decided about them, and what is left out.

    The columns that are `uncounted` are not learned from; `id_column` has the ids. The `source` is known when all
    columns are counted.
    """

    plan: Plan
    decision: Decision
    uncounted: frozenset[str] = frozenset()
    id_column: str | None = None
    provenance: tuple[str, ...] = ()
    source: Source | None = None

    def table(self, kept: Kept) -> Table:
        """Return a part that was read before, with its columns as the whole table decides."""
        table = self.plan.table(kept.raw(), self.decision)
        return table if kept.rows is None else table.take(kept.rows.chosen())

    def columns(self, table: Table) -> dict[str, pa.Array]:
        """Return the columns of a part whose values are counted, by name."""
        names = enumerate(table.names)
        return {name: table.columns[i] for i, name in names if i != table.target and name not in self.uncounted}

    def features(self, table: Table) -> list[pa.Array]:
        """Return the columns of the features of a part."""
        columns = [column for i, column in enumerate(table.columns) if i != table.target]
        return columns if self.source is None else list(self.source.columns(columns))

    def ids(self, table: Table) -> pa.Array | None:
        """Return the ids of a part as texts; an error if one is missing."""
        if self.id_column is None:
            return None
        return id_texts(self.id_column, table.columns[table.names.index(self.id_column)])

    def kept_texts(self, table: Table) -> list[pa.DictionaryArray]:
        """Return the columns of a part that are kept with the cases."""
        columns = (table.columns[table.names.index(name)] for name in self.provenance)
        return [as_text(column).dictionary_encode() for column in columns]

    def notations(self, table: Table, columns: Sequence[pa.Array]) -> Notations:
        """Return how the numbers of the features of a part are written."""
        positions = [i for i in range(len(table.names)) if i != table.target]
        numbers = [
            as_numpy(column, null=np.nan) if pa.types.is_floating(column.type) else np.empty(0, np.uint8)
            for column in columns
        ]
        return notations_in(table, positions, self.source, numbers)
