"""The workers of a Dask cluster as an engine: the only place that imports Dask.

All workers must see the scratch folder under the same path. Dask runs a task again if its worker dies; since a task
that runs twice writes the same bytes to the same place, the result does not change.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from casebase.errors import CasebaseError
from casebase.formats.partitions import Partition
from casebase.scale.engine import Stage, shared_task, write_common
from casebase.scale.lean import waiting
from casebase.scale.scratch import LEAST

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")
NEEDED = "A cluster needs Dask: pip install 'casebase[scale]'."


@dataclass(frozen=True)
class Cluster:
    """Runs tasks on the workers of a cluster."""

    client: "Client"

    @property
    def n_processes(self) -> int:
        return max(1, len(self.client.nthreads()))

    @property
    def n_workers(self) -> int:
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    @property
    def worker_memory(self) -> int | None:
        workers = self.client.scheduler_info()["workers"].values()
        return min((worker["memory_limit"] for worker in workers if worker["memory_limit"]), default=None)

    def run(self, stage: Stage, done: Callable[[], None]) -> list[Any]:
        from distributed import KilledWorker, as_completed

        # The arguments that all tasks share may be large, vocabularies above all: they go through a file, once.
        common = write_common(stage.folder / f"common-{stage.name}.pickle", stage.common)
        # Tasks of the same key are one task for a scheduler, even those of two trainings.
        key = f"casebase {stage.name} {secrets.token_hex(8)}"
        futures = self._futures(stage, common, key)
        try:
            with waiting():
                for future in as_completed(futures, loop=self.client.loop):  # there may be another client
                    future.result()
                    done()
            return [future.result() for future in futures]
        except CasebaseError:
            raise
        except KilledWorker as error:
            raise CasebaseError(
                f"Worker after worker died in the stage {stage.name!r} ({error}). Perhaps their memory is too small: "
                "give them more, or pass a smaller --memory, so that less is held at a time."
            ) from error
        except FileNotFoundError as error:
            raise CasebaseError(
                f"A worker cannot find {error.filename}: all workers must see the data and the scratch folder "
                f"{stage.folder.parent} under the same paths."
            ) from error
        except Exception as error:
            at = next((i for i, future in enumerate(futures) if future.status == "error"), None)
            partition = None if at is None else _partition_in(stage.each[at])
            if partition is None:
                raise
            raise partition.not_computed(error) from error
        finally:
            self.client.cancel(futures)

    def _futures(self, stage: Stage, common: Path, key: str) -> list[Any]:
        """Submit all tasks; a partition that one reads is computed before, by a worker, and goes when it was read."""
        futures: dict[int, Any] = {}
        reads: dict[int, Any] = {}
        for i, own in enumerate(stage.each):
            record, partition = stage.record(i), _partition_in(own)
            if partition is not None and (record is None or not record.exists()):
                reads[i] = _read_of(partition, stage.task, common, own, record, (key, i))
                continue
            if partition is not None:  # what it became is on the disk
                own = tuple(partition.described() if one is partition else one for one in own)
            futures[i] = self.client.submit(own_task, stage.task, common, own, record, pure=False, key=(key, i))
        futures |= zip(reads, self.client.compute(list(reads.values())))  # one graph for all
        return [futures[i] for i in range(len(stage.each))]


def _read_of(
    partition: Partition,
    task: Callable[..., Any],
    common: Path,
    own: tuple[Any, ...],
    record: Path | None,
    key: tuple[str, int],
) -> Any:
    """Return a task on a partition, to be computed together with it."""
    from dask.delayed import delayed

    at = own.index(partition)
    rest = (*own[:at], partition.described(), *own[at + 1 :])
    return delayed(_task_on_partition)(task, common, rest, at, partition.content, record, dask_key_name=key)


def _partition_in(own: tuple[Any, ...]) -> Partition | None:
    """Return the partition among the arguments of a task that Dask must compute."""
    return next((one for one in own if isinstance(one, Partition) and not one.is_computed), None)


def _task_on_partition(
    task: Callable[..., Any], common: Path, own: tuple[Any, ...], at: int, content: Any, record: Path | None
) -> Any:
    """Run a task, one of whose arguments is a partition with this content."""
    computed = (*own[:at], own[at].with_content(content), *own[at + 1 :])
    return own_task(task, common, computed, record)


def own_task(task: Callable[..., T], common: Path, own: tuple[Any, ...], record: Path | None) -> T:
    """Run a task in a worker, with as many threads of Arrow as the worker has."""
    from distributed import get_worker

    worker = get_worker()
    if worker.nanny is not None:  # a process of its own
        pa.set_cpu_count(worker.state.nthreads)
    return shared_task(task, common, own, record, worker.memory_manager.memory_limit)


@contextmanager
def connected(scheduler: str | None, n_workers: int | None, memory: int | None) -> Iterator["Client"]:
    """Yield a client of a running scheduler, or of a new cluster of local processes."""
    try:
        from distributed import Client
    except ImportError:
        raise CasebaseError(NEEDED) from None
    if scheduler is not None:
        try:
            client = Client(scheduler, timeout="20s")
        except (OSError, ValueError, TimeoutError) as error:
            raise CasebaseError(
                f"There is no Dask scheduler at {scheduler} ({error}). Start one with `dask scheduler`, and workers "
                "with `dask worker ADDRESS`; the address looks like tcp://host:8786."
            ) from None
        with client:
            if not client.nthreads():
                raise CasebaseError(f"The scheduler at {scheduler} has no workers: start some with `dask worker`.")
            yield client
        return
    assert n_workers is not None
    with local_client(n_workers, memory) as client:
        yield client


@contextmanager
def local_client(n_workers: int, memory: int | None = None) -> Iterator["Client"]:
    """Yield a client of a new cluster of local processes, which take so much memory together."""
    from dask import config
    from distributed import Client, LocalCluster

    each = None if memory is None else memory // n_workers
    if each is not None and each < LEAST:
        raise CasebaseError(
            f"A worker needs at least {LEAST // 10**6}MB: for {n_workers}, pass --memory "
            f"{n_workers * LEAST // 10**6}MB or more, or have fewer workers."
        )
    # A worker that died begins anew, but is given up if that takes longer than this: a busy machine may need a while.
    patience = {"distributed.deploy.lost-worker-timeout": "10 minutes"}
    # Workers hold nothing that they could spill, so one with little memory left would pause for ever. Rather, one that
    # takes too much is ended and begins anew, and after a few times the training ends with an error.
    no_pause = {f"distributed.worker.memory.{name}": False for name in ("target", "spill", "pause")}
    with (
        config.set(patience),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            memory_limit="auto" if each is None else each,
            dashboard_address="127.0.0.1:0",
            config=no_pause,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
