"""Weights of cases, and exemplar weights: checked, and rounded so that sums are exact."""

from math import fsum, inf
from typing import Any

import numpy as np

from casebase.errors import CasebaseError

SMALLEST_TOTAL, LARGEST_TOTAL = 1e-3, 1e13  # of case weights


def exemplar_weights(exemplars: Any, n_cases: int) -> np.ndarray:
    """Return the exemplar weights, after checking."""
    array = np.asarray(exemplars, dtype=float)
    if array.shape != (n_cases,):
        raise CasebaseError(f"Expected one exemplar weight per case: {n_cases} cases, weights of shape {array.shape}.")
    if not np.isfinite(array).all() or (array <= 0).any():
        raise CasebaseError("Exemplar weights must be finite and positive: distances are divided by them.")
    return array


def exact_weights(weights: Any, n_cases: int) -> np.ndarray:
    """Return case weights rounded to multiples of the last bits of their sum.

    This makes every partial sum exact, so that no answer depends on the order in which cases are counted.
    """
    array = np.asarray(weights, dtype=float)
    if array.shape != (n_cases,):
        raise CasebaseError(f"Expected one weight per case: {n_cases} cases, weights of shape {array.shape}.")
    if not np.isfinite(array).all() or (array < 0).any():
        raise CasebaseError("Case weights must be finite and not negative.")
    total = total_of(array)
    if total and not SMALLEST_TOTAL <= total <= LARGEST_TOTAL:
        raise CasebaseError(
            f"The case weights sum to {total:g}; the sum must lie between {SMALLEST_TOTAL:g} and {LARGEST_TOTAL:g} to "
            "be exact. Multiply all weights by one number: only their proportions matter."
        )
    return rounded_weights(array, total)


def rounded_and_given(weights: Any, n_cases: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return case weights that are exact, and those that were given if they are others."""
    exact, given = exact_weights(weights, n_cases), np.asarray(weights, dtype=float)
    return exact, None if np.array_equal(exact, given) else given


def total_of(weights: np.ndarray) -> float:
    """Return the sum of weights, correctly rounded: it does not depend on their order."""
    try:
        return fsum(weights)
    except OverflowError:
        return inf


def rounded_weights(weights: np.ndarray, total: float) -> np.ndarray:
    """Return case weights rounded to multiples of `weight_grid(total)`; no weight is rounded to 0."""
    grid = weight_grid(total)
    return np.where(weights > 0, np.maximum(np.round(weights / grid), 1.0), 0.0) * grid


def weight_grid(total: float) -> float:
    """Return the step of which case weights with this total are multiples."""
    # Twice the last bit of the total, because rounding may lift the sum past the next power of two.
    return 2.0 * float(np.spacing(total))
