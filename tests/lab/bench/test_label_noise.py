"""Planted wrong classes: as many as asked for, all different, and scored by what is found."""

import numpy as np
import pytest

from lab.bench.label_noise import Ranked, _scores, flipped


@pytest.mark.parametrize("how", ["random", "likely"])
def test_the_share_of_changed_classes_is_the_rate(how):
    labels = np.arange(200) % 4
    likely = np.full((200, 4), 0.25)

    changed, is_wrong = flipped(labels, 0.1, how, 3, likely)

    assert is_wrong.sum() == 20
    assert ((changed != labels) == is_wrong).all()


def test_likely_changes_are_to_classes_of_neighbours():
    labels = np.zeros(100, dtype=np.int64)
    likely = np.tile([0.5, 0.5, 0.0], (100, 1))
    likely[:50] = [1.0, 0.0, 0.0]  # no neighbour of another class

    changed, is_wrong = flipped(labels, 0.2, "likely", 3, likely)

    assert (changed[50:][is_wrong[50:]] == 1).all()
    assert is_wrong[:50].sum() <= 1  # they are hardly ever drawn


def test_scores_are_those_of_the_definitions():
    is_wrong = np.array([True, True, False, False])
    found = Ranked(np.array([0.9, 0.1, 0.5, 0.0]), np.array([True, False, True, False]), 0.0)

    auc, precision, f_score = _scores(found, is_wrong)

    assert (auc, precision, f_score) == (0.75, 0.5, 0.5)
