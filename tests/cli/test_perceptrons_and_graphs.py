"""Perceptron trees and oblivious graphs on the command line."""

import json

import pytest

ROWS = "f1,f2,class\n0,0,n\n0,1,y\n1,0,y\n1,1,n\n"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "xor.csv"
    path.write_text(ROWS)
    return path


@pytest.mark.parametrize(
    ("learner", "options", "counts"),
    [
        ("perceptron_tree", ["--max-passes", "20", "--patience", "5"], {"n_nodes": 3, "n_perceptrons": 2}),
        ("oblivious_graph", ["--merge", "equal", "--confidence", "0.1"], {"n_nodes": 5, "n_tree_nodes": 7}),
    ],
)
def test_train_inspect_predict_and_explain(run, data, tmp_path, learner, options, counts):
    """What is trained is inspected, exported, asked and explained."""
    model = tmp_path / "model.cb"
    assert run("train", data, "-o", model, "--learner", learner, *options).code == 0
    record = json.loads(run("inspect", model, "--json").out)

    assert counts.items() <= record.items()
    assert record["codelength"] > 0
    assert "all records" in run("explain", model, data).out
    assert run("predict", model, data).out.split() == ["n", "y", "y", "n"]
    for to in ("text", "json", "sql"):
        assert run("inspect", model, "--export", to).out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--learner", "oblivious_graph", "--max-passes", "3"], "has no meaning for the learner oblivious_graph"),
        (["--learner", "perceptron_tree", "--merge", "equal"], "has no meaning for the learner perceptron_tree"),
        (["--learner", "perceptron_tree", "--keep-cases"], "it goes with igtree"),
        (["--learner", "oblivious_graph", "--merge", "all"], "'all' is not one of"),
    ],
)
def test_options_of_others_are_refused(run, data, tmp_path, options, words):
    result = run("train", data, "-o", tmp_path / "model.cb", *options)

    assert result.code == 2
    assert words in " ".join(result.err.split())
