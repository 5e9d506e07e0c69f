"""Data files of every format, read into one kind of table.

`read_cases` and `read_table` are the ways in. The other modules hold one idea each: where the bytes come from
(`source`), which format they have (`detect`), which column is the class (`naming`), and one reader
per family of formats. The ways in are imported on first use: some readers bring half of Arrow with them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from casebase.formats.detect import FORMATS

if TYPE_CHECKING:
    from casebase.formats.read import read_cases, read_table

__all__ = ["FORMATS", "read_cases", "read_table"]


def __getattr__(name: str) -> Any:
    if name in ("read_cases", "read_table"):
        return getattr(import_module("casebase.formats.read"), name)
    raise AttributeError(f"module 'casebase.formats' has no attribute {name!r}")
