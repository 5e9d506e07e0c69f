"""TiMBL's grouping of distances that differ by rounding: around the case that its search reaches first.

"Closer than 2^-52" is not transitive, so which distances are equal depends on the order in which the search reaches
the stored cases: depth first through a tree of the values, the branch of the query's value first, the others in the
order in which their text was first read in any feature. casebase groups from the smallest distance up instead; this
module shows that nothing else makes its votes differ from TiMBL's. Every feature weighs 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.oracles.ib1 import choose

EPSILON = 2.0**-52
Rows = Sequence[Sequence[str]]


def votes(train: Rows, query: Sequence[str], order: Sequence[int], numeric: Sequence[int], k: int) -> dict[str, float]:
    """Return the votes of the k nearest groups, of k + 1 groups if the first vote is tied.

    The class is the last field of a training line; `order` is the order of the levels of the tree.
    """
    labels = [line[-1] for line in train]
    seen, frequency = list(dict.fromkeys(labels)), Counter(labels)
    first = _pool(_groups(train, query, order, numeric, k))
    if not choose(first, frequency, seen)[1]:
        return first
    second = _pool(_groups(train, query, order, numeric, k + 1))
    return first if choose(second, frequency, seen)[1] else second


def _groups(train: Rows, query: Sequence[str], order: Sequence[int], numeric: Sequence[int], k: int):
    read: dict[str, int] = {}
    tree: dict = {}
    for line in train:
        for value in line[:-1]:
            read.setdefault(value, len(read))
        node = tree
        for feature in order:
            node = node.setdefault(line[feature], {})
        node[line[-1]] = node.get(line[-1], 0) + 1
    spans = {f: max(float(line[f]) for line in train) - min(float(line[f]) for line in train) for f in numeric}
    groups: list[tuple[float, Counter]] = []

    def add(distance: float, classes: dict[str, int]) -> None:
        for place, (d, counts) in enumerate(groups):
            if abs(distance - d) < EPSILON:
                counts.update(classes)
                return
            if distance < d:
                groups.insert(place, (distance, Counter(classes)))
                del groups[k:]
                return
        if len(groups) < k:
            groups.append((distance, Counter(classes)))

    def visit(node: dict, level: int, distance: float) -> None:
        if level == len(order):
            add(distance, node)
            return
        feature = order[level]
        asked = query[feature]
        for value in sorted(node, key=lambda v: (v != asked, read[v])):
            cost = 0.0 if value == asked else 1.0
            if cost and feature in spans:
                cost = abs((float(asked) - float(value)) / spans[feature])
            if len(groups) < k or distance + cost <= groups[-1][0] + EPSILON:
                visit(node[value], level + 1, distance + cost)

    visit(tree, 0, 0.0)
    return groups


def _pool(groups) -> dict[str, float]:
    total: Counter = Counter()
    for _, classes in groups:
        total.update(classes)
    return dict(total)
