"""Arrays on the disk: written in place by many tasks, read in pieces, mapped at the end.

A task that is recorded as done is not run again, so what it wrote must outlive its process, and a loss of power: inside
`flushed`, every file that was written is flushed to the disk before the record of the task is written.
"""

import io
import mmap
import os
import pickle
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from casebase.base.files import sync_folder

BLOCK = 2**20  # rows at a time
_written: ContextVar[set[Path] | None] = ContextVar("written", default=None)


@contextmanager
def flushed() -> Iterator[None]:
    """Flush what is written inside to the disk: a whole file before it has its name, others at the end."""
    written: set[Path] = set()
    token = _written.set(written)
    try:
        yield
    finally:
        _written.reset(token)
    for path in written:
        if path.is_dir():
            sync_folder(path)
        else:
            _flush(path)


def _flush(path: Path) -> None:
    with open(path, "r+b") as file:  # Windows flushes no file that is open for reading alone
        os.fsync(file.fileno())


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary name for a file that appears under its own when it is complete.

    Two processes, even on two machines, may write the same file at the same time: each has a temporary one.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    written = _written.get()
    try:
        yield temporary
        if written is not None:
            _flush(temporary)
            written.add(path.parent)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that appears when it is complete."""
    with whole_file(path) as temporary:
        temporary.write_bytes(data)


def write_at(file: io.FileIO, place: int, data: memoryview) -> None:
    """Write all bytes to a place in a file that has no buffer: an error comes here, and not when the file is closed."""
    file.seek(place)
    while data:
        data = data[file.write(data) :]


def stored_array(array: np.ndarray) -> "StoredArray | None":
    """Return the file that a whole array is mapped from, if it is."""
    if not isinstance(array, np.memmap) or not isinstance(array.base, mmap.mmap) or array.offset or array.ndim != 1:
        return None
    return StoredArray(Path(str(array.filename)), array.dtype.name, len(array))


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self.n_mapped = 0

    def persistent_id(self, value: Any) -> "StoredArray | None":
        stored = stored_array(value) if isinstance(value, np.memmap) else None
        self.n_mapped += stored is not None
        return stored


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.mapped: list[np.ndarray] = []

    def persistent_load(self, stored: "StoredArray") -> np.ndarray:
        self.mapped.append(stored.mapped())
        return self.mapped[-1]


def pickled(value: Any) -> tuple[bytes, bool]:
    """Return a value as bytes, in which arrays that are mapped from files are names of these; and if it has any."""
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(value)
    return file.getvalue(), pickler.n_mapped > 0


def unpickled(data: bytes) -> tuple[Any, list[np.ndarray]]:
    """Return a value that was `pickled`, and its mapped arrays."""
    unpickler = _Unpickler(io.BytesIO(data))
    return unpickler.load(), unpickler.mapped


@dataclass(frozen=True)
class StoredArray:
    """An array in a file of its own, without a header; tasks in other processes know it by its path."""

    path: Path
    dtype: str
    n: int

    def create(self) -> "StoredArray":
        """Give the file its size; what it holds already stays, since a task that is repeated writes the same."""
        with open(self.path, "ab") as file:
            os.truncate(file.fileno(), self.n * self.itemsize)
        return self

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize

    def write(self, start: int, values: np.ndarray) -> None:
        """Write values in place: a task that is repeated writes the same bytes to the same place."""
        data = np.ascontiguousarray(values, dtype=self.dtype).view(np.uint8).data
        with open(self.path, "r+b", buffering=0) as file:
            write_at(file, start * self.itemsize, data)
        written = _written.get()
        if written is not None:
            written.add(self.path)

    def read(self, start: int, end: int) -> np.ndarray:
        """Return a piece of the array in memory."""
        return np.fromfile(self.path, self.dtype, end - start, offset=start * self.itemsize)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Return the values at ascending rows, reading no more than a piece of the array at a time."""
        taken = np.empty(len(rows), dtype=self.dtype)
        edges = np.searchsorted(rows, np.arange(0, self.n + BLOCK, BLOCK))
        for i, (begin, end) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist())):
            if begin < end:
                start = i * BLOCK
                piece = self.read(start, min(start + BLOCK, self.n))
                taken[begin:end] = piece[rows[begin:end] - start]
        return taken

    def mapped(self) -> np.ndarray:
        """Return the whole array as a view of its file."""
        if self.n == 0:
            return np.empty(0, dtype=self.dtype)
        return np.memmap(self.path, dtype=self.dtype, mode="r", shape=(self.n,))


@dataclass(frozen=True)
class StoredBlock:
    """Several arrays of equal length in one file, one after the other."""

    path: Path
    dtypes: tuple[str, ...]
    n: int

    def write(self, arrays: Sequence[np.ndarray]) -> None:
        """Write all arrays; the file appears when it is complete."""
        with whole_file(self.path) as temporary, open(temporary, "wb") as file:
            for dtype, array in zip(self.dtypes, arrays, strict=True):
                # Unlike `tofile`, this says why it cannot write.
                file.write(np.ascontiguousarray(array, dtype=dtype).view(np.uint8).data)

    def read(self, start: int, end: int) -> list[np.ndarray]:
        """Return the same piece of every array."""
        pieces, offset = [], 0
        with open(self.path, "rb") as file:
            for dtype in self.dtypes:
                itemsize = np.dtype(dtype).itemsize
                file.seek(offset + start * itemsize)
                pieces.append(np.fromfile(file, dtype, end - start))
                offset += self.n * itemsize
        return pieces


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


def blocks(n: int, size: int = BLOCK) -> Iterator[slice]:
    """Yield slices of at most `size` rows.

    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))
