"""Model files in safetensors format: named arrays and a JSON header; reading executes no code.

The header has the format version, the learner and its parameters; vocabularies are UTF-8 bytes with offsets. Reading
checks the version, a checksum over all arrays, the type and length of every array, and that every index is in bounds,
before any of them reaches a kernel. Writing goes to a temporary file that is renamed at the end, so an interrupted
write leaves the old file unchanged.
"""

import json
import os
import re
import secrets
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from casebase.base.checksums import Digests, as_texts, checksum, combined, damaged, from_texts
from casebase.base.container import Arrays as Arrays
from casebase.base.container import read_arrays, write_arrays
from casebase.errors import CasebaseError, ModelFileError

FORMAT = "casebase-model"
VERSION = 3

Header = dict[str, Any]


def write(path: str | os.PathLike[str], header: Header, arrays: Arrays) -> None:
    """Write a header and arrays; an existing file is replaced only after the new one is complete.

    The arrays are written in blocks, so that mapped ones need no memory of their size.
    """
    target = Path(path)

    # One entry only: the order of several is not fixed, and the same model should give the same bytes.
    def describe(digests: Digests) -> dict[str, str]:
        record = {
            "version": VERSION,
            "checksum": combined(header, arrays, digests),
            "blocks": as_texts(arrays, digests),
            "header": header,
        }
        return {FORMAT: json.dumps(record, ensure_ascii=False, sort_keys=True)}

    if target.exists() and not target.is_file():
        raise CasebaseError(f"Cannot write {target}: it exists and is not a file.")
    temporary = target.parent / f".{target.name}.{secrets.token_hex(4)}.tmp"
    try:
        with open(temporary, "xb") as file:
            if target.exists():  # the permissions of the file that is replaced
                temporary.chmod(target.stat().st_mode & 0o777)
            write_arrays(file, arrays, describe)
            file.flush()
            os.fsync(file.fileno())  # flush to the disk before the old file disappears
        os.replace(temporary, target)
        sync_folder(target.parent)
    except OSError as error:
        raise CasebaseError(f"Cannot write {target}: {error.strerror or error}.") from error
    except (TypeError, UnicodeEncodeError) as error:
        raise CasebaseError(
            f"Cannot write {path}: {error}. Classes and parameters in a model file are text, numbers or booleans."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


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


def read(path: str | os.PathLike[str], *, is_mapped: bool = True) -> tuple[Header, "CheckedArrays"]:
    """Read a header and arrays; an error if the file is damaged, foreign or of another version.

    The arrays are views of the mapped file, which is quick; if not `is_mapped`, they do not depend on it any more.
    """
    source = Path(path)
    metadata, arrays = _read(source, is_mapped)
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
    large = {name: array for name, array in arrays.items() if name in digests}
    if record["checksum"] != checksum(header, arrays, digests) or damaged(large, digests):
        raise ModelFileError(f"{source} is damaged: its checksum does not match its contents.")
    if not isinstance(header, dict):
        raise ModelFileError(f"{source} is damaged: its header is not a record.")
    if not isinstance(header.get("learner", ""), str):
        raise ModelFileError(f"{source} is not a usable model: the name of its learner is not a text.")
    return header, CheckedArrays(arrays)


def _read(source: Path, is_mapped: bool) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    if source.is_dir():
        raise ModelFileError(f"{source} is a folder, not a model file.")
    try:
        with safe_open(source, framework="numpy") as file:  # an error unless it is a safetensors file
            metadata = dict(file.metadata() or {})
        return metadata, read_arrays(source, is_mapped)
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


class CheckedArrays:
    """The arrays of a file; every access checks that an array is as expected."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays

    def has(self, name: str) -> bool:
        return name in self._arrays

    def part(self, prefix: str) -> "CheckedArrays":
        """Return the arrays whose names begin with a prefix, under names without it."""
        n = len(prefix)
        return CheckedArrays({name[n:]: array for name, array in self._arrays.items() if name.startswith(prefix)})

    def get(
        self, name: str, dtypes: str, length: int | None = None, *, below: int | None = None, ndim: int = 1
    ) -> np.ndarray:
        """Return an array, after checking its type, its length, and that all entries lie below a bound."""
        if name not in self._arrays:
            raise ValueError(f"array {name!r} is missing")
        array = self._arrays[name]
        if array.dtype.name not in dtypes.split():
            raise ValueError(f"array {name!r} has type {array.dtype.name}, expected {dtypes}")
        expected = (1,) * (ndim - 1) + (array.shape[-1:] if length is None else (length,))
        if array.ndim != ndim or array.shape != expected:
            raise ValueError(f"array {name!r} has shape {array.shape}, expected {expected}")
        if below is not None and array.size and (array.max() >= below or array.min() < 0):
            raise ValueError(f"array {name!r} contains an index out of bounds")
        return array

    def numbers(self, name: str, length: int | None = None, *, ndim: int = 1) -> np.ndarray:
        """Return an array, after checking that its numbers are finite and not negative."""
        array = self.get(name, "float64", length, ndim=ndim)
        if not np.isfinite(array).all() or (array < 0).any():
            raise ValueError(f"array {name!r} contains a number that is negative or not finite")
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
