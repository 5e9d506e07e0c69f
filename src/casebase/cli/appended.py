"""The columns of a file with answers added, as CSV or TSV."""

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa

from casebase.data import Schema, Table
from casebase.data.columns import as_text


def with_answers(table: Table, schema: Schema, labels: Sequence[str], shares: np.ndarray | None) -> str:
    """Return the fields of a table as its file has them, each row with its answer and, if given, the class shares.

    The column of the answers has the name of the class; if the table has a class already, it is `prediction`.
    """
    assert table.written is not None
    text = io.StringIO()
    writer = csv.writer(text, delimiter=table.written.separator, lineterminator="\n")
    if table.is_named:
        has_class = table.target is not None or schema.target in table.names
        names = [*table.names, _free("prediction" if has_class else schema.target, table.names)]
        names += [] if shares is None else [_free(f"p({label})", table.names) for label in schema.classes]
        writer.writerow(names)
    columns = [_fields(column) for column in table.written.columns]
    of_classes: Iterable[list[str]] = [[]] * len(labels)
    if shares is not None:
        of_classes = ([f"{share:.6g}" for share in row] for row in shares)
    for row, label, added in zip(zip(*columns), labels, of_classes):
        writer.writerow(chain(row, (label,), added))
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
