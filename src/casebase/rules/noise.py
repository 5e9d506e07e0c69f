"""Noise: find a nearly consistent rule if no rule explains all examples.

The search for consistent rules is reused, with additional concepts: one singleton per example, so expensive that a
cover takes it only where nothing else covers the example. The singletons have a level of their own, tried before all
others, so that a rule of any level may leave exceptions. With them a consistent rule always exists. The singletons are
then removed from it, and their examples stay unexplained. A concept with more examples of its own class than such
exceptions is cheaper per example than leaving its own examples to singletons, so the majority wins.
"""

from dataclasses import dataclass, replace

import numpy as np

from casebase.errors import NoConsistentRuleError
from casebase.progress import Progress
from casebase.rules.concepts import Concepts
from casebase.rules.cover import COST_OF_TRUE, Search, weight_of
from casebase.rules.hierarchy import Forced, HierarchicalRule, applied

DEEPEST = 10  # the deepest hierarchy that depth="auto" tries
N_SHOWN = 10  # examples in an error message
SINGLETON_COST = 2.0**20  # the cost of an unexplained example, relative to the most expensive concept


@dataclass(frozen=True, eq=False)
class Sample:
    """The training examples of a rule."""

    concepts: Concepts
    labels: np.ndarray
    n_classes: int
    weights: np.ndarray | None
    forced: tuple[Forced, ...] = ()
    n_jobs: int = 1

    @property
    def n_examples(self) -> int:
        return len(self.labels)

    @property
    def total(self) -> float:
        return weight_of(np.arange(self.n_examples), self.weights)

    def part(self, examples: np.ndarray) -> "Sample":
        """Return the sample with some of the examples; concepts keep their positions."""
        weights = None if self.weights is None else self.weights[examples]
        concepts = self.concepts.within(examples, self.n_examples)
        return replace(self, concepts=concepts, labels=self.labels[examples], weights=weights)

    def search(self) -> Search:
        """Return a search for rules, with the prices of the first level."""
        search = Search(self.concepts, self.labels, self.n_classes, self.weights, self.n_jobs)
        search.force(self.forced)
        return search

    def wrong(self, rule: HierarchicalRule) -> float:
        """Return the weight of the examples that a rule gets wrong."""
        return weight_of(applied(rule, self.concepts, self.n_examples).label != self.labels, self.weights)


def nearly_consistent(
    sample: Sample, depth: int | str, progress: Progress | None
) -> tuple[HierarchicalRule, float] | None:
    """Return a rule that leaves few examples unexplained, and the weight of those that it gets wrong.

    Such a rule always exists, unless forced rules cannot be at their levels; then return None. With `depth="auto"`,
    take the smallest depth with the fewest errors, and stop when one more level does not reduce them. The cost of the
    rule is the cost of its concepts.
    """
    n, n_examples = len(sample.concepts), sample.n_examples
    singleton_cost = SINGLETON_COST * max(COST_OF_TRUE, sample.concepts.cost.max(initial=0.0))
    alone = np.arange(n_examples)
    prices = np.full(n_examples, singleton_cost) if sample.weights is None else singleton_cost * sample.weights
    concepts = sample.concepts
    extended = Concepts(
        np.concatenate([concepts.first, concepts.first[-1] + np.arange(1, n_examples + 1, dtype=np.uint64)]),
        np.concatenate([concepts.examples, alone]),
        np.concatenate([concepts.cost, prices]),
    )
    # One level more: the first level has the singletons alone.
    forced = tuple(one if one.level is None else replace(one, level=one.level + 1) for one in sample.forced)
    search = replace(sample, concepts=extended, forced=forced).search()
    search.prices[0][:, : n + 1] = np.inf  # at the first level, no concepts and no `true`
    deepest = DEEPEST if isinstance(depth, str) else depth
    best: tuple[HierarchicalRule, float] | None = None
    for number in range(0 if depth == "auto" else deepest, deepest + 1):
        while len(search.prices) < number + 1:
            search.deepen(progress, len(search.prices), deepest)
        found = search.rule(number + 1)
        if found is None:
            continue
        rule = _without_singletons(found, n, sample.concepts.cost)
        wrong = sample.wrong(rule)
        if best is not None and wrong >= best[1] and number > 1:
            break
        if best is None or wrong < best[1]:
            best = rule, wrong
    return best


def _without_singletons(rule: HierarchicalRule, n_concepts: int, cost: np.ndarray) -> HierarchicalRule:
    levels = []
    for level in rule.levels[1:]:
        kept = [(c, label) for c, label in zip(level.concepts, level.labels) if c < n_concepts]
        concepts, labels = tuple(c for c, _ in kept), tuple(label for _, label in kept)
        levels.append(replace(level, concepts=concepts, labels=labels))
    total = COST_OF_TRUE + sum(float(cost[c]) for level in levels for c in level.concepts)
    return replace(rule, levels=tuple(levels), cost=total)


def without_contradictions(sample: Sample, budget: float) -> tuple[np.ndarray | None, float]:
    """Return the examples to keep (None: all), and what is left of the budget for noise.

    Of examples that are in the same concepts, the class with the greatest weight stays; ties go to the smaller label.
    """
    concepts, labels = sample.concepts, sample.labels
    weight = np.ones(len(labels)) if sample.weights is None else sample.weights
    # Hashing of sets: each concept has two random numbers, and examples in the same concepts have equal sums.
    owners = concepts.owners
    keys = []
    for key in np.random.default_rng(0).integers(0, 2**64, (2, len(concepts)), dtype=np.uint64):
        sums = np.zeros(len(labels), dtype=np.uint64)
        np.add.at(sums, concepts.examples, key[owners])
        keys.append(sums)
    order = np.lexsort(keys)
    starts = np.concatenate(
        [[True], (keys[0][order][1:] != keys[0][order][:-1]) | (keys[1][order][1:] != keys[1][order][:-1])]
    )
    group = np.empty(len(labels), dtype=np.int64)
    group[order] = np.cumsum(starts) - 1
    pairs, of_pair = np.unique(group * (int(labels.max()) + 1) + labels, return_inverse=True)
    pair_group = pairs // (int(labels.max()) + 1)
    if len(pairs) == group.max() + 1:
        return None, budget
    pair_weight = np.bincount(of_pair, weights=weight)
    by_group = np.lexsort([np.arange(len(pairs)), -pair_weight, pair_group])  # the heaviest class of each group first
    stays_pair = np.zeros(len(pairs), dtype=bool)
    stays_pair[by_group[np.concatenate([[True], np.diff(pair_group[by_group]) > 0])]] = True
    stays = stays_pair[of_pair]
    given_up = float(weight[~stays].sum())
    if given_up > budget:
        in_conflict = np.flatnonzero(np.bincount(pair_group)[group] > 1)
        in_conflict = in_conflict[np.argsort(group[in_conflict], kind="stable")]
        shown = in_conflict[:N_SHOWN]
        share = given_up / float(weight.sum())
        raise NoConsistentRuleError(
            f"{len(in_conflict)} of {len(labels)} examples are equal in all concepts to one of another class (such as "
            f"{listed(shown)}, counted from 0): no rule can be right on all of them. Correct them, or allow for noise "
            f"of at least {share:.2g}.",
            len(in_conflict),
            shown.tolist(),
            in_conflict.tolist(),
        )
    return np.flatnonzero(stays), budget - given_up


def listed(examples: np.ndarray) -> str:
    return ", ".join(str(example) for example in examples.tolist())
