"""Separators and decimal marks that nobody names."""

import pytest

from casebase.data import Cases
from casebase.errors import CasebaseError, FormatError
from casebase.formats import read_table
from casebase.formats.facts import recognised_decimal, signs_of
from casebase.formats.line import line_table


def read(text, **options):
    return [column.to_pylist() for column in read_table(text.encode(), **options).columns]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_separators(mark):
    """A .csv file may have any of four separators; quoted ones do not count."""
    text = 'a,b,c\n"x;y",1,P\n"x|,y",2,Q\n'.replace(",", mark)

    assert read(text, format="csv") == [["x;y", f"x|{mark},y".replace(f"{mark},", mark)], ["1", "2"], ["P", "Q"]]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("name,tags\nx,a;b\ny,c\n", ","),  # semicolons in a value
        ("a;b,c\nd;e,f\n", ","),  # both split evenly: the comma is that of the name
        ("1,5;2,5;P\n2,5;3,5;Q\n", ";"),  # all commas are decimal commas
        ("1,5;x,y\n2,5;x,z\n", ","),
        ("word\tn\nx\t1\n", "\t"),
    ],
)
def test_which_separator(text, mark):
    """The comma is taken unless another character splits the rows and it does not."""
    found = read_table(text.encode(), format="csv", header=False).recognised
    words = {";": ("fields separated by semicolons",), "\t": ("fields separated by TABs",), ",": ()}[mark]

    assert tuple(one for one in found if "separated" in one) == words


def test_a_short_row():
    """If no character splits all rows evenly, the error is about the row, not about a single column."""
    with pytest.raises(
        FormatError, match=r"line 3: expected 3 fields as in the first line, got 2\. The line is split on ';'"
    ):
        read("a;b;c\n1;2;3\n1;2\n", format="csv")


def test_declared_separator():
    """Excel's line `sep=;` declares the separator and is no data."""
    assert read("sep=;\r\na;b\r\nx;P\r\n", format="csv") == [["x"], ["P"]]
    assert read("sep=|\na|b\nx|P\n", format="csv") == [["x"], ["P"]]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("a;b;P\nc;d;Q\n", "csv"),
        ("big dog;x;P\ncat;y;Q\n", "csv"),
        ("1,5;2;P\n2,5;3;Q\n", "csv"),
        ("a|b|P\nc|d|Q\n", "csv"),
        ("a; b; P\nc; d; Q\n", "columns"),  # blanks split it evenly, as before
        ("a;b,P\nc;d,Q\n", "c45"),
        ("; x P\n; y Q\n", "columns"),
    ],
)
def test_files_without_a_telling_name(text, format):
    """Semicolons are found in the content where neither blanks nor commas split the lines."""
    assert read_table(text.encode()).layout.format == format


@pytest.mark.parametrize(
    ("values", "decimal"),
    [
        (["1,5", "20"], ","),
        (["1.234,5"], ","),
        (["-1,25e3", "NA"], ","),
        (["1 234,56"], ","),
        (["1.5", "20"], "."),
        (["1,234"], None),  # a thousand, or little more than one: it shows no mark
        (["1.234"], None),
        (["1,5", "x"], None),
        (["1,5,2"], None),
        (["12", "13"], None),
        (["?", ""], None),
    ],
)
def test_decimal_mark(values, decimal):
    """A column of numbers shows the decimal mark unless it may be a separator of thousands."""
    import pyarrow as pa

    column = signs_of(pa.array(values))

    assert recognised_decimal([column], ";") == (decimal or ".")
    assert recognised_decimal([column], ";", known=",") == (decimal or ",")
    assert recognised_decimal([column], ",", known=",") == "."


def test_one_mark_per_table():
    """What may be a thousand follows the other columns; a table with decimal points has no decimal commas."""
    assert read("a;b;c\n1,5;1,234;P\n2,5;5,678;Q\n", format="csv")[:2] == [[1.5, 2.5], [1.234, 5.678]]
    assert read("a;b;c\n1,5;1.234;P\n2,5;5.678;Q\n", format="csv")[:2] == [[1.5, 2.5], [1234.0, 5678.0]]
    assert read("a;b;c\n1.5;1,5;P\n2.5;2,5;Q\n", format="csv")[:2] == [[1.5, 2.5], ["1,5", "2,5"]]


def test_named_mark():
    """A named decimal mark is taken, also with commas as separators."""
    assert read('a,c\n"1,5",P\n"2",Q\n', format="csv", decimal=",")[0] == [1.5, 2.0]
    assert read("a;c\n1,5;P\n2;Q\n", format="csv", decimal=".")[0] == ["1,5", "2"]
    for options, message in (
        ({"decimal": ";"}, "Expected '.' or ','"),
        ({"decimal": ",", "separator": ","}, "cannot separate fields and be the decimal mark"),
        ({"decimal": ",", "format": "columns"}, "columns format takes no decimal mark"),
    ):
        with pytest.raises(CasebaseError, match=message):
            read("a,c\n1,P\n", **({"format": "csv"} | options))


def test_header_of_names_above_decimal_commas():
    """A first row with decimal commas is no header."""
    assert read("1,5;P\n2,25;Q\n", format="csv") == [[1.5, 2.25], ["P", "Q"]]
    assert read("1,5\tP\n2,25\tQ\n", format="tsv") == [[1.5, 2.25], ["P", "Q"]]


def test_new_cases_have_the_mark_of_the_training_file():
    """A file of new cases that does not show its mark, and a line for `explain`, are read like the training file."""
    schema = Cases.from_table(read_table(b"a;c\n1,5;P\n2,5;Q\n", format="csv")).schema

    assert read_table(b"a\tc\n1,234\tP\n", format="csv", schema=schema).columns[0].to_pylist() == [1.234]
    assert line_table("1,234;P", schema).columns[0].to_pylist() == [1.234]


@pytest.mark.parametrize("word", ["NULL", "null", "N/A", "#N/A", "\\N"])
def test_missing_numbers(word):
    """What databases and spreadsheets write for nothing is missing in a column of numbers, and a symbol in others."""
    assert read(f"a,b,c\n1.5,x,P\n{word},{word},Q\n", format="csv")[:2] == [[1.5, None], ["x", word]]
