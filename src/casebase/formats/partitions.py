"""Partitions of a Dask data frame as parts of a table: each is computed where it is needed, and none is kept.

A frame is known by its protocol, so that nothing here imports Dask. A cluster computes the partitions on its workers
(`casebase.scale.cluster`); without one, this process computes one at a time.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from casebase.errors import CasebaseError, FormatError
from casebase.formats.arrow import content_of
from casebase.formats.columnar_parts import GIVEN, Part, arrow_table
from casebase.formats.plan import RawTable

_one_at_a_time = threading.Lock()


@dataclass(frozen=True, eq=False)
class Partition(Part):
    """A partition: how Dask computes it, or what it computed; `key` is its name in Dask."""

    key: str
    content: Any = None

    @property
    def is_computed(self) -> bool:
        return not is_delayed(self.content)

    def read(self, n_threads: int = 1) -> RawTable:
        frame = self.content if self.is_computed else self._computed()
        try:
            table = arrow_table(frame)
        except CasebaseError as error:
            raise FormatError(f"{self.name}: {error}") from None
        return RawTable.of(self.name, content_of(self.name, "arrow", table))

    def _computed(self) -> Any:
        with _one_at_a_time:
            try:
                return self.content.compute(scheduler="synchronous")
            except Exception as error:
                raise self.not_computed(error) from error

    def not_computed(self, error: Exception) -> FormatError:
        """Return the error that Dask could not compute this partition."""
        said = str(error).rstrip(".")
        return FormatError(f"{self.name} cannot be computed: {type(error).__name__}{f': {said}' if said else ''}.")

    def with_content(self, content: Any) -> "Partition":
        return replace(self, content=content)

    def described(self) -> "Partition":
        """Return what identifies this partition, without its content."""
        return replace(self, content=None)


def is_delayed(source: object) -> bool:
    """Return whether something is computed by Dask later."""
    return hasattr(source, "__dask_graph__") and hasattr(source, "compute")


def partitions_of(source: Any) -> list[Any] | None:
    """Return the partitions of a Dask data frame, or a list of delayed data frames; None for anything else."""
    if is_delayed(source) and hasattr(source, "to_delayed") and hasattr(source, "npartitions"):
        if not hasattr(source, "columns"):
            raise CasebaseError(
                f"Expected a Dask data frame, got {type(source).__name__}, which has no columns: convert it before "
                "(to_dataframe of a bag, to_dask_dataframe of an array)."
            )
        return list(source.to_delayed())
    if isinstance(source, Sequence) and len(source) > 0 and all(is_delayed(one) for one in source):
        return list(source)
    return None


def partition_parts(partitions: Sequence[Any]) -> list[Part]:
    """Return a part for each partition."""
    return [Partition(f"{GIVEN}, partition {i}", 0, str(one.key), one) for i, one in enumerate(partitions, 1)]
