"""Models are corrected on the command line: cases come from a file, and go by their ids."""

import json

import numpy as np
import pytest

import casebase as cb
from tests.cli.conftest import WEATHER
from tests.model_files import drop_log

MORE = """\
sky,heat,humidity,wind,play
foggy,hot,85.5,no,stay
foggy,mild,60,yes,perhaps
"""


@pytest.fixture
def own(run, weather, tmp_path):
    """A function that trains a model to be changed."""

    def trained(*options):
        path = tmp_path / "own.cb"
        learner = () if "--learner" in options else ("--learner", "ib1")
        assert run("train", weather, "-o", path, *learner, *options).code == 0
        return path

    return trained


@pytest.fixture
def more(tmp_path):
    path = tmp_path / "more.csv"
    path.write_text(MORE)
    return path


@pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl", "tribl2"])
def test_insert_then_train_on_all_write_the_same_file(run, own, more, tmp_path, learner):
    """The corrected file is, byte for byte and but for its log, the one that `train` writes for all cases."""
    model = own("--learner", learner)
    (tmp_path / "all").mkdir()
    both = tmp_path / "all" / "weather.csv"  # the name of the training file is in the model file
    both.write_text(WEATHER + "".join(MORE.splitlines(keepends=True)[1:]))

    done = run("insert", model, more)

    assert done.code == 0
    assert "2 cases inserted" in done.err
    run("train", both, "-o", tmp_path / "both.cb", "--learner", learner)
    drop_log(model)
    assert model.read_bytes() == (tmp_path / "both.cb").read_bytes()


def test_remove_prints_a_receipt(run, own, tmp_path):
    """The receipt has the ids and the two fingerprints; as JSON it is a record."""
    model = own()
    (tmp_path / "ids").write_text("13\n2\n\n")
    before = cb.load(model).fingerprint_

    done = run("remove", model, "--ids", tmp_path / "ids", "--json", "-o", tmp_path / "less.cb")

    receipt = json.loads(done.out)
    assert receipt == {
        "ids": [13, 2],
        "count": 2,
        "before": before,
        "after": cb.load(tmp_path / "less.cb").fingerprint_,
    }
    assert cb.load(model).fingerprint_ == before
    assert len(cb.load(tmp_path / "less.cb").ids_) == 12
    shown = run("remove", model, "--ids", "-", stdin="2\n")
    assert shown.out.splitlines()[0] == "removed  2"
    assert before in shown.out


def test_ids_may_stand_behind_the_model(run, own, tmp_path):
    """Two cases are removed as they are with a file of their ids."""
    model, other = own(), tmp_path / "other.cb"
    (tmp_path / "ids").write_text("3\n5\n")
    by_file = run("remove", model, "--ids", tmp_path / "ids", "-o", other)

    assert run("remove", model, "3", "5").out == by_file.out
    drop_log(model)
    drop_log(other)
    assert model.read_bytes() == other.read_bytes()
    assert "Say which cases" in run("remove", model).err
    assert run("remove", model, "3", "--ids", tmp_path / "ids").code == 2


def test_ids_of_text_from_a_file(run, own, more, tmp_path):
    """Cases are called what a file of ids calls them."""
    (tmp_path / "ids").write_text("".join(f"day {i}\n" for i in range(14)))
    model = own("--ids", tmp_path / "ids")
    (tmp_path / "new").write_text("day x\nday y\n")

    assert run("insert", model, more).code == 1
    assert run("insert", model, more, "--ids", tmp_path / "new").code == 0

    assert cb.load(model).ids_.tolist()[-3:] == ["day 13", "day x", "day y"]
    assert run("remove", model, "--ids", tmp_path / "new").code == 0
    assert len(cb.load(model).ids_) == 14


def test_a_model_of_python_is_corrected_on_the_command_line(run, tmp_path):
    """Classes that are numbers stay numbers."""
    cb.IB1Classifier(vote="inverse_distance").fit([["a", "x"], ["b", "y"]], [1, 2]).save(tmp_path / "model.cb")
    (tmp_path / "more.csv").write_text("c,z,3\n")

    assert run("insert", tmp_path / "model.cb", tmp_path / "more.csv", "--no-header").code == 0

    clf = cb.load(tmp_path / "model.cb")
    assert (clf.vote, clf.classes_.tolist()) == ("inverse_distance", [1, 2, 3])
    assert clf.predict([["c", "z"]]).tolist() == [3]


def test_a_class_that_is_gone_leaves_no_trace_in_the_type(run, tmp_path):
    """The width of the labels is that of the longest that is there."""
    cb.IB1Classifier().fit([["a"], ["b"]], np.array(["P", "a long class"])).save(tmp_path / "model.cb")

    assert run("remove", tmp_path / "model.cb", "--ids", "-", stdin="1\n").code == 0

    assert cb.load(tmp_path / "model.cb").classes_.dtype == "<U1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["insert", "MODEL", "CASES"], "has no class"),
        (["insert", "MODEL", "HEAVY"], "HEAVY: Feature 'humidity' is numeric, but row 1 of 1 has 'heavy'"),
        (["insert", "MODEL", "MORE", "--ids", "NONE"], "Cannot read"),
        (["insert", "MODEL", "MORE", "--ids", "IDS"], "already a case with id 1"),
        (["insert", "NONE", "MORE"], "there is no such file"),
        (["remove", "MODEL", "--ids", "WORDS"], "whole numbers; got 'two' as id 2"),
        (["remove", "MODEL", "two"], "command line: the ids of this model are whole numbers; got 'two' as id 1"),
        (["remove", "MODEL", "--ids", "EMPTY"], "has no ids"),
        (["remove", "MODEL", "--ids", "MANY"], "No stored case has the id 100"),
        (["remove", "MODEL", "--ids", "IDS", "-o", "NONE/model.cb"], "there is no folder"),
    ],
)
def test_mistakes_are_told_and_the_model_stays(run, own, more, tmp_path, arguments, message):
    """A mistake ends in a message and exit code 1; the file is as it was."""
    model = own()
    files = {
        "IDS": "1\n2\n",
        "WORDS": "1\ntwo\n",
        "EMPTY": "\n",
        "HEAVY": "sky,heat,humidity,wind,play\na,b,heavy,c,go\n",
        "MANY": "1\n100\n",
        "CASES": "sky,heat,humidity,wind\na,b,1.5,c\n",
    }
    places = {"MODEL": model, "MORE": more, "NONE": tmp_path / "none", "NONE/model.cb": tmp_path / "none" / "model.cb"}
    for name, text in files.items():
        places[name] = tmp_path / name
        places[name].write_text(text)
    before, listed = model.read_bytes(), sorted(tmp_path.iterdir())

    done = run(*(places.get(a, a) for a in arguments))

    assert done.code == 1
    assert message in done.err
    assert model.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == listed


def test_a_tree_without_cases_is_smaller_and_says_so(run, own, more):
    """Without its cases a tree cannot be corrected; other learners always keep them."""
    with_cases = own("--learner", "igtree").stat().st_size
    model = own("--learner", "igtree", "--no-keep-cases")

    assert model.stat().st_size < with_cases
    assert "keep_cases=False" in run("insert", model, more).err
    assert run("train", more, "-o", model, "--no-keep-cases").code == 2
