"""The commands with --learner smile."""

import json

import pytest

import casebase as cb


@pytest.fixture
def smile(run, weather, tmp_path):
    """The file of a model of the weather."""
    path = tmp_path / "smile.cb"
    assert run("train", weather, "-o", path, "--learner", "smile", "--alpha", 1).code == 0
    return path


def test_train_says_the_alpha_that_was_chosen(run, weather, tmp_path):
    """The size of the model, and its alpha; pools weigh by size."""
    said = run("train", weather, "-o", tmp_path / "m.cb", "--learner", "smile").err

    assert said.startswith("smile: 14 cases, 4 features, 2 classes; ")
    assert "; 14 cases in memory, alpha " in said
    assert (cb.load(tmp_path / "m.cb").alpha, cb.load(tmp_path / "m.cb").pools) == (0, "size")


def test_options_reach_the_learner(run, weather, tmp_path):
    """What is typed is what the model was fitted with."""
    options = [
        "--alpha",
        2,
        "--pools",
        "cases",
        "--discretise",
        "equal_width",
        "--n-bins",
        3,
        "--metric",
        "wind=ignored",
    ]
    assert run("train", weather, "-o", tmp_path / "m.cb", "--learner", "smile", *options).code == 0

    model = cb.load(tmp_path / "m.cb")
    assert (model.alpha, model.alpha_, model.discretise, model.n_bins) == (2, 2, "equal_width", 3)
    assert model.pools == "cases"
    assert model.metric == {"wind": "ignored"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alpha", "some"], "--alpha takes a whole number or 'auto', got 'some'"),
        (["--alpha", "1.5"], "--alpha takes a whole number or 'auto', got '1.5'"),
        (["--discretise", "magic"], "magic"),
        (["--pools", "features"], "'size', 'cases'"),
        (["-k", 3], "-k has no meaning for the learner smile"),
        (["--weighting", "none"], "--weighting has no meaning for the learner smile"),
    ],
)
def test_wrong_usage(run, weather, tmp_path, options, message):
    """Exit code 2, and what was expected."""
    ran = run("train", weather, "-o", tmp_path / "m.cb", "--learner", "smile", *options)

    assert ran.code == 2
    assert message in ran.err


def test_negative_alpha(run, weather, tmp_path):
    """The learner's own message."""
    ran = run("train", weather, "-o", tmp_path / "m.cb", "--learner", "smile", "--alpha", -1)

    assert ran.code == 1
    assert "a whole number of at least 0, or 'auto'; got -1" in ran.err


def test_options_of_smile_are_refused_elsewhere(run, weather, tmp_path):
    """They would have no effect."""
    ran = run("train", weather, "-o", tmp_path / "m.cb", "--alpha", 1)

    assert "--alpha has no meaning for the learner auto" in ran.err


def test_predict_evaluate_and_explain(run, smile, weather):
    """The same model answers, is judged, and says why."""
    assert len(run("predict", smile, weather).out.split()) == 14
    assert run("evaluate", smile, weather).out.startswith("accuracy")
    assert "sets of features are shared with more than 1 record; " in run("explain", smile, weather).out
    records = json.loads(run("explain", smile, weather, "--json").out)
    assert {record["kind"] for record in records} == {"lattice"}
    assert "Agree on" in run("explain", smile, weather, "--html", "-").out


@pytest.mark.parametrize("how", [["--cv", 7], ["--loo"]])
def test_evaluate_without_a_model(run, weather, how):
    """Alpha is chosen anew from what is learned in every fold."""
    assert "of 14;" in run("evaluate", "--learner", "smile", weather, *how).out


def test_inspect(run, smile, weather, tmp_path):
    """Alpha, where numbers are cut, and what was tried."""
    assert "14 cases in memory, alpha 1" in run("inspect", smile).out
    record = json.loads(run("inspect", smile, "--json").out)
    assert record["alpha"] == 1
    assert list(record["cuts"]) == ["humidity"]
    assert record["alpha_errors"] is None

    run("train", weather, "-o", tmp_path / "auto.cb", "--learner", "smile", "--alpha", "auto")
    assert "0" in json.loads(run("inspect", tmp_path / "auto.cb", "--json").out)["alpha_errors"]


def test_insert_is_refused(run, smile, weather):
    """SMILE is fitted again."""
    ran = run("insert", smile, weather)

    assert ran.code == 1
    assert "cannot be corrected" in ran.err
