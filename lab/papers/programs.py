"""Other programs, run in a folder of their own that is gone afterwards."""

import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from casebase.errors import PeerError


@dataclass(frozen=True)
class Ran:
    """What a program printed, how it ended, and how long it took."""

    command: Sequence[str]
    output: str
    complaint: str
    status: int
    seconds: float

    def failure(self) -> PeerError:
        """Return the error that says what was run and what came of it."""
        said = self.complaint.strip()[:300] or self.output.strip()[-300:]
        return PeerError(f"{' '.join(self.command)} ended with status {self.status}: {said}")


class Workplace:
    """A folder for the files of a program, as long as the `with` around it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()

    def run(self, *command: str, answers: bytes | None = None) -> Ran:
        """Return what a program says that is run here; `answers` are typed where it asks."""
        begin = time.perf_counter()
        ran = subprocess.run(command, cwd=self.path, input=answers, capture_output=True, check=False)
        seconds = time.perf_counter() - begin
        output, complaint = (said.decode("utf-8", "replace") for said in (ran.stdout, ran.stderr))
        return Ran(command, output, complaint, ran.returncode, seconds)
