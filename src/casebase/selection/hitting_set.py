"""Minimum hitting set, by branch and bound.

A set is a bit mask: bit i of a whole number says whether it contains element i. To hit all sets with at most n
elements, the search takes a smallest set that is not hit yet and branches on its elements; an element that failed is
not tried again further down. Two lower bounds prune most branches: pairwise disjoint sets need one element each, and
the n most frequent elements must together hit as many sets as there are left.
"""

from collections.abc import Callable, Iterable, Sequence


def minimal(sets: Iterable[int]) -> list[int]:
    """Return the sets that contain no other set, the smallest first; whatever hits them hits all.

    >>> minimal([0b111, 0b011, 0b100, 0b011])
    [4, 3]
    """
    kept: list[int] = []
    for candidate in sorted(set(sets), key=lambda mask: (mask.bit_count(), mask)):
        if not any(smaller & candidate == smaller for smaller in kept):
            kept.append(candidate)
    return kept


def hitting_set(
    sets: Sequence[int], allowed: int, size: int, *, step: Callable[[], object] = lambda: None
) -> int | None:
    """Return at most `size` of the allowed elements that hit every set; None if that is impossible.

    `step` is called for every branch: there may be as many as there are sets of `size` elements.

    >>> hitting_set([0b011, 0b110, 0b101], 0b111, 2), hitting_set([0b011, 0b110, 0b101], 0b111, 1)
    (3, None)
    """
    left = [mask & allowed for mask in sets]
    if not all(left):
        return None
    forced = 0  # the element of a set of one is in every hitting set
    for mask in left:
        if mask.bit_count() == 1:
            forced |= mask
    if forced.bit_count() > size:
        return None
    left = minimal(mask for mask in left if not mask & forced)
    found = _Sets(left, step).hit_by((1 << len(left)) - 1, elements(_union(left)), size - forced.bit_count())
    return None if found is None else found | forced


class _Sets:
    """An inverted index: mask `of[e]` has the sets that contain element e, mask `kin[s]` those that intersect set s."""

    def __init__(self, sets: list[int], step: Callable[[], object]) -> None:
        self.step = step
        self.of = {e: _mask_where(mask >> e & 1 for mask in sets) for e in elements(_union(sets))}
        self.kin = [_union(self.of[e] for e in elements(mask)) for mask in sets]

    def hit_by(self, left: int, candidates: list[int], size: int) -> int | None:
        """Return at most `size` candidates that hit the sets left over; None if that is impossible."""
        self.step()
        if not left:
            return 0
        smallest = left & -left
        if size == 1:  # not necessary, but most calls end here
            hits_all = [e for e in candidates if not left & ~self.of[e]]
            return 1 << hits_all[0] if hits_all else None
        if self._has_disjoint(left, size + 1):
            return None
        frequency = {e: (self.of[e] & left).bit_count() for e in candidates}
        n, most = left.bit_count(), sorted(frequency.values(), reverse=True)[:size]
        if sum(most) < n:
            return None
        others = sum(most[: size - 1])  # an upper bound of what the elements besides the branch's own can hit
        branches = [e for e in candidates if self.of[e] & smallest]
        for e in sorted(branches, key=lambda e: (-frequency[e], e)):
            candidates = [other for other in candidates if other != e]
            if frequency[e] + others < n:  # nor will any later element do: they are less frequent
                break
            found = self.hit_by(left & ~self.of[e], candidates, size - 1)
            if found is not None:
                return found | 1 << e
        return None

    def _has_disjoint(self, left: int, n: int) -> bool:
        """Return whether a greedy choice finds n pairwise disjoint sets."""
        while left and n:
            smallest = left & -left
            left &= ~self.kin[smallest.bit_length() - 1]
            n -= 1
        return n == 0


def elements(mask: int) -> list[int]:
    """Return the elements of a set, ascending.

    >>> elements(0b1101)
    [0, 2, 3]
    """
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def mask_of(elements: Iterable[int]) -> int:
    return sum(1 << i for i in elements)


def _mask_where(holds: Iterable[object]) -> int:
    return mask_of(i for i, is_in in enumerate(holds) if is_in)


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union
