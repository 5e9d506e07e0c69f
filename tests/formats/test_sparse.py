"""Sparse and Binary files: only the features that are there are named."""

import pytest

from casebase.data import features, kinds
from casebase.errors import FormatError
from casebase.formats import read_cases, read_table
from casebase.measures import weights


def test_sparse(rows):
    """Features that a line does not name have TiMBL's literal for nothing."""
    assert rows(b"(1,red)(3,4.5) P\n(2,x)Q.\n\n P\r\n", format="sparse") == [
        ["red", "0.0000E-17", "4.5", "P"],
        ["0.0000E-17", "x", "0.0000E-17", "Q"],
        ["0.0000E-17", "0.0000E-17", "0.0000E-17", "P"],
    ]


def test_binary(rows):
    """Features that a line names are 1, the others 0."""
    assert rows(b"1,3,P\n 2 , Q.\nP\n", format="binary") == [
        ["1", "0", "1", "P"],
        ["0", "1", "0", "Q"],
        ["0", "0", "0", "P"],
    ]


@pytest.mark.parametrize(("format", "text"), [("sparse", b"(2,a)P\n"), ("binary", b"2,P\n")])
def test_number_of_features_may_be_given(rows, format, text):
    """Features that no line names exist if the number of features says so."""
    assert len(rows(text, format=format)[0]) == 3
    assert len(rows(text, format=format, n_features=7)[0]) == 8


@pytest.mark.parametrize(("format", "text"), [("sparse", b"(2,a)\n"), ("binary", b"2\n")])
def test_without_class(rows, format, text):
    """Without a class a line holds features only."""
    assert len(rows(text, format=format, has_target=False)[0]) == 2


@pytest.mark.parametrize(
    ("format", "line", "message"),
    [
        ("sparse", b"(1,a) (2,b) P", "without spaces between them and then a class, got '.2,b. P'"),
        ("sparse", b"(1,a)(2,b)", "expected a class .* has_target=False"),
        ("sparse", b"(1,a)(1,b) P", "feature occurs twice"),
        ("sparse", b"(9,a)P", "expected features 1 to 3, got feature 9. Pass n_features=9"),
        ("sparse", b"(0,a)P", "expected features 1 to 3, got feature 0"),
        ("binary", b"1,x,P", "expected feature numbers .* got 'x'"),
        ("binary", b"1,2,", "expected a class"),
        ("binary", b"1,9,P", "got feature 9"),
    ],
)
def test_bad_line(rows, format, line, message):
    """A malformed line is refused with its number."""
    good = b"(1,a)P\n" if format == "sparse" else b"1,P\n"
    with pytest.raises(FormatError, match="line 2: .*" + message):
        rows(good + line + b"\n", format=format, n_features=3)


@pytest.mark.parametrize(("format", "line"), [("sparse", b"(2,a)(100000,b)P\n"), ("binary", b"2,100000,P\n")])
def test_features_that_no_line_lists_share_a_column_and_its_counts(format, line, monkeypatch):
    """Regression: each of 100,000 declared features was coded, counted and weighed, which took minutes."""
    counted = []
    count = weights.feature_contingency
    monkeypatch.setattr(weights, "feature_contingency", lambda cases, i: counted.append(i) or count(cases, i))
    cases = read_cases(line * 2, format=format)
    found = weights.feature_weights(cases, "gain_ratio")

    assert (cases.n_features, len({id(column) for column in cases.columns})) == (100_000, 3)
    assert (counted, found.tolist()) == ([0, 1, 99_999], [0.0] * 100_000)
    assert [cases.schema.features[i].name for i in (0, 2, 99_999)] == ["f1", "f3", "f100000"]


def test_the_kind_of_features_that_no_line_lists_is_found_once(monkeypatch):
    """Regression: with the kinds to be found, 100,000 declared features took minutes."""
    asked = []
    find = kinds.kind_of
    monkeypatch.setattr(kinds, "kind_of", lambda name, *others: asked.append(name) or find(name, *others))
    cases = read_cases(b"2,100000,P\n2,Q\n2,3,P\n", format="binary", kinds="auto")

    assert asked == ["f1", "f2", "f3", "f100000"]
    assert cases.schema.names == ("f3", "f100000")
    assert cases.schema.source.kinds[4].name == "f5"


def test_features_that_no_line_lists_are_encoded_once(monkeypatch):
    """Regression: new cases for a model of 100,000 declared features took five seconds, each feature by itself."""
    encoded = []
    encode = features.encode_column
    monkeypatch.setattr(features, "encode_column", lambda column, one: encoded.append(one.name) or encode(column, one))
    cases = read_cases(b"2,1000,P\n2,Q\n", format="binary")
    table = read_table(b"2,1000,P\n2,Q\n", format="binary", schema=cases.schema)

    assert [column.tolist() for column in cases.schema.encode(table).columns] == [c.tolist() for c in cases.columns]
    assert encoded == ["f1", "f2", "f1000"]
