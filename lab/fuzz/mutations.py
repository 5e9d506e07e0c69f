"""Random changes of bytes that keep some structure: of lines, fields, numbers, brackets, and members of archives."""

import io
import random
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence

Mutation = Callable[[random.Random, bytes], bytes]

LONGEST = 20_000  # bytes of a changed text
NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
NUMBERS = (
    b"0 -0 -1 1 00 1e0 1.5 0.1 1e308 1e999 -1e999 1e-320 nan NaN inf -inf 255 256 65536 99999 100000 100001 999999999 "
    b"2147483648 4294967296 9223372036854775808 18446744073709551616 1e20 1_000 0x10 +1 1. .5 1,5 1.000,5"
).split()
WORDS = (
    "? NA N/A null None true FALSE yes a b é ß Ǆ 日本 - _ . : ; ! % # @ = / \\ ' \" ` $ & | ~ ^ * ( ) [ ] { } < > "
    "2020-01-01 2020-13-41 12:30 12:30:61 01.02.2003 2020-01-01T00:00:00Z P1D 10% $5 \\n \\u0000 \\' \"\" '' /* */ "
    "low medium high @data @attribute NaT "
)
TOKENS = [
    *WORDS.encode().split(),
    b"",
    b" ",
    b"\t",
    b"\x00",
    b"\x01",
    b"\x0b",
    b"\x0c",
    b"\x1b[2J",
    b"\x7f",
    b"\xc2\x85",  # next line
    b"\xe2\x80\xa8",  # line separator
    b"\xc2\xa0",  # no-break space
    b"\xef\xbb\xbf",  # byte order mark
    b"\xff\xfe",
    b"\xc3",  # half a character
    b"\xed\xa0\x80",  # a surrogate
    b"\xf4\x90\x80\x80",  # beyond Unicode
    b"e\xcc\x81",  # an accent that follows its letter
    b"\xcc\x81",
    b"\xc4\xb0",  # lower case has two characters
    b"\xd9\xa3",  # a digit that is not ASCII
    b"\xc2\xb2",  # isdigit, but not a number
    b"x" * 300,
    b"9" * 400,
    b"9" * 5000,
]
SEPARATORS = (b",", b"\t", b" ", b";", b"|", b":", b"/")
BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b'{"a":', b"}"), (b"<a>", b"</a>"))


def mutated(draw: random.Random, data: bytes, others: Sequence[bytes], mutations: Sequence[Mutation]) -> bytes:
    """Return bytes after some random changes; parts of `others` may get into them."""
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5, 9))):
        is_spliced = draw.random() < 0.08
        data = spliced(draw, data, draw.choice(others)) if is_spliced else draw.choice(mutations)(draw, data)
    return data


def spliced(draw: random.Random, data: bytes, other: bytes) -> bytes:
    """Return the beginning of one and the end of another, or a piece of another in the middle of one."""
    if draw.random() < 0.5:
        return data[: _place(draw, data)] + other[_place(draw, other) :]
    at, (begin, end) = _place(draw, data), _range(draw, other)
    return data[:at] + other[begin:end] + data[at:]


def _place(draw: random.Random, data: bytes) -> int:
    return draw.randrange(len(data) + 1)


def _range(draw: random.Random, data: bytes, most: int = 200) -> tuple[int, int]:
    begin = _place(draw, data)
    return begin, min(len(data), begin + draw.randrange(1, most))


# Bytes


def flip_bits(draw: random.Random, data: bytes) -> bytes:
    """Return bytes of which one, or a few, have another bit."""
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 4))):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def set_bytes(draw: random.Random, data: bytes) -> bytes:
    """Return bytes of which some in a row have another value: all bits, none, or random."""
    begin, end = _range(draw, data, 9)
    filling = draw.choice((b"\x00", b"\xff", b"\x7f", b"\x80", draw.randbytes(1)))
    return data[:begin] + filling * (end - begin) + data[end:]


def cut(draw: random.Random, data: bytes) -> bytes:
    """Return bytes without their end, their beginning, or a piece in the middle."""
    begin, end = _range(draw, data)
    return draw.choice((data[:begin], data[begin:], data[:begin] + data[end:], data[:-1]))


def repeat(draw: random.Random, data: bytes) -> bytes:
    """Return bytes with a piece repeated, sometimes often."""
    begin, end = _range(draw, data, 40)
    times = draw.choice((1, 1, 2, 10, 100))
    return (data[:end] + data[begin:end] * times + data[end:])[: max(LONGEST, len(data))]


def move(draw: random.Random, data: bytes) -> bytes:
    """Return bytes with two pieces exchanged."""
    places = sorted(_place(draw, data) for _ in range(4))
    a, b, c, d = places
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def insert_bytes(draw: random.Random, data: bytes) -> bytes:
    """Return bytes with some random ones inserted."""
    at = _place(draw, data)
    return data[:at] + draw.randbytes(draw.randrange(1, 9)) + data[at:]


def set_size(draw: random.Random, data: bytes) -> bytes:
    """Return bytes with a whole number of two, four or eight bytes overwritten, such as a size or an offset."""
    n = draw.choice((2, 4, 8))
    at = _place(draw, data)
    number = draw.choice((0, 1, 2, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63, 2**64 - 1, len(data)))
    return (
        data[:at] + (number & ((1 << 8 * n) - 1)).to_bytes(n, draw.choice(("little", "little", "big"))) + data[at + n :]
    )


BYTES: tuple[Mutation, ...] = (flip_bits, set_bytes, cut, repeat, move, insert_bytes, set_size)


# Text


def set_number(draw: random.Random, data: bytes) -> bytes:
    """Return a text in which a number is another one."""
    found = list(NUMBER.finditer(data))
    if not found:
        return insert_token(draw, data)
    match = draw.choice(found)
    return data[: match.start()] + draw.choice(NUMBERS) + data[match.end() :]


def insert_token(draw: random.Random, data: bytes) -> bytes:
    """Return a text with a token inserted that is special somewhere."""
    at = _place(draw, data)
    return data[:at] + draw.choice(TOKENS) * draw.choice((1, 1, 1, 1, 50)) + data[at:]


def nest(draw: random.Random, data: bytes) -> bytes:
    """Return a text with brackets around a piece, sometimes very many."""
    begin, end = _range(draw, data)
    left, right = draw.choice(BRACKETS)
    depth = draw.choice((1, 1, 2, 50, 3000))
    inner = data[begin:end]
    return data[:begin] + left * depth + inner + right * draw.choice((depth, depth, 0)) + data[end:]


def change_lines(draw: random.Random, data: bytes) -> bytes:
    """Return a text with a line dropped, doubled, moved or emptied, or with other line ends."""
    lines = data.split(b"\n")
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    what = draw.randrange(7)
    if what == 0:
        del lines[i]
    elif what == 1:
        lines[i:i] = [lines[j]] * draw.choice((1, 1, 20))
    elif what == 2:
        lines[i], lines[j] = lines[j], lines[i]
    elif what == 3:
        lines[i] = draw.choice((b"", b" ", b"\t", b"\r"))
    elif what == 4:
        return data.replace(b"\n", draw.choice((b"\r\n", b"\r", b"\n\n", b"\x0b", b"")))
    elif what == 5:
        lines[i] += draw.choice((b"\r", b" ", b"\t", b",", b".", b"\\"))
    else:
        lines = lines[: i + 1]
    return b"\n".join(lines)[: max(LONGEST, len(data))]


def change_fields(draw: random.Random, data: bytes) -> bytes:
    """Return a text with a field changed, dropped, doubled or moved."""
    lines = data.split(b"\n")
    i = draw.randrange(len(lines))
    separator = max(SEPARATORS[:4], key=lines[i].count)
    fields = lines[i].split(separator)
    j = draw.randrange(len(fields))
    what = draw.randrange(5)
    if what <= 1:
        fields[j] = draw.choice(TOKENS if draw.random() < 0.5 else NUMBERS)
    elif what == 2:
        del fields[j]
    elif what == 3:
        fields.insert(j, draw.choice(fields))
    else:
        fields[j] = draw.choice((b'"%s"', b"'%s'", b'"%s', b" %s ", b"%s\\")) % fields[j].replace(b"%", b"")
    lines[i] = separator.join(fields)
    return b"\n".join(lines)


def change_column(draw: random.Random, data: bytes) -> bytes:
    """Return a text in which a column has values of another kind, is dropped, doubled or moved."""
    lines = data.split(b"\n")
    middle = lines[len(lines) // 2]
    separator = max(SEPARATORS[:4], key=middle.count)
    column, other = (draw.randrange(max(1, middle.count(separator) + 1)) for _ in range(2))
    what = draw.randrange(6)
    values = draw.choice((NUMBERS, TOKENS, [b"%d.5" % i for i in range(9)], [b"w%d" % i for i in range(9)], [b""]))
    # In all lines, or in the first or last ones only: a column that changes its kind on the way.
    first, last = draw.choice(((0, 1), (0, 1), (0, draw.random()), (draw.random(), 1)))
    for i in range(int(first * len(lines)), round(last * len(lines))):
        fields = lines[i].split(separator)
        if len(fields) <= max(column, other) or (i == 0 and draw.random() < 0.7):
            continue
        if what <= 2:
            fields[column] = draw.choice(values)
        elif what == 3:
            del fields[column]
        elif what == 4:
            fields.insert(column, fields[other])
        else:
            fields[column], fields[other] = fields[other], fields[column]
        lines[i] = separator.join(fields)
    return b"\n".join(lines)


def change_separator(draw: random.Random, data: bytes) -> bytes:
    """Return a text with another separator, or another encoding."""
    if draw.random() < 0.7:
        return data.replace(draw.choice(SEPARATORS), draw.choice(SEPARATORS))
    encoding = draw.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig", "utf-7"))
    return data.decode("utf-8", "replace").encode(encoding, "replace")


TEXT: tuple[Mutation, ...] = (
    flip_bits,
    cut,
    repeat,
    move,
    insert_bytes,
    set_number,
    insert_token,
    insert_token,
    nest,
    change_lines,
    change_fields,
)
TABLE: tuple[Mutation, ...] = (*TEXT, change_fields, change_column, change_column, change_separator)


# Archives, compression and checksums


def inside_archive(draw: random.Random, data: bytes) -> bytes:
    """Return a zip archive with a member changed, so that its checksum is right; other bytes if it is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, zlib.error, EOFError):
        return flip_bits(draw, data)
    if not members:
        return data
    name = draw.choice(list(members))
    if draw.random() < 0.05:
        del members[name]
    else:
        members[name] = draw.choice(TEXT)(draw, members[name])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


ARCHIVE: tuple[Mutation, ...] = (*BYTES, *[inside_archive] * 12)


def with_line_checksums(mutation: Mutation) -> Mutation:
    """Return a mutation of lines that begin with the CRC-32 of their text, which is right afterwards."""

    def mutate(draw: random.Random, data: bytes) -> bytes:
        texts = b"\n".join(line[9:] for line in data.split(b"\n"))
        changed = mutation(draw, texts)
        return b"".join(b"%08x %s\n" % (zlib.crc32(text), text) for text in changed.split(b"\n") if text)

    return mutate


JOURNAL: tuple[Mutation, ...] = (*TEXT, *map(with_line_checksums, TEXT))
