"""Flips in terms of the user's columns and values."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import casebase as cb
from casebase.errors import CasebaseError

N = 60
FRAME = pd.DataFrame(
    {
        "name": [f"guest {i}" for i in range(N)],
        "size": [["low", "medium", "high"][i % 3] for i in range(N)],
        "fare": [(i * 7 % 20) * 0.5 for i in range(N)],
        "children": [i % 4 for i in range(N)],
        "joined": [f"{i % 28 + 1}/{i % 5 + 1}/2024" for i in range(N)],
        "host": "h",
    }
)
BY_SIZE = np.array(["yes" if i % 3 and i % 5 > 1 else "no" for i in range(N)])
BY_DATE = np.array(["late" if i % 5 > 1 else "early" for i in range(N)])
KINDS = dict.fromkeys(FRAME.columns, "auto") | {"size": "ordinal:low,medium,high"}
LEARNERS = [cb.IB1Classifier, cb.C45Classifier, cb.ID3Classifier, cb.IGTreeClassifier, cb.SMILEClassifier,
            cb.CaseForestClassifier, cb.PerceptronTreeClassifier]  # fmt: skip


def applied(flip, row):
    """Return the row with the changes."""
    changed = row.copy()
    for change in flip.changes:
        old = row[change.feature].iloc[0]
        if change.feature == "joined":  # a date is written with two digits for day and month
            old = pd.to_datetime(old, dayfirst=True).strftime("%d/%m/%Y")
        assert change.old == old
        changed[change.feature] = [change.new]
    return changed


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("y", [BY_SIZE, BY_DATE])
def test_changes_are_those_of_the_columns(learner, y):
    """A model that was trained with kinds names columns, ordinals by their texts, and dates as they are written."""
    clf = learner(kinds=KINDS).fit(FRAME, y)
    n_found = 0
    for i in range(0, N, 12):
        row = FRAME.iloc[[i]]
        (flip,) = clf.flip(row)
        assert flip.features == ("size", "fare", "children", "joined")  # a name and a constant are left out
        for change in flip.changes:
            assert change.feature in ("size", "fare", "children", "joined")
            n_found += 1
            if change.feature == "size":
                assert change.new in ("low", "medium", "high")
        if flip.changes:
            assert clf.predict(applied(flip, row)).tolist() == [flip.new_label]
    assert n_found


@pytest.mark.parametrize("learner", [cb.IB1Classifier, cb.C45Classifier])
def test_date_is_one_change(learner):
    """All parts of a date change at once, to a date."""
    clf = learner(kinds=KINDS).fit(FRAME, BY_DATE)
    (flip,) = clf.flip(FRAME.iloc[[0]], frozen=["size", "fare", "children"])
    (change,) = flip.changes

    assert change.feature == "joined"
    assert change.old == "01/01/2024"
    assert clf.predict(FRAME.iloc[[0]].assign(joined=change.new)).tolist() == [flip.new_label]


def test_numbers_that_are_symbols_are_numbers():
    """IGTree tests numbers by their spelling, but a flip has the number."""
    clf = cb.IGTreeClassifier().fit(pd.DataFrame({"x": [0.5, 1.5, 0.5, 2.0]}), ["P", "Q", "P", "Q"])
    (flip,) = clf.flip(pd.DataFrame({"x": [0.5]}))

    assert [(one.old, one.new) for one in flip.changes] == [(0.5, 1.5)]


def test_wanted_class_of_any_type():
    """Classes may be numbers."""
    clf = cb.IB1Classifier().fit([["a"], ["b"], ["c"]], [1, 2, 3])

    assert [one.new_label for one in clf.flip([["a"], ["b"]], to=3)] == [3, 3]
    (already,) = clf.flip([["c"]], to=3)
    assert already.is_wanted_already
    assert not already.is_found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"to": "R"}, "Unknown class 'R'. Known: P, Q."),
        ({"to": ["P"]}, "Unknown class"),
        ({"frozen": ["f9"]}, "Unknown feature 'f9'"),
        ({"frozen": "f9"}, "Unknown feature 'f9'"),
        ({"frozen": [5]}, "There is no feature 5 to freeze: give names, or numbers 0 to 1."),
        ({"frozen": [None]}, "There is no feature None"),
        ({"frozen": 3}, "frozen"),
        ({"limit": 0}, "limit is the largest number of changes: a whole number of at least 1; got 0."),
        ({"limit": 1.5}, "limit is the largest"),
        ({"limit": "many"}, "limit is the largest"),
        ({"budget": 0}, "budget is the number of predictions"),
    ],
)
def test_bad_input_is_named(arguments, message):
    clf = cb.IB1Classifier().fit([["a", "x"], ["b", "y"]], ["P", "Q"])

    with pytest.raises(CasebaseError) as error:
        clf.flip([["a", "x"]], **arguments)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "name", sorted(n for n in cb.__all__ if n.endswith("Classifier") and n != "StringRuleClassifier")
)
def test_small_data(name):
    """One case, one class, duplicates, missing values: no flip is a plain result."""
    learner = getattr(cb, name)
    for rows, labels in (
        ([["a", 1.0]], ["P"]),
        ([["a", 1.0], ["b", 2.0]], ["P", "P"]),
        ([["a", 1.0]] * 4, ["P", "P", "P", "Q"]),
        ([[None, None], ["a", None], [None, 2.0]], ["P", "Q", "P"]),
    ):
        clf = learner().fit(pd.DataFrame(rows, columns=["f", "g"]), labels)
        asked = pd.DataFrame([["zz", np.nan], ["a", 1.0]], columns=["f", "g"])
        for flip in clf.flip(asked):
            assert flip.is_found or flip.proved == 3
        assert not clf.flip(asked[:0])
        (frozen,) = clf.flip(asked[:1], frozen=[0, 1])
        assert not frozen.is_found
        assert frozen.proved == 3


def test_needs_a_fitted_model():
    with pytest.raises(NotFittedError):
        cb.IB1Classifier().flip([["a"]])


def test_loaded_and_corrected_models_flip(tmp_path):
    """Values that no case has any more are not chosen."""
    clf = cb.IB1Classifier().fit([["a"], ["b"], ["c"]], ["P", "Q", "Q"])
    clf.save(tmp_path / "m.cb")
    assert clf.flip([["a"]]) == cb.load(tmp_path / "m.cb").flip([["a"]])
    assert clf.flip([["a"]])[0].changes[0].new == "b"
    clf.remove([1])
    assert clf.flip([["a"]])[0].changes[0].new == "c"
    clf.insert([["aa"]], ["Q"])
    assert clf.flip([["a"]])[0].changes[0].new in ("aa", "c")
