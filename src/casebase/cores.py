"""How many threads this process may run at once."""

import os


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system; knows of cores that were taken away
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
