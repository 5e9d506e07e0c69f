"""From files to a model file: open the parts, run the stages, save the model."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casebase import __version__, methods
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
from casebase.scale.scratch import scratch_folder

if TYPE_CHECKING:
    from distributed import Client

MOST_ROWS, FEWEST_ROWS = 1_000_000, 5_000  # of a part
# Bytes that a part takes for each row and column while it is read, counted or sorted, at the most, as measured.
BYTES_PER_VALUE = 24
BYTES_PER_BYTE = 12  # the same for each byte of text
MANY_COLUMNS = 50
SHARE = 0.5  # of the memory that parts may take; the rest is for vocabularies, counts and the program


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

    def rows_at_a_time(self, n_columns: int, n_workers: int) -> int:
        """Return how many rows a part should have, so that all workers together stay within the memory."""
        if self.rows is not None:
            return self.rows
        per_row = BYTES_PER_VALUE * max(1, n_columns)
        return max(FEWEST_ROWS, min(MOST_ROWS, int(SHARE * self.memory / n_workers / per_row)))


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
    with resources.engine() as engine:
        n_rows = resources.rows_at_a_time(_n_columns(data, options), engine.n_workers)
        part_bytes = min(PART_BYTES, int(SHARE * resources.memory / engine.n_workers / BYTES_PER_BYTE))
        # What can be read only once is kept beside the output, on the disk that must have the room.
        parts = open_parts(
            data, **options, part_rows=n_rows, part_bytes=resources.part_bytes or part_bytes, scratch=path.parent
        )
        identity = _identity(parts, method, settings, n_rows, roles)
        with parts, scratch_folder(path, resources.scratch, identity) as folder:
            work = Work(
                parts,
                folder,
                engine,
                progress,
                n_rows,
                has_records=resources.scratch is not None,
                memory=resources.memory,
            )
            model, calibration = learn(work, method, settings, roles)
            note(progress, "saving")
            trained = _trained(model, work)
            own = estimator(trained.table) if callable(estimator) else estimator
            methods.save(path, model, plain_parameters(dict(own or {})), calibration=calibration)
            return trained


def _n_columns(data: Any, options: Mapping[str, Any]) -> int:
    """Return the number of columns of a table that can be opened twice; a guess for one that cannot."""
    if not isinstance(data, str | os.PathLike | list) or data == "-":
        return MANY_COLUMNS
    with open_parts(data, **options, part_rows=FEWEST_ROWS, part_bytes=1 << 20) as parts:
        return max(1, len(parts.parts[0].read().columns))


def _trained(model: Model, work: Work) -> Trained:
    table = work.shape.table(work.first_part)
    return Trained(model.summary().size, work.n_cases, model.schema, table)


def _identity(parts: Parts, method: Method, settings: Settings, n_rows: int, roles: Roles) -> dict[str, object]:
    """Return what must be the same for a training that is resumed."""
    return {
        "version": __version__,
        "method": method.name,
        "settings": settings.to_dict(),
        "parts": [(part.name, part.n_bytes) for part in parts.parts],
        "given": asdict(parts.plan.given),
        "rows": n_rows,
        "roles": asdict(roles),
    }
