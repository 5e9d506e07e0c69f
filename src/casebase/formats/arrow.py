"""Parquet, Feather and Arrow IPC files, whose columns already have names and types."""

from __future__ import annotations

import re
from importlib import import_module

from casebase.data.arrays import as_buffer
from casebase.data.arrow import pa
from casebase.data.columns import symbolic_or_numeric
from casebase.errors import CasebaseError, FormatError
from casebase.formats.registry import Content, Options
from casebase.formats.source import Source

# The column in which pandas stores its row labels, which are not a feature.
_ROW_LABELS = re.compile(r"__index_level_[0-9]+__")


def read_columnar(source: Source, options: Options) -> Content:
    """Return the content of a Parquet or Feather file."""
    return Content(*read_arrow(source, options.format, n_threads=options.n_threads))


def read_arrow(source: Source, format: str, *, n_threads: int) -> tuple[list[str], list[pa.Array]]:
    """Return the names and the columns of a Parquet or Arrow file."""
    try:
        table = _table(source.data, format, use_threads=n_threads > 1)
        table.validate(full=True)  # a damaged file may contain codes and offsets out of bounds
    except (pa.ArrowException, OSError) as error:
        raise FormatError(
            f"{source.name}: the {format} file is truncated, damaged, or of another format ({error})."
        ) from None
    names, columns = [], []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if _ROW_LABELS.fullmatch(name):
            continue
        try:
            columns.append(symbolic_or_numeric(column, name))
        except CasebaseError as error:
            raise FormatError(f"{source.name}: {error}") from None
        names.append(name)
    if table.num_rows == 0 or not names:
        raise FormatError(f"{source.name} is empty: expected at least one row and one column.")
    return names, columns


def _table(data: bytes, format: str, *, use_threads: bool) -> pa.Table:
    reader = pa.BufferReader(as_buffer(data))
    if format == "parquet":
        # Imported only when needed: loading these two modules takes longer than reading most text files.
        return import_module("pyarrow.parquet").read_table(reader, use_threads=use_threads)
    if data.startswith((b"ARROW1", b"FEA1")):
        return import_module("pyarrow.feather").read_table(reader, use_threads=use_threads)
    return pa.ipc.open_stream(reader).read_all()
