"""ID3: the test with the largest gain, and so on in each part until it has one class.

Quinlan, "Induction of decision trees" (1986). The tree is consistent: it grows on where
no test has a gain, and only cases that no feature separates end in a mixed leaf. One branch
for each value that occurs at the node; a value of the training set that does not occur there is an
empty branch, a leaf with the node's class. Numbers are cut in two between neighbouring values.

Criteria within 1e-9 of the best are equal: the first of `order` wins, and in one feature the lower threshold.
A missing symbol is a value like any other; a missing number is below all numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, log2

Value = str | float | None
Row = Sequence[Value]
Distribution = dict[str, float]
TOLERANCE = 1e-9


@dataclass
class Node:
    """A class, the classes of the cases that came here, and one child for each value of the test.

    The children of a threshold are called "<=" and ">".
    """

    label: str
    distribution: Distribution
    feature: int | None = None
    threshold: float | None = None
    children: dict[Value, Node] = field(default_factory=dict)


@dataclass
class Split:
    """A test with its criterion and the cases of each of its parts."""

    feature: int
    threshold: float | None
    worth: float
    parts: dict[Value, list[int]]


@dataclass
class Table:
    """The constants of a growing tree: its cases, and how ties are decided."""

    rows: Sequence[Row]
    labels: Sequence[str]
    weights: Sequence[float]
    numeric: frozenset[int]
    order: Sequence[int]
    class_counts: Mapping[str, float]
    label_order: Sequence[str]

    def count(self, members: Sequence[int]) -> Distribution:
        """The weight of each class among some cases."""
        found: Distribution = {}
        for i in members:
            found[self.labels[i]] = found.get(self.labels[i], 0) + self.weights[i]
        return found

    def majority(self, distribution: Mapping[str, float]) -> str:
        """The heaviest class; of equal ones the more frequent in training, then the earlier label."""
        most = max(distribution.values())
        tied = [label for label in distribution if distribution[label] >= most - TOLERANCE]
        return min(tied, key=lambda label: (-self.class_counts[label], self.label_order.index(label)))


def table_of(
    rows: Sequence[Row],
    labels: Sequence[str],
    weights: Sequence[float] | None = None,
    numeric: frozenset[int] = frozenset(),
    order: Sequence[int] | None = None,
) -> Table:
    """Return the table of the cases with a positive weight."""
    if weights is None:
        weights = [1] * len(rows)
    if order is None:
        order = range(len(rows[0]))
    kept = [i for i in range(len(rows)) if weights[i] > 0]
    rows, labels, weights = [rows[i] for i in kept], [labels[i] for i in kept], [weights[i] for i in kept]
    table = Table(rows, labels, weights, numeric, order, {}, sorted(set(labels)))
    table.class_counts = table.count(range(len(rows)))
    return table


def entropy(counts: Sequence[float]) -> float:
    """Return the entropy of class counts in bits.

    >>> round(entropy([9, 5]), 3)
    0.94
    """
    total = sum(counts)
    return sum(-n / total * log2(n / total) for n in counts if n > 0)


def information_gain(table: Table, parts: Mapping[Value, Sequence[int]]) -> float:
    """Return the entropy that knowing the part removes."""
    together = [i for members in parts.values() for i in members]
    total = sum(table.weights[i] for i in together)
    left = sum(
        sum(table.weights[i] for i in members) / total * entropy(list(table.count(members).values()))
        for members in parts.values()
    )
    return entropy(list(table.count(together).values())) - left


def split_info(table: Table, parts: Mapping[Value, Sequence[int]]) -> float:
    """Return the entropy of the parts."""
    return entropy([sum(table.weights[i] for i in members) for members in parts.values()])


def number(value: Value) -> float:
    """Return a number to sort by: a missing one is below all."""
    return -inf if value is None else float(value)


def thresholds(table: Table, members: Sequence[int], feature: int) -> list[float]:
    """Return the cuts between neighbouring values of a numeric feature, in ascending order."""
    values = sorted({number(table.rows[i][feature]) for i in members})
    cuts = []
    for below, above in pairwise(values):
        middle = below if below == -inf else below + (above - below) / 2
        cuts.append(middle if middle < above else below)
    return cuts


def partitions(table: Table, members: Sequence[int], feature: int) -> list[tuple[float | None, dict[Value, list[int]]]]:
    """Return the partitions of cases by a feature: one for a symbol, one for each threshold of a number."""
    if feature not in table.numeric:
        parts: dict[Value, list[int]] = {}
        for i in members:
            parts.setdefault(table.rows[i][feature], []).append(i)
        return [(None, parts)] if len(parts) > 1 else []
    found = []
    for cut in thresholds(table, members, feature):
        below = [i for i in members if number(table.rows[i][feature]) <= cut]
        above = [i for i in members if number(table.rows[i][feature]) > cut]
        found.append((cut, {"<=": below, ">": above}))
    return found


def best_split(
    table: Table, members: Sequence[int], tested: frozenset[int], criterion: str, min_cases: float
) -> Split | None:
    """Return the test with the best criterion; None if no feature separates the cases.

    With `min_cases` above 1, at least two parts must have that weight.
    """
    found = []
    for feature in table.order:
        if feature in tested:
            continue
        for cut, parts in partitions(table, members, feature):
            sizes = [sum(table.weights[i] for i in part) for part in parts.values()]
            if min_cases > 1 and sum(size >= min_cases for size in sizes) < 2:
                continue
            worth = information_gain(table, parts)
            if criterion == "gain_ratio":
                worth /= split_info(table, parts)
            found.append(Split(feature, cut, worth, parts))
    if not found:
        return None
    best = max(split.worth for split in found)
    return next(split for split in found if split.worth >= best - TOLERANCE)


def grow(
    rows: Sequence[Row],
    labels: Sequence[str],
    *,
    weights: Sequence[float] | None = None,
    numeric: frozenset[int] = frozenset(),
    order: Sequence[int] | None = None,
    criterion: str = "information_gain",
    max_depth: float = inf,
    min_cases: float = 1,
) -> Node:
    """Return the tree of some cases; `order` is that of features of equal worth."""
    table = table_of(rows, labels, weights, numeric, order)
    return build(table, range(len(table.rows)), frozenset(), criterion, max_depth, min_cases)


def build(
    table: Table, members: Sequence[int], tested: frozenset[int], criterion: str, depth: float, min_cases: float
) -> Node:
    """Return the (sub)tree of the given cases, `depth` tests deep at most."""
    distribution = table.count(members)
    node = Node(table.majority(distribution), distribution)
    if len(distribution) == 1 or depth == 0:
        return node
    split = best_split(table, members, tested, criterion, min_cases)
    if split is None:
        return node
    node.feature, node.threshold = split.feature, split.threshold
    if split.threshold is None:
        tested = tested | {split.feature}
    node.children = {
        value: build(table, part, tested, criterion, depth - 1, min_cases) for value, part in split.parts.items()
    }
    return node


def branch(node: Node, row: Row) -> Value:
    """Return the name of the branch that a case takes at a test."""
    assert node.feature is not None
    if node.threshold is None:
        return row[node.feature]
    return "<=" if number(row[node.feature]) <= node.threshold else ">"


def walk(tree: Node, row: Row) -> Node:
    """Return the node where a case stops: at a leaf, or where its value has no branch."""
    node = tree
    while node.feature is not None and branch(node, row) in node.children:
        node = node.children[branch(node, row)]
    return node


def nodes(tree: Node) -> list[Node]:
    """Return all nodes, a parent before its children."""
    return [tree] + [node for child in tree.children.values() for node in nodes(child)]


def n_leaves(tree: Node) -> int:
    """Return the number of nodes without a test; empty branches are not counted."""
    return sum(node.feature is None for node in nodes(tree))


def depth(tree: Node) -> int:
    """Return the largest number of tests on a path."""
    return max((1 + depth(child) for child in tree.children.values()), default=0)


def n_empty(tree: Node, n_values: Sequence[int]) -> int:
    """Return the branches without cases; `n_values` has the number of values of each feature in training."""
    tests = [node for node in nodes(tree) if node.feature is not None and node.threshold is None]
    return sum(n_values[node.feature] - len(node.children) for node in tests if node.feature is not None)
