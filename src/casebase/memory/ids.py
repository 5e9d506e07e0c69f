"""Where cases stand, by their ids."""

from functools import cached_property

import numpy as np

DENSE = 4  # numbers with at most this many per case are looked up in a table


class Places:
    """The position of each id in an array.

    >>> Places(np.array([7, 5, 6])).of(np.array([6, 8]))
    array([ 2, -1])
    """

    def __init__(self, ids: np.ndarray) -> None:
        self._ids = ids

    @property
    def _are_numbers(self) -> bool:
        return self._ids.dtype.kind in "iu"

    @cached_property
    def largest(self) -> int:
        """The largest number among the ids."""
        return int(self._ids.max())

    @cached_property
    def _smallest(self) -> int:
        return int(self._ids.min())

    @cached_property
    def _table(self) -> np.ndarray | None:
        """Position by number; None if the numbers are too far apart."""
        if self.largest - self._smallest >= DENSE * len(self._ids) + 1024:
            return None
        table = np.full(self.largest - self._smallest + 1, -1, dtype=np.int32)
        table[self._ids - self._smallest] = np.arange(len(self._ids), dtype=np.int32)
        return table

    @cached_property
    def _index(self) -> dict[int | str, int]:
        named = self._ids.tolist() if self._are_numbers else map(str, self._ids.tolist())
        return {value: i for i, value in enumerate(named)}

    def of(self, wanted: np.ndarray) -> np.ndarray:
        """Return the position of each id, -1 for those that are not there."""
        if self._are_numbers and self._table is not None:
            at = wanted.astype(np.int64) - self._smallest
            inside = (at >= 0) & (at < len(self._table))
            return np.where(inside, self._table[np.where(inside, at, 0)], -1).astype(np.int64)
        named = wanted.tolist() if self._are_numbers else map(str, wanted.tolist())
        return np.array([self._index.get(value, -1) for value in named], dtype=np.int64)
