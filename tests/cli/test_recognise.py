"""casebase recognise, and what the other commands say about a file that they had to recognise."""

import json

import pytest

GERMAN = "Nr;Größe;Preis;Art\n1;klein;1,50;Spiel\n2;groß;2,25;Werkzeug\n3;groß;;Spiel\n".encode("cp1252")


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_bytes(GERMAN)
    return str(path)


def test_text(run, prices):
    """The first lines say how the file is read, the others what its columns are."""
    lines = run("recognise", prices).out.splitlines()

    assert lines[0] == f"{prices}: csv, cp1252, fields separated by semicolons, decimal comma, header"
    assert lines[1:4] == ["3 rows, 4 columns", "class: Art (the last column)", "ids: Nr"]
    assert lines[7].split() == ["Größe", "symbol", "2", "0", "klein,", "groß"]


def test_options_change_what_is_shown(run, prices):
    """The options for data files, ids and kinds are taken; columns count from 1."""
    record = json.loads(
        run(
            "recognise", prices, "--target", "2", "--decimal", ".", "--id-column", "4", "--kind", "Nr=symbol", "--json"
        ).out
    )

    assert (record["target"], record["decimal"], record["id_column"]) == ("Größe", ".", "Art")
    assert [column["kind"] for column in record["columns"]][:3] == ["symbol", "symbol", "symbol"]
    assert record["options"]["target"] == "Größe"


def test_what_was_recognised_is_said(run, prices, tmp_path):
    """Training and predicting say on standard error what they took; with the options they need not."""
    model = str(tmp_path / "m.cb")
    said = "encoding cp1252, fields separated by semicolons, decimal comma."
    trained = run("train", prices, "-o", model, "--learner", "ib1", "--id-column", "Nr")
    predicted = run("predict", model, prices)
    told = ["--encoding", "cp1252", "--separator", ";", "--decimal", ","]

    assert f"{prices}: {said}" in trained.err
    assert (said in predicted.err, predicted.out.split()) == (True, ["Spiel", "Werkzeug", "Spiel"])
    assert said not in run("predict", model, prices, *told).err


def test_arguments_read_the_same(run, prices, tmp_path):
    """The record's arguments, on the command line, train the model that reading without them trains."""
    from casebase.formats import recognise

    run("train", prices, "-o", str(tmp_path / "a.cb"), "--learner", "ib1", "--id-column", "Nr")
    run("train", prices, "-o", str(tmp_path / "b.cb"), "--learner", "ib1", *recognise(prices).arguments())

    shown = [run("inspect", str(tmp_path / name), "--json").out for name in ("a.cb", "b.cb")]
    first, second = (json.loads(text) for text in shown)

    assert first["features"] == second["features"]
    assert first["classes"] == second["classes"]


def test_errors_are_messages(run, prices):
    """A wrong option is an error of ours."""
    ran = run("recognise", prices, "--sheet", "x")

    assert (ran.code, ran.out) == (1, "")
    assert "csv format takes no sheet" in ran.err
