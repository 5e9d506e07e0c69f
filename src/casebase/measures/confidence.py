"""How often something that was seen to err so often may err: the upper end of a confidence interval.

C4.5 prunes trees and generalises rules by it. Few cases say little: one without an error in 6 cases may err in one of
five, one without an error in 60 in one of fifty.

Reference: Quinlan, "C4.5: programs for machine learning" (1993), chapter 4.
"""

from statistics import NormalDist
from typing import Any

import numpy as np


def added_errors(n: Any, errors: Any, confidence: float = 0.25) -> np.ndarray:
    """Return by how many errors the upper limit is above those seen.

    Exact where there was none; otherwise the normal approximation to the binomial, with a correction for continuity.
    Between none and one (cases may count for less than one) it is on the line between the two.

    >>> added_errors([6, 9, 14], [0, 0, 5]).round(3).tolist()
    [1.238, 1.285, 1.761]
    """
    n, errors = np.broadcast_arrays(np.asarray(n, dtype=float), np.asarray(errors, dtype=float))
    whole = np.maximum(n, 1e-300)
    none = n * (1.0 - confidence ** (1.0 / whole))
    one = _beyond_none(whole, np.ones_like(n), confidence)
    part = none + errors * (one - none)
    return np.where(errors < 1e-6, none, np.where(errors < 1 - 1e-4, part, _beyond_none(whole, errors, confidence)))


def _beyond_none(n: np.ndarray, errors: np.ndarray, confidence: float) -> np.ndarray:
    z = NormalDist().inv_cdf(1 - confidence)
    seen = np.minimum(errors + 0.5, n)
    limit = (seen + z * z / 2 + z * np.sqrt(np.maximum(seen * (1 - seen / n), 0.0) + z * z / 4)) / (n + z * z)
    return np.where(errors + 0.5 >= n, np.maximum(n - errors, 0.0), n * limit - errors)


def error_rate(n: Any, errors: Any, confidence: float = 0.25) -> np.ndarray:
    """Return the upper limit as a share of the cases; 1 where there are none.

    >>> error_rate([6, 0], [0, 0]).round(3).tolist()
    [0.206, 1.0]
    """
    n, errors = np.asarray(n, dtype=float), np.asarray(errors, dtype=float)
    return np.where(n > 0, (errors + added_errors(n, errors, confidence)) / np.maximum(n, 1e-300), 1.0)
