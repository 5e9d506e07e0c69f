"""A progress bar for long tasks, shown only on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console

from casebase.progress import Progress


@contextmanager
def progress_bar(label: str, total: int | None = None, *, shown: bool = True) -> Iterator[Progress]:
    """Yield a function that updates the bar."""
    show = shown and sys.stderr.isatty()
    with bars.Progress(console=Console(stderr=True), transient=True, disable=not show) as bar:
        task = bar.add_task(label, total=total)

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield progress
