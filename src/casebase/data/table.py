"""A table on its way to becoming cases: named Arrow columns, one of them perhaps the class.

Files (`casebase.formats`) and data frames (`Cases.from_table`) meet here. A column is either a
dictionary array of strings (symbolic: the dictionary holds the distinct values, a null is a
missing value) or a float64 array (numeric). Arrow's dictionary encoding is already a coded
feature, so nothing is re-read from here on.
"""

from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True)
class Table:
    """Columns of equal length, as a file or a data frame gave them.

    `target` is the position of the class column, or None when the table has no class (or it is
    not known yet which column it is). `is_named` tells whether the names came with the data;
    otherwise they are made up (`f1`, `f2`, …, `class`) and only positions mean anything. `has_header` tells whether
    they were a line of a text.
    """

    names: tuple[str, ...]
    columns: tuple[pa.Array, ...]
    target: int | None = None
    is_named: bool = True
    has_header: bool = False

    def __post_init__(self) -> None:
        assert len(self.names) == len(self.columns)
        assert all(len(c) == self.n_rows for c in self.columns)

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0
