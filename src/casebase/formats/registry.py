"""The list of formats: where the reader of each is, and how its files are recognised.

A reader is imported when a file of its format is read. This is the only list: detection, the command line and the
messages follow from it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

import pyarrow as pa

from casebase.formats.source import Source


@dataclass(frozen=True)
class Options:
    """How to read a file; a reader uses what concerns its format.

    `is_training` is False for a file with new cases for a model, which may lack the class. `known_decimal` is the
    decimal mark of that model's training file, and `known_header` says whether a first row is a header, has values, or
    may be either (None), as far as that model can tell.
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


@dataclass(frozen=True)
class Found:
    """What a reader recognised: separator and decimal mark of a delimited text, or the sheet of a workbook.

    `above` are the texts of the rows above the header of a sheet, which are no data.
    """

    separator: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    above: tuple[str, ...] = ()


@dataclass(frozen=True)
class Content:
    """The columns of a file, with their names if it has any.

    A format in which the type of a column depends on whether it is the class gives `typed`: from the position of the
    class to the columns. A format in which numbers are text gives the `texts` of all columns.
    """

    names: list[str] | None
    columns: Sequence[pa.Array]
    typed: Callable[[int | None], list[pa.Array]] | None = None
    found: Found = Found()
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

    def read(self, source: Source, options: Options) -> Content:
        """Return the content of a file."""
        module, _, function = self.reader.partition(":")
        reader: Reader = getattr(import_module(f"casebase.formats.{module}"), function)
        return reader(source, options)


FORMATS = {
    "columns": Format("text:read_fields", has_header=True),
    "tabbed": Format("text:read_fields", has_header=True, has_separator=True),
    "c45": Format("text:read_fields", has_header=True, has_separator=True),
    "compact": Format("text:read_fields"),
    "sparse": Format("sparse:read_pairs"),
    "binary": Format("sparse:read_pairs"),
    "arff": Format("arff:read_arff", suffixes=(".arff",)),
    "csv": Format("delimited:read_csv", suffixes=(".csv",), has_header=True, has_separator=True, has_decimal=True),
    "tsv": Format("delimited:read_csv", suffixes=(".tsv",), has_header=True, has_separator=True, has_decimal=True),
    "jsonl": Format("json_lines:read_json", suffixes=(".jsonl", ".ndjson", ".json")),
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
