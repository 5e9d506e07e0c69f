"""Columns of provenance on the command line: shown, found, exported, corrected, logged, erased; and their mistakes."""

import csv
import io
import json

import pandas as pd
import pyarrow.parquet
import pytest

import casebase as cb
from casebase.errors import CasebaseError

TITANIC = """\
pid,name,sex,age,source,annotator,survived
P11,John,male,25.5,tel,anna,yes
P12,Jane,female,31.5,web,bert,yes
P13,Tom,male,22.25,tel,,no
P14,Ann,female,18.5,,Anna,yes
"""
TRAINING = ("--id-column", "pid", "--ignore", "name", "--keep", "source,annotator", "--target", "survived")


@pytest.fixture
def data(written):
    return written(TITANIC, "t.csv")


@pytest.fixture(params=["ib1", "igtree", "opinions"])
def model(request, run, data, tmp_path):
    path = tmp_path / "m.cb"
    assert run("train", data, "-o", path, "--learner", request.param, *TRAINING).code == 0
    return path


def stored(run, model, *options):
    """Return the stored cases by id."""
    return {one["id"]: one for one in json.loads(run("cases", model, *options, "--json").out)["cases"]}


def test_stored_cases_show_their_provenance(run, model, tmp_path):
    """As text, in JSON apart from the values, in every export, and in Python; the class stays the last column."""
    names = ["id", "sex", "age", "source", "annotator", "survived"]
    shown = run("cases", model).out.splitlines()
    assert shown[0].split() == names
    assert shown[1].split() == ["P11", "male", "25.5", "tel", "anna", "yes"]
    third = stored(run, model)["P13"]
    assert third["values"] == {"sex": "male", "age": 22.25}
    assert third["provenance"] == {"source": "tel", "annotator": None}
    rows = list(csv.reader(io.StringIO(run("cases", model, "-o", "-").out)))
    assert rows[0] == names
    assert rows[3] == ["P13", "male", "22.25", "tel", "", "no"]
    run("cases", model, "-o", tmp_path / "out.parquet")
    records = cb.load(model).records_
    assert records.column_names == names
    assert records["source"].to_pylist() == ["tel", "web", "tel", None]
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict() == records.to_pydict()


def test_stored_cases_are_found_by_their_provenance(run, model):
    """By value, by what is missing, and by text."""
    assert list(stored(run, model, "--where", "source=tel")) == ["P11", "P13"]
    assert list(stored(run, model, "--where", "annotator=")) == ["P13"]
    assert list(stored(run, model, "--search", "anna")) == ["P11", "P14"]
    assert "Did you mean 'source'" in run("cases", model, "--where", "sorce=tel").err


def test_exported_cases_train_the_same_model(run, model, tmp_path, written):
    """The export has all that the memory has."""
    run("cases", model, "-o", tmp_path / "out.csv")
    again, first = tmp_path / "again.cb", tmp_path / "first.cb"
    options = ("--learner", "ib1", "--keep", "source,annotator")
    run("train", written(TITANIC), "-o", first, "--learner", "ib1", *TRAINING)
    assert run("train", tmp_path / "out.csv", "-o", again, *options, "--id-column", "id").code == 0

    assert cb.load(again).records_.to_pydict() == cb.load(first).records_.to_pydict()
    assert cb.load(again).fingerprint_ == cb.load(first).fingerprint_


def test_provenance_is_corrected_and_logged(run, model, tmp_path, written):
    """The model is that of training on the corrected table, and the log has the text before and after."""
    done = run("update", model, "--id", "P13", "--set", "source=corr", "--by", "ann")

    assert done.code == 0, done.err
    assert stored(run, model)["P13"]["provenance"] == {"source": "corr", "annotator": None}
    assert "  P13  source tel → corr\n" in run("log", model).out
    (change,) = json.loads(run("log", model, "--json").out)["corrections"][0]["cases"]
    assert (change["before"]["source"], change["after"]["source"]) == ("tel", "corr")
    learner = json.loads(run("inspect", model, "--json").out)["learner"]
    changed = written(TITANIC.replace("22.25,tel", "22.25,corr"), "changed.csv")
    run("train", changed, "-o", tmp_path / "changed.cb", "--learner", learner, *TRAINING)
    corrected, trained = cb.load(model), cb.load(tmp_path / "changed.cb")
    assert corrected.fingerprint_ == trained.fingerprint_
    assert corrected.records_.to_pydict() == trained.records_.to_pydict()


def test_a_file_corrects_provenance(run, model, written):
    """Only the columns that it has; an empty field is missing."""
    some = written("pid,annotator\nP13,cleo\nP11,\n", "upd.csv")

    done = run("update", model, some, "--id-column", "pid")

    assert done.code == 0, done.err
    cases = stored(run, model)
    assert cases["P13"]["provenance"] == {"source": "tel", "annotator": "cleo"}
    assert cases["P11"]["provenance"] == {"source": "tel", "annotator": None}
    assert "  P13  annotator missing → cleo\n  P11  annotator anna → missing\n" in run("log", model).out


def test_an_update_of_a_value_keeps_the_provenance(run, model):
    """It was lost when only a value was set."""
    assert run("update", model, "--id", "P11", "--set", "age=26.5").code == 0

    assert stored(run, model)["P11"]["provenance"] == {"source": "tel", "annotator": "anna"}
    assert "  P11  age 25.5 → 26.5\n" in run("log", model).out


def test_a_removal_erases_provenance_from_the_log(run, model):
    """Neither the text before the update nor the one after it is left in the file."""
    run("update", model, "--id", "P12", "--set", "annotator=dorothea")
    run("update", model, "--id", "P12", "--set", "annotator=emil")
    assert b"dorothea" in model.read_bytes()

    assert run("remove", model, "P12").code == 0

    assert not any(text in model.read_bytes() for text in (b"bert", b"dorothea", b"emil"))
    assert run("log", model).out.count("P12  (erased since)") == 2


@pytest.mark.parametrize("how", [("--loo",), ("--cv", "2")])
@pytest.mark.parametrize("learner", ["ib1", "c45"])
def test_wrong_answers_have_the_provenance_of_their_cases(run, data, tmp_path, how, learner):
    """After the values; in JSON apart from them."""
    wrong = tmp_path / "wrong.csv"
    run("evaluate", data, "--learner", learner, *how, *TRAINING, "--errors", wrong)
    run("evaluate", data, "--learner", learner, *how, *TRAINING, "--errors", tmp_path / "wrong.json")

    rows, records = pd.read_csv(wrong, keep_default_na=False), json.loads((tmp_path / "wrong.json").read_text())
    kept = pd.read_csv(data, index_col="pid", keep_default_na=False)
    assert list(rows.columns[-4:]) == ["sex", "age", "source", "annotator"]
    assert len(rows) == len(records) > 0
    for row, record in zip(rows.to_dict("records"), records):
        assert (row["source"], row["annotator"]) == tuple(kept.loc[row["id"], ["source", "annotator"]])
        assert record["provenance"] == {name: row[name] or None for name in ("source", "annotator")}


def test_wrong_answers_of_a_model_have_provenance(run, model, written):
    """Of the test file, if it has any."""
    test = written("pid,sex,age,source,survived\nQ1,male,25.5,fax,no\n", "test.csv")

    (record,) = json.loads(run("evaluate", model, test, "--errors", "-", "--json").out)["errors"]

    assert record["provenance"] == {"source": "fax", "annotator": None}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--id-column", "pid", "--keep", "pid"], "Column 'pid' has the ids, which are stored anyway"),
        (["--id-column", "pid", "--ignore", "pid"], "Column 'pid' has the ids"),
        (["--id-column", "nope"], "--id-column: Unknown column 'nope'"),
        (["--id-column", "survived"], "column 'survived' is the class: it has no ids."),
        (["--ignore", "survived"], "ignore: column 'survived' is the class."),
        (["--keep", "source,survived"], "keep: column 'survived' is the class."),
    ],
)
def test_mistakes_about_columns(run, data, tmp_path, options, message):
    """The message names the file once and says what the column is; nothing is saved."""
    done = run("train", data, "-o", tmp_path / "x.cb", "--learner", "ib1", *options, "--target", "survived")

    assert done.code == 1
    assert done.err.startswith(f"Error: {data}: {message}")
    assert not (tmp_path / "x.cb").exists()


def test_a_wrong_column_of_ids_of_queries(run, model, data):
    """The file is named once here, too."""
    assert run("predict", model, data, "--id-column", "nope").err.startswith(
        f"Error: {data}: --id-column: Unknown column 'nope'"
    )


def test_ids_are_not_kept_twice_in_python():
    """As on the command line."""
    with pytest.raises(CasebaseError, match="Column 'pid' has the ids"):
        cb.IB1Classifier(kinds={"pid": "id"}, keep=["pid"]).fit([{"pid": "a", "x": "b"}], ["P"])
