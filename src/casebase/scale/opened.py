"""Model files that tasks answer from: mapped once for all tasks of a process."""

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from casebase import methods
from casebase.base.files import read
from casebase.errors import ModelFileError
from casebase.methods import Saved
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ranges import ib1_range
from casebase.scale.lean import bytes_of_files, released

_opening = threading.Lock()


@dataclass(frozen=True)
class ModelFile:
    """A model file as all workers see it, with its size and time: one that was replaced is opened anew."""

    path: Path
    size: int
    time: int

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "ModelFile":
        whole = Path(path).resolve()
        try:
            status = whole.stat()
        except OSError as error:
            raise ModelFileError(f"{path}: {error.strerror}.") from None
        return cls(whole, status.st_size, status.st_mtime_ns)

    def saved(self) -> Saved:
        """Return the content of the file."""
        with _opening:
            return _opened(self)[0]

    def range(self, begin: int, end: int) -> IB1:
        """Return a range of the sorted cases of IB1."""
        with _opening:
            return _range(self, begin, end)

    @contextmanager
    def within(self, n_bytes: int) -> Iterator[Saved]:
        """Yield the content of the file; while it is used, about so many bytes of it are in memory at the most."""
        with _opening:
            saved, mapped, before = _opened(self)
        with released([] if mapped is None else [mapped], before + n_bytes):
            yield saved


@lru_cache(maxsize=1)
def _opened(file: ModelFile) -> tuple[Saved, np.ndarray | None, int]:
    """Return the content of a file, its map, and how many bytes of other files were in memory before: programs."""
    if not file.path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file.path))
    before = bytes_of_files()
    header, arrays = read(file.path)
    return methods.model_of(file.path, header, arrays), arrays.mapped, before


@lru_cache(maxsize=1)
def _range(file: ModelFile, begin: int, end: int) -> IB1:
    model = _opened(file)[0].model
    assert isinstance(model, IB1)
    return ib1_range(model, begin, end)


def close() -> None:
    """Forget the model that is open in this process."""
    with _opening:
        _opened.cache_clear()
        _range.cache_clear()
