"""Nonconformity scores of answers: 1 minus the probability of a class."""

import numpy as np

from casebase.base.calibration import NO_CLASS


def probability_scores(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return 1 minus the probability of each case's class; infinite for a class that the model does not know."""
    known = labels != NO_CLASS
    scores = np.full(len(labels), np.inf)
    scores[known] = 1.0 - probabilities[np.flatnonzero(known), labels[known]]
    return scores
