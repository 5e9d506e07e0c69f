"""The commands with --learner id3 and --learner c45."""

import json

import pytest

import casebase as cb
from casebase.methods import METHODS


@pytest.mark.parametrize(("learner", "size"), [("id3", "8 nodes, 5 leaves, depth 2"), ("c45", "8 nodes, 5 leaves, ")])
def test_train_says_the_size_of_the_tree(run, weather, tmp_path, learner, size):
    """Nodes, leaves and depth; the model answers in another process."""
    said = run("train", weather, "-o", tmp_path / "m.cb", "--learner", learner).err

    assert said.startswith(f"{learner}: 14 cases, 4 features, 2 classes; class play, header in the first line; {size}")
    assert run("evaluate", tmp_path / "m.cb", weather).code == 0


def test_each_learner_has_its_own_defaults(run, weather, tmp_path):
    """What is not said is what the estimators take."""
    for learner in METHODS:
        assert run("train", weather, "-o", tmp_path / "m.cb", "--learner", learner).code == 0
        model = cb.load(tmp_path / "m.cb")
        assert model.get_params() == type(model)().get_params()


def test_options_reach_the_learner(run, weather, tmp_path):
    """What is typed is what the model was fitted with."""
    options = ["--confidence", 0.1, "--unpruned", "--subtree-raising", "--no-collapse", "--min-cases", 3]
    options += ["--criterion", "information_gain", "--max-depth", 2, "--missing", "value", "--metric", "wind=ignored"]
    assert run("train", weather, "-o", tmp_path / "m.cb", "--learner", "c45", *options).code == 0

    model = cb.load(tmp_path / "m.cb")
    assert (model.confidence, model.pruned, model.subtree_raising, model.collapse) == (0.1, False, True, False)
    assert (model.min_cases, model.criterion, model.max_depth, model.missing) == (3, "information_gain", 2, "value")
    assert model.metric == {"wind": "ignored"}


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--learner", "id3", "--confidence", 0.1], 2, "--confidence has no meaning for the learner id3"),
        (["--learner", "c45", "--keep-cases"], 2, "it goes with igtree"),
        (["--learner", "c45", "--confidence", 0.7], 1, "at most 0.5"),
        (["--learner", "id3", "--missing", "fractional"], 2, "'fractional' is not 'value'"),
        (["--learner", "ib1", "--missing", "fractional"], 2, "'fractional' is not one of 'value', 'unknown'"),
        (["--learner", "c45", "--missing", "unknown"], 2, "'unknown' is not one of"),
    ],
)
def test_what_cannot_be(run, weather, tmp_path, options, code, message):
    """The exit code, and what was expected."""
    ran = run("train", weather, "-o", tmp_path / "m.cb", *options)

    assert ran.code == code
    assert message in ran.err


def test_inspect_counts_nodes(run, weather, tmp_path):
    """The record has the sizes that the estimator has."""
    run("train", weather, "-o", tmp_path / "m.cb", "--learner", "c45")
    record = json.loads(run("inspect", tmp_path / "m.cb", "--json").out)
    model = cb.load(tmp_path / "m.cb")

    assert (record["n_nodes"], record["n_leaves"], record["depth"]) == (model.n_nodes_, model.n_leaves_, model.depth_)
