"""The commands with --learner rules."""

import json

import pytest

import casebase as cb


@pytest.fixture
def rules(run, weather, tmp_path):
    """The file of a model of the weather."""
    path = tmp_path / "rules.cb"
    assert run("train", weather, "-o", path, "--learner", "rules", "--pairs").code == 0
    return path


def test_train_says_how_many_rules_there_are(run, weather, tmp_path):
    said = run("train", weather, "-o", tmp_path / "m.cb", "--learner", "rules", "--pairs").err

    assert "2 classes; class play, header in the first line; 4 rules at 2 levels and a default; " in said


def test_train_says_how_many_cases_are_unexplained(run, weather, tmp_path):
    said = run("train", weather, "-o", tmp_path / "m.cb", "--learner", "rules", "--depth", 0).err

    assert "0 rules at 0 levels and a default; 5 of the cases unexplained" in said


def test_levels_are_counted_as_they_are_numbered(run, written, tmp_path):
    """A level may have no rule: train said 1 level, and explain level 2 of 2."""
    data = written("a,b,c\nx,1,P\ny,1,Q\nz,2,Q\n")
    said = run("train", data, "-o", tmp_path / "m.cb", "--learner", "rules").err

    assert "at 2 levels" in said
    assert "level 2 of 2" in run("explain", tmp_path / "m.cb", "--case", "x 1").out


def test_options_reach_the_learner(run, weather, tmp_path):
    """What is typed is what the model was fitted with."""
    options = ["--depth", "auto", "--cost", "length", "--pairs", "--noise", 0.25, "--window", 0.5, "--forbid", "wind"]
    options += [
        "--discretise",
        "equal_width",
        "--n-bins",
        3,
        "--random-state",
        7,
        "--force",
        "sky = overcast -> go",
    ]
    assert run("train", weather, "-o", tmp_path / "m.cb", "--learner", "rules", *options).code == 0

    model = cb.load(tmp_path / "m.cb")
    assert (model.depth, model.cost, model.pairs, model.noise, model.window) == ("auto", "length", True, 0.25, 0.5)
    assert (model.forbid, model.force) == (["wind"], [["sky = overcast", "go"]])
    assert (model.discretise, model.n_bins, model.random_state) == ("equal_width", 3, 7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--depth", "deep"], "--depth takes a whole number or 'auto', got 'deep'"),
        (["--noise", "some"], "--noise takes a share from 0 to 1 or 'auto', got 'some'"),
        (["--force", "outlook = sunny"], "--force takes a rule such as 'outlook = sunny → no'"),
        (["--cost", "free"], "free"),
        (["-k", 3], "-k has no meaning for the learner rules"),
    ],
)
def test_wrong_usage(run, weather, tmp_path, options, message):
    ran = run("train", weather, "-o", tmp_path / "m.cb", "--learner", "rules", *options)

    assert ran.code == 2
    assert message in ran.err


def test_no_consistent_rule_is_an_error_that_names_cases(run, weather, tmp_path):
    ran = run("train", weather, "-o", tmp_path / "m.cb", "--learner", "rules", "--noise", 0)

    assert ran.code == 1
    assert "No rule of depth 2 is right on all" in ran.err
    assert "3 of 14 cases are in conflict, such as case 5 (rainy, cool, any number, yes: stay);" in ran.err
    assert not (tmp_path / "m.cb").exists()


def test_inspect_shows_the_rules(run, rules):
    out = run("inspect", rules).out

    assert "otherwise go (14 cases, 5 exceptions)\n  heat = mild and wind = no: stay (3 cases, 2 exceptions)\n" in out
    assert "\n    sky = rainy and wind = no: go (3 cases)\n" in out


def test_inspect_as_json(run, rules):
    record = json.loads(run("inspect", rules, "--json").out)

    assert (record["learner"], record["n_rules"], record["n_levels"], record["n_unexplained"]) == ("rules", 4, 2, 0.0)


@pytest.mark.parametrize("to", ["text", "markdown", "json", "sql", "python"])
def test_inspect_exports(run, rules, to):
    assert run("inspect", rules, "--export", to).out == cb.load(rules).export(to)


def test_only_trees_and_rules_are_exported(run, weather, tmp_path):
    """The message has the names that --learner takes."""
    run("train", weather, "-o", tmp_path / "m.cb", "--learner", "ib1")

    ran = run("inspect", tmp_path / "m.cb", "--export", "sql")

    assert ran.code == 2
    assert "--export is for models of c45, c45rules, id3, oblivious_graph, perceptron_tree, rules; " in ran.err
    assert "m.cb is one of ib1." in ran.err


def test_explain_names_the_rule(run, rules):
    out = run("explain", rules, "--case", "sunny hot 90 no").out

    assert out.splitlines()[:2] == [
        "play = stay: 2 of 2 records that the rule decides say so; no other class has any.",
        "  rule: heat = hot and sky = sunny → stay (2 records), level 2 of 2",
    ]


def test_predict_and_evaluate(run, rules, weather):
    assert run("predict", rules, weather).out.split()[:3] == ["stay", "stay", "go"]
    assert json.loads(run("evaluate", rules, weather, "--json").out)["accuracy"] == 1.0
    assert run("evaluate", "--learner", "rules", weather, "--cv", 3, "--json").code == 0
