"""The number of threads that a process may run."""

import os
import sys

from casebase.data.checks import is_whole
from casebase.errors import CasebaseError

MAX_THREADS = 1024


def n_cores() -> int:
    """Return the number of cores available to this process; 1 in a browser, where there are no threads."""
    if sys.platform == "emscripten":
        return 1
    if hasattr(os, "sched_getaffinity"):  # not on every system; respects limits set for this process
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads meant by scikit-learn's `n_jobs`.

    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs, at_most=MAX_THREADS) or n_jobs == 0:
        raise CasebaseError(f"n_jobs is a number of threads, or -1 for all; got {n_jobs!r}.")
    return int(n_jobs) if n_jobs > 0 else max(1, n_cores() + 1 + int(n_jobs))
