"""Let the disk be full at every write of a command: the old file or the new one is there, and a message.

`python -m lab.faults.disks` runs each kind of command that writes a model file, again and again: with files that may
have 0, 64, 128 ... bytes, a limit of the process that stands for the disk; with each flush and each rename failing; and
in a folder where nothing may be written. A command that ends otherwise than with a message or with the new file is a
fault, as are a model file that is neither the old nor the new one, and files that the next command leaves.
"""

import argparse
import errno
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lab.faults import kill_commands
from lab.faults.kill_commands import KINDS, NOTHING

STEP = 64  # bytes between two limits
MOST_CALLS = 40  # of one function in a command
CALLS = ("fsync", "replace")
NOBODY = 65534  # root may write everywhere
EXPLAINED = ("no space left on device", "file too large", "permission denied")
Arrange = Callable[[], Any]


def full(kind: str, folder: Path, every: int = 1) -> Counter[str]:
    """Run a kind of command on a full disk, at one in so many places; count how the runs ended, and the faults."""
    trial = Trial(kind, folder)
    sizes = [*range(0, len(trial.after), every * STEP), len(trial.after) - 1]
    for size in sizes:
        trial.run(f"files of {size} bytes", partial(limit_files, size))
    for name in CALLS:
        for number in range(MOST_CALLS):
            failing = _Failing(name, number)
            trial.run(f"{name} {number}", failing.arrange)
            if trial.last == "new":  # so many calls were not made
                break
    return trial.found


def forbidden(kind: str, folder: Path) -> Counter[str]:
    """Run a kind of command in a folder that nobody may change."""
    trial = Trial(kind, folder)
    folder.chmod(0o555)
    try:
        trial.run("a folder that is read-only", _become_nobody)
    finally:
        folder.chmod(0o755)
    return trial.found


class Trial:
    """A kind of command in a folder, with what its model file must be before and after it."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind, self.folder, self.last = kind, folder, ""
        self.found: Counter[str] = Counter()
        self.before = kill_commands.prepared(folder, kind)
        self.after = kill_commands.model_after(folder, KINDS[kind].first)

    def run(self, where: str, arrange: Arrange) -> None:
        """Run the command after something was arranged in its process, judge it, and run the next one."""
        model, command = self.folder / "model.cb", KINDS[self.kind].first
        kill_commands.put(model, self.before)
        code, said = ended(self.folder, command, arrange)
        content = model.read_bytes() if model.exists() else NOTHING
        wrong = []
        self.last = {self.before: "old", self.after: "new"}.get(content, "neither")
        if self.last == "neither":
            wrong.append("the file is neither the old nor the new one")
        if code != 0 and (code != 1 or not any(one in said.lower() for one in EXPLAINED)):
            wrong.append(f"ended with {code}: {said.strip()[-300:]}")
        if code == 0 and self.last != "new":
            wrong.append("it says nothing")
        if os.access(self.folder, os.W_OK) and self.folder.stat().st_mode & 0o200:
            kill_commands.put(model, self.before)
            if kill_commands.model_after(self.folder, command) != self.after:
                wrong.append("the next command gives another file")
            wrong += [f"the next command leaves {name}" for name in sorted(kill_commands.others(self.folder))]
        self.found["message" if code else "new file"] += 1
        for one in wrong:
            self.found[f"FAULT {self.kind}, {where}: {one}"] += 1


class _Failing:
    """A function of the system that fails at one call as on a full disk."""

    def __init__(self, name: str, number: int) -> None:
        self.name, self.number, self.n_calls = name, number, 0

    def arrange(self) -> None:
        self.real = getattr(os, self.name)
        setattr(os, self.name, self)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.n_calls += 1
        if self.n_calls == self.number + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.real(*arguments, **options)


def limit_files(size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _become_nobody() -> None:
    if os.getuid() == 0:
        os.setuid(NOBODY)


def ended(folder: Path, command: Sequence[str], arrange: Arrange = bool) -> tuple[int, str]:
    """Run a command in a child; return its exit code, and what it said to standard error."""
    reading, writing = os.pipe()
    child = kill_commands.start_child(folder, command, arrange=arrange, errors=writing)
    os.close(writing)
    with open(reading, encoding="utf-8", errors="replace") as file:
        said = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def faults_in(found: Counter[str]) -> list[str]:
    """Return what was wrong, out of all that was counted."""
    return [name for name in found if name.startswith("FAULT")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind; repeatable")
    parser.add_argument("--every", type=int, default=1, help="one in so many limits")
    arguments = parser.parse_args()
    has_faults = False
    for kind in arguments.kind or KINDS:
        start = time.perf_counter()
        folder = Path(tempfile.mkdtemp(prefix="casebase-disks-"))
        folder.chmod(0o755)
        try:
            found = full(kind, folder, arguments.every) + forbidden(kind, folder)
        finally:
            shutil.rmtree(folder)
        faults = faults_in(found)
        has_faults |= bool(faults)
        counts = ", ".join(f"{n:,} {name}" for name, n in found.items() if name not in faults)
        print(f"{kind}: {counts}, {time.perf_counter() - start:.0f} s", *faults, sep="\n  ", flush=True)
    sys.exit(has_faults)


if __name__ == "__main__":
    main()
