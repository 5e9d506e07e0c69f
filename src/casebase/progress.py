"""How long work reports what is done."""

from collections.abc import Callable

Progress = Callable[[int, int], object]  # so much is done, of so much in all


def part_of(progress: Progress | None, n_before: int, total: int) -> Progress | None:
    """Return the progress of a part of some work, before which `n_before` of `total` were done.

    >>> part_of(lambda done, total: print(done, "of", total), 10, 30)(5, 20)
    15 of 30
    """
    if progress is None:
        return None
    return lambda done, _: progress(n_before + done, total)
