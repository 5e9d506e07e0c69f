"""The columns of a file with answers added, as CSV or TSV."""

import io
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa

from casebase.data import Schema, Table
from casebase.data.columns import as_text
from casebase.formats.written import row_writer


def with_answers(
    table: Table,
    schema: Schema,
    labels: Sequence[str],
    sets: Sequence[str] | None,
    shares: np.ndarray | None,
    *,
    is_first: bool = True,
) -> str:
    """Return the fields of a table as its file has them, each row with its answer, its set and the class shares.

    The column of the answers has the name of the class; if the table has a class already, it is `prediction`. Only the
    first part of a table has the names of the columns.
    """
    assert table.written is not None
    text = io.StringIO()
    writer = row_writer(text, table.written.separator)
    if table.is_named and is_first:
        taken = table.written.names
        has_class = table.target is not None or schema.target in taken
        added = ["prediction" if has_class else schema.target, *([] if sets is None else ["set"])]
        added += [] if shares is None else [f"p({label})" for label in schema.classes]
        writer.writerow([*taken, *(_free(name, taken) for name in added)])
    columns = [_fields(column) for column in table.written.columns]
    of_sets: Iterable[Sequence[str]] = [()] * len(labels) if sets is None else ((one,) for one in sets)
    of_classes: Iterable[list[str]] = [[]] * len(labels)
    if shares is not None:
        of_classes = ([f"{share:.6g}" for share in row] for row in shares)
    for row, label, of_set, of_class in zip(zip(*columns), labels, of_sets, of_classes):
        writer.writerow(chain(row, (label,), of_set, of_class))
    return text.getvalue()


def _fields(column: pa.Array) -> list[str]:
    return ["" if field is None else field for field in as_text(column).to_pylist()]


def _free(name: str, taken: Sequence[str]) -> str:
    """Return a name that no column has."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
