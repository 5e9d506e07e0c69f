"""Ids name the cases to be corrected; what does not fit is refused, and nothing changes."""

import numpy as np
import pytest

import casebase as cb
from casebase.errors import CasebaseError
from casebase.neighbours import correction

X = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
Y = ["P", "Q", "P", "Q"]


def fitted(ids=None, **options):
    return cb.IB1Classifier(**options).fit(X, Y, ids=ids)


def test_new_cases_are_numbered_on_from_the_largest_id():
    """Without ids, new cases get the numbers behind the largest one that is there."""
    clf = fitted([3, 10, 7, 1])

    clf.insert([["c", "x"], ["c", "y"]], ["P", "Q"])

    assert clf.ids_.tolist() == [3, 10, 7, 1, 11, 12]
    clf.remove([12, 11, 10])
    assert clf.insert([["c", "x"]], ["P"]).ids_.tolist() == [3, 7, 1, 8]


def test_an_updated_case_keeps_its_place():
    """The order of the cases is that of the table in which the row was changed."""
    clf = fitted()

    clf.update([1], [["z", "z"]], ["P"])

    assert clf.ids_.tolist() == [0, 1, 2, 3]
    assert clf.kneighbors([["z", "z"]], 1)[1].tolist() == [[1]]


def test_numbers_far_apart_and_texts_are_found():
    """Ids may be any whole numbers, or text."""
    far = fitted([10**15, -5, 0, 7])
    assert far.remove(np.array([-5, 10**15])).count == 2
    assert far.ids_.tolist() == [0, 7]
    named = fitted(["u", "v", "w", "x"])
    assert named.remove("v").ids == ("v",)
    assert named.insert([["c", "y"]], ["Q"], ids=["v"]).ids_.tolist() == ["u", "w", "x", "v"]


@pytest.mark.parametrize(
    ("correct", "message"),
    [
        (lambda clf: clf.insert([["c", "x"]], ["P"], ids=[2]), "already a case with id 2"),
        (lambda clf: clf.insert([["c", "x"]] * 2, ["P", "P"], ids=[8, 8]), "given twice: 8"),
        (lambda clf: clf.insert([["c", "x"]], ["P"], ids=[8, 9]), "1 cases, 2 ids"),
        (lambda clf: clf.insert([["c", "x"]], ["P"], ids=["eight"]), "whole numbers; got 'eight'"),
        (lambda clf: clf.insert([["c", "x"]], ["P"], ids=[[8]]), "shape"),
        (lambda clf: clf.insert([["c", "x"]], [5]), "stored classes are text"),
        (lambda clf: clf.insert([["c", "x"]], ["P"], sample_weight=[-1]), "[Nn]egative"),
        (lambda clf: clf.insert([["c", "x"]], ["P"], exemplar_weight=[0]), "positive"),
        (lambda clf: clf.insert([["c"]], ["P"]), "features"),
        (lambda clf: clf.remove([0, 17, 18]), "id 17, 18. Nothing was changed"),
        (lambda clf: clf.remove([1, 1]), "given twice: 1"),
        (lambda clf: clf.remove([0, 1, 2, 3]), "cannot be empty"),
        (lambda clf: clf.remove([0.5]), "whole numbers"),
        (lambda clf: clf.update([9], [["c", "x"]], ["P"]), "No stored case has the id 9"),
        (lambda clf: clf.update([1, 2], [["c", "x"]], ["P"]), "2 ids, 1 classes"),
        (lambda clf: clf.update([1], [["c", "x"]], ["P"], sample_weight=[0]), "positive"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_changes(correct, message):
    """The message says what was expected; the memory is as it was."""
    clf = fitted()
    before = clf.model_

    with pytest.raises(ValueError, match=message):
        correct(clf)

    assert clf.model_ is before
    assert clf.fingerprint_ == fitted().fingerprint_


def test_models_that_cannot_be_corrected_say_why():
    """A tree without its cases, and a limit on the features are refused by name."""
    for clf, message in (
        (cb.IGTreeClassifier(keep_cases=False), "keep_cases=False"),
        (cb.IB1Classifier(feature_limit=1), "feature_limit"),
    ):
        clf.fit(X, Y)
        for correct in (
            lambda clf: clf.insert(X, Y),
            lambda clf: clf.remove([0]),
            lambda clf: clf.update([0], X[:1], Y[:1]),
        ):
            with pytest.raises(CasebaseError, match=message):
                correct(clf)
        with pytest.raises(AttributeError, match=message):
            _ = clf.fingerprint_


@pytest.mark.parametrize("name", ["insert", "remove", "update", "partial_fit", "fingerprint_"])
def test_ib2_offers_no_corrections(name):
    """It keeps some cases only: what would always raise is not there."""
    clf = cb.IB2Classifier().fit(X, Y)

    assert not hasattr(clf, name)
    assert name not in dir(clf)


def test_ids_of_text_do_not_go_on_by_themselves():
    with pytest.raises(CasebaseError, match="pass ids"):
        fitted(["u", "v", "w", "x"]).insert([["c", "x"]], ["P"])


def test_ids_survive_the_file(tmp_path):
    """Ids, numbers or text, are those that were given, after any corrections."""
    for ids in ([3, 10, 7, 1], ["u", "v", "w", "x"]):
        clf = fitted(ids)
        clf.remove(ids[:1])
        clf.save(tmp_path / "model.cb")
        loaded = cb.load(tmp_path / "model.cb")
        assert loaded.ids_.tolist() == ids[1:]
        assert loaded.remove(ids[1:2]).count == 1


def test_ids_are_numbers_of_64_bits():
    """A larger number is refused: it was taken for another, and case -1 was removed for 2^64 - 1."""
    clf = fitted([-1, 0, 1, 2])
    with pytest.raises(CasebaseError, match="up to 9223372036854775807"):
        clf.remove(np.array([2**64 - 1], dtype=np.uint64))
    with pytest.raises(CasebaseError, match="up to 9223372036854775807"):
        fitted(np.array([2**63, 0, 1, 2], dtype=np.uint64))
    with pytest.raises(CasebaseError, match="No numbers are left"):
        fitted([2**63 - 1, 0, 1, 2]).insert([["c", "x"]], ["P"])


def test_ids_are_told_apart_by_their_text():
    """In a file ids that are not numbers are text: two that are spelled alike would be one."""
    with pytest.raises(CasebaseError, match="Two cases have the same id"):
        fitted(np.array([1, "1", "a", "b"], dtype=object))


def test_a_single_id_is_no_list():
    with pytest.raises(CasebaseError, match="Expected a list of ids, got 3"):
        fitted().remove(3)


def test_weights_that_do_not_fit_new_cases():
    """Lengths are checked before cases without weight are left out."""
    new = ([["c", "x"], ["c", "y"]], ["P", "Q"])
    with pytest.raises(CasebaseError, match="one exemplar weight per case: 2 cases"):
        fitted().insert(*new, sample_weight=[0, 1], exemplar_weight=[1])
    with pytest.raises(CasebaseError, match="one weight per case: 2 cases"):
        correction.insert(fitted().model_, *new, weights=[0, 1, 1])
    with pytest.raises(CasebaseError, match="one class per case: 2 cases, 3 classes"):
        correction.insert(fitted().model_, new[0], ["P", "Q", "P"], weights=[0, 1, 1])
