"""Conformal thresholds: the scores up to which a class cannot be excluded.

A score says how badly a case fits a class; larger is stranger. The threshold for confidence c is the ⌈c (n + 1)⌉-th
smallest score of n held-out cases: if these and a new case come from one source in random order, the score of the new
case is at most that with a probability of at least c.

Reference: Vovk, Gammerman, Shafer, "Algorithmic learning in a random world" (2005).
"""

from math import ceil

import numpy as np

ROUNDING = 1e-9


def threshold(scores: np.ndarray, confidence: float, extra: int = 0) -> float:
    """Return the ⌈confidence · (n + 1)⌉-th smallest of n scores, or the one `extra` places above; else infinity.

    >>> threshold(np.arange(9.0), 0.8), threshold(np.arange(9.0), 0.95)
    (7.0, inf)
    """
    place = ceil(confidence * (len(scores) + 1) - ROUNDING) + extra
    return float(np.partition(scores, place - 1)[place - 1]) if place <= len(scores) else float("inf")


def at_most(scores: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Return whether scores are at most their thresholds, up to rounding."""
    with np.errstate(invalid="ignore"):
        below: np.ndarray = scores <= limits + ROUNDING * (1.0 + np.abs(limits))
    return below | np.isposinf(limits)
