"""C4.5's rules to be read or run elsewhere."""

import itertools
import json
import sqlite3

import pandas as pd
import pytest

import casebase as cb
from casebase.errors import CasebaseError

NAMES = ['out"look', "hu'midity", "select"]
OUTLOOKS, NUMBERS, MARKS = (
    ["rainy", "it's dry", "sunny", "foggy", None],
    [60.0, 75.0, 75.5, 90.0, None],
    ["0", "1", None],
)


def frame(rows):
    columns = {name: pd.array([row[i] for row in rows], "string" if i != 1 else float) for i, name in enumerate(NAMES)}
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def clf():
    rows = list(itertools.product(OUTLOOKS[:3], [60.0, 65.0, 75.0, 80.0, 85.0], MARKS[:2]))
    labels = ["don't" if (o, m) == ("rainy", "1") or (o == "sunny" and h > 75) else "yes" for o, h, m in rows]
    return cb.C45RulesClassifier().fit(frame(rows), labels)


def test_text_has_the_classes_in_order(clf):
    assert clf.export().splitlines() == [
        "don't, if",
        '  out"look = rainy and select = 1 (5 cases)',
        "  out\"look = sunny and hu'midity > 75 (4 cases)",
        "yes, if",
        "  out\"look = it's dry (10 cases)",
        "  out\"look = sunny and hu'midity ≤ 75 (6 cases)",
        "  select = 0 (15 cases, 2 exceptions)",
        "otherwise yes (0 cases)",
    ]


def test_json_lists_rules_in_the_order_of_asking(clf):
    record = json.loads(clf.export("json"))

    assert record["rules"][1] == {
        "if": [
            {"feature": 'out"look', "value": "sunny"},
            {"feature": "hu'midity", "above": 75.0, "at_most": None},
        ],
        "then": "don't",
        "n_cases": 4.0,
        "n_exceptions": 0.0,
    }
    assert record["otherwise"] == {"then": "yes", "n_cases": 0.0, "n_exceptions": 0.0}


@pytest.mark.parametrize("to", ["sql", "python"])
def test_programs_answer_as_the_model_does(clf, to):
    """For values that are missing or were never seen too."""
    rows = list(itertools.product(OUTLOOKS, NUMBERS, MARKS))
    if to == "sql":
        connection = sqlite3.connect(":memory:")
        connection.execute('CREATE TABLE days ("out""look" TEXT, "hu\'midity" REAL, "select" TEXT)')
        connection.executemany("INSERT INTO days VALUES (?, ?, ?)", rows)
        answers = [one for (one,) in connection.execute(f"SELECT {clf.export(to)} FROM days ORDER BY rowid")]
    else:
        names: dict = {}
        exec(clf.export(to), names)
        answers = [names["classify"](dict(zip(NAMES, row))) for row in rows]

    assert answers == clf.predict(frame(rows)).tolist()


def test_an_unknown_format_is_refused(clf):
    with pytest.raises(CasebaseError, match="format for rules"):
        clf.export("prolog")
