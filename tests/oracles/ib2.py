"""IB2: store only the cases that the stored cases misclassify.

The first `bootstrap` cases are stored. IB1 over the stored cases predicts each later one, which is
stored if the prediction is wrong. Weights, metric and class frequencies are those of all the cases.

TiMBL counts a case that it keeps after the bootstrap a second time: at once in the class
frequencies that settle ties, at the end in weights and metric too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.oracles import ib1
from tests.oracles.decay import GroupWeights, equal
from tests.oracles.metrics import Metric
from tests.oracles.weights import Row


@dataclass
class Model:
    """The kept cases, and all that IB1 needs to answer from them."""

    rows: Sequence[Row]
    labels: Sequence[str]
    kept: list[int]
    weights: Sequence[float]
    metric: Metric
    class_counts: dict[str, float]
    label_order: Sequence[str]
    sum_order: Sequence[int]
    k: int
    group_weights: GroupWeights

    def answer(self, query: Row) -> ib1.Answer:
        """Return IB1's answer from the kept cases."""
        return ib1.classify(
            [self.rows[i] for i in self.kept],
            [self.labels[i] for i in self.kept],
            query,
            self.weights,
            self.k,
            label_order=self.label_order,
            sum_order=self.sum_order,
            class_counts=self.class_counts,
            metric=self.metric,
            group_weights=self.group_weights,
        )


def learn(
    rows: Sequence[Row],
    labels: Sequence[str],
    bootstrap: int,
    weigh: Callable[[Sequence[Row], Sequence[str]], list[float]],
    compare: Callable[[Sequence[Row], Sequence[str]], Metric],
    sum_order: Sequence[int],
    k: int = 1,
    label_order: Sequence[str] | None = None,
    *,
    group_weights: GroupWeights = equal,
    compat: str | None = None,
) -> Model:
    """Return the stored cases; `weigh` and `compare` compute weights and metric from rows and labels."""
    model = Model(
        rows,
        labels,
        list(range(min(bootstrap, len(rows)))),
        weigh(rows, labels),
        compare(rows, labels),
        ib1.count_classes(labels),
        sorted(set(labels)) if label_order is None else label_order,
        sum_order,
        k,
        group_weights,
    )
    added = []
    for i in range(bootstrap, len(rows)):
        if model.answer(rows[i]).label != labels[i]:
            model.kept.append(i)
            added.append(i)
            if compat == "timbl":
                model.class_counts[labels[i]] += 1
                model.metric.count_again(rows[i])
    if compat == "timbl":
        # At the end: a second count of a known value does not change the order of first appearance.
        twice_rows = [*rows, *(rows[i] for i in added)]
        twice_labels = [*labels, *(labels[i] for i in added)]
        model.weights = weigh(twice_rows, twice_labels)
        model.metric = compare(twice_rows, twice_labels)
    return model
