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

    `is_training` is False for a file with new cases for a model, which may lack the class.
    """

    format: str
    header: bool | None = None
    separator: str | None = None
    width: int | None = None
    n_features: int | None = None
    n_threads: int = 1
    has_target: bool = True
    is_training: bool = True


@dataclass(frozen=True)
class Content:
    """The columns of a file, with their names if it has any.

    A format in which the type of a column depends on whether it is the class gives `typed`: from the position of the
    class to the columns.
    """

    names: list[str] | None
    columns: Sequence[pa.Array]
    typed: Callable[[int | None], list[pa.Array]] | None = None


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
    "csv": Format("delimited:read_csv", suffixes=(".csv",), has_header=True, has_separator=True),
    "tsv": Format("delimited:read_csv", suffixes=(".tsv",), has_header=True, has_separator=True),
    "parquet": Format("arrow:read_columnar", suffixes=(".parquet",), magic=(b"PAR1",), is_binary=True),
    "feather": Format(
        "arrow:read_columnar", suffixes=(".feather", ".arrow"), magic=(b"ARROW1", b"FEA1"), is_binary=True
    ),
}
