"""RELIEF's weights against exact fractions, and what must not change them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.measures.weights import feature_weights
from tests.oracles.relief import relief, relieff
from tests.strategies import tasks

NAMES = ["size", "shape", "holes", "colour"]
ks = st.integers(1, 5)


def weights_of(task, k, **options):
    """What the selector finds for a task."""
    return cb.ReliefSelector(n_neighbors=k, **options).fit(task.rows, task.labels, sample_weight=task.counts).weights_


def exact(task, k):
    """What the oracle finds, as floats."""
    return [float(w) for w in relieff(task.rows, task.labels, k, task.numeric, task.counts)]


@settings(max_examples=80)
@given(tasks(max_rows=9), ks)
def test_relieff(task, k):
    """Several classes, missing values, weights, ties of distance."""
    assert weights_of(task, k).tolist() == pytest.approx(exact(task, k), abs=1e-9)


@settings(max_examples=40)
@given(tasks(gaps=False, counts=False, min_rows=2, max_rows=9))
def test_relief_of_two_classes(task):
    """With one neighbour, two classes and nothing missing it is Kira and Rendell's."""
    labels = ["P" if label == "P" else "Q" for label in task.labels]
    found = cb.ReliefSelector(n_neighbors=1).fit(task.rows, labels).weights_
    assert found.tolist() == pytest.approx([float(w) for w in relief(task.rows, labels, task.numeric)], abs=1e-9)


@settings(max_examples=40)
@given(tasks(max_rows=8), ks, st.data())
def test_row_order(task, k, data):
    """The order of the cases changes nothing, nor do threads."""
    shuffled = task.take(data.draw(st.permutations(range(len(task.rows)))))
    found = weights_of(task, k)
    assert weights_of(shuffled, k).tolist() == pytest.approx(found.tolist(), abs=1e-12)
    assert np.array_equal(weights_of(task, k, n_jobs=2), found)


@settings(max_examples=40)
@given(tasks(gaps=False, max_rows=8), ks, st.data())
def test_column_order(task, k, data):
    """Each feature has the same weight wherever its column stands."""
    names = NAMES[: task.n_features]
    frame = pd.DataFrame(task.rows, columns=names)
    order = data.draw(st.permutations(names))
    one, other = (
        cb.ReliefSelector(n_neighbors=k).fit(frame[columns], task.labels, sample_weight=task.counts)
        for columns in (names, order)
    )
    assert dict(zip(names, one.weights_)) == pytest.approx(dict(zip(order, other.weights_)), abs=1e-12)
    assert set(one.get_feature_names_out()) == set(other.get_feature_names_out())


@settings(max_examples=40)
@given(tasks(max_rows=8), ks)
def test_copies(task, k):
    """Weights are copies, and equal cases are one of their weights together."""
    counts = [int(n) for n in task.counts or [2] * len(task.rows)]
    copies = [i for i, n in enumerate(counts) for _ in range(n)]
    selector = cb.ReliefSelector(n_neighbors=k)
    weighted = selector.fit(task.rows, task.labels, sample_weight=counts).weights_
    copied = selector.fit([task.rows[i] for i in copies], [task.labels[i] for i in copies]).weights_
    halved = selector.fit(task.rows * 2, task.labels * 2, sample_weight=[n / 2 for n in counts] * 2).weights_
    assert weighted.tolist() == pytest.approx(copied.tolist(), abs=1e-12)
    assert weighted.tolist() == pytest.approx(halved.tolist(), abs=1e-12)


@settings(max_examples=40)
@given(tasks(max_rows=8), ks)
def test_support(task, k):
    """A feature is kept if its weight exceeds the threshold; rounding does not lift it there."""
    selector = cb.ReliefSelector(n_neighbors=k).fit(task.rows, task.labels, sample_weight=task.counts)
    worth = relieff(task.rows, task.labels, k, task.numeric, task.counts)
    assert selector.support_.tolist() == [w > 0 for w in worth]
    best = sorted(range(task.n_features), key=lambda f: (-worth[f], f))
    selector = cb.ReliefSelector(n_neighbors=k, n_features_to_select=1)
    selector.fit(task.rows, task.labels, sample_weight=task.counts)
    assert selector.get_support(indices=True).tolist() == best[:1]


@settings(max_examples=40)
@given(tasks(max_rows=8))
def test_weighting_of_ib1(task):
    """`weighting="relief"` is ten neighbours, and what is below zero weighs nothing."""
    assert feature_weights(task.cases(), "relief").tolist() == pytest.approx(
        [max(w, 0) for w in exact(task, 10)], abs=1e-9
    )
    clf = cb.IB1Classifier(weighting="relief").fit(task.rows, task.labels, sample_weight=task.counts)
    assert clf.weights_.tolist() == feature_weights(task.cases(), "relief").tolist()
