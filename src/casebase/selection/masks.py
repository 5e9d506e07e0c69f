"""Sets of features as bit masks: bit i of a whole number says whether a set contains feature i."""

from collections.abc import Iterable


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


def elements(mask: int) -> list[int]:
    """Return the elements of a set, ascending.

    >>> elements(0b1101)
    [0, 2, 3]
    """
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def mask_of(elements: Iterable[int]) -> int:
    return sum(1 << i for i in elements)
