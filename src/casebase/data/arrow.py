"""pyarrow, imported when it is first used.

Tables are Arrow's, but a model that answers a few plain rows needs none. pyarrow takes a third of the memory of a
server with a small model, and a good part of its start. So the modules that such a server imports take `pa` and `pc`
from here, and have their annotations as text (`from __future__ import annotations`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any


class Later:
    """A module that is imported with the first of its names, or of its submodules, that somebody asks for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # tools that look at all names of a module, such as doctest, ask for these
            raise AttributeError(name)
        module = import_module(self._name)
        found = getattr(module, name) if hasattr(module, name) else import_module(f"{self._name}.{name}")
        setattr(self, name, found)  # the next time it is an attribute like any other
        return found


if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
else:
    pa, pc = Later("pyarrow"), Later("pyarrow.compute")

__all__ = ["pa", "pc"]
