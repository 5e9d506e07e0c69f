"""Files that are seen only when they are complete, and what no end of this process may leave of them."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

UNFINISHED: set[Path] = set()


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a name to write to, beside a file; it replaces the file at the end, and an error leaves nothing of it.

    What is no file, such as a pipe or /dev/null, is written to as it is.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        yield Path(path)
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.parent / f".{target.name}.{secrets.token_hex(4)}.tmp"
    UNFINISHED.add(temporary)
    try:
        yield temporary
        copy_permissions(target, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
        UNFINISHED.discard(temporary)


def copy_permissions(source: Path, target: Path) -> None:
    """Give a new file the permissions of the one that it will replace, if there is one."""
    # Windows replaces no file that is read-only, and deletes none: a copy of it could not be taken away any more.
    if os.name == "posix" and source.exists():
        target.chmod(source.stat().st_mode & 0o777)


def remove_unfinished() -> None:
    """Remove all unfinished files, and folders of temporary ones; for a process that ends at once."""
    for path in tuple(UNFINISHED):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
            continue
        with suppress(OSError):
            path.unlink(missing_ok=True)
