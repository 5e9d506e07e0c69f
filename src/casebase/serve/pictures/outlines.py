"""Models that are trees, with one form: nodes with tests, branches, class counts, and the records that reach them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from casebase.base.model import Model
from casebase.data import Cases
from casebase.memory.segments import Memory
from casebase.neighbours.igtree import IGTree
from casebase.oblivious.export.tree import Branch, tree_of
from casebase.oblivious.graph import ObliviousGraph
from casebase.oblivious.oblivion import Oblivion
from casebase.trees.c45 import C45
from casebase.trees.id3 import ID3
from casebase.trees.paths import branch_to
from casebase.trees.perceptron_tree import PerceptronTree


class Outline(Protocol):
    """A tree; node 0 is the root, and children have higher numbers than their parents."""

    @property
    def n_nodes(self) -> int: ...
    def children(self, node: int) -> Sequence[int]: ...
    def parent(self, node: int) -> int:
        """Return the node above; -1 for the root."""
        ...

    def branch(self, node: int) -> tuple[str, Any]:
        """Return the feature that the node above tests, and the value or interval that leads here."""
        ...

    def test(self, node: int) -> str | None:
        """Return the feature that the node tests; None for a leaf."""
        ...

    def answer(self, node: int) -> Any:
        """Return the class that a case gets if it ends here."""
        ...

    def counts(self, node: int) -> dict[Any, float]: ...
    def rows(self, node: int) -> np.ndarray | None:
        """Return the rows of the stored records that reach the node; None if the model keeps none."""
        ...

    def among(self, cases: Cases, node: int) -> np.ndarray:
        """Return which of some cases, in the codes of the model, reach the node."""
        ...


def outline_of(model: Model) -> Outline | None:
    """Return the tree of a model; None if it is none."""
    if isinstance(model, ID3 | C45 | PerceptronTree):
        return TestedTree(model)
    if isinstance(model, IGTree):
        return FoldedTree(model)
    if isinstance(model, Oblivion) and len(model.order):
        return AbstractTree(model)
    return None


@dataclass(frozen=True, eq=False)
class TestedTree:
    """The tree of ID3, C4.5 or perceptron trees."""

    model: ID3 | C45 | PerceptronTree

    @property
    def n_nodes(self) -> int:
        return self.model.nodes.n_nodes

    def children(self, node: int) -> Sequence[int]:
        return self.model.nodes.children(node)

    def parent(self, node: int) -> int:
        return int(self.model.nodes.parent[node])

    def branch(self, node: int) -> tuple[str, Any]:
        branch = branch_to(self.model.nodes, self.model.schema, node)
        return self.model.schema.names[branch.feature], branch.shown

    def test(self, node: int) -> str | None:
        feature = int(self.model.nodes.feature[node])
        return None if feature < 0 else self.model.schema.names[feature]

    def answer(self, node: int) -> Any:
        if isinstance(self.model, PerceptronTree) and self.model.perceptron[node] >= 0:
            return f"perceptron {int(self.model.perceptron[node])}"
        return self.model.schema.classes[self.model.nodes.label[node]]

    def counts(self, node: int) -> dict[Any, float]:
        return {self.model.schema.classes[code]: n for code, n in self.model.nodes.counts(node).items()}

    def rows(self, node: int) -> np.ndarray | None:
        return None

    def among(self, cases: Cases, node: int) -> np.ndarray:
        """A case without the number or the value that C4.5 tests goes down every branch, and is left out."""
        nodes, reach = self.model.nodes, np.ones(cases.n_cases, dtype=bool)
        for child in nodes.path(node)[1:]:
            above = int(nodes.parent[child])
            column, threshold = cases.columns[int(nodes.feature[above])], float(nodes.threshold[above])
            if np.isnan(threshold):
                reach &= column == nodes.value[child]
            else:
                is_known = ~np.isnan(column) if isinstance(self.model, C45) else np.ones(cases.n_cases, dtype=bool)
                reach &= ((column > threshold) == bool(nodes.value[child])) & is_known
        return np.flatnonzero(reach)


@dataclass(frozen=True, eq=False)
class FoldedTree:
    """An IGTree: one feature per level, the most relevant first."""

    model: IGTree

    @property
    def n_nodes(self) -> int:
        return self.model.tree.n_nodes

    def children(self, node: int) -> Sequence[int]:
        first = self.model.tree.first_child
        return range(int(first[node]), int(first[node + 1]))

    def parent(self, node: int) -> int:
        # Children are numbered after their parents: the parent is the last node whose children begin at or before.
        return int(np.searchsorted(self.model.tree.first_child, node, side="right")) - 1 if node else -1

    def branch(self, node: int) -> tuple[str, Any]:
        feature = self.model.schema.features[self._feature(self._depth(node) - 1)]
        return feature.name, feature.value(self.model.tree.value[node])

    def test(self, node: int) -> str | None:
        if not len(self.children(node)):
            return None
        return self.model.schema.names[self._feature(self._depth(node))]

    def answer(self, node: int) -> Any:
        return self.model.schema.classes[self.model.tree.label[node]]

    def counts(self, node: int) -> dict[Any, float]:
        return {self.model.schema.classes[code]: n for code, n in self.model.tree.counts(node).items()}

    def rows(self, node: int) -> np.ndarray | None:
        return None if self.model.memory is None else rows_with_codes(self.model.memory, self._codes(node))

    def among(self, cases: Cases, node: int) -> np.ndarray:
        return with_codes(cases, self._codes(node))

    def _codes(self, node: int) -> dict[int, int]:
        """Return the code of each feature on the way to a node, by its position."""
        codes = {}
        while node:
            codes[self._feature(self._depth(node) - 1)] = int(self.model.tree.value[node])
            node = self.parent(node)
        return codes

    def _depth(self, node: int) -> int:
        depth = 0
        while node:
            node, depth = self.parent(node), depth + 1
        return depth

    def _feature(self, level: int) -> int:
        return int(self.model.order[level])


def rows_with_codes(memory: Memory, codes: dict[int, int]) -> np.ndarray:
    """Return the rows of the stored records that have some codes, by the position of the feature, in given order."""
    rows = memory.in_given_order
    for rank, position in enumerate(memory.order.tolist()):
        if position in codes:
            rows = rows[memory.column(rank, rows) == codes[position]]
    return rows


def with_codes(cases: Cases, codes: dict[int, int]) -> np.ndarray:
    """Return which cases have some codes, by the position of the feature."""
    has_all = np.ones(cases.n_cases, dtype=bool)
    for position, code in codes.items():
        has_all &= cases.columns[position] == code
    return np.flatnonzero(has_all)


@dataclass(frozen=True, eq=False)
class AbstractTree:
    """The abstract cases of OBLIVION as a tree, one kept feature per level."""

    model: Oblivion

    @cached_property
    def _nodes(self) -> list[tuple[Branch, int, range]]:
        """Each branch with its parent and its children, level by level."""
        found: list[tuple[Branch, int]] = [(tree_of(self.model), -1)]
        nodes: list[tuple[Branch, int, range]] = []
        for at, (branch, parent) in enumerate(found):
            first = len(found)
            found.extend((below, at) for below in branch.branches)
            nodes.append((branch, parent, range(first, len(found))))
        return nodes

    @property
    def n_nodes(self) -> int:
        return len(self._nodes)

    def children(self, node: int) -> Sequence[int]:
        return self._nodes[node][2]

    def parent(self, node: int) -> int:
        return self._nodes[node][1]

    def branch(self, node: int) -> tuple[str, Any]:
        branch = self._nodes[node][0]
        return self.model.schema.names[self.model.order[branch.level]], branch.value

    def test(self, node: int) -> str | None:
        branch = self._nodes[node][0]
        return self.model.schema.names[self.model.order[branch.level + 1]] if branch.branches else None

    def answer(self, node: int) -> Any:
        counts = self.counts(node)
        return max(counts, key=lambda label: counts[label])

    def counts(self, node: int) -> dict[Any, float]:
        return dict(self._nodes[node][0].counts)

    def rows(self, node: int) -> np.ndarray | None:
        return None

    def among(self, cases: Cases, node: int) -> np.ndarray:
        codes = {}
        while node:
            branch, above, _ = self._nodes[node]
            position = int(self.model.order[branch.level])
            feature = self.model.schema.features[position]
            assert feature.vocabulary is not None  # numbers are intervals here
            known = range(len(feature.vocabulary) + 2)  # the last two stand for missing and unknown values
            codes[position] = next(code for code in known if feature.value(code) == branch.value)
            node = above
        return with_codes(cases, codes)


def passing(model: ObliviousGraph, cases: Cases, node: int) -> np.ndarray:
    """Return which cases, in the codes of an oblivious graph, pass through a node or end there."""
    graph = model.graph
    n_values = int(graph.edge_value.max(initial=0)) + 2
    first = graph.first_edge.astype(np.int64)
    source = np.repeat(np.arange(graph.n_nodes), first[1:] - first[:-1])
    edges = source * n_values + graph.edge_value  # ascending: by node, then by value
    at, passes = np.zeros(cases.n_cases, dtype=np.int64), np.full(cases.n_cases, node == 0)
    for level, column in enumerate(model.columns(cases)):
        value = np.minimum(column.astype(np.int64), n_values - 1)
        edge = np.minimum(np.searchsorted(edges, at * n_values + value), len(edges) - 1)
        is_here = (at >= 0) & (graph.level[at] == level)  # others have skipped the level, or reached a class, or ended
        moves = is_here & (edges[edge] == at * n_values + value)
        other = graph.otherwise_of[at].astype(np.int64)
        astray = np.where(other == at, -1, other)
        at = np.where(moves, graph.edge_target[edge].astype(np.int64), np.where(is_here, astray, at))
        passes |= at == node
        if (at < 0).all():
            break
    return np.flatnonzero(passes)
