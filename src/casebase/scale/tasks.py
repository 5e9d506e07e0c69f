"""The tasks: each turns one part of the table, or one range of the sorted cases, into a file in the scratch folder.

A task is a function of a few plain arguments, so that it can run in another process or on another machine which sees
the same scratch folder. It writes a file under a temporary name and renames it, or bytes at a place that is known
before: so a task that is run twice, or that died in the middle, does no harm.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase import _native
from casebase.data import Schema
from casebase.data.arrays import as_numpy
from casebase.data.columns import as_text
from casebase.data.features import encode_column
from casebase.data.ids import N_NAMED, are_whole, id_texts
from casebase.data.sources import Source
from casebase.data.table import Table
from casebase.data.vocabulary import entries_of
from casebase.errors import CasebaseError
from casebase.formats.columnar_parts import Part
from casebase.formats.facts import Facts
from casebase.formats.plan import Decision, Plan, RawTable
from casebase.formats.registry import Found
from casebase.memory.segments import Segment
from casebase.scale.counting import Counts, counts_of
from casebase.scale.stored import StoredArray, StoredBlock

N_SAMPLED = 2_000  # keys of each part, from which the edges of the ranges are taken


@dataclass(frozen=True)
class Kept:
    """A part that was read, and is kept as Arrow columns in a file."""

    part: Part
    path: Path
    n_rows: int
    names: tuple[str, ...] | None
    facts: Facts
    found: Found

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
        columns = [_narrow(column) for column in raw.columns]
        table = pa.Table.from_arrays(columns, names=[str(i) for i in range(len(columns))])
        temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        with pa.OSFile(str(temporary), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        os.replace(temporary, path)
    return Kept(part, path, raw.n_rows, raw.names, raw.facts, raw.found)


def _narrow(column: pa.Array) -> pa.Array:
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
        return self.plan.table(kept.raw(), self.decision)

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


@dataclass(frozen=True)
class Counted:
    """The counts of a part, whether its ids are whole numbers, and the texts in the columns that are kept."""

    counts: Counts
    has_whole_ids: bool
    provenance: tuple[pa.Array, ...]


def count_part(shape: Shape, kept: Kept) -> Counted:
    """Count the values and classes of a part."""
    table = shape.table(kept)
    assert table.target is not None
    columns = shape.columns(table)
    try:
        counts = counts_of(list(columns), list(columns.values()), table.columns[table.target])
        ids = shape.ids(table)
    except CasebaseError as error:
        raise type(error)(f"{kept.part.name}: {error}") from None
    texts = tuple(column.dictionary for column in shape.kept_texts(table))
    return Counted(counts, ids is None or are_whole(ids), texts)


@dataclass(frozen=True)
class Given:
    """The coded cases in the order given: an array for each feature, and one of labels.

    If they have any, there are arrays of ids, and of codes for the texts of each column of `provenance`. Ids that are
    texts are not here: they do not have the same length, and a model has them in memory in any case.
    """

    schema: Schema
    columns: tuple[StoredArray, ...]
    labels: StoredArray
    ids: StoredArray | None = None
    provenance: tuple[StoredArray, ...] = ()

    @classmethod
    def new(
        cls, folder: Path, schema: Schema, n_cases: int, *, has_whole_ids: bool = False, n_provenance: int = 0
    ) -> "Given":
        columns = tuple(
            StoredArray(folder / f"given-{i}", _dtype(feature.vocabulary), n_cases)
            for i, feature in enumerate(schema.features)
        )
        ids = StoredArray(folder / "given-ids", "int64", n_cases) if has_whole_ids else None
        kept = tuple(StoredArray(folder / f"given-kept-{i}", "uint32", n_cases) for i in range(n_provenance))
        return cls(schema, columns, StoredArray(folder / "given-labels", "uint32", n_cases), ids, kept)

    @property
    def n_cases(self) -> int:
        return self.labels.n

    @property
    def arrays(self) -> tuple[StoredArray, ...]:
        """The arrays that are sorted."""
        return (*self.columns, self.labels)

    @property
    def all_arrays(self) -> tuple[StoredArray, ...]:
        return (*self.arrays, *([] if self.ids is None else [self.ids]), *self.provenance)

    def read(self, start: int, end: int) -> tuple[list[np.ndarray], np.ndarray]:
        return [column.read(start, end) for column in self.columns], self.labels.read(start, end)


def _dtype(vocabulary: Any) -> str:
    return "float64" if vocabulary is None else vocabulary.dtype.name


def code_part(shape: Shape, given: Given, provenance: tuple[pa.Array, ...], kept: Kept, start: int) -> None:
    """Write the codes and numbers of a part to their place among all cases."""
    table = shape.table(kept)
    assert table.target is not None
    schema = given.schema
    if given.ids is not None:
        ids = shape.ids(table)
        assert ids is not None
        given.ids.write(start, as_numpy(ids.cast(pa.int64())))
    for column, texts, stored in zip(shape.kept_texts(table), provenance, given.provenance, strict=True):
        codes = as_numpy(pc.index_in(column.dictionary, value_set=texts).cast(pa.int64()))
        stored.write(start, np.append(codes, len(texts))[entries_of(column)])  # one past the last text if missing
    for column, feature, stored in zip(shape.features(table), schema.features, given.columns, strict=True):
        stored.write(start, encode_column(column, feature))
    texts = as_text(table.columns[table.target])
    place = {label: code for code, label in enumerate(schema.classes)}
    if not pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_encode()
    codes = np.array([place.get(label, 0) for label in texts.dictionary.to_pylist()], dtype=np.uint32)
    given.labels.write(start, codes[texts.indices.to_numpy()])


@dataclass(frozen=True)
class Order:
    """How cases are sorted: the features in this order, of which the first are packed into a key of 64 bits."""

    ranks: tuple[int, ...]
    n_symbolic: int
    bits: tuple[int, ...]

    @classmethod
    def by(cls, schema: Schema, order: list[int]) -> "Order":
        symbolic = [i for i in order if schema.features[i].vocabulary is not None]
        bits: list[int] = []
        for i in symbolic:
            vocabulary = schema.features[i].vocabulary
            assert vocabulary is not None
            n_bits = max(1, (max(len(vocabulary), 1) - 1).bit_length())
            if sum(bits) + n_bits > 64:
                break
            bits.append(n_bits)
        return cls(tuple(order), len(symbolic), tuple(bits))

    def keys(self, columns: list[np.ndarray]) -> np.ndarray:
        """Return a number per case: cases that are sorted before others have no larger one."""
        keys = np.zeros(len(columns[0]), dtype=np.uint64)
        for i, n_bits in zip(self.ranks, self.bits):
            keys <<= np.uint64(n_bits)
            keys |= columns[i].astype(np.uint64)
        return keys


def sample_keys(given: Given, order: Order, start: int, end: int) -> np.ndarray:
    """Return the keys of some cases of a part."""
    columns, _ = given.read(start, end)
    step = max(1, (end - start) // N_SAMPLED)
    return order.keys([column[::step] for column in columns])


@dataclass(frozen=True)
class Run:
    """The cases of a part by range: `edges` are where each range begins in the file, and one past the last."""

    block: StoredBlock
    edges: np.ndarray

    def read(self, part: int) -> list[np.ndarray]:
        """Return the columns, the labels and the numbers of the cases in one range."""
        return self.block.read(int(self.edges[part]), int(self.edges[part + 1]))

    def remove(self) -> None:
        self.block.path.unlink(missing_ok=True)


def starts_of(runs: list[Run]) -> list[int]:
    """Return where each range begins among all sorted cases."""
    sizes = np.sum([np.diff(run.edges) for run in runs], axis=0)
    starts: list[int] = np.concatenate([[0], np.cumsum(sizes)])[:-1].tolist()
    return starts


def divide_part(given: Given, order: Order, bounds: np.ndarray, start: int, end: int, path: Path) -> Run:
    """Write the cases of a part range by range; `bounds` are the first keys of all ranges but the first."""
    columns, labels = given.read(start, end)
    ranges = np.searchsorted(bounds, order.keys(columns), side="right")
    n_ranges = len(bounds) + 1
    by_range = np.argsort(ranges.astype(np.uint16 if n_ranges < 2**16 else np.uint32), kind="stable")
    dtypes = (*(array.dtype for array in given.arrays), "uint32")
    block = StoredBlock(path, dtypes, end - start)
    block.write([*(column[by_range] for column in columns), labels[by_range], start + by_range])
    edges = np.concatenate([[0], np.cumsum(np.bincount(ranges, minlength=n_ranges))])
    return Run(block, edges)


@dataclass(frozen=True)
class Sorted:
    """The sorted memory: an array for each rank, labels, the numbers of the cases in the order given, and their ids."""

    columns: tuple[StoredArray, ...]
    labels: StoredArray
    row_of: StoredArray
    ids: StoredArray

    @classmethod
    def new(cls, folder: Path, given: Given, order: Order) -> "Sorted":
        n = given.n_cases
        columns = (given.columns[i] for i in order.ranks)
        return cls(
            tuple(StoredArray(folder / f"sorted-{rank}", column.dtype, n) for rank, column in enumerate(columns)),
            StoredArray(folder / "sorted-labels", "uint32", n),
            StoredArray(folder / "sorted-rows", "uint32", n),
            StoredArray(folder / "sorted-ids", "int64", n),
        )

    @property
    def arrays(self) -> tuple[StoredArray, ...]:
        return (*self.columns, self.labels, self.row_of, self.ids)

    def segment(self, columns: Sequence[StoredArray], labels: StoredArray) -> Segment:
        """Return a memory of these columns and labels, as mapped files."""
        mapped = tuple(column.mapped() for column in columns)
        return Segment(mapped, labels.mapped(), None, None, self.row_of.mapped(), self.ids.mapped())


def sort_range(runs: list[Run], order: Order, out: Sorted, which: int, start: int) -> None:
    """Sort the cases of one range, which lies at `start` in the sorted memory, and write them to their place."""
    pieces = [run.read(which) for run in runs if run.edges[which] < run.edges[which + 1]]
    if not pieces:
        return
    *columns, labels, rows = (np.concatenate(each) for each in zip(*pieces))
    del pieces
    by_value = _native.lexicographic_order([columns[i] for i in order.ranks[: order.n_symbolic]], len(labels))
    for i, stored in zip(order.ranks, out.columns):
        stored.write(start, columns[i][by_value])
    out.labels.write(start, labels[by_value])
    out.row_of.write(start, rows[by_value])
    out.ids.write(start, rows[by_value])


def number_part(out: Sorted, start: int, end: int) -> None:
    """Write the numbers and ids of a part of a memory that stays in the order given."""
    rows = np.arange(start, end)
    out.row_of.write(start, rows)
    out.ids.write(start, rows)


def name_part(given: Given, out: Sorted, start: int, end: int) -> None:
    """Write the ids of a part of the sorted memory."""
    assert given.ids is not None
    out.ids.write(start, given.ids.mapped()[out.row_of.read(start, end)])


def divide_ids(given: Given, n_groups: int, start: int, end: int, path: Path) -> Run:
    """Write the ids of a part by groups, so that equal ids meet in one."""
    assert given.ids is not None
    ids = given.ids.read(start, end)
    group = ids % n_groups
    by_group = np.argsort(group, kind="stable")
    block = StoredBlock(path, ("int64", "uint32"), len(ids))
    block.write([ids[by_group], start + by_group])
    return Run(block, np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n_groups))]))


def repeated_ids(runs: list[Run], which: int) -> tuple[int, list[tuple[int, int]]]:
    """Return how many ids of a group occur more than once, and the first few of them: where, and which."""
    ids, rows = (np.concatenate(each) for each in zip(*(run.read(which) for run in runs)))
    order = np.lexsort([rows, ids])
    ids, rows = ids[order], rows[order]
    is_first = np.concatenate([[True], ids[1:] != ids[:-1]])
    twice = np.flatnonzero(is_first & np.concatenate([~is_first[1:], [False]]))
    first = sorted(zip(rows[twice].tolist(), ids[twice].tolist()))
    return len(first), first[:N_NAMED]
