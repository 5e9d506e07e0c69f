"""Rules to be read or run elsewhere: what they look like, and that they answer as the model does."""

import json
import sqlite3

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.rules.export import exported
from casebase.rules.table import fit

NAMES = ["kind", 'na"me', "size"]
ROWS = [
    ("bird", "sparrow", 1.5, "flies"),
    ("bird", "penguin", 60.0, "walks"),
    ("bird", "O'Tit", 1.0, "flies"),
    ("cat", "tabby", None, "walks"),
    ("dog", None, 80.5, "walks"),
]


def columns_of(rows, n_features=3):
    return {name: [row[i] for row in rows] for i, name in enumerate(NAMES[:n_features])}


def learnt(rows, **parameters):
    table = pa.table(columns_of(rows) | {"class": [row[-1] for row in rows]})
    return fit(Cases.from_table(table, target="class"), **parameters)


def test_text_puts_exceptions_beneath_the_rule():
    assert exported(learnt(ROWS, forbid=["size"]), "text").splitlines() == [
        "otherwise walks (5 cases, 2 exceptions)",
        "  kind = bird: flies (3 cases, 1 exception)",
        '    na"me = penguin: walks (1 case)',
    ]


def test_markdown_is_a_nested_list_in_which_values_are_only_text():
    rows = [("*", "<b>", 1.0, "_P_"), ("x", "y", 1.0, "Q"), ("y", "y", 1.0, "Q")]

    assert exported(learnt(rows), "markdown").splitlines() == [
        "- otherwise Q (3 cases, 1 exception)",
        "  - kind = \\*: \\_P\\_ (1 case)",
    ]


def test_json_lists_rules_in_the_order_of_asking():
    record = json.loads(exported(learnt(ROWS, forbid=["size"]), "json"))

    assert [(one["level"], one["if"], one["then"], one["exceptions"]) for one in record["rules"]] == [
        (1, [{"feature": 'na"me', "value": "penguin"}], "walks", []),
        (2, [{"feature": "kind", "value": "bird"}], "flies", [0]),
    ]
    assert record["otherwise"] == {"then": "walks", "n_cases": 5.0, "n_exceptions": 2.0, "exceptions": [1]}


def test_sql_quotes_names_and_values():
    sql = exported(learnt(ROWS, forbid=["kind", "size"]), "sql")

    assert sql.splitlines() == [
        "CASE",
        "  WHEN \"na\"\"me\" = 'O''Tit' THEN 'flies' -- level 2, 1 case",
        "  WHEN \"na\"\"me\" = 'sparrow' THEN 'flies' -- level 2, 1 case",
        "  ELSE 'walks' -- 5 cases, 2 exceptions",
        "END",
    ]


def test_intervals_are_conditions_on_numbers():
    rows = [("a", "x", float(i), "P" if i < 6 else "Q") for i in range(12)]

    assert '"size" > 5.5' in exported(learnt(rows), "sql")
    assert "within(row['size'], 5.5, float(\"inf\"))" in exported(learnt(rows), "python")
    assert json.loads(exported(learnt(rows), "json"))["rules"][0]["if"] == [
        {"feature": "size", "above": 5.5, "at_most": None}
    ]


def test_a_value_that_sql_cannot_hold_is_an_error():
    rows = [("a\0", "x", 1.0, "P"), ("b", "x", 1.0, "Q"), ("c", "x", 1.0, "Q")]

    with pytest.raises(CasebaseError, match="SQL cannot represent"):
        exported(learnt(rows), "sql")


def test_unknown_formats_are_named():
    with pytest.raises(CasebaseError, match="Did you mean 'sql'"):
        exported(learnt(ROWS), "sqll")


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4).filter(
    lambda text: text not in ("?",)
)
numbers = st.sampled_from([None, -1.5, 0.0, 0.1, 2.0, 1e6])
tables = st.lists(
    st.tuples(texts | st.none(), st.sampled_from(["'", '"', "--", "7", "True", None]), numbers, st.sampled_from("PQR")),
    min_size=1,
    max_size=12,
)
settings_of = st.fixed_dictionaries(
    {
        "pairs": st.booleans(),
        "depth": st.integers(0, 3),
        "discretise": st.sampled_from(["mdlp", "equal_width", "none"]),
        "n_bins": st.just(3),
    }
)


@settings(max_examples=150, deadline=None)
@given(tables, settings_of)
def test_sql_gives_the_answers_of_the_model(rows, parameters):
    """The expression is run by SQLite on the table that was learnt from."""
    model = learnt(rows, **parameters)
    database = sqlite3.connect(":memory:")
    database.execute('CREATE TABLE cases ("kind" TEXT, "na""me" TEXT, "size" REAL)')
    database.executemany("INSERT INTO cases VALUES (?, ?, ?)", [row[:3] for row in rows])

    told = [row[0] for row in database.execute(f"SELECT {exported(model, 'sql')} FROM cases ORDER BY rowid")]

    assert told == asked(model, rows)


@settings(max_examples=150, deadline=None)
@given(tables, settings_of)
def test_python_gives_the_answers_of_the_model(rows, parameters):
    model = learnt(rows, **parameters)
    space: dict = {}
    exec(exported(model, "python"), space)

    assert [space["classify"](dict(zip(NAMES, row))) for row in rows] == asked(model, rows)


def asked(model, rows):
    cases = model.schema.encode(pa.table(columns_of(rows)))
    return [model.schema.classes[label] for label in model.answer(cases).label]


def test_whole_numbers_are_symbols_in_sql_too():
    model = fit(Cases.from_table([[1, "x"], [2, "y"], [3, "y"]], y=[True, False, False]))
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE cases (f1 INTEGER, f2 TEXT)")
    database.executemany("INSERT INTO cases VALUES (?, ?)", [(1, "x"), (2, "y"), (3, "y")])

    told = [row[0] for row in database.execute(f"SELECT {exported(model, 'sql')} FROM cases ORDER BY rowid")]

    assert told == [1, 0, 0]
