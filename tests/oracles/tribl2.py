"""TRIBL2: walk down the tree as far as the values match, then IB1 over the cases below.

There is no parameter for the switch: it happens at the first value without a branch,
and IB1 compares the features from there on, the unmatched one included. A case that matches
to the end is answered by the cases equal to it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tests.oracles import ib1, tribl
from tests.oracles.decay import GroupWeights, equal
from tests.oracles.metrics import Metric
from tests.oracles.weights import Counts, Row


def classify(
    rows: Sequence[Row],
    labels: Sequence[str],
    query: Row,
    weights: Sequence[float],
    k: int = 1,
    numeric: Collection[int] = frozenset(),
    counts: Counts | None = None,
    label_order: Sequence[str] | None = None,
    missing: str = "value",
    *,
    order: Sequence[int] | None = None,
    metric: Metric | None = None,
    group_weights: GroupWeights = equal,
) -> tribl.Answer:
    """Return the class found by walking while values match, then by IB1.

    `order` is that of the tree, by descending weight by default.
    """
    if counts is None:
        counts = [1] * len(rows)
    if label_order is None:
        label_order = sorted(set(labels))
    if order is None:
        order = sorted(range(len(weights)), key=lambda feature: -weights[feature])
    class_counts = ib1.count_classes(labels, counts)

    members = [i for i in range(len(rows)) if counts[i] > 0]
    depth = 0
    for feature in order:
        matching = [i for i in members if ib1.is_same(rows[i], query, [feature], missing)]
        if not matching:
            break
        members, depth = matching, depth + 1
    if depth == len(order):
        votes = ib1.count_votes(members, labels, counts)
        label, was_tied = ib1.choose(votes, class_counts, label_order)
        groups = [ib1.Group(0.0, votes, members)]
        return tribl.Answer(label, votes, depth, 0.0, ib1.Answer(label, votes, groups, was_tied, groups))

    neighbours = ib1.classify(
        [rows[i] for i in members],
        [labels[i] for i in members],
        query,
        weights,
        k,
        counts=[counts[i] for i in members],
        label_order=label_order,
        missing=missing,
        sum_order=order[depth:],
        ranges=ib1.value_ranges(rows, numeric, counts),
        class_counts=class_counts,
        metric=metric,
        group_weights=group_weights,
    )
    for group in neighbours.listed:
        group.rows[:] = [members[i] for i in group.rows]
    return tribl.Answer(neighbours.label, neighbours.votes, depth, neighbours.distance, neighbours)
