"""Probabilities are smoothed by as much as held-out training cases need."""

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss

import casebase as cb
from casebase.confidence import calibrate
from casebase.data import Cases
from casebase.estimators._load import estimator_of
from casebase.measures import smoothing
from casebase.measures.smoothing import AMOUNTS, POWERS, SHARPNESSES, HeldOutVotes, Smoothing, log_losses, with_largest
from casebase.methods import METHODS, method_named
from casebase.neighbours import ib1
from tests.oracles import confidence as plain

COMMITTEES = {"auto", "forest", "kernel", "opinions", "discriminant"}
SMOOTHED = [name for name in METHODS if name not in COMMITTEES]
GRID = [(amount, power, sharpness) for sharpness, power, amount in product(SHARPNESSES, POWERS, AMOUNTS)]


def noisy_table(n: int, seed: int = 0) -> tuple[list[list[str]], list[str]]:
    """Rows of four symbols; the first one decides the class, but for a fifth of the cases, which are drawn."""
    draw = np.random.default_rng(seed)
    rows = draw.integers(0, 3, (n, 4)).astype(str)
    labels = np.where(draw.random(n) < 0.2, draw.choice(["0", "1", "2"], n), rows[:, 0])
    return rows.tolist(), labels.tolist()


votes_of_cases = st.lists(
    st.tuples(st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), st.integers(0, 2)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(votes_of_cases, st.sampled_from(GRID), st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_probabilities_agree_with_the_definition(found, candidate, frequency):
    """Mixed with the class frequencies; the answer pools with the classes above it."""
    votes = np.array([one for one, _ in found], dtype=float)
    answers = votes.argmax(axis=1)
    shares = Smoothing(*candidate).shares(votes, answers, np.array(frequency, dtype=float))
    for row, answer, share in zip(votes, answers, shares):
        wanted = plain.smoothed(dict(enumerate(row)), answer, dict(enumerate(frequency)), *candidate)
        assert share == pytest.approx([wanted[c] for c in range(3)], abs=1e-7)
        assert share.argmax() == answer
        assert share.sum() == pytest.approx(1)


@settings(max_examples=60, deadline=None)
@given(votes_of_cases, st.sampled_from(GRID), st.lists(st.integers(1, 9), min_size=3, max_size=3), st.randoms())
def test_losses_without_the_classes_that_have_no_votes(found, candidate, frequency, random):
    """The loss is that of the whole row of shares, also where the answer has no vote itself."""
    votes, labels = np.array([one for one, _ in found], dtype=float), np.array([label for _, label in found])
    answers, prior = np.array([random.randrange(3) for _ in found]), np.array(frequency, dtype=float)
    smoothing = Smoothing(*candidate)
    wanted = log_losses(smoothing.shares(votes, answers, prior), labels)

    assert HeldOutVotes(votes, answers, labels, prior).log_losses(smoothing) == pytest.approx(wanted, abs=1e-7)


def test_equal_shares_leave_the_answer_a_little_above():
    """In a tie the preferred class is the answer, and the largest share is its."""
    shares = with_largest(np.array([[0.5, 0.5, 0.0]]), np.array([1]))

    assert shares.argmax() == 1
    assert shares[0] == pytest.approx([0.5, 0.5, 0.0], abs=1e-8)


@pytest.mark.parametrize("k", [1, 3])
def test_amount_is_that_of_leave_one_out_by_refitting(k):
    """Brute force: a memory without each case votes, and every smoothing of the grid is tried."""
    rows, labels = noisy_table(24)
    cases = Cases.from_table(rows, y=labels)
    held_out = []
    for i in range(len(rows)):
        rest = [j for j in range(len(rows)) if j != i]
        model = ib1.fit(Cases.from_table([rows[j] for j in rest], y=[labels[j] for j in rest]), k=k)
        answers, classes = model.answer(model.schema.encode([rows[i]])), model.schema.classes
        votes = {classes[c]: n for c, n in answers.votes_of(0).items()}
        held_out.append((votes, classes[answers.label[0]], labels[i]))
    frequency = {c: labels.count(c) for c in sorted(set(labels))}
    found = calibrate(ib1.fit(cases, k=k), cases)
    smoothing = (found.smoothing.amount, found.smoothing.power, found.smoothing.sharpness)

    assert (found.how, found.n_cases) == ("leave-one-out", 24)
    assert smoothing == plain.best_smoothing(held_out, frequency, GRID)[1]


@pytest.mark.parametrize("name", SMOOTHED)
def test_every_learner_is_better_than_its_raw_votes_and_keeps_its_answers(name):
    """On noisy cases that it has not seen, log loss falls below that of the class frequencies, and no label changes."""
    rows, labels = noisy_table(500)
    train, test = slice(0, 300), slice(300, 500)
    make = estimator_of(name)
    clf, raw = make().fit(rows[train], labels[train]), make(normalisation="probability").fit(rows[train], labels[train])
    shares, votes = clf.predict_proba(rows[test]), raw.predict_proba(rows[test])
    prior = np.tile([labels[train].count(c) / 300 for c in clf.classes_], (200, 1))

    assert clf.predict(rows[test]).tolist() == raw.predict(rows[test]).tolist()
    assert clf.classes_[shares.argmax(axis=1)].tolist() == clf.predict(rows[test]).tolist()
    assert log_loss(labels[test], shares) <= log_loss(labels[test], votes) + 0.02
    assert log_loss(labels[test], shares) < log_loss(labels[test], prior)
    assert clf.calibration_.how == ("leave-one-out" if name == "ib1" else "folds")


@pytest.mark.parametrize("name", ["ib1", "c45", "rules"])
def test_files_and_pickles_have_the_calibration_and_not_the_cases(name, tmp_path):
    """A learner that forgets its cases finds the calibration before it is written."""
    rows, labels = noisy_table(60)
    clf = estimator_of(name)().fit(rows, labels)
    copy = pickle.loads(pickle.dumps(clf))
    clf.save(tmp_path / "m.cb")
    loaded = cb.load(tmp_path / "m.cb")

    assert copy._known.training is None
    assert np.array_equal(copy.predict_proba(rows), clf.predict_proba(rows))
    assert np.array_equal(loaded.predict_proba(rows), clf.predict_proba(rows))
    assert loaded.calibration_.to_dict() == clf.calibration_.to_dict()


@pytest.mark.parametrize("name", ["ib1", "igtree", "c45", "smile"])
def test_order_of_cases_and_columns_does_not_matter(name):
    """The folds depend on the content of the cases alone; one of weight 2 is two cases."""
    rows, labels = noisy_table(80)
    table, shuffled = np.array(rows), np.random.default_rng(1).permutation(80)
    names = ["a", "b", "c", "d"]
    cases = Cases.from_table(pd.DataFrame(dict(zip(names, table.T.tolist()))), y=labels)
    other = Cases.from_table(
        pd.DataFrame(dict(zip(names[::-1], table[shuffled].T[::-1].tolist()))), y=np.array(labels)[shuffled].tolist()
    )
    doubled = Cases.from_table(pd.DataFrame(dict(zip(names, table.T.tolist()))), y=labels, weights=np.full(80, 2.0))
    copies = Cases.from_table(pd.DataFrame(dict(zip(names, np.tile(table, (2, 1)).T.tolist()))), y=labels * 2)
    first, second, third, fourth = (
        calibrate(method_named(name).fit(one), one).to_dict() for one in (cases, other, doubled, copies)
    )

    assert first == second
    assert third == fourth


def test_a_correction_is_calibrated_anew():
    """After an insertion the amount is that of a fit on all cases."""
    rows, labels = noisy_table(60)
    clf = cb.IB1Classifier().fit(rows[:40], labels[:40])
    before = clf.calibration_.n_cases
    clf.insert(rows[40:], labels[40:])
    whole = cb.IB1Classifier().fit(rows, labels)

    assert (before, clf.calibration_.n_cases) == (40, 60)
    assert np.array_equal(clf.predict_proba(rows), whole.predict_proba(rows))


def test_imitating_timbl_leaves_the_shares_alone():
    """compat="timbl" has TiMBL's distributions."""
    rows, labels = noisy_table(60)
    clf = cb.IB1Classifier(compat="timbl").fit(rows, labels)
    raw = cb.IB1Classifier(compat="timbl", normalisation="probability").fit(rows, labels)

    assert np.array_equal(clf.predict_proba(rows), raw.predict_proba(rows))


@pytest.mark.parametrize("name", SMOOTHED)
def test_one_case_and_one_class(name):
    """Nothing can be held out: one vote, shared by the class frequencies, is added."""
    one = estimator_of(name)().fit([["a", "b"]], ["P"])
    same = estimator_of(name)().fit([["a", "b"], ["a", "c"], ["b", "c"]], ["P", "P", "P"])

    assert one.predict_proba([["a", "b"]]).tolist() == [[1.0]]
    assert same.predict_proba([["x", "y"]]) == pytest.approx(np.array([[1.0]]))
    assert one.calibration_.how == "nothing"


def test_votes_for_thousands_of_classes_are_looked_at_in_part():
    """With 3,000 classes that all have votes, 1,000 held-out cases would be three million shares per candidate."""
    dense, sparse = np.ones((2_000, 3_000)), np.eye(2_000, 3_000)

    assert np.count_nonzero(dense[smoothing._looked_at(dense)]) <= smoothing.MOST_VOTED
    assert len(smoothing._looked_at(dense)) > 100
    assert len(smoothing._looked_at(sparse)) == 1_000
