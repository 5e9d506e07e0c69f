"""Saving a model to the file that it was loaded from, without losing what others changed in between.

A model that is loaded remembers its file and the checksum that the file had. Who saves it takes the lock that commands
and servers take, and is refused if the file has another checksum by now.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from casebase.base.files import Target, stored_checksum
from casebase.base.lock import is_held, lock_file
from casebase.base.mapped import UsesFile
from casebase.errors import LockedError

PATIENCE = 5.0  # seconds that a program waits for another one
_ONE_AT_A_TIME = threading.RLock()  # of the threads of this process, which share its locks


@dataclass(frozen=True)
class Origin:
    """The file that a model was loaded from, or saved to, and the checksum that it had."""

    path: Path
    checksum: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "Origin | None":
        """Return the origin of a model that is about to be read from a file; None if the file is no model file."""
        checksum = _checksum(path)
        return None if checksum is None else cls(Path(os.path.realpath(path)), checksum)

    def check(self, path: str | os.PathLike[str]) -> None:
        """Refuse to replace the file if it is not as it was; any other file may be replaced."""
        if Path(os.path.realpath(path)) != self.path or not self.path.exists():
            return
        if _checksum(path) != self.checksum:
            raise LockedError(
                f"{path} was changed by another program after it was loaded, and saving would undo that change. "
                "Nothing was written. Load the file again and repeat the corrections, or save to another file."
            )


def _checksum(path: str | os.PathLike[str]) -> str | None:
    try:
        return stored_checksum(path)
    except Exception:  # whatever is wrong with the file: `read` says it
        return None


class Saved(UsesFile):
    """An object that is saved to a file and loaded from one; it remembers the file."""

    _origin: Origin | None = None

    @contextmanager
    def _saving(self, path: Target) -> Iterator[None]:
        """Have the lock of a file while it is replaced; an error if another process has it, or has changed the file.

        A server or a command has the lock already, from before it loaded the file. Memory needs no lock, and without
        its folder there is no file: the writer says so.
        """
        if isinstance(path, BytesIO) or not Path(path).parent.is_dir():
            yield
            return
        with _ONE_AT_A_TIME:
            if is_held(path):
                yield
                return
            with lock_file(path, "save", seconds=PATIENCE):
                if self._origin is not None:
                    self._origin.check(path)
                yield
                self._origin = Origin.of(path)
