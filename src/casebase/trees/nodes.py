"""The nodes of a decision tree, as flat arrays.

A test asks about one feature. On a symbol it has a branch for every value, on a number two: at most the threshold, or
above it. Only branches that training cases took are stored. A value without one leads to an *empty branch*, a leaf
that need not be stored, since it answers what its node answers.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from casebase.base.answers import Answers
from casebase.base.model import counted
from casebase.measures import codelengths


@dataclass(frozen=True, eq=False)
class TreeNodes:
    """Nodes in breadth-first order; node 0 is the root.

    `feature` is the position in the schema of the feature that a node asks about, -1 for a leaf; `threshold` what a
    number is compared with (NaN for symbols and leaves). The children of node n are `first_child[n]` to
    `first_child[n + 1]`, by ascending `value`: the code of the symbol that leads there, or 0 for a number at most the
    threshold and 1 for one above it (a missing number that has a branch at all is below every number). The class
    counts of node n are entries `first_count[n]` to `first_count[n + 1]`, and `label` is its class.

    Two arrays have one number per feature of the schema: `n_values` the branches of a test on it, 0 for a feature that
    is never asked about; `n_thresholds` between how many neighbouring numbers of the training cases it could be cut, 0
    for symbols.
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
        """How many stored nodes ask nothing."""
        return int((self.feature < 0).sum())

    @property
    def n_tests(self) -> int:
        return self.n_nodes - self.n_leaves

    @cached_property
    def n_empty(self) -> int:
        """How many branches no training case took: leaves that are not stored."""
        asked = self.feature[self.feature >= 0]
        return int(self.n_values[asked].sum()) - (self.n_nodes - 1)

    @cached_property
    def tested(self) -> tuple[int, ...]:
        """The features that are asked about, ascending."""
        return tuple(sorted(set(self.feature[self.feature >= 0].tolist())))

    @cached_property
    def column(self) -> np.ndarray:
        """The place among the tested features of the one that each node asks about; -1 for a leaf."""
        place = np.full(len(self.n_values) + 1, -1, dtype=np.int32)  # the last one: of a leaf
        place[list(self.tested)] = np.arange(len(self.tested))
        return place[self.feature]

    @property
    def n_children(self) -> np.ndarray:
        first = self.first_child.astype(np.int64)
        return first[1:] - first[:-1]

    @cached_property
    def parent(self) -> np.ndarray:
        """The node above each node; -1 above the root."""
        return np.concatenate([[-1], np.repeat(np.arange(self.n_nodes), self.n_children)])

    @cached_property
    def level(self) -> np.ndarray:
        """How many tests stand above each node."""
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
        """Return the bits that say the tree: leaf or test, which test, which class; empty branches are leaves."""
        is_test = self.feature >= 0
        asks_symbol = is_test & np.isnan(self.threshold)
        n_asked = np.zeros(self.n_nodes, dtype=np.int64)  # symbols asked about above a node: none is asked twice
        begin, end = 1, int(self.first_child[1])
        while begin < end:  # level after level: the nodes above are done
            above = self.parent[begin:end]
            n_asked[begin:end] = n_asked[above] + asks_symbol[above]
            begin, end = end, int(self.first_child[end])
        n_features = np.count_nonzero(self.n_values) - n_asked[is_test]
        n_thresholds = np.maximum(self.n_thresholds[self.feature[is_test]].astype(np.int64), 1)
        choices = n_features * np.where(asks_symbol[is_test], 1, n_thresholds)
        return codelengths.tree(choices.tolist(), self.n_leaves + self.n_empty, n_classes)

    def children(self, node: int) -> range:
        return range(int(self.first_child[node]), int(self.first_child[node + 1]))

    def child(self, node: int, value: int) -> int | None:
        """Return where a value leads, None if its branch is empty."""
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
        return Answers(self.label, self.first_count, self.count_label, self.count).picked(nodes)


def node_counts(nodes: TreeNodes, n_cases: int) -> dict[str, Any]:
    """Return what there is to count in a tree, for the summary of its model."""
    return {
        "n_cases": n_cases,
        "n_nodes": nodes.n_nodes,
        "n_leaves": nodes.n_leaves,
        "n_empty": nodes.n_empty,
        "depth": nodes.depth,
    }


def tree_size(nodes: TreeNodes) -> str:
    """Return the size of a tree in a few words."""
    return f"{counted(nodes.n_nodes, 'node')}, {counted(nodes.n_leaves, 'leaf')}, depth {nodes.depth}"
