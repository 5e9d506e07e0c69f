"""The tasks: each turns one part of the table, or one range of the sorted cases, into a file in the scratch folder.

A task is a function of a few plain arguments, so that it can run in another process or on another machine which sees
the same scratch folder. It writes a file under a temporary name and renames it, or bytes at a place that is known
before: so a task that is run twice, or that died in the middle, does no harm.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from casebase import _native
from casebase.data import Schema
from casebase.data.columns import as_text
from casebase.data.features import encode_column
from casebase.data.sources import Source
from casebase.data.table import Table
from casebase.errors import CasebaseError
from casebase.formats.columnar_parts import Part
from casebase.formats.facts import Facts
from casebase.formats.plan import Decision, Plan, RawTable
from casebase.formats.registry import Found
from casebase.memory.segments import Segment
from casebase.scale.counting import Counts, counts_of
from casebase.scale.stored import StoredArray, StoredBlock, whole_file

LAST_KEY = np.uint64(2**64 - 1)
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
        with (
            whole_file(path) as temporary,
            pa.OSFile(str(temporary), "wb") as file,
            pa.ipc.new_file(file, table.schema) as writer,
        ):
            writer.write_table(table)
        del table, columns
    result = Kept(part, path, raw.n_rows, raw.names, raw.facts, raw.found)
    del raw
    pa.default_memory_pool().release_unused()  # or the next stages would have that much less
    return result


def _narrow(column: pa.Array) -> pa.Array:
    """Return a column with indices of as few bytes as its dictionary needs."""
    if not pa.types.is_dictionary(column.type):
        return column
    n = len(column.dictionary)
    narrow = pa.uint8() if n < 2**8 else pa.uint16() if n < 2**16 else pa.uint32()
    return pa.DictionaryArray.from_arrays(column.indices.cast(narrow), column.dictionary)


@dataclass(frozen=True)
class Shape:
    """How the columns of every part become features: what was decided about them, and what is left out."""

    plan: Plan
    decision: Decision
    source: Source | None

    def table(self, kept: Kept) -> Table:
        """Return a part that was read before, with its columns as the whole table decides."""
        return self.plan.table(kept.raw(), self.decision)

    def features(self, table: Table) -> tuple[list[str], list[pa.Array]]:
        """Return the names and the columns of the features of a part."""
        positions = [i for i in range(len(table.names)) if i != table.target]
        columns = [table.columns[i] for i in positions]
        if self.source is None:
            return [table.names[i] for i in positions], columns
        return list(self.source.feature_names), list(self.source.columns(columns))


def count_part(shape: Shape, kept: Kept) -> Counts:
    """Count the values and classes of a part."""
    table = shape.table(kept)
    assert table.target is not None
    try:
        return counts_of(*shape.features(table), table.columns[table.target])
    except CasebaseError as error:
        raise type(error)(f"{kept.part.name}: {error}") from None


@dataclass(frozen=True)
class Given:
    """The coded cases in the order given: an array for each feature, and one of labels."""

    schema: Schema
    columns: tuple[StoredArray, ...]
    labels: StoredArray

    @classmethod
    def new(cls, folder: Path, schema: Schema, n_cases: int) -> "Given":
        columns = tuple(
            StoredArray(folder / f"given-{i}", _dtype(feature.vocabulary), n_cases)
            for i, feature in enumerate(schema.features)
        )
        return cls(schema, columns, StoredArray(folder / "given-labels", "uint32", n_cases))

    @property
    def n_cases(self) -> int:
        return self.labels.n

    @property
    def arrays(self) -> tuple[StoredArray, ...]:
        return (*self.columns, self.labels)

    def read(self, start: int, end: int) -> tuple[list[np.ndarray], np.ndarray]:
        return [column.read(start, end) for column in self.columns], self.labels.read(start, end)


def _dtype(vocabulary: Any) -> str:
    return "float64" if vocabulary is None else vocabulary.dtype.name


def code_part(shape: Shape, given: Given, kept: Kept, start: int) -> None:
    """Write the codes and numbers of a part to their place among all cases."""
    table = shape.table(kept)
    assert table.target is not None
    schema = given.schema
    _, columns = shape.features(table)
    for column, feature, stored in zip(columns, schema.features, given.columns, strict=True):
        stored.write(start, encode_column(column, feature))
    texts = as_text(table.columns[table.target])
    place = {label: code for code, label in enumerate(schema.classes)}
    if not pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_encode()
    codes = np.array([place.get(label, 0) for label in texts.dictionary.to_pylist()], dtype=np.uint32)
    given.labels.write(start, codes[texts.indices.to_numpy()])


@dataclass(frozen=True)
class Order:
    """How cases are sorted: by the symbolic features in this order, which take so many bits each.

    Those from `first` on are packed into a key of 64 bits, as many as there is room for; those before it are equal.
    """

    ranks: tuple[int, ...]
    widths: tuple[int, ...]
    first: int = 0

    @classmethod
    def by(cls, schema: Schema, order: list[int]) -> "Order":
        vocabularies = [schema.features[i].vocabulary for i in order]
        sizes = [len(vocabulary) for vocabulary in vocabularies if vocabulary is not None]
        return cls(tuple(order), tuple(max(1, (max(size, 1) - 1).bit_length()) for size in sizes))

    @property
    def n_symbolic(self) -> int:
        return len(self.widths)

    @property
    def end(self) -> int:
        """One past the last feature that is in the key."""
        end, n_bits = self.first, 0
        while end < self.n_symbolic and n_bits + self.widths[end] <= 64:
            n_bits += self.widths[end]
            end += 1
        return end

    @property
    def are_equal(self) -> bool:
        """Whether the cases are equal in all features by which they are sorted."""
        return self.first == self.n_symbolic

    def after_key(self) -> "Order":
        """Return how cases of the same key are sorted."""
        return replace(self, first=self.end)

    def keys(self, columns: list[np.ndarray]) -> np.ndarray:
        """Return a number per case: cases that are sorted before others have no larger one."""
        keys = np.zeros(len(columns[0]), dtype=np.uint64)
        for rank in range(self.first, self.end):
            keys <<= np.uint64(self.widths[rank])
            keys |= columns[self.ranks[rank]].astype(np.uint64)
        return keys


def sample_keys(given: Given, order: Order, start: int, end: int) -> np.ndarray:
    """Return the keys of some cases of a part."""
    columns, _ = given.read(start, end)
    return _sampled(order, columns)


def _sampled(order: Order, columns: list[np.ndarray]) -> np.ndarray:
    step = max(1, len(columns[0]) // N_SAMPLED)
    return order.keys([column[::step] for column in columns])


def bounds_of(keys: np.ndarray, n_ranges: int) -> np.ndarray:
    """Return the first keys of all ranges but the first, so that ranges have about the same number of sampled keys.

    A key that is sampled more than once where a range begins has a range of its own: it may be as large as the table.

    >>> bounds_of(np.array([1, 2, 2, 2, 3, 9, 9, 9], dtype=np.uint64), 4).tolist()
    [2, 3, 9, 10]
    """
    keys = np.sort(keys)
    begin = keys[(np.arange(1, n_ranges) * len(keys)) // n_ranges]
    n_equal = np.searchsorted(keys, begin, side="right") - np.searchsorted(keys, begin, side="left")
    after = begin[(n_equal > 1) & (begin < LAST_KEY)] + np.uint64(1)
    return np.unique(np.concatenate([begin, after]))


@dataclass(frozen=True)
class Run:
    """The cases of a part by range: `edges` are where each range begins in the file, and one past the last."""

    block: StoredBlock
    edges: np.ndarray

    def n(self, which: int) -> int:
        return int(self.edges[which + 1] - self.edges[which])

    def read(self, which: int) -> list[np.ndarray]:
        """Return the columns, the labels and the numbers of the cases in one range."""
        return self.block.read(int(self.edges[which]), int(self.edges[which + 1]))


def divide_part(given: Given, order: Order, bounds: np.ndarray, start: int, end: int, path: Path) -> Run:
    """Write the cases of a part range by range; `bounds` are the first keys of all ranges but the first."""
    columns, labels = given.read(start, end)
    dtypes = (*(array.dtype for array in given.arrays), "uint32")
    return _divided([*columns, labels, np.arange(start, end)], dtypes, order, bounds, path)


def _divided(arrays: list[np.ndarray], dtypes: tuple[str, ...], order: Order, bounds: np.ndarray, path: Path) -> Run:
    n_ranges = len(bounds) + 1
    ranges = np.searchsorted(bounds, order.keys(arrays), side="right")
    by_range = np.argsort(ranges.astype(np.uint16 if n_ranges < 2**16 else np.uint32), kind="stable")
    block = StoredBlock(path, dtypes, len(ranges))
    block.write([array[by_range] for array in arrays])
    edges = np.concatenate([[0], np.cumsum(np.bincount(ranges, minlength=n_ranges))])
    return Run(block, edges)


def sample_range(order: Order, run: Run, which: int) -> np.ndarray:
    """Return the keys of some cases of a run in a range."""
    return _sampled(order, run.read(which))


def divide_range(order: Order, bounds: np.ndarray, run: Run, which: int, path: Path) -> Run:
    """Write the cases of a run in a range that is too large, by smaller ranges."""
    return _divided(run.read(which), run.block.dtypes, order, bounds, path)


@dataclass(frozen=True, eq=False)
class Division:
    """Cases in ranges by their keys, one range after the other from `start` on in the sorted memory."""

    runs: list[Run]
    order: Order
    bounds: np.ndarray
    start: int = 0

    @property
    def n_cases(self) -> int:
        return sum(run.block.n for run in self.runs)

    @property
    def ranges(self) -> "list[Range]":
        sizes = np.sum([np.diff(run.edges) for run in self.runs], axis=0).tolist()
        ranges, start = [], self.start
        for which, size in enumerate(sizes):
            is_one_key = 0 < which < len(self.bounds) and self.bounds[which] - self.bounds[which - 1] == 1
            ranges.append(Range(self, which, start, size, self.order.after_key() if is_one_key else self.order))
            start += size
        return ranges


@dataclass(frozen=True, eq=False)
class Range:
    """One of the ranges of a division, where it lies in the sorted memory, and how its cases are sorted."""

    division: Division
    which: int
    start: int
    n: int
    order: Order

    @property
    def runs(self) -> list[Run]:
        """The runs that have cases of this range."""
        return [run for run in self.division.runs if run.n(self.which)]


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


def sort_range(divisions: list[list[Run]], order: Order, out: Sorted, which: tuple[int, int], start: int) -> None:
    """Sort the cases of one range of a division, which lies at `start` in the sorted memory; write them there."""
    division, part = which
    pieces = [run.read(part) for run in divisions[division] if run.n(part)]
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


def copy_equal(order: Order, out: Sorted, run: Run, which: int, start: int) -> None:
    """Write cases that are equal in all features by which they are sorted: they stay in the order given."""
    *columns, labels, rows = run.read(which)
    for i, stored in zip(order.ranks, out.columns):
        stored.write(start, columns[i])
    out.labels.write(start, labels)
    out.row_of.write(start, rows)
    out.ids.write(start, rows)


def number_part(out: Sorted, start: int, end: int) -> None:
    """Write the numbers and ids of a part of a memory that stays in the order given."""
    rows = np.arange(start, end)
    out.row_of.write(start, rows)
    out.ids.write(start, rows)
