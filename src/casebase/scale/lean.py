"""Mapped files that take no more memory than they should.

Pages of a mapped file stay in the memory of a process until the system needs them elsewhere. That harms nobody, but it
looks like a process that takes several gigabytes, and a limit on its memory may count them. So a thread gives them back
when there are too many; they are read again when they are needed. Where a task goes through so many pages that the
thread may come too late, it gives them back itself.
"""

import mmap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from casebase.base.container import release

# Between two looks at the memory: a search by two threads touches up to a gigabyte of pages in ten milliseconds.
SECONDS = 0.001
IDLE = 0.05  # the same while nothing is mapped, or this process only waits for others
SIZES = Path("/proc/self/statm")  # in pages
_waiting = threading.Event()
_mapped: dict[
    int, tuple[list[np.ndarray], int]
] = {}  # by context: the arrays whose pages are given back, and the limit


@contextmanager
def waiting() -> Iterator[None]:
    """Look less often while this process waits for others: looking takes some percent of a core."""
    _waiting.set()
    try:
        yield
    finally:
        _waiting.clear()


@contextmanager
def released(arrays: list[np.ndarray], limit: int) -> Iterator[None]:
    """Give the pages of mapped arrays back whenever this process has more than `limit` bytes of files in memory.

    Arrays may join the list later.
    """
    if not SIZES.exists():
        yield
        return
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(SECONDS if arrays and not _waiting.is_set() else IDLE):
            _release(arrays, limit)

    thread = threading.Thread(target=watch, name="casebase-pages", daemon=True)
    thread.start()
    _mapped[id(is_over)] = arrays, limit
    try:
        yield
    finally:
        del _mapped[id(is_over)]
        is_over.set()
        thread.join()


def give_back() -> None:
    """Give pages of mapped arrays back now, if there are too many."""
    for arrays, limit in list(_mapped.values()):
        _release(arrays, limit)


def _release(arrays: list[np.ndarray], limit: int) -> None:
    if arrays and bytes_of_files() > limit:
        for array in [*arrays]:
            release(array, array)


def bytes_of_files() -> int:
    """Return how many bytes of mapped files are in the memory of this process; 0 where the system does not say."""
    if not SIZES.exists():
        return 0
    _, _, shared, *_ = SIZES.read_text().split()
    return int(shared) * mmap.PAGESIZE
