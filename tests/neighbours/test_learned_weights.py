"""Weights that IB1 learns on held-out cases: against the oracle, by hand, interrupted, refused."""

import re

import numpy as np
import pytest
from hypothesis import given, settings

import casebase as cb
from casebase.errors import CasebaseError
from casebase.neighbours import ib1, learned_weights
from tests.oracles import learned_weights as plain
from tests.strategies import missing_policies, tasks


def bits(n=60, n_features=6, seed=0):
    drawn = np.random.default_rng(seed).integers(0, 2, (n, n_features))
    return drawn.astype(str), np.where(drawn[:, :2].sum(axis=1) % 2, "odd", "even")


@settings(max_examples=60)
@given(tasks(numbers=False, counts=False, min_rows=2), missing_policies)
def test_learned_weights_are_those_of_the_oracle(task, missing):
    """The same weights and errors as trying each weight by refitting without each case."""
    model = ib1.fit(task.cases(), weighting="learned", missing=missing)
    weights, errors = plain.learn(task.rows, task.labels, missing=missing)

    assert model.weights == pytest.approx(weights)
    assert model.learning.errors == errors


def test_errors_are_those_of_leave_one_out():
    """With the learned weights as numbers, leave-one-out makes the errors that the search counted."""
    X, y = bits()
    clf = cb.IB1Classifier(weighting="learned").fit(X, y)
    cases = cb.Cases.from_table(X, y=y)
    answers = ib1.leave_one_out(cases, weighting=clf.weights_.tolist())

    assert (answers.label != cases.known_labels).sum() == clf.model_.learning.errors
    assert clf.model_.learning.errors < clf.model_.learning.errors_at_start


def test_rows_in_another_order_give_the_same_weights(monkeypatch):
    """Also where only some of the cases are held out."""
    monkeypatch.setattr(learned_weights, "MOST_ASKED", 20)
    X, y = bits()
    order = np.random.default_rng(1).permutation(len(X))
    one, other = (cb.IB1Classifier(weighting="learned").fit(X[rows], y[rows]) for rows in (np.arange(len(X)), order))

    assert one.weights_.tolist() == other.weights_.tolist()
    assert one.model_.learning == other.model_.learning
    assert one.model_.learning.n_asked == 20


def test_a_file_keeps_how_weights_were_learned(tmp_path):
    X, y = bits()
    clf = cb.IB1Classifier(weighting="learned").fit(X, y)
    clf.save(tmp_path / "m.cb")
    again = cb.load(tmp_path / "m.cb")

    assert again.weighting == "learned"
    assert again.weights_.tolist() == clf.weights_.tolist()
    assert again.model_.learning == clf.model_.learning
    assert str(again.model_.summary()) == str(clf.model_.summary())


def test_interruption_keeps_the_best_weights():
    """Ctrl-C after the first feature: its weight stays, and a warning says so."""
    X, y = bits()
    cases = cb.Cases.from_table(X, y=y)

    def progress(done, total):
        raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="Interrupted: the memory has the best weights"):
        model = ib1.fit(cases, weighting="learned", progress=progress)
    assert model.was_interrupted
    assert model.learning.n_tried == 5  # two starts, and three weights of one feature
    assert model.learning.errors <= model.learning.errors_at_start


def test_corrections_learn_again():
    """A case more: the weights are those of a new fit."""
    X, y = bits()
    clf = cb.IB1Classifier(weighting="learned").fit(X[:-1], y[:-1])
    clf.insert(X[-1:], y[-1:])

    assert clf.weights_.tolist() == cb.IB1Classifier(weighting="learned").fit(X, y).weights_.tolist()


@pytest.mark.parametrize("n", [1, 2])
def test_few_cases(n):
    assert cb.IB1Classifier(weighting="learned").fit([["a"], ["b"]][:n], ["P", "Q"][:n]).predict([["a"]]) == ["P"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cb.IB1Classifier(weighting="learned", diversify=True), "diversify cannot go with"),
        (lambda: cb.IB1Classifier(weighting="learned", feature_limit=2), "feature_limit cannot go with"),
        (lambda: cb.IB1Classifier(weighting="learned", compat="timbl"), "compat cannot go with"),
        (lambda: cb.IGTreeClassifier(weighting="learned"), "Only IB1 learns weights"),
        (lambda: cb.TRIBLClassifier(weighting="learned"), "Only IB1 learns weights"),
        (lambda: cb.IGTreeClassifier(weighting="learned", compat="timbl"), "TiMBL has no weighting 'learned'"),
    ],
)
def test_refused(make, message):
    with pytest.raises(CasebaseError, match=re.escape(message)):
        make().fit(*bits(10))


def test_leave_one_out_is_refused():
    X, y = bits(10)
    with pytest.raises(CasebaseError, match=r"learn the weights again for every case \(weighting 'learned'\)"):
        ib1.leave_one_out(cb.Cases.from_table(X, y=y), weighting="learned")
