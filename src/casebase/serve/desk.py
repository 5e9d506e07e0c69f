"""A desk: one model file that many read and some correct at the same time."""

import os
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from casebase.base.log import Author, Id
from casebase.errors import CasebaseError
from casebase.neighbours.logged_correction import NOBODY
from casebase.serve.contents import Content, ContentKind, SavedObject, load
from casebase.serve.edits import Edit, Kind
from casebase.serve.errors import ChangedError, KeyReusedError, ReadOnlyError

NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Snapshot:
    """A state of a model that does not change any more.

    `saved` is what the file has: the model with its calibration and log, or the tagger or hyphenator. `version` is the
    fingerprint of the cases, `sequence` the number of corrections in the log. If not `is_calibrated`, the calibration
    is from before the last corrections, and a new one follows soon.
    """

    saved: SavedObject = field(repr=False)
    version: str
    sequence: int
    is_calibrated: bool = True
    is_correctable: bool = True


@dataclass(frozen=True)
class Outcome:
    """What a correction did: the versions before and after, and the ids of its cases.

    It `is_repeated` if a request with the same idempotency key had been confirmed before; then nothing was changed now.
    """

    before: str
    after: str
    ids: tuple[Id, ...]
    is_repeated: bool


class Desk:
    """A model file that is served: readers have a frozen snapshot, one writer at a time corrects it."""

    name: str
    path: Path
    kind: ContentKind
    snapshot: Snapshot

    def __init__(self, path: Path, name: str, content: Content, *, read_only: bool) -> None:
        self.path, self.name, self.kind, self.read_only = path, name, content.kind, read_only
        self._lock = threading.RLock()
        self._swap(content)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, name: str | None = None, read_only: bool = False) -> Self:
        """Return the desk of a model file."""
        real = Path(os.path.realpath(path))
        return cls(real, _checked_name(real.stem if name is None else name), load(real), read_only=read_only)

    def insert(
        self,
        rows: Sequence[Mapping[str, Any]],
        labels: Sequence[Any],
        *,
        ids: Any = None,
        author: Author = NOBODY,
        if_match: str | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Store new cases: their values by column, and the class of each."""
        return self._correct("insert", {"rows": rows, "labels": labels}, ids, author, if_match, key)

    def update(
        self,
        ids: Any,
        changes: Mapping[str, Sequence[str | None]],
        *,
        author: Author = NOBODY,
        if_match: str | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Change stored cases: for some columns, or the class, a new value per case."""
        return self._correct("update", {"changes": changes}, ids, author, if_match, key)

    def remove(
        self, ids: Any, *, author: Author = NOBODY, if_match: str | None = None, key: str | None = None
    ) -> Outcome:
        """Remove cases; when this returns, no file has their values any more."""
        return self._correct("remove", {}, ids, author, if_match, key)

    def checkpoint(self) -> None:
        """Write all corrections to the model file."""
        with self._lock:
            self._content.save(self.path)

    def close(self) -> None:
        """Write what is not yet in the model file, and let others have it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _correct(
        self, kind: Kind, content: Mapping[str, Any], ids: Any, author: Author, if_match: str | None, key: str | None
    ) -> Outcome:
        edit = Edit.of(kind, content, ids, author, key)
        with self._lock:
            self._refuse_if_read_only()
            repeated = self._repeated(edit)
            if repeated is not None:
                return repeated
            before = self.snapshot.version
            if if_match is not None and if_match != before:
                raise ChangedError(
                    f"{self.name} is no longer at version {if_match}: somebody corrected it. It is at {before} now; "
                    "look at it again, then repeat the correction."
                )
            edit = self._content.prepare(edit)
            content_after = self._content.apply(edit)
            content_after.save(self.path)
            self._swap(content_after)
            entry = content_after.log[-1]
            return Outcome(before, content_after.version, entry.ids, False)

    def _repeated(self, edit: Edit) -> Outcome | None:
        if edit.key is None:
            return None
        for entry in reversed(self._content.log):
            if entry.key == edit.key:
                if entry.request not in (None, edit.request):
                    raise KeyReusedError(
                        f"The key {edit.key!r} was used before, for another correction. Use a new key."
                    )
                return Outcome(entry.before, entry.after, entry.ids, True)
        return None

    def _refuse_if_read_only(self) -> None:
        if self.read_only:
            raise ReadOnlyError(f"{self.name} is served for reading only.")

    def _swap(self, content: Content) -> None:
        self._content = content
        self.snapshot = Snapshot(
            content.saved, content.version, len(content.log), content.is_calibrated, content.is_correctable
        )


def _checked_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise CasebaseError(
            f"The name of a model is made of letters a to z, digits, '.', '_' and '-', since it is part of addresses; "
            f"got {name!r}. Give it another name."
        )
    return name
