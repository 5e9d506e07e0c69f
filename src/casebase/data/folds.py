"""Which cases are held out together."""

import numpy as np

from casebase.data.checks import is_whole
from casebase.errors import CasebaseError


def folds(labels: np.ndarray, n_folds: int, seed: int = 0, *, of: str = "cases") -> np.ndarray:
    """Return the fold of each case: shuffled, with each class spread evenly over the folds.

    `of` is what the cases are, for the message.

    >>> folds(np.array([0, 0, 1, 1]), 2).reshape(2, 2).sum(axis=1).tolist()
    [1, 1]
    """
    if not 2 <= n_folds <= len(labels):
        raise CasebaseError(
            f"The number of folds must lie between 2 and the number of {of} ({len(labels)}); got {n_folds}."
        )
    shuffled = np.random.default_rng(checked_seed(seed)).permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    fold = np.empty(len(labels), dtype=np.int64)
    fold[by_class] = np.arange(len(labels)) % n_folds
    return fold


def checked_seed(random_state: object) -> int:
    """Return where chance begins, after checking."""
    if not is_whole(random_state, 0):
        raise CasebaseError(f"random_state is a whole number, 0 or more, where chance begins; got {random_state!r}.")
    return int(random_state)
