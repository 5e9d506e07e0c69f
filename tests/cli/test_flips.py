"""Flips on the command line."""

import json

import pandas as pd
import pytest

import casebase as cb
from tests.cli.conftest import WEATHER


@pytest.fixture
def model(run, written, tmp_path):
    path = tmp_path / "weather.cb"
    assert run("train", written(WEATHER, "weather.csv"), "-o", path, "--learner", "ib1").code == 0
    return path


def test_text_json_and_python_agree(run, model, written):
    """For all cases of a file."""
    data = written(WEATHER, "weather.csv")
    text = run("explain", model, data, "--flip").out
    records = json.loads(run("explain", model, data, "--flip", "--json").out)
    flips = [cb.evidence_from_dict(one) for one in records]
    frame = pd.read_csv(data).drop(columns="play")

    assert text == "\n\n".join(map(str, flips)) + "\n"
    assert flips == cb.load(model).flip(frame)


def test_options(run, model, tmp_path):
    case = ("--case", "sunny hot 85.5 no")
    (plain,) = json.loads(run("explain", model, *case, "--flip", "--json").out)
    changed = plain["changes"][0]["feature"]
    (frozen,) = json.loads(run("explain", model, *case, "--flip", "--freeze", f" {changed} ", "--json").out)
    (wanted,) = json.loads(run("explain", model, *case, "--flip", "--to", "go", "--flip-limit", "1", "--json").out)

    assert changed not in [one["feature"] for one in frozen["changes"]]
    assert frozen["frozen"] == [changed]
    assert (wanted["wanted"], wanted["limit"]) == ("go", 1)
    assert run("explain", model, *case, "--flip", "--html", tmp_path / "flip.html").code == 0
    assert "<h1>What would change these predictions</h1>" in (tmp_path / "flip.html").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "go"], "--to belongs to --flip"),
        (["--freeze", "sky"], "--freeze belongs to --flip"),
        (["--flip-limit", "2"], "--flip-limit belongs to --flip"),
        (["--flip", "--to", "maybe"], "Unknown class 'maybe'. Known: go, stay."),
        (["--flip", "--freeze", "skyy"], "Unknown feature 'skyy'. Did you mean 'sky'?"),
        (["--flip", "--flip-limit", "0"], "Invalid value for '--flip-limit'"),
    ],
)
def test_bad_options(run, model, options, message):
    ran = run("explain", model, "--case", "sunny hot 85.5 no", *options)

    assert ran.code != 0
    assert message in ran.err


def test_everything_frozen_is_a_plain_answer(run, model):
    ran = run("explain", model, "--case", "sunny hot 85.5 no", "--flip", "--freeze", "sky,heat,humidity,wind")

    assert ran.code == 0
    assert "every feature is frozen" in ran.out


def test_a_stored_case_is_flipped_without_itself(run, written, tmp_path):
    """By id, a case has no part in its own prediction, as in `explain`; --no-leave-out keeps it in."""
    data = written("f,g,class\na,x,P\na,x,P\na,y,Q\nb,y,Q\nb,y,Q\n", "few.csv")
    model = tmp_path / "few.cb"
    run("train", data, "-o", model, "--learner", "ib1", "--weighting", "none")
    (explained,) = json.loads(run("explain", model, "--id", "2", "--json").out)
    (left_out,) = json.loads(run("explain", model, "--id", "2", "--flip", "--json").out)
    (kept,) = json.loads(run("explain", model, "--id", "2", "--flip", "--no-leave-out", "--json").out)

    assert (left_out["label"], left_out["left_out"]) == (explained["label"], 2)
    assert (kept["label"], kept["left_out"]) == ("Q", None)
    assert 2 not in (left_out["removal"] or {"ids": []})["ids"]
    assert "record 2 itself was left out" in run("explain", model, "--id", "2", "--flip").out


def test_the_class_of_a_stored_case_is_known(run, written, tmp_path):
    """Evidence by id says whether the prediction is right."""
    data = written("f,g,class\na,x,P\na,x,P\na,x,Q\nb,y,Q\nb,y,Q\n", "few.csv")
    model = tmp_path / "few.cb"
    run("train", data, "-o", model, "--learner", "ib1", "--weighting", "none")
    assert "recorded as Q: the others disagree" in run("explain", model, "--id", "2").out
