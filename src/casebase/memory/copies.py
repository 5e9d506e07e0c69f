"""Weighted cases as copies, for what holds single cases out: a case of weight 3 is three."""

from dataclasses import replace

import numpy as np

from casebase.data import Cases

MOST_COPIES = 4  # times the number of cases: whole weights up to here are counted as copies


def as_copies(cases: Cases) -> tuple[Cases, float]:
    """Return cases without weights: a case of weight 3 becomes three; and the weight that counts as one case.

    Weights that are not whole numbers stay weights.
    """
    weights = cases.weights
    if weights is None:
        return cases, 1.0
    if (weights == np.round(weights)).all() and weights.sum() <= MOST_COPIES * cases.n_cases + 1_000:
        rows = np.repeat(np.arange(cases.n_cases), weights.astype(np.int64))
        return replace(cases.take(rows).with_weights(None), ids=None), 1.0
    return cases, float(weights.mean())
