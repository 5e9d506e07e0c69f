"""The tasks: each turns one part of the table, or one range of the sorted cases, into a file in the scratch folder.

A task is a function of a few plain arguments, so that it can run in another process or on another machine which sees
the same scratch folder. It writes a file under a temporary name and renames it, or bytes at a place that is known
before: so a task that is run twice, or that died in the middle, does no harm.
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase import _native
from casebase.data import Schema
from casebase.data.arrays import as_numpy
from casebase.data.cases import notations_in
from casebase.data.columns import as_text
from casebase.data.features import encode_column
from casebase.data.ids import N_NAMED, are_whole, id_texts
from casebase.data.notation import SHORTEST, Notation, Notations, code_type
from casebase.data.sources import Source
from casebase.data.table import Table
from casebase.data.vocabulary import entries_of
from casebase.errors import CasebaseError
from casebase.formats.columnar_parts import Part
from casebase.formats.facts import Facts
from casebase.formats.plan import Decision, Plan, RawTable
from casebase.formats.registry import Found
from casebase.scale.counting import counts_of, total
from casebase.scale.engine import write_whole
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

    def notations(self, table: Table, columns: Sequence[pa.Array]) -> Notations:
        """Return how the numbers of the features of a part are written."""
        positions = [i for i in range(len(table.names)) if i != table.target]
        numbers = [
            as_numpy(column, null=np.nan) if pa.types.is_floating(column.type) else np.empty(0, np.uint8)
            for column in columns
        ]
        return notations_in(table, positions, self.source, numbers)


@dataclass(frozen=True)
class Counted:
    """The file with the counts of a part, whether its ids are whole numbers, and the texts in columns that are kept."""

    path: Path
    has_whole_ids: bool
    provenance: tuple[pa.Array, ...]


def count_part(shape: Shape, kept: Kept, path: Path) -> Counted:
    """Count the values and classes of a part, and write the counts to a file."""
    table = shape.table(kept)
    assert table.target is not None
    columns = shape.columns(table)
    try:
        counts = counts_of(list(columns), list(columns.values()), table.columns[table.target])
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
    which of them each case has. If they have any, there are arrays of ids, and of codes for the texts of each column of
    `provenance`. Ids that are texts are not here: they do not have the same length, and a model has them in memory in
    any case.
    """

    schema: Schema
    columns: tuple[StoredArray, ...]
    labels: StoredArray
    forms: tuple[tuple[str, ...], ...]
    written: tuple[StoredArray | None, ...]
    ids: StoredArray | None = None
    provenance: tuple[StoredArray, ...] = ()

    @classmethod
    def new(
        cls,
        folder: Path,
        schema: Schema,
        n_cases: int,
        forms: Sequence[frozenset[str]],
        *,
        has_whole_ids: bool = False,
        n_provenance: int = 0,
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
        ids = StoredArray(folder / "given-ids", "int64", n_cases) if has_whole_ids else None
        kept = tuple(StoredArray(folder / f"given-kept-{i}", "uint32", n_cases) for i in range(n_provenance))
        labels = StoredArray(folder / "given-labels", "uint32", n_cases)
        return cls(schema, columns, labels, ascending, written, ids, kept)

    @property
    def n_cases(self) -> int:
        return self.labels.n

    @property
    def notes(self) -> tuple[StoredArray, ...]:
        """The arrays that say how numbers are written."""
        return tuple(array for array in self.written if array is not None)

    def notations(self, ascending: np.ndarray, back: np.ndarray) -> Notations:
        """Return how the numbers of the cases at ascending rows are written, in another order."""
        notations = tuple(
            None
            if forms == (SHORTEST,)
            else Notation(forms, None if written is None else written.take(ascending)[back])
            for forms, written in zip(self.forms, self.written)
        )
        return () if all(one is None for one in notations) else notations

    @property
    def arrays(self) -> tuple[StoredArray, ...]:
        """The arrays that are sorted."""
        return (*self.columns, *self.notes, self.labels)

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
    columns = shape.features(table)
    for column, feature, stored in zip(columns, schema.features, given.columns, strict=True):
        stored.write(start, encode_column(column, feature))
    for i, notation in enumerate(shape.notations(table, columns)):
        written = given.written[i]
        if written is not None:
            place = {form: code for code, form in enumerate(given.forms[i])}
            codes = np.array([place[form] for form in ((SHORTEST,) if notation is None else notation.forms)])
            which = None if notation is None else notation.codes
            written.write(start, np.full(table.n_rows, codes[0]) if which is None else codes[which])
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
    notes = [array.read(start, end) for array in given.notes]
    dtypes = (*(array.dtype for array in given.arrays), "uint32")
    return _divided([*columns, *notes, labels, np.arange(start, end)], dtypes, order, bounds, path)


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
    notes: tuple[StoredArray, ...]

    @classmethod
    def new(cls, folder: Path, given: Given, order: Order) -> "Sorted":
        n = given.n_cases
        columns = (given.columns[i] for i in order.ranks)
        return cls(
            tuple(StoredArray(folder / f"sorted-{rank}", column.dtype, n) for rank, column in enumerate(columns)),
            StoredArray(folder / "sorted-labels", "uint32", n),
            StoredArray(folder / "sorted-rows", "uint32", n),
            StoredArray(folder / "sorted-ids", "int64", n),
            tuple(StoredArray(folder / f"sorted-{note.path.name}", note.dtype, n) for note in given.notes),
        )

    @property
    def arrays(self) -> tuple[StoredArray, ...]:
        return (*self.columns, self.labels, self.row_of, self.ids, *self.notes)

    def write(self, order: Order, start: int, arrays: Sequence[np.ndarray], rows: np.ndarray | slice) -> None:
        """Write some rows of the arrays of a run to their place: columns, how numbers are written, labels, numbers."""
        *columns, labels, numbers = arrays
        for i, stored in zip(order.ranks, self.columns):
            stored.write(start, columns[i][rows])
        for note, stored in zip(columns[len(columns) - len(self.notes) :], self.notes):
            stored.write(start, note[rows])
        for stored, values in ((self.labels, labels), (self.row_of, numbers), (self.ids, numbers)):
            stored.write(start, values[rows])


def sort_range(divisions: list[list[Run]], order: Order, out: Sorted, which: tuple[int, int], start: int) -> None:
    """Sort the cases of one range of a division, which lies at `start` in the sorted memory; write them there."""
    division, part = which
    pieces = [run.read(part) for run in divisions[division] if run.n(part)]
    if not pieces:
        return
    arrays = [np.concatenate(each) for each in zip(*pieces)]
    del pieces
    by_value = _native.lexicographic_order([arrays[i] for i in order.ranks[: order.n_symbolic]], len(arrays[-1]))
    out.write(order, start, arrays, by_value)


def copy_equal(order: Order, out: Sorted, run: Run, which: int, start: int) -> None:
    """Write cases that are equal in all features by which they are sorted: they stay in the order given."""
    out.write(order, start, run.read(which), slice(None))


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
