"""Logarithms, exponentials and powers with the same bits on every machine, for what is stored in model files.

NumPy chooses among several programs for these functions by the processor, and the results differ in the last bit; so do
the libraries of different systems. These ones are sums, products and quotients alone (`core/functions.hpp`), within
0.53 units in the last place. They take arrays of any shape, and numbers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from casebase import _native

GRID = 2.0**30


def log(numbers: Any) -> Any:
    """Return natural logarithms; minus infinity for 0, not a number below it.

    >>> log(np.array([1.0, 0.0])).tolist()
    [0.0, -inf]
    """
    return _each(_native.log, numbers)


def log2(numbers: Any) -> Any:
    """Return binary logarithms; those of powers of two are exact.

    >>> log2(np.array([8.0, 0.5])).tolist(), log2(1024)
    ([3.0, -1.0], 10.0)
    """
    return _each(_native.log2, numbers)


def log1p(numbers: Any) -> Any:
    """Return log(1 + x), exact to the last places for small x too."""
    return _each(_native.log1p, numbers)


def exp(numbers: Any) -> Any:
    """Return e to the power of numbers.

    >>> exp(np.array([[0.0], [-1000.0]])).tolist()
    [[1.0], [0.0]]
    """
    return _each(_native.exp, numbers)


def power(numbers: Any, exponent: float) -> Any:
    """Return numbers, none below 0, to the power of an exponent.

    >>> power(np.array([4.0, 9.0]), 0.5).tolist(), power(2.0, 10.0)
    ([2.0, 3.0], 1024.0)
    """
    return _each(lambda flat: _native.power(flat, float(exponent)), numbers)


def on_grid(numbers: np.ndarray) -> np.ndarray:
    """Return numbers rounded to multiples of 2^-30, for what an optimiser has found.

    Its sums of products depend on the processor too. That changes the last of some 15 digits; of the nine that are
    kept, one number in a million at most, where the processors' results lie on both sides of a boundary.

    >>> on_grid(np.array([0.5, 1 / 3])).tolist()
    [0.5, 0.3333333330228925]
    """
    rounded: np.ndarray = np.rint(numbers * GRID) / GRID
    return rounded


def _each(function: Callable[[np.ndarray], np.ndarray], numbers: Any) -> Any:
    array = np.asarray(numbers, dtype=np.float64)
    results = function(np.ascontiguousarray(array).reshape(-1)).reshape(array.shape)
    return float(results) if array.ndim == 0 else results
