"""The bytes of a table: from a file, standard input or memory, decompressed and converted to UTF-8.

The first bytes show the compression, so a renamed file or a pipe needs no option. Readers always get UTF-8 without a
byte order mark, whatever the encoding of the file.
"""

import codecs
import gzip
import os
import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from casebase.data.arrow import pa
from casebase.errors import CasebaseError, EncodingError, FormatError

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MODEL_START = b'{"__metadata__":{"casebase-model"'  # follows the eight bytes of the header's length
NOT_OF_FILES = ("idna", "punycode")  # encodings of names of hosts; they take hours for a long text
STANDARD_INPUT = "standard input"


@dataclass(frozen=True)
class Source:
    """The bytes of a table, uncompressed, and the name for them in error messages."""

    name: str
    data: bytes


def open_source(source: str | Path | bytes | BinaryIO) -> Source:
    """Return the uncompressed bytes behind a path, `-`, bytes or a file object."""
    name, data = _name_and_bytes(source)
    if data[8 : 8 + len(MODEL_START)] == MODEL_START:
        raise FormatError(f"{name} is a casebase model, not data: `casebase inspect` shows its contents.")
    return Source(name, _decompress(name, data))


def is_model_file(path: str) -> bool:
    """Return whether a file can be read and begins like a model file."""
    try:
        with open(path, "rb") as file:
            return file.read(8 + len(MODEL_START))[8:] == MODEL_START
    except OSError:
        return False


def as_utf8(source: Source, encoding: str) -> Source:
    """Return the source with its text in UTF-8, without a byte order mark.

    UTF-8 input is not checked here: readers check only the distinct values, which are far fewer.
    """
    if codec_name(encoding) in ("utf-8", "utf-8-sig", "ascii"):
        return Source(source.name, source.data.removeprefix(codecs.BOM_UTF8))
    try:
        return Source(source.name, source.data.decode(encoding).removeprefix("\ufeff").encode("utf-8"))
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
        line = source.data.count(b"\n", 0, error.start) + 1
        byte = source.data[error.start]
        return EncodingError(
            f"{source.name}, line {line}: expected UTF-8 text, got the byte 0x{byte:02X}, which is invalid "
            "there. If the file is in another encoding, pass it: encoding='latin-1' (--encoding latin-1), "
            "for example."
        )
    # The whole text is valid, so the splitting rule has cut a character in two.
    return EncodingError(f"{source.name}: a field begins or ends in the middle of a character.")


def _name_and_bytes(source: str | Path | bytes | BinaryIO) -> tuple[str, bytes]:
    if isinstance(source, bytes | bytearray | memoryview):
        return "the given bytes", bytes(source)
    if source == "-":
        return STANDARD_INPUT, sys.stdin.buffer.read()
    if isinstance(source, str | Path):
        return str(source), _file_bytes(Path(source))
    if not hasattr(source, "read"):
        raise CasebaseError(
            f"Cannot read a table from {type(source).__name__}. Pass a path, '-' for standard input, "
            "bytes, or a file opened in binary mode."
        )
    name = str(getattr(source, "name", "the given file"))
    data = source.read()
    if not isinstance(data, bytes):
        raise CasebaseError(f"{name} is opened as text. Open it in binary mode: open(path, 'rb').")
    return name, data


def _file_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise CasebaseError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise CasebaseError(f"{path} is a folder, not a file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CasebaseError(f"{path} cannot be read: {reason}.") from None


def _decompress(name: str, data: bytes) -> bytes:
    try:
        if data.startswith(GZIP_MAGIC):
            return gzip.decompress(data)
        if data.startswith(ZSTD_MAGIC):
            content: bytes = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
            return content
    except (EOFError, OSError, zlib.error) as error:
        kind = "gzip" if data.startswith(GZIP_MAGIC) else "zstd"
        raise FormatError(
            f"{name}: the {kind} compressed file is truncated or damaged ({error}). Download or write it again."
        ) from None
    return data
