"""CSV and TSV: quotes, headers, and columns that are numbers."""

import pyarrow as pa
import pytest

from casebase.errors import FormatError
from casebase.formats import read_table
from casebase.formats.facts import signs_of
from casebase.formats.rows import looks_like_a_header


def test_quotes_and_empty_fields(rows):
    """Quoted fields may hold separators, quotes and line ends; an empty field is missing."""
    text = b'w,n,t\n"a,b",1,"say ""hi"""\r\n,2,"two\nlines"\n'

    assert rows(text, format="csv") == [["a,b", "1", 'say "hi"'], [None, "2", "two\nlines"]]


def test_tsv(rows):
    """A TSV file is a CSV file with TABs."""
    assert rows(b"w\tt\na b\tN\n", format="tsv") == [["a b", "N"]]


def test_other_separator(rows):
    """The separator may be another character."""
    assert rows(b"w;t\na,b;N\n", format="csv", separator=";") == [["a,b", "N"]]


def test_numbers_keep_their_spelling(rows):
    """Whole numbers are symbols: leading zeros are part of them."""
    assert rows(b"zip,t\n007,x\n7,x\n", format="csv") == [["007", "x"], ["7", "x"]]


def test_measurements_are_numeric():
    """Numbers with a point or an exponent make a numeric column; texts for missing become nulls."""
    table = read_table(b"a,b,t\n1,2e3,1.5\n2.5,NA,2.5\n?,,x\n", format="csv", header=True)

    assert [c.type == pa.float64() for c in table.columns] == [True, True, False]
    assert table.columns[0].to_pylist() == [1.0, 2.5, None]
    assert table.columns[1].to_pylist() == [2000.0, None, None]


@pytest.mark.parametrize("value", ["x", "1_0", "0x1", "٣"])
def test_one_value_that_is_no_number(value):
    """A single value that is not a decimal number makes the column symbolic."""
    table = read_table(f"a,t\n1.5,x\n{value},x\n".encode(), format="csv", header=True)

    assert table.columns[0].to_pylist() == ["1.5", value]


def test_class_is_never_numeric():
    """The class is a symbol even if all its values are measurements."""
    assert read_table(b"a,t\n1.5,0.5\n", format="csv", header=True).columns[1].to_pylist() == ["0.5"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["word", "tag"], ["can", "V"], ["can", "N"]], True),
        ([["age", "t"], ["1", "t"], ["2", "u"]], True),
        ([["can", "V"], ["can", "N"]], False),
        ([["a", "7"], ["b", "c"]], False),
        ([["", "tag"], ["0", "V"], ["1", "N"]], True),
        ([["", "V"], ["0", "V"], ["1", "N"]], False),
        ([["", ""], ["0", "V"]], False),
        ([["a", "a"], ["b", "c"]], True),
        ([["?", "x"], ["7", "y"]], False),
        ([["word", "tag"]], True),
    ],
)
def test_header_is_found_in_the_content(rows, expected):
    """Names are no numbers and do not occur again below; one that is empty tells nothing."""
    assert looks_like_a_header(rows) is expected


@pytest.mark.parametrize(("header", "n_rows"), [(True, 2), (False, 3), (None, 2)])
def test_header_may_be_said(header, n_rows):
    """What the caller says about the header goes before what the content suggests."""
    assert read_table(b"w,t\na,b\nc,d\n", format="csv", header=header).n_rows == n_rows


def test_blank_lines(rows):
    """Blank lines before the data and empty ones between are skipped."""
    assert rows(b"\n \nw,t\n\na,b\n", format="csv") == [["a", "b"]]


def test_ragged_row():
    """A row with another number of fields is refused with its line, quoted line ends counted."""
    with pytest.raises(FormatError, match=r"line 4: expected 2 fields as in the first line, got 3.*','"):
        read_table(b'w,t\n"a\nb",c\nd,e,f\n', format="csv")


def test_quote_that_is_never_closed():
    """A quote without an end does not swallow the rest of the file."""
    with pytest.raises(FormatError, match="line 3: a double quote is never closed"):
        read_table(b'w,t\na,b\nc,"d\n', format="csv")


def test_quotes_as_words():
    """In a TSV file of tokens a quote is a token; reading over it would join lines silently."""
    text = b'"\tQ\nyes\tUH\n"\tQ\n'
    with pytest.raises(FormatError, match="pass format='tabbed'"):
        read_table(text, format="tsv")

    assert read_table(text, format="tabbed").n_rows == 3


def test_field_larger_than_a_block():
    """Rows of any length are read, whatever size of block the reader works with."""
    field = "x\n" * 1_500_000
    table = read_table(f'w,t\na,b\n"{field}",c\n'.encode(), format="csv", n_threads=2)

    assert table.columns[0][1].as_py() == field


def test_long_whole_numbers_keep_their_digits():
    """A column of measurements with a whole number that a double would round stays text."""
    assert not signs_of(pa.array(["1.5", "9007199254740993"])).are_measured(".")
    assert signs_of(pa.array(["1.5", "9007199254740992"])).are_measured(".")
