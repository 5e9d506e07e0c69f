"""Readers for data files of all formats; each returns the same kind of table.

`read_cases` and `read_table` are the entry points. The other modules have one task each: where the bytes come from
(`source`), which format they have (`detect`), which column is the class (`naming`), and one reader
per family of formats. The entry points are imported on first use, because some readers import half of Arrow.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from casebase.formats.registry import FORMATS

if TYPE_CHECKING:
    from casebase.formats.read import read_cases, read_table

__all__ = ["FORMATS", "read_cases", "read_table"]


def __getattr__(name: str) -> Any:
    if name in ("read_cases", "read_table"):
        return getattr(import_module("casebase.formats.read"), name)
    raise AttributeError(f"module 'casebase.formats' has no attribute {name!r}")
