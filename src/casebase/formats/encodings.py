"""The encoding of a text file: UTF-8 unless its bytes say otherwise.

A byte order mark decides. Without one the text is UTF-8 if all of it is valid; then UTF-16 if every other byte of
its beginning is zero; then cp1252, the encoding of Western Windows programs, of which Latin-1 is a part. Every byte
sequence is text in some encoding, so cp1252 is taken only if nothing speaks against it: control characters (a binary
file), letters in UTF-8 (a file of mixed encodings), or whole words of accented letters (another alphabet).
"""

import codecs
import re

import numpy as np

from casebase.data.arrow import pa
from casebase.errors import FormatError
from casebase.formats.rows import sample
from casebase.formats.source import Source, as_utf8, not_utf8

# UTF-32 first: its mark in little-endian order begins like that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
N_SAMPLE_BYTES = 4096
MOSTLY = 0.4  # of the sampled pairs of bytes have a zero, in UTF-16 text of a European language
ANOTHER_ALPHABET = 0.5  # of the accented letters are in a row of three or more, which Western words have not

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # in cp1252
# Latin letters in UTF-8. In cp1252 this is a capital such as Ã before a sign such as ¼, which no text has.
_UTF8_LETTER = re.compile(rb"[\xc3-\xc5][\x80-\xbf]")
_LETTERS = re.compile(rb"[\xc0-\xff]+")


def decoded(source: Source, encoding: str | None, *, by_head: bool = False) -> tuple[Source, str]:
    """Return the source in UTF-8 without a byte order mark, and the encoding that it had.

    If a text that begins like UTF-8 may be taken for it (`by_head`), the rest of it is not looked at: readers look at
    its distinct values anyway.
    """
    if encoding is None and by_head:
        head = sample(source.data)
        is_plain = is_utf8(head) and b"\0" not in head[:N_SAMPLE_BYTES]
        encoding = "utf-8" if is_plain and not source.data.startswith(codecs.BOM_UTF8) else None
    taken = recognised_encoding(source) if encoding is None else encoding
    return as_utf8(source, taken), taken


def recognised_encoding(source: Source) -> str:
    """Return the encoding of a text; an error if it is binary, or in an encoding that cannot be told.

    >>> recognised_encoding(Source("x", "für".encode("cp1252"))), recognised_encoding(Source("x", "für".encode()))
    ('cp1252', 'utf-8')
    """
    data = source.data
    for mark, name in MARKS:
        if data.startswith(mark):
            return name
    if data.isascii() and b"\0" not in data[:N_SAMPLE_BYTES]:
        return "utf-8"
    wide = _wide_encoding(data[:N_SAMPLE_BYTES])
    if wide is not None:
        return wide
    if is_utf8(data):
        return "utf-8"
    _check_western(source)
    return "cp1252"


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are valid UTF-8; Arrow checks them without making a text of them."""
    if data.isascii():
        return True
    offsets = np.array([0, len(data)], dtype=np.int64)
    text = pa.LargeStringArray.from_buffers(1, pa.py_buffer(offsets), pa.py_buffer(data))
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _wide_encoding(head: bytes) -> str | None:
    """Return UTF-16 in the order of its bytes if every other byte is zero, as in Western text without a mark."""
    n_pairs = len(head) // 2
    first, second = head[::2].count(0), head[1::2].count(0)
    if min(first, second) or max(first, second) <= MOSTLY * n_pairs:
        return None
    encoding = "utf-16-be" if first else "utf-16-le"
    text = head[: 2 * n_pairs].decode(encoding, "replace")
    return None if _CONTROL.search(text.encode("latin-1", "replace")) else encoding


def _check_western(source: Source) -> None:
    """Raise an error if a text that is not UTF-8 is not in cp1252 either."""
    data = source.data
    control = _CONTROL.search(data)
    if control is not None:
        line = data.count(b"\n", 0, control.start()) + 1
        raise FormatError(
            f"{source.name}, line {line}: expected text, got the control character 0x{data[control.start()]:02X}. "
            "The file may be binary; if it is text, pass its encoding: encoding='latin-1' (--encoding latin-1), for "
            "example."
        )
    letter = _UTF8_LETTER.search(data)
    if letter is not None:
        line = data.count(b"\n", 0, letter.start()) + 1
        raise FormatError(
            f"{not_utf8(source)} But line {line} has {letter.group().decode()!r} in UTF-8, so the file mixes two "
            "encodings, or is damaged: write it again in UTF-8."
        )
    n_letters = n_in_rows = 0
    for run in _LETTERS.finditer(data):
        n = run.end() - run.start()
        n_letters, n_in_rows = n_letters + n, n_in_rows + (n if n >= 3 else 0)
    if _UNDEFINED.search(data) or n_in_rows > ANOTHER_ALPHABET * n_letters:
        raise FormatError(
            f"{source.name}: expected text in UTF-8, UTF-16 or cp1252 (Western European), got another encoding. Pass "
            "it: encoding='cp1250' (--encoding cp1250, Central European), cp1251 (Cyrillic), cp1253 (Greek), "
            "shift_jis or gb18030, for example."
        )
