"""Folds for cross-validation, stratified by class."""

import numpy as np

from casebase.data.checks import is_whole
from casebase.errors import CasebaseError


def folds(labels: np.ndarray, n_folds: int, seed: int = 0, *, of: str = "cases") -> np.ndarray:
    """Return the fold of each case: shuffled, with each class spread evenly over the folds.

    `of` is the plural noun for the cases in the error message.

    >>> folds(np.array([0, 0, 1, 1]), 2).reshape(2, 2).sum(axis=1).tolist()
    [1, 1]
    """
    if not 2 <= n_folds <= len(labels):
        raise CasebaseError(
            f"The number of folds must lie between 2 and the number of {of} ({len(labels)}); got {n_folds}."
        )
    shuffled = np.random.default_rng(checked_seed(seed)).permutation(len(labels))
    # Deal the shuffled cases to the folds class by class, as cards are dealt: this spreads each class evenly.
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    fold = np.empty(len(labels), dtype=np.int64)
    fold[by_class] = np.arange(len(labels)) % n_folds
    return fold


def checked_seed(random_state: object) -> int:
    """Return the seed of a random number generator, after checking it."""
    if not is_whole(random_state, 0):
        raise CasebaseError(f"random_state is a whole number of at least 0, the random seed; got {random_state!r}.")
    return int(random_state)
