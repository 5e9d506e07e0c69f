"""Clocks and gauges: medians, memory, TiMBL's own figures, threads bound to cores."""

import os
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median time of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def timbl(*options: str) -> str:
    """Run TiMBL and return what it printed."""
    return subprocess.run(["timbl", *options], check=True, capture_output=True, text=True, errors="replace").stdout


def timbl_rate(output: str) -> float:
    """Return the answers per second that TiMBL reports for its test, reading and writing files included."""
    return float(re.findall(r"Seconds taken: [\d.]+ \(([\d.]+) p/s\)", output)[-1])


def command_seconds(command: list[str]) -> tuple[float, int]:
    """Return a command's wall time, and its peak memory in bytes."""
    # A process counts the memory of the one that started it, up to then; so a small one starts the command.
    ran = subprocess.run([sys.executable, "-c", LAUNCHER, *command], check=True, capture_output=True, text=True)
    seconds, peak = ran.stdout.split()
    return float(seconds), int(peak) * (1 if sys.platform == "darwin" else 1024)


LAUNCHER = """
import os, sys, time
start = time.perf_counter()
quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(pid, 0)
if os.WIFSIGNALED(status):  # an exit code tells nothing: TiMBL's is 1 when it has trained without a test
    sys.exit(f"{sys.argv[1:]} was killed")
print(time.perf_counter() - start, usage.ru_maxrss)
"""


def casebase_command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("casebase")), *arguments]


@contextmanager
def bound_to_cores(n_cores: int) -> Iterator[None]:
    """Keep the threads that start while the body runs on cores of their own, all but the first.

    A small virtual machine may leave unbound threads on one core. The thread that starts them stays free, or they
    would inherit its core.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    others = sorted(os.sched_getaffinity(0))[1:n_cores]
    is_done = threading.Event()

    def bind() -> None:
        known = {int(task) for task in os.listdir("/proc/self/task")}
        n_bound = 0
        while others and not is_done.wait(0.005):
            for task in {int(task) for task in os.listdir("/proc/self/task")} - known:
                known.add(task)
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(task, {others[n_bound % len(others)]})
                n_bound += 1

    binder = threading.Thread(target=bind, daemon=True)
    binder.start()
    try:
        yield
    finally:
        is_done.set()
        binder.join()
