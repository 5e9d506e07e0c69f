"""Cross-validation as TiMBL runs it over files: each file from all the others.

Everything is learnt anew for each file except two things: the order in which features are added
up, which comes from the second file alone, and the order of the classes, which is that of their first
occurrence in files 2, 3, …, 1.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from tests.oracles import ib1
from tests.oracles.decay import GroupWeights, equal
from tests.oracles.metrics import Metric
from tests.oracles.weights import Row

Fold = tuple[Sequence[Row], Sequence[str]]


def with_ib1(
    folds: Sequence[Fold],
    weigh: Callable[[Sequence[Row], Sequence[str]], list[float]],
    compare: Callable[[Sequence[Row], Sequence[str], Fold, list[str]], Metric],
    k: int = 1,
    numeric: Collection[int] = frozenset(),
    *,
    group_weights: GroupWeights = equal,
) -> list[list[ib1.Answer]]:
    """Return IB1's answers to the cases of each fold from those of the others.

    `weigh` computes weights from rows and labels. `compare` makes a metric from them, from all lines read so
    far (TiMBL keeps a class of a removed file on its lists) and from the order of the classes.
    """
    reading = [*folds[1:], folds[0]]
    label_order = list(dict.fromkeys(label for _, labels in reading for label in labels))
    sum_order = ib1.summation_order(folds[1][0], folds[1][1], numeric=numeric)
    answers = []
    for fold in folds:
        rows = [row for other in reading if other is not fold for row in other[0]]
        labels = [label for other in reading if other is not fold for label in other[1]]
        read = reading[:-1] if fold is folds[0] else reading
        seen = [row for other in read for row in other[0]], [label for other in read for label in other[1]]
        weights, metric = weigh(rows, labels), compare(rows, labels, seen, label_order)
        answers.append(
            [
                ib1.classify(
                    rows,
                    labels,
                    query,
                    weights,
                    k,
                    label_order=label_order,
                    sum_order=sum_order,
                    metric=metric,
                    group_weights=group_weights,
                )
                for query in fold[0]
            ]
        )
    return answers
