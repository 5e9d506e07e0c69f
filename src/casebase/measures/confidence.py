"""Confidence limits of observed rates: C4.5's pessimistic error, and Wilson's interval.

C4.5's pessimistic error is an upper limit of an observed error rate.

C4.5 prunes trees and generalises rules with it. The limit is far from the observed rate if there are few cases: with no
errors in 6 cases the true rate may be one in five, with none in 60 cases one in fifty.

References: Quinlan, "C4.5: programs for machine learning" (1993), chapter 4; Wilson, "Probable inference, the law of
succession, and statistical inference", Journal of the American Statistical Association 22 (1927).
"""

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from casebase.measures import functions


def added_errors(n: ArrayLike, errors: ArrayLike, confidence: float = 0.25) -> np.ndarray:
    """Return the difference between the upper limit and the observed number of errors.

    Exact for no errors; otherwise the normal approximation to the binomial, with a continuity correction. Between 0 and
    1 error (weighted cases may count for less than one) it is interpolated linearly.

    >>> added_errors([6, 9, 14], [0, 0, 5]).round(3).tolist()
    [1.238, 1.285, 1.761]
    """
    n, errors = np.broadcast_arrays(np.asarray(n, dtype=float), np.asarray(errors, dtype=float))
    whole = np.maximum(n, 1e-300)
    none = n * (1.0 - functions.exp(functions.log(confidence) / whole))
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


def wilson_interval(n_right: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval in which the true rate lies with this confidence, if n_right of n independent trials succeed.

    It is the set of rates that a normal test of the observed one would not reject: (p + z²/2n ± z √(p(1-p)/n + z²/4n²))
    / (1 + z²/n). Unlike p ± z √(p(1-p)/n) it stays between 0 and 1, and is not empty where all trials succeed.

    >>> [round(limit, 4) for limit in wilson_interval(9, 10)], wilson_interval(10, 10)[1]
    ([0.5958, 0.9821], 1.0)
    """
    z, share = NormalDist().inv_cdf(0.5 + confidence / 2), n_right / n
    centre, spread = share + z * z / (2 * n), z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    low, high = (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)
    return (0.0 if n_right == 0 else low), (1.0 if n_right == n else high)
