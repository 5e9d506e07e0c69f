"""Distance-weighted voting: the vote of a case at each distance, and the normalisation of votes to shares.

A vote function takes the distances of the neighbour groups of all queries, nearest first, and returns one factor per
group.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from casebase.data.checks import is_number
from casebase.errors import CasebaseError, unknown_name
from casebase.measures import functions

EPSILON = 2.0**-52
FAINT = 8.0  # beyond this exponent, exponential votes are scaled by the nearest group's vote


@dataclass(frozen=True)
class Decay:
    """The parameters of the exponential vote: exp(-alpha · distance ** beta)."""

    alpha: float = 1.0
    beta: float = 1.0


def _nearest(numbers: np.ndarray, n_groups: np.ndarray) -> np.ndarray:
    """Return for each group the number of the first group of the same query."""
    n_groups = n_groups.astype(np.int64)
    return np.repeat(numbers[np.cumsum(n_groups) - n_groups], n_groups)


def equal(distances: np.ndarray, n_groups: np.ndarray, decay: Decay) -> np.ndarray:
    """Return the same factor for all groups, whatever their distance."""
    return np.ones(len(distances))


def inverse_distance(distances: np.ndarray, n_groups: np.ndarray, decay: Decay) -> np.ndarray:
    """Return the inverse of the distance, or 1 if even the nearest group is infinitely far.

    >>> inverse_distance(np.array([0.5, 2.0, np.inf]), np.array([2, 1]), Decay()).round(4).tolist()
    [2.0, 0.5, 1.0]
    """
    return np.where(np.isinf(_nearest(distances, n_groups)), 1.0, 1.0 / (distances + EPSILON))


def inverse_linear(distances: np.ndarray, n_groups: np.ndarray, decay: Decay) -> np.ndarray:
    """Return 1 for the nearest group, 0 for the farthest, in proportion between; 1 for a single group.

    >>> inverse_linear(np.array([1.0, 2.0, 5.0, 7.0]), np.array([3, 1]), Decay()).tolist()
    [1.0, 0.75, 0.0, 1.0]
    """
    n_groups = n_groups.astype(np.int64)
    end = np.cumsum(n_groups)
    first, last = np.repeat(distances[end - n_groups], n_groups), np.repeat(distances[end - 1], n_groups)
    factors = np.ones(len(distances))
    with np.errstate(invalid="ignore"):  # a single group that is infinitely far
        span = last - first
        np.divide(last - distances, span, out=factors, where=span > 0)
    return factors


def exponential(distances: np.ndarray, n_groups: np.ndarray, decay: Decay) -> np.ndarray:
    """Return exp(-alpha · distance ** beta), relative to the nearest group's vote if that is very small.

    Scaling all votes by one factor keeps their shares, and prevents all exponentials from underflowing to 0.

    >>> exponential(np.array([1000.0, 1001.0]), np.array([2]), Decay()).round(4).tolist()
    [1.0, 0.3679]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        exponents = decay.alpha * functions.power(distances, decay.beta)
        nearest = _nearest(exponents, n_groups)
        factors = functions.exp(np.where(nearest > FAINT, nearest, 0.0) - exponents)
    return np.where(np.isinf(nearest), 1.0, factors)


def exponential_above_zero(distances: np.ndarray, n_groups: np.ndarray, decay: Decay) -> np.ndarray:
    """Return TiMBL's exponential vote: exactly 0 becomes 2^-52, which may exceed the vote of a nearer group."""
    with np.errstate(over="ignore"):
        factors = functions.exp(-decay.alpha * functions.power(distances, decay.beta))
    return np.where(factors == 0.0, EPSILON, factors)


# name → function(distances of all groups in a row, number of groups per query, decay) → factor per group
VOTES: dict[str, Callable[[np.ndarray, np.ndarray, Decay], np.ndarray]] = {
    "equal": equal,
    "inverse_distance": inverse_distance,
    "inverse_linear": inverse_linear,
    "exponential": exponential,
}
VOTES_ABOVE_ZERO = VOTES | {"exponential": exponential_above_zero}


def checked_vote(vote: object) -> str:
    if not isinstance(vote, str) or vote not in VOTES:
        raise CasebaseError(unknown_name("vote", vote, VOTES))
    return vote


def checked_decay(alpha: object, beta: object) -> Decay:
    return Decay(_checked_positive("decay_alpha", alpha), _checked_positive("decay_beta", beta))


def _checked_positive(name: str, value: object) -> float:
    if not is_number(value) or not 0 < value < np.inf:
        raise CasebaseError(f"{name} is a positive number; got {value!r}.")
    return float(value)


NORMALISATIONS = ("smoothed", "probability", "log_probability")
Normalisation = str | float


def checked_normalisation(normalisation: object) -> Normalisation:
    """Return how votes become shares, after checking it."""
    if isinstance(normalisation, str) and normalisation in NORMALISATIONS:
        return normalisation
    if is_number(normalisation) and 0 < normalisation < np.inf:
        return float(normalisation)
    raise CasebaseError(
        f"normalisation is one of {', '.join(NORMALISATIONS)}, or a positive number to add to the votes of "
        f"every class; got {normalisation!r}."
    )


def shares(votes: np.ndarray, normalisation: Normalisation = "probability") -> np.ndarray:
    """Return votes, one row per case and one column per class, as rows that sum to 1.

    Smoothing needs the answers to held-out cases (see `measures.smoothing`): here "smoothed" shares are the raw ones.

    >>> shares(np.array([[3.0, 1.0, 0.0]])).tolist()
    [[0.75, 0.25, 0.0]]
    >>> shares(np.array([[3.0, 1.0, 0.0]]), 1.0).round(3).tolist()
    [[0.571, 0.286, 0.143]]
    """
    if normalisation == "log_probability":
        votes = functions.log1p(votes)
    elif not isinstance(normalisation, str):
        votes = votes + normalisation
    normalised: np.ndarray = votes / votes.sum(axis=1, keepdims=True)
    return normalised
