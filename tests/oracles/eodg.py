"""EODG, plain and slow: the tests of an oblivious tree, its depth by cross-validation, and its nodes merged.

After Kohavi and Li, "Oblivious decision trees, graphs, and top-down pruning" (1995). A test is a feature, or a feature
and a threshold. A cell is a list of cases that agree on all tests so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log2, sqrt

import numpy as np

from casebase.data.folds import folds
from tests.oracles.id3 import TOLERANCE, Row, Table, entropy, table_of

Test = tuple[int, float | None]
MOST_IN_CONFLICT, Z = 0.001, 1.65


def branch(row: Row, test: Test):
    """Return the way of a case at a test, so that ways can be ordered: missing symbols first, missing numbers last."""
    feature, threshold = test
    if threshold is not None:
        return 2 if row[feature] is None else int(row[feature] > threshold)
    return (row[feature] is not None, row[feature] or "")


def parts(table: Table, members: Sequence[int], test: Test) -> dict:
    found: dict = {}
    for i in members:
        found.setdefault(branch(table.rows[i], test), []).append(i)
    return dict(sorted(found.items()))


def size(table: Table, members: Sequence[int]) -> float:
    return sum(table.weights[i] for i in members)


def doubt(table: Table, cells: Sequence[Sequence[int]]) -> float:
    """Return the conditional entropy of the class, times the number of cases."""
    return sum(size(table, cell) * entropy(list(table.count(cell).values())) for cell in cells)


def mixed(table: Table, cells: Sequence[list[int]]) -> list[list[int]]:
    return [cell for cell in cells if len({table.labels[i] for i in cell}) > 1]


def choose(table: Table, numeric: frozenset[int]) -> list[Test]:
    """Return the test of each level."""
    total, cells, chosen = sum(table.weights), [list(range(len(table.rows)))], []
    while True:
        cells = mixed(table, cells)
        if sum(size(table, cell) for cell in cells) <= MOST_IN_CONFLICT * total:
            return chosen
        worth: dict[Test, float] = {}
        for feature in table.order:
            values = {row[feature] for row in table.rows}
            if feature in numeric:
                found = sorted({table.rows[i][feature] for cell in cells for i in cell} - {None})
                tests, divisor = [(feature, (a + b) / 2) for a, b in pairwise(found)], 1.0
            else:
                tests = [(feature, None)] * ((feature, None) not in chosen and len(values) > 1)
                divisor = log2(len(values))
            for test in tests:
                split = [part for cell in cells for part in parts(table, cell, test).values()]
                if len(split) > len(cells):
                    worth[test] = (doubt(table, cells) - doubt(table, split)) / total / divisor
        if not worth:
            return chosen
        best = max(worth.values())
        feature = next(test for test, w in worth.items() if w >= best - TOLERANCE)[0]  # in the order of the features
        own = {test: w for test, w in worth.items() if test[0] == feature}
        chosen.append(next(test for test, w in own.items() if w >= max(own.values()) - TOLERANCE))
        cells = [part for cell in cells for part in parts(table, cell, chosen[-1]).values()]


def right_in(table: Table, tests: Sequence[Test], fold: Sequence[int]) -> float:
    """Return the weight of the cases that a tree of some tests predicts correctly from the other folds."""
    right = 0.0
    for i, row in enumerate(table.rows):
        others = [j for j in range(len(table.rows)) if fold[j] != fold[i]]
        for test in tests:
            below = [j for j in others if branch(table.rows[j], test) == branch(row, test)]
            if not below:
                break
            others = below
        right += table.weights[i] * (table.majority(table.count(others)) == table.labels[i])
    return right


def depth(table: Table, tests: Sequence[Test]) -> int:
    """Return the number of levels that predicts most cases in two cross-validations with five folds."""
    if not tests:
        return 0
    each = [i for i, weight in enumerate(table.weights) for _ in range(int(weight))]
    table = table_of([table.rows[i] for i in each], [table.labels[i] for i in each])
    n, classes = len(each), sorted(set(table.labels))
    keys = [(*(branch(row, t) for t in tests), table.labels[i]) for i, row in enumerate(table.rows)]
    order = sorted(range(n), key=lambda i: keys[i])
    right = [0.0] * (len(tests) + 1)
    for seed in range(2):
        dealt = folds(np.array([classes.index(table.labels[i]) for i in order]), min(5, n), seed)
        fold = dict(zip(order, dealt.tolist()))
        for levels in range(len(right)):
            right[levels] += right_in(table, tests[:levels], [fold[i] for i in range(n)])
    least = max(right) - TOLERANCE * sum(table.weights)
    return next(levels for levels, n_right in enumerate(right) if n_right >= least)


@dataclass
class Node:
    """A node with its cases: branches, or nothing at the last level."""

    members: list[int]
    children: dict = field(default_factory=dict)


def grow(table: Table, members: list[int], tests: Sequence[Test]) -> Node:
    if not tests:
        return Node(members)
    return Node(members, {way: grow(table, part, tests[1:]) for way, part in parts(table, members, tests[0]).items()})


def laid_over(a: Node, b: Node) -> Node:
    ways = sorted(a.children.keys() | b.children.keys())
    both = {
        way: laid_over(a.children[way], b.children[way])
        if way in a.children and way in b.children
        else (a.children.get(way) or b.children[way])
        for way in ways
    }
    return Node([*a.members, *b.members], both)


def errors(table: Table, node: Node) -> float:
    if not node.children:
        return size(table, node.members) - max(table.count(node.members).values())
    return sum(errors(table, child) for child in node.children.values())


def upper(table: Table, node: Node) -> float:
    """Return the upper limit of Wilson's interval of the node's errors, in cases."""
    n, square = size(table, node.members), Z * Z
    share = errors(table, node) / n
    spread = Z * sqrt(share * (1.0 - share) / n + square / (4.0 * n * n))
    return n * ((share + square / (2.0 * n) + spread) / (1.0 + square / n))


def merged(table: Table, nodes: list[Node]) -> tuple[list[Node], list[int]]:
    """Return the nodes of a level after merging, and the place of each in the new list."""
    groups = {i: [i] for i in range(len(nodes))}
    kept = dict(enumerate(nodes))
    while True:
        falls = {
            (a, b): upper(table, kept[a]) + upper(table, kept[b]) - upper(table, laid_over(kept[a], kept[b]))
            for a in kept
            for b in kept
            if a < b
        }
        if not falls or max(falls.values()) <= TOLERANCE:
            break
        a, b = min(pair for pair, fall in falls.items() if fall == max(falls.values()))
        kept[a] = laid_over(kept[a], kept.pop(b))
        groups[a] += groups.pop(b)
    place = {i: at for at, members in enumerate(groups.values()) for i in members}
    return list(kept.values()), [place[i] for i in range(len(nodes))]


def shape(table: Table, node: Node):
    """Return what equal subtrees have in common: which ways lead to which most frequent class."""
    if not node.children:
        counts = table.count(node.members)
        return min(label for label in counts if counts[label] == max(counts.values()))
    return tuple((way, shape(table, child)) for way, child in node.children.items())


def merged_quickly(table: Table, nodes: list[Node]) -> tuple[list[Node], list[int]]:
    """Return the same for a level that is too wide for all pairs.

    Equal subtrees become one; then each node, the largest first, joins the best of the groups so far.
    """
    into = list(range(len(nodes)))
    first: dict = {}
    for i, node in enumerate(nodes):
        into[i] = first.setdefault(shape(table, node), i)
    kept: dict[int, Node] = {}
    for i, to in enumerate(into):
        kept[to] = laid_over(kept[to], nodes[i]) if to in kept else nodes[i]
    groups: list[int] = []
    for i in sorted(kept, key=lambda i: -size(table, kept[i].members)):
        falls = {
            g: upper(table, kept[i]) + upper(table, kept[g]) - upper(table, laid_over(kept[i], kept[g])) for g in groups
        }
        if not falls or max(falls.values()) <= TOLERANCE:
            groups.append(i)
            continue
        other = min(g for g in groups if falls[g] == max(falls.values()))
        a, b = min(i, other), max(i, other)
        groups[groups.index(other)] = a
        kept[a] = laid_over(kept[a], kept[b])
        into = [a if to == b else to for to in into]
    order = sorted(set(into))
    return [kept[i] for i in order], [order.index(to) for to in into]


class Eodg:
    """The graph: `levels[l][n]` maps the ways of node n to places, and `others` has the place of other values.

    A place is a class, or a level and a number.
    """

    def __init__(self, rows, labels, *, weights=None, numeric=frozenset(), all_levels=False, merge=merged) -> None:
        table = table_of(rows, labels, weights)
        tests = choose(table, frozenset(numeric))
        self.tests = tests if all_levels else tests[: depth(table, tests)]
        nodes, leading = [grow(table, list(range(len(table.rows))), self.tests)], []
        for _ in self.tests:
            below, ways, largest = [], [], []
            for node in nodes:
                kids = list(node.children.items())
                most = max(kids, key=lambda kid: size(table, kid[1].members))[0]  # the first of equal ones
                ways.append({way: len(below) + at for at, (way, _) in enumerate(kids)})
                largest.append(ways[-1][most])
                below += [kid for _, kid in kids]
            nodes, place = merge(table, below)
            leading.append([({way: place[to] for way, to in w.items()}, place[m]) for w, m in zip(ways, largest)])
        here = [table.majority(table.count(node.members)) for node in nodes]
        self.levels: list = [[] for _ in self.tests]
        for level in range(len(self.tests) - 1, -1, -1):
            below, here = here, []
            for at, (ways, other) in enumerate(leading[level]):
                to = {way: below[kid] for way, kid in ways.items()}
                self.levels[level].append((to, below[other]))
                here.append(next(iter(to.values())) if len(set(to.values())) == 1 else (level, at))
        self.root = here[0]

    def answer(self, row: Row) -> str:
        place = self.root
        while isinstance(place, tuple):
            to, other = self.levels[place[0]][place[1]]
            place = to.get(branch(row, self.tests[place[0]]), other)
        return place

    @property
    def places(self) -> set:
        """The nodes and classes that can be reached."""
        found, new = set(), [self.root]
        while new:
            place = new.pop()
            if place not in found:
                found.add(place)
                if isinstance(place, tuple):
                    new += self.levels[place[0]][place[1]][0].values()
        return found
