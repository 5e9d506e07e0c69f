"""Tables of every library as columns of symbols and numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from casebase.data import as_table, with_target
from casebase.errors import CasebaseError, SchemaError

NAN = float("nan")


def values(data):
    return [column.to_pylist() for column in as_table(data).columns]


def is_numeric(data):
    return [pa.types.is_floating(column.type) for column in as_table(data).columns]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (
            pd.Series([1, "x", None, 2.0, True, NAN, pd.NaT, pd.NA], dtype=object),
            ["1", "x", None, "2", "True", None, None, None],
        ),
        (pd.Series(pd.Categorical(["x", None, "y"], categories=["z", "y", "x"])), ["x", None, "y"]),
        (pd.Series(pd.Categorical([3, None, 1])), ["3", None, "1"]),
        (pd.Series(pd.Categorical([3.0, None, 1.5])), ["3", None, "1.5"]),
        (pd.Series([1, None], dtype="Int64"), ["1", None]),
        (pd.Series([True, None], dtype="boolean"), ["True", None]),
        (pd.Series([1, 2]), ["1", "2"]),
        (pd.Series([True, False]), ["True", "False"]),
        (pd.Series(["x", None], dtype="string"), ["x", None]),
        (pd.Series(["x", NAN], dtype=object), ["x", None]),
        (pd.Series([None, None], dtype=object), [None, None]),
        (pd.Series([2**70, 1], dtype=object), [str(2**70), "1"]),
        (pd.Series([1.5, NAN]), [1.5, None]),
        (pd.Series([1.5, None], dtype="Float64"), [1.5, None]),
        (pd.Series([1.5, 2], dtype=object), [1.5, 2.0]),
    ],
    ids=[
        "mixed",
        "category",
        "integer category",
        "float category",
        "Int64",
        "boolean",
        "int",
        "bool",
        "string",
        "text and NaN",
        "nothing",
        "large integers",
        "float",
        "Float64",
        "numbers as objects",
    ],
)
def test_pandas(column, expected):
    """Floats stay numbers; all else is text in its usual spelling, and None where something is missing."""
    assert values(pd.DataFrame({"a": column})) == [expected]
    assert is_numeric(pd.DataFrame({"a": column})) == [isinstance(expected[0], float)]


def test_pandas_dates():
    """Dates are symbols; NaT is missing."""
    [column] = values(pd.DataFrame({"a": pd.to_datetime(["2020-01-01", None])}))
    assert column[0].startswith("2020-01-01")
    assert column[1] is None


def test_names_of_pandas():
    """Columns named by text are named; columns numbered by pandas are not."""
    assert as_table(pd.DataFrame({"a": ["x"]})).is_named
    assert not as_table(pd.DataFrame([["x", "y"]])).is_named


def test_polars():
    """Every type of polars column that has symbols or numbers is read."""
    frame = pl.DataFrame(
        {
            "text": ["x", None],
            "int": [1, None],
            "float": [1.5, None],
            "nan": [NAN, 2.0],
            "bool": [True, None],
            "category": pl.Series(["q", None], dtype=pl.Categorical),
            "enum": pl.Series(["r", "q"], dtype=pl.Enum(["q", "r"])),
        }
    )
    assert values(frame) == [
        ["x", None],
        ["1", None],
        [1.5, None],
        [None, 2.0],
        ["True", None],
        ["q", None],
        ["r", "q"],
    ]
    assert as_table(frame).names == tuple(frame.columns)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["x", "y", None], pa.large_string()),
        pa.array(["x", "y", None], pa.large_string()).dictionary_encode(),
        pa.array(["x", "y", None], pa.string_view()),
        pa.chunked_array([["x"], ["y", None]]),
        pa.chunked_array([pa.array(["x"]).dictionary_encode(), pa.array(["y", None]).dictionary_encode()]),
        pa.DictionaryArray.from_arrays(pa.array([0, 2, 1]), pa.array(["x", None, "y"])),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int8()), pa.array(["x", "y", "unused"])),
    ],
    ids=["large", "large dictionary", "view", "chunks", "dictionary chunks", "null in dictionary", "unused entry"],
)
def test_arrow_text(column):
    """Text is text, however Arrow stores it."""
    assert values(pa.table({"a": column})) == [["x", "y", None]]


def test_arrow_types():
    """Integers, truth values, decimals and columns of nothing."""
    table = pa.table({"i": pa.array([1, None], pa.int8()), "b": [True, None], "n": pa.nulls(2)})
    assert values(table) == [["1", None], ["True", None], [None, None]]
    assert values(pa.table({"d": pa.array([1, 2], pa.decimal128(5, 2))})) == [[1.0, 2.0]]


def test_a_type_without_values_to_compare():
    """A column of lists is refused by name."""
    with pytest.raises(CasebaseError, match="column 'a' is of type list"):
        as_table(pa.table({"a": [[1], [2]]}))


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([["a", "b"], ["c", ""]]), [["a", "c"], ["b", ""]]),
        (np.array([["a", 1], [None, 2.5]], dtype=object), [["a", None], [1.0, 2.5]]),
        (np.array([["a", NAN], ["b", "x"]], dtype=object), [["a", "b"], [None, "x"]]),
        (np.array([[1, 2], [3, 4]]), [["1", "3"], ["2", "4"]]),
        (np.array([[True], [False]]), [["True", "False"]]),
        (np.array([[1.0, NAN]]), [[1.0], [None]]),
        (np.array([[0.5, NAN]], dtype=np.float16), [[0.5], [None]]),
        (np.array([[b"a"]]), [["a"]]),
        (np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]), [[1.0, 3.0], [2.0, 4.0]]),
    ],
    ids=["text", "objects", "objects with NaN", "int", "bool", "float", "half", "bytes", "by column"],
)
def test_numpy(array, expected):
    """Arrays are taken column by column, without names."""
    assert values(array) == expected
    assert not as_table(array).is_named


def test_rows():
    """Each value of a row keeps its type: text and integers are symbols, floats are numbers."""
    assert values([["a", 1, 1.5], ["b", None, 2]]) == [["a", "b"], ["1", None], [1.5, 2.0]]
    assert values([(1, True), ("a", 1)]) == [["1", "a"], ["True", "1"]]


def test_dictionaries():
    """Rows as dictionaries are matched by name; an absent value is missing."""
    table = as_table([{"a": 1, "b": "x"}, {"b": "y", "c": 2.5}])
    assert (table.names, table.is_named) == (("a", "b", "c"), True)
    assert values([{"a": 1, "b": "x"}, {"b": "y", "c": 2.5}]) == [["1", None], ["x", "y"], [None, 2.5]]


@pytest.mark.parametrize("data", [[["a", 1], ["b"]], [["a"], "b"], [["a", "b"], ["a", "b", "c"]]])
def test_ragged_rows(data):
    """A row of another length is named."""
    with pytest.raises(CasebaseError, match="Row 1 does not have as many values"):
        as_table(data)


@pytest.mark.parametrize("data", [np.array([1, 2]), ["ab", "cd"], np.zeros((2, 2, 2)), "ab", 3])
def test_what_is_no_table(data):
    """A table has rows and columns."""
    with pytest.raises(CasebaseError, match="Expected a table"):
        as_table(data)


def test_target():
    """The class column is found by name or counted, from either end."""
    table = as_table(pa.table({"size": ["x"], "shape": ["y"]}))
    assert with_target(table, "shape").target == with_target(table, -1).target == with_target(table, 1).target == 1


def test_target_that_is_not_there():
    """A wrong name is answered with the nearest one, a wrong number with the number of columns."""
    table = as_table(pa.table({"size": ["x"], "shape": ["y"]}))
    with pytest.raises(SchemaError, match="Did you mean 'shape'"):
        with_target(table, "shpe")
    with pytest.raises(SchemaError, match="no column 2"):
        with_target(table, 2)
