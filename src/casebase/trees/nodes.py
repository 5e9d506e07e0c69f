"""The nodes of a decision tree, as flat arrays.

A test looks at one feature. On a symbol it has a branch for every value; on a number it has two, up to the threshold
and above it. Only branches that training cases took are stored. Any other value leads to an *empty branch*: a leaf
that need not be stored, because it predicts what its parent predicts.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from casebase.base.answers import Answers
from casebase.base.model import format_count
from casebase.measures import codelengths


@dataclass(frozen=True, eq=False)
class TreeNodes:
    """Nodes in breadth-first order; node 0 is the root.

    `feature` is the schema position of the feature that a node tests, -1 for a leaf; `threshold` is the number to
    compare with (NaN for symbols and leaves). The children of node n are `first_child[n]` to `first_child[n + 1]`, by
    ascending `value`: the code of the symbol that leads there, or 0 for a number up to the threshold and 1 for one
    above it (a missing number counts as below every number, unless it goes down both branches). The class counts of
    node n are entries `first_count[n]` to `first_count[n + 1]`, and `label` is its class.

    Two arrays have one number per feature of the schema: `n_values` is the number of branches of a test on it, 0 for a
    feature that is not used; `n_thresholds` is the number of possible thresholds in the training cases, 0 for symbols.
    """

    feature: np.ndarray
    threshold: np.ndarray
    first_child: np.ndarray
    value: np.ndarray
    label: np.ndarray
    first_count: np.ndarray
    count_label: np.ndarray
    count: np.ndarray
    n_values: np.ndarray
    n_thresholds: np.ndarray

    @property
    def n_nodes(self) -> int:
        return len(self.label)

    @property
    def n_leaves(self) -> int:
        """How many stored nodes are leaves."""
        return int((self.feature < 0).sum())

    @property
    def n_tests(self) -> int:
        return self.n_nodes - self.n_leaves

    @cached_property
    def n_empty(self) -> int:
        """How many branches no training case took: leaves that are not stored."""
        tests = self.feature[self.feature >= 0]
        return int(self.n_values[tests].sum()) - (self.n_nodes - 1)

    @cached_property
    def tested(self) -> tuple[int, ...]:
        """The positions of the tested features, ascending."""
        return tuple(sorted(set(self.feature[self.feature >= 0].tolist())))

    @cached_property
    def column(self) -> np.ndarray:
        """The index of each node's feature among the tested ones; -1 for a leaf."""
        place = np.full(len(self.n_values) + 1, -1, dtype=np.int32)  # a leaf's feature, -1, selects the last entry
        place[list(self.tested)] = np.arange(len(self.tested))
        columns: np.ndarray = place[self.feature]
        return columns

    @property
    def n_children(self) -> np.ndarray:
        first = self.first_child.astype(np.int64)
        return first[1:] - first[:-1]

    @cached_property
    def parent(self) -> np.ndarray:
        """The parent of each node; -1 for the root."""
        return np.concatenate([[-1], np.repeat(np.arange(self.n_nodes), self.n_children)])

    @cached_property
    def level(self) -> np.ndarray:
        """The depth of each node: the number of tests above it."""
        level = np.zeros(self.n_nodes, dtype=np.int64)
        begin, end, depth = 0, 1, 0
        while begin < end:
            level[begin:end] = depth
            begin, end, depth = end, int(self.first_child[end]), depth + 1
        return level

    @property
    def depth(self) -> int:
        """The largest number of tests on a path."""
        return int(self.level[-1])

    def codelength(self, n_classes: int) -> float:
        """Return the bits of the tree: leaf or test, which test, which class. Empty branches count as leaves."""
        is_test = self.feature >= 0
        is_symbolic = is_test & np.isnan(self.threshold)
        # A path tests a symbolic feature at most once, so each such test above a node leaves one choice fewer.
        n_symbols_above = np.zeros(self.n_nodes, dtype=np.int64)
        begin, end = 1, int(self.first_child[1])
        while begin < end:  # level by level, so the parents are done
            above = self.parent[begin:end]
            n_symbols_above[begin:end] = n_symbols_above[above] + is_symbolic[above]
            begin, end = end, int(self.first_child[end])
        n_features = np.count_nonzero(self.n_values) - n_symbols_above[is_test]
        n_thresholds = np.maximum(self.n_thresholds[self.feature[is_test]].astype(np.int64), 1)
        choices = n_features * np.where(is_symbolic[is_test], 1, n_thresholds)
        return codelengths.tree(choices.tolist(), self.n_leaves + self.n_empty, n_classes)

    def children(self, node: int) -> range:
        return range(int(self.first_child[node]), int(self.first_child[node + 1]))

    def child(self, node: int, value: int) -> int | None:
        """Return the child for a value; None if its branch is empty."""
        below = self.children(node)
        at = below.start + int(np.searchsorted(self.value[below.start : below.stop], value))
        return at if at < below.stop and self.value[at] == value else None

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, both included."""
        nodes = [node]
        while nodes[-1] > 0:
            nodes.append(int(self.parent[nodes[-1]]))
        return nodes[::-1]

    def counts(self, node: int) -> dict[int, float]:
        """Return the class counts of a node, by label code."""
        entries = slice(int(self.first_count[node]), int(self.first_count[node + 1]))
        return dict(zip(self.count_label[entries].tolist(), self.count[entries].tolist()))

    @cached_property
    def n_cases(self) -> np.ndarray:
        """The weight of the training cases at each node."""
        return np.add.reduceat(self.count, self.first_count[:-1].astype(np.int64))

    def answers_at(self, nodes: np.ndarray) -> Answers:
        """Return the class of nodes, with their class counts as votes."""
        return Answers(self.label, self.first_count, self.count_label, self.count).take(nodes)


def node_counts(nodes: TreeNodes, n_cases: int) -> dict[str, Any]:
    """Return the counts of a tree for the summary of its model."""
    return {
        "n_cases": n_cases,
        "n_nodes": nodes.n_nodes,
        "n_leaves": nodes.n_leaves,
        "n_empty": nodes.n_empty,
        "depth": nodes.depth,
    }


def tree_size(nodes: TreeNodes) -> str:
    """Return the size of a tree in a few words."""
    return f"{format_count(nodes.n_nodes, 'node')}, {format_count(nodes.n_leaves, 'leaf')}, depth {nodes.depth}"
