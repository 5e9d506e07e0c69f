"""Oblivious decision graph: one feature per level, and nodes of a level that answer alike are one.

After Kohavi and Li, "Oblivious decision trees, graphs, and top-down pruning" (1995): the next feature is
the one that tells most about the class once the features above are known. All nodes of a level test
the same feature. Then, from the bottom up, nodes of one level with the same children become one.

A feature is added while some cell has several classes and some feature left parts such a cell, whether it
tells something at once or not. Equal worth (1e-9): the first of `order`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.oracles.id3 import TOLERANCE, Distribution, Row, Table, Value, entropy, table_of

Cell = tuple[Value, ...]


@dataclass
class GraphNode:
    """A node of some level: its class, the classes of all cases that pass, and the nodes of the next level."""

    level: int
    label: str
    distribution: Distribution
    children: dict[Value, int]
    cells: list[Cell]


@dataclass
class Graph:
    """The features by level, and nodes; the root is the last."""

    features: list[int]
    nodes: list[GraphNode]

    def level(self, number: int) -> list[GraphNode]:
        return [node for node in self.nodes if node.level == number]


def cells_of(table: Table, features: Sequence[int]) -> dict[Cell, list[int]]:
    """Return the cases by their values of some features."""
    found: dict[Cell, list[int]] = {}
    for i, row in enumerate(table.rows):
        found.setdefault(tuple(row[feature] for feature in features), []).append(i)
    return found


def doubt(table: Table, features: Sequence[int]) -> float:
    """Return the bits of doubt about the class once some features are known."""
    total = sum(table.weights)
    return sum(
        sum(table.weights[i] for i in members) / total * entropy(list(table.count(members).values()))
        for members in cells_of(table, features).values()
    )


def parts_a_mixed_cell(table: Table, features: Sequence[int], feature: int) -> bool:
    """Return whether a feature tells apart some cases of one cell that has several classes."""
    return any(
        len(table.count(members)) > 1 and len({table.rows[i][feature] for i in members}) > 1
        for members in cells_of(table, features).values()
    )


def choose_features(table: Table) -> list[int]:
    """Return the feature of each level."""
    chosen: list[int] = []
    while True:
        left = [f for f in table.order if f not in chosen and parts_a_mixed_cell(table, chosen, f)]
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
    features = choose_features(table)
    nodes: list[GraphNode] = []
    below: dict[Cell, int] = {}  # the node of each cell of the level below
    for level in range(len(features), -1, -1):
        here: dict[Cell, int] = {}
        for cell, members in cells_of(table, features[:level]).items():
            distribution = table.count(members)
            children = {longer[-1]: node for longer, node in below.items() if longer[:-1] == cell}
            made = GraphNode(level, table.majority(distribution), distribution, children, [cell])
            here[cell] = merge(nodes, made, table)
        below = here
    return Graph(features, nodes)


def merge(nodes: list[GraphNode], made: GraphNode, table: Table) -> int:
    """Return where a node is: with another of its level that answers alike, or at the end."""
    for at, other in enumerate(nodes):
        same = other.children == made.children if made.children else other.label == made.label
        if other.level == made.level and same:
            for label, weight in made.distribution.items():
                other.distribution[label] = other.distribution.get(label, 0) + weight
            other.label = table.majority(other.distribution)
            other.cells += made.cells
            return at
    nodes.append(made)
    return len(nodes) - 1


def walk(graph: Graph, row: Row) -> GraphNode:
    """Return the node where a case stops: at the last level, or where its value has no branch."""
    node = graph.nodes[-1]
    for feature in graph.features:
        if row[feature] not in node.children:
            return node
        node = graph.nodes[node.children[row[feature]]]
    return node


def answers(graph: Graph, rows: Sequence[Row]) -> list[str]:
    """Return the classes of some cases."""
    return [walk(graph, row).label for row in rows]


def sizes(graph: Graph) -> Mapping[int, int]:
    """Return the number of nodes of each level."""
    return {level: len(graph.level(level)) for level in range(len(graph.features) + 1)}
