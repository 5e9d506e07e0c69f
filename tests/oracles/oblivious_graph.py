"""Oblivious decision graph: one feature per level, and nodes of a level that answer alike are one.

After Kohavi and Li, "Oblivious decision trees, graphs, and top-down pruning" (1995): the next feature is
the one with the largest information gain given the features above. All nodes of a level test
the same feature; cases of one answer are a leaf at any level, and there is one leaf for each class.
From the bottom up, nodes of one level with the same children become one.

Cases that are equal in all features have one attainable answer, that of their majority. A cell is open while
the attainable answers of its cases differ. Features are added while one of them splits an open cell, with or
without a gain. Equal worth (1e-9): the first of `order`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.oracles.id3 import TOLERANCE, Distribution, Row, Table, Value, entropy, table_of

Cell = tuple[Value, ...]


@dataclass
class GraphNode:
    """A node: its class, the classes of all cases that pass, and where each value of its level's feature leads."""

    level: int | None  # None at a leaf
    label: str
    distribution: Distribution
    children: dict[Value, int]


@dataclass
class Graph:
    """The features by level, and nodes; the root is the last."""

    features: list[int]
    nodes: list[GraphNode]


def cells_of(table: Table, features: Sequence[int]) -> dict[Cell, list[int]]:
    """Return the cases by their values of some features."""
    found: dict[Cell, list[int]] = {}
    for i, row in enumerate(table.rows):
        found.setdefault(tuple(row[feature] for feature in features), []).append(i)
    return found


def doubt(table: Table, features: Sequence[int]) -> float:
    """Return the conditional entropy of the class given some features."""
    total = sum(table.weights)
    return sum(
        sum(table.weights[i] for i in members) / total * entropy(list(table.count(members).values()))
        for members in cells_of(table, features).values()
    )


def attainable(table: Table) -> list[str]:
    """Return the best answer to each case: the class of most cases that are equal to it."""
    cells = cells_of(table, range(len(table.rows[0])))
    return [table.majority(table.count(cells[tuple(row)])) for row in table.rows]


def is_open(table: Table, members: Sequence[int]) -> bool:
    """Return whether the attainable answers of some cases differ."""
    answers = attainable(table)
    return len({answers[i] for i in members}) > 1


def parts_an_open_cell(table: Table, features: Sequence[int], feature: int) -> bool:
    """Return whether a feature splits an open cell."""
    return any(
        is_open(table, members) and len({table.rows[i][feature] for i in members}) > 1
        for members in cells_of(table, features).values()
    )


def choose_features(table: Table) -> list[int]:
    """Return the feature of each level."""
    chosen: list[int] = []
    while True:
        left = [f for f in table.order if f not in chosen and parts_an_open_cell(table, chosen, f)]
        if not left:
            return chosen
        doubts = {feature: doubt(table, [*chosen, feature]) for feature in left}
        least = min(doubts.values())
        chosen.append(next(feature for feature in left if doubts[feature] <= least + TOLERANCE))


def grow(
    rows: Sequence[Row],
    labels: Sequence[str],
    *,
    weights: Sequence[float] | None = None,
    order: Sequence[int] | None = None,
) -> Graph:
    """Return the graph of some cases."""
    table = table_of(rows, labels, weights, order=order)
    graph = Graph(choose_features(table), [])
    build(graph, table, range(len(table.rows)), 0)
    return graph


def build(graph: Graph, table: Table, members: Sequence[int], level: int) -> int:
    """Return the number of the node that stands for some cases: an existing equal one, or a new one."""
    distribution = table.count(members)
    made = GraphNode(None, attainable(table)[members[0]], distribution, {})
    if is_open(table, members):
        made.label = table.majority(distribution)
        made.level = level
        parts: dict[Value, list[int]] = {}
        for i in members:
            parts.setdefault(table.rows[i][graph.features[level]], []).append(i)
        made.children = {value: build(graph, table, part, level + 1) for value, part in parts.items()}
    for at, other in enumerate(graph.nodes):
        same = other.children == made.children if made.children else other.label == made.label
        if other.level == made.level and same:
            for label, weight in distribution.items():
                other.distribution[label] = other.distribution.get(label, 0) + weight
            if made.children:
                other.label = table.majority(other.distribution)
            return at
    graph.nodes.append(made)
    return len(graph.nodes) - 1


def walk(graph: Graph, row: Row) -> GraphNode:
    """Return the node where a case stops: at a leaf, or where its value has no branch."""
    node = graph.nodes[-1]
    while node.level is not None and row[graph.features[node.level]] in node.children:
        node = graph.nodes[node.children[row[graph.features[node.level]]]]
    return node


def widths(graph: Graph) -> list[int]:
    """Return how many nodes test the feature of each level.

    A level that no node reaches has none.
    """
    return [sum(node.level == level for node in graph.nodes) for level in range(len(graph.features))]
