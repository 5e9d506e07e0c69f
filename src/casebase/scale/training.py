"""From files to a model file: open the parts, run the stages, save the model."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casebase import methods
from casebase.base.method import Method
from casebase.base.model import Model
from casebase.base.parameters import plain_parameters
from casebase.base.settings import Settings
from casebase.data import Schema
from casebase.data.roles import Roles
from casebase.data.table import Table
from casebase.errors import CasebaseError
from casebase.formats.parts import PART_BYTES, Parts, open_parts
from casebase.progress import Progress, note
from casebase.scale.cluster import Cluster, connected
from casebase.scale.engine import Engine, Here
from casebase.scale.fitting import Work, check_learner, learn
from casebase.scale.identity import identity_for
from casebase.scale.lean import released
from casebase.scale.scratch import disk_errors, folder_in, identity_of, scratch_folder

if TYPE_CHECKING:
    from distributed import Client

MOST_ROWS, FEWEST_ROWS = 1_000_000, 5_000  # of a part
# Bytes that a part takes for each row and column while it is read, counted or sorted, at the most, as measured.
BYTES_PER_VALUE = 40
BYTES_PER_BYTE = 12  # the same for each byte of text
MANY_COLUMNS = 50  # of a table that can be read only once, before it is read
SHARE = 0.75  # of the memory that parts may take; the rest is for vocabularies and counts
PROGRAM = 180_000_000  # bytes that the program and Arrow's readers take in each process


@dataclass(frozen=True, eq=False)
class Trained:
    """What a training has made: the model, whose arrays were files and are not there any more, and its table."""

    size: str
    n_cases: int
    schema: Schema
    table: Table

    @property
    def n_features(self) -> int:
        return len(self.schema.features)

    @property
    def n_classes(self) -> int:
        return len(self.schema.classes)


@dataclass(frozen=True)
class Resources:
    """How much memory all workers together may take, where scratch files go, and who works."""

    memory: int
    scratch: Path | None = None
    n_threads: int = 1
    workers: int | None = None
    scheduler: str | None = None
    client: "Client | None" = None
    rows: int | None = None  # of a part; by default as many as the memory allows
    part_bytes: int | None = None  # of text, the same

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        """Yield who runs the tasks."""
        if self.client is not None:
            yield Cluster(self.client)
        elif self.scheduler is not None or self.workers is not None:
            with connected(self.scheduler, self.workers, self.memory) as client:
                yield Cluster(client)
        else:
            yield Here(self.n_threads)

    def for_a_part(self, engine: Engine) -> float:
        """Return how much memory a part may take while a task works on it."""
        return SHARE * max(self.memory - PROGRAM * engine.n_processes, self.memory / 4) / engine.n_workers

    def rows_at_a_time(self, n_columns: int, engine: Engine) -> int:
        """Return how many rows a part should have, so that all workers together stay within the memory."""
        if self.rows is not None:
            return self.rows
        per_row = BYTES_PER_VALUE * max(1, n_columns)
        return max(FEWEST_ROWS, min(MOST_ROWS, int(self.for_a_part(engine) / per_row)))

    def bytes_at_a_time(self, engine: Engine) -> int:
        """Return how many bytes of text a part should have."""
        return self.part_bytes or min(PART_BYTES, int(self.for_a_part(engine) / BYTES_PER_BYTE))


def train(
    data: Any,
    output: str | os.PathLike[str],
    method: Method,
    settings: Settings,
    resources: Resources,
    *,
    roles: Roles = Roles(),  # noqa: B008  # it is frozen
    estimator: Mapping[str, Any] | Callable[[Table], Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Trained:
    """Train a model on the parts of a table and save it; `options` are those of `read_table`.

    `estimator` has the parameters to save for an estimator, or makes them from the table's columns.
    """
    check_learner(method, settings)
    path = Path(output)
    if not path.parent.is_dir():
        raise CasebaseError(f"Cannot write {path}: there is no folder {path.parent}.")
    beside = path.parent.resolve()  # workers of a cluster have other working folders
    with (
        disk_errors(beside / path.name),
        resources.engine() as engine,
        _opened(data, options, resources, engine, beside) as parts,
    ):
        is_resumable = resources.scratch is not None
        identity = identity_for(parts, method, settings, roles) if is_resumable else {}
        with scratch_folder(path, resources.scratch, identity) as folder, disk_errors(folder):
            _, n_rows = parts.sizes
            work = Work(parts, folder, engine, progress, n_rows, has_records=is_resumable, memory=resources.memory)
            with released(work.mapped, resources.memory // 8):
                model, calibration = learn(work, method, settings, roles)
                note(progress, "saving")
                trained = _trained(model, work)
                own = estimator(trained.table) if callable(estimator) else estimator
                methods.save(path, model, plain_parameters(dict(own or {})), calibration=calibration)
            return trained


def _opened(data: Any, options: Mapping[str, Any], resources: Resources, engine: Engine, folder: Path) -> Parts:
    """Return the table in parts as large as the memory allows, or no larger than in a training that is resumed."""
    part_bytes, most_rows = resources.bytes_at_a_time(engine), MOST_ROWS
    begun = None if resources.scratch is None else identity_of(folder_in(resources.scratch))
    match (begun or {}).get("memory or workers"):
        case [int(n_bytes), int(n_rows)]:
            part_bytes, most_rows = min(part_bytes, n_bytes), n_rows
    # What can be read only once is kept beside the output, on the disk that must have the room.
    part_rows = min(resources.rows_at_a_time(MANY_COLUMNS, engine), most_rows)
    parts = open_parts(data, **options, part_rows=part_rows, part_bytes=part_bytes, scratch=folder)
    if not parts.files:
        return parts
    try:
        return parts.cut(part_bytes, min(resources.rows_at_a_time(parts.n_columns, engine), most_rows))
    except BaseException:
        parts.close()
        raise


def _trained(model: Model, work: Work) -> Trained:
    table = work.shape.table(work.first_part)
    return Trained(model.summary().size, work.n_cases, model.schema, table)
