"""Arrow arrays from and to numpy without a detour.

`pa.array` and `to_numpy` import pandas, if it is installed, to see whether they are asked for one of its arrays;
that takes longer than learning from a small file.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa


def as_numpy(array: pa.Array, null: float = 0) -> np.ndarray:
    """Return the numbers of an Arrow array, another number in the place of nulls.

    >>> as_numpy(pa.array([3, None, 1], pa.int64()), null=-1).tolist()
    [3, -1, 1]
    """
    if not array.null_count:
        return np.from_dlpack(array)
    n, offset, (validity, numbers) = len(array), array.offset, array.buffers()
    is_valid = np.unpackbits(np.frombuffer(validity, np.uint8), count=offset + n, bitorder="little")[offset:]
    found = np.frombuffer(numbers, array.type.to_pandas_dtype())[offset : offset + n]
    return np.where(is_valid, found, np.array(null, found.dtype))


def as_buffer(data: bytes, start: int = 0) -> pa.Buffer:
    """Return bytes, from some place on, as memory of Arrow's own.

    Memory of Python's is given back under Python's lock. One of Arrow's threads that lets go of it a moment too late,
    when Python is ending, would end the process with it.

    >>> as_buffer(b"abc", 1).to_pybytes()
    b'bc'
    """
    buffer = pa.allocate_buffer(len(data) - start)
    np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(data, np.uint8, offset=start) if len(data) > start else 0
    return buffer


def as_integers(codes: np.ndarray) -> pa.Array:
    """Return whole numbers as an Arrow array, not copied.

    >>> as_integers(np.array([3, 1], dtype=np.uint8)).to_pylist()
    [3, 1]
    """
    codes = np.ascontiguousarray(codes)
    return pa.Array.from_buffers(pa.from_numpy_dtype(codes.dtype), len(codes), [None, pa.py_buffer(codes)])


def as_floats(numbers: np.ndarray) -> pa.Array:
    """Return numbers as an Arrow array, null where they are NaN.

    >>> as_floats(np.array([1.5, np.nan])).to_pylist()
    [1.5, None]
    """
    numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    return pa.Array.from_buffers(pa.float64(), len(numbers), [_validity(~np.isnan(numbers)), pa.py_buffer(numbers)])


def as_strings(texts: Sequence[str | None]) -> pa.Array:
    """Return texts as an Arrow array.

    >>> as_strings(["a", "é", "", None]).to_pylist()
    ['a', 'é', '', None]
    """
    encoded = [b"" if text is None else text.encode("utf-8") for text in texts]
    is_known = np.array([text is not None for text in texts], dtype=bool)
    offsets = np.zeros(len(encoded) + 1, dtype=np.int32)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    data = pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))
    return pa.Array.from_buffers(pa.string(), len(encoded), [_validity(is_known), *data])


def _validity(is_known: np.ndarray) -> pa.Buffer | None:
    """Return which values are not null, a bit each; None if all are."""
    return None if is_known.all() else pa.py_buffer(np.packbits(is_known, bitorder="little"))
