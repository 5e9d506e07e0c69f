"""Unfinished files of this process, which no end of it may leave behind."""

from contextlib import suppress
from pathlib import Path

UNFINISHED: set[Path] = set()


def remove_unfinished() -> None:
    """Remove all unfinished files; for a process that ends at once."""
    for path in tuple(UNFINISHED):
        with suppress(OSError):
            path.unlink(missing_ok=True)
