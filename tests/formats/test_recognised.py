"""The record of what is recognised, and reading with its choices."""

import io
import json

import pytest

import casebase as cb
from casebase.errors import CasebaseError, SchemaError
from casebase.formats import read_table, recognise
from casebase.formats.recognised import N_SAMPLE_BYTES

ORDERS = "order_id;customer;size;paid\n" + "".join(
    f"{1000 + i};C{i:03};{i % 3},5;{'yes' if i % 2 else 'no'}\n" for i in range(30)
)


def test_record():
    """Each guess is in the record: format, columns, keys, ids and class."""
    record = recognise(ORDERS.encode())

    assert (record.format, record.encoding, record.separator, record.decimal) == ("csv", "utf-8", ";", ",")
    assert (record.n_rows, record.is_complete, record.has_header) == (30, True, True)
    assert [(c.name, c.kind, c.looks_like_key) for c in record.columns] == [
        ("order_id", "key", True),
        ("customer", "key", True),
        ("size", "number", False),
        ("paid", "truth", False),
    ]
    assert (record.id_column, record.target, record.target_reason) == ("order_id", "paid", "the last column")
    assert record.columns[2].examples == ("0.5", "1.5", "2.5")
    assert (record.columns[2].n_distinct, record.columns[2].n_missing) == (3, 0)


def test_overrides_change_the_record():
    """What the caller says is taken, and the rest follows."""
    record = recognise(ORDERS.encode(), header=False, decimal=".", id_column=1, target=0, kinds={"f3": "ignored"})

    assert (record.n_rows, record.has_header, record.decimal) == (31, False, ".")
    assert (record.target, record.target_reason, record.id_column) == ("class", "asked for", "f1")
    assert record.names == ("class", "f1", "f2", "f3")
    assert [column.kind for column in record.columns][-1] == "ignored"  # f3 of the record, which the caller knows
    assert record.options()["target"] == 0
    assert cb.read_cases(ORDERS.encode(), **record.options()).n_cases == 31


@pytest.mark.parametrize(
    ("text", "target", "reason"),
    [
        ("a,b\nx,P\ny,Q\n", "b", "the last column"),
        ("class,b\nP,x\nQ,y\n", "class", "by its name"),
        ("a,Label\nP,x\nQ,y\n", "Label", "the last column"),
        ("a,b\n" + "".join(f"{'PQ'[i % 2]},{i / 7:.3f}\n" for i in range(30)), "a", "is a number"),
        ("a,b\n" + "".join(f"k{i},v{i}\n" for i in range(30)), "b", "the last column"),
        ("a\nx\ny\n", None, "only one column"),
    ],
)
def test_class(text, target, reason):
    """The class is a column of that name, the last one, or the last that may be one, and the record says why."""
    record = recognise(text.encode(), format="csv", header=True)

    assert record.target == target
    assert reason in record.target_reason


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("id,b\n7,P\n8,Q\n", "id"),
        ("id,b\n7,P\n7,Q\n", None),  # one id twice
        ("id,b\n7,P\n,Q\n", None),
        (",a,b\n0,x,P\n1,y,Q\n", None),  # too few rows to tell
        (",a,b\n" + "".join(f"{i},{i % 4},{'PQ'[i % 2]}\n" for i in range(30)), "column1"),
        ("a,id\nP,1\nQ,2\n", "id"),
    ],
)
def test_ids(text, ids):
    """Ids are told by their name, or as the index that pandas writes; all of them differ."""
    assert recognise(text.encode(), format="csv", header=True, target="a" if ",id" in text else None).id_column == ids


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (b"a b P\nc d Q\n", {}),
        (b"a, b, P.\nc, d, Q.\n", {}),
        (b"a\tb\tP\nc\td\tQ\n", {}),
        (b"abP\ncdQ\n", {"width": 1}),
        (b"(1,a)(3,b) P\n(2,c) Q\n", {"n_features": 4}),
        (b"1,3,P\n2,Q\n", {"format": "binary"}),
        (b"@relation r\n@attribute a {x,y}\n@attribute b real\n@attribute c {P,Q}\n@data\nx,1.5,P\ny,?,Q\n", {}),
        (b"a,b,c\nx,1.5,P\ny,2,Q\n", {"format": "csv"}),
        (b'{"a": 1.5, "c": "P"}\n{"a": 2, "c": "Q"}\n', {}),
        ("ä;1,5;P\nö;2;Q\n".encode("cp1252"), {}),
    ],
)
def test_reading_with_the_choices(text, options):
    """The options of a record read the table that reading without them reads."""
    record = recognise(text, **options)
    expected, table = read_table(text, **options), read_table(text, **record.options())

    assert (table.names, table.target) == (expected.names, expected.target)
    assert [c.to_pylist() for c in table.columns] == [c.to_pylist() for c in expected.columns]
    assert table.recognised == ()
    assert record.names == table.names


def test_large_file(tmp_path):
    """Of a large file only the beginning is looked at; its size and its encoding are those of the whole."""
    n = 200_000
    text = "name,note,class\n" + "".join(f'n{i},"a, b",{"PQ"[i % 2]}\n' for i in range(n)) + "é,x,P\n"
    (tmp_path / "x.csv").write_bytes(text.encode("cp1252"))
    record = recognise(tmp_path / "x.csv")

    assert len(text) > 2 * N_SAMPLE_BYTES
    assert (record.encoding, record.is_complete, record.n_rows) == ("cp1252", False, n + 1)
    assert 0 < record.n_looked_at < n
    assert "about 200,001 rows" in str(record)


def test_a_large_file_is_not_cut_in_a_quoted_field():
    """The part that is looked at ends at the end of a row."""
    row = '"' + "x\n" * 1000 + '",P\n'

    assert recognise(("a,b\n" + row * 700).encode(), format="csv").n_rows == pytest.approx(700, rel=0.01)


def test_a_file_object_has_a_name():
    """An upload is recognised by its name, too."""
    upload = io.BytesIO(b"a b,P\nc d,Q\n")
    upload.name = "x.csv"

    assert (recognise(upload).format, recognise(b"a b,P\nc d,Q\n").format) == ("csv", "c45")


def test_json_and_text():
    """The record is plain JSON, and reads well as text."""
    record = recognise(ORDERS.encode())
    lines = str(record).splitlines()

    assert json.loads(json.dumps(record.to_dict()))["columns"][0]["name"] == "order_id"
    assert record.to_dict()["options"]["separator"] == ";"
    assert lines[0] == "the given bytes: csv, utf-8, fields separated by semicolons, decimal comma, header"
    assert lines[1:4] == ["30 rows, 4 columns", "class: paid (the last column)", "ids: order_id"]
    assert lines[5].split() == ["column", "kind", "values", "missing", "examples"]


def test_arguments():
    """On the command line columns without names count from 1, and a header is an option of its own."""
    record = recognise(b"P;x;1,5\nQ;y;2,5\n", target=0)

    assert record.arguments() == (
        ["--format", "csv", "--no-header", "--target", "1", "--encoding", "utf-8", "--separator", ";", "--decimal", ","]
    )


def test_hostile_values():
    """Control characters and long values stay on one line."""
    text = "a,b\n" + f"\x1b[31m{'x' * 1000},P\n" + "y,Q\n"

    assert all(
        len(line) < 120 and line.isprintable() for line in str(recognise(text.encode(), format="csv")).split("\n")
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"target": "nothing"}, SchemaError, "Unknown column 'nothing'"),
        ({"id_column": 9}, SchemaError, "There is no column 9"),
        ({"kinds": {"size": "colour"}}, CasebaseError, "Unknown kind 'colour'"),
        ({"kinds": "auto"}, CasebaseError, "kinds is a dict"),
        ({"kinds": {"customer": "number"}}, SchemaError, "not a number"),
        ({"encoding": "klingon"}, CasebaseError, "Unknown encoding"),
        ({"encoding": 7}, CasebaseError, "Expected encoding to be a text"),
        ({"decimal": "x"}, CasebaseError, "decimal mark"),
        ({"separator": "ab"}, CasebaseError, "one ASCII character"),
        ({"sheet": "S"}, CasebaseError, "takes no sheet"),
        ({"id_column": "paid"}, SchemaError, "'paid' is the class"),
    ],
)
def test_wrong_overrides(options, error, message):
    """What the caller says and is not so is an error of ours."""
    with pytest.raises(error, match=message):
        recognise(
            ORDERS.encode(), target=options.get("target", "paid"), **{k: v for k, v in options.items() if k != "target"}
        )
