"""Indexes of stored cases: what a page of a sorted, filtered table needs, one part per segment of the memory.

A part outlives corrections. An insertion adds a segment and a removal marks rows, so all other parts, with what was
sorted once, serve the corrected model too. Codes never change within a segment, and values have an order that does not
depend on which others there are.
"""

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from casebase.base.ordering import NUMBER, Key, text_key
from casebase.data.arrays import as_booleans, as_integers, as_numpy
from casebase.data.arrow import pc
from casebase.data.vocabulary import Vocabulary
from casebase.memory.segments import Segment

T = TypeVar("T")


class Keys(Protocol):
    """What the values of a part are sorted by, in order; few of them are ever asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, i: int, /) -> Key: ...


@dataclass(frozen=True, eq=False)
class Order:
    """The rows of a part by value, equal ones by insertion.

    `keys[i]` is the i-th value; its rows are those from `bounds[i]` up to `bounds[i + 1]`.
    """

    rows: np.ndarray
    given: np.ndarray
    keys: Keys
    bounds: np.ndarray

    def place(self, key: Key, position: int, *, is_after: bool) -> int:
        """Return how many rows come before a value and a position in the order of insertion."""
        block = bisect_left(range(len(self.keys)), key, key=self.keys.__getitem__)
        if block == len(self.keys) or self.keys[block] != key:
            return int(self.bounds[block])
        find = bisect_right if is_after else bisect_left
        start, stop = int(self.bounds[block]), int(self.bounds[block + 1])
        return find(range(stop), position, start, stop, key=lambda place: int(self.given[self.rows[place]]))


class CodeKeys:
    """The keys of codes, which are in the order of their values."""

    def __init__(self, codes: np.ndarray, vocabulary: Vocabulary, is_ranked: bool) -> None:
        self._codes, self._vocabulary, self._is_ranked = codes, vocabulary, is_ranked

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, i: int) -> Key:
        code = int(self._codes[i])
        if self._is_ranked:
            return (1,) if code == self._vocabulary.code(None) else (0, code)
        return text_key(self._vocabulary.value(code))


class NumberKeys:
    """The keys of distinct numbers in ascending order, a missing one last."""

    def __init__(self, numbers: np.ndarray) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, i: int) -> Key:
        number = self._numbers[i].item()
        return (1,) if number != number else (0, number)


def by_rank(codes: np.ndarray, vocabulary: Vocabulary) -> np.ndarray:
    """Return the codes of an ordinal in order: as they are, a missing value last."""
    is_missing = codes == vocabulary.code(None)
    return np.concatenate([codes[~is_missing], codes[is_missing]])


def by_value(codes: np.ndarray, vocabulary: Vocabulary) -> np.ndarray:
    """Return codes, which ascend, in the order of `text_key`: texts that were not added later are in order already.

    >>> import pyarrow as pa
    >>> by_value(np.arange(5), Vocabulary(pa.array([None, "10", "9", "b"]), {"a": 4})).tolist()
    [2, 1, 4, 3, 0]
    """
    values = vocabulary.values.take(as_integers(codes))
    if len(codes) and codes[-1] >= len(vocabulary.ordered):
        order = as_numpy(pc.array_sort_indices(values, null_placement="at_start"))
        codes, values = codes[order], values.take(as_integers(order))
    is_missing = codes == vocabulary.code(None)
    may_be_number = np.flatnonzero(as_booleans(pc.match_substring_regex(values, f"^(?:{NUMBER.pattern})$")))
    keys = {i: key for i in may_be_number.tolist() if (key := text_key(values[i].as_py()))[0] == 0}
    numbers = np.array(sorted(keys, key=keys.__getitem__), dtype=np.int64)
    is_text = ~is_missing
    is_text[numbers] = False
    return np.concatenate([codes[numbers], codes[is_text], codes[is_missing]])


class Part:
    """The cases of a segment, and what was computed from them; marks of removed cases are not part of it."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.n_rows = segment.n_rows
        self._lock = threading.Lock()
        self._locks: dict[Any, threading.Lock] = {}
        self._known: dict[Any, Any] = {}

    def cached(self, key: Any, make: Callable[[], T]) -> T:
        """Return what `make` returns, computed once; who comes while it is computed waits for it."""
        if key not in self._known:
            with self._lock:
                lock = self._locks.setdefault(key, threading.Lock())
            with lock:
                if key not in self._known:
                    self._known[key] = make()
        known: T = self._known[key]
        return known

    @property
    def given(self) -> np.ndarray:
        """The position of each row in the order of insertion."""
        return self.segment.row_of

    def by_insertion(self) -> Order:
        """Return the rows in the order of insertion."""

        def make() -> Order:
            rows = _by_position(self.given)
            return Order(rows, self.given, [()], np.array([0, self.n_rows]))

        return self.cached("insertion", make)

    def by_code(self, name: str, codes: np.ndarray, vocabulary: Vocabulary, *, is_ranked: bool) -> Order:
        """Return the rows by the values of a coded column; the codes of a ranked one are in order already."""

        def make() -> Order:
            n_rows_with = np.bincount(codes, minlength=len(vocabulary))
            present = np.flatnonzero(n_rows_with)
            ascending = by_rank(present, vocabulary) if is_ranked else by_value(present, vocabulary)
            rank = np.zeros(len(n_rows_with), dtype=np.min_scalar_type(len(ascending)))
            rank[ascending] = np.arange(len(ascending))
            bounds = np.concatenate([[0], np.cumsum(n_rows_with[ascending])])
            return Order(self._by(rank[codes]), self.given, CodeKeys(ascending, vocabulary, is_ranked), bounds)

        return self.cached(("order", name), make)

    def by_number(self, name: str, numbers: np.ndarray) -> Order:
        """Return the rows by the numbers of a column, missing ones last."""

        def make() -> Order:
            distinct, places = self.distinct(name, numbers)
            bounds = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=len(distinct)))])
            return Order(self._by(places), self.given, NumberKeys(distinct), bounds)

        return self.cached(("order", name), make)

    def distinct(self, name: str, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the distinct numbers of a column, ascending, and the place of each row's number among them."""
        return self.cached(("distinct", name), lambda: np.unique(numbers, return_inverse=True))

    def _by(self, rank: np.ndarray) -> np.ndarray:
        """Return the rows by rank, then by insertion."""
        return in_stable_order(rank, self.by_insertion().rows)


def in_stable_order(rank: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return rows by rank; rows of equal rank keep their order.

    NumPy sorts numbers of 16 bits by counting, ten times as fast as larger ones; these are sorted half by half.

    >>> in_stable_order(np.array([70000, 5, 70000, 0]), np.array([3, 2, 1, 0])).tolist()
    [3, 1, 2, 0]
    """
    largest = int(rank.max(initial=0))
    ordered: np.ndarray = rows[np.argsort(rank.astype(np.uint16)[rows], kind="stable")]  # the lower half, if larger
    for shift in range(16, largest.bit_length(), 16):
        upper = (rank >> shift).astype(np.uint16)
        ordered = ordered[np.argsort(upper[ordered], kind="stable")]
    return ordered


def _by_position(given: np.ndarray) -> np.ndarray:
    """Return the rows by their positions, which are all different: 0 to n-1 in a memory as it was learned."""
    n_rows = len(given)
    if int(given.max(initial=0)) < n_rows:
        rows = np.empty(n_rows, dtype=np.int32)
        rows[given] = np.arange(n_rows, dtype=np.int32)
        return rows
    return np.argsort(given).astype(np.int32)
