"""What the classifiers answer: labels, shares of the votes, scores."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import casebase as cb
from casebase.errors import CasebaseError

NEW = [["foggy", "hot", "no"], ["sunny", "cool", "yes"], ["rainy", "hot", "maybe"]]


def test_stored_cases_are_answered_with_their_class(classifier, weather):
    """Rows that differ and are stored are all known."""
    rows, labels = weather

    assert classifier().fit(rows, labels).predict(rows).tolist() == labels


def test_shares_sum_to_one(classifier, weather):
    """Each row of probabilities is a distribution over the classes."""
    rows, labels = weather
    shares = classifier().fit(rows, labels).predict_proba(NEW)

    assert shares.shape == (3, 2)
    assert (shares >= 0).all()
    assert shares.sum(axis=1) == pytest.approx(1)


def test_columns_of_shares_are_in_the_order_of_the_classes(classifier, weather):
    """The class with a sole vote stands where `classes_` has it."""
    rows, labels = weather
    model = classifier().fit(rows, labels)

    assert model.classes_.tolist() == ["go", "stay"]
    assert model.classes_[model.predict_proba(NEW).argmax(axis=1)].tolist() == model.predict(NEW).tolist()


def test_shares_by_hand():
    """Two of three identical cases say P."""
    model = cb.IB1Classifier(normalisation="probability").fit([["a"], ["a"], ["a"], ["b"]], ["P", "Q", "P", "Q"])

    assert model.predict_proba([["a"], ["b"]]).tolist() == [[2 / 3, 1 / 3], [0.0, 1.0]]


def test_score_is_the_share_of_right_answers(weather):
    """Three of four labels agree with the answers."""
    rows, labels = weather
    model = cb.IB1Classifier().fit(rows, labels)

    assert model.score(rows[:4], [*labels[:3], "stay"]) == 0.75


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (np.array(["b", "a", "b"]), "U"),
        (np.array(["b", "a", "b"], dtype=object), "O"),
        (np.array([7, -1, 7]), "i"),
        (np.array([7, 1, 7], dtype=np.uint8), "u"),
        (np.array([True, False, True]), "b"),
        (np.array([2.0, 1.0, 2.0]), "f"),
    ],
)
def test_labels_keep_their_type(classifier, labels, kind):
    """Answers have the type of the classes that were learned."""
    model = classifier().fit([["x"], ["y"], ["x"]], labels)
    answers = model.predict([["x"], ["y"]])

    assert model.classes_.dtype == answers.dtype == labels.dtype
    assert answers.dtype.kind == kind
    assert answers.tolist() == labels[:2].tolist()


def test_threads_do_not_change_answers(classifier):
    """One thread and two say the same, to the last bit."""
    draw = np.random.default_rng(0)
    rows, new = draw.integers(4, size=(300, 5)), draw.integers(5, size=(500, 5))
    labels = draw.integers(3, size=300)
    one, two = (classifier(n_jobs=n).fit(rows, labels).predict_proba(new) for n in (1, 2))

    assert np.array_equal(one, two)


@pytest.mark.parametrize("n_jobs", [0, "two", 1.5])
def test_n_jobs_that_is_no_number_of_threads(weather, n_jobs):
    """A wrong n_jobs is refused with a message, not by the kernel."""
    with pytest.raises(CasebaseError, match="n_jobs is a number of threads"):
        cb.IB1Classifier(n_jobs=n_jobs).fit(*weather)

    model = cb.IB1Classifier().fit(*weather).set_params(n_jobs=n_jobs)
    with pytest.raises(CasebaseError, match="n_jobs is a number of threads"):
        model.predict(NEW)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "explain", "kneighbors"])
def test_nothing_is_answered_before_fitting(method):
    """scikit-learn's own error says to call fit first."""
    with pytest.raises(NotFittedError):
        getattr(cb.IB1Classifier(), method)(NEW)


@pytest.mark.parametrize(("given", "message"), [(0, "got 0"), (-1, "got -1"), (1.5, "got 1.5"), (True, "got True")])
def test_k_must_be_a_positive_whole_number(weather, given, message):
    """k counts distances."""
    with pytest.raises(CasebaseError, match=message):
        cb.IB1Classifier(k=given).fit(*weather)


def test_k_larger_than_the_memory(weather):
    """With all cases voting, the most frequent class answers."""
    rows, labels = weather

    assert cb.IB1Classifier(k=1000).fit(rows, labels).predict(NEW).tolist() == ["go"] * 3


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("weighting", "gain_ration", "Did you mean 'gain_ratio'"),
        ("metric", "overlp", "Did you mean 'overlap'"),
        ("vote", "equl", "Did you mean 'equal'"),
        ("missing", "none", "'value'.*'unknown'"),
        ("compat", "timble", "Did you mean 'timbl'"),
        ("weighting", [1.0, 2.0], r"one weight per feature \(3\)"),
        ("weighting", [1.0, -2.0, 1.0], "not negative"),
    ],
)
def test_unknown_names_offer_the_nearest(weather, parameter, value, message):
    """A misspelt parameter is answered with the nearest spelling."""
    with pytest.raises(ValueError, match=message):
        cb.IB1Classifier(**{parameter: value}).fit(*weather)


def test_metric_by_name_and_by_position():
    """A feature may be named or counted; both make it numeric."""
    import pandas as pd

    rows = pd.DataFrame({"age": ["10", "20", "40"], "sex": ["m", "f", "m"]})
    by_name, by_position = (
        cb.IB1Classifier(metric=metric, weighting="none").fit(rows, ["a", "b", "c"])
        for metric in ({"age": "numeric"}, {0: "numeric"})
    )
    new = pd.DataFrame({"age": ["19"], "sex": ["f"]})

    assert by_name.kneighbors(new)[0].tolist() == by_position.kneighbors(new)[0].tolist() == [[1 / 30]]


def test_ignored_feature_changes_nothing(weather):
    """A feature that is ignored may hold anything."""
    rows, labels = weather
    model = cb.IB1Classifier(metric={0: "ignored"}).fit(rows, labels)
    other = [["anything", *row[1:]] for row in rows]

    assert model.predict_proba(rows).tolist() == model.predict_proba(other).tolist()


def test_given_weights_are_used(weather):
    """`weights_` are the given ones, in column order."""
    model = cb.IB1Classifier(weighting=[0.0, 2.0, 1.0]).fit(*weather)

    assert model.weights_.tolist() == [0.0, 2.0, 1.0]


def test_clone_has_the_parameters_and_no_memory(weather):
    """A clone is unfitted and learns the same."""
    model = cb.TRIBLClassifier(switch=1, k=2, weighting=[1.0, 2.0, 3.0], metric={0: "overlap"}).fit(*weather)
    copy = clone(model)

    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "model_")
    assert copy.fit(*weather).predict_proba(NEW).tolist() == model.predict_proba(NEW).tolist()


def test_one_class_is_always_the_answer(classifier):
    """A memory of one class has one answer, even to values never seen."""
    model = classifier().fit([["a", "x"], ["b", "y"]], ["P", "P"])

    assert model.predict_proba([["zz", "zz"]]).tolist() == [[1.0]]


def test_constant_feature_has_no_weight(classifier):
    """A feature with one value tells nothing."""
    model = classifier().fit([["same", "x"], ["same", "y"]], ["P", "Q"])

    assert model.weights_[0] == 0
    assert model.predict([["other", "y"]]).tolist() == ["Q"]


def test_neighbours_of_stored_cases_are_those_of_the_same_cases_asked():
    """Missing values that agree with nothing used to agree with each other when no cases were given."""
    X = [[None, "a"], [None, "b"], ["x", "a"], ["x", "b"]]
    clf = cb.IB1Classifier(weighting="none", missing="unknown").fit(X, list("PQPQ"))
    assert clf.kneighbors(n_neighbors=3)[0][0].tolist() == [1.0, 2.0, 2.0]
    assert clf.kneighbors(X[:1], n_neighbors=4)[0][0].tolist() == [1.0, 1.0, 2.0, 2.0]


def test_rows_that_name_their_values():
    """A list of dicts is a table with names."""
    X = [{"size": "s", "hue": "r"}, {"size": "l", "hue": "g"}]
    clf = cb.IB1Classifier().fit(X, ["P", "Q"])
    assert clf.feature_names_in_.tolist() == ["size", "hue"]
    assert clf.predict(X).tolist() == ["P", "Q"]
