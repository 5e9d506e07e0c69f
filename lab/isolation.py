"""Work that may crash or hang: done in child processes, which say one line for each piece of it."""

import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable

PATIENCE = 120.0  # seconds without a line after which a child is killed
POLL = 0.02
CRASHED = "crashed"

Say = Callable[[str], None]


def lines_of(
    work: Callable[[int, Say], None],
    n: int,
    patience: float = PATIENCE,
    crashed: Callable[[str], str] = lambda reason: reason,
) -> list[str]:
    """Let children do pieces 0 to n - 1 of some work, and return the line of each.

    `work(start, say)` does the pieces from `start` on and says a line, without a line break, after each. Where a child
    dies or hangs, the line is "crashed" and what the function `crashed` makes of the reason, and another child goes on
    with the next piece.
    """
    lines: list[str] = []
    while len(lines) < n:
        with tempfile.TemporaryFile() as file:
            reason = _child(work, len(lines), file.fileno(), patience)
            file.seek(0)
            said = file.read().decode("utf-8", "replace").splitlines()
        lines += said
        if len(lines) < n:
            lines.append(f"{CRASHED}: {crashed(reason)}")
    return lines[:n]


def _child(work: Callable[[int, Say], None], start: int, handle: int, patience: float) -> str:
    """Let a child work from a piece on until its end; return how it ended."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        status = 1
        try:
            work(start, lambda line: _write(handle, line))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    size, since = 0, time.monotonic()
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        now = os.fstat(handle).st_size
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > patience:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"no end within {patience:.0f} s"
        time.sleep(POLL)
    code = os.waitstatus_to_exitcode(status)
    return f"signal {-code}" if code < 0 else f"exit status {code}"


def _write(handle: int, line: str) -> None:
    data = line.replace("\n", " ").replace("\r", " ").encode("utf-8", "replace") + b"\n"
    os.write(handle, data)
