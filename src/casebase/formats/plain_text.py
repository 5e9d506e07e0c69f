"""Whole files as UTF-8 text."""

from pathlib import Path
from typing import BinaryIO

from casebase.formats.source import Source, as_utf8, not_utf8, open_source


def read_text(source: str | Path | bytes | BinaryIO, *, encoding: str = "utf-8") -> Source:
    """Return the text of a file, converted to UTF-8 and checked."""
    text = as_utf8(open_source(source), encoding)
    try:
        text.data.decode("utf-8")
    except UnicodeDecodeError:
        raise not_utf8(text) from None
    return text
