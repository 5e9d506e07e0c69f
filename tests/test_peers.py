"""Classifiers of other libraries on coded cases."""

import sys
from types import ModuleType

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import casebase as cb
from casebase.data.folds import folds
from casebase.peers import N_CATEGORIES, installed_peers

ROWS = [["a", 1.5], ["b", None], [None, 2.5], ["c", 3.5]] * 40
LABELS = list("PQPR") * 40


@pytest.fixture
def mixed():
    """Symbols and numbers, both with missing values."""
    table = [{"letter": letter, "size": size, "id": str(i)} for i, (letter, size) in enumerate(ROWS)]
    return cb.Cases.from_table(table, y=LABELS, kinds={"id": "ignored"})


@pytest.mark.parametrize("peer", installed_peers(0, 1), ids=lambda peer: peer.name)
def test_a_peer_learns_symbols_numbers_and_missing_values(mixed, peer):
    """Probabilities have a column per class, sum to 1, and are right where the table is easy."""
    trained = peer.fit(mixed)
    labels, probabilities = trained.answer(mixed)

    assert probabilities.shape == (160, 3)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(160))
    assert (labels == mixed.known_labels).mean() > 0.9
    assert trained.n_bytes() > 0


@pytest.mark.parametrize("peer", installed_peers(0, 1), ids=lambda peer: peer.name)
def test_a_class_that_was_not_in_training_has_no_probability(mixed, peer):
    """Columns keep the places of the schema's classes."""
    trained = peer.fit(mixed.take(np.flatnonzero(mixed.known_labels != 1)))
    labels, probabilities = trained.answer(mixed)

    assert set(labels.tolist()) == {0, 2}
    assert (probabilities[:, 1] == 0).all()


@pytest.mark.parametrize("peer", installed_peers(0, 1), ids=lambda peer: peer.name)
def test_a_feature_may_have_more_values_than_boosting_takes(peer):
    """Rare values share a category; new ones are missing."""
    values = [[f"v{i // 2}"] for i in range(4 * N_CATEGORIES)]
    cases = cb.Cases.from_table(values, y=["PQ"[i // 2 % 2] for i in range(4 * N_CATEGORIES)])
    trained = peer.fit(cases.take(np.arange(3 * N_CATEGORIES)))

    assert trained.answer(cases)[1].shape == (4 * N_CATEGORIES, 2)


def test_the_forest_is_that_of_scikit_learn_on_one_hot_columns():
    """A row of the comparison has the accuracy of a forest on columns made by hand."""
    data = cb.datasets.load_monks(1)
    cases = cb.Cases.from_table(data.data.tolist(), y=data.target)
    found = cb.compare_methods(cases, methods=["igtree"], peers=True, cv=3, random_state=5)["random_forest"]
    fold = folds(cases.known_labels, 3, 5)
    one_hot = np.hstack([column[:, np.newaxis] == np.unique(column) for column in cases.columns]).astype(float)
    accuracies = []
    for i in range(3):
        forest = RandomForestClassifier(random_state=5).fit(one_hot[fold != i], cases.known_labels[fold != i])
        accuracies.append(forest.score(one_hot[fold == i], cases.known_labels[fold == i]))

    assert found.role == "peer"
    assert found.fold_accuracies == pytest.approx(accuracies)


def test_lightgbm_is_a_peer_only_where_it_is_installed(monkeypatch):
    """It is looked for, not imported; one that cannot be used keeps its row, with the error."""
    monkeypatch.setattr("casebase.peers.find_spec", lambda name: None)
    assert [peer.name for peer in installed_peers(0, 1)] == ["random_forest", "hist_gradient_boosting"]

    monkeypatch.setattr("casebase.peers.find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "lightgbm", ModuleType("lightgbm"))
    found = cb.compare_methods([["a"], ["b"]] * 6, list("PQ") * 6, methods=["igtree"], peers=True, cv=2)
    assert "LGBMClassifier" in found["lightgbm"].error
