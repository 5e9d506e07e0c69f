"""Sparse, Binary and ARFF: the compiled readers give the tables and the messages of the readers in Python."""

import sys
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from casebase.errors import CasebaseError
from casebase.formats import arff, sparse
from casebase.formats.source import Source
from tests.oracles import arff as arff_oracle
from tests.oracles import listed as listed_oracle

HEADER = "@relation r\n@attribute a {x, y}\n@attribute 'b c' real\n@attribute d string\n@data\n"
PIECES = ["x", "?", "'", '"', "\\", ",", ",", ",", " ", "\t", "\n", "\n", "\r", "\0", "{", "%", "@", "1", "1.5", "-2e3"]
PIECES += ["1_0", "nan", "nan(1)", "inf", "1e400", "\u0661", "é", "\xa0", "\u2003", "\u3000", "\x1c", "n"]
PIECES += ["a longer value", "'q, r'", '"it\\\'s"']
LISTED = ["(1,a)", "(3,b c)", "(2,", "(", ")", ",", "1", "3", "04", "12345678901", "100000", "100001", "0", ".", " "]
LISTED += ["\t", "\r", "\n", "\n", "P", "Q", "é", "\0", "\xa0", "(2,0.0000E-17)", "a value of many bytes"]


def outcome(read):
    """Return columns as lists, with the order of their values; or the message of the error."""
    try:
        return [
            (column.to_pylist(), column.dictionary.to_pylist() if hasattr(column, "dictionary") else None)
            for column in read()
        ]
    except CasebaseError as error:
        return type(error).__name__, str(error)


def texts(pieces):
    return st.lists(st.sampled_from(pieces), max_size=24).map("".join)


def arff_lines():
    """Lines that mostly have three values, so that most texts are read beyond their first line."""
    value = st.sampled_from(["x", " y ", "?", "'?'", "1.5", " 2", "'a, b'", '"\\t"', "", "\u2003z", "a longer value"])
    return st.lists(st.tuples(value, value, value).map(",".join), max_size=8).map("\n".join)


@pytest.mark.parametrize("target", [None, 1, 2])
@pytest.mark.parametrize("n_threads", [1, 3])
@given(text=texts(PIECES) | arff_lines())
@example(text="x,1,'it\\'s'\n?, ?, '?'\n")
@example(text="x,1,'a\n")
@example(text="x,a,b\n\n% c\ny,b,c")
@example(text="x,1," + " " * 50 + "'a'b")
def test_arff_agrees_with_python(text, target, n_threads):
    """Columns, their values in order, missing values, and messages with their lines are the same."""
    source = Source("x.arff", (HEADER + text).encode())
    expected = outcome(lambda: arff_oracle.arff_columns(arff_oracle.parse_arff(source), target))
    found = outcome(lambda: arff.arff_columns(arff.parse_arff(source, n_threads), target))

    assert repr(found) == repr(expected)  # NaN has one spelling


@given(
    text=st.lists(st.sampled_from(["@data", "@attribute", " a", " 'b", "'", " real", " {", "}", "\n", "\n", "%", "é"]))
)
def test_arff_declarations_agree_with_python(text):
    """A header is read, or refused with the same message."""
    source = Source("x.arff", "".join(text).encode())

    assert outcome(lambda: arff.parse_arff(source).columns) == outcome(
        lambda: map(arff_oracle._texts, arff_oracle.parse_arff(source).columns)
    )


@pytest.mark.parametrize("format", ["sparse", "binary"])
@pytest.mark.parametrize("n_threads", [1, 3])
@given(
    text=texts(LISTED) | st.lists(st.sampled_from(["1,P", "2 , 3,Q.", "(1,a)(2,b)P", "(2,é) Q.", "P"])).map("\n".join),
    n_features=st.sampled_from([None, 1, 3, 4, 200_000]),
    has_target=st.booleans(),
)
@example(
    text="1,9,P\n1,x,P", n_features=3, has_target=True
)  # the second line is refused before the first one's feature
@example(text="(0,a)(100001,b)P", n_features=None, has_target=True)
@example(text="(1,a)\r P\n(2,b)Q .", n_features=None, has_target=True)
@example(text="3,1,3,P", n_features=None, has_target=True)
def test_listed_features_agree_with_python(format, text, n_features, has_target, n_threads):
    """Columns and their values in order, and messages with their lines, are the same."""
    source = Source("x.txt", text.encode())
    options = {"n_features": n_features, "has_target": has_target}
    expected = outcome(lambda: listed_oracle.read_sparse(source, format, **options)[:30])
    found = outcome(lambda: sparse.read_sparse(source, format, **options, n_threads=n_threads)[:30])

    assert found == expected


@pytest.mark.parametrize("format", ["sparse", "binary", "arff"])
def test_bytes_that_are_no_text_come_first(format):
    """A file that is not UTF-8 is refused as such, whatever its lines are: it may be read in another encoding."""
    source = Source("x", HEADER.encode() + b"1,2\n\xff\n")
    if format == "arff":
        found, expected = (outcome(partial(one.parse_arff, source)) for one in (arff, arff_oracle))
    else:
        options = {"n_features": None, "has_target": True}
        readers = (sparse.read_sparse, listed_oracle.read_sparse)
        found, expected = (outcome(partial(one, source, format, **options)) for one in readers)

    assert found == expected
    assert found[0] == "EncodingError"


def test_white_space_is_that_of_python():
    """Every character that Python strips is stripped around a value, and no other."""
    characters = [chr(i) for i in range(1, sys.maxunicode + 1) if not 0xD800 <= i < 0xE000 and chr(i) not in "\n,'\"?"]
    text = "".join(f"x,1,{c}v{c}\n" for c in characters)
    found = arff.parse_arff(Source("x", (HEADER + text).encode())).columns[2]

    assert [value == "v" for value in found.to_pylist()] == [c.isspace() for c in characters]


def test_a_table_larger_than_memory_is_refused_before_it_is_made(monkeypatch):
    """Ten lines that list ten features are a hundred codes of four bytes."""
    monkeypatch.setattr(sparse, "_memory", lambda: 399)
    source = Source("x", "".join(f"{i},P\n" for i in range(1, 11)).encode())

    with pytest.raises(
        CasebaseError, match="10 lines that list 10 features make a table of 0 GB, more than the memory"
    ):
        sparse.read_sparse(source, "binary", n_features=None, has_target=True)
    assert len(sparse.read_sparse(Source("x", b"1,2,P\n"), "binary", n_features=50, has_target=True)) == 51
