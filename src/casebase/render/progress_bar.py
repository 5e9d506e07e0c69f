"""A bar on a terminal while long work goes on; nothing in a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress_bar(label: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Give a function that moves a bar forward by so much."""
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(label, total=total)
        yield lambda n: progress.advance(task, n)


@contextmanager
def progress_to(label: str, *, shown: bool = True) -> Iterator[Callable[[int, int], None]]:
    """Give a function that says how much is done, of how much at most."""
    show = shown and sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=not show) as progress:
        task = progress.add_task(label, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
