"""The journal of a desk: the corrections that are confirmed, and not yet in the model file.

Each line is a checksum and a JSON record: the number of the correction, the edit, and the versions before and after.
A line is on the disk before its correction is confirmed. If the process ends while it writes one, that line is not
whole, was not confirmed, and is dropped. A damaged line before the last cannot come from that: it is an error, and
the file stays as it is.
"""

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casebase.base.files import sync_folder
from casebase.base.lock import JOURNAL
from casebase.errors import CasebaseError, JournalError
from casebase.serve.desks.edits import Edit


def journal_path(path: Path) -> Path:
    """Return where the journal of a model file is."""
    return path.with_name(path.name + JOURNAL)


@dataclass(frozen=True)
class Line:
    """A correction in a journal: its number since the training, and the versions before and after."""

    sequence: int
    edit: Edit
    before: str
    after: str

    def to_bytes(self) -> bytes:
        record = {"sequence": self.sequence, "edit": self.edit.to_dict(), "before": self.before, "after": self.after}
        text = json.dumps(record).encode()  # ASCII, and without a line break
        return b"%08x %s\n" % (zlib.crc32(text), text)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Line":
        """Return the line with these bytes; an error unless they are what `to_bytes` gave."""
        checksum, _, text = data.partition(b" ")
        if not data.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(text[:-1]):
            raise ValueError("its checksum does not match")
        record: Mapping[str, Any] = json.loads(text)
        sequence, before, after = record["sequence"], record["before"], record["after"]
        if type(sequence) is not int or not all(isinstance(one, str) and one.isascii() for one in (before, after)):
            raise ValueError("it has no whole number of a correction, or no versions")
        return cls(sequence, Edit.from_dict(record["edit"]), before, after)


def read_journal(path: Path) -> tuple[list[Line], int]:
    """Return the whole lines of a journal, and how many bytes they are; none if there is no such file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise JournalError(f"Cannot read {path}: {error.strerror or error}.") from error
    *whole, rest = data.split(b"\n")
    texts = [*(text + b"\n" for text in whole), *([rest] if rest else [])]
    lines: list[Line] = []
    for number, text in enumerate(texts, 1):
        try:
            lines.append(Line.from_bytes(text))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            if number == len(texts):
                break  # not whole, so it was never confirmed
            raise JournalError(
                f"Line {number} of {len(texts)} in {path} is damaged: {error}. Nothing was changed. Restore the file "
                f"and its journal from a backup; or keep a copy of the journal, and delete the lines from {number} on: "
                "their corrections are then lost."
            ) from error
    return lines, sum(map(len, texts[: len(lines)]))


class Journal:
    """The journal of one desk, open for appending."""

    def __init__(self, path: Path, *, mode: int, size: int = 0, last: int = 0) -> None:
        """Open a journal of which the first `size` bytes count, up to correction `last`.

        A new one has the permissions of the model file, `mode`: it has values of the same cases.
        """
        self.path, self.size, self.last = path, size, last
        self.is_failed = False  # if it may end with part of a line: nothing may follow that
        is_new = not path.exists()
        try:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)  # Windows would write two bytes for a new line
            self._handle = os.open(path, flags, mode & 0o666)
            try:
                if is_new:
                    sync_folder(path.parent)
                if os.fstat(self._handle).st_size == size:
                    os.lseek(self._handle, size, os.SEEK_SET)
                else:
                    self._cut(size)
            except BaseException:
                os.close(self._handle)
                raise
        except OSError as error:
            raise CasebaseError(f"Cannot write {path}: {error.strerror or error}.") from error

    def append(self, line: Line) -> None:
        """Write a line to the disk; if that fails, the journal is as it was before."""
        if self.is_failed or (self.size and line.sequence != self.last + 1):
            raise JournalError(f"An earlier correction could not be written to {self.path}. Reload the model file.")
        data = line.to_bytes()
        try:
            written = 0
            while written < len(data):
                written += os.write(self._handle, data[written:])
            os.fsync(self._handle)
        except BaseException as error:
            self._undo()
            if isinstance(error, OSError):
                raise CasebaseError(
                    f"Cannot write {self.path}: {error.strerror or error}. Nothing was changed."
                ) from error
            raise
        self.size += len(data)
        self.last = line.sequence

    def _undo(self) -> None:
        try:
            self._cut(self.size)
        except OSError:
            self.is_failed = True

    def _cut(self, size: int) -> None:
        """Drop all bytes after the first `size`, and go there."""
        os.ftruncate(self._handle, size)
        os.lseek(self._handle, size, os.SEEK_SET)
        os.fsync(self._handle)

    def clear(self) -> None:
        """Empty the journal: all its corrections are in the model file."""
        try:
            self._cut(0)
        except OSError as error:
            self.is_failed = True
            raise CasebaseError(f"Cannot write {self.path}: {error.strerror or error}.") from error
        self.size, self.is_failed = 0, False

    def close(self) -> None:
        """Close the journal, and delete it if it is empty."""
        if self._handle < 0:
            return
        os.close(self._handle)
        self._handle = -1
        if not self.size and not self.is_failed:
            self.path.unlink(missing_ok=True)
