"""casebase select, and the learner behind it."""

import json

import pandas as pd
import pytest

import casebase as cb


def test_select_shows_every_step(run, weather):
    """The features dropped, in order, with the accuracy estimated then, and what is kept."""
    ran = run("select", weather)
    record = json.loads(run("select", weather, "--json").out)

    assert ran.code == 0
    assert "(all features)" in ran.out
    assert "(accuracy of OBLIVION's abstract cases, each case left out in turn)" in ran.out
    assert "abstract cases, in 3 folds)" in run("select", weather, "--folds", 3).out
    assert record["kept"] == cb.OblivionSelector().fit(*table(weather)).get_feature_names_out().tolist()
    assert [step["n_features"] for step in record["steps"]] == list(range(4, 3 - len(record["dropped"]), -1))
    assert sorted(record["kept"] + record["dropped"]) == ["heat", "humidity", "sky", "wind"]
    assert all(f"{step['accuracy']:.4f}" in ran.out for step in record["steps"])


def table(path):
    frame = pd.read_csv(path, dtype=str)
    return frame.drop(columns="play"), frame["play"]


@pytest.mark.parametrize("name", ["steps.svg", "steps.png"])
def test_select_draws_its_steps(run, weather, tmp_path, name):
    ran = run("select", weather, "--direction", "forward", "--plot", tmp_path / name)

    assert (ran.code, (tmp_path / name).stat().st_size > 5000) == (0, True)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--folds", "many"], 2, "--folds takes a whole number or 'loo'"),
        (["--folds", "99"], 1, "between 2 and the number of cases (14)"),
        (["--plot", "steps.txt"], 1, "A picture is saved as .svg, .png, .pdf"),
        (["--min-features", "9"], 1, "there are only 4 features to keep"),
        (["--plot", "nowhere/steps.svg"], 1, "there is no folder"),
        (["--method", "relief", "--keep", "9"], 1, "--keep is a number of features, from 0 to 4; got 9"),
    ],
)
def test_select_says_what_is_wrong(run, weather, options, code, message):
    ran = run("select", weather, *options)

    assert ran.code == code
    assert message in ran.err


def test_select_where_nothing_helps(run, written):
    """All features are worthless: none is kept, and that is said."""
    ran = run("select", written("a,b,kind\n" + "x,y,P\nx,z,P\nx,y,Q\nx,z,P\n"))

    assert ran.code == 0
    assert "kept 0: none" in ran.out
    assert "No feature helps" in ran.out


def test_select_forward_where_no_feature_helps_alone(run, written):
    """Of a parity no bit helps alone: a search forward must not say that the most frequent class is the best answer."""
    ran = run("select", written("a,b,odd\n" + "0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n" * 3), "--direction", "forward")

    assert "kept 0: none" in ran.out
    assert "No feature helps alone; a backward search finds features that help only together." in ran.out


def test_oblivion_on_the_command_line(run, weather, tmp_path):
    """Train, inspect, answer, explain and evaluate; and no correction."""
    model = tmp_path / "m.cb"
    trained = run("train", weather, "-o", model, "--learner", "oblivion", "--min-features", "1")

    assert "abstract case" in trained.err
    assert "abstract case" in run("inspect", model).out
    assert json.loads(run("inspect", model, "--json").out)["kept"]
    assert "abstract case" in run("explain", model, weather).out
    assert run("predict", model, weather).out.split() == cb.load(model).predict(table(weather)[0]).tolist()
    assert run("evaluate", "--learner", "oblivion", weather, "--cv", "3").code == 0
    refused = run("insert", model, weather)
    assert (refused.code, "cannot be corrected" in refused.err) == (1, True)


@pytest.mark.parametrize("method", ["focus", "relief"])
def test_select_by_other_methods(run, weather, method):
    """FOCUS and RELIEF keep what their selectors keep."""
    record = json.loads(run("select", weather, "--method", method, "--json").out)
    ran = run("select", weather, "--method", method)
    selector = {"focus": cb.FocusSelector(), "relief": cb.ReliefSelector()}[method]
    frame = pd.read_csv(weather)
    selector.fit(frame.drop(columns="play"), frame["play"])

    assert record["kept"] == selector.get_feature_names_out().tolist()
    assert f"kept {len(record['kept'])}: " in ran.out


@pytest.mark.parametrize("method", ["oblivion", "focus", "relief"])
def test_select_leaves_ignored_features_out(run, weather, method):
    """What is ignored is neither kept nor dropped."""
    record = json.loads(run("select", weather, "--method", method, "--metric", "sky=ignored", "--json").out)

    assert sorted(record["kept"] + record["dropped"]) == ["heat", "humidity", "wind"]


def test_an_interruption_before_the_first_step_is_told(run, weather, monkeypatch):
    """There is nothing to show yet, and nothing that could have been changed."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("casebase.cli.select.select", interrupted)
    ran = run("select", weather)

    assert (ran.code, ran.out) == (130, "")
    assert ran.err == "Interrupted before the first accuracy was estimated: there is no result yet.\n"


def test_select_draws_weights(run, weather, tmp_path):
    """RELIEF's weights as bars; a threshold that nothing exceeds does not mean that no feature helps."""
    ran = run("select", weather, "--method", "relief", "--threshold", "0.9", "--plot", tmp_path / "weights.svg")

    assert "Weights of RELIEF" in (tmp_path / "weights.svg").read_text(encoding="utf-8")
    assert "kept 0: none" in ran.out
    assert "No feature helps" not in ran.out


def test_select_refuses_options_of_other_methods(run, weather):
    ran = run("select", weather, "--method", "focus", "--folds", "3")

    assert (ran.code, "--folds has no meaning for the method focus" in ran.err) == (2, True)
