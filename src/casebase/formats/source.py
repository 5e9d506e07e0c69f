"""The bytes of a table: from a file, standard input or memory, decompressed and converted to UTF-8.

The first bytes show the compression, so a renamed file or a pipe needs no option. Readers always get UTF-8 without a
byte order mark, whatever the encoding of the file.
"""

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from casebase.data.arrow import pa
from casebase.errors import CasebaseError, EncodingError, FormatError

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MODEL_START = b'{"__metadata__":{"casebase-model"'  # follows the eight bytes of the header's length
NOT_OF_FILES = ("idna", "punycode")  # encodings of names of hosts; they take hours for a long text
STANDARD_INPUT = "standard input"


def _none() -> int:
    return 0


@dataclass(frozen=True)
class Source:
    """The bytes of a table, or of a part of one, uncompressed, and the name of the file for error messages.

    `n_lines_before` counts the lines of the file before these bytes; only an error needs them.
    """

    name: str
    data: bytes
    n_lines_before: Callable[[], int] = _none

    def line(self, number: int) -> str:
        """Return the place of a line, by its number from 1 among these bytes: file and line.

        >>> Source("x.csv", b"", lambda: 100).line(3)
        'x.csv, line 103'
        """
        return f"{self.name}, line {number + self.n_lines_before()}"


def open_source(source: str | Path | bytes | BinaryIO) -> Source:
    """Return the uncompressed bytes behind a path, `-`, bytes or a file object."""
    name, data = _name_and_bytes(source)
    refuse_model(name, data)
    return Source(name, _decompress(name, data))


def refuse_model(name: str, data: bytes) -> None:
    """Raise an error if a file of data begins like a model file."""
    if data[8 : 8 + len(MODEL_START)] == MODEL_START:
        raise FormatError(f"{name} is a casebase model, not data: `casebase inspect` shows its contents.")


def is_model_file(path: str) -> bool:
    """Return whether a file can be read and begins like a model file."""
    try:
        with open(path, "rb") as file:
            return file.read(8 + len(MODEL_START))[8:] == MODEL_START
    except OSError:
        return False


def as_utf8(source: Source, encoding: str, *, is_start: bool = True) -> Source:
    """Return the source with its text in UTF-8, without the byte order mark with which a file may start.

    UTF-8 input is not checked here: readers check only the distinct values, which are far fewer.
    """
    if codec_name(encoding) in ("utf-8", "utf-8-sig", "ascii"):
        return replace(source, data=source.data.removeprefix(codecs.BOM_UTF8)) if is_start else source
    try:
        text = source.data.decode(encoding)
        return replace(source, data=(text.removeprefix("\ufeff") if is_start else text).encode("utf-8"))
    except UnicodeError as error:
        raise FormatError(f"{source.name}: the text is not {encoding}: {error}.") from None


def codec_name(encoding: str) -> str:
    """Return the name of the codec of a text encoding; an error for any other, such as zip or rot13.

    >>> codec_name("Latin-1")
    'iso8859-1'
    """
    try:
        name = codecs.lookup(encoding).name
        "a".encode(encoding)  # an error if the codec is for other things than text
    except (LookupError, ValueError):
        raise _unknown_encoding(encoding) from None
    if name in NOT_OF_FILES:
        raise _unknown_encoding(encoding)
    return name


def keep_inputs(output: str, inputs: Iterable[str | None]) -> None:
    """Raise an error if the output would overwrite an input, under this or another name."""
    if not os.path.exists(output):
        return
    for path in inputs:
        if path is not None and path != "-" and os.path.exists(path) and os.path.samefile(output, path):
            raise CasebaseError(
                f"Cannot write {output}: {'it' if path == output else path} is an input and would be overwritten. "
                "Name another file for the output."
            )


def _unknown_encoding(encoding: str) -> CasebaseError:
    return CasebaseError(f"Unknown encoding {encoding!r}. Examples of known ones: utf-8, latin-1, cp1252, utf-16.")


def not_utf8(source: Source) -> EncodingError:
    """Return the error for a text that is not UTF-8, with the position of the first invalid byte."""
    try:
        source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        where = source.line(source.data.count(b"\n", 0, error.start) + 1)
        byte = source.data[error.start]
        other = "utf-16" if source.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "latin-1"
        return EncodingError(
            f"{where}: expected UTF-8 text, got the byte 0x{byte:02X}, which is invalid "
            f"there. If the file is in another encoding, pass it: encoding={other!r} (--encoding {other}), "
            "for example."
        )
    # The whole text is valid, so the splitting rule has cut a character in two.
    return EncodingError(f"{source.name}: a field begins or ends in the middle of a character.")


def name_and_stream(source: str | Path | bytes | BinaryIO) -> tuple[str, BinaryIO]:
    """Return the name of a source for error messages, and its bytes as a file that can be read once."""
    if isinstance(source, bytes | bytearray | memoryview):
        return "the given bytes", io.BytesIO(source)
    if source == "-":
        if sys.stdin is None:
            raise CasebaseError("Standard input is closed: pass the name of a file instead of '-'.")
        return STANDARD_INPUT, sys.stdin.buffer
    if isinstance(source, str | Path):
        try:
            return str(source), open(source, "rb")
        except (OSError, ValueError) as error:
            raise cannot_read(source, error) from None
    if not hasattr(source, "read"):
        raise CasebaseError(
            f"Cannot read a table from {type(source).__name__}. Pass a path, '-' for standard input, "
            "bytes, or a file opened in binary mode."
        )
    return str(getattr(source, "name", "the given file")), source


def checked_bytes(name: str, data: object) -> bytes:
    """Return what a file gave; an error if it is opened as text."""
    if not isinstance(data, bytes):
        raise CasebaseError(f"{name} is opened as text. Open it in binary mode: open(path, 'rb').")
    return data


def _name_and_bytes(source: str | Path | bytes | BinaryIO) -> tuple[str, bytes]:
    name, stream = name_and_stream(source)
    if not isinstance(source, str | Path):
        return name, checked_bytes(name, stream.read())
    try:
        with nullcontext(stream) if source == "-" else stream:
            return name, stream.read()
    except (OSError, ValueError) as error:
        raise cannot_read(source, error) from None


def cannot_read(path: str | Path, error: Exception) -> CasebaseError:
    """Return the error for a file that the system does not read."""
    if isinstance(error, FileNotFoundError):
        return CasebaseError(f"{path}: there is no such file.")
    if isinstance(error, IsADirectoryError):
        return CasebaseError(f"{path} is a folder, not a file.")
    return CasebaseError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.")


def _decompress(name: str, data: bytes) -> bytes:
    try:
        if data.startswith(GZIP_MAGIC):
            return gzip.decompress(data)
        if data.startswith(ZSTD_MAGIC):
            content: bytes = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
            return content
    except (EOFError, OSError, zlib.error) as error:
        raise damaged_archive(name, "gzip" if data.startswith(GZIP_MAGIC) else "zstd", error) from None
    return data


def damaged_archive(name: str, kind: str, error: Exception) -> FormatError:
    """Return the error for a compressed file that cannot be read."""
    return FormatError(
        f"{name}: the {kind} compressed file is truncated or damaged ({error}). Download or write it again."
    )
