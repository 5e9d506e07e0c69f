"""The sorted memory as files: cases are divided into ranges by a key, and each range is sorted alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from casebase import _native
from casebase.data import Schema
from casebase.scale.coding import Given
from casebase.scale.stored import Run, StoredArray, StoredBlock

LAST_KEY = np.uint64(2**64 - 1)
N_SAMPLED = 2_000  # keys of each part, from which the edges of the ranges are taken


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
