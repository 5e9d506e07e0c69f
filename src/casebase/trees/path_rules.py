"""Rules from the paths of a decision tree: generalise, select, order.

A path tests everything above its leaf, relevant or not. Generalisation drops one condition after another, as long as
the rule's pessimistic error does not grow. Selection keeps the subset of each class's rules with the smallest
description length, rules and exceptions together (the MDL principle). Classes are then ordered: the class whose rules
make the fewest false positives comes first. A case that no rule covers gets the default class.

Reference: Quinlan, "C4.5: programs for machine learning" (1993), chapter 5.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import lgamma, log, log2

import numpy as np

from casebase.base.answers import Preference
from casebase.data import Cases, Schema
from casebase.measures.codelengths import log2_binomial
from casebase.measures.confidence import error_rate
from casebase.trees.nodes import TreeNodes
from casebase.trees.paths import Branch, branch_to

SAME = 1e-9  # error rates that differ by less are equal
AT_MOST, ABOVE, EQUAL = 0, 1, 2  # kinds of conditions on a number or a code
AT_ONCE = 1024  # cases per block: bounds the table of conditions and cases
N_EXHAUSTIVE = 10  # up to this many rules of a class, all subsets are tried


@dataclass(frozen=True)
class PathRule:
    """If all conditions hold, then predict the label."""

    conditions: tuple[Branch, ...]
    label: int


def rules_of_paths(nodes: TreeNodes, schema: Schema) -> list[PathRule]:
    """Return a rule for each leaf of a tree, with its conditions from the root down."""
    leaves = np.flatnonzero(nodes.feature < 0).tolist()
    return [
        PathRule(tuple(branch_to(nodes, schema, node) for node in nodes.path(leaf)[1:]), int(nodes.label[leaf]))
        for leaf in leaves
    ]


def holds(condition: Branch, cases: Cases) -> np.ndarray:
    """Return for which cases a condition holds; a missing value satisfies only a condition on missing values."""
    column, feature = cases.columns[condition.feature], cases.schema.features[condition.feature]
    if condition.threshold is not None:
        return column > condition.threshold if condition.is_above else column <= condition.threshold
    code = None if feature.vocabulary is None else feature.vocabulary.code(condition.value)
    return np.zeros(cases.n_cases, dtype=bool) if code is None else column == code


class Extents:
    """The cases that conditions and rules cover; each condition is evaluated once."""

    def __init__(self, cases: Cases):
        self.cases = cases
        self._of: dict[Branch, np.ndarray] = {}

    def condition(self, condition: Branch) -> np.ndarray:
        if condition not in self._of:
            self._of[condition] = holds(condition, self.cases)
        return self._of[condition]

    def rule(self, rule: PathRule) -> np.ndarray:
        covers = np.ones(self.cases.n_cases, dtype=bool)
        for condition in rule.conditions:
            covers &= self.condition(condition)
        return covers

    def table(self, rules: Sequence[PathRule]) -> np.ndarray:
        """Return a row per rule and a column per case."""
        return np.array([self.rule(rule) for rule in rules]).reshape(len(rules), self.cases.n_cases)


@dataclass(frozen=True, eq=False)
class Conditions:
    """The distinct conditions of many rules as arrays, to evaluate blocks of cases at once.

    Condition i compares feature `feature[i]` with `value[i]`: at most, above, or equal, as `kind[i]` says. For equality
    the value is a code, or NaN if no case can have it. Rule r has the conditions `of_rule[first[r] : first[r + 1]]`.
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
        """Return which cases the rules cover: a row per rule and a column per case."""
        covers = np.ones((len(self.first) - 1, cases.n_cases), dtype=bool)
        for block, part in self._blocks(cases):
            covers[:, block] = part
        return covers

    def first_rule(self, cases: Cases) -> np.ndarray:
        """Return the first rule that covers each case, one past the last if none does; without the whole table."""
        n_rules = len(self.first) - 1
        found = np.full(cases.n_cases, n_rules)
        for block, part in self._blocks(cases) if n_rules else ():
            found[block] = np.where(part.any(axis=0), part.argmax(axis=0), n_rules)
        return found

    def _blocks(self, cases: Cases) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield blocks of cases, each with a row per rule and a column per case of the block."""
        conditional = np.flatnonzero(np.diff(self.first))  # `reduceat` is wrong for a rule without conditions
        for begin in range(0, cases.n_cases, AT_ONCE):
            block = slice(begin, min(begin + AT_ONCE, cases.n_cases))
            covers = np.ones((len(self.first) - 1, block.stop - begin), dtype=bool)
            if len(conditional):
                each = self._each(cases, block)
                covers[conditional] = np.logical_and.reduceat(each[self.of_rule], self.first[conditional], axis=0)
            yield block, covers

    def _each(self, cases: Cases, block: slice) -> np.ndarray:
        """Return a row per condition and a column per case."""
        values = np.array([column[block] for column in cases.columns], dtype=np.float64)[self.feature]
        value, kind = self.value[:, None], self.kind[:, None]
        holds: np.ndarray = np.where(
            kind == EQUAL, values == value, np.where(kind == ABOVE, values > value, values <= value)
        )
        return holds


def weights_of(cases: Cases) -> np.ndarray:
    return np.ones(cases.n_cases) if cases.weights is None else cases.weights


def generalise(rule: PathRule, extents: Extents, confidence: float) -> PathRule:
    """Return the rule without superfluous conditions.

    Greedy: drop the condition whose removal gives the lowest pessimistic error, as long as the error does not grow.
    Ties go to the last condition, the lowest in the tree.
    """
    cases, kept = extents.cases, list(rule.conditions)
    weights, is_wrong = weights_of(cases), cases.known_labels != rule.label
    fails = np.array([~extents.condition(condition) for condition in kept]).reshape(len(kept), cases.n_cases)
    n_fails = fails.sum(axis=0)
    while kept:
        held = n_fails == 0
        n, errors = float(weights[held].sum()), float(weights[held & is_wrong].sum())
        # Without a condition, the rule also covers the cases that fail this condition alone.
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
    """Return the description length of a rule's conditions in bits.

    `n_choices` is the number of tests that each condition was chosen from. The order of conditions carries no
    information, so log2 n! bits are saved.

    >>> rule_bits([8, 8])  # 6 - 1
    5.0
    """
    return sum(map(log2, n_choices)) - log2_factorial(len(n_choices))


def class_bits(n_rules: int, bits: float) -> float:
    """Return the description length of a class's rules, from the sum of their bits; their order is free.

    >>> class_bits(2, 10.0)
    9.0
    """
    return bits - log2_factorial(n_rules)


def exception_bits(n_covered: float, n_wrong: float, n_other: float, n_missed: float) -> float:
    """Return the bits that identify the exceptions: wrong among covered cases, and missed among the others.

    >>> round(exception_bits(4, 1, 10, 0), 3)
    2.0
    """
    return log2_binomial(n_covered, n_wrong) + log2_binomial(n_other, n_missed)


def log2_factorial(n: int) -> float:
    return lgamma(n + 1) / log(2)


@dataclass(frozen=True)
class Selecting:
    """The rules of one class, and the description length of a subset of them."""

    held: np.ndarray  # which cases each rule covers: a row per rule, a column per case
    weights: np.ndarray
    is_own: np.ndarray
    bits: np.ndarray
    theory_weight: float

    @cached_property
    def totals(self) -> tuple[float, float]:
        """The weight of all cases, and of the cases of the class."""
        return float(self.weights.sum()), float(self.weights[self.is_own].sum())

    def cost(self, n_covered: float, n_own: float, n_rules: int, bits: float) -> float:
        """Return the bits of the rules, weighted by `theory_weight`, plus the bits of the exceptions."""
        return self.theory_weight * class_bits(n_rules, bits) + self.exceptions(n_covered, n_own)

    def exceptions(self, n_covered: float, n_own: float) -> float:
        """Return the bits of the exceptions to rules that cover cases of this weight, and so much of the class."""
        total, total_own = self.totals
        # Weights that were added and subtracted may leave the range by rounding.
        n_covered = min(max(n_covered, 0.0), total)
        n_wrong, n_missed = max(n_covered - n_own, 0.0), max(total_own - n_own, 0.0)
        return exception_bits(n_covered, n_wrong, total - n_covered, n_missed)

    def cost_of(self, subset: np.ndarray) -> float:
        """Return the cost of a subset, given as positions."""
        covered = self.held[subset].any(axis=0)
        n_own = float(self.weights[covered & self.is_own].sum())
        return self.cost(float(self.weights[covered].sum()), n_own, len(subset), float(self.bits[subset].sum()))

    def best(self) -> np.ndarray:
        """Return the positions of the rules to keep."""
        n = len(self.bits)
        if n <= N_EXHAUSTIVE:
            return self._cheapest()
        # Too many subsets to try: hill climbing, once from no rules and once from all.
        ends = [self._climb(np.zeros(n, dtype=bool)), self._climb(np.ones(n, dtype=bool))]
        return np.flatnonzero(min(ends, key=lambda end: round(end[0], 6))[1])

    def _cheapest(self) -> np.ndarray:
        """Return the cheapest of all subsets; ties go to fewer rules, then to earlier ones."""
        n = len(self.bits)
        mask = (self.held.T * (1 << np.arange(n))).sum(axis=1).astype(np.int64)
        outside = [np.bincount(mask, w, minlength=1 << n) for w in (self.weights, self.weights * self.is_own)]
        # Sum over subsets: bit by bit, outside[s] becomes the weight of the cases that no rule outside s covers. So
        # what a subset covers is the total minus outside[complement], and no subset needs a pass over the cases.
        for rule in range(n):
            for counts in outside:
                pairs = counts.reshape(-1, 2, 1 << rule)
                pairs[:, 1] += pairs[:, 0]

        def key(subset: int) -> tuple[float, int, list[int]]:
            others = (1 << n) - 1 - subset
            chosen = [rule for rule in range(n) if subset >> rule & 1]
            n_covered, n_own = self.totals[0] - float(outside[0][others]), self.totals[1] - float(outside[1][others])
            cost = self.cost(n_covered, n_own, len(chosen), float(self.bits[chosen].sum()))
            return round(cost, 6), len(chosen), chosen

        return np.array(min(map(key, range(1 << n)))[2], dtype=np.int64)

    def _climb(self, chosen: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the cost and the rules at a local optimum: each step adds or drops the rule that saves most."""
        chosen, own = chosen.copy(), self.weights * self.is_own
        amounts, covers = np.array([self.weights, own]).T, self.held.astype(np.float64)
        n_rules = self.held[chosen].sum(axis=0)
        # Adding a rule covers the cases that no rule covers; dropping one uncovers those that it alone covers.
        by_adding, by_dropping = (
            covers @ (amounts * (n_rules == 0)[:, None]),
            covers @ (amounts * (n_rules == 1)[:, None]),
        )
        cost = self.cost_of(np.flatnonzero(chosen))
        bits_of = cache(self.exceptions)  # most rules cover few cases, so that the same numbers come again and again
        while True:
            covered = amounts[n_rules > 0].sum(axis=0)
            n_chosen, bits, best = int(chosen.sum()), float(self.bits[chosen].sum()), None
            after = np.where(chosen[:, None], covered - by_dropping, covered + by_adding).tolist()
            added = class_bits(n_chosen + 1, 0.0), class_bits(max(n_chosen - 1, 0), 0.0)
            for rule, ((n_covered, n_own), own_bits) in enumerate(zip(after, self.bits.tolist())):
                its_bits = added[1] + (bits - own_bits) if chosen[rule] else added[0] + (bits + own_bits)
                new_cost = self.theory_weight * its_bits + bits_of(n_covered, n_own)
                if new_cost < (cost if best is None else best[0]) - 1e-6:
                    best = new_cost, rule
            if best is None:
                return cost, chosen
            cost, rule = best
            chosen[rule] = not chosen[rule]
            # Only the cases of this rule are covered by one rule more or less than before.
            at = np.flatnonzero(self.held[rule])
            before = n_rules[at]
            n_rules[at] += 1 if chosen[rule] else -1
            by_adding += covers[:, at] @ (amounts[at] * ((n_rules[at] == 0) * 1.0 - (before == 0))[:, None])
            by_dropping += covers[:, at] @ (amounts[at] * ((n_rules[at] == 1) * 1.0 - (before == 1))[:, None])


def ordered_classes(
    rules_of: Mapping[int, np.ndarray], labels: np.ndarray, weights: np.ndarray, preference: Preference
) -> list[int]:
    """Return the classes in order: each time the one whose rules make the fewest errors on the remaining cases.

    `rules_of` says for each class which cases its rules cover. Ties go to the class with more correct cases, then to
    the preferred class.
    """
    remaining, classes, order = np.ones(len(labels), dtype=bool), list(rules_of), []

    def key(label: int) -> tuple[float, ...]:
        covered = rules_of[label] & remaining
        wrong, right = weights[covered & (labels != label)].sum(), weights[covered & (labels == label)].sum()
        return round(float(wrong), 9), -round(float(right), 9), -preference.frequency[label], preference.rank[label]

    while classes:
        first = min(classes, key=key)
        classes.remove(first)
        order.append(first)
        remaining &= ~rules_of[first]
    return order


def needed_rules(
    covers: np.ndarray, rule_labels: np.ndarray, labels: np.ndarray, weights: np.ndarray, default: int
) -> list[int]:
    """Return the positions of the rules, in order, without those whose removal reduces the training errors.

    Greedy: remove the rule whose removal saves most errors, then look at the others again.
    """
    kept = list(range(len(covers)))
    while kept:
        # Without the first rule that covers a case, the second one decides, or the default.
        n_before = np.cumsum(covers[kept], axis=0)
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
