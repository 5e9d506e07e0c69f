"""C4.5: gain ratio among tests of average gain, binary thresholds, fractional cases, pessimistic pruning.

Quinlan, "C4.5: programs for machine learning" (1993), and "Improved use of continuous attributes in
C4.5" (1996) for the bits that the choice of a threshold costs. A case may be in several nodes, each
with a share of its weight. A test is worth its gain ratio, but only tests whose gain is about average
or more are considered, because the ratio is large where the split information is near 0.

Equal criteria (1e-9): the first of `order`, and in one feature the lower threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import comb, inf, isclose, log2, sqrt
from statistics import NormalDist

from tests.oracles.id3 import TOLERANCE, Distribution, Node, Row, Table, Value, entropy, table_of

USELESS = 1e-6  # a gain of fewer bits counts as 0
Shares = list[tuple[int, float]]  # cases, each with its weight at this node


@dataclass
class Candidate:
    """A possible test: its gain, its split information, and the cases of each branch."""

    feature: int
    threshold: float | None
    gain: float
    information: float
    parts: dict[Value, Shares]


@dataclass
class GrownNode(Node):
    """A node with its training cases, which pruning needs."""

    shares: Shares = field(default_factory=list)


def count(table: Table, shares: Shares) -> Distribution:
    """Return the weight of each class."""
    found: Distribution = {}
    for i, weight in shares:
        found[table.labels[i]] = found.get(table.labels[i], 0) + weight
    return found


def weigh(shares: Shares) -> float:
    """Return the weight of some cases."""
    return sum(weight for _, weight in shares)


def gain(table: Table, parts: Mapping[Value, Shares], total: float) -> float:
    """Return the information gain on the cases with a known value, times their share of all cases."""
    known = [share for shares in parts.values() for share in shares]
    n_known = weigh(known)
    left = sum(weigh(part) / n_known * entropy(list(count(table, part).values())) for part in parts.values())
    return n_known / total * (entropy(list(count(table, known).values())) - left)


def split_info(parts: Mapping[Value, Shares], total: float) -> float:
    """Return the split information; cases with a missing value are a part of their own."""
    sizes = [weigh(part) for part in parts.values()]
    missing = total - sum(sizes)
    return entropy([*sizes, missing] if missing > TOLERANCE else sizes)


def symbolic(table: Table, shares: Shares, feature: int, min_cases: float) -> Candidate | None:
    """Return the test of a symbol, if at least two of its values are frequent enough."""
    parts: dict[Value, Shares] = {}
    for i, weight in shares:
        if table.rows[i][feature] is not None:
            parts.setdefault(table.rows[i][feature], []).append((i, weight))
    if sum(weigh(part) >= min_cases - TOLERANCE for part in parts.values()) < 2:
        return None
    total = weigh(shares)
    return Candidate(feature, None, gain(table, parts, total), split_info(parts, total), parts)


def least_part(n_known: float, n_classes: int, min_cases: float) -> float:
    """Return the least weight on either side of a threshold: a tenth of a class's share, from `min_cases` to 25.

    >>> least_part(100, 2, 2), least_part(10, 2, 2), least_part(1000, 2, 2), least_part(10, 2, 40)
    (5.0, 2, 25, 40)
    """
    tenth = 0.1 * n_known / n_classes
    if tenth <= min_cases:
        return min_cases
    return min(tenth, 25)


def numeric(table: Table, shares: Shares, feature: int, min_cases: float) -> Candidate | None:
    """Return the threshold of greatest gain, minus the bits for the choice among all thresholds."""
    known = [(float(table.rows[i][feature]), i, w) for i, w in shares if table.rows[i][feature] is not None]  # type: ignore[arg-type]
    total, n_known = weigh(shares), sum(weight for *_, weight in known)
    least = least_part(n_known, len(table.label_order), min_cases)
    if n_known < 2 * least - TOLERANCE:
        return None
    values = sorted({value for value, *_ in known})
    tried: list[Candidate] = []
    for below, above in pairwise(values):
        parts: dict[Value, Shares] = {
            "<=": [(i, weight) for value, i, weight in known if value <= below],
            ">": [(i, weight) for value, i, weight in known if value >= above],
        }
        if all(weigh(part) >= least - TOLERANCE for part in parts.values()):
            cut = greatest_not_above(table, feature, below + (above - below) / 2)
            tried.append(Candidate(feature, cut, gain(table, parts, total), split_info(parts, total), parts))
    if not tried:
        return None
    most = max(candidate.gain for candidate in tried)
    best = next(candidate for candidate in tried if candidate.gain >= most - TOLERANCE)
    best.gain -= log2(len(tried)) / total
    return best


def greatest_not_above(table: Table, feature: int, middle: float) -> float:
    """Return the greatest value in the whole training set that is not above the middle of two."""
    values = [float(row[feature]) for row in table.rows if row[feature] is not None]  # type: ignore[arg-type]
    return max(value for value in values if value <= middle)


def is_multivalued(table: Table, feature: int) -> bool:
    """Return whether a symbol has so many values that its gain is left out of the average."""
    if feature in table.numeric:
        return False
    n_values = len({row[feature] for row in table.rows if row[feature] is not None})
    return n_values >= 0.3 * sum(table.weights)


def best_test(
    table: Table, shares: Shares, tested: frozenset[int], min_cases: float, criterion: str = "gain_ratio"
) -> Candidate | None:
    """Return the test of best gain ratio among those of at least average gain; None if no test gains anything."""
    valid = []
    for feature in table.order:
        if feature in tested:
            continue
        look = numeric if feature in table.numeric else symbolic
        candidate = look(table, shares, feature, min_cases)
        if candidate is not None and (feature not in table.numeric or candidate.gain > USELESS):
            valid.append(candidate)  # a symbol without gain still counts in the average
    useful = [candidate for candidate in valid if candidate.gain > USELESS]
    if not useful:
        return None
    if criterion == "information_gain":
        most = max(candidate.gain for candidate in useful)
        return next(candidate for candidate in useful if candidate.gain >= most - TOLERANCE)
    all_many = all(is_multivalued(table, feature) for feature in table.order)
    counted = [c.gain for c in valid if all_many or not is_multivalued(table, c.feature)]
    if not counted:
        return None
    average = sum(counted) / len(counted)
    ratios = [(c.gain / c.information, c) for c in useful if c.gain >= average - 1e-3 and c.information > TOLERANCE]
    if not ratios:
        return None
    most = max(ratio for ratio, _ in ratios)
    return next(candidate for ratio, candidate in ratios if ratio >= most - TOLERANCE)


def grow(
    rows: Sequence[Row],
    labels: Sequence[str],
    *,
    weights: Sequence[float] | None = None,
    numeric: frozenset[int] = frozenset(),
    order: Sequence[int] | None = None,
    min_cases: float = 2,
    criterion: str = "gain_ratio",
    confidence: float = 0.25,
    is_pruned: bool = True,
    collapses: bool = True,
    raises: bool = False,
) -> GrownNode:
    """Return the tree of some cases, collapsed and pruned by default."""
    table = table_of(rows, labels, weights, numeric, order)
    tree = build(table, list(enumerate(table.weights)), frozenset(), min_cases, criterion)
    if collapses:
        collapse(tree)
    if is_pruned:
        prune(tree, confidence, table if raises else None)
    return tree


def build(table: Table, shares: Shares, tested: frozenset[int], min_cases: float, criterion: str) -> GrownNode:
    """Return the subtree of cases, each with its weight at this node."""
    distribution = count(table, shares)
    node = GrownNode(table.majority(distribution), distribution, shares=shares)
    if len(distribution) == 1 or weigh(shares) < 2 * min_cases - TOLERANCE:
        return node
    test = best_test(table, shares, tested, min_cases, criterion)
    if test is None:
        return node
    node.feature, node.threshold = test.feature, test.threshold
    if test.threshold is None:
        tested = tested | {test.feature}
    for value, part in share_out(table, shares, test).items():
        node.children[value] = build(table, part, tested, min_cases, criterion)
    return node


def share_out(table: Table, shares: Shares, test: Candidate) -> dict[Value, Shares]:
    """Return the cases of each branch; a case with a missing value is divided in proportion to the known ones."""
    n_known = sum(weigh(part) for part in test.parts.values()) or 1
    missing = [(i, weight) for i, weight in shares if table.rows[i][test.feature] is None]
    return {
        value: [*part, *((i, weight * weigh(part) / n_known) for i, weight in missing)]
        for value, part in test.parts.items()
    }


def errors(node: Node) -> float:
    """Return the weight of the training cases that a leaf here would answer wrongly."""
    return sum(node.distribution.values()) - node.distribution.get(node.label, 0)


def make_leaf(node: Node) -> None:
    node.feature, node.threshold, node.children = None, None, {}


def subtree_errors(node: Node) -> float:
    """Return the weight of the training cases that the leaves below answer wrongly."""
    if not node.children:
        return errors(node)
    return sum(subtree_errors(child) for child in node.children.values())


def collapse(node: Node) -> None:
    """Replace tests by leaves, from the bottom up, where the tests do not reduce training errors."""
    for child in node.children.values():
        collapse(child)
    if node.children and subtree_errors(node) >= errors(node) - 1e-3:
        make_leaf(node)


def upper_limit(n_cases: int, n_errors: int, confidence: float) -> float:
    """Return the upper confidence limit of the error rate, from the binomial distribution.

    >>> round(upper_limit(6, 0, 0.25), 3), round(upper_limit(9, 0, 0.25), 3), round(upper_limit(1, 0, 0.25), 3)
    (0.206, 0.143, 0.75)
    """
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        probability = sum(comb(n_cases, k) * rate**k * (1 - rate) ** (n_cases - k) for k in range(n_errors + 1))
        low, high = (rate, high) if probability > confidence else (low, rate)
    return low


def added_errors(n_cases: float, n_errors: float, confidence: float, z: float | None = None) -> float:
    """Return how many errors the upper limit adds to the observed ones, as C4.5 approximates it.

    Without errors it is exact; from one error on it is the normal approximation to the binomial, `z` deviations
    up. Between the two it is interpolated.
    """
    if n_errors < 1e-6:
        return n_cases * (1 - confidence ** (1 / n_cases)) if n_cases > 0 else 0.0
    if n_errors < 1 and not isclose(n_errors, 1, abs_tol=1e-4):
        none = added_errors(n_cases, 0, confidence, z)
        return none + n_errors * (added_errors(n_cases, 1, confidence, z) - none)
    if n_errors + 0.5 >= n_cases:
        return max(n_cases - n_errors, 0)
    if z is None:
        z = NormalDist().inv_cdf(1 - confidence)
    seen = n_errors + 0.5
    spread = z * sqrt(seen * (1 - seen / n_cases) + z * z / 4)
    return n_cases * (seen + z * z / 2 + spread) / (n_cases + z * z) - n_errors


def estimated_errors(node: Node, confidence: float) -> float:
    """Return the expected errors of a leaf at this node."""
    return errors(node) + added_errors(sum(node.distribution.values()), errors(node), confidence)


def subtree_estimate(node: Node, confidence: float) -> float:
    """Return the expected errors of the leaves below this node."""
    if not node.children:
        return estimated_errors(node, confidence)
    return sum(subtree_estimate(child, confidence) for child in node.children.values())


def prune(node: GrownNode, confidence: float, raising: Table | None = None) -> None:
    """Replace tests by leaves, from the bottom up, unless a test saves more than a tenth of an expected error.

    With the table that they grew from, a test may also be replaced by its heaviest branch, if that is not expected
    to make a tenth of an error more with all cases of the test; the result is pruned again.
    """
    if not node.children:
        return
    for child in node.children.values():
        prune(child, confidence, raising)  # type: ignore[arg-type]
    leaf, subtree = estimated_errors(node, confidence), subtree_estimate(node, confidence)
    raised = None if raising is None else heaviest_branch(node, raising)
    branch = inf if raised is None else subtree_estimate(raised, confidence)
    if leaf <= subtree + 0.1 + 1e-6 and leaf <= branch + 0.1 + 1e-6:
        make_leaf(node)
    elif raised is not None and branch <= subtree + 0.1 + 1e-6:
        node.feature, node.threshold, node.children = raised.feature, raised.threshold, raised.children
        prune(node, confidence, raising)


def heaviest_branch(node: GrownNode, table: Table) -> GrownNode:
    """Return a copy of the branch with most cases (the first of equal ones), with all the cases of the node in it."""
    first = sorted(node.children, key=lambda value: (node.threshold is None, value))  # "<=" before ">"
    child = max(first, key=lambda value: round(sum(node.children[value].distribution.values()), 9))
    return refill(node.children[child], node.shares, table)


def refill(node: Node, shares: Shares, table: Table) -> GrownNode:
    """Return a subtree with the same tests and other cases; a branch that was empty may get some."""
    distribution = count(table, shares)
    copy = GrownNode(table.majority(distribution) if shares else node.label, distribution, node.feature, node.threshold)
    copy.shares = shares
    if node.feature is None:
        return copy
    parts: dict[Value, Shares] = {value: [] for value in node.children}
    for i, weight in shares:
        value = table.rows[i][node.feature]
        if value is not None:
            name = value if node.threshold is None else "<=" if float(value) <= node.threshold else ">"
            parts.setdefault(name, []).append((i, weight))
    for name, part in share_out(table, shares, Candidate(node.feature, node.threshold, 0, 0, parts)).items():
        copy.children[name] = refill(node.children.get(name, Node(node.label, {})), part, table)
    return copy


def answer(node: Node, row: Row, known: Sequence[set[Value]] | None = None) -> Distribution:
    """Return the probability of each class for a case.

    A missing value takes every branch, by the weight of the training cases known there. So does a value that is
    in none of the training cases, if `known` has the values of each feature; one without a branch stops.
    """
    if node.feature is None:
        return proportions(node.distribution)
    value = row[node.feature]
    if node.threshold is not None and value is not None:
        return answer(node.children["<=" if float(value) <= node.threshold else ">"], row, known)
    is_known = known is None or node.threshold is not None or value in known[node.feature]
    if value is not None and is_known:
        return answer(node.children[value], row, known) if value in node.children else proportions(node.distribution)
    total: Distribution = {}
    sizes = {name: sum(child.distribution.values()) for name, child in node.children.items()}
    for name, child in node.children.items():
        for label, probability in answer(child, row, known).items():
            total[label] = total.get(label, 0) + sizes[name] / sum(sizes.values()) * probability
    return total


def proportions(distribution: Mapping[str, float]) -> Distribution:
    total = sum(distribution.values())
    return {label: weight / total for label, weight in distribution.items()}
