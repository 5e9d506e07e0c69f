"""Cases as the readings take them: numbers and codes, one row per feature.

The stored cases may be files that are larger than memory: what a reading learns from all of them, it learns in blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from casebase.data import Cases, Schema
from casebase.memory.segments import relevance_order

NEVER_SEEN = 0xFFFF
MOST_CODES = 60_000  # a feature with more values: the last ones share a code
BLOCK = 2**17  # cases at a time; a case may have a hundred dimensions
MANY = 100_000  # cases: of more, a few are drawn without shuffling all


@dataclass(frozen=True, eq=False)
class Inputs:
    """Numbers, NaN where missing, and codes of symbolic values: one row per feature, one column per case.

    If they are files, what is as large as they are goes into the folder `scratch`.
    """

    numbers: np.ndarray
    codes: np.ndarray
    n_codes: np.ndarray
    scratch: Path | None = None

    @property
    def n_cases(self) -> int:
        return int(self.numbers.shape[1])

    @property
    def n_numbers(self) -> int:
        return len(self.numbers)

    @property
    def n_features(self) -> int:
        return len(self.numbers) + len(self.codes)

    def part(self, rows: slice) -> "Inputs":
        return Inputs(self.numbers[:, rows], self.codes[:, rows], self.n_codes)

    def new_codes(self) -> np.ndarray:
        """Return an array for a code of each feature and case, in memory or in a file."""
        shape = (self.n_features, self.n_cases)
        if self.scratch is None:
            return np.empty(shape, dtype=np.uint16)
        return np.memmap(self.scratch / "codes", np.uint16, "w+", shape=shape)

    def take(self, rows: np.ndarray) -> "Inputs":
        return Inputs(
            np.ascontiguousarray(self.numbers[:, rows]), np.ascontiguousarray(self.codes[:, rows]), self.n_codes
        )


@dataclass(frozen=True, eq=False)
class Features:
    """The features in use, numeric ones first, each kind in the order of the names if there are names."""

    numeric: tuple[int, ...]
    symbolic: tuple[int, ...]

    @staticmethod
    def of(schema: Schema) -> "Features":
        by_kind = {
            kind: relevance_order(schema, [i for i, feature in enumerate(schema.features) if feature.kind == kind])
            for kind in ("numeric", "symbolic")
        }
        return Features(tuple(by_kind["numeric"]), tuple(by_kind["symbolic"]))

    @property
    def positions(self) -> tuple[int, ...]:
        return self.numeric + self.symbolic

    def inputs(self, cases: Cases) -> Inputs:
        """Return the columns of cases; the codes are those of the cases' schema."""
        n = cases.n_cases
        numbers = np.empty((len(self.numeric), n))
        for row, position in zip(numbers, self.numeric):
            row[:] = cases.columns[position]
        codes = np.empty((len(self.symbolic), n), dtype=np.uint16)
        n_codes = np.empty(len(self.symbolic), dtype=np.uint32)
        for i, position in enumerate(self.symbolic):
            vocabulary, column = cases.schema.features[position].vocabulary, cases.columns[position]
            assert vocabulary is not None
            n_codes[i] = max(min(len(vocabulary), MOST_CODES), 1)
            codes[i] = np.where(column == vocabulary.unknown, NEVER_SEEN, np.minimum(column, n_codes[i] - 1))
        return Inputs(numbers, codes, n_codes)


@dataclass(frozen=True, eq=False)
class Stored:
    """The stored cases: their features, classes, and weights if they differ from 1."""

    inputs: Inputs
    labels: np.ndarray
    weights: np.ndarray | None
    n_classes: int
    classes: tuple[str, ...] = ()

    @property
    def n_cases(self) -> int:
        return len(self.labels)

    @cached_property
    def class_names(self) -> tuple[str, ...]:
        """The classes as texts; their numbers, if they have no names."""
        return self.classes or tuple(map(str, range(self.n_classes)))

    @cached_property
    def case_weights(self) -> np.ndarray:
        return np.ones(self.n_cases) if self.weights is None else self.weights

    @cached_property
    def class_weights(self) -> np.ndarray:
        """The weight of the cases of each class."""
        return np.bincount(self.labels, self.weights, minlength=self.n_classes).astype(float)

    def weights_of(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return the weights of some cases."""
        return np.ones(len(self.labels[rows])) if self.weights is None else self.weights[rows]

    @cached_property
    def prior(self) -> np.ndarray:
        """The share of each class."""
        prior: np.ndarray = self.class_weights / self.class_weights.sum()
        return prior

    def prior_without(self, rows: np.ndarray) -> np.ndarray:
        """Return, for some stored cases, the shares of the classes among all other cases."""
        left = np.tile(self.class_weights, (len(rows), 1))
        left[np.arange(len(rows)), self.labels[rows]] -= self.weights_of(rows)
        total = left.sum(axis=1, keepdims=True)
        shares: np.ndarray = np.divide(left, total, out=np.zeros_like(left), where=total > 0)
        return shares

    def of_class(self, weights: np.ndarray) -> np.ndarray:
        """Return the sums of some weights of the cases by class."""
        return np.bincount(self.labels, weights, minlength=self.n_classes)


@dataclass(frozen=True, eq=False)
class Ranked:
    """The known numbers of a column in ascending order: the distinct ones, and how many there are up to each."""

    values: np.ndarray
    up_to: np.ndarray

    @staticmethod
    def of(numbers: np.ndarray) -> "Ranked":
        values, counts = np.empty(0), np.empty(0, dtype=np.int64)
        for rows in blocks(len(numbers)):
            here = np.asarray(numbers[rows])
            found, n_found = np.unique(here[~np.isnan(here)], return_counts=True)
            values, counts = merged(values, counts, found, n_found)
        return Ranked(values, np.cumsum(counts))

    @property
    def n(self) -> int:
        return int(self.up_to[-1]) if len(self.up_to) else 0

    def places(self, ranks: np.ndarray) -> np.ndarray:
        """Return the places, among the distinct numbers, of the numbers of these ranks, which count from 0."""
        return np.searchsorted(self.up_to, ranks, side="right")


def merged(
    keys: np.ndarray, counts: np.ndarray, other_keys: np.ndarray, other_counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys of both, ascending, with their counts added.

    >>> merged(np.array([1, 3]), np.array([5, 5]), np.array([2, 3]), np.array([1, 1]))
    (array([1, 2, 3]), array([5, 1, 6]))
    """
    if not len(keys):
        return other_keys, other_counts
    both = np.union1d(keys, other_keys)
    added = np.zeros((len(both), *counts.shape[1:]), dtype=counts.dtype)
    added[np.searchsorted(both, keys)] = counts
    added[np.searchsorted(both, other_keys)] += other_counts
    return both, added


def blocks(n: int) -> Iterator[slice]:
    """Yield slices of at most BLOCK cases."""
    for start in range(0, n, BLOCK):
        yield slice(start, min(start + BLOCK, n))


def drawn_rows(n: int, n_drawn: int, seed: int) -> np.ndarray:
    """Return some of n rows, drawn at random, ascending; all of them if there are no more."""
    if n <= n_drawn:
        return np.arange(n)
    rng = np.random.default_rng(seed)
    if n <= MANY:
        return np.sort(rng.permutation(n)[:n_drawn])
    return np.sort(rng.choice(n, n_drawn, replace=False, shuffle=False))


def inner_edges(numbers: np.ndarray, n_bins: int) -> np.ndarray:
    """Return the cuts between at most so many bins of about equally many numbers, halfway between neighbours.

    >>> inner_edges(np.array([1.0, 2.0, 2.0, 4.0, np.nan]), 8).tolist()
    [1.5, 3.0]
    """
    ranked = Ranked.of(numbers)
    values = ranked.values
    if len(values) <= n_bins:
        upper = np.arange(1, len(values))
    else:
        upper = np.unique(ranked.places(np.arange(1, n_bins) * ranked.n // n_bins))
        upper = upper[upper > 0]
    return np.unique(values[upper - 1] + (values[upper] - values[upper - 1]) / 2)


def binned(numbers: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the bin of each number, from 1; a missing number has bin 0.

    >>> binned(np.array([0.0, 1.5, 2.0, np.nan]), np.array([1.5])).tolist()
    [1, 1, 2, 0]
    """
    return np.where(np.isnan(numbers), 0, 1 + np.searchsorted(edges, numbers, side="left"))


def parts_of(array: np.ndarray, lengths: np.ndarray, n: int) -> tuple[np.ndarray, ...]:
    """Return the n parts of an array, of the lengths given; an error if they do not make up the array.

    >>> parts_of(np.array([1.0, 2.0, 3.0]), np.array([1, 2]), 2)
    (array([1.]), array([2., 3.]))
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    if len(lengths) != n or (int(ends[-1]) if n else 0) != len(array):
        raise ValueError("the parts of an array do not make up the whole")
    return tuple(np.split(array, ends[:-1])) if n else ()
