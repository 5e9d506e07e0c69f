"""C4.5's pessimistic error: an upper confidence limit of an observed error rate.

C4.5 prunes trees and generalises rules with it. The limit is far from the observed rate if there are few cases: with no
errors in 6 cases the true rate may be one in five, with none in 60 cases one in fifty.

Reference: Quinlan, "C4.5: programs for machine learning" (1993), chapter 4.
"""

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike


def added_errors(n: ArrayLike, errors: ArrayLike, confidence: float = 0.25) -> np.ndarray:
    """Return the difference between the upper limit and the observed number of errors.

    Exact for no errors; otherwise the normal approximation to the binomial, with a continuity correction. Between 0 and
    1 error (weighted cases may count for less than one) it is interpolated linearly.

    >>> added_errors([6, 9, 14], [0, 0, 5]).round(3).tolist()
    [1.238, 1.285, 1.761]
    """
    n, errors = np.broadcast_arrays(np.asarray(n, dtype=float), np.asarray(errors, dtype=float))
    whole = np.maximum(n, 1e-300)
    none = n * (1.0 - confidence ** (1.0 / whole))
    one = _normal_limit(whole, np.ones_like(n), confidence)
    part = none + errors * (one - none)
    return np.where(errors < 1e-6, none, np.where(errors < 1 - 1e-4, part, _normal_limit(whole, errors, confidence)))


def _normal_limit(n: np.ndarray, errors: np.ndarray, confidence: float) -> np.ndarray:
    z = NormalDist().inv_cdf(1 - confidence)
    seen = np.minimum(errors + 0.5, n)  # the continuity correction
    limit = (seen + z * z / 2 + z * np.sqrt(np.maximum(seen * (1 - seen / n), 0.0) + z * z / 4)) / (n + z * z)
    added: np.ndarray = np.where(errors + 0.5 >= n, np.maximum(n - errors, 0.0), n * limit - errors)
    return added


def error_rate(n: ArrayLike, errors: ArrayLike, confidence: float = 0.25) -> np.ndarray:
    """Return the upper limit as a share of the cases; 1 where there are no cases.

    >>> error_rate([6, 0], [0, 0]).round(3).tolist()
    [0.206, 1.0]
    """
    n, errors = np.asarray(n, dtype=float), np.asarray(errors, dtype=float)
    return np.where(n > 0, (errors + added_errors(n, errors, confidence)) / np.maximum(n, 1e-300), 1.0)
