"""The features that a C4.5 tree tests, as a selection."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings

import casebase as cb
from casebase.cli.select import command
from casebase.trees import tested_features
from tests.strategies import tasks

ROWS = [["a", "x", 1.0], ["a", "y", 3.0], ["a", "x", 3.5], ["b", "y", 1.0], ["b", "x", 3.0], ["b", "y", 3.2]] * 2
LABELS = ["P", "P", "P", "Q", "R", "R"] * 2


def test_features_of_the_tree_by_hand():
    """The letter at the root tells all P apart, a number below it the others; x and y are not asked for."""
    found = tested_features.select(cb.Cases.from_table(ROWS, y=LABELS))

    assert found.features == (0, 2)
    assert [(one.feature, one.n_tests, one.first_level, one.n_cases) for one in found.tested] == [
        (0, 1, 1, 12.0),
        (2, 1, 2, 6.0),
    ]


@settings(max_examples=40)
@given(tasks(min_rows=2))
def test_features_are_those_of_the_tree(task):
    """The selector keeps what the classifier with the same settings tests."""
    clf = cb.C45Classifier(min_cases=1, pruned=False).fit(task.rows, task.labels, sample_weight=task.counts)
    selector = cb.C45Selector(min_cases=1, pruned=False).fit(task.rows, task.labels, sample_weight=task.counts)

    asked = set(clf.model_.nodes.feature.tolist()) - {-1}
    assert np.flatnonzero(selector.support_).tolist() == sorted(asked)
    assert [one["n_tests"] >= 1 for one in selector.tested_] == [True] * len(asked)
    assert (selector.ranking_ == np.where(selector.support_, 1, 2)).all()


@pytest.mark.parametrize("arguments", [["--json"], []])
def test_on_the_command_line(tmp_path, arguments):
    table = tmp_path / "t.csv"
    table.write_text("letter,mark,size,kind\n" + "".join(f"{a},{b},{c},{y}\n" for (a, b, c), y in zip(ROWS, LABELS)))
    result = CliRunner().invoke(command, [str(table), "--method", "c45", *arguments])

    assert result.exit_code == 0
    if arguments:
        record = json.loads(result.stdout)
        assert record["kept"] == ["letter", "size"]
        assert record["tested"][0] == {"feature": "letter", "n_tests": 1, "first_level": 1, "n_cases": 12.0}
    else:
        assert "kept 2: letter, size\ndropped 1: mark" in result.stdout
