"""A table before it is encoded: named Arrow columns, one of which may be the class.

Readers of files (`casebase.formats`) and data frames (`Cases.from_table`) both produce it. A column is either a
dictionary array of strings (symbolic: the dictionary holds the distinct values, a null is a missing value) or a
float64 array (numeric). Arrow's dictionary encoding is already a coded feature, so no value is parsed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from casebase.data.arrays import as_integers
from casebase.data.arrow import pa
from casebase.data.notation import Notation, Notations, taken


@dataclass(frozen=True)
class Layout:
    """How the lines of a file are written: its format, and separator, width or decimal mark if not the format's own."""

    format: str
    separator: str | None = None
    width: int | None = None
    decimal: str | None = None

    @classmethod
    def from_dict(cls, record: Any) -> Layout:
        """Return the layout of a model file's record; an error unless it is one."""
        layout = cls(record["format"], record["separator"], record["width"], record.get("decimal"))
        if not isinstance(layout.format, str) or not isinstance(layout.separator, str | None):
            raise ValueError(f"the layout of the training file is not a record of one: {record!r}")
        if not isinstance(layout.width, int | None) or layout.decimal not in (None, ".", ","):
            raise ValueError(f"the layout of the training file is not a record of one: {record!r}")
        return layout


@dataclass(frozen=True)
class Written:
    """The columns of a text file as they are written there, and the character between two fields."""

    names: tuple[str, ...]
    columns: tuple[pa.Array, ...]
    separator: str


@dataclass(frozen=True)
class Table:
    """Columns of equal length, from a file or a data frame.

    `target` is the position of the class column, or None if the table has no class (or the class column is not
    known yet). If `is_named`, the names come from the data; otherwise they are generated (`f1`, `f2`, …, `class`) and
    only positions matter. If `has_header`, the names were the first line of a text file. `ids` are those of the rows,
    if a data frame or a column gives them; `layout` is that of the file. `recognised` has what was taken about the file
    although nobody said it and its name does not: an encoding, a separator, a sheet. A file that was read to be written
    again has its fields as they were `written`. `notations` has for each column how its numbers were written, if some
    were read from text.
    """

    names: tuple[str, ...]
    columns: tuple[pa.Array, ...]
    target: int | None = None
    is_named: bool = True
    has_header: bool = False
    ids: np.ndarray | None = None
    layout: Layout | None = None
    recognised: tuple[str, ...] = ()
    written: Written | None = None
    notations: Notations = ()

    def __post_init__(self) -> None:
        assert len(self.names) == len(self.columns)
        assert all(len(c) == self.n_rows for c in self.columns)
        assert not self.notations or len(self.notations) == len(self.columns)

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def notation(self, position: int) -> Notation | None:
        """Return how the numbers of a column were written; None unless they were read from text."""
        return self.notations[position] if self.notations else None

    def take(self, rows: np.ndarray) -> Table:
        """Return the table with these rows alone, without ids."""
        at = as_integers(rows)
        columns = tuple(column.take(at) for column in self.columns)
        return replace(self, columns=columns, notations=taken(self.notations, rows), ids=None, written=None)

    def first(self, n_rows: int) -> Table:
        """Return the table with its first rows alone."""
        return self.take(np.arange(n_rows))

    def select(self, positions: Sequence[int], target: int | None) -> Table:
        """Return the table with these columns alone; `target` is the place of the class among them."""
        return replace(
            self,
            names=tuple(self.names[i] for i in positions),
            columns=tuple(self.columns[i] for i in positions),
            notations=tuple(self.notations[i] for i in positions) if self.notations else (),
            target=target,
        )
