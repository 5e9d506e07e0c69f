"""Model files that are mapped into memory, and that another program truncates while they are used.

The system then sends a signal to the process, which ends it. The core puts zeros where the content was instead, and
marks the file. An object that was loaded from a mapped file looks at the mark after each public method, and raises an
error instead of giving an answer that was made of zeros. A file that is replaced under its name stays as it is for
those who have it mapped.
"""

import inspect
import mmap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from casebase import _native
from casebase.errors import ModelFileError


class MappedFile:
    """A file whose mapped bytes are watched as long as this object, an attribute of the mapped array, lives."""

    def __init__(self, source: Path, array: np.memmap) -> None:
        self._memory = _native.WatchedMemory(array.ctypes.data, array.nbytes)  # goes first, while it is still mapped
        self._map: mmap.mmap = array._mmap  # type: ignore[attr-defined]
        self.source, self._n_bytes = source, array.nbytes

    @property
    def is_damaged(self) -> bool:
        """Whether a part was not there when it was read, or is cut off: zeros follow to the end of a page."""
        return self._memory.is_damaged or self._map.size() < self._n_bytes

    def check(self) -> None:
        """Raise an error if the file is not whole any more."""
        if self.is_damaged:
            raise ModelFileError(
                f"{self.source} was truncated while it was used, or cannot be read any more. Load it again; write "
                "model files under another name and rename them, as casebase does."
            )

    def _begin(self) -> None:
        _native.hear_bus_errors()  # another library may have taken the signal
        self.check()

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Raise an error if the file is not whole before or after what is done with it, or in between."""
        self._begin()
        try:
            yield
        except Exception:  # of zeros, perhaps
            self.check()
            raise
        self.check()


def mapped_array(source: Path) -> np.memmap:
    """Return the bytes of a file, mapped and watched."""
    array = np.memmap(source, dtype=np.uint8, mode="r")
    vars(array)["file"] = MappedFile(source, array)
    return array


def file_of(array: np.ndarray) -> MappedFile | None:
    """Return the file that an array is a view of; None if it is in memory, or the file is not watched."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            return vars(owner).get("file")
        owner = owner.base
    return None


class UsesFile:
    """A mixin: public methods of an object that was loaded from a mapped file check that the file is whole."""

    _mapped: MappedFile | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in dir(cls):
            method = inspect.getattr_static(cls, name)
            if name.startswith("_") or not isinstance(method, FunctionType) or hasattr(method, "is_checked"):
                continue
            if method.__module__.startswith("casebase."):
                setattr(cls, name, _checked(method))


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that checks the mapped file of its object, if there is one; learning anew needs it no more."""
    forgets = method.__name__ == "fit"

    @wraps(method)
    def call(self: UsesFile, *arguments: Any, **options: Any) -> Any:
        if forgets:
            self._mapped = None
        if self._mapped is None:
            return method(self, *arguments, **options)
        with self._mapped.in_use():
            return method(self, *arguments, **options)

    @wraps(method)
    def generate(self: UsesFile, *arguments: Any, **options: Any) -> Iterator[Any]:
        for item in method(self, *arguments, **options):
            if self._mapped is not None:
                self._mapped.check()
            yield item

    checked = generate if inspect.isgeneratorfunction(method) else call
    vars(checked)["is_checked"] = True
    return checked
