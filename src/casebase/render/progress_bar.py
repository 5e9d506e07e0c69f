"""A progress bar for long tasks, shown only on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from rich import progress as bars
from rich.console import Console
from rich.markup import escape

from casebase.render.words import printable


@dataclass(frozen=True)
class Bar:
    """A progress function that moves a bar; a note stands after the bar's label."""

    display: bars.Progress
    task: bars.TaskID
    label: str

    def __call__(self, done: int, total: int) -> None:
        self.display.update(self.task, completed=done, total=total)

    def note(self, text: str) -> None:
        self.display.update(self.task, description=escape(printable(f"{self.label}: {text}")))


@contextmanager
def progress_bar(label: str, total: int | None = None, *, shown: bool = True) -> Iterator[Bar]:
    """Yield a function that updates the bar."""
    show = shown and sys.stderr.isatty()
    bar = bars.Progress(console=Console(stderr=True), transient=True, disable=not show)
    with bar if show else nullcontext():  # rich 13.0 ends a bar with an empty line where there is no terminal
        yield Bar(bar, bar.add_task(label, total=total), label)
