"""The scratch folder: the files between the stages of a run, and what is needed to resume it."""

import errno
import json
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from casebase.base.lock import lock_file
from casebase.errors import CasebaseError
from casebase.leftovers import UNFINISHED
from casebase.scale.stored import write_whole

NAME = "casebase-scratch"
MANIFEST = "manifest.json"
REMOVED = ".removed"
Identity = dict[str, object]


@contextmanager
def scratch_folder(output: Path, given: Path | None, identity: Identity) -> Iterator[Path]:
    """Yield the folder for the files of one run.

    By default it is a new one beside the output, and is removed in the end whatever happens. In a folder that is given,
    the files stay if the run does not come to its end, and the same one goes on where it stopped.
    """
    if given is None:
        beside = output.parent.resolve()
        folder = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".scratch", dir=beside))
        UNFINISHED.add(folder)
        try:
            yield folder
        finally:
            _remove(folder)
            UNFINISHED.discard(folder)
        return
    folder = folder_in(given)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CasebaseError(f"Cannot use {given} as the scratch folder: {error.strerror or error}.") from None
    with lock_file(folder, "casebase"):
        for left in folder.parent.glob(f"{NAME}.*{REMOVED}"):  # by a process that was killed while it removed them
            shutil.rmtree(left, ignore_errors=True)
        folder.mkdir(exist_ok=True)  # who had the lock before may have removed it
        _check_identity(folder, identity)
        yield folder
        _remove(folder)  # only if it came to its end


def folder_in(given: Path) -> Path:
    """Return the folder of the run in a scratch folder that is given, as all workers know it."""
    return given.resolve() / NAME


def _remove(folder: Path) -> None:
    """Remove a folder. Under another name first: a worker that is still busy then finds no place to write to."""
    removed = folder.with_name(f"{folder.name}.{secrets.token_hex(4)}{REMOVED}")
    try:
        os.rename(folder, removed)
    except OSError:  # Windows renames no folder with open files
        removed = folder
    UNFINISHED.add(removed)
    shutil.rmtree(removed, ignore_errors=True)
    UNFINISHED.discard(removed)


def identity_of(folder: Path) -> Identity | None:
    """Return what is done in a folder; None if nothing was begun there."""
    try:
        begun: Identity = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        return None
    return begun


def _check_identity(folder: Path, identity: Identity) -> None:
    """Write what is done, or compare it with what was begun in the folder."""
    manifest, text = folder / MANIFEST, json.dumps(identity, sort_keys=True, default=str)
    if not manifest.exists():
        if any(path.suffix != ".tmp" for path in folder.iterdir()):
            raise CasebaseError(f"{folder} has files of something else: name another scratch folder, or remove it.")
        write_whole(manifest, text.encode())
        return
    begun = identity_of(folder) or {}
    now: Identity = json.loads(text)
    changed = [name for name in now if begun.get(name) != now[name]]
    if changed:
        raise CasebaseError(
            f"{folder} has the files of another run, or of this one before a change (of {', '.join(changed)}): "
            "remove the folder to begin anew, or name another one with --scratch."
        )


def check_space(folder: Path, n_bytes: int, *names: str) -> None:
    """Raise an error unless there is room for files of these names; some may be there already."""
    free = shutil.disk_usage(folder).free
    there = sum(_on_disk(path.stat()) for name in names for path in folder.glob(name))
    if n_bytes - there > free:
        raise CasebaseError(
            f"The training needs some {size_of(n_bytes - there)} in {folder.parent}, and {size_of(free)} are free. "
            "Name a folder on a larger disk with --scratch."
        )


def _on_disk(status: os.stat_result) -> int:
    """Return how many bytes a file takes: one that is written in place has its size before its content."""
    return status.st_blocks * 512 if hasattr(status, "st_blocks") else status.st_size


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Say what is wrong with the disk."""
    try:
        yield
    except CasebaseError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise CasebaseError(
                f"The disk is full ({folder.parent}). Name a scratch folder on a larger one with --scratch."
            ) from error
        where = error.filename or folder
        raise CasebaseError(f"Cannot read or write {where}: {error.strerror or error}.") from error


def size_of(n_bytes: int) -> str:
    """Return a number of bytes for people.

    >>> size_of(1_500_000_000), size_of(20_000_000)
    ('1.5 GB', '20 MB')
    """
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{-(-n_bytes // 10**6)} MB"


UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def machine_memory() -> int:
    """Return the bytes of the machine's memory."""
    if sys.platform != "win32":
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    import ctypes

    class Status(ctypes.Structure):  # MEMORYSTATUSEX
        _fields_ = (
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            ("all", ctypes.c_uint64),
            ("others", ctypes.c_uint64 * 6),  # what is free, and the page file
        )

    status = Status(length=ctypes.sizeof(Status))
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        raise CasebaseError("Windows does not say how much memory it has. Give a size, such as memory='2GB'.")
    return int(status.all)


def memory_of(text: str | int | None) -> int:
    """Return a size such as "2GB" in bytes; half of the machine's memory if none is given.

    >>> memory_of("1.5 GB"), memory_of("512MiB")
    (1500000000, 536870912)
    """
    if text is None:
        return machine_memory() // 2
    if isinstance(text, int):
        return _checked(text, text)
    digits = text.strip().rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    unit = text.strip()[len(digits) :].lower()
    try:
        n_bytes = int(float(digits) * UNITS[unit])
    except (KeyError, ValueError, OverflowError):
        raise CasebaseError(f"Expected an amount of memory such as 2GB or 500MB, got {text!r}.") from None
    return _checked(n_bytes, text)


LEAST = 200_000_000  # bytes, of which the program takes 120 MB


def _checked(n_bytes: int, given: str | int) -> int:
    if n_bytes < LEAST:
        raise CasebaseError(f"Expected at least {LEAST // 10**6}MB of memory, got {given!r}.")
    return n_bytes
