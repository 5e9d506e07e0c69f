"""Texts as a model file has them: UTF-8 bytes, and where each text begins; Arrow's array of them when it is needed."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from casebase.data.arrow import pa

CONTINUES = 0b1000_0000  # the two highest bits of a byte in the middle of a character


class Texts:
    """Texts, of which the first may be missing; text i is the bytes from `offsets[i]` to `offsets[i + 1]`.

    >>> texts = Texts(np.frombuffer("aé".encode(), np.uint8), np.array([0, 0, 1, 3]), n_missing=1)
    >>> len(texts), texts.to_pylist(), texts.value(2), texts.array.to_pylist()
    (3, [None, 'a', 'é'], 'é', [None, 'a', 'é'])
    """

    def __init__(self, content: np.ndarray, offsets: np.ndarray, n_missing: int = 0) -> None:
        self.content, self.offsets, self.null_count = content.tobytes(), offsets, n_missing
        self.content.decode()  # bytes that are not UTF-8 are an error
        starts = offsets[offsets < len(content)]
        if len(starts) and ((content[starts] & 0b1100_0000) == CONTINUES).any():
            raise ValueError("a text begins in the middle of a character")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def value(self, i: int) -> str | None:
        """Return one text."""
        if i < self.null_count:
            return None
        return self.content[self.offsets[i] : self.offsets[i + 1]].decode()

    def to_pylist(self) -> list[str | None]:
        """Return all texts."""
        ends = self.offsets.tolist()
        content = self.content
        known = [content[start:end].decode() for start, end in pairwise(ends)]
        return [None] * self.null_count + known[self.null_count :]

    @cached_property
    def array(self) -> pa.Array:
        """The texts as an Arrow array."""
        buffers = [None, pa.py_buffer(self.offsets), pa.py_buffer(self.content)]
        texts = pa.Array.from_buffers(pa.large_string(), len(self), buffers).cast(pa.string())
        n = self.null_count
        return pa.concat_arrays([pa.nulls(n, pa.string()), texts.slice(n)]) if n else texts
