"""Hierarchical rules as data, and what they say about examples."""

from dataclasses import dataclass

import numpy as np

from casebase.rules.concepts import Concepts

MIXED = -1  # the label of a level whose rules carry several classes


@dataclass(frozen=True)
class Level:
    """Rules that are asked together: if an example is in one of the concepts, then the label.

    `labels` has the class of each rule. `label` is that of all of them, or MIXED: levels of a rule for two classes
    always have one.
    """

    label: int
    concepts: tuple[int, ...]
    labels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.labels:
            object.__setattr__(self, "labels", (self.label,) * len(self.concepts))


@dataclass(frozen=True)
class HierarchicalRule:
    """Levels, the one that is asked first in front, and what holds if none of them says anything.

    `cost` is what the search paid: it counts an exception that two rules share twice.
    """

    levels: tuple[Level, ...]
    default: int
    cost: float

    @property
    def n_rules(self) -> int:
        """How many rules there are beside the default."""
        return sum(len(level.concepts) for level in self.levels)


@dataclass(frozen=True)
class Forced:
    """A rule that must be used; levels count from 1, the one asked first, and None means the last that can be.

    The last level holds exceptions to the default: a rule that carries the default's class goes to the one before it.
    """

    concept: int
    label: int
    level: int | None = None


@dataclass(frozen=True, eq=False)
class Applied:
    """For every example the label, and which rule gave it: the position of its level, its concept; -1: the default."""

    label: np.ndarray
    level: np.ndarray
    concept: np.ndarray


def applied(
    rule: HierarchicalRule, membership: Concepts, n_examples: int, support: np.ndarray | None = None
) -> Applied:
    """Return what a rule says about examples, of which `membership` tells the concepts by position.

    Of several rules at the level that decides, the one of larger support is named (and followed, where their classes
    differ), then the one that stands first. `support` is how many examples each concept held in training.

    >>> rule = HierarchicalRule((Level(0, (1,)), Level(1, (0,))), 0, 3.0)
    >>> applied(rule, Concepts.of([{0, 1}, {1}]), 3).label
    array([1, 0, 0], dtype=uint32)
    """
    support = membership.sizes if support is None else support
    label = np.full(n_examples, rule.default, dtype=np.uint32)
    level = np.full(n_examples, -1, dtype=np.int32)
    concept = np.full(n_examples, -1, dtype=np.int64)
    for number in range(len(rule.levels) - 1, -1, -1):
        rules = list(zip(rule.levels[number].concepts, rule.levels[number].labels))
        # What is written last stays: deeper levels over broader ones, larger support over smaller.
        for position, carried in sorted(rules, key=lambda one: (support[one[0]], -one[0], -one[1])):
            held = membership.extent(position)
            label[held], level[held], concept[held] = carried, number, position
    return Applied(label, level, concept)
