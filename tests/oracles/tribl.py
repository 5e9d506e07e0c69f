"""TRIBL: the heaviest features as a tree, IB1 over the cases that are left below it.

The first `switch` features are walked as in IGTree, without pruning; after a mismatch the
prediction is the default class of the last node. If all of them match, the cases that share these values
are searched by IB1 with the remaining features. Class frequencies and numeric ranges are those
of the whole memory.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tests.oracles import ib1
from tests.oracles.decay import GroupWeights, equal
from tests.oracles.metrics import Metric
from tests.oracles.weights import Counts, Row


@dataclass
class Answer:
    """A class, and whether the tree's default or the cases below decided it."""

    label: str
    votes: ib1.Votes
    depth: int  # the number of tree features matched
    distance: float  # the weights of the features that did not match, or that of the nearest case
    neighbours: ib1.Answer | None  # None where the tree's default answered


def classify(
    rows: Sequence[Row],
    labels: Sequence[str],
    query: Row,
    tree_weights: Sequence[float],
    below_weights: Sequence[float],
    switch: int,
    k: int = 1,
    numeric: Collection[int] = frozenset(),
    counts: Counts | None = None,
    label_order: Sequence[str] | None = None,
    missing: str = "value",
    *,
    order: Sequence[int] | None = None,
    metric: Metric | None = None,
    group_weights: GroupWeights = equal,
    exact_match: bool = False,
    exemplars: Sequence[float] | None = None,
    compat: str | None = None,
) -> Answer:
    """Return the class found by walking `switch` features, then by IB1.

    A tie among exact matches at k = 1 is not retried. `order` is that of the tree, by descending weight by default.
    """
    if counts is None:
        counts = [1] * len(rows)
    if label_order is None:
        label_order = sorted(set(labels))
    class_counts = ib1.count_classes(labels, counts)
    if order is None:
        order = sorted(range(len(tree_weights)), key=lambda feature: -tree_weights[feature])
    in_tree, below = order[:switch], order[switch:]

    members = [i for i in range(len(rows)) if counts[i] > 0]
    for depth, feature in enumerate(in_tree):
        matching = [i for i in members if ib1.is_same(rows[i], query, [feature], missing)]
        if not matching:
            votes = ib1.count_votes(members, labels, counts)
            label, _ = ib1.choose(votes, class_counts, label_order)
            distance = 0.0
            for f in in_tree[depth:]:
                distance += tree_weights[f]
            for f in below:
                distance += below_weights[f]
            return Answer(label, votes, depth, distance, None)
        members = matching

    if not below:
        votes = ib1.count_votes(members, labels, counts)
        label, was_tied = ib1.choose(votes, class_counts, label_order)
        groups = [ib1.Group(0.0, votes, members)]
        return Answer(label, votes, len(in_tree), 0.0, ib1.Answer(label, votes, groups, was_tied, groups))

    neighbours = ib1.classify(
        [rows[i] for i in members],
        [labels[i] for i in members],
        query,
        below_weights,
        k,
        counts=[counts[i] for i in members],
        label_order=label_order,
        missing=missing,
        sum_order=below,
        ranges=ib1.value_ranges(rows, numeric, counts),
        class_counts=class_counts,
        retries_exact=False,
        metric=metric,
        group_weights=group_weights,
        exact_match=exact_match,
        exemplars=None if exemplars is None else [exemplars[i] for i in members],
        compat=compat,
    )
    for group in neighbours.listed:
        group.rows[:] = [members[i] for i in group.rows]
    return Answer(neighbours.label, neighbours.votes, len(in_tree), neighbours.distance, neighbours)


def automatic_switch(weights: Sequence[float]) -> int:
    """Return the number of features heavier than the mean plus one standard deviation.

    The standard deviation is that of the features as a population.

    >>> automatic_switch([0.1, 0.1, 0.1, 0.9])
    1
    """
    threshold = statistics.fmean(weights) + statistics.pstdev(weights)
    return sum(weight > threshold for weight in weights)
