"""Nonparametric tests: autocorrelation for randomness, Kendall's test for a rising trend, the sign test.

References: Chatfield, "The analysis of time series" (1984); Kendall, "Rank correlation methods" (1962); Gibbons,
"Nonparametric statistical inference" (1971).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import comb, erfc, sqrt

import numpy as np

from casebase.errors import CasebaseError

N_SIZES = 5  # fewer values cannot rise significantly: 5 values in order have p = 1/120
LARGEST_EXACT = 50  # longer sequences get the normal approximation
OUTSIDE = 1.96  # standard errors: a 95 % interval
SHARE = 0.05  # a sequence with a smaller share of autocorrelations outside passes as random


def autocorrelations(marks: np.ndarray, n_lags: int | None = None) -> np.ndarray:
    """Return the correlation of a sequence with itself at lags 1, 2, …, by default up to a quarter of its length.

    For a constant sequence they are undefined: the result is NaN. Computed in O(n log n) from the power spectrum.

    >>> autocorrelations(np.array([0, 1, 0, 1, 0, 1, 0, 1])).round(3).tolist()
    [-0.875, 0.75]
    """
    values = np.asarray(marks, dtype=float)
    n = len(values)
    n_lags = n // 4 if n_lags is None else n_lags
    if not 0 <= n_lags <= max(n - 1, 0):
        raise CasebaseError(f"n_lags is at most {max(n - 1, 0)} for a sequence of length {n}; got {n_lags}.")
    centred = values - values.mean() if n else values
    variance = float((centred * centred).sum())  # not a dot product, which would start the threads of BLAS
    if variance <= 1e-12 * n:
        return np.full(n_lags, np.nan)
    length = 1 << (n + n_lags - 1).bit_length()  # zero padding, so that the end does not wrap around to the beginning
    spectrum = np.fft.rfft(centred, length)
    products = np.fft.irfft(spectrum.real**2 + spectrum.imag**2, length)
    return products[1 : n_lags + 1] / variance


def share_outside(marks: np.ndarray) -> float | None:
    """Return the share of autocorrelations outside ±1.96/√n; None if there are no autocorrelations.

    There are none if the sequence is constant or shorter than four.

    >>> share_outside(np.array([0, 0, 0, 0, 1, 1, 1, 1] * 4))
    0.625
    """
    correlations = autocorrelations(marks)
    if not len(correlations) or np.isnan(correlations[0]):
        return None
    return float(np.mean(np.abs(correlations) > OUTSIDE / sqrt(len(marks))))


def kendall_statistic(values: Sequence[float]) -> int:
    """Return the number of rising pairs minus the number of falling pairs (Kendall's S).

    >>> kendall_statistic([1.0, 3.0, 2.0, 4.0])
    4
    """
    array = np.asarray(values, dtype=float)
    later, earlier = np.tril_indices(len(array), -1)
    return int(np.sign(array[later] - array[earlier]).sum())


def increase_p(values: Sequence[float]) -> float | None:
    """Return the one-sided p-value of Kendall's test for an increasing sequence; None for fewer than five values.

    Up to 50 values it is exact, also with ties; above, the normal approximation with continuity correction.

    >>> round(increase_p([1, 2, 3, 4, 5]) * 120)
    1
    """
    n = len(values)
    if n < N_SIZES:
        return None
    statistic = kendall_statistic(values)
    ties = tuple(sorted(count for count in Counter(values).values() if count > 1))
    n_untied = comb(n, 2) - sum(comb(t, 2) for t in ties)
    if n <= LARGEST_EXACT:
        ways = _orders_by_inversions(n, ties)
        most = (n_untied - statistic) // 2  # inversions in orders with at least this statistic
        return sum(ways[: most + 1]) / sum(ways)
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    if variance == 0:
        return 1.0
    return 0.5 * erfc((statistic - 1) / sqrt(2 * variance))


def sign_test_p(wins: int, losses: int) -> float:
    """Return the one-sided p-value of the sign test for the side that won more often.

    Draws are not counted.

    >>> sign_test_p(7, 0) == 1 / 128
    True
    """
    if wins < 0 or losses < 0:
        raise CasebaseError(f"Numbers of wins and losses are not negative; got {wins} and {losses}.")
    n = wins + losses
    n_outcomes: int = 2**n
    return sum(comb(n, k) for k in range(max(wins, losses), n + 1)) / n_outcomes


@lru_cache(maxsize=256)
def _orders_by_inversions(n: int, ties: tuple[int, ...]) -> tuple[int, ...]:
    """Return how many orders of n values have 0, 1, 2, … inversions; `ties` are the sizes of groups of equal values.

    The generating function is the q-multinomial coefficient: the product of (1 - q)(1 - q²)…(1 - qⁿ), divided by the
    same product for each group.
    """
    ways = [1]
    for size in range(2, n + 1):
        ways = _times(ways, size)
    for group in ties:
        for size in range(2, group + 1):
            ways = _over(ways, size)
    return tuple(ways)


def _times(ways: list[int], size: int) -> list[int]:
    """Return the product with 1 + q + … + q^(size - 1)."""
    product, window = [], 0
    for i in range(len(ways) + size - 1):
        window += (ways[i] if i < len(ways) else 0) - (ways[i - size] if i >= size else 0)
        product.append(window)
    return product


def _over(ways: list[int], size: int) -> list[int]:
    """Return the quotient by 1 + q + … + q^(size - 1), which divides it."""
    quotient: list[int] = []
    window = 0  # the last size - 1 coefficients of the quotient
    for i in range(len(ways) - size + 1):
        quotient.append(ways[i] - window)
        window += quotient[-1] - (quotient[i - size + 1] if i >= size - 1 else 0)
    return quotient
