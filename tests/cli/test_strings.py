"""casebase strings and casebase align: train, predict, explain, evaluate, export."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import casebase as cb
from casebase.base.files import read, write
from casebase.cli import cli
from casebase.errors import CasebaseError, ModelFileError
from tests.cli.conftest import APART

WORDS = ["|cat", "|cut", "bla|ck", "si|c", "|city", "|cell", "pen|cil", "|chip", "|chin"]
SOUNDS = ["K", "K", "K", "K", "S", "S", "S", "CH", "CH"]


def run(*arguments, stdin=None):
    result = CliRunner(**APART).invoke(cli, [*map(str, arguments)], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "sounds.txt"
    path.write_text("".join(f"{word}\t{sound}\n" for word, sound in zip(WORDS, SOUNDS)), encoding="utf-8")
    return path


@pytest.fixture
def model(data, tmp_path):
    path = tmp_path / "sounds.cb"
    result = run("strings", "train", data, "-o", path)
    assert "9 strings with places, 3 classes" in result.stderr
    return path


def test_the_commands_say_what_python_says(model, data):
    """Predictions, evidence and export are those of the estimator that reads the file."""
    clf = cb.load(model)
    new = ["|cider", "do|ct"]
    lines = run("strings", "predict", model, "-", stdin="".join(f"{one}\n" for one in new)).stdout.splitlines()
    assert [line.split("\t") for line in lines] == [[one, label] for one, label in zip(new, clf.predict(new))]
    shown = json.loads(run("strings", "explain", model, *new, "--json").stdout)
    assert shown == [one.to_dict() for one in clf.explain(new)]
    assert run("strings", "export", model, "--to", "json").stdout == clf.export("json")
    assert run("inspect", model, "--export", "text").stdout == clf.export()
    assert json.loads(run("strings", "evaluate", model, data, "--json").stdout)["accuracy"] == 1.0
    assert "otherwise → K" in run("inspect", model).stdout


def test_cross_validation_keeps_strings_together(tmp_path):
    """All places of a word are in one fold, so that no rule has seen the word."""
    path = tmp_path / "places.txt"
    path.write_text("".join(f"{w[:i]}|{w[i:]}\t{c}\n" for w in ("ab", "ba", "aa") for i, c in enumerate(w)))
    result = run("strings", "evaluate", path, "--cv", 3, "--by-string", "--no-edges", "--json")

    record = json.loads(result.stdout)
    assert (record["n_strings"], record["n_cases"], len(record["fold_accuracies"])) == (3, 6, 3)


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("|ab\n", (), "line 1.*no class"),
        ("|ab\tP\nab\tQ\n", (), "line 2.*no place"),
        ("|ab\tP\tx\n", (), "weight"),
        ("|ab\tP\t1\t2\n", (), "4 fields"),
        ("", (), "no strings"),
        ("a.b\tP\n", (), "line 1.*full stop"),
        ("|ab\tP\n", ("--separator", "|"), "separator"),
        ("|ab\tP\n", ("--around",), "around"),
    ],
)
def test_wrong_files_are_told_with_their_line(text, options, says, tmp_path):
    """What was expected, and where."""
    path = tmp_path / "wrong.txt"
    path.write_text(text)
    with pytest.raises(CasebaseError, match=says):
        run("strings", "train", path, "-o", tmp_path / "m.cb", *options)


def test_damaged_files_are_refused(model):
    """Each index is checked before it is used."""
    header, arrays = read(model)
    kept = {name: array.copy() for name, array in arrays._arrays.items()}
    changes = {
        "rule.level": lambda a: a * 0,
        "rule.label": lambda a: a + 9,
        "piece.kind": lambda a: a + 5,
        "piece.offset": lambda a: a + 99,
        "string.place": lambda a: a + 99,
        "string.label": lambda a: a[:-1],
        "string.weight": lambda a: -a,
    }
    for name, change in changes.items():
        write(model, header, kept | {name: np.ascontiguousarray(change(kept[name]))})
        with pytest.raises(ModelFileError, match="not a usable model"):
            cb.load(model)
    for name, value in {"default": 9, "classes": [], "letters": {"ab": "K"}, "cost": 0, "has_places": False}.items():
        write(model, header | {name: value}, kept)
        with pytest.raises(ModelFileError, match="not a usable model"):
            cb.load(model)


def test_other_commands_name_the_right_one(model, data):
    """A model of strings is no classifier of tables, has no log, and is not served."""
    with pytest.raises(ModelFileError, match="casebase strings"):
        run("predict", model, data)
    with pytest.raises(CasebaseError, match="no log"):
        run("log", model)


def test_in_scikit_learn():
    """Clones learn the same, and folds of lists and of arrays work."""
    X, y = [*WORDS, *WORDS], [*SOUNDS, *SOUNDS]
    clf = cb.StringRuleClassifier(depth=1, classes={"V": "aeiou"})
    assert clone(clf).get_params() == clf.get_params()
    scores = cross_val_score(clf, X, y, cv=2)
    assert scores.tolist() == cross_val_score(clf, np.array(X), np.array(y), cv=2).tolist()
    assert scores.mean() == 1.0
    fitted = clone(clf).fit(X, y, sample_weight=[1] * 9 + [0] * 9)
    assert fitted.model_.weights.sum() == 9


def test_align_writes_what_the_others_read(tmp_path):
    """Examples for rules over strings, and a table for all other methods."""
    dictionary = tmp_path / "d.txt"
    dictionary.write_text("TAX  T AE1 K S\nTEA  T IY1\nSEA  S IY1\nEAT  IY1 T\nAT  AE1 T\nX  EH1 K S\n")
    result = run("align", dictionary, "-o", tmp_path / "s.txt")
    assert "1 word left out" in result.stderr
    assert "5 words aligned, 14 letters" in result.stderr
    assert run("strings", "train", tmp_path / "s.txt", "-o", tmp_path / "s.cb").exit_code == 0
    assert run("strings", "predict", tmp_path / "s.cb", "-", stdin="ta|x\n").stdout == "ta|x\tK+S\n"
    run("align", dictionary, "--to", "windows", "--window", 1, "-o", tmp_path / "w.tsv")
    assert cb.read_cases(tmp_path / "w.tsv").schema.names == ("l1", "letter", "r1")
    assert run("align", dictionary, "--to", "words", "--stress").stdout.splitlines()[0] == "tax\tT AE1 K+S"
