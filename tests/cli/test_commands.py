"""What each command does with good input."""

import hashlib
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import click
import pandas as pd
import pytest

import casebase as cb
from casebase import methods
from casebase.cli import cli
from casebase.cli.output import text_width
from casebase.demo import METHODS
from tests.cli.conftest import WEATHER, columns

ANSWERS = [line.split(",")[-1] for line in WEATHER.splitlines()[1:]]


@pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl"])
def test_train_and_predict(run, weather, tmp_path, learner):
    """Every learner knows its training cases."""
    assert run("train", weather, "-o", tmp_path / "m.cb", "--learner", learner).code == 0

    assert run("predict", tmp_path / "m.cb", weather).out.split() == ANSWERS


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", "sunny,hot,swim\nrainy,cold,stay\n", "class swim, header in the first line"),
        ("a.txt", "outlook temp play\nsunny hot swim\n", "class in column 3, no header"),
        ("a.arff", "@relation r\n@attribute f {a}\n@attribute c {P}\n@data\na,P\n", "class c"),
    ],
)
def test_train_says_which_column_is_the_class_and_whether_there_is_a_header(run, written, tmp_path, name, data, said):
    """A case taken for a header, or a header for a case, is seen at once."""
    assert f"; {said}; " in run("train", written(data, name), "-o", tmp_path / "x.cb", "--learner", "ib1").err


@pytest.mark.parametrize(
    "which", [(0, 1, 2, 3), (0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (3, 1, 0, 2), (2, 4, 0, 1, 3)], ids=str
)
def test_predict_finds_columns_by_name(run, model, written, which):
    """With or without the class, in any order: the header tells."""
    assert run("predict", model, written(columns(WEATHER, *which))).out.split() == ANSWERS


@pytest.mark.parametrize("which", [(0, 1, 2, 3), (0, 1, 2, 3, 4)])
def test_predict_without_a_header(run, model, written, which):
    """Columns without names are taken in the order of training."""
    new = "".join(columns(WEATHER, *which).splitlines(True)[1:])

    assert run("predict", model, written(new)).out.split() == ANSWERS


def test_a_single_line_is_a_case_and_no_header(run, model, written):
    """Regression: a first line of known values was taken for a header and lost."""
    assert run("predict", model, written("sunny,cool,70.5,no\n")).out == "go\n"


def test_lines_that_look_like_a_header_are_cases(run, written, tmp_path):
    """Regression: of two lines without repeated values the first was lost."""
    assert run("train", written("a,b,P\nc,d,Q\na,d,P\n"), "--no-header", "-o", tmp_path / "m.cb").code == 0

    assert run("predict", tmp_path / "m.cb", written("c,b\na,d\n")).out.split() == ["Q", "P"]


@pytest.mark.parametrize("new", ["word\nthe\na\n", "the\na\n"])
def test_a_model_of_one_feature(run, written, tmp_path, new):
    """Regression: a file of one column was refused for want of a class."""
    run("train", written("word,tag\nthe,D\na,D2\ndog,N\nthe,D\n"), "-o", tmp_path / "m.cb")

    assert run("predict", tmp_path / "m.cb", written(new)).out.split() == ["D", "D2"]


def test_new_values_that_look_like_a_header(run, model, written):
    """Lines of values that are all new may be taken for a header; the message says how to tell."""
    ran = run("predict", model, written("foggy,warm,damp,some\nmisty,chilly,dry,none\n"))

    assert ran.code == 1
    assert "no column 'sky'" in ran.err
    assert "pass --no-header" in ran.err


def test_header_of_a_text_file_is_recognised(run, written, tmp_path):
    """A model that was trained with --header sees the same header again without being told."""
    data = written("word next tag\nthe dog D\na cat D2\nthe cat D\n", "data.txt")
    run("train", data, "--header", "-o", tmp_path / "m.cb")

    assert run("predict", tmp_path / "m.cb", data).out.split() == ["D", "D2", "D"]


def test_predict_to_a_file(run, model, weather, tmp_path):
    """-o writes the answers there and nothing to standard output."""
    assert run("predict", model, weather, "-o", tmp_path / "out.txt").out == ""
    assert (tmp_path / "out.txt").read_text().split() == ANSWERS


def test_predict_shares(run, model, weather):
    """--proba adds each class with its probability, the largest first."""
    label, *shares = run("predict", model, weather, "--proba").out.splitlines()[0].split("\t")
    numbers = [float(share.split()[1]) for share in shares]

    assert (label, shares[0].split()[0]) == ("stay", "stay")
    assert numbers == sorted(numbers, reverse=True)
    assert sum(numbers) == pytest.approx(1)


def test_predict_json_lines(run, model, weather):
    """--json gives a record a line."""
    records = [json.loads(line) for line in run("predict", model, weather, "--json", "--proba").out.splitlines()]

    assert [record["label"] for record in records] == ANSWERS
    assert all(sum(record["distribution"].values()) == pytest.approx(1) for record in records)


def test_a_table_with_a_header_through_a_pipe_is_read_as_csv(run, tmp_path):
    """The header used to become a case: text with commas and no file name was taken for C4.5."""
    assert run("train", "-", "-o", tmp_path / "m.cb", stdin=WEATHER).code == 0
    assert run("predict", tmp_path / "m.cb", "-", stdin=WEATHER).out.split() == ANSWERS


def test_standard_input(run, tmp_path):
    """'-' stands for standard input, for training and for answering."""
    assert run("train", "-", "-o", tmp_path / "m.cb", "--format", "csv", stdin=WEATHER).code == 0
    assert run("predict", tmp_path / "m.cb", "-", "--format", "csv", stdin=WEATHER).out.split() == ANSWERS


def test_threads_do_not_change_answers(run, model, weather):
    """One thread and two print the same."""
    one, two = (run("predict", model, weather, "--proba", "-j", n).out for n in (1, 2))

    assert one == two


def test_evaluate_a_model(run, model, weather):
    """All training cases are known."""
    ran = run("evaluate", model, weather)

    assert ran.out.splitlines()[0] == "accuracy  1.0000  (14 of 14; 95 % interval 0.7847 to 1.0000)"
    assert "go                  9     ·" in ran.out


def test_numbers_have_their_thousands_apart(run, model, written):
    """In the matrix of confusions as in the table above it."""
    test = written("sky,heat,humidity,wind,play\n" + "overcast,hot,78,no,go\n" * 1200)

    assert run("evaluate", model, test).out.count("1,200") == 5


def test_evaluate_shows_what_is_frequent_first(run, written, tmp_path):
    """Classes by their cases, and of many classes the confusions by their cases."""
    table = "f1,class\n" + "".join(f"v{i},c{i:02}\n" for i in range(13))
    train, asked = written(table, "train.csv"), written(table + "v1,c00\n" + "v2,c05\n" * 3, "asked.csv")
    assert run("train", train, "-o", tmp_path / "m.cb", "--learner", "ib1").code == 0
    scores, confusions = run("evaluate", tmp_path / "m.cb", asked).out.split("confusions")

    assert [line.split()[0] for line in scores.splitlines() if line.startswith("c0")][:2] == ["c05", "c00"]
    assert [line.split() for line in confusions.splitlines() if line.startswith("c0")] == [
        ["c05", "c02", "3"],
        ["c00", "c01", "1"],
    ]


def test_evaluate_as_json(run, model, weather):
    """The report is one JSON record."""
    record = json.loads(run("evaluate", model, weather, "--json").out)

    assert (record["n_cases"], record["n_correct"], record["accuracy"]) == (14, 14, 1.0)
    assert record["confusion"] == [[9, 0], [0, 5]]


@pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl"])
@pytest.mark.parametrize("how", [("--cv", "7"), ("--loo",)])
def test_evaluate_without_a_model(run, weather, learner, how):
    """Cross-validation and leaving one out answer every case once."""
    record = json.loads(run("evaluate", weather, "--learner", learner, *how, "--json").out)

    assert record["n_cases"] == 14
    assert sum(map(sum, record["confusion"])) == 14


def test_leave_one_out_is_cross_validation_with_a_fold_per_case(run, weather):
    """The quick way for IB1 gives what refitting gives."""
    quick = json.loads(run("evaluate", weather, "--loo", "--learner", "ib1", "-k", "3", "--json").out)
    slow = json.loads(run("evaluate", weather, "--cv", "14", "--learner", "ib1", "-k", "3", "--json").out)

    assert quick["confusion"] == slow["confusion"]


def test_seed_changes_folds_only(run, weather):
    """The same seed gives the same folds."""
    first, again, other = (run("evaluate", weather, "--cv", "3", "--seed", s, "--json").out for s in (1, 1, 2))

    assert first == again
    assert json.loads(first)["n_cases"] == json.loads(other)["n_cases"]


@pytest.mark.parametrize("learner", ["ib1", "rules"])
def test_folds_and_learner_have_one_random_state(run, weather, learner):
    """`--seed` and `--random-state` are the same option, whether or not the learner has a use for it."""
    options = ("evaluate", "--learner", learner, weather, "--cv", "3", "--json")
    by_either = [run(*options, name, 5).out for name in ("--seed", "--random-state")]

    assert by_either[0] == by_either[1]
    assert json.loads(by_either[0])["n_cases"] == 14


def test_every_command_with_a_seed_takes_it_by_both_names():
    """What is a seed in one command is a random state in no other."""
    seeds = {"--seed", "--random-state"}
    taken = [seeds & set(option.opts) for command in all_commands(cli) for option in command.params]

    assert {frozenset(names) for names in taken if names} == {frozenset(seeds)}


def test_every_option_of_every_command_has_a_help_text():
    """`--tags-shown` of the tagger had none."""
    silent = [
        f"{command.name} {option.opts[0]}"
        for command in all_commands(cli)
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]

    assert silent == []


def all_commands(command: click.Command) -> list[click.Command]:
    if not isinstance(command, click.Group):
        return [command]
    context = click.Context(command)
    found = [command.get_command(context, name) for name in command.list_commands(context)]
    return [each for one in found if one is not None for each in all_commands(one)]


def test_a_class_seen_only_in_the_test_file(run, model, written):
    """It counts as a wrong answer and has a row of its own."""
    record = json.loads(run("evaluate", model, written(WEATHER.replace("65,yes,go", "65,yes,hide")), "--json").out)

    assert record["labels"] == ["go", "hide", "stay"]
    assert record["n_correct"] == 13
    assert record["per_class"][1] == {
        "label": "hide",
        "precision": None,
        "recall": 0.0,
        "f_score": 0.0,
        "n_actual": 1,
        "n_answered": 0,
    }


def test_classes_that_look_like_numbers(run, written, tmp_path):
    """Regression: a class column of 1.0 and 2.0 that is not the last was compared as 1 and 2."""
    data = written("class,word\n1.0,a\n2.0,b\n1.0,a\n")
    run("train", data, "--target", "class", "-o", tmp_path / "m.cb")

    assert run("evaluate", tmp_path / "m.cb", data).out.startswith("accuracy  1.0000")


def test_evaluate_a_model_of_float_classes(run, written, tmp_path):
    """Classes learned in Python as numbers are found in a file by their spelling."""
    cb.IB1Classifier().fit([["a"], ["b"]], [1.0, 2.0]).save(tmp_path / "m.cb")

    assert run("evaluate", tmp_path / "m.cb", written("a,1\nb,2\n"), "--no-header").out.startswith("accuracy  1.0000")


def test_options_of_training_do_not_go_with_a_model(run, model, weather):
    """Regression: an option of the learner beside a model was ignored without a word."""
    ran = run("evaluate", model, weather, "--time-budget", "3")

    assert ran.code == 2
    assert "--time-budget goes with --cv or --loo" in ran.err


def test_options_of_another_learner_are_refused(run, weather, tmp_path):
    """Regression: --switch was ignored by learners that have none."""
    ran = run("train", weather, "-o", tmp_path / "m.cb", "--learner", "ib1", "--switch", "2")

    assert ran.code == 2
    assert "--switch has no meaning for the learner ib1" in ran.err


def test_explain_one_case(run, model):
    """A case may be typed with blanks or commas."""
    blanks, commas = (run("explain", model, "--case", case) for case in ("sunny hot 85.5 no", "sunny,hot,85.5,no"))

    assert blanks.code == 0
    assert blanks.out == commas.out
    assert blanks.out.startswith("play = stay: an identical record (0) says so; ")


def test_explain_as_json_is_what_python_gives(run, model, weather):
    """--json prints the records of `explain`."""
    records = json.loads(run("explain", model, weather, "--json", "--limit", "3").out)
    rows = [line.split(",")[:4] for line in WEATHER.splitlines()[1:]]
    loaded = cb.load(model)
    evidence = loaded.model_.explain(loaded.model_.schema.encode([[*r[:2], float(r[2]), r[3]] for r in rows]), limit=3)

    assert [record.pop("actual") for record in records] == [line.split(",")[4] for line in WEATHER.splitlines()[1:]]
    assert records == [_without_actual(record.to_dict()) for record in evidence]


def _without_actual(record):
    """Return a record as JSON has it; Python does not know the class of a query."""
    assert record.pop("actual") is None
    return json.loads(json.dumps(record))


def test_explain_marks_wrong_predictions(run, model, weather, tmp_path):
    """Where the file has the classes, each prediction is said to be right or wrong; a class that is new is quoted."""
    table = tmp_path / "checked.csv"
    table.write_text("".join(WEATHER.splitlines(keepends=True)[:3]).replace("yes,stay", "yes,swim"))

    text = run("explain", model, table).out
    page = run("explain", model, table, "--html", "-").out

    assert "  right: the class of the query is stay\n" in text
    assert "  wrong: the class of the query is swim\n" in text
    assert "1 of 2 predictions with a known class are right." in page
    assert "✗ wrong: swim" in page
    assert "the class of the query" not in run("explain", model, "--case", "sunny hot 85.5 no").out


def test_a_page_can_be_filed(run, model, weather):
    """It says what was predicted by which model from which file, and when."""
    page = run("explain", model, weather, "--html", "-", "--first", "3").out

    about = dict(re.findall("<div><dt>(.*?)</dt><dd>(.*?)</dd></div>", page.partition("</dl>")[0]))
    assert list(about) == [
        "Class variable",
        "Learner",
        "Settings",
        "Training data",
        "Records",
        "Fingerprint",
        "Queries",
        "Model file",
        "casebase",
        "Date",
    ]
    assert about["Class variable"] == "play (go, stay)"
    assert about["Queries"] == f"the first 3 of 14 queries in {Path(weather).name}"
    assert about["Model file"] == f"{Path(model).name} (SHA-256 {hashlib.sha256(Path(model).read_bytes()).hexdigest()})"


def test_a_model_remembers_the_name_of_its_data(run, model, weather, tmp_path):
    """The name, not the path; corrections and estimators keep it, and a new fit forgets it."""
    name, moved, again = Path(weather).name, tmp_path / "moved.cb", tmp_path / "again.cb"

    def trained_on(model):
        page = run("explain", model, weather, "--html", "-", "--first", "1").out
        return re.findall("<dt>Training data</dt><dd>(.*?)</dd>", page)

    run("insert", model, weather, "-o", moved)
    clf = cb.load(moved)
    clf.save(again)
    assert trained_on(model) == [name]
    assert trained_on(moved) == trained_on(again) == [f"{name}, and 1 correction since"]
    assert f"learned from 14 cases ({name}); " in run("inspect", model).out
    assert f"learned from 28 cases ({name}, and 1 correction since); " in run("inspect", moved).out
    asked = pd.read_csv(weather).drop(columns="play")[:1]
    assert clf.explain(asked).about["Training data"].startswith(name)
    clf.fit([["a"], ["b"]], ["P", "Q"]).save(again)
    assert "Training data" not in clf.explain([["a"]]).about
    assert methods.load(again).data_file is None
    assert str(Path(weather).parent) not in str(methods.load(moved).estimator)


def test_text_is_as_wide_as_the_terminal(run, model, monkeypatch):
    """A terminal gets its own width; what is piped has 100 columns wherever it was made."""
    monkeypatch.setattr("shutil.get_terminal_size", lambda **_: os.terminal_size((50, 24)))
    piped = run("explain", model, "--case", "sunny hot 85.5 no").out
    monkeypatch.setattr("casebase.cli.evidence.text_width", lambda: 50)
    narrow = run("explain", model, "--case", "sunny hot 85.5 no").out

    assert 50 < max(map(len, piped.splitlines())) <= 100
    assert max(map(len, narrow.splitlines())) <= 50


def test_the_width_of_a_terminal(monkeypatch):
    """Only a terminal has a width of its own."""
    monkeypatch.setattr("shutil.get_terminal_size", lambda **_: os.terminal_size((50, 24)))
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True))
    assert text_width() == 50
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: False))
    assert text_width() == 100


def test_explain_as_a_page(run, model, weather, tmp_path, monkeypatch):
    """--html writes a page, or prints it for '-'."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert run("explain", model, weather, "--html", tmp_path / "why.html").out == ""
    page = (tmp_path / "why.html").read_text()

    assert page.lower().startswith("<!doctype html")
    assert run("explain", model, weather, "--html", "-").out == page


def test_explain_as_json_and_as_a_page(run, model, weather, tmp_path):
    """Both are asked for, so both are there; the page was silently left out."""
    page = tmp_path / "why.html"

    ran = run("explain", model, weather, "--json", "--html", page)

    assert (len(json.loads(ran.out)), ran.err) == (14, f"Written to {page}.\n")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert "both write to standard output" in run("explain", model, weather, "--json", "--html", "-").err


def test_explain_shows_the_first_cases(run, model, weather):
    """--first bounds how many answers are explained, and the rest is mentioned."""
    ran = run("explain", model, weather, "--first", "2")

    assert ran.out.count("\n\nplay = stay: ") == 1
    assert "12 more cases" in ran.err


@pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl"])
def test_inspect(run, weather, tmp_path, learner):
    """What is in the file, for people and for programs."""
    run("train", weather, "-o", tmp_path / "m.cb", "--learner", learner)
    record = json.loads(run("inspect", tmp_path / "m.cb", "--json").out)

    assert record["learner"] == learner
    assert record["n_cases"] == 14
    assert record["target"] == "play"
    assert [feature["name"] for feature in record["features"]] == ["sky", "heat", "humidity", "wind"]
    assert run("inspect", tmp_path / "m.cb").out.startswith(f"{learner} model, ")


def test_weights(run, weather):
    """Relevance by all measures, the most relevant first."""
    records = json.loads(run("weights", weather, "--json").out)
    lines = run("weights", weather).out.splitlines()

    assert {r["feature"]: round(r["information_gain"], 3) for r in records}["sky"] == 0.247
    assert lines[0].split()[:3] == ["feature", "kind", "values"]
    assert len(lines) == 5


def test_weights_by_relief(run, weather, monkeypatch):
    """RELIEF stands beside the other measures; of a table that is too large a sample is asked, and that is said."""
    records = json.loads(run("weights", weather, "--json").out)
    assert all(-1 <= record["relief"] <= 1 for record in records)
    monkeypatch.setattr("casebase.cli.weights.N_DIFFERENCES", 14 * 4 * 5)
    result = run("weights", weather, "--json")

    assert result.err == "relief: from 5 of the 14 cases, drawn at random\n"
    assert [r["relief"] for r in json.loads(result.out)] != [r["relief"] for r in records]


def test_relief_is_a_weighting(run, weather, tmp_path):
    """Models can be trained with it; leave-one-out refuses it and says what to do."""
    assert run("train", weather, "-o", tmp_path / "m.cb", "--learner", "ib1", "--weighting", "relief").code == 0
    assert run("evaluate", weather, "--cv", "3", "--learner", "ib1", "--weighting", "relief").code == 0
    result = run("evaluate", weather, "--loo", "--learner", "ib1", "--weighting", "relief")

    assert result.code == 1
    assert "Cross-validate instead" in result.err


def test_demo_as_json(run):
    """The demo compares the methods on three tables."""
    records = json.loads(run("demo", "--json").out)

    assert len(records) == 3 * len(METHODS)
    assert all(0.5 < record["accuracy"] <= 1 for record in records)


def test_demo(run):
    """The demo ends with the evidence for one answer."""
    assert "cost of ≠" in run("demo").out


@pytest.mark.parametrize(
    ("metric", "kinds"),
    [
        ("overlap", ["symbolic", "symbolic", "numeric"]),
        ("age=numeric", ["symbolic", "numeric", "numeric"]),
        ("age=numeric,size=overlap,sky=ignored", ["ignored", "numeric", "symbolic"]),
    ],
)
def test_metric_by_feature(run, written, tmp_path, metric, kinds):
    """Whole numbers are symbols and fractions numbers, unless said otherwise."""
    data = written("sky,age,size,class\na,10,1.5,P\nb,20,2,Q\na,30,3,P\n")
    assert run("train", data, "-o", tmp_path / "m.cb", "--learner", "ib1", "--metric", metric).code == 0
    record = json.loads(run("inspect", tmp_path / "m.cb", "--json").out)

    assert [feature["kind"] for feature in record["features"]] == kinds


def test_weights_may_be_given(run, weather, tmp_path):
    """Numbers instead of the name of a measure."""
    run("train", weather, "-o", tmp_path / "m.cb", "--learner", "ib1", "--weighting", "1,0,2.5,1")
    record = json.loads(run("inspect", tmp_path / "m.cb", "--json").out)

    assert [feature["weight"] for feature in record["features"]] == [1, 0, 2.5, 1]


@pytest.mark.parametrize("target", ["play", "5", "-1"])
def test_target_by_name_and_number(run, weather, tmp_path, target):
    """Columns are counted from 1, or from -1 backwards."""
    assert run("train", weather, "-o", tmp_path / "m.cb", "--target", target).code == 0

    assert run("predict", tmp_path / "m.cb", weather).out.split() == ANSWERS


def test_parquet(run, tmp_path):
    """A Parquet file is read like any other."""
    import pyarrow.csv
    import pyarrow.parquet

    (tmp_path / "w.csv").write_text(WEATHER)
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(tmp_path / "w.csv"), tmp_path / "w.parquet")
    assert run("train", tmp_path / "w.parquet", "-o", tmp_path / "m.cb").code == 0

    assert run("predict", tmp_path / "m.cb", tmp_path / "w.parquet").out.split() == ANSWERS


@pytest.mark.parametrize(
    ("options", "data", "new"),
    [
        (["--format", "sparse"], "(1,a)(3,b) P\n(2,a) Q\n", "(1,a)(3,b)\n(2,a)\n"),
        (["--format", "binary"], "1,3,P\n2,Q\n", "1,3\n2\n"),
        (["--format", "compact", "--width", "1"], "abP\ncdQ\n", "ab\ncd\n"),
        (["--format", "c45"], "a, b, P.\nc, d, Q.\n", "a, b\nc, d\n"),
        (["--format", "tabbed"], "a\tb\tP\nc\td\tQ\n", "a\tb\nc\td\n"),
        (["--format", "columns"], "a b P\nc d Q\n", "a b\nc d\n"),
    ],
    ids=lambda value: value[1] if isinstance(value, list) else "",
)
def test_formats_with_and_without_a_class(run, written, tmp_path, options, data, new):
    """Regression: sparse and binary files without a class could not be answered."""
    assert run("train", written(data, "data"), "-o", tmp_path / "m.cb", *options).code == 0

    assert run("predict", tmp_path / "m.cb", written(data, "data"), *options).out.split() == ["P", "Q"]
    assert run("predict", tmp_path / "m.cb", written(new, "new"), *options).out.split() == ["P", "Q"]


def test_windows_line_ends(run, model, written):
    """CRLF is a line end."""
    assert run("predict", model, written(WEATHER.replace("\n", "\r\n"))).out.split() == ANSWERS


def test_models_of_the_command_line_load_in_python(model):
    """`cb.load` gives an estimator with the names and parameters of the command."""
    loaded = cb.load(model)

    assert isinstance(loaded, cb.IB1Classifier)
    assert loaded.feature_names_in_.tolist() == ["sky", "heat", "humidity", "wind"]
    assert loaded.get_params()["weighting"] == "gain_ratio"


def test_models_of_python_answer_on_the_command_line(run, weather, tmp_path):
    """A model saved in Python predicts a file by the names of its columns."""

    frame = pd.read_csv(weather)
    fitted = cb.IB1Classifier().fit(frame.drop(columns="play"), frame["play"])
    fitted.save(tmp_path / "m.cb")

    assert run("predict", tmp_path / "m.cb", weather).out.split() == ANSWERS
    assert run("evaluate", tmp_path / "m.cb", weather).out.startswith("accuracy  1.0000")
    assert json.loads(run("inspect", tmp_path / "m.cb", "--json").out)["target"] == "play"


def test_many_classes_are_cut_off_with_a_remark(run, written):
    """A report of many classes shows the largest and says where the rest is."""
    data = written("f,class\n" + "".join(f"v{i},c{i}\n" for i in range(40)) * 2)
    out = run("evaluate", data, "--learner", "ib1", "--cv", "2").out

    assert "10 smaller classes; --json has them all" in out
    assert "accuracy  1.0000" in out


def test_values_that_look_like_markup_are_printed_as_they_are(run, written, tmp_path):
    """Square brackets are data, not colours."""
    data = written("[bold]f,class\nx,[red]P\ny,[/]Q\nx,[red]P\ny,[/]Q\n")
    assert run("train", data, "-o", tmp_path / "m.cb").code == 0

    assert "[red]P" in run("evaluate", tmp_path / "m.cb", data).out
    assert "[bold]f" in run("inspect", tmp_path / "m.cb").out


WEIGHTS = "# gr\n# Fea.\tWeight\n1\t0.5\n2\tIgnore\n3\t2\n4\t1\n#\n# ig\n1\t1\n2\t2\n3\t3\n4\t4\n#\n"


@pytest.mark.parametrize(
    ("section", "expected"), [("", [0.5, 0, 2, 1]), (":ig", [1, 2, 3, 4]), (":information_gain", [1, 2, 3, 4])]
)
def test_weights_may_come_from_a_file(run, weather, written, tmp_path, section, expected):
    """In TiMBL's form; the section is gain ratio unless it is named, by TiMBL's name or ours."""
    path = written(WEIGHTS, "weather.wgt")
    assert (
        run("train", weather, "-o", tmp_path / "m.cb", "--learner", "ib1", "--weighting", f"{path}{section}").code == 0
    )
    record = json.loads(run("inspect", tmp_path / "m.cb", "--json").out)

    assert [feature["weight"] for feature in record["features"]] == expected


def test_weights_written_by_timbls_command_are_read(run, written, tmp_path, monkeypatch):
    """What -W writes, --weighting reads."""
    monkeypatch.chdir(tmp_path)
    written("a x P\na y P\nb x Q\n", "toys")
    assert run("timbl", "-f", "toys", "-t", "toys", "-W", "toys.wgt").code == 0
    assert run("train", "toys", "-o", "m.cb", "--learner", "ib1", "--weighting", "toys.wgt:gr").code == 0
    record = json.loads(run("inspect", "m.cb", "--json").out)

    assert [round(feature["weight"], 6) for feature in record["features"]] == [1, 0.274018]


@pytest.mark.parametrize(
    ("content", "asked", "message"),
    [
        (WEIGHTS, "w.wgt:gian_ratio", "Did you mean 'gain_ratio'?"),
        (WEIGHTS, "w.wgt:sv", "w.wgt: there is no section sv. Sections of this file: gr, ig."),
        (WEIGHTS, "v.wgt", "there is no file v.wgt. Expected the name of a measure (none, "),
        (WEIGHTS, "gone/w:ig", "there is no file gone/w."),
        ("# gr\n1 1\n2 2\n", "w.wgt", "one weight per feature (4)"),
        ("1 1\n2 2\n999999999 3\n", "w.wgt", "w.wgt, line 3: expected features 1 to 3, got feature 999999999."),
        ("1 1\n2 x\n", "w.wgt", "w.wgt, line 2: expected the number of a feature and its weight"),
    ],
)
def test_a_weights_file_that_does_not_fit_is_refused(
    run, weather, written, tmp_path, monkeypatch, content, asked, message
):
    """With the file, the line, and what there is; nothing is saved."""
    monkeypatch.chdir(tmp_path)
    written(content, "w.wgt")
    ran = run("train", weather, "-o", "m.cb", "--learner", "ib1", "--weighting", asked)

    assert ran.code == 1
    assert message in ran.err
    assert not (tmp_path / "m.cb").exists()


@pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl", "tribl2", "ib2"])
def test_predict_shares_as_the_model_normalises_them(run, weather, tmp_path, learner):
    """Regression: shares were always those of the votes as they are."""
    run("train", weather, "-o", tmp_path / "m.cb", "--learner", learner, "--normalisation", "1")
    record = json.loads(run("predict", tmp_path / "m.cb", weather, "--proba", "--json").out.splitlines()[0])
    asked = {"sky": "sunny", "heat": "hot", "humidity": 85.5, "wind": "no"}
    first = cb.load(tmp_path / "m.cb").predict_proba([asked])[0]

    assert list(record["distribution"].values()) == pytest.approx(first)
    assert min(record["distribution"].values()) > 0
