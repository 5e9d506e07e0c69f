"""JSON Lines and arrays of objects: columns, types, and lines that are no objects."""

import json

import pytest

from casebase.errors import FormatError
from casebase.formats import read_table


@pytest.mark.parametrize(
    "write", [lambda r: "\n\n".join(map(json.dumps, r)), json.dumps, lambda r: json.dumps(r, indent=1)]
)
def test_lines_and_arrays(rows, write):
    """One object per line, with blank lines, and an array in one line or several, are the same table."""
    records = [{"a": "x", "n": 1, "t": "P"}, {"t": "Q", "a": None}]

    assert rows(write(records).encode()) == [["x", "1", "P"], [None, None, "Q"]]


@pytest.mark.parametrize("name", ["x.jsonl", "x.ndjson", "x.json", "x.jsonl.gz"])
def test_names(tmp_path, name):
    """The name tells the format."""
    (tmp_path / name).write_text('{"a": "x", "t": "P"}\r\n{"a": "y", "t": "Q"}\r\n')

    assert read_table(tmp_path / name).layout.format == "jsonl"


def test_types():
    """A number with decimals makes a numeric column; whole numbers, mixed values and the class are symbols."""
    lines = '{"x": 1.5, "n": 7, "m": 7, "b": true, "c": 0.5}\n{"x": 2, "n": 8, "m": "a", "b": null, "c": 1.0}\n'

    assert [column.to_pylist() for column in read_table(lines.encode()).columns] == [
        [1.5, 2.0],
        ["7", "8"],
        ["7", "a"],
        ["True", None],
        ["0.5", "1"],
    ]


def test_not_a_number():
    """NaN, which Python writes though JSON has none, is missing."""
    assert read_table(b'{"x": NaN, "c": "P"}\n{"x": 1.5, "c": "Q"}\n').columns[0].to_pylist() == [None, 1.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "c": "P"}\n{"a": 1, "c"', r"line 2: expected JSON, got something else at character 13"),
        ('{"a": 1, "c": "P"}\n[1, 2]', "line 2: expected an object .* got an array"),
        ('{"a": 1, "c": "P"}\nnull', "line 2: expected an object .* got null"),
        ('{"a": {"b": 1}, "c": "P"}', "line 1: expected a text, number, truth value or null for 'a', got an object"),
        ('{"a": 1, "c": "P"}\n{"a": [1], "c": "P"}', "line 2: .* for 'a', got an array"),
        ('[{"a": 1, "c": "P"}, 3]', "object 2: expected an array of objects, got a number"),
        ('{\n"data": [{"a": 1}]\n}', "got one object. The objects may be those under 'data'"),
        ("[]", "at least one line of data"),
        ("{}", "at least one line of data"),
        ('{"a": "\\ud800", "c": "P"}', "lone surrogate"),
        ("[" * 100_000, "cannot be read"),
        (f'{{"a": {"9" * 5000}, "c": 1}}', "cannot be read"),
        (f'{{"a": 1.5, "c": 1}}\n{{"a": 1{"0" * 400}, "c": 1}}', "column 'a'"),
        ('{"a": 1, " a": 2, "c": 1}', "2 columns are called 'a'"),
    ],
)
def test_errors(text, message):
    """A line that is cut off, no object, or has more than values is refused with its place."""
    with pytest.raises(FormatError, match=message):
        read_table(text.encode(), format="jsonl")


def test_lines_in_braces_are_not_json(rows):
    """A first line that only begins like JSON is read as before."""
    assert rows(b"{a} b P\n{c} d Q\n") == [["{a}", "b", "P"], ["{c}", "d", "Q"]]


def test_predicting_one_case():
    """A line of the training file is a case, as for the other formats."""
    from casebase.data import Cases
    from casebase.formats.line import line_table

    schema = Cases.from_table(read_table(b'{"a": "x", "c": "P"}\n{"a": "y", "c": "Q"}\n')).schema

    assert line_table('{"a": "y"}', schema).columns[0].to_pylist() == ["y"]
    assert line_table("y", schema).columns[0].to_pylist() == ["y"]
