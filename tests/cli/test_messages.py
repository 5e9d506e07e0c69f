"""Messages that name what went wrong: a class that nobody named, files in the wrong order, one of something."""

import pytest

from casebase.base.model import format_count
from tests.cli.conftest import WEATHER


def table(label):
    """Return a table whose last column is not the class that was meant."""
    rows = (f"{'xy'[i % 2]},{'pq'[i % 2]},{label(i)}\n" for i in range(100))
    return "shape,kind,last\n" + "".join(rows)


@pytest.mark.parametrize(
    ("label", "doubt"),
    [
        (lambda i: f"name {i}", "Each of the 100 cases has a class of its own."),
        (lambda i: f"k{i // 2}", "There are 50 classes for 100 cases."),
        (lambda i: f"{i // 4}.5", "All 25 classes are numbers with decimals."),
    ],
)
def test_a_class_that_nobody_named_is_doubted(run, written, tmp_path, label, doubt):
    """Training goes on, and says which column it took; with --target nothing is said."""
    data = written(table(label))

    done = run("train", data, "-o", tmp_path / "m.cb", "--learner", "ib1")

    taken = "The class is 'last', the last column, since no other was named; name another one with --target."
    assert f"Warning: {doubt} {taken}\n" in done.err
    assert "class last, header in the first line" in done.err
    assert "Warning" not in run("train", data, "-o", tmp_path / "m.cb", "--learner", "ib1", "--target", "last").err
    assert "Warning" not in run("train", data, "-o", tmp_path / "m.cb", "--learner", "ib1", "--target", "kind").err
    assert doubt in run("evaluate", data, "--learner", "ib1", "--loo").err
    assert doubt in run("weights", data).err


@pytest.mark.parametrize("way", [("--loo",), ("--cv", "3")])
def test_evaluate_names_the_class_that_nobody_named(run, weather, written, way):
    """As `train` does, on standard error, so that JSON stays JSON."""
    done = run("evaluate", weather, "--learner", "ib1", "--json", *way)

    assert done.err == "ib1: 14 cases, 4 features, 2 classes; class play, header in the first line.\n"
    assert "class in column 3, no header." in run("evaluate", written("x,1,P\ny,2,Q\n" * 4), "--loo", "--no-header").err
    assert "class play" not in run("evaluate", weather, "--learner", "ib1", "--target", "play", *way).err


def test_many_classes_with_many_cases_each_are_classes(run, written, tmp_path):
    """As in tables of letters and sounds."""
    data = written(table(lambda i: f"k{i % 25}"))

    assert "Warning" not in run("train", data, "-o", tmp_path / "m.cb", "--learner", "ib1").err


def test_an_error_about_the_class_names_the_column(run, written, tmp_path):
    """A class that is missing in some rows is often not the class that was meant."""
    named = written(table(lambda i: "" if i == 3 else "abc"[i % 3]))
    bare = written("x,1,P\ny,2,\n", "bare.csv")

    done = run("train", named, "-o", tmp_path / "m.cb")
    assert done.code == 1
    assert "The class is missing in 1 case, the first in row 4 of 100. The class is 'last', the last column" in done.err
    assert "The class is column 3, the last column" in run("train", bare, "-o", tmp_path / "m.cb", "--no-header").err
    told = run("train", named, "-o", tmp_path / "m.cb", "--target", "last").err
    assert "missing in 1 case" in told
    assert "the last column" not in told


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", "DATA", "MODEL"],
        ["evaluate", "DATA", "MODEL"],
        ["explain", "DATA", "MODEL"],
        ["insert", "DATA", "MODEL"],
        ["update", "DATA", "MODEL", "--id-column", "x"],
        ["remove", "DATA", "MODEL"],
    ],
)
def test_model_and_data_in_the_wrong_order(run, model, weather, arguments):
    """The message says which file is the model; nothing is written."""
    places = {"DATA": weather, "MODEL": model}

    done = run(*(places.get(one, one) for one in arguments))

    assert done.code == 1
    assert (
        f"MODEL and DATA are exchanged: {model} is a casebase model, and {weather} is not. Give {model} first."
        in done.err
    )
    assert weather.read_text() == WEATHER


@pytest.mark.parametrize(
    ("arguments", "other"),
    [
        (["hyphen", "apply", "DATA", "MODEL"], "WORDS"),
        (["hyphen", "evaluate", "DATA", "MODEL"], "WORDS"),
        (["hyphen", "explain", "DATA", "MODEL"], "WORD"),
        (["hyphen", "correct", "DATA", "MODEL"], "WORD"),
        (["strings", "predict", "DATA", "MODEL"], "DATA"),
        (["strings", "evaluate", "DATA", "MODEL"], "TEST"),
        (["strings", "explain", "DATA", "MODEL"], "STRING"),
        (["tagger", "tag", "DATA", "MODEL"], "TEXT"),
        (["tagger", "evaluate", "DATA", "MODEL"], "CORPUS"),
        (["tagger", "learn", "DATA", "MODEL"], "CORPUS"),
        (["tagger", "explain", "DATA", "MODEL"], "WORD"),
    ],
)
def test_hyphenators_and_taggers_in_the_wrong_order(run, written, tmp_path, arguments, other):
    text, saved = written("rec-ord\nta-ble\n", "words.txt"), tmp_path / "saved.cb"
    corpus = written("the/at man/nn ran/vb ./.\n" * 5, "corpus.txt")
    trained = {"hyphen": text, "strings": written("ab\tP\nba\tQ\n", "strings.txt"), "tagger": corpus}
    assert run(arguments[0], "train", trained[arguments[0]], "-o", saved).code == 0
    before = saved.read_bytes()

    done = run(*({"DATA": text, "MODEL": saved}.get(one, one) for one in arguments))

    assert done.code == 1
    assert (
        f"MODEL and {other} are exchanged: {saved} is a casebase model, and {text} is not. Give {saved} first."
        in done.err
    )
    assert (text.read_text(), saved.read_bytes()) == ("rec-ord\nta-ble\n", before)


@pytest.mark.parametrize("command", ["weights", "select"])
def test_a_model_where_data_is_expected(run, model, command):
    """As before: it is a model, not data."""
    assert "is a casebase model, not data" in run(command, model).err


def test_two_files_of_data_are_no_model(run, weather, written):
    """Nothing was exchanged there."""
    assert "is not a casebase model file" in run("predict", weather, weather).err
    assert "there is no such file" in run("predict", weather.parent / "none.cb", weather).err


def test_one_is_not_several(run, written, tmp_path):
    """A single class, feature or line is not counted as several."""
    classes = "".join(f"{'xy'[i % 2]},k{i % 41:02}\n" for i in range(410))
    wide = "".join(",".join([*("ab"[(i + j) % 2] for j in range(41)), "PQ"[i % 2]]) + "\n" for i in range(4))
    run("train", written(classes, "c.csv"), "-o", tmp_path / "m.cb", "--learner", "ib1", "--no-header")
    assert "… and 1 rarer class; --json" in run("inspect", tmp_path / "m.cb").out
    run("train", written(wide, "w.csv"), "-o", tmp_path / "m.cb", "--learner", "ib1", "--no-header")
    assert "… and 1 lighter feature; --json" in run("inspect", tmp_path / "m.cb").out
    assert format_count(1, "more case") == "1 more case"
    report = run(
        "evaluate",
        written("".join(f"x,k{i % 31:02}\n" for i in range(62)), "e.csv"),
        "--learner",
        "ib1",
        "--loo",
        "--no-header",
    )
    assert "… and 1 smaller class; --json" in report.out
