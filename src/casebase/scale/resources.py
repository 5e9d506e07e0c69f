"""Who works, in how much memory, and on parts of which size."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casebase.formats.parts import PART_BYTES, Parts, open_parts
from casebase.scale.cluster import Cluster, connected
from casebase.scale.engine import Engine, Here
from casebase.scale.scratch import folder_in, identity_of

if TYPE_CHECKING:
    from distributed import Client

MOST_ROWS, FEWEST_ROWS = 1_000_000, 5_000  # of a part
# Bytes that a part takes for each row and column while it is read, counted or sorted, at the most, as measured.
BYTES_PER_VALUE = 40
BYTES_PER_BYTE = 12  # the same for each byte of text
MANY_COLUMNS = 50  # of a table that can be read only once, before it is read
SHARE = 0.75  # of the memory that parts may take; the rest is for vocabularies and counts
PROGRAM = 180_000_000  # bytes that the program and Arrow's readers take in each process
PARTS_PER_WORKER = 4  # of a small table, so that one slow part does not keep all waiting
FEWEST_BYTES = 1 << 20  # of a part of text


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


def opened(
    data: Any,
    options: Mapping[str, Any],
    resources: Resources,
    engine: Engine,
    folder: Path,
    *,
    is_spread: bool = False,
) -> Parts:
    """Return the table in parts as large as the memory allows, or no larger than in a run that is resumed.

    If it `is_spread`, all workers get some parts even of a small table.
    """
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
        part_rows = min(resources.rows_at_a_time(parts.n_columns, engine), most_rows)
        if is_spread and begun is None:
            share = -(-parts.n_bytes // (PARTS_PER_WORKER * engine.n_workers))
            largest = max(part.n_bytes for part in parts.parts)
            part_rows = min(part_rows, max(FEWEST_ROWS, part_rows * share // max(largest, 1)))
            part_bytes = min(part_bytes, max(FEWEST_BYTES, share))
        return parts.cut(part_bytes, part_rows)
    except BaseException:
        parts.close()
        raise
