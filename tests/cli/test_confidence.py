"""Sets of classes on the command line."""

import json

import pytest


@pytest.fixture
def trained(run, weather, tmp_path):
    run("train", weather, "-o", tmp_path / "m.cb", "--learner", "c45")
    return tmp_path / "m.cb", weather


def test_command_line_gives_sets_and_abstains(run, trained):
    """--confidence adds the set and what it means; --abstain leaves the prediction out."""
    model, data = trained
    done = run("predict", model, data, "--confidence", "0.9999")
    lines = [line.split("\t") for line in done.out.splitlines()]
    records = [json.loads(line) for line in run("predict", model, data, "--confidence", 0.9, "--json").out.splitlines()]
    left_out = run("predict", model, data, "--confidence", "0.9999", "--abstain").out.splitlines()

    assert all(found.endswith("cannot tell") and label in found for label, found in lines)
    assert "without a guarantee" in done.err
    assert set(records[0]) == {"label", "set", "remark"}
    assert all(line.startswith("\t{") for line in left_out)


def test_command_line_holds_cases_out(run, trained, tmp_path):
    """--held-out keeps a share apart and says so in the guarantee."""
    _, data = trained
    run("train", data, "-o", tmp_path / "h.cb", "--learner", "ib1", "--held-out", "0.3")

    assert "split conformal" in run("predict", tmp_path / "h.cb", data, "--confidence", "0.7").err


def test_command_line_refuses_options_without_effect(run, trained):
    model, data = trained

    refused = run("predict", model, data, "--abstain")

    assert (refused.code, "goes with --confidence" in refused.err) == (2, True)
