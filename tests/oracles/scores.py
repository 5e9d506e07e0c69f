"""The statistics of a test, class by class and averaged, by the definitions that TiMBL uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.oracles.weights import EPS


@dataclass
class ClassScores:
    """One class against all the others; None where a denominator is 0."""

    tp: int
    fp: int
    tn: int
    fn: int
    precision: float | None
    recall: float | None
    fpr: float | None
    f: float | None
    auc: float | None


def by_class(true: Sequence[str], predicted: Sequence[str], labels: Sequence[str]) -> dict[str, ClassScores]:
    """Return the scores of each class in `labels`; true classes outside it are always wrong."""
    result = {}
    pairs = list(zip(true, predicted, strict=True))
    for label in labels:
        tp = sum(t == label and p == label for t, p in pairs)
        fp = sum(t != label and p == label for t, p in pairs)
        fn = sum(t == label and p != label for t, p in pairs)
        tn = len(pairs) - tp - fp - fn
        precision, recall, fpr = ratio(tp, tp + fp), ratio(tp, tp + fn), ratio(fp, fp + tn)
        f = None
        if precision is not None and recall is not None and precision + recall >= EPS:
            f = 2 * precision * recall / (precision + recall)
        auc = None if recall is None or fpr is None else (1 + recall - fpr) / 2
        result[label] = ClassScores(tp, fp, tn, fn, precision, recall, fpr, f, auc)
    return result


def ratio(part: int, whole: int) -> float | None:
    """Return the share, None of nothing."""
    return part / whole if whole else None


def macro(values: Sequence[float | None]) -> float:
    """Return the mean of the values that are defined."""
    defined = [v for v in values if v is not None]
    return sum(defined) / len(defined)


def micro(values: Sequence[float | None], n_true: Sequence[int]) -> float:
    """Return the mean weighted by the number of cases of each class; an undefined value adds 0."""
    return sum(v * n for v, n in zip(values, n_true) if v is not None) / sum(n_true)
