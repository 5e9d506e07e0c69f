"""The list of explanations: a list, with a short text, a notebook form, and what it is about."""

import pickle

import numpy as np
import pandas as pd
import pytest

import casebase as cb
from casebase.about import about_file, about_model, about_now
from casebase.base.evidence import Explanations
from casebase.methods import METHODS
from tests.base.evidence import records
from tests.base.evidence.test_html import EVIL, parsed

ROWS = pd.DataFrame({"sky": list("aabbcc") * 3, "wind": list("xyxyxy") * 3})
CLASSES = pd.Series(list("PQPQPP") * 3, name="play")


@pytest.fixture(scope="module")
def explained():
    return cb.IB1Classifier().fit(ROWS, CLASSES).explain(ROWS)


def test_it_is_a_list(explained):
    """What took a list takes it, and a part of it is like it."""
    assert isinstance(explained, list)
    assert list(explained) == explained
    assert len(explained) == 18
    assert isinstance(explained[:2], Explanations)
    assert explained[:2].about == explained.about
    assert explained[0].label == "P"


def test_printed_it_is_short(explained):
    """A line for each of the first ten predictions, with its support."""
    lines = str(explained).splitlines()

    assert lines[0] == "18 predictions of play"
    assert lines[1] == "  [0]  P  3 of 3 votes"
    assert len(lines) == 12
    assert lines[-1] == "  … and 8 more"
    assert repr(explained) == str(explained)


def test_right_and_wrong_are_printed():
    """Where the class of a query is known, its line says whether the prediction is right."""
    listed = Explanations([records.tree().with_actual("P"), records.tree().with_actual("Q"), records.tree()])

    assert str(listed).splitlines()[1:] == [
        "  [0]  P  3 of 4 records  right",
        "  [1]  P  3 of 4 records  wrong",
        "  [2]  P  3 of 4 records",
    ]


def test_an_empty_list_and_words():
    """No query is no prediction; a word stands before its prediction."""
    assert str(Explanations()) == "0 predictions"
    assert "  [0]  dog: N  in the lexicon" in str(Explanations([records.tag()]))
    parsed(Explanations()._repr_html_())


def test_a_notebook_shows_a_list_to_open(explained):
    """Some dozens of predictions, folded, without a script; the others are counted."""
    html = explained._repr_html_()

    parsed(html)
    assert html.count("<details") == 18
    assert "18 predictions of play" in html
    assert "<script" not in html
    assert "… and 40 more predictions" in Explanations([records.tree()] * 100)._repr_html_()


def test_a_pickle_holds_text_and_no_model(explained):
    """What the list is about is written out, so that the model need not travel with it."""
    copy = pickle.loads(pickle.dumps(explained))

    assert copy == explained
    assert copy.about == explained.about
    assert b"casebase.neighbours.ib1" not in pickle.dumps(explained)


def test_a_page_of_the_list_says_what_it_is_about(explained):
    """Everything that is needed to file it."""
    page = cb.render_html(explained)

    for name in ("Class variable", "Learner", "Settings", "Records", "Fingerprint", "casebase", "Date"):
        assert f"<dt>{name}</dt>" in page
    assert "<dd>play (P, Q)</dd>" in page
    assert f"<dd>{cb.__version__}</dd>" in page
    parsed(page)


@pytest.mark.parametrize("name", METHODS)
def test_every_model_can_be_filed(name, tmp_path):
    """A model and its file have the same entries, other data another fingerprint; records have the class variable."""
    kind = getattr(cb, METHODS[name].estimator)
    settings = {"depth": 1, "noise": 0.5} if name == "rules" else {}
    clf, other = (kind(**settings).fit(ROWS, labels) for labels in (CLASSES, list("PPPQPP") * 3))
    clf.save(tmp_path / "m.cb")

    about = about_model(clf.model_)
    assert about == about_model(cb.load(tmp_path / "m.cb").model_)
    assert about["Fingerprint"] != about_model(other.model_)["Fingerprint"]
    assert about["Class variable"] == "play (P, Q)"
    assert {one.target for one in clf.explain([["a", "x"], ["new", "x"], ["a", "new"]])} == {"play"}


def test_the_fingerprint_is_that_of_the_estimator():
    """A page can be compared with the memory that it speaks of."""
    clf = cb.IB1Classifier().fit(ROWS, CLASSES)

    assert clf.explain(ROWS).about["Fingerprint"] == f"{clf.fingerprint_} (of the records)"


def test_a_file_has_the_checksum_of_other_programs(tmp_path):
    """SHA-256 of "abc", as published."""
    (tmp_path / "m.cb").write_bytes(b"abc")

    assert about_file(tmp_path / "m.cb") == {
        "Model file": "m.cb (SHA-256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad)"
    }


def test_the_date_can_be_fixed():
    """Pages that are built again can be compared."""
    assert about_now({"SOURCE_DATE_EPOCH": "86400"})["Date"] == "1970-01-02 00:00 UTC"


def test_anything_can_be_a_class_variable():
    """Its name is escaped like all data."""
    listed = cb.IB1Classifier().fit(ROWS, CLASSES.rename(EVIL)).explain(ROWS[:2])

    assert "<script" not in listed._repr_html_() + cb.render_html(listed)
    assert str(listed).startswith("2 predictions of <script>")


@pytest.mark.parametrize("k", [1, 3])
def test_the_number_of_records_for_the_prediction_is_counted(k):
    """Also of those that are not listed."""
    draw = np.random.default_rng(k)
    frame = pd.DataFrame(draw.integers(0, 3, (60, 3)).astype(str), columns=list("abc"))
    clf = cb.IB1Classifier(k=k).fit(frame, draw.integers(0, 2, 60))

    for some, all_ in zip(clf.explain(frame, limit=1), clf.explain(frame, limit=99)):
        assert some.n_for == sum(near.label == all_.label for near in all_.neighbours) == all_.votes[all_.label]
