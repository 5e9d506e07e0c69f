"""An exclusive lock on a model file, so that no correction of it is lost.

Who wants to change `nouns.cb` locks `nouns.cb.lock` from reading it to replacing it. The system releases the lock when
the process ends, however it ends. The lock file says who has it, for the message to others, and is deleted with the
release.
"""

import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from casebase.errors import CasebaseError, LockedError
from casebase.leftovers import UNFINISHED

SUFFIX = ".lock"
JOURNAL = ".journal"  # the suffix of confirmed corrections that are not in the model file yet; see `serve`
POLL = 0.05  # seconds between two attempts
SERVER = "a server"  # the holder that can be asked to make the correction itself
FAR = 2**30  # Windows locks bytes, and others cannot read them: lock one after the text


@dataclass(frozen=True)
class Holder:
    """Who has a lock: the process, what it is doing, and the address of a server."""

    process: int
    what: str
    address: str | None = None

    def refusal(self, path: Path) -> str:
        """Return the message for others."""
        if self.what == SERVER:
            where = f" ({self.address})" if self.address else ""
            return f"A server (process {self.process}) has {path}; correct it there{where}, or stop it."
        return f"`{self.what}` (process {self.process}) is changing {path}. Nothing was changed; try again later."


_HELD: dict[Path, int] = {}  # the files of which a process has the lock, which is not asked for twice


class FileLock:
    """The lock on a model file, which this process has; a context manager releases it."""

    def __init__(self, path: Path, lock: Path, handle: int, holder: Holder) -> None:
        self.path, self._lock, self._handle, self.holder = path, lock, handle, holder
        UNFINISHED.add(lock)

    def announce(self, holder: Holder) -> None:
        """Tell others who has the lock."""
        self.holder = holder
        text = json.dumps(asdict(holder)).encode()
        os.ftruncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, text)

    def release(self) -> None:
        """Let others have the file; a second call does nothing."""
        if self._handle < 0:
            return
        handle, self._handle = self._handle, -1
        _HELD.pop(self.path, None)
        # Deleted while it is locked: who opened it before finds, when he gets the lock, that it is not there any more.
        with suppress(OSError):  # Windows deletes no open file, and then it stays
            os.unlink(self._lock)
        UNFINISHED.discard(self._lock)
        os.close(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def lock_file(path: str | os.PathLike[str], what: str, *, address: str | None = None, seconds: float = 0.0) -> FileLock:
    """Return the lock on a model file, which need not exist; an error if another process keeps it for some seconds."""
    real = Path(os.path.realpath(path))
    lock = real.with_name(real.name + SUFFIX)
    deadline = time.monotonic() + seconds
    while True:
        handle = _opened(lock)
        if _is_locked(handle, lock):
            if _is_same(handle, lock):
                break
            os.close(handle)  # its holder has deleted it: lock the new one
            continue
        holder = _holder(handle)
        os.close(handle)
        # A server has a file for days: there is no use in waiting for it.
        if time.monotonic() >= deadline or (holder is not None and holder.what == SERVER):
            raise LockedError(f"Another process is changing {path}." if holder is None else holder.refusal(Path(path)))
        time.sleep(POLL)
    locked = FileLock(real, lock, handle, Holder(os.getpid(), what, address))
    try:
        locked.announce(locked.holder)
    except OSError as error:  # the disk is full
        locked.release()
        raise CasebaseError(f"Cannot lock {lock}: {error.strerror or error}.") from error
    _HELD[real] = os.getpid()
    return locked


def is_held(path: str | os.PathLike[str]) -> bool:
    """Return whether this process has the lock on a model file."""
    return _HELD.get(Path(os.path.realpath(path))) == os.getpid()


def _opened(lock: Path) -> int:
    try:
        return os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise CasebaseError(f"Cannot lock {lock}: {error.strerror or error}.") from error


def _is_same(handle: int, lock: Path) -> bool:
    """Return whether an open lock file is still the one with its name."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(lock))
    except FileNotFoundError:
        return False


def _holder(handle: int) -> Holder | None:
    """Return who has a lock; None if he has not said so yet."""
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        return Holder(**json.loads(os.read(handle, 10_000)))
    except (OSError, ValueError, TypeError):
        return None


if sys.platform == "win32":
    import msvcrt

    def _is_locked(handle: int, lock: Path) -> bool:
        """Try to lock an open file, and return whether that was possible."""
        os.lseek(handle, FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _is_locked(handle: int, lock: Path) -> bool:
        """Try to lock an open file, and return whether that was possible."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            os.close(handle)
            raise CasebaseError(f"Cannot lock {lock}: {error.strerror or error}.") from error
        return True
