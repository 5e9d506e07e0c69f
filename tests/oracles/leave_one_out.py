"""Leave-one-out by its definition: for every case, learn from all the others.

Everything is learnt anew, feature weights included. A case is left out with its whole count.
`label_order` is that of all the cases, so that leaving one out does not renumber the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from tests.oracles import ib1, igtree, tribl
from tests.oracles.decay import GroupWeights, equal
from tests.oracles.metrics import Metric
from tests.oracles.weights import Counts, Row, relevance

T = TypeVar("T")
Learner = Callable[[list[Row], list[str], list[float], Row], T]


def each(rows: Sequence[Row], labels: Sequence[str], learner: Learner[T], counts: Counts | None = None) -> list[T]:
    """Return `learner(rows, labels, counts, case)` for every case, whose count is 0 among them."""
    if counts is None:
        counts = [1] * len(rows)
    return [
        learner(list(rows), list(labels), [0 if j == i else n for j, n in enumerate(counts)], rows[i])
        for i in range(len(rows))
    ]


def with_ib1(
    rows: Sequence[Row],
    labels: Sequence[str],
    measure: str = "gain_ratio",
    k: int = 1,
    numeric: Collection[int] = frozenset(),
    counts: Counts | None = None,
    label_order: Sequence[str] | None = None,
    missing: str = "value",
    sum_order: Sequence[int] | None = None,
    *,
    names: str | Mapping[int, str] | None = None,
    threshold: int = 1,
    group_weights: GroupWeights = equal,
    exact_match: bool = False,
    is_sloppy: bool = False,
    compat: str | None = None,
) -> list[ib1.Answer]:
    """Return IB1's answer to each case from all others.

    `names` are the metrics. A sloppy run keeps the weights and the metric's tables of all the
    cases; the case itself and its part in the class frequencies are left out all the same.
    """
    order = sorted(set(labels)) if label_order is None else label_order
    if names is None:
        names = dict.fromkeys(numeric, "numeric")

    def compare(others: Sequence[Row], their_labels: Sequence[str], counts: Counts | None) -> Metric:
        return Metric(
            others,
            their_labels,
            names,
            counts,
            threshold=threshold,
            missing=missing,
            compat=compat,
            label_order=order,
            seen=(rows, labels),
        )

    all_weights = relevance(rows, labels, measure, counts, numeric)
    all_compared = compare(rows, labels, counts)

    def learner(rows: list[Row], labels: list[str], counts: list[float], query: Row) -> ib1.Answer:
        weights = all_weights if is_sloppy else relevance(rows, labels, measure, counts, numeric)
        metric = compare(rows, labels, counts)
        if is_sloppy:
            # Values are counted without the case: a value that only this case has is unknown.
            metric.shares, metric.ranges = all_compared.shares, all_compared.ranges
        return ib1.classify(
            rows,
            labels,
            query,
            weights,
            k,
            numeric,
            counts,
            order,
            missing,
            sum_order=sum_order,
            metric=metric,
            group_weights=group_weights,
            exact_match=exact_match,
        )

    return each(rows, labels, learner, counts)


def with_igtree(
    rows: Sequence[Row],
    labels: Sequence[str],
    measure: str = "gain_ratio",
    counts: Counts | None = None,
    label_order: Sequence[str] | None = None,
    missing: str = "value",
) -> list[igtree.Walk]:
    """Return IGTree's answer to each case from all others."""
    classes = sorted(set(labels)) if label_order is None else label_order

    def learner(rows: list[Row], labels: list[str], counts: list[float], query: Row) -> igtree.Walk:
        weights = relevance(rows, labels, measure, counts)
        order = sorted(range(len(weights)), key=lambda feature: -weights[feature])
        return igtree.classify(igtree.grow(rows, labels, order, counts, classes), query, missing)

    return each(rows, labels, learner, counts)


def with_tribl(
    rows: Sequence[Row],
    labels: Sequence[str],
    measure: str = "gain_ratio",
    below_measure: str = "none",
    switch: int | None = None,
    k: int = 1,
    numeric: Collection[int] = frozenset(),
    counts: Counts | None = None,
    label_order: Sequence[str] | None = None,
    missing: str = "value",
) -> list[tribl.Answer]:
    """Return TRIBL's answer to each case from all others.

    Without `switch`, the automatic one is computed anew for every case.
    """
    order = sorted(set(labels)) if label_order is None else label_order

    def learner(rows: list[Row], labels: list[str], counts: list[float], query: Row) -> tribl.Answer:
        tree_weights = relevance(rows, labels, measure, counts, numeric)
        below_weights = relevance(rows, labels, below_measure, counts, numeric)
        n_in_tree = tribl.automatic_switch(tree_weights) if switch is None else switch
        return tribl.classify(
            rows, labels, query, tree_weights, below_weights, n_in_tree, k, numeric, counts, order, missing
        )

    return each(rows, labels, learner, counts)
