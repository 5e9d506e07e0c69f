"""Format detection from a file's first bytes, its name, or its first line.

Among the plain text formats the first line decides, by the rule that TiMBL documents: at least as many commas as runs
of white space mean C4.5, fewer mean Columns, neither means Compact. Two kinds of line that TiMBL does not recognise
are checked first: TABs mean Tabbed, and `(3,v)(7,w) class` means Sparse. So are two that no file of TiMBL has: JSON,
and lines that semicolons or bars split evenly, but blanks do not.
"""

import re
from pathlib import PurePath

from casebase.errors import CasebaseError, FormatError, unknown_name
from casebase.formats.json_lines import looks_like_json
from casebase.formats.registry import FORMATS
from casebase.formats.separators import is_delimited
from casebase.formats.source import STANDARD_INPUT, Source

ALIASES = {
    "c4.5": "c45",
    "arrow": "feather",
    "json": "jsonl",
    "ndjson": "jsonl",
    "xlsx": "excel",
    "xls": "excel",
    "ods": "excel",
}
SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}
MAGIC = {magic: name for name, format in FORMATS.items() for magic in format.magic}
COMPRESSED = (".gz", ".zst")

_SPARSE_LINE = re.compile(rb"(\([0-9]+,[^()]+\))+[ \t]*[^() \t]*")
_BLANKS = b" \t\r"


def format_called(name: str) -> str:
    """Return the format with this name, in upper or lower case.

    >>> format_called("C4.5")
    'c45'
    """
    known = ALIASES.get(name.lower(), name.lower())
    if known not in FORMATS:
        raise CasebaseError(unknown_name("format", name, FORMATS))
    return known


def format_by_magic(data: bytes) -> str | None:
    """Return the format that the first bytes of a file show, if they show one."""
    return next((known for magic, known in MAGIC.items() if data.startswith(magic)), None)


def detect_format(
    source: Source, *, separator: str | None = None, width: int | None = None, is_export: bool = False
) -> str:
    """Return the format of a source for which no format was passed.

    A `separator` implies Tabbed and a `width` implies Compact, unless the name of the file decides. `is_export` says
    that the file comes from a spreadsheet: its encoding shows it, for example.
    """
    by_magic = format_by_magic(source.data)
    if by_magic is not None:
        return by_magic
    by_name = format_by_name(source.name)
    if by_name is not None:
        return by_name
    if width is not None:
        return "compact"
    if separator is not None:
        return "tabbed"
    by_line = format_by_line(source, first_line(source.data))
    # A pipe has no file name to tell TiMBL's files, which have no header, from spreadsheets, which often have one.
    is_export = is_export or source.name == STANDARD_INPUT
    return {"c45": "csv", "tabbed": "tsv"}.get(by_line, by_line) if is_export else by_line


def format_by_name(name: str) -> str | None:
    """Return the format that the suffix of a file name stands for; suffixes of compression are skipped.

    >>> format_by_name("train.TSV.gz")
    'tsv'
    """
    path = PurePath(name.lower())
    if path.suffix in COMPRESSED:
        path = path.with_suffix("")
    return SUFFIXES.get(path.suffix)


def first_line(data: bytes) -> bytes:
    """Return the first line that is not blank; empty if there is none."""
    match = re.search(rb"[^ \t\r\n]", data)
    if match is None:
        return b""
    start = data.rfind(b"\n", 0, match.start()) + 1
    end = data.find(b"\n", start)
    return data[start : end if end >= 0 else len(data)]


def format_by_line(source: Source, line: bytes) -> str:
    """Return the text format of the first line."""
    line = line.rstrip(_BLANKS)
    if line[:9].lower() == b"@relation" or (line.startswith(b"%") and _declares_relation(source.data)):
        return "arff"
    if _SPARSE_LINE.fullmatch(line):
        return "sparse"
    if line.lstrip()[:1] in (b"{", b"[") and looks_like_json(line):
        return "jsonl"
    if b"\t" in line.strip(_BLANKS):
        return "tabbed"
    if (b";" in line or b"|" in line) and is_delimited(source):
        return "csv"
    n_commas = line.count(b",")
    n_blanks = len(re.findall(rb"[ \t\r]+", line))
    if n_commas == n_blanks == 0:
        raise FormatError(
            f"{source.name}: the first line has no space, TAB or comma, so its fields may have a fixed width. "
            "Pass that width, width=1 (--width 1), or another format (--format)."
        )
    return "c45" if n_commas >= n_blanks else "columns"


def _declares_relation(data: bytes) -> bool:
    return re.search(rb"^@relation\b", data[:100_000], re.IGNORECASE | re.MULTILINE) is not None
