"""Progress reports of long tasks."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int], object]  # called with the amount done and the total


def note(progress: Progress | None, text: str) -> None:
    """Report what a task has found so far, if the progress function has a method `note` to show it.

    >>> note(print, "3 errors so far")  # a plain function shows the amount alone
    """
    show: Callable[[str], object] | None = getattr(progress, "note", None)
    if show is not None:
        show(text)


@dataclass(frozen=True)
class Part:
    """The progress of a part of a task, reported as the progress of the whole."""

    whole: Progress
    n_before: int
    total: int

    def __call__(self, done: int, _: int) -> None:
        self.whole(self.n_before + done, self.total)

    def note(self, text: str) -> None:
        note(self.whole, text)


def part_of(progress: Progress | None, n_before: int, total: int) -> Progress | None:
    """Return the progress function for a part of a task that begins after `n_before` of `total` steps.

    >>> part_of(lambda done, total: print(done, "of", total), 10, 30)(5, 20)
    15 of 30
    """
    return None if progress is None else Part(progress, n_before, total)
