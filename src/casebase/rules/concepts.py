"""Concepts: the sets of examples that rules are built from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase.errors import CasebaseError


@dataclass(frozen=True, eq=False)
class Concepts:
    """Sets of examples that rules may use, in the order that breaks ties.

    Concept c contains examples[first[c]:first[c + 1]], ascending, and costs cost[c]. Between two equally good concepts
    the search takes the first, so concepts are sorted by cost, then by length of name, then alphabetically.
    """

    first: np.ndarray
    examples: np.ndarray
    cost: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", np.ascontiguousarray(self.first, dtype=np.uint64))
        object.__setattr__(self, "examples", np.ascontiguousarray(self.examples, dtype=np.uint32))
        object.__setattr__(self, "cost", np.ascontiguousarray(self.cost, dtype=np.float64))
        n = len(self.cost)
        ends = self.first.astype(np.int64)
        if len(ends) != n + 1 or ends[0] != 0 or (np.diff(ends) < 0).any() or ends[-1] != len(self.examples):
            raise CasebaseError(
                f"Concepts need one more offset than costs, from 0 to the number of examples; got "
                f"{len(ends)} offsets for {n} costs and {len(self.examples)} examples."
            )
        falls = np.flatnonzero(self.examples[1:] <= self.examples[:-1]) + 1
        if not np.isin(falls, ends).all():
            raise CasebaseError("The examples of a concept must be ascending and distinct.")
        if not (np.isfinite(self.cost).all() and (self.cost > 0).all()):
            raise CasebaseError("The cost of a concept must be a number above 0.")

    @classmethod
    def of(cls, extents: Iterable[Iterable[int]], cost: Sequence[float] | None = None) -> "Concepts":
        """Return concepts from the examples of each; the default cost is 1.

        >>> Concepts.of([{0, 1}, {2}]).sizes
        array([2, 1])
        """
        lists = [sorted(extent) for extent in extents]
        first = np.concatenate([[0], np.cumsum([len(extent) for extent in lists], dtype=np.int64)])
        return cls(
            first.astype(np.uint64),
            np.array([example for extent in lists for example in extent], dtype=np.uint32),
            np.ones(len(lists)) if cost is None else np.asarray(cost, dtype=float),
        )

    def __len__(self) -> int:
        return len(self.cost)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of examples of each concept."""
        return np.diff(self.first.astype(np.int64))

    @property
    def owners(self) -> np.ndarray:
        """The concept of each entry of `examples`."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.sizes)

    def extent(self, concept: int) -> np.ndarray:
        """Return the examples of one concept."""
        return self.examples[int(self.first[concept]) : int(self.first[concept + 1])]

    def taken(self, positions: np.ndarray) -> "Concepts":
        """Return some of the concepts, in the order given."""
        sizes = self.sizes[positions]
        first = np.concatenate([[0], np.cumsum(sizes)])
        within = np.arange(first[-1]) - np.repeat(first[:-1], sizes)
        examples = self.examples[np.repeat(self.first[positions].astype(np.int64), sizes) + within]
        return Concepts(first.astype(np.uint64), examples, self.cost[positions])

    def within(self, examples: np.ndarray, n_examples: int) -> "Concepts":
        """Return the concepts restricted to some examples, renumbered from 0; concepts may become empty."""
        number = np.full(n_examples, -1, dtype=np.int64)
        number[examples] = np.arange(len(examples))
        renumbered = number[self.examples]
        stays = renumbered >= 0
        sizes = np.bincount(self.owners[stays], minlength=len(self))
        return Concepts(np.concatenate([[0], np.cumsum(sizes)]), renumbered[stays], self.cost)


def merged(concepts: Concepts) -> tuple[Concepts, np.ndarray]:
    """Return the distinct nonempty concepts, the first of equal ones, and their positions.

    >>> merged(Concepts.of([{0, 1}, {1}, {0, 1}, set()]))[1]
    array([0, 1])
    """
    sizes = concepts.sizes
    positions = np.flatnonzero(sizes)
    if not len(positions):
        return concepts.taken(positions), positions
    # Hashing of sets: each example has two random numbers, and equal sets have equal sums of them. 128 bits make a
    # collision of different sets negligible, and no sets are compared example by example.
    n_examples = int(concepts.examples.max()) + 1
    starts = concepts.first[:-1][positions].astype(np.int64)
    keys = [
        np.add.reduceat(key[concepts.examples], starts)
        for key in np.random.default_rng(0).integers(0, 2**64, (2, n_examples), dtype=np.uint64)
    ]
    order = np.lexsort([*keys, sizes[positions]])
    same = (sizes[positions][order][1:] == sizes[positions][order][:-1]) & np.logical_and.reduce(
        [key[order][1:] == key[order][:-1] for key in keys]
    )
    # The sort is stable, so positions ascend within equal keys: the first of each run comes first in tie order.
    kept = np.sort(positions[order[np.concatenate([[True], ~same])]])
    return concepts.taken(kept), kept
