"""Faults for trainings in parts: processes that are killed, slow or hungry, at a task of a stage that a test names.

`python -m tests.scale.faults STAGE NUMBER ARGUMENT...` runs the command line, and kills itself there; it waits for
a signal if the stage is "waiting".
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from casebase.confidence import held_out
from casebase.neighbours import class_distances
from casebase.scale import Resources, drawing
from casebase.scale.cluster import Cluster
from casebase.scale.engine import Engine, Here, Stage
from tests.scale.tables import SMALL

STAGES = ["reading", "counting", "adding", "coding", "sampling", "dividing", "sorting", "hashing", "drawing"]
STAGES += ["calibrating", "scoring"]


def task_of(stage: str) -> int:
    """Return the number of the task in which a process is killed: the counts of a few parts are added by one task."""
    return 0 if stage == "adding" else 1


ROWS = 100  # of a part
# With these, a calibration of a few hundred cases draws a sample, and all stages run.
SMALL_SAMPLES = [
    (drawing, "N_DRAWN", 150),
    (held_out, "LEFT_OUT", 60),
    (held_out, "FOLDED", {1: 25, 2: 25, 3: 25}),
    (class_distances, "LEFT_OUT", 40),
]
Fault = Callable[[str, int], None]  # called with a stage and the number of a task, when the task has done its work


@dataclass(frozen=True)
class Faulty:
    """An engine with a fault."""

    engine: Engine
    fault: Fault

    @property
    def n_workers(self) -> int:
        return self.engine.n_workers

    @property
    def n_processes(self) -> int:
        return self.engine.n_processes

    @property
    def worker_memory(self) -> int | None:
        return self.engine.worker_memory

    def run(self, stage: Stage, done: Callable[[], None]) -> list[Any]:
        task = partial(_with_fault, stage.task, self.fault, stage.name, len(stage.common))
        return self.engine.run(replace(stage, task=task, each=[(i, *own) for i, own in enumerate(stage.each)]), done)


def _with_fault(task: Callable[..., Any], fault: Fault, stage: str, n_common: int, *arguments: Any) -> Any:
    result = task(*arguments[:n_common], *arguments[n_common + 1 :])
    fault(stage, arguments[n_common])
    return result


@dataclass(frozen=True)
class KilledOnce:
    """The first process that comes to a task is killed there; a flag says that it happened."""

    stage: str
    number: int
    flag: Path

    def __call__(self, stage: str, number: int) -> None:
        if (stage, number) == (self.stage, self.number):
            try:
                self.flag.touch(exist_ok=False)
            except FileExistsError:
                return
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Counted:
    """Writes down which tasks were run."""

    log: Path

    def __call__(self, stage: str, number: int) -> None:
        with open(self.log, "a") as file:
            file.write(f"{stage} {number}\n")


@dataclass(frozen=True)
class Waiting:
    """Says that the second part was read, and works on without end, in short steps."""

    flag: Path

    def __call__(self, stage: str, number: int) -> None:
        if number == 1:
            self.flag.touch()
            time.sleep(1)


@dataclass(frozen=True)
class Slow:
    """Sleeps in the first task of every stage."""

    def __call__(self, stage: str, number: int) -> None:
        if number == 0:
            time.sleep(0.3)


@dataclass(frozen=True)
class Hungry:
    """Takes more memory than a worker has, in one task: the first time if there is a flag, otherwise always."""

    stage: str
    n_bytes: int
    flag: Path | None = None

    def __call__(self, stage: str, number: int) -> None:
        if (stage, number) != (self.stage, 0):
            return
        if self.flag is not None:
            try:
                self.flag.touch(exist_ok=False)
            except FileExistsError:
                return
        held = bytearray(os.urandom(1 << 20) * (self.n_bytes >> 20))
        time.sleep(30)  # until the nanny notices
        del held


@dataclass(frozen=True)
class FaultyResources(Resources):
    """Resources whose engine has a fault; a table is cut into parts of few rows."""

    fault: Fault | None = None

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        engine: Engine = Here(self.n_threads) if self.client is None else Cluster(self.client)
        yield engine if self.fault is None else Faulty(engine, self.fault)


def with_faults(fault: Fault | None = None, **others: Any) -> FaultyResources:
    return FaultyResources(SMALL, rows=ROWS, part_bytes=20 * ROWS, fault=fault, **others)


def faulty_command(patch: Callable[[Any, str, Any], None], fault: Fault | None) -> None:
    """Let the command line train with small parts, small samples and a fault."""
    import casebase.scale

    def resources(memory: int, scratch: Path | None, n_threads: int, *_: Any) -> Resources:
        return with_faults(fault, scratch=scratch, n_threads=n_threads)

    patch(casebase.scale, "Resources", resources)
    for module, name, value in SMALL_SAMPLES:
        patch(module, name, value)


if __name__ == "__main__":
    from casebase.cli import main

    stage, number, *sys.argv[1:] = sys.argv[1:]
    flag = Path(sys.argv[sys.argv.index("-o") + 1]).with_suffix(".killed")
    # The module that runs has another name than the one that is imported.
    from tests.scale import faults

    fault = faults.Waiting(flag) if stage == "waiting" else faults.KilledOnce(stage, int(number), flag)
    faults.faulty_command(setattr, fault)
    main()
