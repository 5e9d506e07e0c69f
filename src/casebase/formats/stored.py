"""Bytes that can be read piece by piece, in any order: a file, bytes in memory, or what came through a pipe.

What can be read only once (standard input, a compressed file), or cannot be cut where a line ends (a text in UTF-16),
is first written to a temporary file. Nothing here holds more of it than a block.
"""

import codecs
import gzip
import io
import os
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO

import pyarrow as pa

from casebase.errors import FormatError
from casebase.formats.rows import N_SAMPLE_BYTES, start_of_text
from casebase.formats.source import (
    GZIP_MAGIC,
    ZSTD_MAGIC,
    Source,
    cannot_read,
    checked_bytes,
    damaged_archive,
    name_and_stream,
    refuse_model,
)
from casebase.leftovers import UNFINISHED

N_FIRST_BYTES = 64
BLOCK = 1 << 22  # bytes


class Scratch:
    """A folder for temporary files, made when the first is needed and removed with this object.

    A copy in another process has no folder of its own and removes nothing.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = folder
        self._made: tempfile.TemporaryDirectory[str] | None = None
        self._n_files = 0

    def new_path(self) -> str:
        """Return a path for one more file."""
        if self._made is None:
            self._made = tempfile.TemporaryDirectory(prefix="casebase-", dir=self.folder)
            UNFINISHED.add(Path(self._made.name))
            weakref.finalize(self._made, UNFINISHED.discard, Path(self._made.name))
        self._n_files += 1
        return os.path.join(self._made.name, f"{self._n_files:06d}")

    def has(self, path: str | None) -> bool:
        """Return whether a file is one of these."""
        return path is not None and self._made is not None and os.path.dirname(path) == self._made.name

    def close(self) -> None:
        if self._made is not None:
            self._made.cleanup()
            self._made = None

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder, "_made": None, "_n_files": 0}


@dataclass(frozen=True)
class Stored:
    """Bytes in a file, or in memory if there is no path; `name` is what errors call them."""

    name: str
    size: int
    path: str | None = None
    data: bytes = field(default=b"", repr=False)

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes between two positions."""
        if self.path is None:
            return self.data if start <= 0 and end >= self.size else self.data[start:end]
        try:
            with open(self.path, "rb") as file:
                file.seek(start)
                return file.read(max(min(end, self.size) - start, 0))
        except OSError as error:
            raise cannot_read(self.name, error) from None

    def source(self, start: int, end: int) -> Source:
        """Return the bytes between two positions, with the number of the lines before them."""
        return Source(self.name, self.read(start, end), partial(self.n_lines, 0, start))

    def n_lines(self, start: int, end: int) -> int:
        """Return the number of line feeds between two positions."""
        return sum(self.read(at, min(at + BLOCK, end)).count(b"\n") for at in range(start, end, BLOCK))

    def blocks(self) -> Iterator[Source]:
        """Yield all bytes in blocks that end where a line ends."""
        start = 0
        while start < self.size:
            end = self.line_end(start + BLOCK)
            yield self.source(start, end)
            start = end

    def line_end(self, position: int) -> int:
        """Return the position after the first line feed from here on; the end if there is none."""
        while position < self.size:
            block = self.read(position, position + (1 << 16))
            found = block.find(b"\n")
            if found >= 0:
                return position + found + 1
            position += len(block)
        return self.size

    def head(self) -> bytes:
        """Return the beginning, as much of it as anything is recognised from, up to the end of a line."""
        n_bytes = 2 * N_SAMPLE_BYTES
        while True:
            data = self.read(0, self.line_end(n_bytes))
            if len(data) == self.size or start_of_text(data) + N_SAMPLE_BYTES + len(codecs.BOM_UTF8) < len(data):
                return data
            n_bytes *= 2

    def arrow(self) -> Any:
        """Return a file for Arrow's readers, which read of it what they need."""
        if self.path is None:
            return pa.BufferReader(self.data)
        return pa.memory_map(self.path)


def stored(source: str | Path | bytes | BinaryIO, scratch: Scratch, most_in_memory: int) -> Stored:
    """Return the uncompressed bytes behind a path, `-`, bytes or a file object."""
    name, stream = name_and_stream(source)
    try:
        start = checked_bytes(name, stream.read(N_FIRST_BYTES))
        refuse_model(name, start)
        kind = "gzip" if start.startswith(GZIP_MAGIC) else "zstd" if start.startswith(ZSTD_MAGIC) else None
        is_path = isinstance(source, str | Path) and source != "-"
        if is_path and kind is None:
            status = os.fstat(stream.fileno())
            if S_ISREG(status.st_mode):
                # The whole path: a part may be read by a process with another working folder.
                return Stored(name, status.st_size, os.path.abspath(str(source)))
        if isinstance(source, bytes) and kind is None:
            return Stored(name, len(source), data=source)
        return _kept(name, _uncompressed(name, start, stream, kind), scratch, most_in_memory)
    except OSError as error:
        raise cannot_read(name, error) from None
    finally:
        if isinstance(source, str | Path) and source != "-":
            stream.close()


def in_utf8(text: Stored, encoding: str, scratch: Scratch, most_in_memory: int) -> Stored:
    """Return a text in UTF-8, without a byte order mark."""
    return _kept(text.name, _transcoded(text, encoding), scratch, most_in_memory)


def _transcoded(text: Stored, encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    is_first = True
    try:
        for at in range(0, text.size + 1, BLOCK):
            piece = decoder.decode(text.read(at, at + BLOCK), final=at + BLOCK > text.size)
            if piece and is_first:
                piece, is_first = piece.removeprefix("\ufeff"), False
            yield piece.encode("utf-8")
    except UnicodeError as error:
        raise FormatError(f"{text.name}: the text is not {encoding}: {error}.") from None


def _uncompressed(name: str, start: bytes, stream: BinaryIO, kind: str | None) -> Iterator[bytes]:
    """Yield what a file that can be read once has after its first bytes, in blocks."""
    whole: Any = io.BufferedReader(_Prefixed(start, stream), BLOCK)
    try:
        if kind == "gzip":
            whole = gzip.GzipFile(fileobj=whole)
        elif kind == "zstd":
            whole = pa.CompressedInputStream(pa.PythonFile(whole, mode="r"), "zstd")
        while block := whole.read(BLOCK):
            yield block
    except (EOFError, OSError, zlib.error) as error:
        if kind is None:
            raise
        raise damaged_archive(name, kind, error) from None


class _Prefixed(io.RawIOBase):
    """A file whose first bytes have been read already."""

    def __init__(self, start: bytes, rest: BinaryIO) -> None:
        self.start, self.rest = start, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.start[: len(buffer)] or self.rest.read(len(buffer))
        self.start = self.start[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def _kept(name: str, blocks: Iterator[bytes], scratch: Scratch, most_in_memory: int) -> Stored:
    """Return blocks as one run of bytes: in memory if they are few, otherwise in a temporary file."""
    held: list[bytes] = []
    size = 0
    for block in blocks:
        held.append(block)
        size += len(block)
        if size > most_in_memory:
            path = scratch.new_path()
            with open(path, "wb") as file:
                file.writelines(held)
                held.clear()
                for rest in blocks:
                    file.write(rest)
                    size += len(rest)
            return Stored(name, size, path)
    return Stored(name, size, data=b"".join(held))
