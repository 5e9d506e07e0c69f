"""Which column is the class, and the names of columns without names."""

import pytest

from casebase.errors import CasebaseError, FormatError
from casebase.formats import read_table

NAMED = b"word,tag,freq\ncan,V,2\n"


def test_last_column_is_the_class():
    """Without a target the last column is it, and names are made up."""
    table = read_table(b"a b P\n")

    assert (table.names, table.target, table.is_named) == (("f1", "f2", "class"), 2, False)


@pytest.mark.parametrize(("target", "position"), [(0, 0), (-3, 0), (1, 1), (-1, 2), ("class", 2)])
def test_target_by_position(target, position):
    """Positions count from 0, negative ones from the end; features are numbered without the class."""
    table = read_table(b"a b P\n", target=target)

    assert table.target == position
    assert table.names.index("class") == position
    assert [n for n in table.names if n != "class"] == ["f1", "f2"]


@pytest.mark.parametrize("target", ["tag", 1, -2])
def test_target_by_name(target):
    """In a table with names the class may be given by its name; columns keep their places."""
    table = read_table(NAMED, format="csv", header=True, target=target)

    assert (table.names, table.target) == (("word", "tag", "freq"), 1)


def test_no_target():
    """Without a class every column is a feature."""
    table = read_table(b"a b\n", has_target=False)

    assert (table.names, table.target) == (("f1", "f2"), None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "tga"}, "Unknown column 'tga'. Did you mean 'tag'"),
        ({"target": 3}, "no column 4: the file has 3 columns.*from 0 in Python"),
        ({"target": -4}, "no column -4: the file"),
        ({"target": "tag", "header": False}, "columns have no names.*header=True"),
        ({"target": "tag", "has_target": False}, "contradict each other"),
    ],
)
def test_target_that_is_not_there(options, message):
    """A target that cannot be found is an error with the ones that can."""
    with pytest.raises(CasebaseError, match=message):
        read_table(NAMED, **{"format": "csv", "header": True, **options})


def test_class_alone():
    """A class without features is not a table to learn from."""
    with pytest.raises(FormatError, match="at least one feature and a class, got 1 column"):
        read_table(b"a\nb\n", format="columns")


@pytest.mark.parametrize("format", ["columns", "tabbed", "csv"])
def test_number_of_features_is_checked(format):
    """A file with another number of features than was asked for is refused."""
    separator = {"columns": b" ", "tabbed": b"\t", "csv": b","}[format]
    with pytest.raises(FormatError, match="expected 5 features"):
        read_table(b"a b c\n".replace(b" ", separator), format=format, n_features=5, header=False)


@pytest.mark.parametrize("header", [True, None])
def test_names_that_cannot_be(header):
    """Names must differ; a first line with a name twice was taken for a case."""
    with pytest.raises(FormatError, match=r"2 columns are called 'a'.*If the first line is data"):
        read_table(b"a,a,c\n1,2,3\n", format="csv", header=header)


@pytest.mark.parametrize("header", [True, None])
@pytest.mark.parametrize(
    ("first", "names"),
    [(b",a,b", ("column1", "a", "b")), (b"a,,b", ("a", "column2", "b")), (b'"", ,c', ("column1", "column2", "c"))],
)
def test_empty_names_are_made_up(header, first, names):
    """The index of a data frame has no name in a CSV file; its header was taken for a case."""
    table = read_table(first + b"\n0,x,3\n1,y,4\n", format="csv", header=header)

    assert (table.names, table.n_rows) == (names, 2)
