"""Corrections are logged: who, when, why, before and after; of an erased case nothing but its id is left."""

import json
import pickle
import re

import numpy as np
import pytest

import casebase as cb
from casebase import methods
from casebase.base import log as logs
from casebase.errors import CasebaseError, ModelFileError

X = [["red", "ball"], ["red", "cube"], ["green", "ball"], ["green", "cube"], ["blue", "ring"]]
Y = ["keep", "keep", "mend", "mend", "sell"]
CLASSIFIERS = [cb.IB1Classifier, cb.IGTreeClassifier, cb.TRIBLClassifier, cb.TRIBL2Classifier, cb.OpinionPoolClassifier]


@pytest.fixture(autouse=True)
def noon(monkeypatch):
    monkeypatch.setattr(logs, "now", lambda: "2024-05-01T12:00:00Z")


def record(*values):
    return dict(zip(("f1", "f2", "class"), values))


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_correction_has_an_entry(classifier, tmp_path):
    """Who, when, why; what each case was before and after; the fingerprints of the memory."""
    clf = classifier().fit(X, Y)
    prints = [clf.fingerprint_]
    clf.insert([["pink", "ring"]], ["sell"], by="ann", note="a new toy")
    prints.append(clf.fingerprint_)
    clf.update([3, 5], [["green", "cone"], ["pink", "ball"]], ["keep", "sell"], by="bob")
    prints.append(clf.fingerprint_)
    clf.update([3], [["green", "cube"]], ["keep"])
    clf.remove([0], by="cyd", note="broken")

    first, second, third, fourth = clf.log_

    assert (first.action, first.by, first.note, first.when) == ("insert", "ann", "a new toy", "2024-05-01T12:00:00Z")
    assert (first.before, first.after, second.before, second.after) == (*prints[:2], *prints[1:])
    # What was inserted is what the update replaced.
    assert first.cases == (logs.CaseChange(5, None, record("pink", "ring", "sell")),)
    assert second.cases == (
        logs.CaseChange(3, record("green", "cube", "mend"), record("green", "cone", "keep")),
        logs.CaseChange(5, record("pink", "ring", "sell"), record("pink", "ball", "sell")),
    )
    assert (second.by, second.note, third.by) == ("bob", None, None)
    assert third.cases == (logs.CaseChange(3, record("green", "cone", "keep"), record("green", "cube", "keep")),)
    assert (fourth.by, fourth.note, fourth.cases) == ("cyd", "broken", (logs.CaseChange(0, None, None),))
    clf.save(tmp_path / "m.cb")
    assert cb.load(tmp_path / "m.cb").log_ == clf.log_ == pickle.loads(pickle.dumps(clf)).log_


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_log_of_an_erased_case_has_no_value_of_it(classifier, tmp_path):
    """Nor have the entries that were made before; values that others have stay."""
    path, traces = tmp_path / "m.cb", [b"secret", b"hidden", b"unheard", b"8.625", b"rare-class"]
    table = [{"name": f"n{i}", "size": float(i)} for i in range(4)]
    clf = classifier().fit(table, ["a", "a", "b", "b"], ids=["one", "two", "three", "four"])
    clf.insert([{"name": "secret", "size": 8.625}], ["rare-class"], ids=["five"], by="ann", note="delivered")
    clf.update(["five", "one"], [{"name": "hidden", "size": 8.625}, {"name": "kept", "size": 0.5}], ["rare-class", "b"])
    clf.update(["five"], [{"name": "unheard", "size": 1.0}], ["a"], by="bob")
    clf.save(path)
    assert [trace for trace in traces if trace not in path.read_bytes()] == []  # the search finds what is there

    clf.remove(["five"], by="cyd", note="consent withdrawn")
    clf.save(path)

    loaded, content = cb.load(path), path.read_bytes()
    assert [trace for trace in traces if trace in content or trace in pickle.dumps(clf)] == []
    assert [(one.by, [case.id for case in one.cases]) for one in loaded.log_] == [
        ("ann", ["five"]),
        (None, ["five", "one"]),
        ("bob", ["five"]),
        ("cyd", ["five"]),
    ]
    assert all(case.is_erased for one in list(loaded.log_)[:3] for case in one.cases if case.id == "five")
    assert loaded.log_[1].cases[1].after["name"] == "kept"


def test_a_case_that_takes_an_old_id_is_another_case():
    """The removed one stays erased; the new one has its own values."""
    clf = cb.IB1Classifier().fit(X, Y)
    clf.update([4], [["blue", "disc"]], ["sell"])
    clf.remove([4])
    clf.insert([["grey", "dice"]], ["keep"], ids=[4])

    updated, removed, inserted = clf.log_

    assert (updated.cases[0].is_erased, updated.cases[0].before, updated.cases[0].after) == (True, None, None)
    assert removed.cases[0].after is None
    assert inserted.cases[0].after == record("grey", "dice", "keep")


def test_weights_and_numbers_are_logged_exactly():
    """Numbers are not rounded, missing values stay missing, cases of weight 0 are not stored."""
    clf = cb.IB1Classifier().fit([[12345.67], [1.5]], [1, 2], sample_weight=[2, 1])
    clf.insert([[0.1], [7.0]], [1, 2], sample_weight=[0, 3])
    clf.update([0], [[float("nan")]], [2], sample_weight=[5])

    inserted, updated = clf.log_

    assert [case.id for case in inserted.cases] == [3]
    assert updated.cases[0].before == {"f1": 12345.67, "class": 1, "weight": 2.0}
    assert updated.cases[0].after == {"f1": None, "class": 2, "weight": 5.0}
    assert "f1 12345.67 → missing, class 1 → 2, weight 2 → 5" in str(updated)


def test_the_text_and_the_json_of_a_log():
    """Each correction in a few lines; JSON has all that the records have."""
    clf = cb.IB1Classifier().fit(X, Y)
    assert str(clf.log_) == "No corrections since the training."
    clf.insert([["pink", "ring"]] * 12, ["sell"] * 12, by="ann", note="new\ntoys")
    clf.remove([5, 6])

    text, printed = str(clf.log_), json.loads(json.dumps(clf.log_.to_dict()))

    assert text.splitlines()[0] == "2024-05-01T12:00:00Z  12 cases inserted by ann: new toys"
    assert "  5  (erased since)\n" in text
    assert "  7  f1 pink, f2 ring, class sell\n" in text
    assert "  … and 2 more cases\n" in text
    assert "2024-05-01T12:00:00Z  2 cases removed by unknown\n  5\n  6\n  before " in text
    assert printed["n_corrections"] == 2
    assert printed["corrections"][0]["cases"][2] == {
        "id": 7,
        "before": None,
        "after": record("pink", "ring", "sell"),
        "is_erased": False,
    }
    assert clf.log_.of([7]).to_dict()["corrections"][0]["cases"] == [printed["corrections"][0]["cases"][2]]


def test_what_is_not_logged():
    """Learning is not correcting: `fit` begins a new log and `partial_fit` writes none; a failed correction neither."""
    clf = cb.IB1Classifier().partial_fit(X, Y)
    clf.partial_fit([["pink", "ring"]], ["sell"])
    assert len(clf.log_) == 0
    clf.insert([["pink", "ring"]], ["sell"])
    with pytest.raises(CasebaseError, match="No stored case has the id 99"):
        clf.remove([99])
    with pytest.raises(CasebaseError, match="by is text"):
        clf.remove([1], by=7)
    with pytest.raises(CasebaseError, match="note is text"):
        clf.update([1], [X[0]], ["keep"], note=" ")
    assert [one.action for one in clf.log_] == ["insert"]

    assert len(clf.fit(X, Y).log_) == 0


def test_a_damaged_log_is_refused(tmp_path):
    """It is read with the model, and checked."""
    clf = cb.IB1Classifier().fit(X, Y)
    path = tmp_path / "m.cb"
    for content in (b"[{}]", b"not json", b'[{"action": "forge", "when": "", "by": null, "note": null, "ids": [], '):
        header, arrays = {}, {}
        methods.method_named("ib1").write(clf.model_, header, arrays)
        header |= {"learner": "ib1", "settings": clf.model_.settings.to_dict(), "estimator": {}}
        methods.write(path, header, arrays | {methods.LOG: np.frombuffer(content, dtype=np.uint8)})

        with pytest.raises(ModelFileError, match="the log of corrections cannot be read"):
            cb.load(path)


def test_the_time_is_that_of_the_clock(monkeypatch):
    """In UTC, to the second."""
    monkeypatch.undo()

    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", logs.now())
