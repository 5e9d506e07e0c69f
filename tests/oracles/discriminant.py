"""Regularised discriminant analysis (Friedman, 1989), with covariances computed anew for every answer.

The scatter of a class is (1 - shrinkage) × its own + shrinkage × that of all classes + ridge × identity, divided by
the weights in the same proportion.
"""

from __future__ import annotations

import numpy as np

FAR = 20.0


def point(numbers, symbols, of_numbers, of_values) -> np.ndarray:
    """Return a case as a point: standardised numbers, 0 if missing, then 0 or 1 / scale for each value."""
    place = []
    for feature, centre, scale in of_numbers:
        x = numbers[feature]
        place.append(0.0 if np.isnan(x) else min(max((x - centre) / scale, -FAR), FAR))
    for feature, value, scale in of_values:
        place.append(1 / scale if symbols[feature] == value else 0.0)
    return np.array(place)


def log_densities(x, points, labels, weights, n_classes: int, shrinkage: float, ridge: float) -> np.ndarray:
    """Return the logarithm of the frequency of each class times its density at a point; -inf without cases."""
    n = points.shape[1]
    scatters, totals, means = [], [], []
    for c in range(n_classes):
        mine, w = points[labels == c], weights[labels == c]
        totals.append(w.sum())
        means.append(np.average(mine, axis=0, weights=w) if len(mine) else np.zeros(n))
        away = mine - means[c]
        scatters.append((w[:, None] * away).T @ away)
    logs = np.full(n_classes, -np.inf)
    for c in range(n_classes):
        if totals[c] > 0:
            scatter = (1 - shrinkage) * scatters[c] + shrinkage * sum(scatters) + ridge * np.eye(n)
            covariance = scatter / ((1 - shrinkage) * totals[c] + shrinkage * sum(totals) + ridge)
            away = x - means[c]
            squares = away @ np.linalg.solve(covariance, away)
            logs[c] = np.log(totals[c] / sum(totals)) - (np.linalg.slogdet(covariance)[1] + squares) / 2
    return logs


def shares(logs: np.ndarray, sharpness: float) -> np.ndarray:
    """Return shares in proportion to a power of the densities."""
    powers = np.exp(sharpness * (logs - logs.max()))
    return powers / powers.sum()
