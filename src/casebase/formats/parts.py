"""Tables in parts: `open_parts` cuts files of any size so that nothing holds more than a part of the table.

A part is a piece of a text between two line ends, some row groups of a Parquet file, or some batches of anything that
gives Arrow batches. Each can be read alone, in any order and in other processes. What a part cannot know (whether a
column of a CSV file is numeric, for example) the facts of all parts decide together, so the tables of the parts are
those of `read_table`, cut into pieces:

>>> parts = open_parts(b"size,kind\\n1.5,P\\n2,Q\\n3.5,P\\n", format="csv", part_bytes=16)
>>> raw = [part.read() for part in parts.parts]
>>> decision = parts.decide(sum_of(one.facts for one in raw))
>>> [parts.typed(one, decision).columns[0].to_pylist() for one in raw]
[[1.5], [2.0, 3.5]]

A partition of a Dask data frame is a part, too. Columns, Tabbed, C4.5, Compact, CSV, TSV and JSON Lines are cut at line
ends, Parquet and Feather at row groups and batches. ARFF, Sparse, Binary, workbooks, and JSON files with one array are
one part each: their first lines do not tell how the others are read, or they cannot be read from the middle.
"""

import codecs
import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from casebase.data import Schema
from casebase.data.checks import is_whole
from casebase.data.table import Table
from casebase.errors import CasebaseError, EncodingError, FormatError
from casebase.formats.arrow import fields_of
from casebase.formats.columnar_parts import (
    GIVEN,
    Part,
    arrow_parts,
    batch_parts,
    batches_of,
    check_fields,
    dataset_parts,
    is_dataset,
    parquet_parts,
)
from casebase.formats.delimited import SEPARATORS, row_end
from casebase.formats.detect import first_line
from casebase.formats.encodings import begins_like_utf8, is_bytewise, recognised_encoding
from casebase.formats.facts import ColumnFacts, Facts, check_columns
from casebase.formats.partitions import partition_parts, partitions_of
from casebase.formats.plan import Decision, Given, Plan, RawTable, TextOrBinary, planned
from casebase.formats.read import check_given, stated_format, text_file
from casebase.formats.registry import FORMATS, Options
from casebase.formats.rows import start_of_text
from casebase.formats.separators import declared_separator
from casebase.formats.source import Source, as_utf8
from casebase.formats.stored import Scratch, Stored, in_utf8, stored
from casebase.formats.text import empty
from casebase.progress import Progress

PART_BYTES = 32 << 20  # of text
PART_ROWS = 1 << 20  # of a table with types

Sources = Any  # a path, a glob, '-', bytes, a file, a list of them, a dataset, a query, or batches


@dataclass(frozen=True)
class FilePart(Part):
    """The bytes of a file between two positions; of a text, whole lines."""

    file: Stored
    start: int
    end: int
    encoding: str | None
    options: Options
    names: tuple[str, ...] | None = None

    def read(self, n_threads: int = 1) -> RawTable:
        source = self.file.source(self.start, self.end)
        options = replace(self.options, n_threads=n_threads, continued=self.start > 0)
        if self.encoding is not None:
            source = as_utf8(source, self.encoding, is_start=self.start == 0)
        return RawTable.of(self.name, FORMATS[options.format].read(source, options), self.names)


@dataclass(frozen=True, eq=False)
class Parts:
    """A table in parts, and how they are read.

    `plan` has what the beginning of the table tells. Temporary files are removed by `close`, or with this object.
    """

    parts: tuple[Part, ...]
    plan: Plan
    files: tuple[Stored, ...] = field(default=(), repr=False)
    scratch: Scratch = field(default_factory=Scratch, repr=False)
    sizes: tuple[int, int] = (PART_BYTES, PART_ROWS)

    @property
    def format(self) -> str:
        return self.plan.format

    @property
    def encoding(self) -> str | None:
        return self.plan.encoding

    @property
    def encodings(self) -> list[str | None]:
        """The encodings of the parts of text: several files may have different ones."""
        return [part.encoding for part in self.parts if isinstance(part, FilePart)]

    @property
    def n_bytes(self) -> int:
        return sum(part.n_bytes for part in self.parts)

    def facts(self, n_threads: int = 1, progress: Progress | None = None) -> Facts:
        """Read all parts, one after the other, and return what they show together."""
        return sum_of(raw.facts for raw in self.raw_tables(n_threads, progress))

    def raw_tables(self, n_threads: int = 1, progress: Progress | None = None) -> Iterator[RawTable]:
        """Yield the parts as they are read, one at a time."""
        n_done = 0
        for part in self.parts:
            yield part.read(n_threads)
            n_done += part.n_bytes
            if progress is not None:
                progress(n_done, self.n_bytes)

    def decide(self, facts: Facts) -> Decision:
        """Return what the facts of all parts decide: names, class, decimal mark, and which columns are numbers."""
        return self.plan.decide(facts)

    def typed(self, raw: RawTable, decision: Decision) -> Table:
        """Return the table of a part."""
        return self.plan.table(raw, decision)

    @property
    def n_columns(self) -> int:
        """The number of columns, of which one may be the class."""
        return self.plan.options.n_columns or len(self.parts[0].read().columns)

    def cut(self, part_bytes: int, part_rows: int) -> "Parts":
        """Return the same table in parts of other sizes."""
        if all(isinstance(part, FilePart) for part in self.parts) and part_bytes == self.sizes[0]:
            return replace(self, sizes=(part_bytes, part_rows))  # texts are cut by bytes alone
        return _opened_files(self.files, self.plan, self.scratch, (part_bytes, part_rows), by_head=True)

    def by_all_bytes(self) -> "Parts":
        """Return the same table in the encoding that all of its bytes show.

        A text that begins like UTF-8 is taken for it. If a part then raises `EncodingError`, this is the remedy; the
        error is raised again if the caller named the encoding, or there is no other.
        """
        return _opened_files(self.files, self.plan, self.scratch, self.sizes, by_head=False)

    def close(self) -> None:
        self.scratch.close()

    def __enter__(self) -> "Parts":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def sum_of(facts: Iterable[Facts]) -> Facts:
    """Return the facts of several parts together, in their order."""
    return reduce(add, facts)


def open_parts(
    sources: Sources,
    *,
    format: str | None = None,
    header: bool | None = None,
    target: str | int | None = None,
    separator: str | None = None,
    width: int | None = None,
    n_features: int | None = None,
    has_target: bool = True,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    schema: Schema | None = None,
    keep_text: bool = False,
    part_bytes: int = PART_BYTES,
    part_rows: int = PART_ROWS,
    scratch: str | Path | None = None,
) -> Parts:
    """Return a table of any size in parts.

    `sources` is a path, a glob such as `data/*.parquet`, a folder (all its files), `-` for standard input, bytes, a
    file opened in binary mode, or a list of these, in the order of the rows; or a dataset of pyarrow, a query of
    DuckDB, a Dask data frame, a reader or an iterator of Arrow batches or data frames. Files have the same columns and
    the same format. The other options are those of `read_table`. A part has about `part_bytes` bytes of text, or at
    most `part_rows` rows of a format with types. What can be read only once is kept in temporary files in the folder
    `scratch`, as long as the returned object is.
    """
    for name, number in (("part_bytes", part_bytes), ("part_rows", part_rows)):
        if not is_whole(number, 1, 2**62):
            raise CasebaseError(f"Expected {name} to be 1 or more, got {number!r}.")
    given = Given(format, header, target, separator, decimal, sheet, width, n_features, encoding)
    check_given(given, 1)
    options = Options("feather", has_target=has_target, is_training=schema is None)
    plan = Plan(GIVEN, given, options, None, schema, keep_text)
    kept = Scratch(scratch)
    sizes = part_bytes, part_rows
    try:
        files = _files(sources)
        if files is not None:
            opened = tuple(stored(file, kept, part_bytes) for file in files)
            return _opened_files(opened, plan, kept, sizes, by_head=True)
        partitions = partitions_of(sources)
        if partitions is not None:
            parts = partition_parts(partitions)
        elif is_dataset(sources):
            parts = dataset_parts(sources, kept, part_rows)
        else:
            batches = batches_of(sources)
            if batches is None:
                raise CasebaseError(
                    f"Cannot read a table from {type(sources).__name__}. Pass a path, a glob, '-' for standard input, "
                    "a list of paths, a dataset of pyarrow, a query of DuckDB, a Dask data frame, or batches."
                )
            parts = batch_parts(batches, kept, part_rows)
        if not parts:
            raise FormatError(f"{GIVEN} is empty: expected at least one row and one column.")
        return Parts(tuple(parts), plan, (), kept, sizes)
    except BaseException:
        kept.close()
        raise


def _files(sources: Sources) -> list[Any] | None:
    """Return the files that are named, in their order; None if the source is not one of files."""
    if isinstance(sources, bytes | bytearray | memoryview) or hasattr(sources, "read"):
        return [bytes(sources) if isinstance(sources, bytearray | memoryview) else sources]
    if isinstance(sources, str | Path):
        return paths_of(sources)
    if isinstance(sources, Sequence) and sources and all(isinstance(one, str | Path | bytes) for one in sources):
        return [file for one in sources for file in (paths_of(one) if isinstance(one, str | Path) else [one])]
    if isinstance(sources, Sequence) and not sources:
        raise CasebaseError("Expected at least one file, got none.")
    return None


def paths_of(path: str | Path) -> list[Any]:
    """Return the files behind a path: itself, those in a folder, or those that match a pattern."""
    text = str(path)
    if os.path.isdir(text):
        names = sorted(name for name in os.listdir(text) if not name.startswith((".", "_")))
        files = [os.path.join(text, name) for name in names]
        files = [file for file in files if os.path.isfile(file)]
        if not files:
            raise CasebaseError(f"{text} is a folder without files.")
        return files
    if text == "-" or os.path.exists(text) or not glob.has_magic(text):
        return [path]
    found = sorted(file for file in glob.glob(text, recursive=True) if os.path.isfile(file))
    if not found:
        raise CasebaseError(f"No file matches {text!r}.")
    return found


def _opened_files(
    files: tuple[Stored, ...], plan: Plan, scratch: Scratch, sizes: tuple[int, int], *, by_head: bool
) -> Parts:
    """Return the parts of files; all of them are read like the first that is not empty."""
    first: _File | None = None
    parts: list[Part] = []
    for file in files:
        try:
            found = _opened(file, plan, first, scratch, sizes, by_head=by_head, is_only=len(files) == 1)
        except EncodingError:
            if plan.given.encoding is not None or not by_head:
                raise
            found = _opened(file, plan, first, scratch, sizes, by_head=False, is_only=len(files) == 1)
        if found is None:
            continue
        first = found if first is None else first
        parts += found.parts
    if first is None:
        raise empty(files[0].name)
    if not parts:  # Parquet files without rows
        raise FormatError(f"{files[0].name} is empty: expected at least one row and one column.")
    return Parts(tuple(parts), first.plan, files, scratch, sizes)


@dataclass(frozen=True)
class _File:
    """One of the files: how it is read, its columns (by name, or with their types), and its parts."""

    plan: Plan
    names: tuple[str, ...] | None
    fields: list[Any]
    parts: list[Part]


def _opened(
    file: Stored,
    plan: Plan,
    first: _File | None,
    scratch: Scratch,
    sizes: tuple[int, int],
    *,
    by_head: bool,
    is_only: bool,
) -> _File | None:
    """Return a file in parts; None if it is empty and others may not be."""
    part_bytes, _ = sizes
    head = file.head()
    kind = stated_format(head, plan.given)
    if not is_only and (kind is None or not FORMATS[kind].is_binary) and not first_line(head):
        return None
    if kind is not None and FORMATS[kind].is_binary:
        binary = _planned(TextOrBinary(Source(file.name, head), kind, None), plan)
        return _binary(file, kind, binary, first, sizes)
    encoding = plan.given.encoding
    if encoding is None and by_head and begins_like_utf8(head):
        encoding = "utf-8"
    if encoding is None:
        encoding = recognised_encoding(Source(file.name, head), file.blocks)
    text, part_encoding = file, encoding
    if not is_bytewise(encoding):
        text, part_encoding = in_utf8(file, encoding, scratch, part_bytes), "utf-8"
        head = text.head()
    known = first.plan.format if first is not None and kind is None else kind
    source = as_utf8(Source(file.name, head), part_encoding)
    opened = text_file(source, encoding, known, plan.given)
    if first is not None and first.plan.format != opened.format:
        raise _other_format(file.name, opened.format, first.plan)
    planned_file = _planned(opened, plan if first is None else _like(first, plan))
    if opened.encoding is None:  # a binary format that the name of the file shows
        return _binary(file, opened.format, planned_file, first, sizes)
    is_array = opened.format == "jsonl" and source.data.lstrip()[:1] == b"["
    if not FORMATS[opened.format].is_lined or is_array:
        whole = FilePart(file.name, text.size, text, 0, text.size, part_encoding, planned_file.options)
        return _File(planned_file, None, [], [whole])
    names, settled = planned_file.settled(source) if first is None else _settled_like(first, planned_file, source)
    parts: list[Part] = []
    for start, end in _cuts(text, settled, part_bytes, _first_row(head, settled.format)):
        is_whole_file = start == 0 and end == text.size
        name = file.name if is_whole_file else f"{file.name}, bytes {start + 1:,} to {end:,}"
        parts.append(FilePart(name, end - start, text, start, end, part_encoding, settled.options, names))
    return _File(settled, names, [], parts)


def _planned(file: TextOrBinary, plan: Plan) -> Plan:
    """Return how a file is read, with what the caller said about all of them."""
    return planned(file, plan.given, has_target=plan.options.has_target, schema=plan.schema, keep_text=plan.keep_text)


def _like(first: _File, plan: Plan) -> Plan:
    """Return how another file than the first is read: with the separator of the first."""
    if first.plan.format not in SEPARATORS:
        return plan
    return replace(plan, given=replace(plan.given, separator=first.plan.found.separator))


def _settled_like(first: _File, plan: Plan, head: Source) -> tuple[tuple[str, ...] | None, Plan]:
    """Return names and plan of another file than the first, which may have the header of the first, or none."""
    if plan.format == "jsonl":
        return plan.settled(head)
    with_header = replace(plan, options=replace(plan.options, header=True))
    without = replace(plan, options=replace(plan.options, header=False))
    if first.names is None:
        names, settled = without.settled(head)
    else:
        names, settled = with_header.settled(head)
        if names != first.names and plan.options.header is None and plan.settled(head)[0] is None:
            _, settled = without.settled(head)
            names = first.names if settled.options.n_columns == len(first.names) else None
    n_columns, n_first = settled.options.n_columns or 0, first.plan.options.n_columns or 0
    columns = [ColumnFacts()] * n_columns, [ColumnFacts()] * n_first
    check_columns(head.name, names, columns[0], first.plan.name, first.names, columns[1])
    return names, settled


def _binary(file: Stored, format: str, plan: Plan, first: _File | None, sizes: tuple[int, int]) -> _File:
    if first is not None and first.plan.format != format:
        raise _other_format(file.name, format, first.plan)
    part_bytes, part_rows = sizes
    schema = None
    parts: list[Part] = []
    if format == "parquet":
        schema, parts = parquet_parts(file, part_rows, part_bytes)
    elif format == "feather" and file.read(0, 6) == b"ARROW1":
        schema, parts = arrow_parts(file, part_rows)
    else:
        parts = [FilePart(file.name, file.size, file, 0, file.size, None, plan.options)]
    fields = [] if schema is None else fields_of(schema)
    if first is not None and schema is not None:
        check_fields(file.name, fields, first.plan.name, first.fields)
    return _File(plan, None, fields, parts)


def _other_format(name: str, format: str, first: Plan) -> FormatError:
    return FormatError(
        f"{name}: expected the {first.format} format, as in {first.name}, got {format}. All files of a table need the "
        "same format."
    )


def _cuts(text: Stored, plan: Plan, part_bytes: int, first_row: int) -> Iterator[tuple[int, int]]:
    """Yield where parts of a text begin and end: after a line, which in CSV must not end inside quotes.

    The first part reaches beyond the position of the first row, which may be a header.
    """
    start = 0
    while start < text.size:
        n_bytes = part_bytes if start else max(part_bytes, first_row + 1)
        if start + n_bytes >= text.size:
            end = text.size
        elif plan.format in SEPARATORS:
            end = _end_of_row(text, start, n_bytes, plan.options.separator or "", first_row)
        else:
            end = text.line_end(start + n_bytes - 1)
        yield start, end
        start = end


def _end_of_row(text: Stored, start: int, n_bytes: int, separator: str, first_row: int) -> int:
    """Return the end of the last row in so many bytes, or of the first row if it is longer."""
    while start + n_bytes < text.size:
        data = text.read(start, start + n_bytes)
        n_skipped = len(codecs.BOM_UTF8) if start == 0 and data.startswith(codecs.BOM_UTF8) else 0
        end = start + n_skipped + row_end(data[n_skipped:], separator)[0]
        if end > max(start + n_skipped, first_row):
            return end
        n_bytes *= 2
    return text.size


def _first_row(head: bytes, format: str) -> int:
    """Return the position of the first row of a text: after blank lines, and a line that declares the separator."""
    n_skipped = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
    rest = head[n_skipped:]
    if format in SEPARATORS:
        rest = declared_separator(Source("", rest))[0].data
    return len(head) - len(rest) + start_of_text(rest)
