"""Numbers that fit into no memory are refused with a message, in a call and in a model file; or they are taken."""

import numpy as np
import pytest

import casebase as cb
from casebase.base.files import read, write
from casebase.errors import CasebaseError
from casebase.methods import load
from lab.faults.models import ask, make

HUGE = 10**30
SENTENCES = [[("a", "D"), ("cat", "N")], [("the", "D"), ("dog", "N")]]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: cb.IB1Classifier(k=HUGE).fit([["a"], ["b"]], ["P", "Q"]).predict([["a"]]),
            "k is the number of nearest",
        ),
        (lambda: cb.Tagger(beam=HUGE).fit(SENTENCES), "beam is the number of paths"),
        (lambda: cb.Tagger(committee={"certain_from": HUGE}).fit(SENTENCES), "certain_from is a number of occurrences"),
    ],
)
def test_huge_settings_are_refused(ask, message):
    """Regression: the compiled core refused them with a TypeError that names all its arguments."""
    with pytest.raises(CasebaseError, match=message):
        ask()


@pytest.mark.parametrize(
    ("kind", "place"), [("tagger", ("parameters", "beam")), ("tagger", ("settings", "certain_from"))]
)
def test_huge_settings_of_a_file_are_refused(kind, place, tmp_path):
    """Regression: a forged file was loaded, and its first answer was a TypeError."""
    make(kind, tmp_path / "m.cb")
    header, arrays = read(tmp_path / "m.cb", is_mapped=False)
    header[place[0]][place[1]] = HUGE
    write(tmp_path / "forged.cb", header, dict(arrays._arrays))

    with pytest.raises(CasebaseError):
        ask(tmp_path / "forged.cb")


def test_an_opinion_with_a_huge_smoothing_is_refused(tmp_path):
    """Regression: its answers overflowed."""
    make("opinions", tmp_path / "m.cb")
    header, arrays = read(tmp_path / "m.cb", is_mapped=False)
    header["readings"][0]["plan"]["singles"][0]["smoothing"] = 1e308
    write(tmp_path / "forged.cb", header, dict(arrays._arrays))

    with pytest.raises(CasebaseError, match="the plan of an opinion is none"):
        load(tmp_path / "forged.cb")


def test_weights_whose_sum_is_infinite_are_taken():
    """Regression: a bound on the distance was infinity times 0, and was cast to a whole number (see `make forge`)."""
    rows, labels = [["abc", "x"], ["abd", "y"], ["xyz", "x"]], ["P", "Q", "R"]
    clf = cb.IB1Classifier(metric={0: "levenshtein"}, weighting=[1e308, 1.0]).fit(rows, labels)

    assert np.array_equal(clf.predict([["abc", "x"], ["xyy", "x"]]), ["P", "R"])
