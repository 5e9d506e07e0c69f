"""The format that is found when nobody names one."""

import pytest

from casebase.errors import FormatError
from casebase.formats import read_table
from casebase.formats.detect import detect_format
from casebase.formats.source import Source


@pytest.mark.parametrize(
    ("line", "format"),
    [
        (b"a, b, P", "c45"),
        (b"a, b c ,P.", "columns"),
        (b"a,b,P", "c45"),
        (b"a b P", "columns"),
        (b"a b  ", "columns"),
        (b" a,b P", "columns"),
        (b"a\tb c\tP", "tabbed"),
        (b"\ta b\t", "columns"),
        (b"(1,red)(7,4.5) P.", "sparse"),
        (b"(1,red)(7,4.5)P", "sparse"),
        (b"(1,red) x P", "columns"),
        (b"@RELATION weather", "arff"),
        (b"% a comment\n@relation weather", "arff"),
        (b"% 7 P", "columns"),
        (b"PAR1", "parquet"),
        (b"ARROW1", "feather"),
    ],
)
def test_format_found_in_the_content(line, format):
    """The first line that is not blank tells the format of a file with a name that does not."""
    leading = b"" if format in ("parquet", "feather") else b"\n \r\n"

    assert detect_format(Source("x.train", leading + line + b"\n")) == format


def test_three_features_in_a_line_with_commas():
    """`a, b c ,P.` has more blanks than commas: white space separates it."""
    assert read_table(b"a, b c ,P.\n").names == ("f1", "f2", "f3", "class")


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("x.csv", "csv"),
        ("x.TSV", "tsv"),
        ("x.csv.gz", "csv"),
        ("x.tsv.zst", "tsv"),
        ("x.arff.gz", "arff"),
        ("x.parquet", "parquet"),
        ("x.arrow", "feather"),
        ("x.feather", "feather"),
        ("csv", "columns"),
        ("x.data", "columns"),
    ],
)
def test_format_found_in_the_name(name, format):
    """A name that tells the format is believed; others leave it to the content."""
    assert detect_format(Source(name, b"a b\n")) == format


def test_no_separator_at_all():
    """A line without blanks and commas asks for the width of its fields."""
    with pytest.raises(FormatError, match=r"fixed width.*width=1"):
        read_table(b"abcP\n")


def test_width_and_separator_decide():
    """A width makes a file Compact, a separator makes it Tabbed."""
    assert detect_format(Source("x", b"a b\n"), width=1) == "compact"
    assert detect_format(Source("x", b"a b\n"), separator=";") == "tabbed"
