"""Discretisation: cut points that divide numbers into intervals.

Methods that test values for equality need values that recur; numbers rarely recur, intervals do. `mdlp_cuts` is
supervised (Fayyad and Irani 1993): it cuts where the classes on the two sides differ most, as long as a cut saves more
bits than it costs to encode. `equal_width_cuts` and `equal_frequency_cuts` are unsupervised.

Cuts ascend, and `x` lies in interval number `searchsorted(cuts, x, side="left")`: a number on a cut belongs to the
interval on its left. A cut lies halfway between two neighbouring numbers, except for equal width. Missing numbers do
not count.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log, log1p, log2

import numpy as np

from casebase.data.checks import is_whole
from casebase.data.weights import exact_weights
from casebase.errors import CasebaseError, unknown_name
from casebase.measures import functions

N_INTERVALS = 10
LARGEST_TABLE = 2**26  # counts up to here are looked up; such a table of 8-byte numbers takes 0.5 GB
ROUNDING = 1e-13  # entropies of N cases that differ by less, as a share of N log2 N bits, are equal


def mdlp_cuts(numbers: np.ndarray, labels: np.ndarray, n_classes: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the cuts that satisfy the MDL criterion, in ascending order.

    `labels` are class codes below `n_classes`; a case of weight n counts as n cases. Of several cuts with the same
    remaining entropy, the lowest is chosen.

    >>> mdlp_cuts(np.array([1.0, 2.0, 3.0, 7.0, 8.0, 9.0]), np.array([0, 0, 0, 1, 1, 1]), 2).tolist()
    [5.0]

    Fayyad and Irani, Multi-interval discretization of continuous-valued attributes for classification learning, 1993.
    """
    labels = np.asarray(labels)
    if labels.shape != np.shape(numbers):
        raise CasebaseError(f"Expected one class per number: {len(numbers)} numbers, classes of shape {labels.shape}.")
    numbers, counts, kept = _known(numbers, weights)
    blocks = _blocks(numbers, labels[kept].astype(np.int64), n_classes, counts)
    cuts = []
    # A stack instead of recursion: a million numbers can nest deeper than Python's recursion limit.
    pending = [_Part(0, len(blocks.labels), np.zeros(n_classes, blocks.counts.dtype))]
    while pending:
        part = pending.pop()
        cell = _best_split(blocks, part)
        if cell is not None:
            block = blocks.of_cell[cell]
            cuts.append(_between(blocks.last[block - 1], blocks.first[block]))
            inside = slice(part.start, cell)
            left = _per_class(blocks.labels[inside], blocks.counts[inside], n_classes)
            pending += [_Part(part.start, cell, part.before), _Part(cell, part.end, part.before + left)]
    return np.array(sorted(cuts), dtype=float)


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Numbers in ascending order, grouped into cells: block `of_cell[i]` has `counts[i]` cases of class `labels[i]`.

    A block is one number, or a run of neighbouring numbers that all have the same single class: the best cut never
    separates these. `first` and `last` are the smallest and the largest number of each block, `earlier` counts the
    cases of a cell's own class in the cells before it.
    """

    first: np.ndarray
    last: np.ndarray
    of_cell: np.ndarray
    labels: np.ndarray
    counts: np.ndarray
    earlier: np.ndarray
    bits: "_Bits"


@dataclass(frozen=True, eq=False)
class _Part:
    """Cells from `start` to `end`, with the class counts of all cells before them."""

    start: int
    end: int
    before: np.ndarray


class _Bits:
    """n·log2(n) of counts in units of 1/`scale`, rounded once to whole numbers: their sums are exact in any order."""

    def __init__(self, total: float, is_whole: bool) -> None:
        self.scale = 2.0 ** (60 - ceil(log2(max(total, 2.0) * log2(max(total, 2.0)))))
        fits = is_whole and total < LARGEST_TABLE
        self._table = self._compute(np.arange(int(total) + 1)) if fits else None

    def __call__(self, counts: np.ndarray) -> np.ndarray:
        return self._compute(counts) if self._table is None else self._table[counts]

    def _compute(self, counts: np.ndarray) -> np.ndarray:
        n = np.asarray(counts, dtype=float)
        terms: np.ndarray = np.rint(n * functions.log2(np.where(n > 0, n, 1.0)) * self.scale).astype(np.int64)
        return terms


def _blocks(numbers: np.ndarray, labels: np.ndarray, n_classes: int, counts: np.ndarray) -> _Blocks:
    distinct, rank = np.unique(numbers, return_inverse=True)
    rank, labels, counts = _cells(rank, labels, n_classes, counts)
    # A number begins a new block unless it and the number before it have the same single class.
    n_labels = np.bincount(rank, minlength=len(distinct))
    label = labels[np.cumsum(n_labels) - 1]
    is_first = np.ones(len(distinct), dtype=bool)
    is_first[1:] = (n_labels[1:] > 1) | (n_labels[:-1] > 1) | (label[1:] != label[:-1])
    starts = np.flatnonzero(is_first)
    last = distinct[np.append(starts[1:], len(distinct)) - 1] if len(distinct) else distinct
    block, labels, counts = _cells((np.cumsum(is_first) - 1)[rank], labels, n_classes, counts)
    is_whole = bool((counts == np.floor(counts)).all())
    if is_whole:
        counts = counts.astype(np.int64)
    bits = _Bits(float(counts.sum()), is_whole)
    return _Blocks(distinct[starts], last, block, labels, counts, _earlier(labels, counts), bits)


def _cells(
    block: np.ndarray, labels: np.ndarray, n_classes: int, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct pairs of block and class in ascending order, and the number of cases of each."""
    key = block * n_classes + labels
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    first = order[starts]
    return block[first], labels[first], np.add.reduceat(counts[order], starts) if len(starts) else counts


def _earlier(labels: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return for each cell the sum of the counts of its class in the cells before it."""
    by_class = np.argsort(labels, kind="stable")
    before = np.cumsum(counts[by_class]) - counts[by_class]
    begins = np.flatnonzero(np.diff(labels[by_class], prepend=-1))
    earlier = np.empty_like(counts)
    earlier[by_class] = before - np.repeat(before[begins], np.diff(np.append(begins, len(labels))))
    return earlier


def _best_split(blocks: _Blocks, part: _Part) -> int | None:
    """Return the first cell right of the best cut of a part, or None if no cut satisfies the MDL criterion."""
    cells = slice(part.start, part.end)
    labels, counts, bits = blocks.labels[cells], blocks.counts[cells], blocks.bits
    ends = np.flatnonzero(np.diff(blocks.of_cell[cells]))  # the last cell of each block but the last one
    if not len(ends):
        return None
    totals = _per_class(labels, counts, len(part.before))
    # Sweep the cut from left to right: passing a cell moves its cases to the left side and changes one class count
    # on each side, so the entropies of all cuts follow from cumulative sums.
    left = blocks.earlier[cells] - part.before[labels]
    right = totals[labels] - left
    change = bits(left + counts) - bits(left) + bits(right - counts) - bits(right)
    n, n_left = totals.sum(), np.cumsum(counts)[ends]
    # N times the remaining entropy: n log n of both sides, minus n log n of their class counts.
    remaining = bits(n_left) + bits(n - n_left) - np.cumsum(change)[ends] - bits(totals).sum()
    tolerance = ROUNDING * float(n) * log2(max(n, 2.0)) + len(totals) / bits.scale
    best = int(np.argmax(remaining <= remaining.min() + tolerance * bits.scale))
    cell = part.start + int(ends[best]) + 1
    left = _per_class(blocks.labels[part.start : cell], blocks.counts[part.start : cell], len(totals))
    return cell if _meets_criterion(totals, left, bits, tolerance) else None


def _meets_criterion(totals: np.ndarray, left: np.ndarray, bits: _Bits, tolerance: float) -> bool:
    """Return whether a cut gains more than log2(N - 1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2) bits."""
    n, k = totals.sum(), int(np.count_nonzero(totals))
    if k < 2 or n < 2:  # below two cases, which fractional weights allow, log2(N - 1) is negative or undefined
        return False
    sides = [totals, left, totals - left]
    all_bits, left_bits, right_bits = ((bits(side.sum()) - bits(side).sum()) / bits.scale for side in sides)
    entropies = [all_bits / n, left_bits / left.sum(), right_bits / (totals - left).sum()]
    classes = [int(np.count_nonzero(side)) for side in sides]
    change = classes[0] * entropies[0] - classes[1] * entropies[1] - classes[2] * entropies[2]
    cost = log2(n - 1.0) + _log2_of_ways(k) - change
    return bool(all_bits - left_bits - right_bits > cost + tolerance)


def _log2_of_ways(k: int) -> float:
    """Return log2(3^k - 2), also where 3^k exceeds the range of a double."""
    return k * log2(3) + log1p(-2.0 * 3.0**-k) / log(2)


def _per_class(labels: np.ndarray, counts: np.ndarray, n_classes: int) -> np.ndarray:
    return np.bincount(labels, counts, minlength=n_classes).astype(counts.dtype)


def equal_width_cuts(numbers: np.ndarray, n_bins: int = N_INTERVALS, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the cuts of intervals of equal width between the smallest and the largest number.

    Weights matter only if they are 0: such cases do not count.

    >>> equal_width_cuts(np.array([0.0, 1.0, 10.0]), 4).tolist()
    [2.5, 5.0, 7.5]
    """
    known, _, _ = _known(numbers, weights)
    share = np.arange(1, checked_n_bins(n_bins)) / n_bins
    if not len(known) or known.min() == known.max():
        return np.empty(0)
    low, high = known.min(), known.max()
    cuts = np.unique(low * (1 - share) + high * share)
    inner: np.ndarray = cuts[(low <= cuts) & (cuts < high)]  # rounding may put a cut on the largest number
    return inner


def equal_frequency_cuts(
    numbers: np.ndarray, n_bins: int = N_INTERVALS, weights: np.ndarray | None = None
) -> np.ndarray:
    """Return the cuts of intervals with, as nearly as possible, equal numbers of cases.

    Equal numbers stay together: each cut goes to the gap between different numbers that is nearest to its share of
    the cases, on a tie to the lower gap. Cuts in the same gap count once, so there may be fewer intervals.

    >>> equal_frequency_cuts(np.array([1.0, 1.0, 1.0, 2.0, 3.0, 4.0]), 3).tolist()
    [1.5, 2.5]
    """
    numbers, counts, _ = _known(numbers, weights)
    cut_number = np.arange(1, checked_n_bins(n_bins))
    distinct, rank = np.unique(numbers, return_inverse=True)
    if len(distinct) < 2:
        return np.empty(0)
    # Multiplied by n_bins instead of dividing the shares: integers stay integers, so ties are exact.
    upto = np.cumsum(np.bincount(rank, counts)) * n_bins
    share = cut_number * (upto[-1] / n_bins)
    above = np.clip(np.searchsorted(upto[:-1], share), 1, max(len(upto) - 2, 1))
    gap = np.where(share - upto[above - 1] <= upto[above] - share, above - 1, above)
    gap = np.unique(np.minimum(gap, len(distinct) - 2))
    return np.array([_between(distinct[i], distinct[i + 1]) for i in gap])


Discretiser = Callable[[np.ndarray, np.ndarray, int, np.ndarray | None, int], np.ndarray]

DISCRETISERS: dict[str, Discretiser] = {
    "mdlp": lambda numbers, labels, n_classes, weights, n_bins: mdlp_cuts(numbers, labels, n_classes, weights),
    "equal_width": lambda numbers, labels, n_classes, weights, n_bins: equal_width_cuts(numbers, n_bins, weights),
    "equal_frequency": lambda numbers, labels, n_classes, weights, n_bins: equal_frequency_cuts(
        numbers, n_bins, weights
    ),
}


def discretiser_named(name: object) -> Discretiser:
    """Return the discretiser with this name: a function of numbers, labels, n_classes, weights and n_bins."""
    if not isinstance(name, str) or name not in DISCRETISERS:
        raise CasebaseError(unknown_name("discretisation", name, DISCRETISERS))
    return DISCRETISERS[name]


def checked_n_bins(n_bins: object) -> int:
    if not is_whole(n_bins, 1):
        raise CasebaseError(f"n_bins is the number of intervals, a whole number of at least 1; got {n_bins!r}.")
    return int(n_bins)


def _known(numbers: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the numbers that are not missing and have a weight, their weights, and a mask of them."""
    numbers = np.asarray(numbers, dtype=float)
    if numbers.ndim != 1:
        raise CasebaseError(f"Expected a column of numbers, got an array of shape {numbers.shape}.")
    if np.isinf(numbers).any():
        raise CasebaseError("Infinity belongs to no interval: pass finite numbers, or NaN for missing numbers.")
    counts = np.ones(len(numbers)) if weights is None else exact_weights(weights, len(numbers))
    is_known = ~np.isnan(numbers) & (counts > 0)
    return numbers[is_known] + 0.0, counts[is_known], is_known  # + 0.0 turns -0.0 into 0.0


def _between(low: float, high: float) -> float:
    """Return the midpoint of two numbers; the lower number if no double lies between them."""
    middle = float(low / 2 + high / 2)
    return middle if low <= middle < high else float(low)
