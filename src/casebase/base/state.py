"""The state of a fitted object is its model file: pickle, joblib, skops and MLflow store nothing else of its model.

Restoring it makes the checks of a model file, so that no state, whoever wrote it, brings an index out of bounds or an
object without content to a kernel.
"""

import os
from io import BytesIO
from typing import Any, ClassVar

import numpy as np

from casebase.base.files import CheckedArrays, Header, Target, read, read_content
from casebase.base.saving import Origin, Saved
from casebase.errors import ModelFileError

MODEL_FILE = "model_file"
OF_FILE = ("_origin", "_mapped")  # the attributes of `Saved`


class StateIsFile(Saved):
    """A mixin: the state has the plain attributes, and the bytes of the model file for all that was learned.

    The file that it was loaded from is no part of the state: what is restored has none.
    """

    _in_file: ClassVar[frozenset[str]]  # the attributes that come from the model file

    def save(self, path: Target) -> None:
        raise NotImplementedError

    def _has_learned(self) -> bool:
        return hasattr(self, "model_")

    @classmethod
    def _from_file(cls, name: str, header: Header, arrays: CheckedArrays) -> Any:
        """Return the object in a model file that was read."""
        raise NotImplementedError

    @classmethod
    def _from_path(cls, path: str | os.PathLike[str]) -> Any:
        """Return the object in a model file; it remembers the file."""
        origin = Origin.of(path)
        header, arrays = read(path)
        loaded = cls._from_file(str(path), header, arrays)
        loaded._origin, loaded._mapped = origin, arrays.file
        return loaded

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__() or {})  # type: ignore[call-overload]
        state = {name: value for name, value in state.items() if name not in self._in_file and name not in OF_FILE}
        if self._has_learned():
            content = BytesIO()
            self.save(content)
            state[MODEL_FILE] = np.frombuffer(content.getvalue(), dtype=np.uint8)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        name = f"The stored {type(self).__name__}"
        if not isinstance(state, dict) or not self._in_file.isdisjoint(state):
            raise ModelFileError(
                f"{name} has no model file in it: another version of casebase wrote it. Train the model again, or load "
                "it with that version, and save it to a model file."
            )
        plain = {attribute: value for attribute, value in state.items() if attribute not in (MODEL_FILE, *OF_FILE)}
        if MODEL_FILE in state:
            self._take_over(self._from_file(name, *read_content(state[MODEL_FILE], name)), name)
        vars(self).update(plain)

    def _take_over(self, other: Any, name: str) -> None:
        """Take what another object learned; the parameters stay those of this one."""
        if not isinstance(self, type(other)):
            raise ModelFileError(f"{name} has the model of another class, {type(other).__name__}.")
        vars(self).update(vars(other))
