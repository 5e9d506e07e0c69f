"""Hierarchical rules as data, and their application to examples."""

from dataclasses import dataclass

import numpy as np

from casebase.rules.concepts import Concepts

MIXED = -1  # the label of a level whose rules carry several classes


@dataclass(frozen=True)
class Level:
    """The rules of one level: if an example is in one of the concepts, then predict the label.

    `labels` has the class of each rule. `label` is their common class, or MIXED. With two classes every level has a
    common class.
    """

    label: int
    concepts: tuple[int, ...]
    labels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.labels:
            object.__setattr__(self, "labels", (self.label,) * len(self.concepts))


@dataclass(frozen=True)
class HierarchicalRule:
    """Levels, in the order in which they are tried, and the default class if none of them matches.

    `cost` is the price that the search paid. An exception that two rules share counts twice.
    """

    levels: tuple[Level, ...]
    default: int
    cost: float

    @property
    def n_rules(self) -> int:
        """The number of rules, without the default."""
        return sum(len(level.concepts) for level in self.levels)


@dataclass(frozen=True)
class Forced:
    """A rule that must be used; levels count from 1, the level that is tried first. None means the last possible one.

    The last level has the exceptions to the default, so a rule with the default's class goes to the level before it.
    """

    concept: int
    label: int
    level: int | None = None


@dataclass(frozen=True, eq=False)
class Applied:
    """The label of every example, and the level and the concept of the rule that decided; -1 for the default."""

    label: np.ndarray
    level: np.ndarray
    concept: np.ndarray


def applied(
    rule: HierarchicalRule, membership: Concepts, n_examples: int, support: np.ndarray | None = None
) -> Applied:
    """Apply a rule to examples; `membership` has the examples of each concept.

    If several rules of the deciding level match, the one with the largest support wins, then the first one. `support`
    is the number of training examples of each concept.

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
        # The last assignment wins: earlier levels over later ones, and larger support over smaller.
        for position, rule_label in sorted(rules, key=lambda one: (support[one[0]], -one[0], -one[1])):
            members = membership.extent(position)
            label[members], level[members], concept[members] = rule_label, number, position
    return Applied(label, level, concept)
