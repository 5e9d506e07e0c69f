"""Stored cases on the command line: asked for by id, left out, shown, exported."""

import csv
import io
import json

import pyarrow.parquet
import pytest

import casebase as cb
from tests.cli.conftest import WEATHER
from tests.model_files import drop_log


def test_a_stored_case_is_left_out_unless_told_otherwise(run, model):
    """By id without the case itself; the option for it, and for its contrary."""
    left_out, kept = (
        json.loads(run("explain", model, "--id", "3", *more, "--json").out)[0] for more in ((), ("--no-leave-out",))
    )

    assert (left_out["left_out"], kept["left_out"]) == (3, None)
    assert 3 not in [neighbour["id"] for neighbour in left_out["neighbours"]]
    assert kept["neighbours"][0]["id"] == 3
    assert "record 3 itself was left out" in run("explain", model, "--id", "3").out


def test_rows_of_a_file_can_be_left_out(run, model, weather):
    """By default the ids of the rows are 0, 1, 2, …, as in the file that the model was trained on."""
    plain, left_out = (
        json.loads(run("explain", model, weather, *more, "--json").out) for more in ((), ("--leave-out",))
    )

    assert [one["left_out"] for one in left_out] == list(range(14))
    assert {one["left_out"] for one in plain} == {None}


def test_mistakes_about_stored_cases(run, model, weather, written):
    """One way to say what is explained; an id that is there, and values that are its own."""
    other = written("sky,heat,humidity,wind\nrainy,cool,1.5,no\n")

    assert (
        "Give DATA, or one case with --case, or stored cases with --id."
        in run("explain", model, weather, "--id", "3").err
    )
    assert "for stored cases" in run("explain", model, "--case", "rainy mild 96 no", "--leave-out").err
    assert "--id: the ids of this model are whole numbers; got 'x'" in run("explain", model, "--id", "x").err
    assert "No stored case has the id 99" in run("explain", model, "--id", "99").err
    assert "sky is rainy here and sunny there" in run("explain", model, other, "--leave-out").err


def test_one_more_case_is_one(run, model, weather):
    """A single case is not counted as several."""
    assert "\n1 more case; --first N" in run("explain", model, weather, "--first", "13").err
    assert "\n2 more cases; --first N" in run("explain", model, weather, "--first", "12").err


@pytest.fixture
def own(run, weather, tmp_path):
    """A model to be changed."""
    path = tmp_path / "own.cb"
    assert run("train", weather, "-o", path, "--learner", "ib1").code == 0
    return path


def test_cases_are_shown_and_found(run, model):
    """A table; by value, by text, by id; a part of them at a time."""
    shown = run("cases", model)
    assert shown.out.splitlines()[0].split() == ["id", "sky", "heat", "humidity", "wind", "play"]
    assert shown.out.splitlines()[1].split() == ["0", "sunny", "hot", "85.5", "no", "stay"]
    assert len(shown.out.splitlines()) == 15

    def ids(*options):
        return [one["id"] for one in json.loads(run("cases", model, *options, "--json").out)["cases"]]

    assert ids("--where", "sky=rainy", "--where", "play=stay") == [5, 13]
    assert ids("--where", "class=stay", "--where", "humidity=70") == [5]
    assert ids("--search", "OVER") == [2, 6, 11, 12]
    assert ids("--id", "4", "--id", "2") == [4, 2]
    assert ids("--limit", "2", "--offset", "12") == [12, 13]
    assert "\n1 more case; --limit N" in run("cases", model, "--limit", "13").err
    assert "No case of the 14 stored ones." in run("cases", model, "--where", "sky=green").err


def test_exported_cases_train_the_same_model(run, model, weather, tmp_path):
    """As CSV, TSV or Parquet; the values are exact."""
    run("cases", model, "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "id," + "".join(
        line if i == 0 else f"{i - 1},{line}" for i, line in enumerate(WEATHER.splitlines(keepends=True))
    )
    run("cases", model, "-o", tmp_path / "out.tsv", "--where", "sky=rainy")
    assert (tmp_path / "out.tsv").read_text().splitlines()[1] == "3\trainy\tmild\t96\tno\tgo"
    run("cases", model, "-o", tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table.to_pydict() == cb.load(model).records_.to_pydict()
    assert run("cases", model, "-o", "-").out == (tmp_path / "out.csv").read_text()
    assert run("cases", model, "-o", tmp_path / "out.xlsx").err.startswith("Error: Cases are written as .csv")


def test_values_with_separators_are_quoted(run, tmp_path, written):
    """What is exported can be read again."""
    data = written('name,class\n"Smith, John ""Jack""",p\nBob,q\n', "data.csv")
    run("train", data, "-o", tmp_path / "m.cb", "--learner", "ib1")

    out = run("cases", tmp_path / "m.cb", "-o", "-").out

    assert list(csv.reader(io.StringIO(out)))[1] == ["0", 'Smith, John "Jack"', "p"]


def test_one_case_is_updated_and_logged(run, own, weather, tmp_path, written):
    """The model is that of training on the changed table, and the log has what was before and after."""
    done = run(
        "update", own, "--id", "3", "--set", "play=stay", "--set", "humidity=60.5", "--by", "ann", "--note", "seen"
    )

    assert done.code == 0
    assert "ib1: 1 case updated; 14 cases in memory" in done.err
    log = json.loads(run("log", own, "--json").out)["corrections"]
    assert [(one["action"], one["by"], one["note"]) for one in log] == [("update", "ann", "seen")]
    assert log[0]["cases"][0]["before"] == {
        "sky": "rainy",
        "heat": "mild",
        "humidity": 96.0,
        "wind": "no",
        "play": "go",
    }
    assert "  3  humidity 96 → 60.5, play go → stay\n" in run("log", own).out
    changed = written(WEATHER.replace("rainy,mild,96,no,go", "rainy,mild,60.5,no,stay"), weather.name)
    run("train", changed, "-o", tmp_path / "changed.cb", "--learner", "ib1")
    drop_log(own)
    assert own.read_bytes() == (tmp_path / "changed.cb").read_bytes()


def test_the_rows_of_a_file_are_updated(run, own, tmp_path, written):
    """By a column of ids, with the columns that change; or by a file of ids, with all columns."""
    some = written("case,play,remark\n2,stay,x\n12,stay,y\n", "some.csv")
    whole = written("sky,heat,humidity,wind,play\nfoggy,cool,,no,go\n", "whole.csv")

    assert run("update", own, some, "--id-column", "case").code == 0
    assert run("update", own, whole, "--ids", written("7\n", "ids")).code == 0

    records = {one["id"]: one for one in json.loads(run("cases", own, "--json").out)["cases"]}
    assert [records[i]["class"] for i in (2, 12)] == ["stay", "stay"]
    assert records[2]["values"] == {"sky": "overcast", "heat": "hot", "humidity": 78.0, "wind": "no"}
    assert records[7]["values"] == {"sky": "foggy", "heat": "cool", "humidity": None, "wind": "no"}
    assert [len(one["cases"]) for one in json.loads(run("log", own, "--json").out)["corrections"]] == [2, 1]


def test_a_table_without_names_is_updated(run, tmp_path, written):
    """Columns by position; the column of ids by its number."""
    run("train", written("a,x,P\nb,y,Q\n", "data.txt"), "-o", tmp_path / "m.cb", "--learner", "ib1", "--no-header")

    done = run("update", tmp_path / "m.cb", written("c,1,z,P\n", "new.txt"), "--id-column", "2", "--no-header")

    assert done.code == 0
    assert cb.load(tmp_path / "m.cb").records_.to_pylist()[1] == {"id": 1, "f1": "c", "f2": "z", "class": "P"}


def test_a_table_without_names_is_updated_if_a_column_had_the_ids(run, tmp_path):
    table, changes = tmp_path / "t.csv", tmp_path / "c.csv"
    table.write_text("r1,red,1,a\nr2,blue,2,b\nr3,red,3,a\n")
    options = ("--no-header", "--id-column", "1")
    run("train", table, "-o", tmp_path / "m.cb", "--learner", "ib1", *options)
    changes.write_text("r2,green,5,a\n")
    run("update", tmp_path / "m.cb", changes, *options)
    assert "r2,green,5,a" in run("cases", tmp_path / "m.cb", "-o", "-").out
    changes.write_text("r2,green\n")
    said = run("update", tmp_path / "m.cb", changes, *options).err
    assert "expected 2 columns besides the class and the ids (f2, f3)" in said
    assert "a header with the names of those to change" in said


def test_the_autopilot_is_updated_in_the_columns_of_its_table(run, tmp_path, written):
    """Dates and ordered words are given as in the training table; the kinds of the columns stay."""
    rows = "".join(f"k{i},2024-05-{i + 1:02},{['small', 'large'][i % 2]},{i / 2},{'pq'[i % 2]}\n" for i in range(20))
    data = written("key,day,level,size,class\n" + rows, "data.csv")
    model = tmp_path / "m.cb"
    assert run("train", data, "-o", model, "--learner", "opinions", "--kind", "level=ordinal:small,large").code == 0

    done = run("update", model, "--id", "3", "--set", "day=2023-01-02", "--set", "level=small")

    assert done.code == 0
    (case,) = json.loads(run("cases", model, "--id", "3", "--json").out)["cases"]
    assert case["values"] == {"day": "2023-01-02", "level": "small", "size": 1.5}
    assert "day 2024-05-04 → 2023-01-02, level large → small" in run("log", model).out
    assert "does not store the column 'key'" in run("update", model, "--id", "3", "--set", "key=x").err


def test_updates_keep_weights(tmp_path, run):
    """Only what is set changes."""
    cb.IB1Classifier().fit([["a"], ["b"]], [1, 2], sample_weight=[3, 1], exemplar_weight=[1, 2]).save(tmp_path / "m.cb")

    assert run("update", tmp_path / "m.cb", "--id", "0", "--set", "class=2").code == 0

    assert cb.load(tmp_path / "m.cb").records_.to_pylist()[0] == {
        "id": 0, "f1": "a", "class": 2, "weight": 3.0, "exemplar_weight": 1.0
    }  # fmt: skip


def test_insertions_and_removals_are_logged(run, own, written):
    """With the name and the note that were given; one case can be followed."""
    more = written("sky,heat,humidity,wind,play\nfoggy,hot,85.5,no,stay\n", "more.csv")
    run("insert", own, more, "--by", "ann", "--note", "late")
    run("remove", own, "2", "14", "--by", "bob")

    log = json.loads(run("log", own, "--json").out)

    assert log["file"] == str(own)
    assert [(one["action"], one["by"], one["note"]) for one in log["corrections"]] == [
        ("insert", "ann", "late"),
        ("remove", "bob", None),
    ]
    assert b"foggy" not in own.read_bytes()
    assert run("log", own, "--id", "2").out.count("removed by bob") == 1
    assert "inserted" not in run("log", own, "--id", "2").out
    assert run("log", own, "--id", "3").out == "No corrections of these cases since the training.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--id", "3"], "Give stored cases with --id"),
        (["--id", "3", "--set", "play"], "--set takes a column and a value"),
        (["--id", "3", "--set", "pla=go"], "Unknown column 'pla'. Did you mean 'play'?"),
        (["--id", "99", "--set", "play=go"], "No stored case has the id 99"),
        (["--id", "3", "--set", "humidity=wet"], "'wet', which is not a number"),
        (["--id", "3", "--set", "play="], "The class is missing"),
        (["SOME"], "--id-column COLUMN"),
        (["SOME", "--id-column", "cas"], "Unknown column 'cas'"),
        (["SOME", "--id-column", "play"], "whole numbers; got 'stay'"),
        (["TWICE", "--id-column", "case"], "given twice: 2"),
        (["OTHER", "--id-column", "case"], "none of the model's columns"),
        (["--id", "3", "--set", "play=go", "--by", " "], "by is text"),
        (["--id", "3", "--set", "play=go", "--id-column", "case"], "go with DATA"),
    ],
)
def test_mistakes_in_updates_are_told_and_the_model_stays(run, own, tmp_path, written, arguments, message):
    """A message, and the file as it was."""
    places = {
        "SOME": written("case,play\n2,stay\n", "some.csv"),
        "TWICE": written("case,play\n2,stay\n2,go\n", "twice.csv"),
        "OTHER": written("case,colour\n2,red\n3,blue\n", "other.csv"),
    }
    before = own.read_bytes()

    done = run("update", own, *(places.get(one, one) for one in arguments))

    assert done.code in (1, 2)
    assert message in done.err
    assert own.read_bytes() == before


def test_learners_that_keep_no_cases_have_none_to_show_or_change(run, weather, tmp_path):
    """The message names those that do."""
    run("train", weather, "-o", tmp_path / "tree.cb", "--learner", "c45")

    assert "A model of c45 keeps no cases" in run("cases", tmp_path / "tree.cb").err
    assert "cannot be corrected" in run("update", tmp_path / "tree.cb", "--id", "3", "--set", "play=go").err
    assert run("log", tmp_path / "tree.cb").out == "No corrections since the training.\n"
