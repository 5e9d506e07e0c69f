"""How long Ctrl-C is not heard: in everything of the library that takes long, and in the commands.

`python -m lab.faults.interrupts` lets each kind of work run in a child of this process, in which a timer sends a signal
fifty times a second. Python's handler notes when it is called: the longest time between two calls is the longest time
for which Ctrl-C would not be heard, wherever in the work it comes. The place is where Python was when it heard again.
With `--times` each kind is run so many times more, and gets a real SIGINT at a random moment: the time until
KeyboardInterrupt has left the work includes what is put away then.
"""

import argparse
import os
import random
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType, TracebackType

from lab.faults.long_work import KINDS, Work

TICK = 0.02
MOST = 1.0  # seconds for which a signal may not be heard


class Enough(BaseException):
    """Ends work that takes longer than it is watched."""


@dataclass
class Deafness:
    """The longest times in which a handler was not called, at each place: seconds of the processor, and of the clock.

    Of two threads' seconds on the processor the clock's are the right ones, and of a busy machine's clock the
    processor's: the less of both counts.
    """

    longest: dict[str, tuple[float, float]] = field(default_factory=dict)
    began: float = field(default_factory=time.perf_counter)
    until: float = float("inf")
    _last: tuple[float, float] = (0.0, 0.0)

    def __enter__(self) -> "Deafness":
        signal.signal(signal.SIGALRM, self._hear)
        self._last = time.perf_counter(), time.process_time()
        self.began = self._last[0]
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, where: TracebackType | None) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._note(None)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._note(frame)
        if self._last[0] - self.began > self.until:
            self.until = float("inf")  # a signal may be waiting already
            raise Enough

    def _note(self, frame: FrameType | None) -> None:
        now = time.perf_counter(), time.process_time()
        seconds, processor = now[0] - self._last[0], now[1] - self._last[1]
        place = _place(frame)
        self.longest[place] = max(self.longest.get(place, (0.0, 0.0)), (min(seconds, processor), seconds))
        self._last = now


def _place(frame: FrameType | None) -> str:
    """Return the innermost places of this package that a frame was called from."""
    places: list[str] = []
    while frame is not None and len(places) < 3:
        name = frame.f_code.co_filename
        if "casebase" in name:
            places.append(f"{name.rpartition('casebase/')[2]}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return " < ".join(places) or "the end"


def in_child(run: Callable[[], str], until: Callable[[int], None] = lambda child: None) -> str:
    """Return what a function returns in a child of this process; `until` is called with the child meanwhile."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        said = "failed"
        try:
            warnings.simplefilter("ignore")
            said = run()
        except BaseException as error:
            said = f"failed: {type(error).__name__}: {error}"
            traceback.print_exc()
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    until(child)
    with open(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def deafness(work: Work, until: float) -> str:
    """Run a work, for so long at most, and describe its longest deafness."""

    def run() -> str:
        ended = ""
        with Deafness(until=until) as deaf:
            try:
                work()
            except Enough:
                ended = "+"
        worst = sorted(((*taken, place) for place, taken in deaf.longest.items()), reverse=True)
        shown = [worst[0], *(each for each in worst[1:5] if each[0] > MOST / 2)]
        places = [f"{processor:.2f}\t{seconds:.2f}\t{place}" for processor, seconds, place in shown]
        return "\n".join([f"{time.perf_counter() - deaf.began:.1f}{ended}", *places])

    return in_child(run)


def latency(work: Work, after: float) -> float | None:
    """Return the seconds from a SIGINT until the work has ended; None if it had ended before."""
    sent = 0.0

    def run() -> str:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            work()
        except KeyboardInterrupt:
            return f"heard {time.monotonic()}"
        return f"ended {time.monotonic()}"

    def interrupt(child: int) -> None:
        nonlocal sent
        time.sleep(after)
        sent = time.monotonic()
        os.kill(child, signal.SIGINT)

    said, _, moment = in_child(run, interrupt).partition(" ")
    return float(moment) - sent if said in ("heard", "ended") and float(moment) > sent else None


def lines(names: list[str], *, times: int, until: float, seed: int) -> Iterator[str]:
    """Yield a line for each kind of work; one that is too long deaf begins with FAULT."""
    chance = random.Random(seed)
    for name in names:
        work = KINDS[name]()
        said = deafness(work, until)
        if said.startswith("failed"):
            yield f"FAULT {name}: {said}"
            continue
        seconds, *places = said.splitlines()
        taken = [latency(work, chance.uniform(0, float(seconds.rstrip("+")))) for _ in range(times)]
        heard = max([each for each in taken if each is not None], default=0.0)
        for i, each in enumerate(places):
            deaf, clock, place = each.split("\t")
            shown = f"{'FAULT ' if float(deaf) > MOST else ''}{name}"
            yield f"{shown:<44} {'' if i else seconds:>7} {deaf:>6} {clock:>6} {heard:>6.2f}  {place}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", help="only kinds whose name contains this; repeatable")
    parser.add_argument("--times", type=int, default=0, help="number of real interruptions of each kind (default 0)")
    parser.add_argument("--until", type=float, default=60.0, help="seconds for which a kind is watched at most")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    names = [name for name in KINDS if given.kind is None or any(part in name for part in given.kind)]
    print(f"{'work':<44} {'seconds':>7} {'deaf':>6} {'clock':>6} {'heard':>6}  place", flush=True)
    has_faults = False
    for line in lines(names, times=given.times, until=given.until, seed=given.seed):
        has_faults |= line.startswith("FAULT")
        print(line, flush=True)
    sys.exit(has_faults)


if __name__ == "__main__":
    main()
