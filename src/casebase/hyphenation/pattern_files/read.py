"""Reader for pattern files of any format."""

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from casebase.errors import CasebaseError, unknown_name
from casebase.formats.source import Source, as_utf8, not_utf8, open_source
from casebase.hyphenation.pattern_files.dic import from_dic, is_encoding
from casebase.hyphenation.pattern_files.records import from_json
from casebase.hyphenation.pattern_files.tex import from_tex
from casebase.hyphenation.patterns import PatternSet


def read_patterns(
    source: str | Path | bytes | BinaryIO,
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    skipped: list[str] | None = None,
) -> PatternSet:
    """Return the patterns of a file: TeX, hunspell (`hyph_*.dic`) or JSON; by default the format is detected.

    `encoding` is that of a TeX file; the other formats define it. A line of a `.dic` that is not a pattern is an error;
    with a list `skipped` it is skipped, and the error message is added to the list.
    """
    file = open_source(source)
    kind = format or _kind(file)
    if kind not in READERS:
        raise CasebaseError(unknown_name("format", kind, READERS))
    return READERS[kind](file, encoding, skipped)


def _kind(source: Source) -> str:
    first = source.data.lstrip().partition(b"\n")[0].strip()
    if first.startswith(b"{"):
        return "json"
    if source.name.endswith(".dic") or is_encoding(first.decode("ascii", "replace")):
        return "hunspell"  # even if a comment mentions \patterns
    return "tex" if b"\\patterns" in source.data or source.name.endswith(".tex") else "hunspell"


def _tex(source: Source, encoding: str, skipped: list[str] | None) -> PatternSet:
    return from_tex(_text(as_utf8(source, encoding)), name=source.name)


def _json(source: Source, encoding: str, skipped: list[str] | None) -> PatternSet:
    return from_json(_text(as_utf8(source, "utf-8")), name=source.name)


def _hunspell(source: Source, encoding: str, skipped: list[str] | None) -> PatternSet:
    return from_dic(source.data, name=source.name, skipped=skipped)


def _text(source: Source) -> str:
    try:
        return source.data.decode("utf-8")
    except UnicodeDecodeError:
        raise not_utf8(source) from None


READERS: dict[str, Callable[[Source, str, list[str] | None], PatternSet]] = {
    "tex": _tex,
    "hunspell": _hunspell,
    "json": _json,
}
