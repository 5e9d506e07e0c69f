"""A forest of trees whose leaves hold cases, grown and walked in plain Python.

After Breiman (2001): each tree has a sample with replacement, and each node tries some features. `codes[f][i]` is the
value of feature f in case i; an ordered feature is cut, of another a value or a group of values goes left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.oracles.draws import Draws

NEVER_SEEN = 0xFFFF
KINDS = ["leaf", "cut", "value", "group"]


@dataclass
class Task:
    """Coded cases, and how trees are grown from them."""

    codes: list[list[int]]
    labels: list[int]
    weights: list[float]
    n_classes: int
    is_ordered: list[bool]
    n_tried: int
    least: float
    by_groups: bool
    seed: int

    @property
    def n(self) -> int:
        return len(self.labels)


def drawn(task: Task, tree: int) -> list[int]:
    """Return how often each case is drawn: as many draws as there are cases."""
    draws, times = Draws(task.seed, 2 * tree), [0] * task.n
    for _ in range(task.n):
        times[draws.below(task.n)] += 1
    return times


def class_weights(task: Task, members: Sequence[int], times: Sequence[int]) -> list[float]:
    sums = [0.0] * task.n_classes
    for i in members:
        sums[task.labels[i]] += times[i] * task.weights[i]
    return sums


def purity(sums: Sequence[float]) -> float:
    """Return the weight of some cases times (1 - Gini's index)."""
    return sum(s * s for s in sums) / sum(sums)


def grow(task: Task, tree: int) -> tuple[Any, ...]:
    """Return a tree as (kind, feature, what goes left, left tree, right tree), a leaf as ("leaf", shares by class)."""
    times, draws = drawn(task, tree), Draws(task.seed, 2 * tree + 1)
    deck = list(range(len(task.codes)))
    return node(task, [i for i in range(task.n) if times[i]], times, draws, deck)


def node(task: Task, members: list[int], times: list[int], draws: Draws, deck: list[int]) -> tuple[Any, ...]:
    sums = class_weights(task, members, times)
    split = best_split(task, members, times, sums, draws, deck)
    if split is None:
        return ("leaf", {c: s / sum(sums) for c, s in enumerate(sums) if s > 0})
    kind, feature, where = split
    goes_left = [is_left(kind, where, task.codes[feature][i]) for i in members]
    left = node(task, [i for i, go in zip(members, goes_left) if go], times, draws, deck)
    right = node(task, [i for i, go in zip(members, goes_left) if not go], times, draws, deck)
    return (kind, feature, where, left, right)


def is_left(kind: str, where: Any, code: int) -> bool:
    if kind == "cut":
        return code <= where
    return code == where if kind == "value" else code in where


def best_split(task, members, times, sums, draws, deck):
    """Return the purest split of the features that are tried; a feature with one value here does not count."""
    total = sum(sums)
    if sum(s > 0 for s in sums) < 2 or total < 2 * task.least:
        return None
    best, score = None, purity(sums) * (1.0 + 1e-12)
    n_left, n_tried = len(deck), 0
    while n_left and n_tried < task.n_tried:
        # Drawn features go to the end of the deck, where the next node finds them.
        at = draws.below(n_left)
        n_left -= 1
        deck[at], deck[n_left] = deck[n_left], deck[at]
        feature = deck[n_left]
        column = task.codes[feature]
        values = sorted({column[i] for i in members})
        if len(values) < 2:
            continue
        n_tried += 1
        for kind, where, lefts in candidates(task, members, times, sums, draws, feature, values):
            left = class_weights(task, [i for i in members if column[i] in lefts], times)
            right = [a - b for a, b in zip(sums, left)]
            if min(sum(left), sum(right)) < task.least:
                continue
            if purity(left) + purity(right) > score:
                score = purity(left) + purity(right)
                best = (kind, feature, where)
    return best


def candidates(task, members, times, sums, draws, feature, values):
    """Return the splits of a feature: kind, what is written, and the set of values on the first side."""
    column = task.codes[feature]
    if task.is_ordered[feature]:
        return [("cut", cut, set(values[: i + 1])) for i, cut in enumerate(values[:-1])]
    if not task.by_groups:
        return [("value", value, {value}) for value in values]
    target, chosen = draws.unit() * sum(sums), None
    for c, s in enumerate(sums):
        if s > 0:
            chosen = c
            target -= s
            if target < 0:
                break
    of_value = {v: class_weights(task, [i for i in members if column[i] == v], times) for v in values}
    order = sorted(values, key=lambda v: of_value[v][chosen] / sum(of_value[v]))
    splits = []
    for n in range(1, len(order)):
        first, second = order[:n], order[n:]
        first_weight = sum(sum(of_value[v]) for v in first)
        # A value that was never seen goes to the heavier side.
        lighter = first if first_weight <= sum(sums) - first_weight else second
        splits.append(("group", frozenset(lighter), set(first)))
    return splits


def written(nodes, n_codes, at: int) -> tuple[Any, ...]:
    """Return the tree at a node of a forest's arrays, as `grow` does."""
    kind = KINDS[nodes["split"][at]]
    where = int(nodes["at"][at])
    if kind == "leaf":
        votes = range(int(nodes["first_vote"][where]), int(nodes["first_vote"][where + 1]))
        return ("leaf", {int(nodes["vote_label"][v]): float(nodes["vote"][v]) for v in votes})
    feature, left = int(nodes["feature"][at]), int(nodes["left"][at])
    if kind == "group":
        where = frozenset(
            c for c in range(int(n_codes[feature])) if int(nodes["groups"][where + c // 64]) >> c % 64 & 1
        )
    return (kind, feature, where, written(nodes, n_codes, left), written(nodes, n_codes, left + 1))


def leaf_of(tree, case: Sequence[int]) -> tuple[bool, ...]:
    """Return the turns that a case takes: they name its leaf."""
    turns = []
    while tree[0] != "leaf":
        kind, feature, where, left, right = tree
        turns.append(is_left(kind, where, case[feature]))
        tree = left if turns[-1] else right
    return tuple(turns)


def vote(task: Task, tree, times, case: Sequence[int]) -> list[float]:
    """Return the class distribution of the drawn cases that share the leaf of a case."""
    here = leaf_of(tree, case)
    members = [i for i in range(task.n) if times[i] and leaf_of(tree, [column[i] for column in task.codes]) == here]
    sums = class_weights(task, members, times)
    return [s / sum(sums) for s in sums]


def shares(task: Task, trees, case: Sequence[int]) -> list[float]:
    """Return the mean vote; the class frequencies count like one more tree."""
    votes = [vote(task, tree, drawn(task, t), case) for t, tree in enumerate(trees)]
    return mean([*votes, frequencies(task, range(task.n))])


def held_out(task: Task, trees, i: int) -> list[float]:
    """Return the mean vote of the trees that did not draw the case, and of the frequencies among the others."""
    case = [column[i] for column in task.codes]
    samples = [drawn(task, t) for t in range(len(trees))]
    votes = [vote(task, tree, times, case) for tree, times in zip(trees, samples) if not times[i]]
    return mean([*votes, frequencies(task, [j for j in range(task.n) if j != i])])


def frequencies(task: Task, members) -> list[float]:
    sums = class_weights(task, members, [1] * task.n)
    return [s / sum(sums) for s in sums]


def mean(votes: Sequence[Sequence[float]]) -> list[float]:
    return [sum(each) / len(votes) for each in zip(*votes)]
