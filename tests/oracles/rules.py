"""Hierarchical rules: exceptions, their exceptions and so on; each level is a cheap cover of the errors of the next.

Kivinen, Mannila, Ukkonen and Vilo, "An algorithm for learning hierarchical classifiers", Figure 2, with sets.
A concept has a name, a cost and the examples it covers. `TRUE` covers every example, costs 1 and is a concept
like any other; the default is the rule that has it as its base. A rule for a concept predicts a class; the
examples of another class that the concept covers are its exceptions, which rules tried earlier must cover.

Greedy cover: the least cost per newly covered example; equal, the more new examples; equal again, the concept that
stands first in tie order: cheaper, then shorter name, then alphabetical. Of the rules with one default or the
other the cheaper wins; of equal ones that with the smaller default.

Several classes: a rule of any level may predict any class, and an exception of class c must be covered by a rule of
the level before that predicts c. At the first level that covers an example, all rules that cover it predict its class:
a rule that predicts another has the example among its exceptions, so an earlier level covers it too.

Noise: of examples equal in all concepts only those of the most frequent class stay (of equal classes, the smaller);
the cover of the exceptions to the default may leave as many out as are still allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TypeVar

TRUE = ""  # the name of the concept that covers everything: every string contains the empty one

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Concept:
    """A property of examples: its name, what it costs to use it, and the examples that have it."""

    name: str
    cost: float
    examples: frozenset[int]


@dataclass(frozen=True)
class Rule:
    """Levels in the order in which they are tried, each a set of (concept, class); then the default.

    `cost` is that of the table of Figure 2, in which an exception shared by two rules counts twice.
    """

    levels: tuple[frozenset[tuple[str, int]], ...]
    default: int
    cost: float


def tie_order(concepts: Sequence[Concept]) -> list[Concept]:
    """Return the concepts, the cheaper first, then those of shorter names, then by alphabet."""
    return sorted(concepts, key=lambda concept: (concept.cost, len(concept.name), concept.name))


def merge(concepts: Sequence[Concept]) -> list[Concept]:
    """Return the concepts in tie order without those that cover what an earlier one covers.

    >>> both = frozenset({1, 2})
    >>> [c.name for c in merge([Concept("long", 1, both), Concept("b", 1, both), Concept("a", 2, both)])]
    ['b']
    """
    kept: list[Concept] = []
    for concept in tie_order(concepts):
        if all(concept.examples != other.examples for other in kept):
            kept.append(concept)
    return kept


def weighted_set_cover(
    domain: Collection[int],
    order: Sequence[T],
    sets: Mapping[T, Collection[int]],
    costs: Mapping[T, float],
    left_out: float = 0,
) -> list[T] | None:
    """Return the greedy cover of the domain, in the order of choice, or None if there is none of finite cost.

    It ends when no more than `left_out` are uncovered.

    >>> weighted_set_cover({1, 2, 3}, "abc", {"a": {1, 2}, "b": {3}, "c": {1, 2, 3}}, {"a": 1, "b": 1, "c": 2})
    ['a', 'b']
    """
    left = set(domain)
    cover = []
    while len(left) > left_out:
        new = {i: len(left.intersection(sets[i])) for i in order if costs[i] < inf}
        useful = [i for i in new if new[i] > 0]
        if not useful:
            return None
        best = min(useful, key=lambda i: (Fraction(costs[i]) / new[i], -new[i]))  # of equal ones, the first
        cover.append(best)
        left -= set(sets[best])
    return cover


def figure_2(
    concepts: Sequence[Concept], labels: Sequence[int], depth: int, first: int, *, true_inside: bool = True
) -> Rule | None:
    """Return the rule whose level 1 predicts `first`, or None where the algorithm fails; classes are 0 and 1.

    `true_inside` leaves `TRUE` among the concepts of the levels before the default, as the figure does.
    """
    everything = frozenset(range(len(labels)))
    order = tie_order([Concept(TRUE, 1, everything), *(c for c in concepts if c.examples)])
    names = [concept.name for concept in order]
    cost = {concept.name: concept.cost for concept in order}
    covered = {
        label: {c.name: {i for i in c.examples if labels[i] == label} for c in order} for label in (0, 1)
    }  # D+ and D- of the figure
    last = depth + 1
    rule_cost: dict[int, dict[str, float]] = {}
    exception_rules: dict[int, dict[str, list[str]]] = {}

    says = first
    rule_cost[1] = {name: cost[name] if not covered[1 - says][name] else inf for name in names}
    for level in range(2, last + 1):
        says = 1 - says
        rule_cost[level], exception_rules[level] = {}, {}
        usable = dict(rule_cost[level - 1])
        if not true_inside:
            usable[TRUE] = inf
        for name in [TRUE] if level == last else names:
            cover = weighted_set_cover(covered[1 - says][name], names, covered[1 - says], usable)
            if cover is None:
                rule_cost[level][name] = inf
            else:
                exception_rules[level][name] = cover
                rule_cost[level][name] = sum(rule_cost[level - 1][j] for j in cover) + cost[name]
    if rule_cost[last][TRUE] == inf:
        return None

    default, bases = says, {TRUE}
    levels: list[frozenset[tuple[str, int]]] = []
    for level in range(last, 1, -1):
        bases = {exception for base in bases for exception in exception_rules[level][base]}
        says = 1 - says
        levels.insert(0, frozenset((name, says) for name in bases))
    return Rule(tuple(levels), default, rule_cost[last][TRUE])


def two_classes(
    concepts: Sequence[Concept], labels: Sequence[int], depth: int, *, true_inside: bool = True
) -> Rule | None:
    """Return the cheaper rule of the two first classes, of equal ones that with the smaller default."""
    tried = [figure_2(concepts, labels, depth, first, true_inside=true_inside) for first in (0, 1)]
    return cheapest([rule for rule in tried if rule is not None])


def cheapest(rules: Sequence[Rule]) -> Rule | None:
    """Return the rule of least cost, of equal ones that with the smaller default."""
    return min(rules, key=lambda rule: (rule.cost, rule.default), default=None)


def several_classes(
    concepts: Sequence[Concept],
    labels: Sequence[int],
    depth: int,
    n_classes: int,
    default: int,
    *,
    true_inside: bool = True,
    left_out: float = 0,
) -> Rule | None:
    """Return the rule with the given default, or None if there is none of this depth.

    The default may have as many exceptions `left_out` that nothing covers.

    The table has a cost for every concept and every class it may predict. A set of the cover is a concept with
    a class: it covers its examples of that class.
    """
    everything = frozenset(range(len(labels)))
    order = tie_order([Concept(TRUE, 1, everything), *(c for c in concepts if c.examples)])
    own = {(c.name, label): {i for i in c.examples if labels[i] == label} for c in order for label in range(n_classes)}
    rules = list(own)  # in tie order of the concepts
    exceptions = {
        (name, label): {i for k in rules if k[0] == name and k[1] != label for i in own[k]} for name, label in rules
    }
    cost = {(c.name, label): c.cost for c in order for label in range(n_classes)}

    table: list[dict[tuple[str, int], float]] = []
    chosen: list[dict[tuple[str, int], list[tuple[str, int]]]] = []
    for level in range(1, depth + 2):
        usable = dict(table[-1]) if table else dict.fromkeys(rules, inf)
        if not true_inside:
            usable |= {rule: inf for rule in rules if rule[0] == TRUE}
        allowed = left_out if level == depth + 1 else 0
        covers = {rule: weighted_set_cover(exceptions[rule], rules, own, usable, allowed) for rule in rules}
        chosen.append({rule: cover for rule, cover in covers.items() if cover is not None})
        table.append(
            {
                rule: inf if cover is None else sum(usable[other] for other in cover) + cost[rule]
                for rule, cover in covers.items()
            }
        )
    if table[-1][TRUE, default] == inf:
        return None
    levels: list[frozenset[tuple[str, int]]] = [frozenset({(TRUE, default)})]
    for covers in reversed(chosen[1:]):
        levels.insert(0, frozenset(exception for base in levels[0] for exception in covers[base]))
    return Rule(tuple(levels[:-1]), default, table[-1][TRUE, default])


def find_rule(
    concepts: Sequence[Concept],
    labels: Sequence[int],
    depth: int,
    n_classes: int = 2,
    *,
    true_inside: bool = True,
    left_out: float = 0,
) -> Rule | None:
    """Return the cheapest rule over all defaults, of equal ones that with the smaller default, or None."""
    tried = [
        several_classes(concepts, labels, depth, n_classes, default, true_inside=true_inside, left_out=left_out)
        for default in range(n_classes)
    ]
    return cheapest([rule for rule in tried if rule is not None])


def shorten(rule: Rule) -> Rule:
    """Return the rule up to the first level that has `TRUE`, which is a default: later levels are never tried."""
    for at, level in enumerate(rule.levels):
        if any(name == TRUE for name, _ in level):
            return Rule(rule.levels[:at], min(label for name, label in level if name == TRUE), rule.cost)
    return rule


def without_contradictions(concepts: Sequence[Concept], labels: Sequence[int]) -> list[int]:
    """Return the examples that stay: of those equal in all concepts, the ones of the most frequent class."""
    groups: dict[frozenset[str], list[int]] = {}
    for example in range(len(labels)):
        groups.setdefault(frozenset(covering(concepts, example)), []).append(example)
    stay = []
    for group in groups.values():
        said = [labels[i] for i in group]
        most = min(said, key=lambda label: (-said.count(label), label))
        stay += [i for i in group if labels[i] == most]
    return sorted(stay)


def among(concepts: Sequence[Concept], examples: Sequence[int]) -> list[Concept]:
    """Return the concepts among some examples only, these numbered anew."""
    number = {example: i for i, example in enumerate(examples)}
    return [Concept(c.name, c.cost, frozenset(number[i] for i in c.examples if i in number)) for c in concepts]


def find_noisy_rule(
    concepts: Sequence[Concept], labels: Sequence[int], depth: int, n_classes: int, left_out: float
) -> Rule | None:
    """Return the cheapest rule that leaves at most so many examples unexplained, or None."""
    stay = without_contradictions(concepts, labels)
    allowed = left_out - (len(labels) - len(stay))
    if allowed < 0:
        return None
    return find_rule(among(concepts, stay), [labels[i] for i in stay], depth, n_classes, left_out=allowed)


def firing(rule: Rule, held: Collection[str]) -> set[tuple[str, int]]:
    """Return the (concept, class) of the first level that has any of the concepts that hold of an example.

    >>> penguins = Rule((frozenset({("penguin", 0)}), frozenset({("bird", 1)})), 0, 3)
    >>> firing(penguins, {"bird"}), firing(penguins, {"bird", "penguin"}), firing(penguins, {"stone"})
    ({('bird', 1)}, {('penguin', 0)}, {('', 0)})
    """
    for level in rule.levels:
        met = {(name, label) for name, label in level if name == TRUE or name in held}
        if met:
            return met
    return {(TRUE, rule.default)}


def covering(concepts: Sequence[Concept], example: int) -> set[str]:
    """Return the names of the concepts that cover an example."""
    return {concept.name for concept in concepts if example in concept.examples}


def is_consistent(rule: Rule, concepts: Sequence[Concept], labels: Sequence[int]) -> bool:
    """Return whether all rules that fire on an example predict its class."""
    return all(
        {said for _, said in firing(rule, covering(concepts, example))} == {label}
        for example, label in enumerate(labels)
    )
