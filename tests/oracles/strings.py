"""Rules over strings: all substrings of all strings as concepts, written out, and rules applied one by one.

An example is a string, with a place in it or without. Its concepts are the substrings of the string, as Kivinen,
Mannila, Ukkonen and Vilo have them (Section 3): those that contain the mark of the place, and, if asked for, those on
one side of it. With edges a dot stands before and behind the string. With classes, every name also stands with its
letters replaced by their classes, and, if asked for, with all replaced but the letter behind the mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.oracles.rules import Concept, Rule, find_rule, merge, shorten

MARK, EDGE = "|", "."
Name = tuple[str, int]  # the text, and its kind as casebase numbers them
LETTERS, CLASSES, AROUND, LETTERS_ANYWHERE, CLASSES_ANYWHERE = range(5)


@dataclass(frozen=True)
class How:
    """Which substrings are concepts."""

    edges: bool = True
    anywhere: bool = False
    around: bool = False
    classes: Mapping[str, str] | None = None
    max_length: int = 24


def names_of(string: str, place: int | None, how: How) -> set[Name]:
    """Return the concepts of an example.

    >>> sorted(names_of("ab", 1, How(edges=False)))
    [('a|', 0), ('a|b', 0), ('|b', 0)]
    >>> sorted(names_of("ab", None, How(edges=False)))
    [('a', 3), ('ab', 3), ('b', 3)]
    """
    edge = EDGE if how.edges else ""
    if place is None:
        sides, marked = [edge + string + edge], ""
    else:
        sides = [edge + string[:place], string[place:] + edge]
        marked = MARK.join(sides)
    found: set[Name] = set()
    for text in _substrings(marked):
        if MARK in text and text != MARK:
            found.add((text, LETTERS))
            found |= {(one, CLASSES) for one in _in_classes(text, how.classes, keep=None)}
            letter = text.index(MARK) + 1
            if how.around and letter < len(text) and len(text) > 2:
                found |= {(one, AROUND) for one in _in_classes(text, how.classes, keep=letter)}
    if how.anywhere or place is None:
        for side in sides:
            for text in _substrings(side):
                found.add((text, LETTERS_ANYWHERE))
                found |= {(one, CLASSES_ANYWHERE) for one in _in_classes(text, how.classes, keep=None)}
    return {name for name in found if length(name) <= how.max_length}


def length(name: Name) -> int:
    """Return the number of letters and edges of a concept."""
    return len(name[0].replace(MARK, ""))


def _substrings(text: str) -> set[str]:
    return {text[start:end] for end in range(len(text) + 1) for start in range(end)}


def _in_classes(text: str, classes: Mapping[str, str] | None, keep: int | None) -> list[str]:
    if classes is None:
        return []
    mapped = [
        letter if letter in (MARK, EDGE) or i == keep else classes.get(letter, "") for i, letter in enumerate(text)
    ]
    return ["".join(mapped)] if all(mapped) else []


@dataclass(frozen=True)
class Learned:
    """A rule by names: levels in the order in which they are tried, the default, and the support of each name."""

    levels: tuple[frozenset[tuple[Name, int]], ...]
    default: int
    order: list[Name]
    support: Mapping[Name, int]
    how: How

    def predict(self, string: str, place: int | None) -> int:
        """Return the class of the first level that holds; of its rules, the one with most training strings."""
        names = names_of(string, place, self.how)
        for level in self.levels:
            holding = [rule for rule in level if rule[0] in names]
            if holding:
                best = min(holding, key=lambda one: (-self.support[one[0]], self.order.index(one[0]), one[1]))
                return best[1]
        return self.default


def learn(
    examples: Sequence[tuple[str, int | None]],
    labels: Sequence[int],
    how: How,
    *,
    depth: int,
    n_classes: int,
    cost: str = "unit",
) -> Learned | None:
    """Return the cheapest rule, or None if there is none that is right on every example."""
    extents: dict[Name, set[int]] = {}
    for i, (string, place) in enumerate(examples):
        for name in names_of(string, place, how):
            extents.setdefault(name, set()).add(i)
    # Fewer letters first, then by alphabet with the mark, then letters before classes; the rank is the concept's name.
    order = sorted(extents, key=lambda name: (length(name), name[0], name[1]))
    concepts = [
        Concept(f"{rank:06}", length(name) if cost == "length" else 1, frozenset(extents[name]))
        for rank, name in enumerate(order)
    ]
    found = find_rule(merge(concepts), labels, depth, n_classes)
    if found is None:
        return None
    rule: Rule = shorten(found)
    levels = tuple(frozenset((order[int(rank)], label) for rank, label in level) for level in rule.levels)
    return Learned(levels, rule.default, order, {name: len(extent) for name, extent in extents.items()}, how)
