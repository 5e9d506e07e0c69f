"""Mapped files that take no more memory than they should.

Pages of a mapped file stay in the memory of a process until the system needs them elsewhere. That harms nobody, but it
looks like a process that takes several gigabytes, and a limit on its memory may count them. So a thread gives them back
when there are too many; they are read again when they are needed.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from casebase.base.container import release

SECONDS = 0.05  # between two looks at the memory
STATUS = Path("/proc/self/status")


@contextmanager
def released(arrays: list[np.ndarray], limit: int) -> Iterator[None]:
    """Give the pages of mapped arrays back whenever this process has more than `limit` bytes of files in memory.

    Arrays may join the list later.
    """
    if not STATUS.exists():
        yield
        return
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(SECONDS):
            if bytes_of_files() > limit:
                for array in [*arrays]:
                    release(array, array)

    thread = threading.Thread(target=watch, name="casebase-pages", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def bytes_of_files() -> int:
    """Return how many bytes of mapped files are in the memory of this process."""
    for line in STATUS.read_text().splitlines():
        if line.startswith("RssFile:"):
            return int(line.split()[1]) * 1024
    return 0
