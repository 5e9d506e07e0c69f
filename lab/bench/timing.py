"""Clocks and gauges: alternating runs, peak memory, times that programs report, threads bound to cores."""

import gc
import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from lab.peers import timbl

Clock = Callable[[], float]


@dataclass(frozen=True)
class Runs:
    """The values of one side's runs: seconds, rates or bytes.

    >>> Runs((2.0, 4.0, 5.0)).rate(100)
    Runs(values=(50.0, 25.0, 20.0))
    """

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def low(self) -> float:
        return min(self.values)

    @property
    def high(self) -> float:
        return max(self.values)

    def rate(self, n_done: int) -> "Runs":
        """Convert seconds to a rate."""
        return Runs(tuple(n_done / seconds for seconds in self.values))

    def times(self, factor: float) -> "Runs":
        """Return the same runs in another unit."""
        return Runs(tuple(factor * value for value in self.values))


class ReportedSeconds(float):
    """Seconds that a program reports itself; work that returns them is not timed from outside."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    `make` is called before the clock of each run starts and returns the work to time, so that each run can have a fresh
    model with empty caches. `around` is a context for the work (threads bound to cores).
    """

    make: Callable[[], Callable[[], object]]
    n_runs: int
    around: Callable[[], AbstractContextManager[object]] = nullcontext


def side(
    work: Callable[[], object],
    n_runs: int,
    around: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Side:
    """Return a side whose runs all do the same work."""
    return Side(lambda: work, n_runs, around)


def alternating(sides: Mapping[str, Side], clock: Clock = time.perf_counter) -> dict[str, Runs]:
    """Time the runs of all sides, alternating between the sides.

    Good and bad minutes of the machine then affect all sides. A side with fewer runs takes part in the first rounds
    only.
    """
    values: dict[str, list[float]] = {name: [] for name in sides}
    for round_ in range(max(one.n_runs for one in sides.values())):
        for name, one in sides.items():
            if round_ < one.n_runs:
                work = one.make()
                with one.around(), _without_own_garbage():
                    start = clock()
                    told = work()
                    seconds = clock() - start
                values[name].append(float(told) if isinstance(told, ReportedSeconds) else seconds)
    return {name: Runs(tuple(taken)) for name, taken in values.items()}


@contextmanager
def _without_own_garbage() -> Iterator[None]:
    """Hide the benchmark's own objects from Python's garbage collector, which would scan them again and again."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def runs_of(work: Callable[[], object], repeats: int, clock: Clock = time.perf_counter) -> Runs:
    """Time the runs of work without a peer."""
    return alternating({"": side(work, repeats)}, clock)[""]


def patient_runs(work: Callable[[], object], repeats: int, patience: float, clock: Clock = time.perf_counter) -> Runs:
    """Time up to `repeats` runs; stop once they have taken longer than `patience` seconds in all."""
    values: list[float] = []
    while len(values) < repeats and (not values or sum(values) <= patience):
        values += runs_of(work, 1, clock).values
    return Runs(tuple(values))


def core_clock() -> float:
    """Return the CPU seconds of this process and of the child processes it has waited for.

    What else the machine does meanwhile does not count.
    """
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timbl_seconds(n_asked: int, *options: str) -> ReportedSeconds:
    """Return the seconds of TiMBL's test, including reading and writing files, from the rate that it prints."""
    return ReportedSeconds(n_asked / timbl.log_of(*options).rate)


def command_seconds(command: list[str]) -> tuple[float, int]:
    """Return a command's wall time, and its peak memory in bytes."""
    # A process counts the memory of the one that started it, up to then; so a small one starts the command.
    ran = subprocess.run([sys.executable, "-c", LAUNCHER, *command], check=True, capture_output=True, text=True)
    seconds, peak = ran.stdout.split()
    return float(seconds), int(peak) * (1 if sys.platform == "darwin" else 1024)


class Gauge:
    """A command as a side: it returns its own seconds and records its peak memory."""

    def __init__(self, command: list[str]) -> None:
        self.command = command
        self.peaks: list[float] = []

    def __call__(self) -> ReportedSeconds:
        seconds, peak = command_seconds(self.command)
        self.peaks.append(peak)
        return ReportedSeconds(seconds)

    @property
    def memory(self) -> Runs:
        return Runs(tuple(self.peaks))


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
