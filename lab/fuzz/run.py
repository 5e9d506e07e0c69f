"""Run fuzz targets: each in a child process, so that a crash or a hang is one fault among the tries."""

import hashlib
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import NoReturn

from lab.fuzz.targets import Target, memory_folder
from lab.isolation import CRASHED, Say, lines_of

SLOW = 10.0  # seconds of processor time of one try
LARGE = 1 << 30  # bytes of memory that one try may add
ADDRESSES = 8 << 30  # bytes of address space of a child
POOL = 300  # inputs that were told apart by what was said about them
UNITS = 1024 if sys.platform != "darwin" else 1  # bytes of `ru_maxrss`


class TooSlowError(BaseException):
    """A try takes too long; nothing that is caught on the way."""


@dataclass
class Result:
    """What came of the tries with one target."""

    name: str
    tries: int = 0
    refused: int = 0
    read: int = 0
    errors: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    peak: int = 0  # bytes
    faults: list[str] = field(default_factory=list)

    def row(self) -> str:
        """Return a row of the report."""
        return (
            f"| {self.name} | {self.tries:,} | {self.refused:,} | {self.read:,} | {self.errors} | {self.seconds:.0f} | "
            f"{self.slowest:.2f} | {self.peak / 2**20:.0f} |"
        )


HEAD = (
    "| target | tries | refused | read | errors | seconds | slowest try | peak, MB |\n|---|--:|--:|--:|--:|--:|--:|--:|"
)


def inputs(target: Target, seed: int) -> Generator[bytes, str | None, None]:
    """Yield the seeds of a target, and then changed ones without end; `send` what was said about each.

    An input about which something new was said joins the pool that further inputs are made from.
    """
    draw = random.Random(f"{seed} {target.name}")
    pool = list(target.seeds())
    n_seeds = len(pool)
    seen: set[str] = set()
    for data in list(pool):
        yield data
    while True:
        data = target.mutate(draw, pool if draw.random() < 0.5 else pool[:n_seeds])
        said = yield data
        shape = _shape(said or "")
        if shape not in seen and len(pool) < POOL:
            seen.add(shape)
            pool.append(data)


def _shape(said: str) -> str:
    """Return a message without its numbers and quotations."""
    words = said.split("'")[0].split('"')[0]
    return "".join(letter for letter in words[:80] if not letter.isdigit())


def run(target: Target, n: int, seed: int, crashers: Path | None = None) -> Result:
    """Make tries with a target in children, and keep the inputs of faults in a folder."""
    result = Result(target.name)
    target.seeds()  # those that are made are made once, and not by every child
    if crashers is not None:
        crashers.mkdir(parents=True, exist_ok=True)

    def work(start: int, say: Say) -> None:
        _limit_memory()
        # After a crash the child begins with other random changes, else it would crash again.
        for data, line in tries(target, n - start, seed + start, current):
            if not line.startswith(("read", "refused")):
                line += f" {keep(data, target.name, crashers, line)}"
            say(line)

    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        current = Path(folder) / "current"

        def crashed(reason: str) -> str:
            data = current.read_bytes() if current.exists() else b""
            return f"{reason} {keep(data, target.name, crashers, reason)}"

        for line in lines_of(work, n, crashed=crashed):
            _count(result, line)
    return result


def _count(result: Result, line: str) -> None:
    outcome, _, rest = line.partition("\t")
    result.tries += 1
    if outcome.startswith(CRASHED):
        result.errors += 1
        result.faults.append(outcome)
        return
    seconds, peak, *message = rest.split("\t")
    result.seconds += float(seconds)
    result.slowest = max(result.slowest, float(seconds))
    result.peak = max(result.peak, int(peak))
    if outcome in ("read", "refused"):
        setattr(result, outcome, getattr(result, outcome) + 1)
    else:
        result.errors += 1
        result.faults.append(" ".join(message))


def tries(target: Target, n: int, seed: int, current: Path | None = None) -> Iterator[tuple[bytes, str]]:
    """Yield the inputs of some tries, each with its line: outcome, seconds, peak memory, and the error if there is one.

    Each input is first written to the file `current`, so that it is known if the process dies.
    """
    source = inputs(target, seed)
    said: str | None = None
    previous = signal.signal(signal.SIGPROF, _too_slow)
    start = time.process_time()  # a try lasts from the end of the last one: where clocks are coarse, nothing is lost
    try:
        for _ in range(n):
            data = next(source) if said is None else source.send(said)
            if current is not None:
                current.write_bytes(data)
            before = _peak()
            signal.setitimer(signal.ITIMER_PROF, 2 * SLOW)
            try:
                said = target.try_once(data)
                error = ""
            except (Exception, TooSlowError) as fault:
                error = said = described(fault)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            now, peak = time.process_time(), _peak()
            seconds, start = now - start, now
            if not error and seconds > SLOW:
                error = f"{seconds:.0f} s of processor time"
            if not error and peak - before > LARGE:
                error = f"{(peak - before) >> 20} MB of memory"
            outcome = "error" if error else said.partition(":")[0]
            yield data, f"{outcome}\t{seconds:.6f}\t{peak}" + (f"\t{error}" if error else "")
    finally:
        signal.signal(signal.SIGPROF, previous)


def described(fault: BaseException) -> str:
    """Return an error with the place that raised it, and the last place in casebase."""
    frames = traceback.extract_tb(fault.__traceback__)
    ours = [frame for frame in frames if "casebase" in frame.filename and "/lab/" not in frame.filename]
    places = dict.fromkeys(f"{Path(f.filename).name}:{f.lineno}" for f in (*ours[-1:], *frames[-1:]))
    return f"{type(fault).__name__}: {str(fault)[:200]} ({', '.join(places)})"


def keep(data: bytes, name: str, crashers: Path | None, line: str) -> str:
    """Write the input of a fault, and what it said, to a folder; return the name of the file."""
    file = f"{name}-{hashlib.blake2b(data, digest_size=6).hexdigest()}"
    if crashers is not None:
        (crashers / file).write_bytes(data)
        (crashers / f"{file}.txt").write_text(line + "\n", encoding="utf-8", errors="backslashreplace")
    return file


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNITS


def _limit_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or hard > ADDRESSES:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, hard))


def _too_slow(number: int, frame: FrameType | None) -> NoReturn:
    raise TooSlowError(f"more than {2 * SLOW:.0f} s of processor time")


def report(results: Sequence[Result], seed: int) -> str:
    """Return the report of a run as Markdown."""
    total = Result("**all**")
    for one in results:
        total.tries += one.tries
        total.refused += one.refused
        total.read += one.read
        total.errors += one.errors
        total.seconds += one.seconds
        total.slowest = max(total.slowest, one.slowest)
        total.peak = max(total.peak, one.peak)
    lines = [f"# Fuzzing, seed {seed}", "", HEAD, *(one.row() for one in results), total.row()]
    faults = [f"- {one.name}: {fault}" for one in results for fault in one.faults]
    return "\n".join(lines + (["", "## Faults", "", *faults] if faults else [])) + "\n"
