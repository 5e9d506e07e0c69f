"""Who runs the tasks: threads of this process, or the workers of a Dask cluster.

A task turns one part of the table, or one range of the sorted cases, into a file in the scratch folder. It is a
function of a few plain arguments, so that it can run in another process or on another machine which sees the same
folder. It writes a file under a temporary name and renames it, or bytes at a place that is known before: so a task that
is run twice, or that died in the middle, does no harm.
"""

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from casebase.scale.lean import bytes_of_files, released
from casebase.scale.stored import flushed, pickled, unpickled, write_whole

MAPPED = ".mapped"  # the suffix of a file with arguments that have mapped arrays
SHARE = 4  # a worker has this part of its memory for pages of mapped arrays
T = TypeVar("T")
Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Stage:
    """A task for many arguments: `common` come first, then those of `each`.

    With records, the result of each is kept in the folder, and a result that is there is not worked out again. A record
    is written when all files of its task are on the disk, so it holds even after a loss of power.
    """

    name: str
    task: Callable[..., Any]
    common: Arguments
    each: Sequence[Arguments]
    folder: Path
    has_records: bool = False

    def record(self, i: int) -> Path | None:
        return self.folder / f"done-{self.name}-{i:06}.pickle" if self.has_records else None


class Engine(Protocol):
    """Runs the tasks of a stage, which do not depend on each other."""

    @property
    def n_workers(self) -> int:
        """How many tasks run at a time."""
        ...

    @property
    def n_processes(self) -> int:
        """How many processes run them."""
        ...

    @property
    def worker_memory(self) -> int | None:
        """How many bytes a process may take, the least of all; None if nothing limits it."""
        ...

    def run(self, stage: Stage, done: Callable[[], None]) -> list[Any]:
        """Return the results of all tasks, in their order; `done` is called after each."""
        ...


@dataclass(frozen=True)
class Here:
    """Runs tasks in threads of this process."""

    n_workers: int = 1
    n_processes: ClassVar[int] = 1
    worker_memory: ClassVar[int | None] = None

    def run(self, stage: Stage, done: Callable[[], None]) -> list[Any]:
        def work(i: int) -> Any:
            return _recorded(stage.task, stage.common + stage.each[i], stage.record(i))

        numbers = range(len(stage.each))
        if self.n_workers == 1:
            return [_then(work(i), done) for i in numbers]
        with ThreadPoolExecutor(self.n_workers) as pool:
            futures = [pool.submit(work, i) for i in numbers]
            try:
                return [_then(future.result(), done) for future in futures]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _then(result: T, done: Callable[[], None]) -> T:
    done()
    return result


def shared_task(
    task: Callable[..., T], common: Path, own: Arguments, record: Path | None, memory: int | None = None
) -> T:
    """Run a task in another process, where the common arguments are read from a file, once for all tasks.

    Those that have mapped arrays are read by each task, so that no process keeps files that were removed. Of the
    `memory` of the process a quarter is for pages of them.
    """
    if common.suffix != MAPPED:
        return _recorded(task, _unpickled(common, common.stat().st_mtime_ns) + own, record)
    arguments, mapped = unpickled(common.read_bytes())
    if memory is None:
        return _recorded(task, arguments + own, record)
    with released(mapped, bytes_of_files() + memory // SHARE):
        return _recorded(task, arguments + own, record)


def write_common(path: Path, arguments: Arguments) -> Path:
    """Write the arguments that all tasks of a stage have to a file, and return its name."""
    data, has_mapped = pickled(arguments)
    path = path.with_suffix(MAPPED if has_mapped else path.suffix)
    write_whole(path, data)
    return path


@lru_cache(maxsize=4)
def _unpickled(path: Path, _: int) -> Arguments:
    arguments: Arguments = unpickled(path.read_bytes())[0]
    return arguments


def _recorded(task: Callable[..., T], arguments: Arguments, record: Path | None) -> T:
    if record is None:
        return task(*arguments)
    if record.exists():
        known: T = pickle.loads(record.read_bytes())
        return known
    with flushed():
        result = task(*arguments)
    with flushed():
        write_whole(record, pickle.dumps(result))
    return result
