"""The safetensors container: a JSON header, then the bytes of named arrays, one after the other.

casebase writes it itself, in blocks: a model whose arrays are mapped files is written in constant memory, whatever its
size. The arrays come by descending size of their elements, then by name. So each begins at a multiple of its element
size, without the gaps that the format forbids, and the same arrays always give the same bytes.
"""

import json
import mmap
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from casebase.base.checksums import Digests, blocks, digest, is_large, n_blocks
from casebase.base.mapped import file_of, mapped_array
from casebase.base.threads import n_cores
from casebase.errors import CasebaseError

DTYPES = {"U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64, "I64": np.int64, "F64": np.float64}
KINDS = {"u": "U", "i": "I", "f": "F"}
ALIGNMENT = 8
AHEAD = 4  # blocks per thread that may be written before they are hashed
Arrays = dict[str, np.ndarray]
Metadata = dict[str, str]
# From the digests of the arrays' blocks to the metadata; its length depends only on the number of digests.
Describe = Callable[[Digests], Metadata]


class Copier(Protocol):
    """Writes large arrays to their places in a file by other means than this process."""

    def takes(self, array: np.ndarray) -> bool:
        """Return whether it can write an array."""
        ...

    def copy(self, target: Path, arrays: Sequence[tuple[np.ndarray, int]]) -> list[list[bytes]]:
        """Write arrays, each to a place in the file that is given, and return the digests of their blocks."""
        ...


def write_arrays(file: BinaryIO, arrays: Arrays, describe: Describe, copier: Copier | None = None) -> None:
    """Write arrays to a file, with metadata that may have their digests, which are computed while they are written."""
    arrays = dict(sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])))
    entries, begin = {}, 0
    for name, array in arrays.items():
        entries[name] = {
            "dtype": _type_name(name, array.dtype),
            "shape": list(array.shape),
            "data_offsets": [begin, begin + array.nbytes],
        }
        begin += array.nbytes

    def header(digests: Digests) -> bytes:
        content = {"__metadata__": describe(digests)} | entries
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % ALIGNMENT)
        return len(text).to_bytes(8, "little") + text

    # The header comes first and has the digests: its place is filled with one of the same length, and then overwritten.
    no_digest = digest(b"")
    place = header({name: [no_digest] * n_blocks(array) for name, array in arrays.items()})
    file.write(place)
    final = header(_write_all(file, arrays, copier))
    for mapped in set(filter(None, map(file_of, arrays.values()))):
        mapped.check()  # what was written may be zeros
    assert len(final) == len(place)
    file.seek(0)
    file.write(final)


def _write_all(file: BinaryIO, arrays: Arrays, copier: Copier | None) -> dict[str, list[bytes]]:
    """Write the arrays one after the other, and return the digests of their blocks."""
    n_threads = n_cores()
    digests: dict[str, list[bytes]] = {}
    copied: dict[str, tuple[np.ndarray, int]] = {}
    with ThreadPoolExecutor(n_threads) as pool:
        for name, array in arrays.items():
            digests[name] = []
            if copier is not None and is_large(array) and copier.takes(array):
                copied[name] = array, file.tell()
                file.seek(array.nbytes, os.SEEK_CUR)
                continue
            if not is_large(array):  # most arrays: not worth a thread
                for block in blocks(array):
                    file.write(block)
                    digests[name].append(digest(block))
                continue
            running: deque[tuple[Future[bytes], memoryview]] = deque()
            for block in blocks(array):
                running.append((pool.submit(digest, block), block))
                file.write(block)
                while len(running) > AHEAD * n_threads:
                    digests[name].append(_finish(array, *running.popleft()))
            while running:
                digests[name].append(_finish(array, *running.popleft()))
    if copier is not None and copied:
        file.truncate()  # the last array may be among them
        file.flush()
        digests |= zip(copied, copier.copy(Path(file.name), list(copied.values())))
    return digests


def _finish(array: np.ndarray, future: "Future[bytes]", block: memoryview) -> bytes:
    result = future.result()
    release(array, block)
    return result


def release(array: np.ndarray, block: memoryview | np.ndarray) -> None:
    """Take the pages of a block of a mapped array from the memory of this process; the file keeps them."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and not isinstance(owner, np.memmap):
        owner = owner.base
    # A map in mode "c" has changes that are in no file.
    if not isinstance(owner, np.memmap) or owner.mode == "c" or not hasattr(mmap, "MADV_DONTNEED"):
        return
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if not isinstance(owner, mmap.mmap):
        return
    start = np.frombuffer(owner, dtype=np.uint8).ctypes.data
    begin = np.frombuffer(block, dtype=np.uint8).ctypes.data - start
    end = begin + block.nbytes
    first, last = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE, end // mmap.PAGESIZE * mmap.PAGESIZE
    if 0 <= first < last <= len(owner):
        owner.madvise(mmap.MADV_DONTNEED, first, last - first)


def _type_name(name: str, dtype: np.dtype[Any]) -> str:
    if dtype.kind not in KINDS:
        raise CasebaseError(f"Array {name!r} of a model file must have numbers; got {dtype}.")
    return f"{KINDS[dtype.kind]}{8 * dtype.itemsize}"


def read_arrays(source: Path, is_mapped: bool) -> Arrays:
    """Return the arrays of a safetensors file as views of the memory-mapped file, or of one copy of it.

    The file begins with the length of a JSON header, which has the type, shape and offsets of each array.
    """
    mapped = mapped_array(source) if is_mapped else np.fromfile(source, dtype=np.uint8)
    return arrays_in(mapped.view(np.ndarray))[1]


def arrays_in(data: np.ndarray) -> tuple[Metadata, Arrays]:
    """Return the metadata in the bytes of a safetensors file, and its arrays as views of these bytes."""
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    entries = json.loads(data[8:start].tobytes())
    arrays = {}
    for name, entry in entries.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            array = data[start + begin : start + end].view(DTYPES[entry["dtype"]]).reshape(entry["shape"])
            arrays[name] = array if array.flags.aligned else array.copy()
    return dict(entries.get("__metadata__", {})), arrays
