"""A desk: one model file that many read and some correct at the same time.

A correction is applied to the frozen content, written to the journal, and then replaces the snapshot; only then is it
confirmed. A checkpoint writes the model file and empties the journal: after a thousand corrections, a while after the
last one, and at the end. A removal is confirmed only after the checkpoint, when no file has the case any more.
"""

import json
import os
import re
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from casebase.base.files import remove_leftovers
from casebase.base.lock import SERVER, FileLock, Holder, lock_file
from casebase.base.log import Author, Id
from casebase.errors import CasebaseError, ChangedError, JournalError, KeyReusedError, ReadOnlyError, ReplacedError
from casebase.neighbours.logged_correction import NOBODY
from casebase.serve.desks.contents import Content, ContentKind, SavedObject, load
from casebase.serve.desks.edits import Edit, Kind, listed
from casebase.serve.desks.journal import Journal, Line, journal_path, read_journal
from casebase.serve.desks.keeper import Keeper

NAME = re.compile(r"[A-Za-z0-9._-]+")
IDLE = 2.0  # seconds after the last correction
MOST_LINES = 1000  # of a journal, before a checkpoint
MOST_BYTES = 2**26
MOST_KEYS = 1000


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
    trouble: str | None  # why the model file could not be brought up to date, if so; nothing is lost
    _content: Content
    _saved_content: Content

    def __init__(self, path: Path, name: str, lock: FileLock | None, idle: float | None) -> None:
        """Load a model file and replay its journal; `open` calls this, after taking the lock."""
        self.path, self.name = path, name
        self._file_lock, self._is_open = lock, True
        self._lock = threading.RLock()  # one writer at a time
        self._keys: dict[str, tuple[Outcome, str | None]] = {}
        self._journal: Journal | None = None
        self._keeper = Keeper(self._keep, idle)
        if lock is not None:
            remove_leftovers(path)
        self._load()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        read_only: bool = False,
        address: str | None = None,
        idle: float | None = IDLE,
    ) -> Self:
        """Return the desk of a model file: take its lock, load it, and replay its journal.

        `address` is where the server can be found; processes that want to change the file are told. The model file is
        brought up to date when there was no correction for `idle` seconds; None: only when the desk is closed.
        """
        real = Path(os.path.realpath(path))
        checked = _checked_name(real.stem if name is None else name)
        if read_only:
            return cls(real, checked, None, idle)
        lock = lock_file(real, SERVER, address=address)
        try:
            return cls(real, checked, lock, idle)
        except BaseException:
            lock.release()
            raise

    @property
    def read_only(self) -> bool:
        return self._file_lock is None

    def announce(self, address: str) -> None:
        """Tell processes that want to change the file where the server is."""
        if self._file_lock is not None:
            self._file_lock.announce(Holder(os.getpid(), SERVER, address))

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
        cases, classes = listed(rows, "cases"), listed(labels, "classes")
        if len(cases) != len(classes):
            raise CasebaseError(f"Expected one class per case: {len(cases)} cases, {len(classes)} classes.")
        return self._correct("insert", {"rows": cases, "labels": classes}, ids, author, if_match, key)

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
        if not isinstance(changes, Mapping) or not changes:
            raise CasebaseError("Expected the new values by the names of their columns, a list with one per case each.")
        content = {"changes": {name: listed(values, f"values of {name}") for name, values in changes.items()}}
        return self._correct("update", content, ids, author, if_match, key)

    def remove(
        self, ids: Any, *, author: Author = NOBODY, if_match: str | None = None, key: str | None = None
    ) -> Outcome:
        """Remove cases; when this returns, no file has their values any more."""
        return self._correct("remove", {}, ids, author, if_match, key)

    def learn(
        self,
        sentences: Sequence[Sequence[Sequence[str]]],
        *,
        author: Author = NOBODY,
        if_match: str | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Let a tagger learn sentences: lists of (word, tag), or of (word, further columns …, tag)."""
        content = {"sentences": listed(sentences, "sentences")}
        return self._correct("learn", content, None, author, if_match, key)

    def correct(
        self,
        words: Sequence[str],
        *,
        hyphen: str = "-",
        author: Author = NOBODY,
        if_match: str | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Teach a hyphenator words with their hyphens, such as "hy-phen-a-tion"."""
        from casebase.serve.desks.hyphenators import parsed_words

        content = {"words": parsed_words(listed(words, "words"), hyphen)}
        return self._correct("correct", content, None, author, if_match, key)

    def undo(
        self, sequence: int, *, author: Author = NOBODY, if_match: str | None = None, key: str | None = None
    ) -> Outcome:
        """Undo a correction, by its number from 1, with a new correction; a removal cannot be undone."""
        with self._lock:
            log = self._content.log
            if isinstance(sequence, bool) or not isinstance(sequence, int) or not 1 <= sequence <= len(log):
                raise CasebaseError(f"There is no correction {sequence!r}: {self.name} has {len(log)}, counted from 1.")
            entry = log[sequence - 1]
            if entry.action == "remove":
                raise CasebaseError("A removal cannot be undone: the values of the cases are gone.")
            later = [i for i, one in enumerate(log[sequence:], sequence + 1) if not set(one.ids).isdisjoint(entry.ids)]
            if any(log[number - 1].action == "remove" for number in later) and key not in self._keys:
                raise CasebaseError(f"A case of correction {sequence} was removed after it, and its values are gone.")
            if later and key not in self._keys:
                raise ChangedError(f"Correction {later[-1]} changed the same cases after it; undo that one first.")
            kind, ids, content = self._content.inverse(entry)
            if author.note is None:
                author = replace(author, note=f"undoes correction {sequence}")
            return self._correct(kind, content, ids, author, if_match, key)

    def checkpoint(self) -> None:
        """Write all corrections to the model file, and empty the journal."""
        with self._lock:
            self._refuse_if_closed()
            if not self._is_saved and not self.read_only:
                self._write()

    def reload(self) -> None:
        """Load the model file again, after another process has replaced it, and replay the journal."""
        with self._lock:
            self._refuse_if_closed()
            self._load()

    def is_replaced(self) -> bool:
        """Return whether the model file is not the one that was loaded or written last."""
        return _identity(self.path) != self._file

    def close(self) -> None:
        """Write what is not yet in the model file, and let others have it; a second call does nothing."""
        self._keeper.stop()
        with self._lock:
            if not self._is_open:
                return
            try:
                self.checkpoint()  # first, because the calibration may take long
                if not self.read_only:
                    self._swap(self._content.recalibrate())
                    self.checkpoint()
            finally:
                self._is_open = False
                if self._journal is not None:
                    self._journal.close()
                if self._file_lock is not None:
                    self._file_lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _correct(
        self, kind: Kind, content: Mapping[str, Any], ids: Any, author: Author, if_match: str | None, key: str | None
    ) -> Outcome:
        edit = Edit.of(kind, content, ids, author, key)
        with self._lock:
            self._refuse_if_closed()
            outcome, sequence = self._repeated(edit), self.snapshot.sequence
            if outcome is None:
                outcome = self._apply(edit, if_match)
                sequence = self.snapshot.sequence
        if kind == "remove":
            # Without the lock in between, many removals at once need few checkpoints.
            with self._lock:
                if self._saved_sequence < sequence or (self._journal is not None and self._journal.size):
                    self._erase()
        return outcome

    def _apply(self, edit: Edit, if_match: str | None) -> Outcome:
        """Apply an edit, write it to the journal, and then show it to readers."""
        if self.read_only:
            raise ReadOnlyError(f"{self.name} is served for reading only.")
        before = self.snapshot.version
        if if_match is not None and if_match != before:
            raise ChangedError(
                f"{self.name} is no longer at version {if_match}: somebody corrected it. It is at {before} now; look "
                "at it again, then repeat the correction."
            )
        self._refuse_if_replaced()
        edit = self._content.prepare(edit)
        content = self._content.apply(edit)
        journal = self._open_journal()
        if journal.is_failed:
            self._write()  # after which it is empty
        journal.append(Line(self.snapshot.sequence + 1, edit, before, content.version))
        self._swap(content)
        n_lines = self.snapshot.sequence - self._saved_sequence
        if n_lines % MOST_LINES == 0 or journal.size > MOST_BYTES:
            self._try_checkpoint()
        self._keeper.wake()
        return Outcome(before, content.version, content.log[-1].ids, False)

    def _repeated(self, edit: Edit) -> Outcome | None:
        """Return what a request did that was made before with the same key; None if it is new."""
        if edit.key is None or edit.key not in self._keys:
            return None
        outcome, request = self._keys[edit.key]
        if request not in (None, edit.request):  # it is None if a case of it was removed
            raise KeyReusedError(f"The key {edit.key!r} was used for another correction. Take a new one.")
        return outcome

    def _erase(self) -> None:
        """Write the model file without removed cases; an error if that is not possible now."""
        try:
            self._refuse_if_closed()
            self._write()
        except CasebaseError as error:
            raise type(error)(
                f"The cases are removed, but files still have them: {error} It is tried again; repeat the removal with "
                "its key to know when it is done."
            ) from error

    def _try_checkpoint(self) -> None:
        """Write the model file; if that fails, the journal has everything, and it is tried again later."""
        try:
            self._write()
        except CasebaseError as error:
            self.trouble = str(error)

    def _write(self) -> None:
        self._refuse_if_replaced()
        content = self._content
        try:
            content.save(self.path)
        finally:  # also if only the folder could not be flushed to the disk: the file is ours
            self._file = _identity(self.path)
        self._saved_sequence = len(content.log)
        self._open_journal().clear()
        self._saved_content, self.trouble = content, None

    @property
    def _is_saved(self) -> bool:
        return self._saved_content is self._content

    def _keep(self) -> bool:
        """Calibrate anew and bring the file up to date, as long as nobody corrects; return whether all is done."""
        content = calibrated = self._content
        with suppress(CasebaseError):  # then the file keeps the old calibration, and says so
            calibrated = content.recalibrate()  # takes long, so others may correct meanwhile
        with self._lock:
            if not self._is_open:
                return True
            if content is not self._content:
                return False
            self._swap(calibrated)
            if not self._is_saved:
                self._try_checkpoint()
            return self._is_saved

    def _load(self) -> None:
        """Load the model file and replay the journal; if that fails, nothing changes."""
        file = _identity(self.path)
        content = saved = load(self.path)
        lines, size = read_journal(journal_path(self.path))
        for number, line in enumerate(lines, 1):
            content = _replayed(content, line, f"Line {number} of {journal_path(self.path)}")
        self._close_journal()
        self._file, self._saved_content, self._saved_sequence = file, saved, len(saved.log)
        self.kind, self.trouble = content.kind, None
        self._keys.clear()
        self._swap(content, MOST_KEYS)
        if self.read_only:
            return
        if journal_path(self.path).exists():
            self._open_journal(size, lines[-1].sequence if lines else 0)
        if any(line.edit.kind == "remove" for line in lines):
            self._write()
        if lines or not content.is_calibrated:
            self._keeper.wake()

    def _open_journal(self, size: int = 0, last: int = 0) -> Journal:
        if self._journal is None:
            mode = os.stat(self.path).st_mode
            self._journal = Journal(journal_path(self.path), mode=mode, size=size, last=last)
        return self._journal

    def _close_journal(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _refuse_if_closed(self) -> None:
        if not self._is_open:
            raise CasebaseError(f"{self.name} is closed.")

    def _refuse_if_replaced(self) -> None:
        if self.is_replaced():
            what = "replaced" if self.path.exists() else "deleted"
            raise ReplacedError(
                f"Another process has {what} {self.path} while it was served, so nothing was written. Restore the "
                "file, or reload it."
            )

    def _swap(self, content: Content, n_new: int = 1) -> None:
        """Show readers another content, with so many new entries in its log."""
        self._content = content
        for entry in content.log[-n_new:]:
            if entry.key is not None:
                self._keys[entry.key] = Outcome(entry.before, entry.after, entry.ids, True), entry.request
        while len(self._keys) > MOST_KEYS:
            self._keys.pop(next(iter(self._keys)))
        self.snapshot = Snapshot(
            content.saved, content.version, len(content.log), content.is_calibrated, content.is_correctable
        )


def _replayed(content: Content, line: Line, where: str) -> Content:
    """Return the content after a line of its journal; the same if the model file has that correction already."""
    n_done = len(content.log)
    if line.sequence <= n_done and content.log[line.sequence - 1].after == line.after:
        return content
    if line.sequence != n_done + 1 or line.before != content.version:
        raise JournalError(
            f"{where} does not continue the model file beside it: it is correction {line.sequence} of version "
            f"{line.before}, and the file has {n_done} and is at version {content.version}. Nothing was changed. "
            "Put back the model file that belongs to the journal, or move the journal away."
        )
    try:
        json.dumps(line.edit.to_dict(), ensure_ascii=False).encode()  # no model file could hold half a character
        content = content.apply(line.edit)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:  # or one of the library
        reason = error if isinstance(error, CasebaseError) else f"it is damaged ({type(error).__name__}: {error})."
        raise JournalError(f"{where} cannot be repeated: {reason} Nothing was changed.") from error
    if content.version != line.after:
        raise JournalError(
            f"{where} leads to version {content.version}, but it was confirmed as {line.after}. Nothing was changed."
        )
    return content


def _identity(path: Path) -> tuple[int, int, int, int] | None:
    """Return what tells a file from one that replaced it; None if there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _checked_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise CasebaseError(
            f"The name of a model is made of letters a to z, digits, '.', '_' and '-', since it is part of addresses; "
            f"got {name!r}. Give it another name."
        )
    return name
