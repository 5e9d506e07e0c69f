"""Who runs the tasks: threads of this process, or the workers of a Dask cluster."""

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from casebase.scale.stored import flushed, whole_file

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

    def run(self, stage: Stage, done: Callable[[], None]) -> list[Any]:
        """Return the results of all tasks, in their order; `done` is called after each."""
        ...


@dataclass(frozen=True)
class Here:
    """Runs tasks in threads of this process."""

    n_workers: int = 1
    n_processes: ClassVar[int] = 1

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


def shared_task(task: Callable[..., T], common: Path, own: Arguments, record: Path | None) -> T:
    """Run a task in another process, where the common arguments are read from a file, once for all tasks."""
    return _recorded(task, _unpickled(common, common.stat().st_mtime_ns) + own, record)


@lru_cache(maxsize=4)
def _unpickled(path: Path, _: int) -> Arguments:
    arguments: Arguments = pickle.loads(path.read_bytes())
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


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that appears when it is complete."""
    with whole_file(path) as temporary:
        temporary.write_bytes(data)
