"""The logarithmic opinion pool (Genest and Zidek, 1986): a normalised product of powers of probabilities."""

from __future__ import annotations

from math import exp, log, prod


def pooled(opinions, exponents, bias) -> list[float]:
    """Return the shares from one list of probabilities per opinion."""
    scores = [
        exp(bias[c]) * prod(opinion[c] ** exponent for opinion, exponent in zip(opinions, exponents, strict=True))
        for c in range(len(bias))
    ]
    return [score / sum(scores) for score in scores]


def penalised_loss(cases, labels, weights, exponents, bias, start, strength: float) -> float:
    """Return the summed log loss; the penalty draws the exponents towards `start` and the biases towards 0."""
    loss = sum(
        -weight * log(pooled(opinions, exponents, bias)[label])
        for opinions, label, weight in zip(cases, labels, weights, strict=True)
    )
    away = sum((e - s) ** 2 for e, s in zip(exponents, start, strict=True)) + sum(b * b for b in bias)
    return loss + strength * away / 2
