"""Progress reports of long tasks."""

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PACKAGE = str(Path(__file__).parent)

Progress = Callable[[int, int], object]  # called with the amount done and the total

LONG = 2.0  # seconds of a task after which an estimate is shown
VERY_LONG = 60.0  # seconds ahead that a warning announces


def note(progress: object, text: str) -> None:
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


class Estimate:
    """How long a task may take yet, from the shares that are done: a note beside the progress after two seconds.

    If more than a minute is ahead, it warns once: not everyone has a progress display. `shown` and `warning` are the
    texts; `{seconds}` stands for the estimate. The clock starts at the first share that is reported: what a task
    prepares before is done once.

    >>> times = iter([5.0, 8.0])
    >>> class Shown:
    ...     def note(self, text): print(text)
    >>> estimate = Estimate(Shown(), "about {seconds} s left", "", lambda: next(times))
    >>> estimate(0.1), estimate(0.25)
    about 15 s left
    (None, None)
    """

    def __init__(self, progress: object, shown: str, warning: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.progress, self.shown, self.warning, self.clock = progress, shown, warning, clock
        self.start: tuple[float, float] | None = None  # the time and the share of the first report
        self.has_warned = False

    def __call__(self, share: float) -> None:
        now = self.clock()
        if self.start is None:
            self.start = now, share
        taken, done = now - self.start[0], share - self.start[1]
        if taken < LONG or done <= 0 or share >= 1:
            return
        left = taken * (1 - share) / done
        note(self.progress, self.shown.format(seconds=f"{left:,.0f}"))
        if left > VERY_LONG and not self.has_warned:
            self.has_warned = True
            warn_user(self.warning.format(seconds=f"{left:,.0f}"))


def warn_user(message: str) -> None:
    """Warn, and show the line outside casebase that led here."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
