"""`sample_weight`: a case of weight n counts as n cases."""

import numpy as np
import pytest

NEW = [["foggy", "hot", "no"], ["sunny", "cool", "yes"], ["rainy", "hot", "maybe"], ["sunny", "hot", "no"]]
COUNTS = [2, 1, 0, 3, 1, 1, 0, 2, 1, 1, 4, 1]


def test_whole_weights_are_repetitions(classifier, weather):
    """A memory with weights answers like one with repeated rows."""
    rows, labels = weather
    repeated = np.repeat(np.arange(12), COUNTS)
    weighted = classifier().fit(rows, labels, sample_weight=COUNTS)
    written_out = classifier().fit([rows[i] for i in repeated], [labels[i] for i in repeated])

    assert weighted.weights_.tolist() == written_out.weights_.tolist()
    assert weighted.predict_proba(NEW) == pytest.approx(written_out.predict_proba(NEW))
    assert weighted.predict(NEW).tolist() == written_out.predict(NEW).tolist()


def test_weight_zero_is_absence(classifier, weather):
    """A case that counts nothing might as well not be there."""
    rows, labels = weather
    weights = [1.0] * 6 + [0.0] * 6
    weighted = classifier().fit(rows, labels, sample_weight=weights)
    without = classifier().fit(rows[:6], labels[:6])

    assert weighted.predict_proba(NEW).tolist() == without.predict_proba(NEW).tolist()


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1.0, -1.0], "[Nn]egative"), ([1.0], "shape|inconsistent"), ([np.nan, 1.0], "NaN"), ([0.0, 0.0], "zero")],
)
def test_weights_that_cannot_be(classifier, weights, message):
    """Weights are one per case, finite, not negative, and not all zero."""
    with pytest.raises(ValueError, match=message):
        classifier().fit([["a"], ["b"]], ["P", "Q"], sample_weight=weights)
