"""Decision trees to be read or run elsewhere: what they look like, and that they answer as the walk does."""

import itertools
import json
import sqlite3
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from casebase.base.answers import preference_of
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.trees import id3
from casebase.trees.export import decision_tree
from casebase.trees.export.decision_tree import exported, text_of
from casebase.trees.paths import path_evidence
from tests.trees.hand_trees import tree_nodes

NAMES = ['out"look', "humidity", "known"]
ROWS = [
    ("rainy", 80.0, "1", "yes"),
    ("rainy", 70.0, "0", "don't"),
    ("sunny", 90.0, "1", "don't"),
    ("sunny", 70.0, "0", "yes"),
    ("it's dry", 60.0, "0", "yes"),
    (None, 85.0, "1", "don't"),
    ("rainy", None, "0", "yes"),
    ("sunny", 92.0, "0", "yes"),
]
SPEC = {
    "ask": 'out"look',
    "rainy": {"ask": "known"},
    "sunny": {"ask": "humidity", "at": 77.5, "high": {"ask": "known"}},
    "it's dry": {"ask": "known"},  # of which no training case has 1
}


def frame(rows):
    columns = {name: pd.array([row[i] for row in rows], "string" if i != 1 else float) for i, name in enumerate(NAMES)}
    return pd.DataFrame(columns)


def model(spec=SPEC, *, spreads=False):
    cases = Cases.from_table(frame(ROWS), y=[row[-1] for row in ROWS])
    nodes = tree_nodes(cases, spec, spreads=spreads)
    return SimpleNamespace(
        schema=cases.schema, nodes=nodes, spreads=spreads, preference=preference_of(cases), n_cases=len(ROWS)
    )


def test_text_has_a_line_per_node_with_its_counts():
    """Leaves name their class; values that no case had share a line."""
    assert exported(model(), "text").splitlines() == [
        "any case (8 cases: yes 5, don't 3)",
        "out\"look = ?missing → don't (1 case)",
        "out\"look = it's dry (1 case)",
        "|   known = 0 → yes (1 case)",
        "|   known = 1 → yes (no case)",
        "out\"look = rainy (3 cases: yes 2, don't 1)",
        "|   known = 0 → yes (2 cases: don't 1, yes 1)",
        "|   known = 1 → yes (1 case)",
        "out\"look = sunny (3 cases: yes 2, don't 1)",
        "|   humidity ≤ 77.5 → yes (1 case)",
        "|   humidity > 77.5 (2 cases: don't 1, yes 1)",
        "|   |   known = 0 → yes (1 case)",
        "|   |   known = 1 → don't (1 case)",
    ]


def test_text_counts_what_is_below_the_depth_asked_for():
    assert text_of(model(), 1).splitlines()[3:] == [
        "|   … 1 node",
        "out\"look = rainy (3 cases: yes 2, don't 1)",
        "|   … 2 nodes",
        "out\"look = sunny (3 cases: yes 2, don't 1)",
        "|   … 4 nodes",
    ]


def of_words(n_words, *, spreads=False):
    """A tree that asks about one word of many, and then about another: most branches below are empty."""
    rows = [[f"w{i}", f"v{i}", "P" if i % 2 else "Q"] for i in range(n_words)]
    cases = Cases.from_table(rows, target=-1)
    nodes = tree_nodes(cases, {"ask": "f1"} | {f"w{i}": {"ask": "f2"} for i in range(n_words)}, spreads=spreads)
    return SimpleNamespace(schema=cases.schema, nodes=nodes, spreads=spreads, preference=preference_of(cases))


def test_text_counts_the_values_without_a_branch():
    """Regression: of a feature with many values, each was written out at every test."""
    assert text_of(of_words(12)).splitlines()[1:4] == [
        "f1 = w0 (1 case)",
        "|   f2 = v0 → Q (1 case)",
        "|   f2 = v1, v10 or one of 9 more → Q (no case)",
    ]


def test_sql_that_would_list_too_many_values_is_refused(monkeypatch):
    monkeypatch.setattr(decision_tree, "MAX_LISTED", 100)

    with pytest.raises(CasebaseError, match="156 values"):
        exported(of_words(12, spreads=True), "sql")
    assert exported(of_words(12), "sql").startswith("CASE")


def test_sql_of_too_many_classes_is_refused(monkeypatch):
    """Where every branch is taken, the sums of all classes are compared."""
    monkeypatch.setattr(decision_tree, "MAX_CLASSES", 1)

    with pytest.raises(CasebaseError, match=r"25 nodes and 2 classes.*missing=\"value\""):
        exported(of_words(12, spreads=True), "sql")


def test_a_deep_tree_stops_moving_to_the_right_and_is_no_sql():
    cases = Cases.from_table([[float(i), "PQ"[i % 2]] for i in range(1000)], target=-1)
    tree = id3.fit(cases.take(np.arange(950)), max_depth=None)

    depth = tree.nodes.depth
    assert max(map(len, text_of(tree).splitlines())) < 200
    assert f"[{depth - 1}] " in text_of(tree)
    with pytest.raises(CasebaseError, match=r"tests deep, and databases"):
        exported(tree, "sql")


@pytest.mark.parametrize("max_depth", [-1, True, 1.5])
def test_a_depth_that_is_none_is_refused(max_depth):
    with pytest.raises(CasebaseError, match="max_depth"):
        text_of(model(), max_depth)


def test_a_depth_may_be_a_number_of_numpy():
    """Regression: np.int64(1) was refused as no number."""
    assert text_of(model(), np.int64(1)) == text_of(model(), 1)


def test_json_answers_as_the_walk_does():
    """A reader of the JSON who follows the branches comes to the same leaf."""
    tree = json.loads(exported(model(), "json"))
    at = tree["nodes"][0]
    row = {'out"look': "sunny", "humidity": 90.0, "known": "1"}
    while "asks" in at:
        value = row[at["asks"]]
        taken = [
            branch["node"]
            for branch in at["branches"]
            if (branch["value"] == value if "value" in branch else ("at_most" in branch) == (value <= 77.5))
        ]
        at = tree["nodes"][taken[0]]

    assert (at["then"], at["n_cases"], at["counts"]) == ("don't", 1.0, [{"class": "don't", "n": 1.0}])
    assert (tree["n_nodes"], tree["n_leaves"], tree["depth"]) == (12, 7, 3)


def test_an_unknown_format_is_refused():
    with pytest.raises(CasebaseError, match="Did you mean 'text'"):
        exported(model(), "txt")


def walked(tree, row):
    """Return the class with most votes at the end of the walk; of equal ones the more frequent in training."""
    case = tree.schema.encode(frame([row]))
    evidence = path_evidence(tree.nodes, tree.schema, case, label=0, spreads=tree.spreads)
    if evidence.n_endings == 1:
        return next(node.default for node in evidence.path if node.stopped)
    frequency = dict(zip(tree.schema.classes, tree.preference.frequency))
    return max(evidence.votes, key=lambda label: (round(evidence.votes[label], 9), frequency[label]))


def in_sqlite(expression, rows):
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE days (place INTEGER, "out""look" TEXT, humidity REAL, known TEXT)')
    connection.executemany("INSERT INTO days VALUES (?, ?, ?, ?)", [(i, *row) for i, row in enumerate(rows)])
    return connection.execute(f"SELECT {expression} FROM days ORDER BY place").fetchall()


def in_duckdb(expression, rows):
    """A data base in which 0.3 is an exact decimal, and a product of many of them has too many digits."""
    days = pa.table({"place": range(len(rows))} | {name: [row[i] for row in rows] for i, name in enumerate(NAMES)})
    return duckdb.connect().register("days", days).execute(f"SELECT {expression} FROM days ORDER BY place").fetchall()


@pytest.mark.parametrize("run_in", [in_sqlite, in_duckdb])
@pytest.mark.parametrize("spreads", [False, True])
def test_sql_answers_as_the_walk_does(spreads, run_in):
    """With values missing, never seen, without a branch, and names that need quotes."""
    tree = model(spreads=spreads)
    outlooks, numbers, marks = ["rainy", "sunny", "it's dry", "foggy", None], [70.0, 90.0, None], ["0", "1", "x", None]
    rows = list(itertools.product(outlooks, numbers, marks))
    answers = run_in(exported(tree, "sql"), rows)

    assert [answer for (answer,) in answers] == [walked(tree, row) for row in rows]


@pytest.mark.parametrize("run_in", [in_sqlite, in_duckdb])
def test_of_classes_with_equal_sums_sql_takes_the_more_frequent(run_in):
    """Where both branches are taken, half a case speaks for either class; "yes" is the more frequent one."""
    rows = [("sunny", 70.0, "0", "don't"), ("sunny", 70.0, "1", "yes"), ("rainy", 70.0, "0", "yes")]
    cases = Cases.from_table(frame(rows), y=[row[-1] for row in rows])
    nodes = tree_nodes(cases, {"ask": 'out"look', "sunny": {"ask": "known"}}, spreads=True)
    tree = SimpleNamespace(
        schema=cases.schema, nodes=nodes, spreads=True, preference=preference_of(cases), n_cases=len(rows)
    )

    assert run_in(exported(tree, "sql"), [("sunny", 70.0, None)]) == [("yes",)]


def test_sql_compares_whole_numbers_that_are_symbols_as_they_are_written():
    """A column of numbers may be asked: 7 is not '007' there, and 'abc' is no number."""
    cases = Cases.from_table([["007", "P"], ["7", "Q"], ["abc", "R"]], target=-1)
    nodes = tree_nodes(cases, {"ask": "f1"})
    tree = SimpleNamespace(schema=cases.schema, nodes=nodes, spreads=False, preference=preference_of(cases), n_cases=3)
    numbers = duckdb.connect().register("numbers", pa.table({"f1": [7]}))

    assert numbers.execute(f"SELECT {exported(tree, 'sql')} FROM numbers").fetchall() == [("Q",)]


def test_sql_of_a_leaf_is_its_class():
    assert exported(model(None), "sql") == "'yes' -- 8 cases: yes 5, don't 3\n"
