"""Answers that are written part by part, and seen only when all of them are."""

import os
import secrets
import sys
import tempfile
from pathlib import Path
from typing import IO

from casebase.errors import CasebaseError
from casebase.leftovers import UNFINISHED, copy_permissions
from casebase.terminal import harmless

IN_MEMORY = 16 << 20  # bytes of results for standard output
BLOCK = 1 << 20  # characters


class TextOutput:
    """Results that are written part by part, and seen only when all of them are: a file, or standard output (None).

    A file is written under another name beside its own and renamed at the end; for standard output the text is kept in
    memory, or in a temporary file if it is large. What an error or Ctrl-C interrupts leaves nothing.
    """

    def __init__(self, path: str | None) -> None:
        self.path = None if path is None else Path(os.path.realpath(path))  # a link stays a link
        self._file: IO[str] | None = None
        self._temporary: Path | None = None

    def __enter__(self) -> "TextOutput":
        return self

    def begin(self) -> None:
        """Begin, or begin again: what was written is forgotten."""
        self._discard()
        try:
            if self.path is None:
                kept = tempfile.SpooledTemporaryFile(IN_MEMORY, "w+", encoding="utf-8", newline="")  # noqa: SIM115  # closed by __exit__
                self._file = kept
            else:
                self._temporary = self.path.parent / f".{self.path.name}.{secrets.token_hex(4)}.tmp"
                UNFINISHED.add(self._temporary)
                self._file = open(self._temporary, "w", encoding="utf-8", newline="\n")  # noqa: SIM115  # closed by __exit__
        except OSError as error:
            raise self._failed(error) from error

    def write(self, text: str) -> None:
        assert self._file is not None
        try:
            self._file.write(text)
        except OSError as error:
            raise self._failed(error) from error

    def add_file(self, path: Path) -> None:
        """Write the text of a file."""
        with open(path, encoding="utf-8", newline="") as file:
            while block := file.read(BLOCK):
                self.write(block)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and self._file is not None:
                self._finish()
        except OSError as error:
            if self.path is None:  # the reader of a pipe has closed it
                raise
            raise self._failed(error) from error
        finally:
            self._discard()

    def _finish(self) -> None:
        assert self._file is not None
        if self.path is None:
            self._file.seek(0)
            is_shown = sys.stdout.isatty()  # a pipe or a file gets the text as it is
            while block := self._file.read(BLOCK):
                sys.stdout.write(harmless(block) if is_shown else block)
            sys.stdout.flush()
            return
        assert self._temporary is not None
        self._file.close()
        copy_permissions(self.path, self._temporary)
        os.replace(self._temporary, self.path)
        UNFINISHED.discard(self._temporary)
        self._temporary = None

    def _discard(self) -> None:
        if self._file is not None:
            self._file.close()
        if self._temporary is not None:
            self._temporary.unlink(missing_ok=True)
            UNFINISHED.discard(self._temporary)
        self._file = self._temporary = None

    def _failed(self, error: OSError) -> CasebaseError:
        return CasebaseError(f"Cannot write {self.path or 'the answers'}: {error.strerror}.")
