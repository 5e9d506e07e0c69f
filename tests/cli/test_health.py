"""casebase health: text, page, JSON, CSV and lists of ids, of data files and of models."""

import csv
import io
import json
import re
import shlex

import numpy as np
import pytest

import casebase as cb
from casebase import methods
from casebase.base.leave_out import memory_of


@pytest.fixture
def boards(tmp_path):
    """A file of boards of which some have the wrong class."""
    data = cb.datasets.load_tic_tac_toe()
    labels = data.target.astype(object).copy()
    wrong = np.random.default_rng(5).permutation(300)[:15]
    labels[wrong] = np.where(labels[wrong] == "positive", "negative", "positive")
    path = tmp_path / "boards.csv"
    lines = [",".join([*data.feature_names, "won"])]
    lines += [",".join([*map(str, row), label]) for row, label in zip(data.data[:300], labels)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_text_has_findings_and_commands(run, boards):
    result = run("health", boards, "--limit", "2")

    assert result.out.startswith("300 records: ")
    assert "Probably mislabelled records" in result.out
    assert "casebase update MODEL --id" in result.out
    assert "--set won=" in result.out
    assert "… and" in result.out


def test_json_is_the_record_of_the_library(run, boards):
    printed = json.loads(run("health", boards, "--json").out)

    assert printed["n_cases"] == 300
    assert printed["target"] == "won"
    assert sum(printed["counts"].values()) == len(printed["findings"])
    assert {"kind", "record", "reason", "command"} <= printed["findings"][0].keys()


def test_csv_and_page_are_written(run, boards, tmp_path):
    page, table = tmp_path / "health.html", tmp_path / "findings.csv"

    result = run("health", boards, "--html", page, "--csv", table)

    assert f"Written to {page}." in result.err
    assert "Probably mislabelled" in page.read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert {row["kind"] for row in rows} >= {"mislabelled", "redundant"}
    assert result.out.startswith("300 records")


def test_redundant_records_of_a_model_can_be_removed(run, boards, tmp_path):
    model = tmp_path / "boards.cb"
    run("train", boards, "-o", model, "--learner", "ib1", "--weighting", "none")
    listed = run("health", model, "--list", "redundant").out.split()
    ids = tmp_path / "ids.txt"
    ids.write_text("\n".join(listed) + "\n")

    assert listed
    run("remove", model, "--ids", ids)
    assert cb.load(model).model_.memory.n_cases == 300 - len(listed)


def test_commands_name_the_model(run, boards, tmp_path):
    model = tmp_path / "my boards.cb"
    run("train", boards, "-o", model, "--learner", "ib1")

    found = json.loads(run("health", model, "--json").out)["findings"]

    assert any(f"casebase remove '{model}'" in one["command"] for one in found)


def test_a_column_is_ignored_by_training_on_the_same_file(run, tmp_path):
    path = tmp_path / "ids.csv"
    rows = [f"n{i:03d},{'xy'[i % 2]},{'PQ'[i % 3 > 0]}" for i in range(60)]
    path.write_text("\n".join(["name,letter,class", *rows]) + "\n")

    found = json.loads(run("health", path, "--target", "class", "--json").out)["findings"]

    command = next(one["command"] for one in found if one["column"] == "name")
    assert command == f"casebase train {path} -o MODEL --target class --ignore name"


@pytest.fixture
def fruit(tmp_path):
    """A file with an id, a constant, two leaks, and the class in the first column."""
    path = tmp_path / "fruit.csv"
    rows = [f"{'PQ'[i % 2]},n{i:03d},{'xyz'[i % 3]},{'pq'[i % 2]},one,s{i % 2}" for i in range(60)]
    path.write_text("\n".join(['class,name,letter,"leak, first",planet,second', *rows]) + "\n")
    return path


@pytest.mark.parametrize("learner", ["ib1", "smile", "auto"])
def test_the_commands_of_columns_train_the_same_learner(run, fruit, tmp_path, learner):
    """Each command drops the columns before it, too, and writes another file than the model."""
    model = tmp_path / "fruit.cb"
    own = ["--weighting", "none", "-k", "3", "--kinds", "auto"] if learner == "ib1" else []
    data = ["--target", "class", "--ignore", "planet", "--id-column", "name"]
    assert run("train", fruit, "-o", model, "--learner", learner, *data, *own).code == 0
    before = model.read_bytes()

    found = json.loads(run("health", model, "--json").out)["findings"]

    columns = [one for one in found if one["kind"] == "column"]
    assert [one["column"] for one in columns] == ["leak, first", "second"]
    words = shlex.split(columns[-1]["command"])
    assert words[:5] == ["casebase", "train", "DATA", "-o", str(tmp_path / "fruit.new.cb")]
    assert words[words.index("--learner") + 1] == learner
    assert ("--kinds" in words) == (learner == "ib1")  # the autopilot finds kinds anyway
    assert run(*[fruit if word == "DATA" else word for word in words[1:]]).code == 0
    new, old = methods.load(tmp_path / "fruit.new.cb"), methods.load(model)
    assert model.read_bytes() == before
    assert [one.name for one in new.model.schema.features if one.kind != "ignored"] == ["letter"]
    assert new.model.summary().parameters == old.model.summary().parameters
    assert list(memory_of(new.model).ids(memory_of(new.model).in_given_order))[:2] == ["n000", "n001"]


def test_the_options_of_a_data_file_are_in_the_commands(run, fruit):
    options = ["--target", "class", "--ignore", "second", "--keep", "planet", "--kind", "letter=symbol"]

    result = run("health", fruit, *options, "--metric", "mvdm")

    read = "--kind letter=symbol --keep planet --target class --ignore"
    assert f"casebase train {fruit} -o MODEL {read} 'second,\"leak, first\"'" in result.out
    listed = f"casebase health {fruit} {read} second --metric mvdm --list redundant"
    assert f"{listed} | casebase remove MODEL --ids -" in result.out
    assert run(*shlex.split(listed)[1:]).out.split()


def test_redundant_records_have_a_command(run, boards, tmp_path):
    model = tmp_path / "boards.cb"
    run("train", boards, "-o", model, "--learner", "ib1")

    for output in (run("health", model).out, run("health", model, "--html", "-").out.replace("&#x27;", "'")):
        text = re.sub("<[^>]*>", "", output)
        assert f"casebase health {model} --list redundant | casebase remove {model} --ids -" in text


def test_models_without_cases_say_why(run, boards, tmp_path):
    model = tmp_path / "boards.cb"
    run("train", boards, "-o", model, "--learner", "c45")

    error = run("health", model).err

    assert "A model of c45 keeps no cases" in error
    assert "casebase health DATA" in error


@pytest.mark.parametrize("learner", ["smile", "rules", "ib2"])
def test_commands_do_not_name_a_model_that_cannot_be_corrected(run, boards, tmp_path, learner):
    model = tmp_path / "boards.cb"
    run("train", boards, "-o", model, "--learner", learner)

    out = run("health", model).out

    assert "casebase remove MODEL" in out
    assert f"A model of {learner} cannot be corrected" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json", "--csv", "-"], "both write to standard output"),
        (["--list", "redundant", "--html", "-"], "both write to standard output"),
        (["--list", "nonsense"], "nonsense"),
        (["--metric", "nonsense"], "metric"),
        (["--epsilon", "3"], "epsilon"),
        (["--target", "nobody"], "nobody"),
    ],
)
def test_bad_options_are_refused(run, boards, arguments, message):
    result = run("health", boards, *arguments)

    assert result.code
    assert message in result.err


def test_options_of_data_files_are_refused_for_models(run, boards, tmp_path):
    model = tmp_path / "boards.cb"
    run("train", boards, "-o", model, "--learner", "ib1")

    assert "data files" in run("health", model, "--target", "won").err


def test_one_record_and_no_file_are_refused(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,class\nx,P\n")

    assert "at least two" in run("health", path, "--header", "--kind", "a=symbol").err
    assert "nothere.csv" in run("health", tmp_path / "nothere.csv").err
