"""Trees as flat arrays, and their part of a model file."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from casebase.base.answers import Answers
from casebase.base.files import HEAVIEST, Arrays, CheckedArrays


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes in breadth-first order; node 0 is the root.

    The children of node n are `first_child[n]` to `first_child[n + 1]`, by ascending value; its class counts
    are entries `first_count[n]` to `first_count[n + 1]`.
    """

    first_child: np.ndarray
    value: np.ndarray
    label: np.ndarray
    first_count: np.ndarray
    count_label: np.ndarray
    count: np.ndarray

    @property
    def n_nodes(self) -> int:
        return len(self.label)

    @property
    def depth(self) -> int:
        """The largest number of features that a walk tests."""
        n_levels, end = -1, 1
        while True:
            n_levels += 1
            begin, end = end, int(self.first_child[end])
            if begin == end:
                return n_levels

    @property
    def levels(self) -> list[range]:
        """The nodes of each level, from the root down."""
        levels, begin, end = [], 0, 1
        while begin < end:
            levels.append(range(begin, end))
            begin, end = end, int(self.first_child[end])
        return levels

    def counts(self, node: int) -> dict[int, float]:
        entries = slice(int(self.first_count[node]), int(self.first_count[node + 1]))
        return dict(zip(self.count_label[entries].tolist(), self.count[entries].tolist()))

    def answers_at(self, nodes: np.ndarray) -> Answers:
        """Return the default classes of nodes, with their class counts as votes."""
        return Answers(self.label, self.first_count, self.count_label, self.count).take(nodes)

    def child(self, node: int, code: int) -> int | None:
        begin, end = int(self.first_child[node]), int(self.first_child[node + 1])
        at = begin + int(np.searchsorted(self.value[begin:end], code))
        return at if at < end and self.value[at] == code else None


class FlatTree(Protocol):
    """Any record with the arrays of a tree."""

    @property
    def first_child(self) -> np.ndarray: ...
    @property
    def value(self) -> np.ndarray: ...
    @property
    def label(self) -> np.ndarray: ...
    @property
    def first_count(self) -> np.ndarray: ...
    @property
    def count_label(self) -> np.ndarray: ...
    @property
    def count(self) -> np.ndarray: ...


def write_tree(tree: FlatTree, arrays: Arrays) -> None:
    arrays |= {
        "tree.first_child": tree.first_child,
        "tree.value": tree.value,
        "tree.label": tree.label,
        "tree.first_count": tree.first_count,
        "tree.count_label": tree.count_label,
        "tree.count": tree.count,
    }


def read_tree(arrays: CheckedArrays, n_classes: int) -> Tree:
    label = arrays.get("tree.label", "uint32", below=n_classes)
    n_nodes = len(label)
    if n_nodes == 0:
        raise ValueError("the tree has no root")
    first_child = arrays.offsets("tree.first_child", n_nodes + 1, n_nodes, "uint32")
    # Children come after their parents, so that every walk ends.
    if first_child[0] != 1 or (first_child[:-1].astype(np.int64) <= np.arange(n_nodes)).any():
        raise ValueError("the tree's nodes are not in breadth-first order")
    count_label = arrays.get("tree.count_label", "uint32", below=n_classes)
    first_count = arrays.offsets("tree.first_count", n_nodes + 1, len(count_label))
    count = arrays.numbers("tree.count", len(count_label), at_most=HEAVIEST)
    if first_count[0] != 0 or (np.diff(first_count.astype(np.int64)) < 1).any() or not count.all():
        raise ValueError("a node of the tree counts no cases")
    return Tree(first_child, arrays.get("tree.value", "uint32", n_nodes), label, first_count, count_label, count)
