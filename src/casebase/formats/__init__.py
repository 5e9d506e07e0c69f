"""Data files of every format, read into one kind of table.

`read_cases` and `read_table` are the ways in. The other modules hold one idea each: where the bytes come from
(`source`), which format they have (`detect`), which column is the class (`naming`), and one reader
per family of formats.
"""

from casebase.formats.detect import FORMATS
from casebase.formats.read import read_cases, read_table

__all__ = ["FORMATS", "read_cases", "read_table"]
