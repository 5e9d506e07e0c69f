"""Columns, Tabbed, C4.5 and Compact files, and the errors they share."""

import pyarrow as pa
import pytest

from casebase.errors import CasebaseError, FormatError
from casebase.formats import read_table


@pytest.mark.parametrize(
    ("format", "text", "options"),
    [
        ("columns", b"  a \t b   P\nc d Q  \n", {}),
        ("tabbed", b"a\tb\tP\nc\td\tQ\n", {}),
        ("c45", b"a, b ,P.\nc,d,Q\n", {}),
        ("C4.5", b"a,b,P\nc,d,Q .\n", {}),
        ("compact", b"abP\ncdQ\n", {"width": 1}),
        ("Compact", b"abP\ncdQ", {"width": 1}),
    ],
)
def test_each_format_gives_the_same_rows(rows, format, text, options):
    """The text formats differ in how a line is cut, and in nothing else."""
    assert rows(text, format=format, **options) == [["a", "b", "P"], ["c", "d", "Q"]]


def test_columns_are_dictionaries_of_strings():
    """A symbolic column holds unsigned codes and its distinct values; numbers stay as spelled."""
    table = read_table(b"007 x\n7 x\n")

    assert table.columns[0].type == pa.dictionary(pa.uint32(), pa.string())
    assert table.columns[0].dictionary.to_pylist() == ["007", "7"]


def test_tabbed_keeps_blanks_inside_a_field(rows):
    """Only TABs separate the fields of a Tabbed file."""
    assert rows(b"New York\tcity\n", format="tabbed") == [["New York", "city"]]


def test_c45_keeps_blanks_inside_a_field(rows):
    """Fields of C4.5 lose the blanks around them only; one final full stop is dropped."""
    assert rows(b"New York , city..\n", format="c45") == [["New York", "city."]]


def test_compact_counts_characters(rows):
    """A field of fixed width is as many characters, however many bytes each takes."""
    assert rows("éaß€P1\n".encode(), width=2) == [["éa", "ß€", "P1"]]


def test_no_value_is_missing(rows):
    """A question mark is a symbol in these formats."""
    assert rows(b"? NA P\n") == [["?", "NA", "P"]]


def test_crlf_and_no_final_line_end(rows):
    """Line ends of either kind are no part of a value."""
    assert rows(b"a\tb\r\nc\td", format="tabbed") == [["a", "b"], ["c", "d"]]


def test_byte_order_mark_is_dropped(rows):
    """The first value does not begin with the mark that some editors write."""
    assert rows(b"\xef\xbb\xbfa b\n") == [["a", "b"]]


def test_other_separator(rows):
    """A separator without a format splits on that character alone."""
    assert rows(b"a b;c;P\n", separator=";") == [["a b", "c", "P"]]


@pytest.mark.parametrize("format", ["columns", "tabbed", "c45"])
def test_header_gives_names(format):
    """With header=True the first line names the columns."""
    separator = {"columns": " ", "tabbed": "\t", "c45": ","}[format]
    table = read_table("\nw t\n\ncan V\n".replace(" ", separator).encode(), format=format, header=True)

    assert (table.names, table.is_named, table.n_rows) == (("w", "t"), True, 1)


def test_two_threads_give_the_same_table():
    """The number of threads does not show in the table."""
    text = "".join(f"w{i % 7} {i % 3} c{i % 2}\n" for i in range(100)).encode()

    assert read_table(text, n_threads=2) == read_table(text)


def test_ragged_line(tmp_path):
    """A line with too few fields is refused, never skipped."""
    path = tmp_path / "dimin.train"
    path.write_text("a,b,c,P\na,b,c,P\na,b,P\n")

    with pytest.raises(FormatError) as caught:
        read_table(path)

    assert str(caught.value) == (
        f"{path}, line 3: expected 3 features and a class (4 fields), got 3 fields. "
        "The line is split on ','; correct the line, or pass format (--format) or separator (--separator) if the file "
        "has another format."
    )


def test_ragged_line_below_a_header_has_the_number_of_the_file():
    """Line numbers count the header and the blank lines."""
    with pytest.raises(FormatError, match=r"line 5: expected 1 feature and a class \(2 fields\), got 3 fields"):
        read_table(b"\nw t\na b\n\na b c\n", header=True)


def test_compact_line_of_another_length():
    """For fields of fixed width the message speaks of characters."""
    with pytest.raises(FormatError, match=r"line 2: expected 2 features and a class \(6 characters\), got 5"):
        read_table("aabbPP\naabé1\n".encode(), width=2)


@pytest.mark.parametrize(("text", "field"), [(b"a,b,P\na, ,P\n", 2), (b"a,b,P\n,,P.\n", 1), (b"\na\t\tb\n", 2)])
def test_empty_field(text, field):
    """An empty field is refused: without it the others would move into wrong columns."""
    with pytest.raises(FormatError, match=f"line 2: field {field} is empty.*format='csv'"):
        read_table(text)


def test_separator_at_the_end_of_a_line(rows):
    """A separator that ends a line begins no field."""
    assert rows(b"a\tb\t\r\nc\td\n", format="tabbed") == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize("line", [b".", b",", b" , ."])
def test_line_without_fields(line):
    """A line of separators has nothing to read."""
    with pytest.raises(FormatError, match="line 2: "):
        read_table(b"a,P\n" + line + b"\n")


@pytest.mark.parametrize("text", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("format", [None, "columns", "tabbed", "csv", "sparse", "arff"])
def test_file_without_data(text, format):
    """An empty file is an error, in every format."""
    with pytest.raises(FormatError, match="expected at least one line of data, got none"):
        read_table(text, format=format)


@pytest.mark.parametrize("format", ["columns", "csv"])
def test_header_and_nothing_else(format):
    """Names without data are an error that says how to read them as data."""
    with pytest.raises(FormatError, match=r"expected data after the header.*pass header=False"):
        read_table(b"w t\n\n".replace(b" ", b"," if format == "csv" else b" "), format=format, header=True)


@pytest.mark.parametrize("format", ["columns", "csv", "binary", "arff"])
def test_nul_bytes(format):
    """A binary file is refused with the line of its first NUL byte."""
    start = b"@attribute a real\n@data\n" if format == "arff" else b"1,1\n1,1\n"
    with pytest.raises(FormatError, match="line 3: expected text, got a NUL byte"):
        read_table((start + b"a\0,b\n").replace(b",", b" " if format == "columns" else b","), format=format)


@pytest.mark.parametrize("format", ["columns", "csv", "sparse", "binary", "arff"])
def test_text_that_is_not_utf8(format):
    """If the text is said to be UTF-8 and is not, the error gives line and byte, and the way to name the encoding."""
    with pytest.raises(FormatError, match=r"line 2: .*0xE9.*encoding='latin-1'"):
        read_table(b"a,b c\ncaf\xe9,b c\n", format=format, encoding="utf-8")


@pytest.mark.parametrize("format", ["columns", "csv"])
def test_other_encodings(rows, format):
    """A named encoding is decoded, here one that UTF-8 would refuse."""
    text = ("café b\n" if format == "columns" else "café,b\n").encode("latin-1")

    assert rows(text, format=format, header=False, encoding="latin-1") == [["café", "b"]]


def test_utf16(rows):
    """Even an encoding with NUL bytes is read once it is named."""
    assert rows("é b\n".encode("utf-16"), encoding="utf-16") == [["é", "b"]]


@pytest.mark.parametrize("encoding", ["klingon", "utf-16"])
def test_wrong_encoding(encoding):
    """An unknown encoding, and a text that is not in the named one, are errors of ours."""
    with pytest.raises(CasebaseError, match=encoding):
        read_table(b"a b", encoding=encoding)


@pytest.mark.parametrize(
    "encoding", ["\x00", "utf\x008", "\ud800", "zip", "rot13", "hex", "undefined", "idna", "punycode"]
)
@pytest.mark.parametrize("data", [b"", b"a b\n"])
def test_encodings_that_are_not_of_text(encoding, data):
    """Codecs of other things than text files, and names that no codec can have, are unknown encodings."""
    with pytest.raises(CasebaseError, match=r"^Unknown encoding"):
        read_table(data, encoding=encoding, format="csv")


def test_long_line_in_every_reader():
    """A line of ten megabytes is read or refused, in good time."""
    long = b"a" * 10_000_000

    assert read_table(long + b" b\n").n_rows == 1
    assert read_table(b"x,y\n" + long + b",1.5\n", format="csv", header=True).n_rows == 1
    with pytest.raises(FormatError, match="fixed width"):
        read_table(long)
    with pytest.raises(FormatError, match="got 10000000 fields"):
        read_table(long, width=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "colums"}, "Did you mean 'columns'"),
        ({"format": "compact"}, "needs the width"),
        ({"format": "columns", "separator": ","}, "takes no separator"),
        ({"format": "columns", "width": 2}, "only the compact format"),
        ({"separator": "::"}, "one ASCII character"),
        ({"separator": "\n"}, "one ASCII character"),
        ({"format": "sparse", "header": True}, "no header line"),
        ({"n_features": 0}, "n_features to be 1 or more"),
        ({"n_threads": 0}, "n_threads to be 1 or more"),
        ({"n_threads": 1.5}, "n_threads to be 1 or more"),
        ({"format": "compact", "width": 10**20}, "width to be 1 or more, up to 2147483647"),
    ],
)
def test_options_that_do_not_fit(options, message):
    """An option that is unknown or would be ignored is refused."""
    with pytest.raises(CasebaseError, match=message):
        read_table(b"a b\n", **options)
