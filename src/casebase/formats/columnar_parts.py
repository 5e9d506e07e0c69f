"""Parts of tables that have types already: row groups of Parquet, record batches of Arrow files, and any batches.

Batches that can be read only once (a query of DuckDB, an iterator) are written to a temporary folder, a file for each
part, so that parts can be read again, in any order and by other processes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pyarrow as pa

from casebase.data.columns import as_text
from casebase.data.tables import as_table
from casebase.errors import CasebaseError, FormatError
from casebase.formats.arrow import content_of, errors_in, fields_of
from casebase.formats.facts import ColumnFacts, check_columns, family_of
from casebase.formats.plan import RawTable
from casebase.formats.stored import Scratch, Stored

GIVEN = "the given table"  # a source without a name


@dataclass(frozen=True)
class Part:
    """A part of a table: its name for messages, and about how many bytes it has. It can be sent to other processes."""

    name: str
    n_bytes: int

    def read(self, n_threads: int = 1) -> RawTable:
        """Return the columns of this part alone, as the file has them."""
        raise NotImplementedError

    def described(self) -> "Part":
        """Return what identifies this part, without content that it holds."""
        return self


@dataclass(frozen=True)
class ParquetPart(Part):
    """Some row groups of a Parquet file, or the rows `start` to `stop` of one."""

    file: Stored
    groups: tuple[int, ...]
    start: int = 0
    stop: int | None = None

    def read(self, n_threads: int = 1) -> RawTable:
        with errors_in(self.name, "parquet"):
            if self.stop is None:
                table = _parquet(self.file).read_row_groups(list(self.groups), use_threads=n_threads > 1)
            else:
                table = _rows(self.file, self.groups[0], self.start, self.stop, n_threads)
        return RawTable.of(self.name, content_of(self.name, "parquet", table))


@dataclass(frozen=True)
class ArrowPart(Part):
    """The record batches `first` to `last - 1` of an Arrow file, or the rows `start` to `stop` of one."""

    file: Stored
    first: int
    last: int
    start: int = 0
    stop: int | None = None

    def read(self, n_threads: int = 1) -> RawTable:
        with errors_in(self.name, "feather"):
            reader = pa.ipc.open_file(self.file.arrow())
            batches = [reader.get_batch(i) for i in range(self.first, self.last)]
            table = pa.Table.from_batches(batches, reader.schema)
            if self.stop is not None:
                table = table.slice(self.start, self.stop - self.start)
        return RawTable.of(self.name, content_of(self.name, "feather", table))


@dataclass(frozen=True)
class StreamPart(Part):
    """A part in a temporary file of its own."""

    path: str

    def read(self, n_threads: int = 1) -> RawTable:
        with errors_in(self.name, "arrow"), pa.memory_map(self.path) as file:
            table = pa.ipc.open_stream(file).read_all()
            return RawTable.of(self.name, content_of(self.name, "arrow", table))


@dataclass(frozen=True)
class FragmentPart(Part):
    """A row group of a dataset of Parquet files; the dataset's folders may give some of its columns."""

    fragment: Any
    schema: pa.Schema

    def read(self, n_threads: int = 1) -> RawTable:
        with errors_in(self.name, "parquet"):
            table = self.fragment.to_table(schema=self.schema, use_threads=n_threads > 1)
        return RawTable.of(self.name, content_of(self.name, "parquet", table))


def parquet_parts(file: Stored, part_rows: int, part_bytes: int) -> tuple[pa.Schema, list[Part]]:
    """Return the columns and the parts of a Parquet file: small row groups together, large ones in slices."""
    with errors_in(file.name, "parquet"):
        opened = _parquet(file)
        schema = opened.schema_arrow
        groups = [opened.metadata.row_group(i) for i in range(opened.num_row_groups)]
        sizes = [(group.num_rows, group.total_byte_size) for group in groups]
    parts: list[Part] = []
    held: list[int] = []

    def end_part() -> None:
        if held:
            n_bytes = sum(sizes[i][1] for i in held)
            parts.append(ParquetPart(_called(file.name, "row group", held, len(sizes)), n_bytes, file, tuple(held)))
            held.clear()

    for i, (n_rows, n_bytes) in enumerate(sizes):
        if n_rows > part_rows:
            end_part()
            for start in range(0, n_rows, part_rows):
                stop = min(start + part_rows, n_rows)
                name = f"{_called(file.name, 'row group', [i], len(sizes))}, rows {start + 1:,} to {stop:,}"
                parts.append(ParquetPart(name, n_bytes * (stop - start) // n_rows, file, (i,), start, stop))
        elif n_rows:
            n_held, n_held_bytes = (sum(sizes[j][k] for j in held) for k in (0, 1))
            if n_held + n_rows > part_rows or n_held_bytes + n_bytes > part_bytes:
                end_part()
            held.append(i)
    end_part()
    return schema, parts


def arrow_parts(file: Stored, part_rows: int) -> tuple[pa.Schema, list[Part]]:
    """Return the columns and the parts of a Feather or Arrow file: small batches together, large ones in slices.

    All batches of a file are taken to be about as large as the first, as programs write them: a compressed batch tells
    its size only when it is read.
    """
    with errors_in(file.name, "feather"):
        reader = pa.ipc.open_file(file.arrow())
        n_batches = reader.num_record_batches
        n_rows = reader.get_batch(0).num_rows if n_batches else 0
        parts: list[Part] = []
        n_bytes = file.size // max(n_batches, 1)
        if n_rows <= part_rows:
            step = max(part_rows // max(n_rows, 1), 1)
            for first in range(0, n_batches, step):
                last = min(first + step, n_batches)
                name = _called(file.name, "batch", range(first, last), n_batches)
                parts.append(ArrowPart(name, n_bytes * (last - first), file, first, last))
            return reader.schema, parts
        for i in range(n_batches):
            n_rows = reader.get_batch(i).num_rows
            for start in range(0, n_rows, part_rows):
                stop = min(start + part_rows, n_rows)
                name = f"{_called(file.name, 'batch', [i], n_batches)}, rows {start + 1:,} to {stop:,}"
                parts.append(ArrowPart(name, n_bytes * (stop - start) // n_rows, file, i, i + 1, start, stop))
        return reader.schema, parts


def is_dataset(source: object) -> bool:
    return hasattr(source, "get_fragments") and hasattr(source, "schema")


def dataset_parts(dataset: Any, scratch: Scratch, part_rows: int) -> list[Part]:
    """Return the parts of a dataset of pyarrow: row groups of Parquet; any other is written to temporary files."""
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # it is filtered
        fragments = [None]
    if not all(hasattr(fragment, "split_by_row_group") for fragment in fragments):
        return batch_parts(dataset.to_batches(), scratch, part_rows)
    parts: list[Part] = []
    with errors_in(GIVEN, "parquet"):
        for fragment in fragments:
            for one in fragment.split_by_row_group():
                group = one.row_groups[0]
                if group.num_rows:
                    name = f"{fragment.path}, row group {group.id + 1}"
                    parts.append(FragmentPart(name, group.total_byte_size, one, dataset.schema))
    return parts


def batches_of(source: Any) -> Iterable[Any] | None:
    """Return the batches of a query of DuckDB, a reader, a table or an iterator; None if it has none."""
    for method in ("to_arrow_reader", "fetch_record_batch"):  # a relation of DuckDB; the second of an older one
        if hasattr(source, method):
            reader: Iterable[Any] = getattr(source, method)()
            return reader
    if isinstance(source, pa.Table | pa.RecordBatch):
        return [source]
    if hasattr(source, "iloc"):  # pandas: columns may mix types
        return [source]
    if hasattr(source, "__arrow_c_stream__"):
        stream: Iterable[Any] = pa.RecordBatchReader.from_stream(source)
        return stream
    return source if isinstance(source, Iterable) else None


def batch_parts(batches: Iterable[Any], scratch: Scratch, part_rows: int) -> list[Part]:
    """Write batches to temporary files, one for each part, and return the parts."""
    parts: list[Part] = []
    first: tuple[str, list[pa.Field]] | None = None
    for i, table in enumerate(_of_size(batches, part_rows), 1):
        name = f"{GIVEN}, part {i}"
        fields = fields_of(table.schema)
        if first is None:
            first = name, fields
        check_fields(name, fields, *first)
        path = scratch.new_path()
        with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
        parts.append(StreamPart(name, table.nbytes, path))
    return parts


def check_fields(name: str, fields: list[pa.Field], first: str, first_fields: list[pa.Field]) -> None:
    """Raise an error unless a file has the columns of the first one, of the same types."""
    check_columns(name, *_names_and_families(fields), first, *_names_and_families(first_fields))


def _names_and_families(fields: list[pa.Field]) -> tuple[list[str], list[ColumnFacts]]:
    return [field.name for field in fields], [ColumnFacts(family=family_of(field.type)) for field in fields]


def _of_size(batches: Iterable[Any], part_rows: int) -> Iterator[pa.Table]:
    """Yield tables of at most so many rows: small batches joined, large ones sliced."""
    held: list[pa.Table] = []
    n_held = 0
    for batch in batches:
        table = arrow_table(batch)
        if held and (n_held + table.num_rows > part_rows or table.schema != held[0].schema):
            yield pa.concat_tables(held)
            held, n_held = [], 0
        while table.num_rows > part_rows:
            yield table.slice(0, part_rows)
            table = table.slice(part_rows)
        if table.num_rows:
            held.append(table)
            n_held += table.num_rows
    if held:
        yield pa.concat_tables(held)


def arrow_table(batch: Any) -> pa.Table:
    """Return a batch of Arrow, or a data frame, as a table."""
    if isinstance(batch, pa.Table):
        return batch
    if isinstance(batch, pa.RecordBatch):
        return pa.Table.from_batches([batch])
    if isinstance(batch, str | bytes) or not (hasattr(batch, "iloc") or hasattr(batch, "__arrow_c_stream__")):
        raise CasebaseError(f"Expected batches of a table (pyarrow, pandas, polars), got {type(batch).__name__}.")
    table = as_table(batch)
    columns = [
        as_text(column) if pa.types.is_dictionary(column.type) and not column.type.ordered else column
        for column in table.columns
    ]
    return pa.Table.from_arrays(columns, names=list(table.names))


def _called(name: str, what: str, numbers: Any, n_all: int) -> str:
    """Return the name of a part; a file that is one part has its own."""
    if len(numbers) == n_all:
        return name
    first, last = numbers[0] + 1, numbers[-1] + 1
    plural = {"batch": "batches"}.get(what, f"{what}s")
    return f"{name}, {what} {first:,}" if first == last else f"{name}, {plural} {first:,} to {last:,}"


def _parquet(file: Stored) -> Any:
    # Imported only when needed: loading this module takes longer than reading most text files.
    return import_module("pyarrow.parquet").ParquetFile(file.arrow())


# Parquet cannot be entered in the middle of a row group: whoever reads the slices of one in their order continues here.
_continued: dict[tuple[Stored, int], tuple[int, Iterator[pa.RecordBatch]]] = {}


def _rows(file: Stored, group: int, start: int, stop: int, n_threads: int) -> pa.Table:
    """Return rows of a large row group, without holding the others."""
    key = (file, group)
    at, batches = _continued.pop(key, (start + 1, iter(())))
    if at != start:
        at = 0
        batches = _parquet(file).iter_batches(row_groups=[group], batch_size=stop - start, use_threads=n_threads > 1)
    held: list[pa.RecordBatch] = []
    for batch in batches:
        skipped = max(start - at, 0)
        at += batch.num_rows
        if batch.num_rows > skipped:
            held.append(batch[skipped:])
        if at >= stop:
            break
    rest = pa.Table.from_batches(held).slice(0, stop - start) if held else None
    if rest is None or rest.num_rows != stop - start:
        raise FormatError(f"{file.name}: row group {group + 1} has fewer rows than the file says: it is damaged.")
    _continued.clear()
    if at == stop:
        _continued[key] = at, batches
    return rest
