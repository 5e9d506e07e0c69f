"""`evaluate --errors` lists the wrong answers, `predict --append` writes the input with the answers."""

import csv
import io
import json

import pytest

from tests.cli.conftest import WEATHER, columns


def rows(text, separator=","):
    return list(csv.reader(io.StringIO(text), delimiter=separator))


@pytest.fixture
def test_file(written):
    """Two rows that the model has with another class, and one that it has so."""
    return written(
        "sky,heat,humidity,wind,play\nsunny,hot,85.5,no,go\nrainy,cool,80,no,go\nrainy,cool,70,yes,fly\n", "t.csv"
    )


def test_a_test_file(run, model, test_file, tmp_path):
    """Row, id, class, prediction, the nearest records, then the query."""
    done = run("evaluate", model, test_file, "--errors", tmp_path / "wrong.csv")

    header, first, second = rows((tmp_path / "wrong.csv").read_text())
    assert header[:7] == ["row", "id", "class", "prediction", "nearest_1_id", "nearest_1_class", "nearest_1_distance"]
    assert header[-4:] == ["sky", "heat", "humidity", "wind"]
    assert (first[:7], first[-4:]) == (["0", "0", "go", "stay", "0", "stay", "0"], ["sunny", "hot", "85.5", "no"])
    assert second[:6] == ["2", "2", "fly", "stay", "5", "stay"]
    assert "2 wrong answers written to" in done.err
    assert done.out.splitlines()[0] == "accuracy  0.3333  (1 of 3; 95 % interval 0.0615 to 0.7923)"
    assert done.out.splitlines()[1] == "baseline  0.6667  (always go)"


def test_standard_output_and_other_formats(run, model, test_file, tmp_path):
    """`-` prints them alone; .tsv and .json are recognised; with --json they are part of the report, or a JSON file."""
    printed = run("evaluate", model, test_file, "--errors", "-")
    assert rows(printed.out)[0][0] == "row"
    assert printed.err.startswith("accuracy  0.3333")
    run("evaluate", model, test_file, "--errors", tmp_path / "wrong.tsv")
    assert rows((tmp_path / "wrong.tsv").read_text(), "\t") == rows(printed.out)
    run("evaluate", model, test_file, "--errors", tmp_path / "wrong.json")
    records = json.loads((tmp_path / "wrong.json").read_text())
    assert (records[0]["class"], records[0]["prediction"]) == ("go", "stay")
    assert records[0]["values"] == {"sky": "sunny", "heat": "hot", "humidity": 85.5, "wind": "no"}
    assert records[0]["nearest"][0] | {"values": None} == {
        "id": 0, "values": None, "class": "stay", "distance": 0.0, "share": None
    }  # fmt: skip
    assert json.loads(run("evaluate", model, test_file, "--errors", "-", "--json").out)["errors"] == records
    plain = json.loads(run("evaluate", model, test_file, "--errors", tmp_path / "wrong.txt", "--json").out)
    assert "errors" not in plain
    assert json.loads((tmp_path / "wrong.txt").read_text()) == records


@pytest.mark.parametrize("how", [("--loo",), ("--cv", "3")])
@pytest.mark.parametrize("learner", ["ib1", "c45"])
def test_without_a_model(run, weather, tmp_path, how, learner):
    """By leave-one-out and cross-validation, as many as the report counts."""
    done = run("evaluate", weather, "--learner", learner, *how, "--json", "--errors", "-")

    report = json.loads(done.out)
    assert len(report["errors"]) == report["n_cases"] - report["n_correct"] > 0
    data = rows(WEATHER)[1:]
    for error in report["errors"]:
        assert error["class"] == data[error["row"]][4] != error["prediction"]
        assert bool(error["nearest"]) == (learner == "ib1")
        assert error["id"] not in [near["id"] for near in error["nearest"]]


def test_errors_do_not_overwrite_an_input(run, model, test_file):
    """As with every output."""
    assert "is an input" in run("evaluate", model, test_file, "--errors", test_file).err


def test_answers_are_appended_to_the_fields_as_they_are(run, model, written):
    """Quotes, numbers as they are spelled, empty fields and other columns stay; the header gets the class's name."""
    data = written('sky,"heat, or cold",heat,humidity,wind\n"rainy",z,cool,80.0,no\nsunny,"a ""b"", c",hot,085.50,\n')

    out = run("predict", model, data, "--append").out

    assert out == (
        'sky,"heat, or cold",heat,humidity,wind,play\nrainy,z,cool,80.0,no,go\nsunny,"a ""b"", c",hot,085.50,,stay\n'
    )


def test_a_file_with_classes_gets_predictions(run, model, weather, tmp_path):
    """The class stays; another name is found for the answers, and for the shares of the classes."""
    done = run("predict", model, weather, "--append", "--proba", "-o", tmp_path / "out.csv")

    assert done.code == 0
    header, first, *_ = rows((tmp_path / "out.csv").read_text())
    assert header == ["sky", "heat", "humidity", "wind", "play", "prediction", "p(go)", "p(stay)"]
    assert first[:6] == ["sunny", "hot", "85.5", "no", "stay", "stay"]
    assert float(first[6]) + float(first[7]) == pytest.approx(1.0, abs=1e-5)
    assert float(first[7]) >= float(first[6])
    again = run("predict", model, tmp_path / "out.csv", "--append").out
    assert rows(again)[0][-1] == "prediction_2"


def test_tabs_pipes_and_files_without_a_header(run, model, written):
    """The separator is that of the input; what comes through a pipe is read once."""
    tabs = written(columns(WEATHER, 0, 1, 2, 3).replace(",", "\t"), "new.tsv")
    assert rows(run("predict", model, tabs, "--append").out, "\t")[1] == ["sunny", "hot", "85.5", "no", "stay"]
    piped = run("predict", model, "-", "--append", stdin=columns(WEATHER, 0, 1, 2, 3)).out
    assert rows(piped)[:2] == [["sky", "heat", "humidity", "wind", "play"], ["sunny", "hot", "85.5", "no", "stay"]]
    bare = written("sunny,hot,85.5,no\n", "bare.csv")
    assert run("predict", model, bare, "--append", "--no-header").out == "sunny,hot,85.5,no,stay\n"
    assert run("predict", model, bare, "--append", "--json").code == 2


def test_a_model_alone_is_evaluated_on_its_records(run, model, weather):
    """IB1 leaves one out, as it does on the data; options for learning are refused."""
    alone = run("evaluate", model, "--json")
    on_data = run("evaluate", weather, "--learner", "ib1", "--loo", "--json")

    assert json.loads(alone.out) == json.loads(on_data.out)
    assert run("evaluate", model, "--loo", "--json").out == alone.out
    assert alone.err == "Held out by leave-one-out.\n"
    assert json.loads(run("evaluate", model, "--cv", "4", "--json").out)["fold_accuracies"][3:] != []
    for option in (["--learner", "ib1"], ["--random-state", "1"]):
        ran = run("evaluate", model, *option)
        assert (ran.code, "a model keeps the settings" in ran.err) == (2, True), option
