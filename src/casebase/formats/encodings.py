"""The encoding of a text file: UTF-8 unless its bytes say otherwise.

A byte order mark decides. Without one the text is UTF-8 if all of it is valid; then UTF-16 if every other byte of
its beginning is zero; then cp1252, the encoding of Western Windows programs, of which Latin-1 is a part. Every byte
sequence is text in some encoding, so cp1252 is taken only if nothing speaks against it: control characters (a binary
file), letters in UTF-8 (a file of mixed encodings), or whole words of accented letters (another alphabet).
"""

import codecs
import re
from collections.abc import Callable, Iterable
from importlib import import_module

import numpy as np

from casebase.data.arrow import pa
from casebase.errors import FormatError
from casebase.formats.rows import sample
from casebase.formats.source import Source, as_utf8, codec_name, not_utf8

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
    taken = "utf-8" if encoding is None and by_head and begins_like_utf8(source.data) else encoding
    if taken is None:
        taken = recognised_encoding(source)
    return as_utf8(source, taken), taken


def begins_like_utf8(data: bytes) -> bool:
    """Return whether the beginning of a text is UTF-8, without a byte order mark."""
    head = sample(data)
    return is_utf8(head) and b"\0" not in head[:N_SAMPLE_BYTES] and not data.startswith(codecs.BOM_UTF8)


def recognised_encoding(source: Source, blocks: Callable[[], Iterable[Source]] | None = None) -> str:
    """Return the encoding of a text; an error if it is binary, or in an encoding that cannot be told.

    If the source is only the beginning of a text, `blocks` gives all of it, cut at line ends: no character and no word
    of any encoding that is told from UTF-8 by its bytes goes over one.

    >>> recognised_encoding(Source("x", "für".encode("cp1252"))), recognised_encoding(Source("x", "für".encode()))
    ('cp1252', 'utf-8')
    """
    head, blocks = source.data, blocks or (lambda: [source])
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    if b"\0" in head[:N_SAMPLE_BYTES]:
        wide = _wide_encoding(head[:N_SAMPLE_BYTES])
        if wide is not None:
            return wide
    if all(is_utf8(block.data) for block in blocks()):
        return "utf-8"
    _check_western(blocks)
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


def _check_western(blocks: Callable[[], Iterable[Source]]) -> None:
    """Raise an error if a text that is not UTF-8 is not in cp1252 either."""
    letter: tuple[Source, re.Match[bytes]] | None = None
    n_letters = n_in_rows = 0
    has_undefined, name = False, ""
    for block in blocks():
        data, name = block.data, block.name
        control = _CONTROL.search(data)
        if control is not None:
            raise FormatError(
                f"{_line_at(block, control)}: expected text, got the control character "
                f"0x{data[control.start()]:02X}. The file may be binary; if it is text, pass its encoding: "
                "encoding='latin-1' (--encoding latin-1), for example."
            )
        found = _UTF8_LETTER.search(data) if letter is None else None
        letter = letter if found is None else (block, found)
        for run in _LETTERS.finditer(data):
            n = run.end() - run.start()
            n_letters, n_in_rows = n_letters + n, n_in_rows + (n if n >= 3 else 0)
        has_undefined = has_undefined or _UNDEFINED.search(data) is not None
    if letter is not None:
        wrong = next(block for block in blocks() if not is_utf8(block.data))
        raise FormatError(
            f"{not_utf8(wrong)} But line {_line_at(*letter).rpartition(' ')[2]} has {letter[1].group().decode()!r} in "
            "UTF-8, so the file mixes two encodings, or is damaged: write it again in UTF-8."
        )
    if has_undefined or n_in_rows > ANOTHER_ALPHABET * n_letters:
        raise FormatError(
            f"{name}: expected text in UTF-8, UTF-16 or cp1252 (Western European), got another encoding. Pass "
            "it: encoding='cp1250' (--encoding cp1250, Central European), cp1251 (Cyrillic), cp1253 (Greek), "
            "shift_jis or gb18030, for example."
        )


def _line_at(block: Source, match: re.Match[bytes]) -> str:
    return block.line(block.data.count(b"\n", 0, match.start()) + 1)


def is_bytewise(encoding: str) -> bool:
    """Return whether a text may be cut after any line feed, and each piece decoded: each byte is a character, or UTF-8.

    >>> is_bytewise("cp1252"), is_bytewise("utf-8"), is_bytewise("utf-16"), is_bytewise("cp037")
    (True, True, False, False)
    """
    name = codec_name(encoding)
    if name in ("utf-8", "utf-8-sig", "ascii"):
        return True
    try:
        table: str | None = import_module(f"encodings.{name.replace('-', '_')}").decoding_table
    except (ImportError, AttributeError):
        return False
    return table is not None and table[:128] == "".join(map(chr, range(128)))
