"""What a desk keeps: the content of a model file of each kind, how an edit changes it, and how it is saved.

A content is frozen. `apply` returns another one, with one more entry in its log, and is deterministic: the same edit
of the same content gives the same fingerprint, which is how a journal is checked when it is replayed.
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, Union

from casebase import methods
from casebase.base.files import read, stored_checksum
from casebase.base.log import Entry, Id
from casebase.errors import ModelFileError
from casebase.serve.desks.edits import Edit, Kind

if TYPE_CHECKING:
    from casebase.hyphenation.hyphenator import Hyphenator
    from casebase.tagging.tagger import Tagger

ContentKind = Literal["model", "tagger", "hyphenator"]
SavedObject = Union[methods.Saved, "Tagger", "Hyphenator"]


class Content(Protocol):
    """The content of a model file; `version` is its fingerprint, and the log has an entry for each correction."""

    kind: ClassVar[ContentKind]

    @property
    def saved(self) -> SavedObject: ...
    @property
    def version(self) -> str: ...
    @property
    def log(self) -> tuple[Entry, ...]: ...
    @property
    def is_correctable(self) -> bool: ...
    @property
    def is_calibrated(self) -> bool:
        """Whether the calibration is that of the present cases; corrections leave the old one, which is quick."""
        ...

    def prepare(self, edit: Edit) -> Edit:
        """Return the edit with all that its repetition needs: the ids of new cases."""
        ...

    def apply(self, edit: Edit) -> Self: ...
    def recalibrate(self) -> Self: ...
    def inverse(self, entry: Entry) -> tuple[Kind, tuple[Id, ...] | None, dict[str, Any]]:
        """Return the kind, the ids and the content of the edit that undoes a correction in the log."""
        ...

    def save(self, path: Path) -> None: ...


def load(path: Path) -> Content:
    """Return the content of a model file.

    It is read into memory: a file that is mapped, and then overwritten in place, would end the process.
    """
    header, arrays = read(path, is_mapped=False, is_complete=True)
    content: Content
    if header.get("learner") == "tagger":
        content = import_module("casebase.serve.desks.taggers").TaggerContent(methods.other_model(path, header, arrays))
    elif header.get("learner") == "strings":
        raise ModelFileError(
            f"{path} has rules over strings, which are not served. Ask it with `casebase strings`, or from Python."
        )
    elif header.get("learner") in ("annotator", "lemmatizer"):
        what = methods.OTHERS[header["learner"]][0]
        raise ModelFileError(f"{path} is {what}, which is not served. Ask it with `casebase tagger`, or from Python.")
    elif header.get("learner") in methods.OTHERS:
        content = import_module("casebase.serve.desks.hyphenators").HyphenatorContent(
            methods.other_model(path, header, arrays)
        )
    else:
        saved = methods.model_of(path, header, arrays)
        content = import_module("casebase.serve.desks.classifiers").ModelContent(saved, stored_checksum(path))
    return content


def with_edit(log: Sequence[Entry], edit: Edit) -> tuple[Entry, ...]:
    """Return the log whose last entry has the time and the key of an edit."""
    return (*log[:-1], replace(log[-1], when=edit.when, key=edit.key, request=edit.request))
