"""Parquet and Arrow files, and the columns of every type in them."""

import io

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from casebase.errors import CasebaseError, FormatError
from casebase.formats import read_table

TABLE = pa.table({"w": ["a", "b", "a"], "n": [1, None, 3], "x": [0.5, float("nan"), None], "t": [True, False, True]})


def as_bytes(table, write):
    sink = io.BytesIO()
    write(table, sink)
    return sink.getvalue()


def write_stream(table, sink):
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize(
    ("write", "format"),
    [(pa.parquet.write_table, None), (pa.feather.write_feather, None), (write_stream, "arrow")],
)
def test_typed_file(rows, write, format):
    """Text, whole numbers and truth values are symbols, floating-point numbers are numbers."""
    assert rows(as_bytes(TABLE, write), format=format) == [
        ["a", "1", 0.5, "True"],
        ["b", None, None, "False"],
        ["a", "3", None, "True"],
    ]


def test_names_and_target():
    """Names come from the file and the class may be any of them."""
    table = read_table(as_bytes(TABLE, pa.parquet.write_table), target="w")

    assert (table.names, table.target, table.is_named) == (("w", "n", "x", "t"), 0, True)


def test_row_labels_of_pandas_are_no_feature():
    """The labels of the rows, which pandas stores as the last column, are left out."""
    frame = pd.DataFrame({"a": ["x", "y"], "t": ["P", "Q"]}, index=[7, 9])

    assert read_table(as_bytes(frame, pd.DataFrame.to_parquet)).names == ("a", "t")


def test_nested_column():
    """A column of lists is refused with its name and type."""
    nested = as_bytes(pa.table({"a": [[1]], "t": ["x"]}), pa.parquet.write_table)
    with pytest.raises(FormatError, match=r"column 'a' is of type list<.*int64>"):
        read_table(nested)


@pytest.mark.parametrize(
    ("write", "format"), [(pa.parquet.write_table, "parquet"), (pa.feather.write_feather, "feather")]
)
def test_truncated_file(write, format):
    """However much is missing of a typed file, the error is ours."""
    data = as_bytes(TABLE, write)

    for n_bytes in range(1, len(data), 7):
        with pytest.raises(CasebaseError):
            read_table(data[:n_bytes], format=format)


def test_no_rows():
    """A typed file without rows is empty."""
    with pytest.raises(FormatError, match="expected at least one row"):
        read_table(as_bytes(TABLE.slice(0, 0), pa.parquet.write_table))


def test_a_name_that_is_not_utf8():
    """Regression: the name of a column was a UnicodeDecodeError of Arrow, in files and in streams."""
    sink = pa.BufferOutputStream()
    table = pa.table({"grösse": ["a", "b"], "class": ["P", "Q"]})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    feather = as_bytes(table, lambda table, file: pa.feather.write_feather(table, file, compression="uncompressed"))

    for data in (bytes(sink.getvalue()), feather):
        damaged = data.replace("gröss".encode(), b"gr\xff\xffss")
        with pytest.raises(FormatError, match="the feather file is truncated, damaged, or of another format"):
            read_table(damaged, format="feather")


def test_the_first_version_of_feather_is_refused():
    """Regression: Arrow reads it unchecked, and a damaged file ended the process."""
    with pytest.raises(FormatError, match="is a file of Feather's first version"):
        read_table(b"FEA1" + bytes(50) + b"FEA1")
