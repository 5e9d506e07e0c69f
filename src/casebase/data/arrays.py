"""Conversion between NumPy and Arrow arrays without importing pandas.

`pa.array` and `to_numpy` import pandas, if it is installed, to check whether their argument is one of its arrays.
That import takes longer than learning from a small file.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from casebase.data.arrow import pa


def as_numpy(array: pa.Array, null: float = 0) -> np.ndarray:
    """Return the numbers of an Arrow array, with `null` in place of nulls.

    >>> as_numpy(pa.array([3, None, 1], pa.int64()), null=-1).tolist()
    [3, -1, 1]
    """
    if not array.null_count:
        return np.from_dlpack(array)
    # Arrow stores one validity bit per value, lowest bit first; a sliced array shares its buffers, hence the offset.
    n, offset, (validity, data) = len(array), array.offset, array.buffers()
    is_valid = np.unpackbits(np.frombuffer(validity, np.uint8), count=offset + n, bitorder="little")[offset:]
    # The same buffer as an array without nulls: Arrow's name for the type in NumPy would import pandas.
    numbers = np.from_dlpack(pa.Array.from_buffers(array.type, n, [None, data], 0, offset))
    return np.where(is_valid, numbers, np.array(null, numbers.dtype))


def as_booleans(array: pa.BooleanArray) -> np.ndarray:
    """Return the truth values of an Arrow array, with False in place of nulls.

    >>> as_booleans(pa.array([True, None, False])).tolist()
    [True, False, False]
    """
    return as_numpy(array.cast(pa.uint8())).astype(bool)


def as_buffer(data: bytes, start: int = 0) -> pa.Buffer:
    """Copy bytes, from `start` on, into a buffer that Arrow owns.

    A buffer that Python owns is released under Python's global lock. If one of Arrow's threads releases it while the
    interpreter shuts down, the process crashes.

    >>> as_buffer(b"abc", 1).to_pybytes()
    b'bc'
    """
    buffer = pa.allocate_buffer(len(data) - start)
    np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(data, np.uint8, offset=start) if len(data) > start else 0
    return buffer


def as_integers(codes: np.ndarray) -> pa.Array:
    """Return integers as an Arrow array, without a copy.

    >>> as_integers(np.array([3, 1], dtype=np.uint8)).to_pylist()
    [3, 1]
    """
    codes = np.ascontiguousarray(codes)
    return pa.Array.from_buffers(pa.from_numpy_dtype(codes.dtype), len(codes), [None, pa.py_buffer(codes)])


def as_floats(numbers: np.ndarray) -> pa.Array:
    """Return numbers as an Arrow array, with null for NaN.

    >>> as_floats(np.array([1.5, np.nan])).to_pylist()
    [1.5, None]
    """
    numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    return pa.Array.from_buffers(pa.float64(), len(numbers), [_validity(~np.isnan(numbers)), pa.py_buffer(numbers)])


def as_strings(texts: Sequence[str | None]) -> pa.Array:
    """Return strings as an Arrow array, with null for None.

    >>> as_strings(["a", "é", "", None]).to_pylist()
    ['a', 'é', '', None]
    """
    encoded = [b"" if text is None else text.encode("utf-8") for text in texts]
    is_known = np.array([text is not None for text in texts], dtype=bool)
    offsets = np.zeros(len(encoded) + 1, dtype=np.int32)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    data = pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))
    return pa.Array.from_buffers(pa.string(), len(encoded), [_validity(is_known), *data])


def bytes_of(strings: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of strings, none of which is null, and where each begins among them, and the end.

    >>> [part.tolist() for part in bytes_of(as_strings(["a", "bc", "d"])[1:])]
    [[97, 98, 99, 100], [1, 3, 4]]
    """
    _, offsets, data = strings.buffers()
    begin, end = strings.offset, strings.offset + len(strings) + 1
    content = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return content, np.frombuffer(offsets, np.int32)[begin:end]


def _validity(is_known: np.ndarray) -> pa.Buffer | None:
    """Return Arrow's validity bitmap; None if no value is null."""
    return None if is_known.all() else pa.py_buffer(np.packbits(is_known, bitorder="little"))
