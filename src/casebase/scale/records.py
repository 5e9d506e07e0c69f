"""The records of a model as a table in parts, in the order given, from which other models can learn again."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from casebase.base.leave_out import memory_of
from casebase.base.model import Model
from casebase.data import Cases
from casebase.data.features import decode_column
from casebase.errors import CasebaseError
from casebase.memory.store import Store

BLOCK = 100_000  # records of a batch


def check_records(model: Model) -> None:
    """Raise an error if a table of texts and numbers would not have all that the records of a model have."""
    memory = memory_of(model)
    if any(segment.counts is not None or segment.exemplars is not None for segment in memory.segments):
        raise CasebaseError("Records with weights need memory: leave out --memory, --workers and --scheduler.")
    if not all(isinstance(label, str) for label in model.schema.classes):
        raise CasebaseError("Classes that are not texts need memory: leave out --memory, --workers and --scheduler.")


def class_name(model: Model) -> str:
    """Return a name for the column of the class that no feature has."""
    name = model.schema.target
    while name in model.schema.names:
        name += "'"
    return name


def record_batches(model: Model, n_rows: int = BLOCK) -> Iterator[pa.RecordBatch]:
    """Yield the records that a model keeps, in the order given: its features, texts or numbers, and the class.

    Columns that were derived from others, such as the days of a date, are those of the model.
    """
    memory = memory_of(model)
    in_order = memory.in_given_order
    for begin in range(0, len(in_order), n_rows):
        segment = memory.part(in_order[begin : begin + n_rows])
        yield _batch(Store(model.schema, replace(memory, segments=(segment,)), None).cases(), class_name(model))


def _batch(cases: Cases, target: str) -> pa.RecordBatch:
    columns: dict[str, pa.Array] = {}
    for feature, column in zip(cases.schema.features, cases.columns, strict=True):
        if feature.kind == "numeric":
            columns[feature.name] = pa.array(np.asarray(column, dtype=float), from_pandas=True)
        elif feature.kind != "ignored":
            columns[feature.name] = _texts(decode_column(column, feature))
    columns[target] = _texts(pa.array([cases.schema.classes[label] for label in cases.known_labels.tolist()]))
    return pa.RecordBatch.from_pydict(columns)


def _texts(column: pa.Array) -> pa.Array:
    return column.cast(pa.string()).dictionary_encode()


def n_per_class(model: Model) -> np.ndarray:
    """Return how many records of each class a model keeps."""
    n_classes = len(model.schema.classes)
    segments = memory_of(model).segments
    counts = [np.bincount(each.labels[each.kept], minlength=n_classes) for each in segments]
    total: np.ndarray = np.sum(counts, axis=0)
    return total
