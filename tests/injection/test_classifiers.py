"""A hostile table through every method and every output: text, pages, pictures, SQL, Python, Markdown, JSON, CSV."""

import csv
import io
import json
import sqlite3
import warnings
import xml.etree.ElementTree as ET
from functools import cache

import duckdb
import pytest

import casebase as cb
from casebase.formats import read_table
from casebase.methods import METHODS, method_named
from casebase.render.page import render_html
from casebase.render.text import render_text
from tests.injection.hostile import NAMES, TARGET, check_page, check_text, hostile_table

TABLE = hostile_table()
X, Y = TABLE.drop(columns=TARGET), TABLE[TARGET]
SQL = [name for name in METHODS if "sql" in method_named(name).exports]
DRAWN = [name for name in METHODS if method_named(name).draw]


@cache
def fitted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(cb, METHODS[name].estimator)().fit(X, Y)


def export(name, to):
    return method_named(name).exports[to](fitted(name).model_)


@pytest.mark.parametrize("name", METHODS)
def test_reasons_are_text_on_a_terminal_and_on_a_page(name):
    evidence = list(fitted(name).explain(X.iloc[:60]))
    for one in evidence:
        check_text(render_text(one, 100))
    page = check_page(render_html(evidence))
    assert "&lt;cbevil&gt;" in page.text  # what looks like a reference is shown as it is written
    assert json.loads(json.dumps([one.to_dict() for one in evidence]))


@pytest.mark.parametrize("name", SQL)
@pytest.mark.parametrize("connect", [lambda: sqlite3.connect(":memory:"), duckdb.connect], ids=["sqlite", "duckdb"])
def test_sql_answers_as_the_model_does_and_does_nothing_else(name, connect):
    """Names, values and classes are quoted; the table is there afterwards, with all its rows."""
    base = connect()
    quoted = ['"' + column.replace('"', '""') + '"' for column in NAMES]
    kinds = ["TEXT", "TEXT", "TEXT", "DOUBLE"]
    base.execute(f"CREATE TABLE cases (n INTEGER, {', '.join(map(' '.join, zip(quoted, kinds)))})")
    rows = [[i, *row] for i, row in enumerate(X.itertuples(index=False))]
    base.executemany("INSERT INTO cases VALUES (?, ?, ?, ?, ?)", rows)
    found = base.execute(f"SELECT {export(name, 'sql')} FROM cases ORDER BY n").fetchall()
    assert [label for (label,) in found] == fitted(name).predict(X).tolist()
    assert base.execute("SELECT count(*) FROM cases").fetchone() == (len(X),)


@pytest.mark.parametrize("name", [name for name in SQL if "python" in method_named(name).exports])
def test_python_answers_as_the_model_does_and_does_nothing_else(name):
    names = {}
    exec(export(name, "python"), names)  # `cbevil` is not defined: calling or importing it would fail
    rows = X.to_dict("records")
    assert [names["classify"](row) for row in rows] == fitted(name).predict(X).tolist()


@pytest.mark.parametrize("name", SQL)
def test_exports_to_read_are_lines_of_text(name):
    exports = method_named(name).exports
    check_text(export(name, "text"))
    assert set(str(json.loads(export(name, "json"))["target"])) <= set(TARGET)
    if "markdown" in exports:
        markdown = export(name, "markdown")
        check_text(markdown)
        assert "<cbevil>" not in markdown  # Markdown may have elements of HTML in it
        assert all(line.lstrip().startswith("- ") for line in markdown.splitlines())


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_have_the_texts_as_texts(name, tmp_path):
    """Dollar signs are no formulas, and no text is an element of the picture."""
    pytest.importorskip("matplotlib")
    limit = {"oblivion": "max_leaves", "oblivious_graph": "max_nodes"}.get(name, "max_leaves")
    figure = method_named(name).draw(fitted(name).model_, **{limit: 200})
    figure.savefig(tmp_path / "picture.svg")
    check_svg((tmp_path / "picture.svg").read_text())


def test_smile_s_sets_have_the_texts_as_texts(tmp_path):
    pytest.importorskip("matplotlib")
    from casebase.smile.draw import draw_sets

    for i in (1, 30, 50):
        draw_sets(fitted("smile").explain(X.iloc[i : i + 1])[0], tmp_path / "sets.svg")
        check_svg((tmp_path / "sets.svg").read_text())


def check_svg(picture):
    elements = [element.tag.rpartition("}")[2] for element in ET.fromstring(picture).iter()]
    assert not {"cbevil", "script"} & set(elements)
    check_text(picture)


def test_cases_go_to_a_csv_file_and_come_back(tmp_path, cli_run):
    """Every field is quoted where it must be, a line break of any kind too; formulas stay what they are."""
    fitted("ib1").save(tmp_path / "ib1.cb")
    for suffix, separator in (("csv", ","), ("tsv", "\t")):
        out = tmp_path / f"cases.{suffix}"
        assert cli_run("cases", tmp_path / "ib1.cb", "-o", out).code == 0
        rows = list(csv.reader(io.StringIO(out.read_bytes().decode(), newline=""), delimiter=separator))
        values = [row[1:4] for row in rows[1:]]
        assert values == X.iloc[:, :3].to_numpy().tolist()
        if suffix == "tsv":  # ours has no field of several lines
            continue
        again = read_table(out, target=TARGET)
        columns = dict(zip(again.names, again.columns))
        assert [columns[name].to_pylist() for name in NAMES[:3]] == X.iloc[:, :3].T.to_numpy().tolist()
