"""Cuts against plain second versions: Fayyad and Irani's procedure, equal widths, equal shares."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.measures.cuts import equal_frequency_cuts, equal_width_cuts, mdlp_cuts
from tests.oracles import equal_parts, mdlp

numbers_like = st.sampled_from([-2.0, -0.5, 0.0, 0.1, 0.2, 0.3, 1.0, 1.5, 7.0, 1e6])


@st.composite
def samples(draw, max_size=40):
    """Numbers of few values, their classes, mostly in runs, and weights or none; two cases weigh at least 2."""
    size = draw(st.integers(1, max_size))
    numbers = draw(st.lists(numbers_like, min_size=size, max_size=size))
    if draw(st.booleans()):  # classes that follow the numbers, but for some noise
        bounds = sorted(draw(st.lists(numbers_like, min_size=1, max_size=3)))
        noise = draw(st.lists(st.integers(0, 7), min_size=size, max_size=size))
        labels = [sum(b < x for b in bounds) if n else 0 for x, n in zip(numbers, noise)]
    else:
        labels = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    weights = draw(
        st.none() | st.lists(st.sampled_from([1.0, 2.0, 5.0, 1.5, 0.0]), min_size=size, max_size=size).filter(any)
    )
    return numbers, labels, weights


def names_of(labels):
    return [f"c{label}" for label in labels]


@settings(max_examples=200)
@given(samples())
def test_cuts(sample):
    """All accepted cuts, in ascending order."""
    numbers, labels, weights = sample
    found = mdlp_cuts(np.array(numbers), np.array(labels), 4, None if weights is None else np.array(weights))
    assert list(found) == pytest.approx(mdlp.cuts(numbers, names_of(labels), weights), rel=1e-12)


@settings(max_examples=50)
@given(samples(), st.data())
def test_row_order(sample, data):
    """The order of the cases and the numbers of the classes change nothing."""
    numbers, labels, weights = sample
    order = np.array(data.draw(st.permutations(range(len(numbers)))))
    weights = np.ones(len(numbers)) if weights is None else np.array(weights)
    one = mdlp_cuts(np.array(numbers), np.array(labels), 4, weights)
    other = mdlp_cuts(np.array(numbers)[order], 3 - np.array(labels)[order], 4, weights[order])
    assert list(one) == list(other)


@settings(max_examples=50)
@given(samples())
def test_weights_are_copies(sample):
    """A case of weight n counts as n cases; twice a case at half its weight as one."""
    numbers, labels, weights = sample
    weights = [2.0] * len(numbers) if weights is None else weights
    whole = [int(2 * w) for w in weights]
    copies = [i for i, n in enumerate(whole) for _ in range(n)]
    one = mdlp_cuts(np.array(numbers), np.array(labels), 4, np.array(whole, dtype=float))
    other = mdlp_cuts(np.array(numbers)[copies], np.array(labels)[copies], 4)
    halves = mdlp_cuts(np.array(numbers * 2), np.array(labels * 2), 4, np.array(weights * 2))
    assert list(one) == list(other) == list(halves)


@settings(max_examples=25)
@given(samples())
def test_transformer(sample):
    """A number at a cut lies below it; the ordinal is the number of cuts below."""
    numbers, labels, weights = sample
    column = np.array(numbers)[:, None]
    discretizer = cb.MDLPDiscretizer(encode="ordinal").fit(column, names_of(labels), sample_weight=weights)
    cuts = mdlp.cuts(numbers, names_of(labels), weights)
    assert list(discretizer.cuts_[0]) == pytest.approx(cuts, rel=1e-12)
    asked = [*numbers, -1e9, 1e9, *cuts]
    found = np.asarray(discretizer.transform(np.array(asked)[:, None])).ravel()
    assert found.astype(int).tolist() == [sum(cut < x for cut in discretizer.cuts_[0]) for x in asked]


@given(samples(), st.integers(1, 7))
def test_equal_parts(sample, n_bins):
    """Equal widths of the range; equal shares of the cases, with weights or without."""
    numbers, _, weights = sample
    column = np.array(numbers)
    assert list(equal_width_cuts(column, n_bins)) == pytest.approx(equal_parts.equal_width(numbers, n_bins))
    found = equal_frequency_cuts(column, n_bins, None if weights is None else np.array(weights))
    assert list(found) == pytest.approx(equal_parts.equal_frequency(numbers, n_bins, weights), rel=1e-12)


def test_the_lowest_of_equal_cuts():
    """Classes the same from both ends: of two equal cuts the lower one is taken, and its side is then cut once more."""
    numbers, labels, weights = [0, 1, 1, 2, 3, 3, 4], [0, 0, 1, 1, 0, 1, 0], [26, 5, 1, 18, 5, 1, 26]
    found = mdlp_cuts(np.array(numbers, dtype=float), np.array(labels), 2, np.array(weights, dtype=float))
    assert list(found) == mdlp.cuts(numbers, labels, weights) == [0.5, 1.5, 2.5]
