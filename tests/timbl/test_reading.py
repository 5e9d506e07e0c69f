"""Data files by TiMBL's rules."""

import numpy as np
import pytest

from casebase.errors import CasebaseError
from casebase.timbl.data_files import MAX_REPAIRS, Input, common_encoding
from casebase.timbl.layout import Layout, detect_format


def read(text: str, **options):
    numbers = options.pop("number", None)
    return Input(**options).read("f", text.encode(), number=numbers)


def rows(file) -> list[str]:
    return [" ".join(row) for row in zip(*(column.to_pylist() for column in file.columns))]


@pytest.mark.parametrize(
    ("line", "format"),
    [
        ("a b P", "Columns"),
        ("a,b,P", "C4.5"),
        ("a, b, P", "C4.5"),
        ("a, b c ,P.", "Columns"),
        ("abP", "Compact"),
        ("a\tb\tP", "Columns"),
        ("a b P   ", "Columns"),
    ],
)
def test_the_first_line_tells_the_format(line, format):
    """As many commas as runs of blanks: C4.5; fewer: Columns; neither: Compact."""
    assert detect_format(line) == format


@pytest.mark.parametrize(
    ("text", "options", "lines", "echoes"),
    [
        ("a x P\n\n b  y\tQ \r\n", {}, ["a x P", "b y Q"], ["a x P ", "b y Q "]),
        ("a,x,P.\nb , y,Q .\n", {}, ["a x P", "b y Q"], ["a,x,P,", "b,y,Q,"]),
        ("a,,x,P\n,b,y,Q\n", {"format": "C4.5"}, None, None),
        ("a,x,P\na,,x,Q\n", {}, ["a x P", "a x Q"], ["a,x,P,", "a,x,Q,"]),
        ("a b\tx\tP\n", {"format": "Tabbed"}, ["a b x P"], ["a b\tx\tP\t"]),
        ("axP\nbyQ \n", {"width": 1}, ["a x P", "b y Q"], ["axP", "byQ"]),
        ("aaxxPP\n", {"width": 2}, ["aa xx PP"], ["aaxxPP"]),
        ("%c\n@data\na,x,P\n%c\n", {"format": "ARFF"}, ["a x P"], ["a,x,P,"]),
        (
            "(1,a)(3,b) P\n(2,c)Q.\n",
            {"format": "Sparse", "n_features": 3},
            ["a 0.0000E-17 b P", "0.0000E-17 c 0.0000E-17 Q"],
            ["(1,a)(3,b)P,", "(2,c)Q,"],
        ),
        ("3,1,P\n2,Q.\n", {"format": "Binary", "n_features": 3}, ["1 0 1 P", "0 1 0 Q"], ["1,3,P,", "2,Q,"]),
        ("P a x\nQ b y\n", {"target": 1}, ["a x P", "b y Q"], ["a x P ", "b y Q "]),
        ("a x\\y P\n", {}, ["a x\\y P"], ["a x\\\\y P "]),
    ],
)
def test_lines_and_their_echo(text, options, lines, echoes):
    """Every format is cut by its rule; the echo has the class last and a separator behind it."""
    if lines is None:
        with pytest.raises(CasebaseError, match="no line of 3 features"):
            read(text, **options)
        return
    file = read(text, **options)

    assert rows(file) == lines
    assert file.echoes() == echoes


def test_malformed_lines_are_left_out_and_told():
    """With their number and text; blank lines are left out silently but counted."""
    file = read("a x P\na P\n\nb y Q z\nb y Q\n")

    assert rows(file) == ["a x P", "b y Q"]
    assert [(number, line) for number, line, _ in file.skipped] == [(2, "a P"), (4, "b y Q z")]
    assert file.n_skipped == 3


@pytest.mark.parametrize("n_odd", [1, MAX_REPAIRS, MAX_REPAIRS + 1, 50])
def test_few_and_many_odd_lines(n_odd):
    """However many there are, the same lines count, with the same echo, and the others are told."""
    odd = ["a,,x,P", "b,Q", "", "b,y,,Q"] * n_odd
    file = read("\n".join(["a,x,P", *odd, "b,x,Q"]) + "\n")

    assert rows(file) == ["a x P", *["a x P", "b y Q"] * n_odd, "b x Q"]
    assert file.echoes() == [row.replace(" ", ",") + "," for row in rows(file)]
    assert [number for number, *_ in file.skipped] == [3 + 4 * i for i in range(n_odd)]
    assert file.n_skipped == 2 * n_odd


@pytest.mark.parametrize("line", ["(1,a) (2,c) P", "(9,a) P", "(1,a)", "(x,a) P"])
def test_malformed_sparse_lines(line):
    """A blank between pairs, a feature that does not exist, no class."""
    assert Layout("Sparse", 3).fields(line) is None


def test_weights_and_counts_behind_the_class():
    """They are taken off before a line is looked at; one that is no number is skipped with its line."""
    file = read("a x P 1.5\na y Q foo\n\nb x Q -2\n", number="weights")

    assert rows(file) == ["a x P", "b x Q"]
    assert file.numbers.tolist() == [1.5, 1.0]
    assert file.skipped == [(2, "a y Q foo", "weights")]
    assert read("a,x,P 2\nb,y,Q 3\n", number="occurrences").numbers.tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "is empty"),
        ("\n \n", {}, "is empty"),
        ("abP\n", {}, "-l 1"),
        ("a x P\n", {"n_features": 1}, "got 2 features, more than 1. Set -N 2"),
        ("a x P\n", {"format": "Sparse"}, "-N"),
        ("a x P\n", {"format": "C4.5"}, "expected features and a class"),
        ("a x P\n", {"format": "ARFF"}, "no @data line"),
        ("a x P\n", {"target": 9}, "-T 9"),
        ("a\0 x P\n", {}, "line 1: expected text, got a NUL byte"),
    ],
)
def test_a_file_that_cannot_be_used(text, options, message):
    """The message says what was expected and which option would help."""
    with pytest.raises(CasebaseError, match=message):
        read(text, **options)


def test_a_test_file_has_the_features_of_training():
    """Its class counts as a field too."""
    with pytest.raises(CasebaseError, match="has 2 features, but the training data have 3"):
        Input().read("t", b"a x P\n", n_features=3)


def test_bytes_that_are_not_utf8():
    """Then every byte is a character, as for TiMBL; in Compact lines always."""
    assert common_encoding(["é x".encode(), b"a"], None, None) == "utf-8"
    assert common_encoding(["é x".encode(), b"\xe9"], None, None) == "latin-1"
    assert common_encoding(["é".encode()], "Compact", 1) == "latin-1"
    file = Input(encoding="latin-1").read("f", b"\xe9 x\n")
    assert file.echoes()[0].encode("latin-1") == b"\xe9 x "


def test_lines_of_a_large_file_are_their_own_echo():
    """Nothing is put together again where a line is already as it will be shown."""
    lines = [f"{i % 7},{i % 3},{'PQ'[i % 2]}" for i in range(5000)]
    file = read("\n".join(lines) + "\n")

    assert file.echoes() == [line + "," for line in lines]
    assert np.array_equal(file.columns[0].indices.to_numpy(), np.arange(5000) % 7)
