"""How much the cases at each distance count.

A vote is a function from the distances of one query's groups, nearest first, to a factor per group.
"""

from collections.abc import Callable

import numpy as np

from casebase.errors import CasebaseError, unknown_name


def equal(distances: np.ndarray, n_groups: np.ndarray) -> np.ndarray:
    """Every case counts the same, however far it is."""
    return np.ones(len(distances))


# name → function(distances of all groups in a row, number of groups per query) → factor per group
VOTES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"equal": equal}


def vote_named(vote: str) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    if not isinstance(vote, str) or vote not in VOTES:
        raise CasebaseError(unknown_name("vote", vote, VOTES))
    return VOTES[vote]
