"""Readers for data files of all formats; each returns the same kind of table.

`read_cases` and `read_table` are the entry points, `open_parts` for tables of any size, and `recognise` tells how they
would read a file. The other modules have one task each: how a file or a part of it is read (`plan`), what its values
show (`facts`), where the bytes come from (`source`), which encoding (`encodings`), format (`detect`), separator
(`separators`) and decimal mark (`decimals`) they have, which column is the class (`naming`), and one reader per family
of formats. The entry points are imported on first use, because some readers import half of Arrow.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from casebase.formats.registry import FORMATS

if TYPE_CHECKING:
    from casebase.formats.parts import open_parts
    from casebase.formats.read import read_cases, read_table
    from casebase.formats.recognised import Recognised, RecognisedColumn, recognise

__all__ = ["FORMATS", "Recognised", "RecognisedColumn", "open_parts", "read_cases", "read_table", "recognise"]

_HOME = dict.fromkeys(["read_cases", "read_table"], "casebase.formats.read") | dict.fromkeys(
    ["Recognised", "RecognisedColumn", "recognise"], "casebase.formats.recognised"
)
_HOME["open_parts"] = "casebase.formats.parts"


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'casebase.formats' has no attribute {name!r}")
