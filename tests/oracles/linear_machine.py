"""Linear machines, trained one correction at a time with dense inputs, and trees that end in them.

A symbol is an input of 1 for the value a case has and -1 for every other value that occurs; a number is moved and
scaled to reach from -1 to 1 over all cases, 0 if it is missing. Two classes have one unit, more have one each. Passes
go through the cases in a new random order; a wrong case is corrected by the smallest whole number of times
its inputs that make it right. Weights are then rounded to the fewest bits that keep every case right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from tests.oracles.id3 import Row, Table, Value, best_split, branch, table_of
from tests.oracles.oblivious_graph import attainable

WORD = 2**64 - 1


def chance(seed: int):
    """Yield whole numbers below 2 to the 64 by SplitMix (Steele, Lea and Flood, 2014)."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & WORD
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        yield z ^ (z >> 31)


def dense(row: Row, inputs: Sequence[tuple[int, Value]], scale: dict[int, tuple[Fraction, Fraction]]) -> list[Fraction]:
    """Return the bias's input, then one for each (feature, value), the value of a number being None."""
    found = [Fraction(1)]
    for feature, value in inputs:
        if feature in scale:
            centre, half = scale[feature]
            found.append(Fraction(0) if row[feature] is None else (Fraction(row[feature]) - centre) / half)
        else:
            found.append(Fraction(1 if row[feature] == value else -1))
    return found


def dot(weights: Sequence[Fraction], inputs: Sequence[Fraction]) -> Fraction:
    return sum((w * x for w, x in zip(weights, inputs)), Fraction(0))


@dataclass
class Machine:
    """The classes, the inputs and the rounded weights of each unit."""

    classes: list[str]
    inputs: list[tuple[int, Value]]
    weights: list[list[int]]

    def sums(self, row: Row, scale: dict[int, tuple[Fraction, Fraction]]) -> dict[str, Fraction]:
        """Return the sum for each class; a symbol that is not an input adds 0."""
        inputs = dense(row, self.inputs, scale)
        known = {feature for feature, value in self.inputs if feature in scale or row[feature] == value}
        inputs[1:] = [x if f in known else Fraction(0) for x, (f, _) in zip(inputs[1:], self.inputs)]
        sums = [dot(unit, inputs) for unit in self.weights]
        return dict(zip(self.classes, [sums[0], -sums[0]] if len(self.classes) == 2 else sums))


def train(points, right, n_classes, max_passes, patience, seed):
    """Return exact weights that are right on all points, or None."""
    n_units = 1 if n_classes == 2 else n_classes
    weights = [[Fraction(0)] * len(points[0]) for _ in range(n_units)]
    drawn, order, fewest, best_pass = chance(seed), list(range(len(points))), len(points) + 1, 0
    for pass_ in range(max_passes):
        for i in range(len(order), 1, -1):
            j = next(drawn) % i
            order[i - 1], order[j] = order[j], order[i - 1]
        n_corrections = 0
        for case in order:
            x, square = points[case], dot(points[case], points[case])
            sums = [dot(unit, x) for unit in weights]
            if n_units == 1:
                sign = 1 if right[case] == 0 else -1
                if sums[0] * sign > 0:
                    continue
                steps = {0: sign * (floor(abs(sums[0]) / square) + 1)}
            else:
                rival = max((u for u in range(n_units) if u != right[case]), key=lambda u: (sums[u], -u))
                if sums[right[case]] > sums[rival]:
                    continue
                step = floor((sums[rival] - sums[right[case]]) / (2 * square)) + 1
                steps = {right[case]: step, rival: -step}
            n_corrections += 1
            for unit, step in steps.items():
                weights[unit] = [w + step * y for w, y in zip(weights[unit], x)]
        if n_corrections == 0:
            return weights
        if n_corrections < fewest:
            fewest, best_pass = n_corrections, pass_
        elif pass_ - best_pass >= patience:
            return None
    return None


def round_weights(weights, points, right, inputs, symbolic):
    """Return integer weights of the fewest bits that are right on all points; symbolic features are centred first."""
    centred = []
    for unit in weights:
        moved = list(unit)
        for feature in symbolic:
            mine = [n for n, (of, _) in enumerate(inputs, start=1) if of == feature]
            shared = sum(unit[n] for n in mine) / len(mine)
            for n in mine:
                moved[n] -= shared
            moved[0] += shared * (2 - len(mine))
        centred.append(moved)
    largest = max(abs(w) for unit in centred for w in unit)
    for bits in range(2, 25):
        whole = [[_nearest(w / largest * (2 ** (bits - 1) - 1)) for w in unit] for unit in centred]
        if all(_answers(whole, x, r) for x, r in zip(points, right)):
            return whole
    return None


def _nearest(x: Fraction) -> int:
    """Return the nearest whole number; halves go towards zero."""
    size = ceil(abs(x) - Fraction(1, 2) - Fraction(1, 10**9))
    return -size if x < 0 else size


def _answers(weights, x, right) -> bool:
    sums = [dot(unit, x) for unit in weights]
    if len(weights) == 1:
        return (sums[0] if right == 0 else -sums[0]) > Fraction(1, 10**6)
    return all(sums[right] > s + Fraction(1, 10**6) for u, s in enumerate(sums) if u != right)


@dataclass
class Node:
    """A class, a machine that predicts instead, or a test with its children."""

    label: str
    machine: Machine | None = None
    feature: int | None = None
    threshold: float | None = None
    children: dict[Value, Node] = field(default_factory=dict)


@dataclass
class Trainer:
    """The constants of a growing tree."""

    table: Table
    best: list[str]
    scale: dict[int, tuple[Fraction, Fraction]]
    max_passes: int
    patience: int
    seed: int

    def machine(self, members: Sequence[int]) -> Machine | None:
        rows = self.table.rows
        distinct: dict[tuple, int] = {}
        for i in sorted(members, key=lambda i: _sortable([rows[i][f] for f in self.table.order])):
            distinct.setdefault(tuple(rows[i]), i)
        cases = list(distinct.values())
        classes = sorted({self.best[i] for i in cases})
        symbolic, numeric = [], []
        for f in self.table.order:
            if len({self._seen(rows[i][f], f) for i in cases}) > 1:
                (numeric if f in self.scale else symbolic).append(f)
        inputs = [(f, v) for f in symbolic for v in sorted({rows[i][f] for i in cases}, key=lambda v: _sortable([v]))]
        inputs += [(f, None) for f in numeric]
        points = [dense(rows[i], inputs, self.scale) for i in cases]
        right = [classes.index(self.best[i]) for i in cases]
        weights = train(points, right, len(classes), self.max_passes, self.patience, self.seed)
        whole = None if weights is None else round_weights(weights, points, right, inputs, symbolic)
        return None if whole is None else Machine(classes, inputs, whole)

    def _seen(self, value: Value, feature: int) -> Value | Fraction:
        if feature not in self.scale:
            return value
        return dense([value], [(0, None)], {0: self.scale[feature]})[1]

    def grow(self, members: Sequence[int], tested: frozenset[int]) -> Node:
        node = Node(self.table.majority(self.table.count(members)))
        if len({self.best[i] for i in members}) == 1:
            return node
        node.machine = self.machine(members)
        if node.machine is not None:
            return node
        split = best_split(self.table, members, tested, "information_gain", 1)
        assert split is not None
        node.feature, node.threshold = split.feature, split.threshold
        tested = tested if split.threshold is not None else tested | {split.feature}
        node.children = {value: self.grow(part, tested) for value, part in split.parts.items()}
        return node


def _sortable(values) -> list:
    return [(value is not None, value if value is not None else 0) for value in values]


def grow(rows, labels, *, weights=None, numeric=frozenset(), max_passes=100, patience=10, seed=0):
    """Return the tree, and the scales of its numbers."""
    table = table_of(rows, labels, weights, numeric)
    scale = {}
    for f in numeric:
        known = [Fraction(row[f]) for row in table.rows if row[f] is not None]
        low, high = (min(known), max(known)) if known else (Fraction(0), Fraction(0))
        half = (high - low) / 2
        scale[f] = (low + half, half if half > 0 else Fraction(1))
    trainer = Trainer(table, attainable(table), scale, max_passes, patience, seed)
    return trainer.grow(range(len(table.rows)), frozenset()), table, scale


def answer(tree: Node, table: Table, scale, row: Row) -> str:
    """Return the class of a case; of equal sums the class preferred in ties."""
    node = tree
    while node.feature is not None:
        value = branch(node, row)
        if value not in node.children:
            return node.label
        node = node.children[value]
    return node.label if node.machine is None else table.majority(node.machine.sums(row, scale))
