"""Runs of other programs in a folder: output, exit code and time."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from casebase.errors import CasebaseError


class PeerError(CasebaseError):
    """A program that casebase is compared with failed."""


@dataclass(frozen=True)
class Ran:
    """Output, exit code and time of a program. Bytes that are not UTF-8 are kept as surrogates."""

    command: Sequence[str]
    output: str
    complaint: str
    status: int
    seconds: float

    def checked(self) -> Self:
        """Return the same run, unless it failed."""
        if self.status != 0:
            raise self.failure()
        return self

    def failure(self) -> PeerError:
        """Return the error that says what was run and what came of it."""
        said = self.complaint.strip()[:1000] or self.output.strip()[-1000:]
        printable = said.encode("utf-8", "replace").decode("utf-8")
        return PeerError(f"{' '.join(self.command)} ended with status {self.status}: {printable}")


def run(
    command: Sequence[str], folder: Path | None = None, *, answers: bytes | None = None, limit: float | None = None
) -> Ran:
    """Run a program in a folder, for at most `limit` seconds; `answers` is its standard input."""
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, cwd=folder, input=answers, capture_output=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        raise PeerError(f"{' '.join(command)} was stopped after {limit} seconds.") from None
    seconds = time.perf_counter() - begin
    output, complaint = (said.decode("utf-8", "surrogateescape") for said in (done.stdout, done.stderr))
    return Ran(command, output, complaint, done.returncode, seconds)


class Workplace:
    """A temporary folder for the files of a program, deleted at the end of its `with` block."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()

    def run(self, *command: str, answers: bytes | None = None, limit: float | None = None) -> Ran:
        """Return what a program says that is run here."""
        return run(command, self.path, answers=answers, limit=limit)


def has_program(name: str) -> bool:
    """Return whether a program can be started by its name."""
    return shutil.which(name) is not None


def version_of(program: str) -> str:
    """Return the version that a program prints with -V: the first word that begins with a digit."""
    ran = run([program, "-V"])
    return next((word for word in (ran.output + ran.complaint).split() if word[0].isdigit()), "")
