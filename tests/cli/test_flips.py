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
