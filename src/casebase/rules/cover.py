"""The dynamic programming of Figure 2: the prices of rules, level by level, and the cheapest rule for a default.

The price of a rule is the cost of its concept plus the price of a cover of its exceptions by rules of the level before.
A rule without an example of its own class covers nothing and no cover takes it, so its price is infinite. Covers are
not stored; those of the final rule are computed again at the end, as the paper proposes to save memory.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heapreplace
from typing import Any

import numpy as np

from casebase import _native
from casebase.errors import CasebaseError
from casebase.progress import Progress
from casebase.rules.concepts import Concepts
from casebase.rules.hierarchy import MIXED, Forced, HierarchicalRule, Level

COST_OF_TRUE = 1.0
AT_ONCE = 1 << 14  # concepts per native call; Ctrl-C waits for its end


class Search:
    """The prices of all rules by level: prices[l][σ, r] for a rule of level l + 1, class σ and concept r."""

    def __init__(
        self, concepts: Concepts, labels: np.ndarray, n_classes: int, weights: np.ndarray | None, n_jobs: int
    ) -> None:
        n_examples = len(labels)
        # In tie order, `true` comes before all concepts of the same cost, as if it had the shortest name.
        self.true = int(np.argmax(np.append(concepts.cost, np.inf) >= COST_OF_TRUE))
        self.n_classes, self.n_jobs, n_concepts = n_classes, n_jobs, len(concepts) + 1
        self.weights = None if weights is None else np.ascontiguousarray(weights, dtype=float)
        self.total = weight_of(np.arange(n_examples), self.weights)
        self.own = np.insert(concepts.cost, self.true, COST_OF_TRUE)
        at = int(concepts.first[self.true])
        examples = np.insert(concepts.examples, at, np.arange(n_examples))
        owners = np.repeat(np.arange(n_concepts), np.insert(concepts.sizes, self.true, n_examples))
        self.of_class = [np.flatnonzero(labels == label) for label in range(n_classes)]
        number = np.zeros(n_examples, dtype=np.uint32)
        # Examples are numbered within their class, because covers of different classes are independent problems.
        for members in self.of_class:
            number[members] = np.arange(len(members))
        by_class = np.argsort(labels[examples], kind="stable")
        bounds = np.searchsorted(labels[examples][by_class], np.arange(n_classes + 1))
        self.sizes = np.zeros((n_classes, n_concepts), dtype=np.int64)
        self.coverings = []
        for label, members in enumerate(self.of_class):
            part = by_class[bounds[label] : bounds[label + 1]]
            self.sizes[label] = np.bincount(owners[part], minlength=n_concepts)
            first = np.concatenate([[0], np.cumsum(self.sizes[label])]).astype(np.uint64)
            own_weights = None if self.weights is None else self.weights[members]
            self.coverings.append(_native.Covering(first, number[examples[part]], len(members), own_weights))
        self.has_own = self.sizes > 0
        is_pure = self.sizes == self.sizes.sum(axis=0)
        self.prices = [np.where(is_pure & self.has_own, self.own, np.inf)]
        self.forced: list[Forced] = []

    def force(self, forced: Sequence[Forced]) -> None:
        for one in forced:
            if not 0 <= one.concept < len(self.own) - 1 or not 0 <= one.label < self.n_classes:
                raise CasebaseError(f"Cannot force a rule that does not exist: {one}.")
            if one.level is not None and one.level < 1:
                raise CasebaseError(f"Levels count from 1, the level that is tried first; got {one.level} in {one}.")
            one = replace(one, concept=one.concept + (one.concept >= self.true))
            # A forced rule needs a price even without an example of its own class, although it covers nothing.
            self.has_own[one.label, one.concept] = True
            if self.sizes[:, one.concept].sum() == self.sizes[one.label, one.concept]:
                self.prices[0][one.label, one.concept] = self.own[one.concept]
            self.forced.append(one)

    def cover_prices(self, level: int, label: int, free: Sequence[tuple[Forced, int]]) -> np.ndarray:
        """Return the prices of rules of a level (from 1) and a class for a cover; forced rules are free."""
        prices: np.ndarray = self.prices[level - 1][label]
        if not self.forced:
            return prices
        prices = prices.copy()
        prices[self.true] = np.inf  # a hierarchy that ends early could end before a forced rule
        prices[[one.concept for one, at in free if at == level and one.label == label]] = 0.0
        return prices

    def deepen(self, progress: Progress | None = None, done: int = 0, of: int = 0) -> bool:
        """Add the prices of the next level; return whether a rule has become possible."""
        level = len(self.prices)
        covers = np.zeros(self.sizes.shape)
        is_mixed = (self.has_own.sum(axis=0)) > 1
        free = self._placed_at(level)
        for label, covering in enumerate(self.coverings):
            targets = np.flatnonzero(is_mixed & (self.sizes[label] > 0)).astype(np.uint32)
            covering.price(np.ascontiguousarray(self.cover_prices(level, label, free)))
            for begin in range(0, len(targets), AT_ONCE):
                block = targets[begin : begin + AT_ONCE]
                covers[label, block] = covering.costs(block, self.n_jobs)
        # A rule of class σ pays the covers of all other classes: the sum before σ plus the sum after it. Subtracting
        # from the total would not do, because infinity minus infinity is not a number.
        before = np.zeros_like(covers)
        before[1:] = np.cumsum(covers[:-1], axis=0)
        behind = np.zeros_like(covers)
        behind[:-1] = np.cumsum(covers[:0:-1], axis=0)[::-1]
        self.prices.append(np.where(self.has_own, before + behind + self.own, np.inf))
        if progress:
            progress(done, of)
        return bool((np.isfinite(self.prices[-1]) & ~np.isfinite(self.prices[-2])).any())

    def _placed_at(self, level: int) -> list[tuple[Forced, int]]:
        return [(one, level) for one in self.forced if one.level == level]

    def rule(self, depth: int, budget: float = 0.0) -> HierarchicalRule | None:
        """Return the cheapest rule of a depth, over all defaults; None if there is none.

        It may leave examples up to the weight of `budget` unexplained.
        """
        candidates = [self._with_default(default, depth, budget) for default in range(self.n_classes)]
        default = int(np.argmin([np.inf if one is None else one[0] for one in candidates]))
        best = candidates[default]
        return None if best is None else self._trace(default, depth, *best)

    def place_forced(self, default: int, depth: int) -> list[tuple[Forced, int]] | None:
        """Return the level of each forced rule; None if one cannot be in a hierarchy with this default."""
        placed = []
        for one in self.forced:
            level = one.level if one.level is not None else depth - (one.label == default)
            # With two classes, levels alternate between them.
            alternates = self.n_classes > 2 or (one.label == default) == ((depth - level) % 2 == 1)
            if not (1 <= level <= depth and alternates) or not np.isfinite(self._price(one, level)):
                return None
            placed.append((one, level))
        return placed

    def _price(self, one: Forced, level: int) -> float:
        return float(self.prices[level - 1][one.label, one.concept])

    def _with_default(
        self, default: int, depth: int, budget: float
    ) -> tuple[float, list[tuple[int, int]], list[tuple[Forced, int]]] | None:
        placed = self.place_forced(default, depth)
        if placed is None:
            return None
        # Each class is covered on its own. The covers are then merged in greedy order, so that a budget for noise
        # leaves out the least efficient choices of all classes.
        runs, left = [], 0.0
        for label, covering in enumerate(self.coverings):
            if label == default or not len(self.of_class[label]):
                continue
            left += weight_of(self.of_class[label], self.weights)
            if depth == 0:
                continue
            prices = self.cover_prices(depth, label, placed)
            covering.price(np.ascontiguousarray(prices))
            chosen, gains, _ = covering.cover(self.true)
            runs.append([(prices[c] / g, -g, int(c), label) for c, g in zip(chosen.tolist(), gains.tolist())])
        taken: list[tuple[int, int]] = []
        for _, minus_gain, concept, label in _merge_runs(runs):
            if left <= budget:
                break
            taken.append((concept, label))
            left += minus_gain
        # Fractional weights leave a rounding error.
        if left > budget + 1e-9 * self.total:
            return None
        free = {(one.concept, one.label) for one, at in placed if at == depth}
        cost = COST_OF_TRUE + sum(
            float(self.prices[depth - 1][label, concept]) for concept, label in taken if (concept, label) not in free
        )
        return cost + sum(self._price(one, level) for one, level in placed), taken, placed

    def _trace(
        self, default: int, depth: int, cost: float, taken: list[tuple[int, int]], placed: list[tuple[Forced, int]]
    ) -> HierarchicalRule:
        levels: list[set[tuple[int, int]]] = [set() for _ in range(depth)]
        for one, level in placed:
            levels[level - 1].add((one.concept, one.label))
        if depth:
            levels[-1].update(taken)
        for level in range(depth - 1, 0, -1):
            for tau, covering in enumerate(self.coverings):
                bases = [r for r, sigma in levels[level] if sigma != tau and self.sizes[tau, r]]
                if not bases:
                    continue
                covering.price(np.ascontiguousarray(self.cover_prices(level, tau, placed)))
                for base in bases:
                    levels[level - 1].update((int(c), tau) for c in covering.cover(base)[0])
        for number in range(depth):  # nothing after the first level with `true` is reached
            ends = sorted(label for concept, label in levels[number] if concept == self.true)
            if ends:
                default, levels, depth = ends[0], levels[:number], number
                break
        return HierarchicalRule(
            tuple(self._level(rules, default, depth - number) for number, rules in enumerate(levels)), default, cost
        )

    def _level(self, rules: set[tuple[int, int]], default: int, from_default: int) -> Level:
        ordered = sorted(rules)
        labels = tuple(label for _, label in ordered)
        if self.n_classes == 2:
            label = default if from_default % 2 == 0 else 1 - default
        else:
            label = labels[0] if len(set(labels)) == 1 else MIXED
        return Level(label, tuple(concept - (concept > self.true) for concept, _ in ordered), labels)


def _merge_runs(runs: list[list[tuple[Any, ...]]]) -> Iterable[tuple[Any, ...]]:
    """Yield the choices of independent covers in the order in which a joint greedy cover would make them."""
    heads = [(run[0], number, 0) for number, run in enumerate(runs) if run]
    heapify(heads)
    while heads:
        choice, number, at = heads[0]
        yield choice
        if at + 1 < len(runs[number]):
            heapreplace(heads, (runs[number][at + 1], number, at + 1))
        else:
            heappop(heads)


def weight_of(examples: np.ndarray, weights: np.ndarray | None) -> float:
    """Return the weight of examples, given by position or by a mask."""
    if weights is None:
        return float(np.count_nonzero(examples) if examples.dtype == bool else len(examples))
    return float(weights[examples].sum())
