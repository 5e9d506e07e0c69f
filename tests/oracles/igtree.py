"""IGTree: the case base compressed into a tree that tests features in a fixed order.

`grow` is BUILD-IG-TREE of Figure 1 followed by the pruning of Section 2, and `classify` is
SEARCH-IG-TREE, of Daelemans, Van den Bosch and Zavrel, "A feature-relevance heuristic for
indexing and compressing large case bases". Where a node's classes are equally frequent, its
default is the one more frequent in the whole training set, then the earlier in `label_order`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.oracles.ib1 import Votes, choose, count_classes, count_votes
from tests.oracles.weights import Counts, Row, Value


@dataclass
class Node:
    """A default class, the classes below, and one child for each value of the test."""

    default: str
    distribution: Votes
    feature: int | None = None  # the feature tested here; None at a leaf
    children: dict[Value, Node] = field(default_factory=dict)


@dataclass
class Walk:
    """The last node of a case, and the path to it."""

    label: str
    distribution: Votes
    depth: int
    path: list[tuple[int, Value]]  # the features matched, with their values
    at_leaf: bool  # a node without children; never the root


def unmatched(walk: Walk, weights: Sequence[float], order: Sequence[int]) -> float:
    """Return the distance of a walk: the weights of the features it did not match, added up in tree order."""
    total = 0.0
    for feature in order[walk.depth :]:
        total += weights[feature]
    return total


def grow(
    rows: Sequence[Row],
    labels: Sequence[str],
    order: Sequence[int],
    counts: Counts | None = None,
    label_order: Sequence[str] | None = None,
    *,
    is_pruned: bool = True,
) -> Node:
    """Return the tree that tests the features in the given order."""
    if counts is None:
        counts = [1] * len(rows)
    if label_order is None:
        label_order = sorted(set(labels))
    stored = [i for i in range(len(rows)) if counts[i] > 0]
    class_counts = count_classes(labels, counts)
    tree = build(stored, rows, labels, list(order), counts, class_counts, label_order)
    if is_pruned:
        prune(tree)
    return tree


def build(
    members: Sequence[int],
    rows: Sequence[Row],
    labels: Sequence[str],
    order: Sequence[int],
    counts: Counts,
    class_counts: Mapping[str, float],
    label_order: Sequence[str],
) -> Node:
    """Return the (sub)tree of the given rows, testing the features still in `order`."""
    distribution = count_votes(members, labels, counts)
    default, _ = choose(distribution, class_counts, label_order)
    node = Node(default, distribution)
    if len(distribution) == 1 or not order:
        return node
    node.feature = order[0]
    partition: dict[Value, list[int]] = {}
    for i in members:
        partition.setdefault(rows[i][node.feature], []).append(i)
    for value, subset in partition.items():
        node.children[value] = build(subset, rows, labels, order[1:], counts, class_counts, label_order)
    return node


def prune(node: Node) -> None:
    """Remove, from the bottom up, the leaves that repeat their parent's default class.

    A node that loses all its children is then a leaf, and may be removed in its turn.
    """
    for child in node.children.values():
        prune(child)
    node.children = {
        value: child for value, child in node.children.items() if child.children or child.default != node.default
    }
    if not node.children:
        node.feature = None


def count_nodes(tree: Node) -> int:
    """Return the number of nodes, the root included."""
    return 1 + sum(count_nodes(child) for child in tree.children.values())


def classify(tree: Node, query: Row, missing: str = "value") -> Walk:
    """Return the default class of the last node that matched the case.

    A value without an arc stops the walk; so does a missing one if `missing` is `"unknown"`.
    """
    node = tree
    path: list[tuple[int, Value]] = []
    while node.feature is not None:
        value = query[node.feature]
        if value not in node.children or (value is None and missing == "unknown"):
            break
        path.append((node.feature, value))
        node = node.children[value]
    return Walk(node.default, node.distribution, len(path), path, bool(path) and node.feature is None)
