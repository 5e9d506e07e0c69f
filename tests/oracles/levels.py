"""Patterns in levels, straight from the definition: for each level, lengths from short to long, and pieces by counting.

At a level of own answer (odd levels break, even ones bind), each place is wrong (the answer so far is not the own one,
and should be), right (is not, and should not be), or of no concern. A piece is taken if the weight of the wrong places
that it occurs in minus the weight of the right ones is at least the level's number (or, at a pure level, if there is
a wrong one and no right one). Pieces of one length are looked at in the order: classes before letters; by the number of
letters before the place, beginning at the middle, then one less, one more, two less, and so on. Those of one such
column are judged together. What is taken answers its places, which then concern this level no more. A piece with a
part around the place that occurs at one place only is not looked at: it says nothing that its part does not say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Place(NamedTuple):
    """The letters of a word between edges, the classes of these (or None), the place in it, its label and weight."""

    letters: str
    classes: str | None
    at: int
    is_break: bool
    weight: float = 1.0


class Step(NamedTuple):
    shortest: int
    longest: int
    least: float
    is_pure: bool = False


def piece(place: Place, is_classes: bool, before: int, after: int) -> str | None:
    """Return the letters (or classes) around a place; None if the word ends before, or a letter has no class."""
    text = place.classes if is_classes else place.letters
    if text is None or place.at < before or place.at + after > len(text):
        return None
    found = text[place.at - before : place.at + after]
    return None if "\0" in found else found


def occurs_once(places: Sequence[Place], place: Place, is_classes: bool, before: int, after: int) -> bool:
    """Return whether no other place has the same piece; the empty piece is everywhere."""
    if before < 0 or after < 0 or before + after == 0:
        return False
    text = piece(place, is_classes, before, after)
    return sum(piece(other, is_classes, before, after) == text for other in places) == 1


def middle_out(length: int) -> list[int]:
    """Return the numbers of letters before the place.

    >>> middle_out(4)
    [2, 1, 3, 0, 4]
    """
    middle = length // 2
    return sorted(range(length + 1), key=lambda before: (abs(before - middle), before))


def levels(
    places: Sequence[Place], steps: Sequence[Step], max_class_length: int = 99
) -> tuple[set[tuple[str, int, int, bool]], list[int]]:
    """Return the patterns (text, offset, level, is_classes), and the places that are still wrong."""
    answer = [False] * len(places)
    taken = set()
    for level, step in enumerate(steps, start=1):
        own = level % 2 == 1
        open_places = {x for x in range(len(places)) if answer[x] != own}
        for length in range(step.shortest, step.longest + 1):
            for is_classes in (True, False):
                if is_classes and length > max_class_length:
                    continue
                for before in middle_out(length):
                    members: dict[str, list[int]] = {}
                    for x, place in enumerate(places):
                        text = piece(place, is_classes, before, length - before)
                        after = length - before
                        has_single_part = any(
                            occurs_once(places, place, is_classes, *part)
                            for part in ((before - 1, after), (before, after - 1))
                        )
                        if text is not None and not has_single_part:
                            members.setdefault(text, []).append(x)
                    for text, extent in members.items():
                        still = [x for x in extent if x in open_places]
                        good = sum(places[x].weight for x in still if places[x].is_break == own)
                        bad = sum(places[x].weight for x in still if places[x].is_break != own)
                        if good > 0 and (bad == 0 if step.is_pure else good - bad >= step.least):
                            taken.add((text, before, level, is_classes))
                            open_places -= set(extent)
                            for x in extent:
                                answer[x] = own
    return taken, [x for x, place in enumerate(places) if answer[x] != place.is_break]
