"""The logarithmic opinion pool: a product of opinions, with exponents that fit held-out answers best.

Reference: Genest and Zidek, "Combining probability distributions: a critique and an annotated bibliography" (1986).
"""

from dataclasses import dataclass

import numpy as np

from casebase import _native
from casebase.measures import functions

FLOOR = 1e-6  # the smallest share that counts: an opinion cannot exclude a class


@dataclass(frozen=True, eq=False)
class Pool:
    """One exponent per opinion, and one bias per class."""

    exponents: np.ndarray
    bias: np.ndarray

    def shares(self, opinions: np.ndarray, n_jobs: int = 1) -> np.ndarray:
        """Return the shares of the classes from logarithms: one row per case, then class, then opinion."""
        shares: np.ndarray = _native.pool_shares(opinions, self.exponents, self.bias, n_jobs)
        return shares.reshape(opinions.shape[:2])


def as_opinions(shares: list[np.ndarray]) -> np.ndarray:
    """Return the shares of several readings as opinions: logarithms, none below that of FLOOR."""
    return np.ascontiguousarray(functions.log(np.maximum(np.stack(shares, axis=2), FLOOR)))


def fit_pool(
    opinions: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None,
    start: np.ndarray,
    strength: float,
    *,
    with_bias: bool = False,
    n_jobs: int = 1,
) -> Pool:
    """Return the exponents, none below 0, with the least log loss on these cases.

    The penalty `strength` draws them towards `start`, as if so many cases had spoken for it.
    """
    from scipy.optimize import minimize

    n_opinions, n_classes = len(start), opinions.shape[1]
    start = np.concatenate([start, np.zeros(n_classes)])
    labels = labels.astype(np.uint32)
    no_bias = np.zeros(n_classes)

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        bias = parameters[n_opinions:] if with_bias else no_bias
        value, slope = _native.pool_loss(opinions, labels, weights, parameters[:n_opinions].copy(), bias.copy(), n_jobs)
        away = parameters - start[: len(parameters)]
        return value + strength * float(away @ away) / 2, slope[: len(parameters)] + strength * away

    n = n_opinions + (n_classes if with_bias else 0)
    bounds = [(0.0, None)] * n_opinions + [(None, None)] * (n - n_opinions)
    found = minimize(loss, start[:n], jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 100})
    best = functions.on_grid(found.x)
    return Pool(best[:n_opinions].copy(), best[n_opinions:].copy() if with_bias else no_bias)


def log_loss(shares: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Return the mean log loss of shares, none below FLOOR."""
    losses = -functions.log(np.maximum(shares[np.arange(len(labels)), labels], FLOOR))
    return float(np.average(losses, weights=weights))
