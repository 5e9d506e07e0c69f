"""Parquet, Feather and Arrow IPC files, whose columns already have names and types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from casebase.data.arrays import as_buffer
from casebase.data.arrow import pa
from casebase.data.columns import symbolic_or_numeric
from casebase.errors import CasebaseError, FormatError
from casebase.formats.facts import ColumnFacts, family_of
from casebase.formats.registry import Content, Options
from casebase.formats.source import Source

FIRST_VERSION = b"FEA1"
_ROW_LABELS = re.compile(r"__index_level_[0-9]+__")


def read_columnar(source: Source, options: Options) -> Content:
    """Return the content of a Parquet or Feather file."""
    refuse_first_version(source.name, source.data)
    with errors_in(source.name, options.format):
        table = _table(source.data, options.format, use_threads=options.n_threads > 1)
    return content_of(source.name, options.format, table)


def refuse_first_version(name: str, data: bytes) -> None:
    """Refuse a file of Feather's first version: Arrow reads it unchecked, and a damaged one ends the process."""
    if data.startswith(FIRST_VERSION):
        raise FormatError(
            f"{name} is a file of Feather's first version, which programs wrote until 2020 and which cannot be checked "
            "for damage. Write it anew with the program that made it: as Parquet, or in version 2 of Feather."
        )


@contextmanager
def errors_in(name: str, format: str) -> Iterator[None]:
    """Name the file in Arrow's errors."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last if a name is not UTF-8
        raise FormatError(f"{name}: the {format} file is truncated, damaged, or of another format ({error}).") from None


def content_of(name: str, format: str, table: pa.Table | pa.RecordBatch) -> Content:
    """Return the columns of an Arrow table as symbols or numbers, and their facts."""
    with errors_in(name, format):
        table.validate(full=True)  # a damaged file may contain codes and offsets out of bounds
        all_names = table.schema.names
    names, columns = [], []
    for column_name, column in zip(all_names, table.columns, strict=True):
        if is_row_label(column_name):
            continue
        try:
            columns.append(symbolic_or_numeric(column, column_name))
        except CasebaseError as error:
            raise FormatError(f"{name}: {error}") from None
        names.append(column_name)
    facts = [_facts(field.type, column) for field, column in zip(fields_of(table.schema), columns)]
    return Content(names, columns, facts, n_rows=table.num_rows)


def is_row_label(name: str) -> bool:
    """Return whether a column has the row labels of pandas, which are not a feature."""
    return _ROW_LABELS.fullmatch(name) is not None


def fields_of(schema: pa.Schema) -> list[pa.Field]:
    """Return the columns of a file, without row labels."""
    return [field for field in schema if not is_row_label(field.name)]


def _facts(kind: pa.DataType, column: pa.Array) -> ColumnFacts:
    order = None
    if pa.types.is_dictionary(column.type) and column.type.ordered:
        order = tuple(column.dictionary.to_pylist())
    return ColumnFacts(family=family_of(kind), order=order)


def _table(data: bytes, format: str, *, use_threads: bool) -> pa.Table:
    reader = pa.BufferReader(as_buffer(data))
    if format == "parquet":
        # Imported only when needed: loading these two modules takes longer than reading most text files.
        return import_module("pyarrow.parquet").read_table(reader, use_threads=use_threads)
    if data.startswith(b"ARROW1"):
        return import_module("pyarrow.feather").read_table(reader, use_threads=use_threads)
    return pa.ipc.open_stream(reader).read_all()
