"""Codelengths: the number of bits that encode a tree and its errors.

Quinlan and Rivest, "Inferring decision trees using the minimum description length principle" (1989):
a bit for each node says whether it is a leaf; a test is one of the attributes still available, a leaf
one of the classes. Of n cases, k are wrong: which number up to the bound, and which of the subsets of
that size; with more than two classes each correction is one of the other classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, log2, perm, prod

from tests.oracles import igtree as igtrees
from tests.oracles.id3 import Node


def exceptions(n: int, k: int, *, bound: int | None = None, n_classes: int = 2) -> float:
    """Return the bits that encode which k of n cases are wrong, and their correct classes.

    >>> round(exceptions(14, 9, bound=14), 3)
    14.874
    """
    if bound is None:
        bound = n
    corrections = k * log2(n_classes - 1) if k else 0.0
    return log2(bound + 1) + log2(comb(n, k)) + corrections


def n_messages(n: int, k: int, n_classes: int = 2) -> int:
    """Return the number of different lists of k corrections, by enumeration."""
    return sum((n_classes - 1) ** k for _ in combinations(range(n), k))


def ideal(n: int, k: int) -> float:
    """Return the entropy of n independent errors at the rate k/n.

    >>> ideal(8, 4), ideal(8, 0), ideal(8, 8)
    (8.0, 0.0, 0.0)
    """
    if k in (0, n):
        return 0.0
    return -k * log2(k / n) - (n - k) * log2((n - k) / n)


def tree(choices: Sequence[float], n_leaves: int, n_classes: int) -> float:
    """Return the bits of a tree; `choices` has the number of possible tests at each inner node.

    >>> round(tree([4, 3, 3], 5, 2), 3)
    18.17
    """
    return len(choices) + n_leaves + sum(log2(n) for n in choices) + n_leaves * log2(n_classes)


def choices(
    node: Node, n_values: Sequence[int], n_thresholds: Sequence[int], tested: frozenset[int] = frozenset()
) -> tuple[list[int], int]:
    """Return the number of possible tests at each inner node, and the number of leaves, empty branches included.

    `n_values` has the values of each feature in training; `n_thresholds` how many thresholds a numeric feature has,
    0 for a symbolic one. A symbolic feature is tested once on a path.
    """
    if node.feature is None:
        return [], 1
    available = len(n_values) - len(tested)
    if node.threshold is None:
        found, n_leaves = [available], n_values[node.feature] - len(node.children)
        tested = tested | {node.feature}
    else:
        # One number and missing values: the only cut separates the two.
        found, n_leaves = [available * max(n_thresholds[node.feature], 1)], 0
    for child in node.children.values():
        below, leaves = choices(child, n_values, n_thresholds, tested)
        found, n_leaves = found + below, n_leaves + leaves
    return found, n_leaves


def igtree(root: igtrees.Node, n_values: Sequence[int], n_classes: int) -> float:
    """Return the bits of an IGTree: the order of its features, and for each node its branches and its class.

    `n_values` has the values of the features in the order of the tree. A leaf has another class than its parent.
    """

    def below(node: igtrees.Node, level: int) -> tuple[float, int]:
        if not node.children:
            return 1 + (log2(n_classes - 1) if level else log2(n_classes)), level
        parts = [below(child, level + 1) for child in node.children.values()]
        branches = exceptions(n_values[level], len(node.children))
        return 1 + branches + log2(n_classes) + sum(bits for bits, _ in parts), max(deep for _, deep in parts)

    bits, depth = below(root, 0)
    return bits + log2(len(n_values) + 1) + log2(perm(len(n_values), depth))


def abstract_cases(n_values: Sequence[int], n_features: int, counts: Sequence[Sequence[int]], n_classes: int) -> float:
    """Return the bits of abstract cases: the features kept, which combinations occur, and how many of each class.

    The number of cases is in Elias gamma code: a zero for each binary digit after the first, then the digits.
    """
    sizes = [sum(each) for each in counts]
    total = sum(sizes)
    kept = exceptions(n_features, len(n_values))
    occurring = exceptions(prod(n_values), len(counts))
    number = 2 * (len(f"{total:b}") - 1) + 1
    groups = log2(comb(total - 1, len(counts) - 1))
    return kept + occurring + number + groups + sum(log2(comb(n + n_classes - 1, n_classes - 1)) for n in sizes)
