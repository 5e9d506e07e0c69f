"""ARFF files: declared names and types, quotes, missing values."""

import pyarrow as pa
import pytest

from casebase.errors import FormatError
from casebase.formats import read_table

WEATHER = b"""% the weather, and what we did
@RELATION weather

@attribute 'the outlook' {sunny, 'very rainy'}
@Attribute temperature REAL   % not a comment of ARFF, but harmless
@attribute "play" {yes, no}
@data
sunny, 21, yes
% a comment
'very rainy', ?, no
?,1e1,"no"
"""


def with_line(line):
    return WEATHER + line + b"\n"


def test_weather(rows):
    """Names, quoted values, numbers and missing values come out as declared."""
    table = read_table(WEATHER)

    assert table.names == ("the outlook", "temperature", "play")
    assert rows(WEATHER) == [["sunny", 21.0, "yes"], ["very rainy", None, "no"], [None, 10.0, "no"]]
    assert table.columns[1].type == pa.float64()


def test_class_keeps_its_spelling(rows):
    """A numeric attribute that is the class is a symbol."""
    assert [row[1] for row in rows(WEATHER, target="temperature")] == ["21", None, "1e1"]


def test_quotes(rows):
    """Quoted values may hold commas, blanks and escaped quotes; a quoted ? is a value."""
    assert rows(with_line(rb"""'it\'s, well', 2, '?' """))[-1] == ["it's, well", 2.0, "?"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"sunny,yes", "expected 3 values, one for each @attribute, got 2"),
        (b"sunny,warm,yes", "expected a number for 'temperature', got 'warm'"),
        (b"{0 sunny, 2 yes}", "sparse ARFF .* is not supported"),
        (b"'sunny,1,yes", "a quote is not closed"),
    ],
)
def test_bad_data(line, message):
    """A malformed case is refused with its line."""
    with pytest.raises(FormatError, match="line 12: " + message):
        read_table(with_line(line))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"'the outlook' {", b"the outlook {", "line 4: unknown attribute type .outlook"),
        (b" REAL   % not a comment of ARFF, but harmless", b"", "line 5: expected '@attribute name type'"),
        (b"REAL", b"relational", "line 5: unknown attribute type 'relational"),
        (b"@RELATION", b"RELATION", "line 2: expected @relation"),
        (b"@data", b"%", "line 8: expected @relation"),
        (b'"play"', b"temperature", "2 columns are called 'temperature'"),
    ],
)
def test_bad_declaration(old, new, message):
    """A malformed declaration is refused with its line."""
    with pytest.raises(FormatError, match=message):
        read_table(WEATHER.replace(old, new), format="arff")


def test_declarations_alone():
    """A file that ends before its data, or at them, is not complete."""
    head, _, _ = WEATHER.partition(b"@data")
    with pytest.raises(FormatError, match="expected a line @data"):
        read_table(head)
    with pytest.raises(FormatError, match="line of data after @data, got none"):
        read_table(head + b"@DATA\n")


def test_blanks_before_a_stray_quote_are_refused_at_once():
    """With a hundred thousand blanks the cube of their number would not come to an end."""
    with pytest.raises(FormatError, match="a quote is not closed"):
        read_table(with_line(b"sunny," + b" " * 100_000 + b"'yes, no"))
