"""SQL of models, in databases with and without a type of truth values."""

import sqlite3

import duckdb
import pandas as pd
import pytest

import casebase as cb
from casebase.methods import METHODS, method_named

SQL = [name for name in METHODS if "sql" in method_named(name).exports]


@pytest.mark.parametrize("name", SQL)
@pytest.mark.parametrize("connect", [lambda: sqlite3.connect(":memory:"), duckdb.connect], ids=["sqlite", "duckdb"])
@pytest.mark.parametrize("kind", ["BOOLEAN", "TEXT"])
def test_truth_values_are_found_however_they_are_stored(name, connect, kind):
    """Regression: SQLite stores True as 1, which was compared with 'True': all rows got the class of no branch."""
    truths = [(True, True), (True, False), (False, True), (False, False)] * 3
    table = pd.DataFrame(truths, columns=["a", "b"])
    labels = [f"{a}{b}" for a, b in truths]
    model = getattr(cb, METHODS[name].estimator)().fit(table, labels)
    base = connect()
    base.execute(f"CREATE TABLE cases (n INTEGER, a {kind}, b {kind})")
    rows = [[i, *(values if kind == "BOOLEAN" else map(str, values))] for i, values in enumerate(truths)]
    base.executemany("INSERT INTO cases VALUES (?, ?, ?)", [*rows, [len(rows), None, None]])

    found = base.execute(f"SELECT {model.export('sql')} FROM cases ORDER BY n").fetchall()

    assert [label for (label,) in found] == model.predict(
        pd.DataFrame([*truths, (None, None)], columns=["a", "b"])
    ).tolist()
