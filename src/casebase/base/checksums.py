"""Checksums of model files, which several threads can verify, and array by array.

An array is hashed in blocks of a fixed size. The checksum of a file is a hash of its header and of the digests of all
blocks. A large array has its digests in the file, so that they can be trusted before its bytes have been read.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from casebase.base.threads import n_cores

BLOCK = 1 << 22  # bytes; a multiple of the size of any element
N_BYTES = 16  # of a digest
Digests = Mapping[str, list[bytes]]


def digest(block: bytes | memoryview) -> bytes:
    return hashlib.blake2b(block, digest_size=N_BYTES).digest()


def n_blocks(array: np.ndarray) -> int:
    return -(-array.nbytes // BLOCK)


def is_large(array: np.ndarray) -> bool:
    """Return whether a file has the digests of an array's blocks."""
    return array.nbytes > BLOCK


def blocks(array: np.ndarray) -> Iterator[memoryview]:
    """Yield the bytes of an array, in the order of its elements, in blocks; only the last one may be shorter."""
    n_elements = BLOCK // array.dtype.itemsize
    little = array.dtype.newbyteorder("<")
    # `flat` takes a copy of a few elements of an array that is not contiguous.
    flat = array.reshape(-1) if array.flags.c_contiguous else array.flat
    for begin in range(0, array.size, n_elements):
        part = flat[begin : begin + n_elements].astype(little, copy=False)
        yield part.view(np.ndarray).view(np.uint8).data


def digests_of(array: np.ndarray) -> list[bytes]:
    return [digest(block) for block in blocks(array)]


def combined(header: dict[str, Any], arrays: Mapping[str, np.ndarray], digests: Digests) -> str:
    """Return the checksum of a header and of arrays whose digests are known: 32 hexadecimal digits."""
    whole = hashlib.blake2b(json.dumps(header, ensure_ascii=False, sort_keys=True).encode(), digest_size=N_BYTES)
    for name in sorted(arrays):
        array = arrays[name]
        whole.update(f"{name}:{array.dtype.newbyteorder('<').str}:{array.shape}:".encode())
        whole.update(b"".join(digests[name]))
    return whole.hexdigest()


def checksum(header: dict[str, Any], arrays: Mapping[str, np.ndarray], known: Digests | None = None) -> str:
    """Return the checksum of a header and arrays: 32 hexadecimal digits; digests that are `known` are not computed."""
    known = known or {}
    return combined(header, arrays, {name: known.get(name) or digests_of(array) for name, array in arrays.items()})


def damaged(arrays: Mapping[str, np.ndarray], digests: Digests) -> list[str]:
    """Return the names of the arrays whose bytes do not have these digests; the blocks are checked by threads."""
    names = [name for name in arrays for _ in digests[name]]
    expected = [one for name in arrays for one in digests[name]]
    every = (block for array in arrays.values() for block in blocks(array))
    with ThreadPoolExecutor(n_cores()) as pool:
        is_right = [found == one for found, one in zip(pool.map(digest, every), expected, strict=True)]
    return list(dict.fromkeys(name for name, right in zip(names, is_right) if not right))


def from_texts(texts: object, arrays: Mapping[str, np.ndarray]) -> dict[str, list[bytes]]:
    """Return the digests of the large arrays from the texts in a file; a ValueError if they are not of these arrays."""
    large = {name: array for name, array in arrays.items() if is_large(array)}
    if not isinstance(texts, dict) or texts.keys() != large.keys():
        raise ValueError("the digests are not those of the large arrays")
    digests = {}
    for name, array in large.items():
        together = bytes.fromhex(texts[name])
        if len(together) != n_blocks(array) * N_BYTES or together.hex() != texts[name]:
            raise ValueError(f"array {name!r} does not have a digest for each block")
        digests[name] = [together[i : i + N_BYTES] for i in range(0, len(together), N_BYTES)]
    return digests


def as_texts(arrays: Mapping[str, np.ndarray], digests: Digests) -> dict[str, str]:
    """Return the digests of the large arrays as a file has them: hexadecimal, one after the other."""
    return {name: b"".join(digests[name]).hex() for name, array in arrays.items() if is_large(array)}
