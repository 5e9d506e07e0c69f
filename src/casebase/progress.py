"""Progress reports of long tasks."""

from collections.abc import Callable

Progress = Callable[[int, int], object]  # called with the amount done and the total


def part_of(progress: Progress | None, n_before: int, total: int) -> Progress | None:
    """Return the progress function for a part of a task that begins after `n_before` of `total` steps.

    >>> part_of(lambda done, total: print(done, "of", total), 10, 30)(5, 20)
    15 of 30
    """
    if progress is None:
        return None
    return lambda done, _: progress(n_before + done, total)
