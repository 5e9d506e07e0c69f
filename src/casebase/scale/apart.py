"""Cases that are kept apart for exact guarantees (`--held-out`): which they are.

They are the same as in memory (`casebase.confidence.split_apart`). The shuffle is a mapped file of 4 bytes for each
case; what stays is a byte for each.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from casebase.confidence import n_kept_apart
from casebase.scale.stored import BLOCK, StoredArray, blocks


@dataclass(frozen=True)
class Apart:
    """An array with 1 for each case that is kept apart, in the order given."""

    is_apart: StoredArray

    @classmethod
    def drawn(cls, n_cases: int, share: float, folder: Path) -> "Apart":
        """Draw a share of the cases, as `split_apart` does."""
        n_apart = n_kept_apart(n_cases, share)
        shuffle = StoredArray(folder / "shuffle", "uint32", n_cases).create()
        for piece in blocks(n_cases):
            shuffle.write(piece.start, np.arange(piece.start, piece.stop))
        shuffled = np.memmap(shuffle.path, dtype=shuffle.dtype, mode="r+", shape=(n_cases,))
        np.random.default_rng(0).shuffle(np.asarray(shuffled))  # as numbers of any size are shuffled
        is_apart = StoredArray(folder / "apart", "uint8", n_cases).create()
        marked = np.memmap(is_apart.path, dtype=is_apart.dtype, mode="r+", shape=(n_cases,))
        for piece in blocks(n_apart, BLOCK):
            marked[shuffled[piece]] = 1
        marked.flush()
        del shuffled, marked
        shuffle.path.unlink()
        return cls(is_apart)

    def learned(self, start: int, end: int) -> np.ndarray:
        """Return which of some cases are learned from, as positions among these."""
        return np.flatnonzero(self.is_apart.read(start, end) == 0)

    def kept(self, start: int, end: int) -> np.ndarray:
        """Return which of some cases are kept apart, as positions among these."""
        return np.flatnonzero(self.is_apart.read(start, end))
