"""Weights learned by hill climbing: every weight is tried out by answering each case from all the others.

The search starts with gain ratios, or with equal weights if these make fewer errors. Feature by feature, the one with
the larger gain ratio first, it tries 0, half and twice the weight, or, for a weight of 0, the first weight (the largest
of all if that was 0), its half and its double. The best of these is taken if it makes fewer errors. A round without a
change is the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.oracles import ib1
from tests.oracles.leave_one_out import each
from tests.oracles.weights import Counts, Row, relevance


def errors_with(
    rows: Sequence[Row], labels: Sequence[str], weights: Sequence[float], counts: Counts | None, missing: str
) -> float:
    """Return the weight of the cases that the others answer wrongly."""
    order = sorted(set(labels))

    def answer(rows: list[Row], labels: list[str], counts: list[float], query: Row) -> str:
        # The order in which costs are added is that of the gain ratio per value, without the case.
        return ib1.classify(rows, labels, query, weights, counts=counts, label_order=order, missing=missing).label

    answers = each(rows, labels, answer, counts)
    return sum(n for said, label, n in zip(answers, labels, counts or [1] * len(rows)) if said != label)


def learn(
    rows: Sequence[Row], labels: Sequence[str], counts: Counts | None = None, missing: str = "value"
) -> tuple[list[float], float]:
    """Return the weights, and their errors."""

    def errors(weights: Sequence[float]) -> float:
        return errors_with(rows, labels, weights, counts, missing)

    ratios = relevance(rows, labels, "gain_ratio", counts)
    equal = [1.0] * len(ratios)
    weights = list(ratios) if errors(ratios) <= errors(equal) else equal
    first = [w if w > 0 else max(weights) or 1.0 for w in weights]
    best = errors(weights)
    while best > 0:
        before = best
        for f in sorted(range(len(weights)), key=lambda f: -ratios[f]):
            at = weights[f]
            tried = [0.0, at / 2, at * 2] if at > 0 else [first[f], first[f] / 2, first[f] * 2]
            found = {w: errors([*weights[:f], w, *weights[f + 1 :]]) for w in tried}
            chosen = min(tried, key=lambda w: found[w])
            if found[chosen] < best:
                weights, best = [*weights[:f], chosen, *weights[f + 1 :]], found[chosen]
        if best == before:
            break
    return weights, best
