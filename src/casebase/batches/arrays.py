"""Predictions for tables of any size, an array for each part."""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from casebase import methods
from casebase.base.model import Model
from casebase.base.threads import n_cores
from casebase.data.labels import label_array
from casebase.errors import CasebaseError
from casebase.formats.parts import PART_BYTES, PART_ROWS, open_parts
from casebase.formats.passes import decided_tables

ModelOrPath = Any  # a path of a model file, a fitted estimator, or a model


def predict_parts(
    model: ModelOrPath,
    source: Any,
    *,
    n_jobs: int | None = None,
    part_bytes: int = PART_BYTES,
    part_rows: int = PART_ROWS,
    scratch: str | Path | None = None,
    **options: Any,
) -> Iterator[np.ndarray]:
    """Yield the predictions for a table of any size, an array for each part of it.

    Parameters
    ----------
    model : path, fitted estimator or model
        A model file, or what was learned in this process.
    source : path, list of paths, dataset, query or batches
        A path, a glob such as "new/*.parquet", "-" for standard input, or a list of paths; a dataset of pyarrow, a
        query of DuckDB, or an iterator of Arrow batches or data frames.
    n_jobs : int, optional
        Number of threads; all cores by default.
    part_bytes, part_rows : int
        The size of a part: bytes of text, or rows of a format with types.
    scratch : path, optional
        The folder for temporary files.
    **options
        How the files are read, as for `read_cases`: format, header, separator, encoding, ….

    Examples
    --------
    >>> import casebase as cb
    >>> clf = cb.IB1Classifier().fit([["red"], ["green"]], ["stop", "go"])
    >>> [part.tolist() for part in cb.predict_parts(clf, b"red\\ngreen\\nred\\n", part_bytes=8, format="columns")]
    [['stop', 'go'], ['stop']]
    """
    learned, classes = _model_and_classes(model)
    n_threads = n_cores() if n_jobs is None else n_jobs
    options |= {"part_bytes": part_bytes, "part_rows": part_rows, "scratch": scratch}
    with open_parts(source, schema=learned.schema, **options) as parts:
        for table in decided_tables(parts, n_threads):
            yield classes[learned.answer(learned.schema.encode(table), n_jobs=n_threads).label]


def _model_and_classes(model: ModelOrPath) -> tuple[Model, np.ndarray]:
    if isinstance(model, str | PathLike):
        model = methods.load(model).model
    elif hasattr(model, "model_"):  # a fitted estimator
        return model.model_, model.classes_
    if not (hasattr(model, "answer") and hasattr(model, "schema")):
        raise CasebaseError(
            f"Expected the path of a model file, a fitted estimator or a model, got {type(model).__name__}."
        )
    return model, label_array(model.schema.classes)
