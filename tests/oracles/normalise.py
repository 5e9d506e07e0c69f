"""Normalisations of votes, as TiMBL prints them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Distribution = Mapping[str, float]


def probability(votes: Distribution) -> dict[str, float]:
    """Return each class's share of the votes."""
    total = sum(votes.values())
    return {label: n / total for label, n in votes.items()}


def add_factor(votes: Distribution, labels: Sequence[str], factor: float = 1.0) -> dict[str, float]:
    """Return the shares after every class in `labels` gets `factor` more votes."""
    return probability({label: votes.get(label, 0.0) + factor for label in labels})


def log_probability(votes: Distribution) -> dict[str, float]:
    """Return the shares of the logarithms of the votes, each plus one."""
    return probability({label: math.log(1 + n) for label, n in votes.items()})
