"""Model files in safetensors format: named arrays and a JSON header; reading executes no code.

The header has the format version, the learner and its parameters; vocabularies are UTF-8 bytes with offsets. Reading
checks the version, a checksum over all arrays, the type and length of every array, and that every index is in bounds,
before any of them reaches a kernel; the large arrays of a large file are checked when they are needed. Writing goes to
a temporary file that is renamed at the end, so an interrupted write leaves the old file unchanged.
"""

import json
import os
import re
import secrets
import sys
import threading
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from safetensors import SafetensorError, safe_open

from casebase.base.checksums import Digests, as_texts, checksum, combined, damaged, from_texts
from casebase.base.container import Arrays as Arrays
from casebase.base.container import Copier, arrays_in, read_arrays, write_arrays
from casebase.base.mapped import MappedFile, file_of
from casebase.errors import CasebaseError, ModelFileError
from casebase.leftovers import UNFINISHED, copy_permissions

FORMAT = "casebase-model"
VERSION = 3
MAPS = os.name != "nt"  # Windows replaces and deletes no file that is mapped: a loaded model could not be saved again
AT_ONCE = 1 << 26  # bytes of large arrays; up to as many, a file is checked as a whole when it is read
HEAVIEST = 1e15  # weight of a case or a node: sums and products of such numbers are finite

Header = dict[str, Any]
Target = str | os.PathLike[str] | BytesIO  # where a model is written: a file, or memory


def write(path: Target, header: Header, arrays: Arrays, copier: Copier | None = None) -> None:
    """Write a header and arrays; an existing file is replaced only after the new one is complete.

    The arrays are written in blocks, so that mapped ones need no memory of their size. A `copier` may write them. With
    a `BytesIO`, the content of the file is written to memory.
    """
    if isinstance(path, BytesIO):
        _write_content(path, "the model", header, arrays, copier)
        return
    target = Path(path)
    if target.exists() and not target.is_file():
        raise CasebaseError(f"Cannot write {target}: it exists and is not a file.")
    temporary = target.parent / f".{target.name}.{secrets.token_hex(4)}.tmp"
    UNFINISHED.add(temporary)
    try:
        with open(temporary, "xb") as file:
            copy_permissions(target, temporary)
            _write_content(file, path, header, arrays, copier)
            file.flush()
            os.fsync(file.fileno())  # flush to the disk before the old file disappears
        os.replace(temporary, target)
        sync_folder(target.parent)
    except OSError as error:
        raise CasebaseError(f"Cannot write {target}: {error.strerror or error}.") from error
    finally:
        temporary.unlink(missing_ok=True)
        UNFINISHED.discard(temporary)


def _write_content(
    file: BinaryIO, name: str | os.PathLike[str], header: Header, arrays: Arrays, copier: Copier | None
) -> None:
    # One entry only: the order of several is not fixed, and the same model should give the same bytes.
    def describe(digests: Digests) -> dict[str, str]:
        record = {
            "version": VERSION,
            "checksum": combined(header, arrays, digests),
            "blocks": as_texts(arrays, digests),
            "header": header,
        }
        return {FORMAT: json.dumps(record, ensure_ascii=False, sort_keys=True)}

    try:
        write_arrays(file, arrays, describe, copier)
    except (TypeError, UnicodeEncodeError) as error:
        raise CasebaseError(
            f"Cannot write {name}: {error}. Classes and parameters in a model file are text, numbers or booleans."
        ) from error


def sync_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that a new or renamed file in it survives a loss of power."""
    if os.name != "posix":  # Windows cannot open folders, and keeps its own journal of names
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove unfinished files that a process has left which ended while it wrote a model file.

    Only the process that has the lock of the model file may do this: another one may be writing.
    """
    target = Path(path)
    is_unfinished = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.tmp").fullmatch
    for name in os.listdir(target.parent):
        if is_unfinished(name):
            (target.parent / name).unlink(missing_ok=True)


def read(
    path: str | os.PathLike[str], *, is_mapped: bool = MAPS, is_complete: bool = False
) -> tuple[Header, "CheckedArrays"]:
    """Read a header and arrays; an error if the file is damaged, foreign or of another version.

    The arrays of a large file are views of the mapped file, which is quick; those of a small one, and all if not
    `is_mapped`, as on Windows, are a copy, which does not depend on the file any more. The header and the small arrays
    are compared with the checksum. So are the large arrays of a small file, or if the check `is_complete`; those of a
    large file when they are taken from the result.
    """
    source = Path(path)
    return _checked(source, *_read(source, is_mapped), is_complete)


def read_content(content: np.ndarray, name: str) -> tuple[Header, "CheckedArrays"]:
    """Read a header and arrays from the bytes of a model file, as `read` does; errors call it by a name."""
    if not isinstance(content, np.ndarray) or content.dtype != np.uint8 or content.ndim != 1:
        raise ModelFileError(f"{name} is damaged: expected the bytes of a model file, got {type(content).__name__}.")
    try:
        metadata, arrays = arrays_in(np.ascontiguousarray(content))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError, MemoryError) as error:
        raise ModelFileError(f"{name} is not a casebase model, or it is truncated ({error}).") from error
    return _checked(Path(name), metadata, arrays, is_complete=True)


def _checked(
    source: Path, metadata: dict[str, str], arrays: Arrays, is_complete: bool
) -> tuple[Header, "CheckedArrays"]:
    if FORMAT not in metadata:
        raise ModelFileError(f"{source} is not a casebase model file.")
    try:
        record = json.loads(metadata[FORMAT])
        version = record["version"]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"{source} is damaged: its header cannot be read.") from error
    if version != VERSION:
        raise ModelFileError(
            f"{source} has model format {version!r}; this casebase reads format {VERSION}. "
            "Train the model again, or use the version of casebase that wrote it."
        )
    if record.keys() != {"version", "checksum", "blocks", "header"}:
        raise ModelFileError(f"{source} is damaged: its header is not complete.")
    header = record["header"]
    try:
        digests = from_texts(record["blocks"], arrays)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{source} is damaged: {error}.") from error
    if record["checksum"] != checksum(header, arrays, digests):
        raise ModelFileError(f"{source} is damaged: its checksum does not match its contents.")
    pending = Pending(source, arrays, digests)
    if is_complete or pending.n_bytes <= AT_ONCE:
        pending.check()
    if not isinstance(header, dict):
        raise ModelFileError(f"{source} is damaged: its header is not a record.")
    if not isinstance(header.get("learner", ""), str):
        raise ModelFileError(f"{source} is not a usable model: the name of its learner is not a text.")
    return header, CheckedArrays(arrays, pending)


def _read(source: Path, is_mapped: bool) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    if source.is_dir():
        raise ModelFileError(f"{source} is a folder, not a model file.")
    try:
        with safe_open(source, framework="numpy") as file:  # an error unless it is a safetensors file
            metadata = dict(file.metadata() or {})
        # A copy does not depend on the file any more, and of so few bytes it costs little.
        return metadata, read_arrays(source, is_mapped and source.stat().st_size > AT_ONCE)
    except FileNotFoundError as error:
        raise ModelFileError(f"{source}: there is no such file.") from error
    except OSError as error:
        raise ModelFileError(f"Cannot read {source}: {error.strerror or error}.") from error
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise ModelFileError(f"{source} is not a casebase model file, or it is truncated ({error}).") from error


def stored_checksum(path: str | os.PathLike[str]) -> str:
    """Return the checksum in a model file, which `read` has compared with its content."""
    with safe_open(path, framework="numpy") as file:
        return str(json.loads(file.metadata()[FORMAT])["checksum"])


class Pending:
    """The large arrays of a file, by name, whose bytes have not been compared with their digests yet."""

    def __init__(self, source: Path, arrays: Arrays, digests: Digests) -> None:
        self.source = source
        self._arrays = {name: array for name, array in arrays.items() if name in digests}
        self._digests = digests
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type["Pending"], tuple[Path, Arrays, Digests]]:
        return Pending, (self.source, self._arrays, self._digests)

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self._arrays.values())

    def check(self, names: Iterable[str] | None = None) -> None:
        """Compare these arrays, by default all, with their digests, in threads; an error if one is damaged."""
        with self._lock:
            wanted = list(self._arrays if names is None else names)
            waiting = {name: self._arrays[name] for name in wanted if name in self._arrays}
            if not waiting:
                return
            wrong = damaged(waiting, self._digests)
            if wrong:
                what = ", ".join(repr(name) for name in wrong)
                raise ModelFileError(f"{self.source} is damaged: its checksum does not match its contents (in {what}).")
            for name in waiting:
                del self._arrays[name]


@cache
def _type_name(dtype: "np.dtype[Any]") -> str:
    return dtype.name  # composed anew at every access


class CheckedArrays:
    """The arrays of a file; every access checks that an array is as expected."""

    def __init__(self, arrays: Arrays, pending: Pending | None = None, prefix: str = "") -> None:
        self._arrays = arrays
        self._pending = Pending(Path(), {}, {}) if pending is None else pending
        self._prefix = prefix

    @property
    def source(self) -> Path:
        """The file that the arrays are from."""
        return self._pending.source

    @property
    def mapped(self) -> np.memmap | None:
        """The mapped file that the arrays are views of; None if they are copies."""
        for array in self._arrays.values():
            owner: Any = array
            while isinstance(owner, np.ndarray):
                if isinstance(owner, np.memmap):
                    return owner
                owner = owner.base
        return None

    @property
    def file(self) -> MappedFile | None:
        """What says whether the mapped file is still whole; None if the arrays are copies."""
        return next(filter(None, map(file_of, self._arrays.values())), None)

    def has(self, name: str) -> bool:
        return name in self._arrays

    def part(self, prefix: str) -> "CheckedArrays":
        """Return the arrays whose names begin with a prefix, under names without it."""
        n = len(prefix)
        part = {name[n:]: array for name, array in self._arrays.items() if name.startswith(prefix)}
        return CheckedArrays(part, self._pending, self._prefix + prefix)

    def check(self, names: Iterable[str] | None = None) -> None:
        """Compare arrays, by default all, with the checksum, unless this was done before."""
        self._pending.check(self._prefix + name for name in (self._arrays if names is None else names))

    def is_pending(self, name: str) -> bool:
        """Return whether the bytes of an array have not been compared with the checksum yet."""
        return self._prefix + name in self._pending

    def unchecked(self, name: str, dtypes: str, length: int | None = None) -> np.ndarray:
        """Return an array, after checking its type and length only.

        This is for arrays whose entries are nowhere used as an index, or where an index out of bounds is an error.
        """
        return self._shaped(name, dtypes, length, 1)

    def get(
        self, name: str, dtypes: str, length: int | None = None, *, below: int | None = None, ndim: int = 1
    ) -> np.ndarray:
        """Return an array, after checking its bytes, type and length, and that all entries lie below a bound."""
        array = self._shaped(name, dtypes, length, ndim)
        self.check([name])
        if below is not None and array.size and (array.max() >= below or array.min() < 0):
            raise ValueError(f"array {name!r} contains an index out of bounds")
        return array

    def _shaped(self, name: str, dtypes: str, length: int | None, ndim: int) -> np.ndarray:
        """Return an array, after checking its type and length."""
        if name not in self._arrays:
            raise ValueError(f"array {name!r} is missing")
        array = self._arrays[name]
        if _type_name(array.dtype) not in dtypes.split():
            raise ValueError(f"array {name!r} has type {array.dtype.name}, expected {dtypes}")
        expected = (1,) * (ndim - 1) + (array.shape[-1:] if length is None else (length,))
        if array.ndim != ndim or array.shape != expected:
            raise ValueError(f"array {name!r} has shape {array.shape}, expected {expected}")
        return array

    def numbers(
        self, name: str, length: int | None = None, *, ndim: int = 1, at_most: float = sys.float_info.max
    ) -> np.ndarray:
        """Return an array, after checking that its numbers are finite, not negative and not too large."""
        array = self.get(name, "float64", length, ndim=ndim)
        if not ((array >= 0) & (array <= at_most)).all():  # nothing holds for NaN
            raise ValueError(f"array {name!r} contains a number that is negative, not finite or too large")
        return array

    def measurements(self, name: str, length: int | None = None) -> np.ndarray:
        """Return an array, after checking that its numbers are finite or missing."""
        array = self.get(name, "float64", length)
        if np.isinf(array).any():
            raise ValueError(f"array {name!r} contains a number that is not finite")
        return array

    def permutation(self, name: str, length: int, *, ndim: int = 1) -> np.ndarray:
        """Return an array, after checking that it is a permutation of the numbers below its length."""
        array = self.get(name, "uint32", length, below=length, ndim=ndim)
        # n numbers below n are a permutation if and only if each occurs; marking them is faster than sorting.
        occurs = np.zeros(length, dtype=bool)
        occurs[array.reshape(-1)] = True
        if not occurs.all():
            raise ValueError(f"array {name!r} contains a number twice")
        return array

    def offsets(self, name: str, length: int, end: int, dtypes: str = "uint64") -> np.ndarray:
        """Return an array, after checking that it has ascending offsets and ends at `end`."""
        array = self.get(name, dtypes, length)
        if array[-1] != end or (np.diff(array.astype(np.int64)) < 0).any():
            raise ValueError(f"the offsets in array {name!r} do not ascend to {end}")
        return array
