"""Is a sequence only chance, does it rise, does one side win? Three tests that ask for no distribution of the values.

References: Chatfield, "The analysis of time series" (1984); Kendall, "Rank correlation methods" (1962); Gibbons,
"Nonparametric statistical inference" (1971).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import comb, erfc, sqrt

import numpy as np

from casebase.errors import CasebaseError

N_SIZES = 5  # fewer values cannot rise significantly: 5 in order have p = 1/120
LARGEST_EXACT = 50  # longer sequences get the normal approximation
OUTSIDE = 1.96  # standard errors: a 95 % interval
SHARE = 0.05  # a sequence with fewer autocorrelations outside looks like chance


def autocorrelations(marks: np.ndarray, n_lags: int | None = None) -> np.ndarray:
    """Return the correlation of a sequence with itself, shifted by 1, 2, … places, for a quarter of all shifts.

    A sequence that never changes has none: the result is NaN. It costs O(n log n), by way of the spectrum.

    >>> autocorrelations(np.array([0, 1, 0, 1, 0, 1, 0, 1])).round(3).tolist()
    [-0.875, 0.75]
    """
    values = np.asarray(marks, dtype=float)
    n = len(values)
    n_lags = n // 4 if n_lags is None else n_lags
    if not 0 <= n_lags <= max(n - 1, 0):
        raise CasebaseError(f"A sequence of {n} can be shifted by at most {max(n - 1, 0)} places; got {n_lags}.")
    centred = values - values.mean() if n else values
    variance = float((centred * centred).sum())  # not as a product of vectors: that wakes the threads of BLAS
    if variance <= 1e-12 * n:
        return np.full(n_lags, np.nan)
    length = 1 << (n + n_lags - 1).bit_length()  # so long that the end does not meet the beginning
    spectrum = np.fft.rfft(centred, length)
    products = np.fft.irfft(spectrum.real**2 + spectrum.imag**2, length)
    return products[1 : n_lags + 1] / variance


def share_outside(marks: np.ndarray) -> float | None:
    """Return the share of autocorrelations that lie outside ±1.96/√n; None where there are none.

    There are none if the sequence never changes or is shorter than four.

    >>> share_outside(np.array([0, 0, 0, 0, 1, 1, 1, 1] * 4))
    0.625
    """
    found = autocorrelations(marks)
    if not len(found) or np.isnan(found[0]):
        return None
    return float(np.mean(np.abs(found) > OUTSIDE / sqrt(len(marks))))


def kendall_statistic(values: Sequence[float]) -> int:
    """Return how many pairs rise, less how many fall.

    >>> kendall_statistic([1.0, 3.0, 2.0, 4.0])
    4
    """
    array = np.asarray(values, dtype=float)
    later, earlier = np.tril_indices(len(array), -1)
    return int(np.sign(array[later] - array[earlier]).sum())


def increase_p(values: Sequence[float]) -> float | None:
    """Return how probable so much rise is if all orders of the values are equally likely; None for fewer than five.

    Exact, also for equal values, up to 50 of them; by the normal distribution, with continuity correction, beyond.

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
        most = (n_untied - statistic) // 2  # inversions that leave at least this statistic
        return sum(ways[: most + 1]) / sum(ways)
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    if variance == 0:
        return 1.0
    return 0.5 * erfc((statistic - 1) / sqrt(2 * variance))


def sign_test_p(wins: int, losses: int) -> float:
    """Return how probable it is that a fair coin favours one side, named before, at least so much.

    The side is the one that won more often. Draws are left out before.

    >>> sign_test_p(7, 0) == 1 / 128
    True
    """
    if wins < 0 or losses < 0:
        raise CasebaseError(f"Wins and losses are counted from 0; got {wins} and {losses}.")
    n = wins + losses
    return sum(comb(n, k) for k in range(max(wins, losses), n + 1)) / 2**n


@lru_cache(maxsize=256)
def _orders_by_inversions(n: int, ties: tuple[int, ...]) -> tuple[int, ...]:
    """Return how many orders of n values have 0, 1, 2, … inversions; `ties` are the sizes of groups of equal values.

    The generating function is the q-multinomial coefficient: (1 - q)(1 - q²)…(1 - qⁿ) over the same for each group.
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
