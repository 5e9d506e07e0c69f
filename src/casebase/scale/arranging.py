"""The stored cases of a committee, in the order that its readings go by, as files.

The readings take the stored cases in an order that depends on their content alone: by all codes, then by all numbers,
then by class (`autopilot.committee.stored_cases`). The sorted memory is divided by a key into ranges, and each range is
sorted in memory.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from casebase.autopilot.inputs import Features, Inputs, Stored
from casebase.data import Cases, Schema
from casebase.memory.segments import Memory
from casebase.scale.sorting import N_SAMPLED
from casebase.scale.stored import Run, StoredArray, StoredBlock

KEY_BITS = 64


@dataclass(frozen=True)
class Remembered:
    """The sorted memory as files: an array per feature of the schema, and the labels."""

    schema: Schema
    columns: tuple[StoredArray, ...]
    labels: StoredArray

    @classmethod
    def of(cls, schema: Schema, memory: Memory) -> "Remembered":
        (segment,) = memory.segments
        stored = {int(i): _file(segment.columns[rank]) for rank, i in enumerate(memory.order)}
        return cls(schema, tuple(stored[i] for i in range(len(schema.features))), _file(segment.labels))

    def inputs(self, start: int, end: int) -> Inputs:
        """Return a piece of the cases as the readings take them."""
        columns = tuple(column.read(start, end) for column in self.columns)
        return Features.of(self.schema).inputs(Cases(self.schema, columns, None, n_cases=end - start))


def _file(array: np.ndarray) -> StoredArray:
    """Return the file that an array is mapped from."""
    assert isinstance(array, np.memmap)
    return StoredArray(Path(str(array.filename)), array.dtype.name, len(array))


@dataclass(frozen=True)
class Arranged:
    """The arranged cases: features one after the other in two files, classes, and rows of the memory."""

    numbers: StoredArray
    codes: StoredArray
    labels: StoredArray
    rows: StoredArray
    n_codes: np.ndarray

    @classmethod
    def new(cls, folder: Path, inputs: Inputs, n_cases: int) -> "Arranged":
        return cls(
            StoredArray(folder / "arranged-numbers", "float64", inputs.n_numbers * n_cases),
            StoredArray(folder / "arranged-codes", "uint16", len(inputs.codes) * n_cases),
            StoredArray(folder / "arranged-labels", "int64", n_cases),
            StoredArray(folder / "arranged-rows", "int64", n_cases),
            inputs.n_codes,
        )

    @property
    def arrays(self) -> tuple[StoredArray, ...]:
        return (self.numbers, self.codes, self.labels, self.rows)

    def stored(self, schema: Schema, scratch: Path) -> tuple[Stored, np.ndarray]:
        """Return the cases as mapped files, and the row of the memory that each comes from."""
        n, names = self.labels.n, tuple(map(str, schema.classes))
        numbers, codes = (array.mapped().reshape(-1, n) for array in (self.numbers, self.codes))
        inputs = Inputs(numbers, codes, self.n_codes, scratch)
        return Stored(inputs, self.labels.mapped(), None, len(names), names), self.rows.mapped()


def keys_of(inputs: Inputs) -> np.ndarray:
    """Return a number per case: cases that are arranged before others have no larger one.

    It has as many codes as fit, and the beginning of the first number if all of them do.
    """
    keys = np.zeros(inputs.n_cases, dtype=np.uint64)
    left = KEY_BITS
    for codes, n_codes in zip(inputs.codes, inputs.n_codes.tolist()):
        n_bits = max(1, (n_codes - 1).bit_length())
        if n_bits > left:
            return keys
        keys = (keys << np.uint64(n_bits)) | codes.astype(np.uint64)
        left -= n_bits
    if inputs.n_numbers and left:
        beginning = in_order(inputs.numbers[0]) >> np.uint64(KEY_BITS - left)
        keys = beginning if left == KEY_BITS else (keys << np.uint64(left)) | beginning
    return keys


def in_order(numbers: np.ndarray) -> np.ndarray:
    """Return whole numbers in the order of floats, NaN last.

    >>> np.argsort(in_order(np.array([2.0, np.nan, -1.0, 0.5]))).tolist()
    [2, 3, 0, 1]
    """
    bits = np.where(np.isnan(numbers), np.nan, numbers + 0.0).view(np.uint64)  # -0 equals 0
    is_negative = bits >> np.uint64(63) == 1
    return np.where(is_negative, ~bits, bits | np.uint64(1 << 63))


def sample_arrangement(memory: Remembered, start: int, end: int) -> np.ndarray:
    """Return the keys of some cases of a piece of the memory."""
    return keys_of(memory.inputs(start, end))[:: max(1, (end - start) // N_SAMPLED)]


def divide_memory(memory: Remembered, bounds: np.ndarray, start: int, end: int, path: Path) -> Run:
    """Write a piece of the memory range by range; `bounds` are the first keys of all ranges but the first."""
    inputs = memory.inputs(start, end)
    ranges = np.searchsorted(bounds, keys_of(inputs), side="right")
    by_range = np.argsort(ranges, kind="stable")
    arrays = [*inputs.codes, *inputs.numbers, memory.labels.read(start, end), start + np.arange(end - start)]
    dtypes = (*["uint16"] * len(inputs.codes), *["float64"] * inputs.n_numbers, "uint32", "uint32")
    block = StoredBlock(path, dtypes, end - start)
    block.write([array[by_range] for array in arrays])
    return Run(block, np.concatenate([[0], np.cumsum(np.bincount(ranges, minlength=len(bounds) + 1))]))


def arrange_range(runs: list[Run], out: Arranged, which: int, start: int) -> None:
    """Sort the cases of one range, and write them to their place."""
    pieces = [run.read(which) for run in runs if run.edges[which] < run.edges[which + 1]]
    if not pieces:
        return
    *features, labels, rows = (np.concatenate(each) for each in zip(*pieces))
    del pieces
    order = np.lexsort([labels, *features[::-1]])
    n, n_symbolic = out.labels.n, len(out.n_codes)
    for i, column in enumerate(features):
        file, at = (out.codes, i) if i < n_symbolic else (out.numbers, i - n_symbolic)
        file.write(at * n + start, column[order])
    out.labels.write(start, labels[order])
    out.rows.write(start, rows[order])
