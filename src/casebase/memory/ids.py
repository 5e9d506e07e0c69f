"""An index from ids to the positions of cases."""

from functools import cached_property

import numpy as np

DENSE = 4  # integer ids whose range is at most this many times the number of cases are looked up in a table


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
        """The position of each number; None if the numbers are too sparse for a table."""
        if self.largest - self._smallest >= DENSE * len(self._ids) + 1024:
            return None
        table = np.full(self.largest - self._smallest + 1, -1, dtype=np.int32)
        table[self._ids - self._smallest] = np.arange(len(self._ids), dtype=np.int32)
        return table

    @cached_property
    def _index(self) -> dict[int | str, int]:
        keys = self._ids.tolist() if self._are_numbers else map(str, self._ids.tolist())
        return {key: i for i, key in enumerate(keys)}

    def of(self, ids: np.ndarray) -> np.ndarray:
        """Return the position of each id, -1 for ids that do not occur."""
        if self._are_numbers and self._table is not None:
            entry = ids.astype(np.int64) - self._smallest
            is_inside = (entry >= 0) & (entry < len(self._table))
            return np.where(is_inside, self._table[np.where(is_inside, entry, 0)], -1).astype(np.int64)
        keys = ids.tolist() if self._are_numbers else map(str, ids.tolist())
        return np.array([self._index.get(key, -1) for key in keys], dtype=np.int64)
