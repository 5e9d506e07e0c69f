"""Which format a file has, from its first bytes, its name, or its first line.

The first line decides among the plain text formats by the rule that TiMBL documents: with as many
commas as runs of white space it is C4.5, with fewer it is Columns, with neither it is Compact. Two
kinds of line that TiMBL cannot recognise are looked for before: TABs mean Tabbed, and
`(3,v)(7,w) class` means Sparse.
"""

import re
from pathlib import PurePath

from casebase.errors import CasebaseError, FormatError, unknown_name
from casebase.formats.source import STANDARD_INPUT, Source

FORMATS = (
    "columns",
    "tabbed",
    "c45",
    "compact",
    "sparse",
    "binary",
    "arff",
    "csv",
    "tsv",
    "parquet",
    "feather",
)
BINARY_FILES = ("parquet", "feather")
ALIASES = {"c4.5": "c45", "arrow": "feather"}
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".arff": "arff",
}
MAGIC = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather"}
COMPRESSED = (".gz", ".zst")

_SPARSE_LINE = re.compile(rb"(\([0-9]+,[^()]+\))+[ \t]*[^() \t]*")
_BLANKS = b" \t\r"


def format_called(name: str) -> str:
    """Return the format of that name, whatever its case.

    >>> format_called("C4.5")
    'c45'
    """
    known = ALIASES.get(name.lower(), name.lower())
    if known not in FORMATS:
        raise CasebaseError(unknown_name("format", name, FORMATS))
    return known


def found_format(source: Source, *, separator: str | None = None, width: int | None = None) -> str:
    """Return the format of a source that nobody named.

    A `separator` or a `width` is a decision already: only Tabbed and Compact files (or CSV ones,
    by their name) are told one.
    """
    for magic, known in MAGIC.items():
        if source.data.startswith(magic):
            return known
    by_name = format_by_name(source.name)
    if by_name is not None:
        return by_name
    if width is not None:
        return "compact"
    if separator is not None:
        return "tabbed"
    by_line = format_by_line(source, first_line(source.data))
    # What comes through a pipe has no name to tell TiMBL's files, which have no header, from a spreadsheet's.
    return {"c45": "csv", "tabbed": "tsv"}.get(by_line, by_line) if source.name == STANDARD_INPUT else by_line


def format_by_name(name: str) -> str | None:
    """Return the format that a file name ends in, compression aside.

    >>> format_by_name("train.TSV.gz")
    'tsv'
    """
    path = PurePath(name.lower())
    if path.suffix in COMPRESSED:
        path = path.with_suffix("")
    return SUFFIXES.get(path.suffix)


def first_line(data: bytes) -> bytes:
    """Return the first line that is not blank, or nothing."""
    match = re.search(rb"[^ \t\r\n]", data)
    if match is None:
        return b""
    start = data.rfind(b"\n", 0, match.start()) + 1
    end = data.find(b"\n", start)
    return data[start : end if end >= 0 else len(data)]


def format_by_line(source: Source, line: bytes) -> str:
    """Return the text format that the first line has."""
    line = line.rstrip(_BLANKS)
    if line[:9].lower() == b"@relation" or (line.startswith(b"%") and _declares_relation(source.data)):
        return "arff"
    if _SPARSE_LINE.fullmatch(line):
        return "sparse"
    if b"\t" in line.strip(_BLANKS):
        return "tabbed"
    n_commas = line.count(b",")
    n_blanks = len(re.findall(rb"[ \t\r]+", line))
    if n_commas == n_blanks == 0:
        raise FormatError(
            f"{source.name}: the first line has no blank, TAB or comma, so its fields may be of fixed width. "
            "Say how wide they are, width=1 (--width 1), or name another format."
        )
    return "c45" if n_commas >= n_blanks else "columns"


def _declares_relation(data: bytes) -> bool:
    return re.search(rb"^@relation\b", data[:100_000], re.IGNORECASE | re.MULTILINE) is not None
