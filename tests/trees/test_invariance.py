"""What must not change a decision tree: the order of rows and columns, threads, copies, files."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.trees import c45, id3
from tests.strategies import tasks
from tests.trees.naive_trees import as_plain, grown, made_up

LEARNERS = [id3, c45]
ESTIMATORS = [cb.ID3Classifier, cb.C45Classifier]


@settings(max_examples=40)
@given(tasks(), st.sampled_from(LEARNERS), st.randoms())
def test_order_of_rows_does_not_matter(task, learner, rng):
    order = list(range(len(task.rows)))
    rng.shuffle(order)
    assert grown(learner.fit(task.cases())) == as_plain(grown(learner.fit(task.take(order).cases())))


@settings(max_examples=30)
@given(tasks(min_features=2), st.sampled_from(ESTIMATORS), st.randoms())
def test_order_of_named_columns_does_not_matter(task, estimator, rng):
    """The same answers from a frame with its columns in another order."""
    names = [f"c{f}" for f in range(task.n_features)]
    frame = pd.DataFrame({name: [row[f] for row in task.rows] for f, name in enumerate(names)})
    asked = pd.DataFrame({name: [row[f] for row in task.queries] for f, name in enumerate(names)})
    for f, name in enumerate(names):
        if f in task.numeric:
            frame[name], asked[name] = frame[name].astype(float), asked[name].astype(float)
        else:
            frame[name], asked[name] = frame[name].astype("string"), asked[name].astype("string")
    shuffled = names[:]
    rng.shuffle(shuffled)
    first = estimator().fit(frame, task.labels, sample_weight=task.counts)
    second = estimator().fit(frame[shuffled], task.labels, sample_weight=task.counts)
    assert first.n_nodes_ == second.n_nodes_
    assert first.codelength() == pytest.approx(second.codelength())
    np.testing.assert_allclose(first.predict_proba(asked), second.predict_proba(asked[shuffled]), atol=1e-9)


@settings(max_examples=20)
@given(tasks(), st.sampled_from(LEARNERS))
def test_a_weight_is_a_number_of_equal_cases(task, learner):
    if task.counts is None or any(n != int(n) or n > 100 for n in task.counts) or not any(task.counts):
        return
    copies = [i for i, n in enumerate(task.counts) for _ in range(int(n))]
    unweighted = replace(task.take(copies), counts=None)
    assert grown(learner.fit(task.cases())) == as_plain(grown(learner.fit(unweighted.cases())))


@settings(max_examples=20)
@given(tasks(), st.sampled_from(ESTIMATORS))
def test_saved_and_loaded(tmp_path_factory, task, estimator):
    """A model from a file has the same sizes and answers."""
    clf = estimator().fit(task.rows, task.labels, sample_weight=task.counts)
    path = tmp_path_factory.mktemp("model") / "model.cb"
    clf.save(path)
    loaded = cb.load(path)
    assert (loaded.n_nodes_, loaded.n_leaves_, loaded.depth_) == (clf.n_nodes_, clf.n_leaves_, clf.depth_)
    assert loaded.codelength() == clf.codelength()
    np.testing.assert_array_equal(loaded.predict_proba(task.queries), clf.predict_proba(task.queries))


@pytest.mark.parametrize("learner", LEARNERS)
def test_threads_do_not_matter(learner):
    rows, labels, numeric = made_up(1, n_cases=2000)
    kinds = {f: "numeric" if f in numeric else "symbolic" for f in range(6)}
    cases = cb.Cases.from_table(rows, y=labels, kinds=kinds)
    model = learner.fit(cases)
    one, four = model.answer(cases, n_jobs=1), model.answer(cases, n_jobs=4)
    np.testing.assert_array_equal(one.label, four.label)
    np.testing.assert_array_equal(one.votes, four.votes)


def test_the_values_of_a_case_of_weight_zero_do_not_count():
    """They were counted among the values of their feature, which then had too many for C4.5's average gain."""
    rows = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"], ["b", "x"], ["c", "x"], ["d", "x"], ["e", "y"]]
    labels = [*"PPPQQQ", *"PPQ"]
    weighted = cb.Cases.from_table(rows, y=labels, weights=[1] * 6 + [0] * 3)

    assert weighted.schema.features[0].vocabulary.values.to_pylist() == ["a", "b"]
    assert weighted.schema.classes == ("P", "Q")
    assert grown(c45.fit(weighted)) == as_plain(grown(c45.fit(cb.Cases.from_table(rows[:6], y=labels[:6]))))
