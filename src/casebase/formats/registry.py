"""The list of formats: where the reader of each is, and how its files are recognised.

A reader is imported when a file of its format is read. This is the only list: detection, the command line and the
messages follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from casebase.data.arrow import pa
from casebase.formats.facts import ColumnFacts
from casebase.formats.source import Source


@dataclass(frozen=True)
class Options:
    """How to read a file; a reader uses what concerns its format.

    `is_training` is False for a file with new cases for a model, which may lack the class. `known_decimal` is the
    decimal mark of that model's training file, and `known_header` says whether a first row is a header, has values, or
    may be either (None), as far as that model can tell. A part of a file is read with the number of columns of the
    whole, `n_columns`; it may have no rows, and unless it is the first one it is `continued`: nothing but rows.
    """

    format: str
    header: bool | None = None
    separator: str | None = None
    width: int | None = None
    n_features: int | None = None
    n_threads: int = 1
    has_target: bool = True
    is_training: bool = True
    decimal: str | None = None
    sheet: str | None = None
    known_decimal: str | None = None
    known_header: Callable[[Sequence[str]], bool | None] | None = None
    n_columns: int | None = None
    continued: bool = False


@dataclass(frozen=True)
class Found:
    """What a reader recognised: the separator of a delimited text, or the sheet of a workbook.

    `above` are the texts of the rows above the header of a sheet, which are no data.
    """

    separator: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    above: tuple[str, ...] = ()


@dataclass(frozen=True)
class Content:
    """The columns of a file or a part of one, with their names if it has any.

    A format in which texts may stand for numbers gives the columns as texts, with their `facts`: whether a column is
    numeric depends on the other parts, and on which column is the class. If the names are `keys`, other parts may have
    others. `n_rows` is needed only where there may be no columns. A format that is read whole, and declares types that
    do not hold for the class, gives `typed` instead of columns: from the position of the class to the columns; and the
    `texts` of its columns.
    """

    names: list[str] | None
    columns: Sequence[pa.Array]
    facts: Sequence[ColumnFacts] | None = None
    found: Found = Found()
    has_keys: bool = False
    n_rows: int | None = None
    typed: Callable[[int | None], list[pa.Array]] | None = None
    texts: Callable[[], Sequence[pa.DictionaryArray]] | None = None


Reader = Callable[[Source, Options], Content]


@dataclass(frozen=True)
class Format:
    """One row of the list: `reader` is a module of this package and a function in it."""

    reader: str
    suffixes: tuple[str, ...] = ()
    magic: tuple[bytes, ...] = ()  # first bytes of a file
    is_binary: bool = False
    has_header: bool = False  # the first line may hold the names of the columns
    has_separator: bool = False
    has_decimal: bool = False  # numbers may have a decimal comma
    has_sheets: bool = False
    is_lined: bool = False  # a file can be cut at line ends into parts that are read alike

    def read(self, source: Source, options: Options) -> Content:
        """Return the content of a file."""
        module, _, function = self.reader.partition(":")
        reader: Reader = getattr(import_module(f"casebase.formats.{module}"), function)
        return reader(source, options)


FORMATS = {
    "columns": Format("text:read_fields", has_header=True, is_lined=True),
    "tabbed": Format("text:read_fields", has_header=True, has_separator=True, is_lined=True),
    "c45": Format("text:read_fields", has_header=True, has_separator=True, is_lined=True),
    "compact": Format("text:read_fields", is_lined=True),
    "sparse": Format("sparse:read_pairs"),
    "binary": Format("sparse:read_pairs"),
    "arff": Format("arff:read_arff", suffixes=(".arff",)),
    "csv": Format(
        "delimited:read_csv",
        suffixes=(".csv",),
        has_header=True,
        has_separator=True,
        has_decimal=True,
        is_lined=True,
    ),
    "tsv": Format(
        "delimited:read_csv",
        suffixes=(".tsv",),
        has_header=True,
        has_separator=True,
        has_decimal=True,
        is_lined=True,
    ),
    "jsonl": Format("json_lines:read_json", suffixes=(".jsonl", ".ndjson", ".json"), is_lined=True),
    "excel": Format(
        "workbooks:read_workbook",
        suffixes=(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
        magic=(b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        is_binary=True,
        has_header=True,
        has_sheets=True,
    ),
    "parquet": Format("arrow:read_columnar", suffixes=(".parquet",), magic=(b"PAR1",), is_binary=True),
    "feather": Format(
        "arrow:read_columnar", suffixes=(".feather", ".arrow"), magic=(b"ARROW1", b"FEA1"), is_binary=True
    ),
}
