"""Which encoding a text is in, and which texts are refused."""

import codecs

import pytest

from casebase.errors import FormatError
from casebase.formats import read_table
from casebase.formats.encodings import is_utf8, recognised_encoding
from casebase.formats.source import Source, not_utf8

WESTERN = "name,größe\nMüller,„Fuß“\nZoé,«\u00a0été\u00a0»\nGARÇON,5 €\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encoding(encoding):
    """Western text is recognised in all its usual encodings, with and without a byte order mark."""
    data = WESTERN.encode(encoding)

    assert recognised_encoding(Source("x", data)) == encoding
    assert read_table(data, format="csv", header=True).columns[0].to_pylist() == ["Müller", "Zoé", "GARÇON"]


def test_what_was_taken():
    """The table tells an encoding that nobody named; UTF-8 goes without saying."""
    assert read_table(WESTERN.encode("cp1252"), format="csv").recognised == ("encoding cp1252",)
    assert read_table(WESTERN.encode("cp1252"), format="csv", encoding="cp1252").recognised == ()
    assert read_table(WESTERN.encode("utf-8-sig"), format="csv").recognised == ()


@pytest.mark.parametrize("n_ascii", [10, 5_000, 200_000])
def test_a_letter_far_from_the_beginning(n_ascii):
    """The whole text is looked at, not only its beginning."""
    data = b"x,y\n" * n_ascii + "é,y\n".encode("cp1252")
    table = read_table(data, format="c45")

    assert recognised_encoding(Source("x", data)) == "cp1252"
    assert (table.n_rows, table.columns[0][-1].as_py(), table.recognised) == (n_ascii + 1, "é", ("encoding cp1252",))


@pytest.mark.parametrize(
    "text", [b"", b"abc", "é€😀".encode(), b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"abc\x80"]
)
def test_valid_utf8(text):
    """Arrow's check agrees with Python's decoder."""
    try:
        text.decode("utf-8")
        expected = True
    except UnicodeDecodeError:
        expected = False

    assert is_utf8(text) is expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            "ä,b\n".encode() + "ö,c\n".encode("cp1252"),
            r"line 2: .*0xF6.* But line 1 has 'ä' in UTF-8, so the file mixes",
        ),
        ("größe,b\nc,d\nstraße".encode()[:-2], "line 3: .*or is damaged"),
        ("улица,дом\n".encode("cp1251"), "got another encoding.*cp1251"),
        ("δρόμος,σπίτι\n".encode("cp1253"), "got another encoding.*cp1253"),
        (b"a,b\n\x81,d\n", "got another encoding"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)), "line 3: expected text, got .*binary"),
        (b"a,b\n\xff\x01,b\n", "line 2: expected text, got the control character 0x01"),
        (b"\x00\x01\x02\x03" * 50, "NUL byte"),
    ],
)
def test_no_text(data, message):
    """Mixed and unknown encodings and binary junk are refused, each for its own reason."""
    with pytest.raises(FormatError, match=message):
        read_table(data, format="csv")


def test_a_named_encoding_is_believed():
    """Cyrillic text is read once its encoding is named."""
    table = read_table("улица,дом\nдом,улица\n".encode("cp1251"), format="csv", encoding="cp1251", header=False)

    assert table.columns[0].to_pylist() == ["улица", "дом"]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be"])
def test_a_text_in_utf16_is_not_taken_for_latin1(codec):
    """Word lists and corpora are UTF-8 unless something else is said; regression: the message said Latin-1."""
    mark = b"" if codec == "utf-16" else codecs.BOM_UTF16_BE
    message = not_utf8(Source("words.txt", mark + "für".encode(codec))).args[0]

    assert "encoding='utf-16' (--encoding utf-16)" in message
