"""Rules from the paths of a decision tree: generalised, selected, ordered.

A path asks for everything above its leaf, needed or not. A rule drops what it can do without: each condition in turn,
as long as the share of errors to be feared over all cases does not grow. Of the rules of a class those stay with which
rules and exceptions together are said in the fewest bits. Classes are then asked in turn, the one whose rules are least
often wrong first; cases for which no rule holds are of the default class.

Reference: Quinlan, "C4.5: programs for machine learning" (1993), chapter 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log, log2

import numpy as np

from casebase.base.answers import Preference
from casebase.data import Cases, Schema
from casebase.measures.codelengths import log2_binomial
from casebase.measures.confidence import error_rate
from casebase.trees.nodes import TreeNodes
from casebase.trees.paths import Branch, branch_to

SAME = 1e-9  # rates and bits that differ by less are equal
AT_MOST, ABOVE, EQUAL = 0, 1, 2  # what a condition asks of a number or a code
AT_ONCE = 1024  # cases of which all conditions are asked together
N_EXHAUSTIVE = 10  # rules of a class of which all subsets are tried


@dataclass(frozen=True)
class PathRule:
    """If all conditions hold, then the label."""

    conditions: tuple[Branch, ...]
    label: int


def rules_of_paths(nodes: TreeNodes, schema: Schema) -> list[PathRule]:
    """Return a rule for each leaf of a tree, its conditions from the root on."""
    leaves = np.flatnonzero(nodes.feature < 0).tolist()
    return [
        PathRule(tuple(branch_to(nodes, schema, node) for node in nodes.path(leaf)[1:]), int(nodes.label[leaf]))
        for leaf in leaves
    ]


def holds(condition: Branch, cases: Cases) -> np.ndarray:
    """Return for which cases a condition holds; never for a value that is missing, unless it asks for that."""
    column, feature = cases.columns[condition.feature], cases.schema.features[condition.feature]
    if condition.threshold is not None:
        return column > condition.threshold if condition.is_above else column <= condition.threshold
    code = None if feature.vocabulary is None else feature.vocabulary.code(condition.value)
    return np.zeros(cases.n_cases, dtype=bool) if code is None else column == code


class Extents:
    """For which cases conditions and rules hold; each condition is asked once."""

    def __init__(self, cases: Cases):
        self.cases = cases
        self._of: dict[Branch, np.ndarray] = {}

    def condition(self, condition: Branch) -> np.ndarray:
        if condition not in self._of:
            self._of[condition] = holds(condition, self.cases)
        return self._of[condition]

    def rule(self, rule: PathRule) -> np.ndarray:
        held = np.ones(self.cases.n_cases, dtype=bool)
        for condition in rule.conditions:
            held &= self.condition(condition)
        return held

    def table(self, rules: Sequence[PathRule]) -> np.ndarray:
        """Return a row per rule and a column per case."""
        return np.array([self.rule(rule) for rule in rules]).reshape(len(rules), self.cases.n_cases)


@dataclass(frozen=True, eq=False)
class Conditions:
    """The distinct conditions of many rules as arrays, to be asked of a few cases at once.

    Condition i asks feature `feature[i]` for a number at most `value[i]`, above it, or equal to it (a code; NaN for a
    value that no case has), as `kind[i]` says. Rule r has the conditions `of_rule[first[r] : first[r + 1]]`.
    """

    feature: np.ndarray
    value: np.ndarray
    kind: np.ndarray
    of_rule: np.ndarray
    first: np.ndarray

    @staticmethod
    def of(rules: Sequence[PathRule], schema: Schema) -> "Conditions":
        distinct = {condition: i for i, condition in enumerate(dict.fromkeys(c for r in rules for c in r.conditions))}
        value, kind = [], []
        for condition in distinct:
            if condition.threshold is not None:
                value.append(condition.threshold)
                kind.append(ABOVE if condition.is_above else AT_MOST)
            else:
                vocabulary = schema.features[condition.feature].vocabulary
                code = None if vocabulary is None else vocabulary.code(condition.value)
                value.append(np.nan if code is None else float(code))
                kind.append(EQUAL)
        return Conditions(
            np.array([condition.feature for condition in distinct], dtype=np.int64),
            np.array(value, dtype=np.float64),
            np.array(kind, dtype=np.int8),
            np.array([distinct[c] for r in rules for c in r.conditions], dtype=np.int64),
            np.cumsum([0, *(len(rule.conditions) for rule in rules)]),
        )

    def table(self, cases: Cases) -> np.ndarray:
        """Return for which cases rules hold: a row per rule and a column per case."""
        held = np.ones((len(self.first) - 1, cases.n_cases), dtype=bool)
        asks = np.flatnonzero(np.diff(self.first))  # `reduceat` has no answer for a rule without conditions
        if len(asks):
            for begin in range(0, cases.n_cases, AT_ONCE):
                block = slice(begin, begin + AT_ONCE)
                each = self._each(cases, block)
                held[asks, block] = np.logical_and.reduceat(each[self.of_rule], self.first[asks], axis=0)
        return held

    def _each(self, cases: Cases, block: slice) -> np.ndarray:
        """Return a row per condition and a column per case."""
        asked = np.array([column[block] for column in cases.columns], dtype=np.float64)[self.feature]
        value, kind = self.value[:, None], self.kind[:, None]
        return np.where(kind == EQUAL, asked == value, np.where(kind == ABOVE, asked > value, asked <= value))


def weights_of(cases: Cases) -> np.ndarray:
    return np.ones(cases.n_cases) if cases.weights is None else cases.weights


def generalised(rule: PathRule, extents: Extents, confidence: float) -> PathRule:
    """Return a rule without the conditions that it can do without.

    As long as there is a condition without which the error to be feared is not greater, the one without which it is
    smallest is dropped; of equal ones the last, which stood lowest in the tree.
    """
    cases, kept = extents.cases, list(rule.conditions)
    weights, is_wrong = weights_of(cases), cases.known_labels != rule.label
    fails = np.array([~extents.condition(condition) for condition in kept]).reshape(len(kept), cases.n_cases)
    n_fails = fails.sum(axis=0)
    while kept:
        held = n_fails == 0
        n, errors = float(weights[held].sum()), float(weights[held & is_wrong].sum())
        # Without a condition the rule holds for those cases too that fail it alone.
        near = np.flatnonzero(n_fails == 1)
        alone = fails[:, near]
        more = alone @ weights[near]
        rates = error_rate(n + more, errors + alone @ (weights[near] * is_wrong[near]), confidence)
        best = np.flatnonzero(rates <= rates.min() + SAME)[-1]
        if rates[best] > float(error_rate(n, errors, confidence)) + SAME:
            break
        n_fails = n_fails - fails[best]
        fails = np.delete(fails, best, axis=0)
        del kept[best]
    return PathRule(tuple(kept), rule.label)


def rule_bits(n_choices: Sequence[float]) -> float:
    """Return the bits to say which conditions a rule has; their order says nothing.

    `n_choices` has how many tests each condition was chosen from.

    >>> rule_bits([8, 8])  # 6 - 1
    5.0
    """
    return sum(map(log2, n_choices)) - log2_factorial(len(n_choices))


def class_bits(n_rules: int, bits: float) -> float:
    """Return the bits to say which rules a class has, from the sum of those of each; their order says nothing.

    >>> class_bits(2, 10.0)
    9.0
    """
    return bits - log2_factorial(n_rules)


def exception_bits(n_held: float, n_wrong: float, n_other: float, n_missed: float) -> float:
    """Return the bits to say which cases that the rules hold for are of another class, and which others are of theirs.

    >>> round(exception_bits(4, 1, 10, 0), 3)
    2.0
    """
    return log2_binomial(n_held, n_wrong) + log2_binomial(n_other, n_missed)


def log2_factorial(n: int) -> float:
    return lgamma(n + 1) / log(2)


@dataclass(frozen=True)
class Selecting:
    """The rules of one class, and what a subset of them costs."""

    held: np.ndarray  # a row per rule, a column per case
    weights: np.ndarray
    is_own: np.ndarray
    bits: np.ndarray
    theory_weight: float

    @cached_property
    def totals(self) -> tuple[float, float]:
        """The weight of all cases, and of those of the class."""
        return float(self.weights.sum()), float(self.weights[self.is_own].sum())

    def cost(self, n_held: float, n_own: float, n_rules: int, bits: float) -> float:
        """Return the bits of rules, which count `theory_weight` each, and of the exceptions to them."""
        total, total_own = self.totals
        n_held = min(max(n_held, 0.0), total)
        said = exception_bits(n_held, max(n_held - n_own, 0.0), total - n_held, max(total_own - n_own, 0.0))
        return self.theory_weight * class_bits(n_rules, bits) + said

    def cost_of(self, subset: np.ndarray) -> float:
        """Return what a subset costs, given as positions."""
        held = self.held[subset].any(axis=0)
        n_own = float(self.weights[held & self.is_own].sum())
        return self.cost(float(self.weights[held].sum()), n_own, len(subset), float(self.bits[subset].sum()))

    def best(self) -> np.ndarray:
        """Return the positions of the rules to keep."""
        n = len(self.bits)
        if n <= N_EXHAUSTIVE:
            return self._cheapest()
        ends = [self._climbed(np.zeros(n, dtype=bool)), self._climbed(np.ones(n, dtype=bool))]
        return np.flatnonzero(min(ends, key=lambda end: round(end[0], 6))[1])

    def _cheapest(self) -> np.ndarray:
        """Return the cheapest of all subsets; of equal ones the one with fewer rules, then the earlier rules."""
        n = len(self.bits)
        mask = (self.held.T * (1 << np.arange(n))).sum(axis=1).astype(np.int64)
        outside = [np.bincount(mask, w, minlength=1 << n) for w in (self.weights, self.weights * self.is_own)]
        for rule in range(n):  # now outside[s]: the cases that only rules of s hold for
            for counts in outside:
                pairs = counts.reshape(-1, 2, 1 << rule)
                pairs[:, 1] += pairs[:, 0]

        def key(subset: int) -> tuple[float, int, list[int]]:
            others = (1 << n) - 1 - subset
            chosen = [rule for rule in range(n) if subset >> rule & 1]
            n_held, n_own = self.totals[0] - float(outside[0][others]), self.totals[1] - float(outside[1][others])
            cost = self.cost(n_held, n_own, len(chosen), float(self.bits[chosen].sum()))
            return round(cost, 6), len(chosen), chosen

        return np.array(min(map(key, range(1 << n)))[2], dtype=np.int64)

    def _climbed(self, chosen: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the cost and the rules reached by adding or dropping one rule at a time, the most useful first."""
        chosen = chosen.copy()
        own = self.weights * self.is_own
        held = self.held.astype(np.float64)
        cost = self.cost_of(np.flatnonzero(chosen))
        while True:
            n_rules = self.held[chosen].sum(axis=0)
            is_new, is_last = n_rules == 0, n_rules == 1
            n_held, n_own = float(self.weights[~is_new].sum()), float(own[~is_new].sum())
            gains = held @ np.array([self.weights * is_new, own * is_new, self.weights * is_last, own * is_last]).T
            n_chosen, bits = int(chosen.sum()), float(self.bits[chosen].sum())
            best = None
            for rule, (more, more_own, less, less_own) in enumerate(gains.tolist()):
                own_bits = float(self.bits[rule])
                changed = (
                    self.cost(n_held - less, n_own - less_own, n_chosen - 1, bits - own_bits)
                    if chosen[rule]
                    else self.cost(n_held + more, n_own + more_own, n_chosen + 1, bits + own_bits)
                )
                if changed < (cost if best is None else best[0]) - 1e-6:
                    best = changed, rule
            if best is None:
                return cost, chosen
            cost = best[0]
            chosen[best[1]] = not chosen[best[1]]


def ordered_classes(
    rules_of: Mapping[int, np.ndarray], labels: np.ndarray, weights: np.ndarray, preference: Preference
) -> list[int]:
    """Return classes, the one whose rules are wrong for the fewest cases first; then the same of the cases left.

    `rules_of` has for each class whether any of its rules holds, per case. Of classes equally wrong comes first the one
    that is more often right, then the one that is preferred.
    """
    left, classes, order = np.ones(len(labels), dtype=bool), list(rules_of), []

    def key(label: int) -> tuple[float, ...]:
        held = rules_of[label] & left
        wrong, right = weights[held & (labels != label)].sum(), weights[held & (labels == label)].sum()
        return round(float(wrong), 9), -round(float(right), 9), -preference.frequency[label], preference.rank[label]

    while classes:
        first = min(classes, key=key)
        classes.remove(first)
        order.append(first)
        left &= ~rules_of[first]
    return order


def needed(
    held: np.ndarray, rule_labels: np.ndarray, labels: np.ndarray, weights: np.ndarray, default: int
) -> list[int]:
    """Return the rules, in their order, without those in whose absence fewer cases would be answered wrongly.

    The one in whose absence most are answered better goes first; then the others are looked at again.
    """
    kept = list(range(len(held)))
    while kept:
        n_before = np.cumsum(held[kept], axis=0)
        answer = np.array([*rule_labels[kept], default])
        first = np.where(n_before[-1] > 0, (n_before == 0).sum(axis=0), len(kept))
        second = np.where(n_before[-1] > 1, (n_before <= 1).sum(axis=0), len(kept))
        change = weights * ((answer[second] != labels).astype(float) - (answer[first] != labels))
        is_first = first < len(kept)
        by_rule = np.bincount(first[is_first], change[is_first], minlength=len(kept))
        worst = int(np.argmin(np.round(by_rule, 9)))
        if by_rule[worst] > -SAME:
            return kept
        del kept[worst]
    return kept
