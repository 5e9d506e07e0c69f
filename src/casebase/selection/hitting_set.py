"""Few elements that meet all of some sets.

Sets are masks: bit i of a whole number says whether element i belongs to it. Whether so many elements can meet all
sets is found by taking a set that is not met yet, a small one, and trying its elements one after the other; an element
that was tried in vain is not tried again below. Two bounds cut most of the search short: so many elements are needed
as there are sets without a common element, and as it takes until the most frequent elements could have met so many.
"""

from collections.abc import Iterable, Sequence


def minimal(sets: Iterable[int]) -> list[int]:
    """Return the sets that hold no other set, the smallest first: who meets them meets all.

    >>> minimal([0b111, 0b011, 0b100, 0b011])
    [4, 3]
    """
    kept: list[int] = []
    for candidate in sorted(set(sets), key=lambda mask: (mask.bit_count(), mask)):
        if not any(smaller & candidate == smaller for smaller in kept):
            kept.append(candidate)
    return kept


def hitting_set(sets: Sequence[int], allowed: int, size: int) -> int | None:
    """Return at most `size` of the allowed elements that meet every set; None if there are none such.

    >>> hitting_set([0b011, 0b110, 0b101], 0b111, 2), hitting_set([0b011, 0b110, 0b101], 0b111, 1)
    (3, None)
    """
    left = [mask & allowed for mask in sets]
    if not all(left):
        return None
    forced = 0
    for mask in left:
        if mask.bit_count() == 1:
            forced |= mask
    if forced.bit_count() > size:
        return None
    left = minimal(mask for mask in left if not mask & forced)
    found = _Sets(left).met_by((1 << len(left)) - 1, elements(_union(left)), size - forced.bit_count())
    return None if found is None else found | forced


class _Sets:
    """Sets by their elements: `of[e]` is a mask of the sets that have element e, `kin[s]` of those that touch s."""

    def __init__(self, sets: list[int]) -> None:
        self.of = {e: _mask_where(mask >> e & 1 for mask in sets) for e in elements(_union(sets))}
        self.kin = [_union(self.of[e] for e in elements(mask)) for mask in sets]

    def met_by(self, unmet: int, candidates: list[int], size: int) -> int | None:
        """Return at most `size` candidates that meet the unmet sets; None if there are none such."""
        if not unmet:
            return 0
        smallest = unmet & -unmet
        if size == 1:  # most of the search is here
            meets_all = [e for e in candidates if not unmet & ~self.of[e]]
            return 1 << meets_all[0] if meets_all else None
        if self._are_apart(unmet, size + 1):
            return None
        frequency = {e: (self.of[e] & unmet).bit_count() for e in candidates}
        n, most = unmet.bit_count(), sorted(frequency.values(), reverse=True)[:size]
        if sum(most) < n:
            return None
        others = sum(most[: size - 1])  # what all but one element can meet
        branches = [e for e in candidates if self.of[e] & smallest]
        for e in sorted(branches, key=lambda e: (-frequency[e], e)):
            candidates = [other for other in candidates if other != e]
            if frequency[e] + others < n:
                break
            found = self.met_by(unmet & ~self.of[e], candidates, size - 1)
            if found is not None:
                return found | 1 << e
        return None

    def _are_apart(self, unmet: int, n: int) -> bool:
        """Whether n of the sets, taken as they come, have no element in common."""
        while unmet and n:
            smallest = unmet & -unmet
            unmet &= ~self.kin[smallest.bit_length() - 1]
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
