"""The workers of a Dask cluster as an engine: the only place that imports Dask.

All workers must see the scratch folder under the same path. Dask runs a task again if its worker dies; since a task
that runs twice writes the same bytes to the same place, the result does not change.
"""

import pickle
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casebase.errors import CasebaseError
from casebase.scale.engine import Stage, shared_task, write_whole
from casebase.scale.scratch import LEAST

if TYPE_CHECKING:
    from distributed import Client

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

    def run(self, stage: Stage, done: Callable[[], None]) -> list[Any]:
        from distributed import KilledWorker, as_completed

        # The arguments that all tasks share may be large, vocabularies above all: they go through a file, once.
        common = stage.folder / f"common-{stage.name}.pickle"
        write_whole(common, pickle.dumps(stage.common))
        # Tasks of the same key are one task for a scheduler, even those of two trainings.
        key = f"casebase {stage.name} {secrets.token_hex(8)}"
        futures = [
            self.client.submit(shared_task, stage.task, common, own, stage.record(i), pure=False, key=(key, i))
            for i, own in enumerate(stage.each)
        ]
        try:
            for future in as_completed(futures):
                future.result()
                done()
            return [future.result() for future in futures]
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
        finally:
            self.client.cancel(futures)


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
