"""TiMBL's command line run by casebase and by TiMBL, in the current folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from casebase.errors import CasebaseError
from casebase.timbl.program import Streams, run
from lab.peers import timbl
from tests.peers import require_timbl

# Times, and what is said between the phases of learning, are TiMBL's own.
NOT_COMPARED = re.compile(
    r"Start:|Finished:|Calculating|Preparation|Phase|Learning|Tested:|Ready:|Seconds|Size of value|Total Size|in total"
    r"|$"
)


@dataclass(frozen=True)
class Done:
    """How a run ended, and what it said."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines that a script could read."""
        return [line.rstrip() for line in self.out.split("\n") if not NOT_COMPARED.match(line)]


def ours(*words: str) -> Done:
    out: list[str] = []
    err: list[str] = []
    try:
        status = run(words, Streams(out.append, err.append))
    except CasebaseError as error:
        status = 1
        err.append(f"Error: {error}")
    return Done(status, "".join(out), "\n".join(err))


def theirs(*words: str) -> Done:
    require_timbl()
    ran = timbl.execute(words)
    return Done(ran.status, ran.output, ran.complaint)


def written(before: set[Path]) -> dict[str, str]:
    """Return the files that are new in the current folder, and remove them."""
    files = {}
    for path in set(Path().iterdir()) - before:
        files[path.name] = path.read_bytes().decode("latin-1")
        path.unlink()
    return files


def both(*words: str) -> tuple[Done, dict[str, str], Done, dict[str, str]]:
    """Return how TiMBL and casebase end, and the files that each has written."""
    before = set(Path().iterdir())
    their_run = theirs(*words)
    their_files = written(before)
    our_run = ours(*words)
    return their_run, their_files, our_run, written(before)
