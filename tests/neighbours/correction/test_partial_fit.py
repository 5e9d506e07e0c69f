"""partial_fit as scikit-learn's users expect it."""

import numpy as np
import pandas as pd
import pytest

import casebase as cb
from casebase.errors import CasebaseError

X = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["c", "z"], ["c", "x"]], dtype=object)
Y = np.array(["P", "Q", "P", "Q", "R", "R"])
CLASSIFIERS = [cb.IB1Classifier, cb.IGTreeClassifier, cb.TRIBLClassifier, cb.TRIBL2Classifier]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_parts_give_the_model_of_the_whole(classifier):
    """Cases that come in parts are answered as if they had come at once."""
    clf = classifier()
    for part in (slice(0, 1), slice(1, 4), slice(4, 6)):
        assert clf.partial_fit(X[part], Y[part]) is clf

    whole = classifier().fit(X, Y)
    assert clf.classes_.tolist() == whole.classes_.tolist() == ["P", "Q", "R"]
    np.testing.assert_array_equal(clf.weights_, whole.weights_)
    np.testing.assert_array_equal(clf.predict_proba(X), whole.predict_proba(X))
    assert clf.fingerprint_ == whole.fingerprint_


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_declared_classes_are_there_from_the_start(classifier):
    """Classes that have no case yet have a column of zeros."""
    clf = classifier().partial_fit(X[:4], Y[:4], classes=["R", "Q", "P"])

    assert clf.classes_.tolist() == ["P", "Q", "R"]
    assert clf.predict_proba(X)[:, 2].tolist() == [0.0] * 6
    clf.partial_fit(X[4:], Y[4:], classes=["P", "Q", "R"])
    assert clf.predict(X).tolist() == Y.tolist()


def test_other_classes_than_declared_are_refused():
    """A class that was not declared, and another declaration later, are mistakes."""
    with pytest.raises(CasebaseError, match="'Q', which is not among"):
        cb.IB1Classifier().partial_fit(X, Y, classes=["P", "R"])
    clf = cb.IB1Classifier().partial_fit(X[:4], Y[:4], classes=["P", "Q"])
    with pytest.raises(CasebaseError, match="first call"):
        clf.partial_fit(X[4:], Y[4:], classes=["P", "Q", "R"])
    with pytest.raises(CasebaseError, match="'R', which is not among"):
        clf.partial_fit(X[4:], Y[4:])
    assert clf.fit(X, Y).classes_.tolist() == ["P", "Q", "R"]


def test_weights_count_and_zero_is_no_case():
    """A case of weight n counts as n cases, one of weight 0 is not stored."""
    clf = cb.IB1Classifier().partial_fit(X[:2], Y[:2], sample_weight=[1, 3])
    clf.partial_fit(X[2:], Y[2:], sample_weight=[2, 0, 1, 1])

    whole = cb.IB1Classifier().fit(X, Y, sample_weight=[1, 3, 2, 0, 1, 1])
    assert clf.ids_.tolist() == whole.ids_.tolist() == [0, 1, 2, 4, 5]
    assert clf.fingerprint_ == whole.fingerprint_


@pytest.mark.parametrize("classes", [[1, 2, 3], [1.0, 2.0, 3.0], [True, False, True]])
def test_classes_keep_their_type(classes):
    """Numbers and truth values are answered as such, new ones too."""
    y = np.array(classes)
    clf = cb.IB1Classifier().fit(X[:2], y[:2]).insert(X[4:5], y[2:])

    assert clf.classes_.dtype == y.dtype
    assert clf.predict(X[4:5]).tolist() == y[2:].tolist()


def test_frames_are_matched_by_name():
    """A data frame with its columns in another order says the same."""
    frame = pd.DataFrame(X, columns=["letter", "sign"])
    clf = cb.IGTreeClassifier().fit(frame[:4], Y[:4]).insert(frame[4:][["letter", "sign"]], pd.Series(Y[4:]))

    assert clf.fingerprint_ == cb.IGTreeClassifier().fit(frame, Y).fingerprint_
    with pytest.raises(ValueError, match="feature names"):
        clf.insert(frame.rename(columns={"sign": "mark"}), Y)


def test_exemplar_weights_come_with_cases():
    """A case that is inserted with an exemplar weight is as near as one that was fitted with it."""
    clf = cb.IB1Classifier().fit(X[:2], Y[:2]).insert(X[2:], Y[2:], exemplar_weight=[1, 1, 4, 1])

    whole = cb.IB1Classifier().fit(X, Y, exemplar_weight=[1, 1, 1, 1, 4, 1])
    asked = [["q", "q"], ["c", "y"]]
    np.testing.assert_array_equal(clf.kneighbors(asked, 6)[0], whole.kneighbors(asked, 6)[0])
    assert clf.fingerprint_ == whole.fingerprint_


def test_fractions_of_cases_stay_exact():
    """Weights that are no whole numbers sum to what those of a new fit on the stored ones sum to."""
    draw = np.random.default_rng(1)
    weights = draw.random(6)
    clf = cb.IB1Classifier().fit(X[:1], Y[:1], sample_weight=weights[:1])
    for i in range(1, 6):
        clf.insert(X[i : i + 1], Y[i : i + 1], sample_weight=weights[i : i + 1])

    whole = cb.IB1Classifier().fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(clf.weights_, whole.weights_, rtol=1e-12)
    assert clf.predict(X).tolist() == whole.predict(X).tolist()
