"""Cuts of numbers: by hand, as published, against the plain recursion, and what must not change them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from casebase.errors import CasebaseError
from casebase.measures.cuts import DISCRETISERS, discretiser_named, equal_frequency_cuts, equal_width_cuts, mdlp_cuts
from tests.oracles import mdlp


@st.composite
def columns(draw, max_size=60):
    """Numbers with ties and gaps, and classes that have something to do with them."""
    numbers = draw(st.lists(st.integers(0, 12) | st.just(None), max_size=max_size))
    step, n_classes = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    noise = draw(st.lists(st.integers(0, 5), min_size=len(numbers), max_size=len(numbers)))
    labels = [((x or 0) // step + (other == 5)) % n_classes for x, other in zip(numbers, noise)]
    return np.array([np.nan if x is None else x for x in numbers], dtype=float), np.array(labels, dtype=int), n_classes


def intervals(cuts, numbers):
    return np.searchsorted(cuts, numbers[~np.isnan(numbers)]).tolist()


@pytest.mark.parametrize(
    ("feature", "expected"), [(0, [5.55, 6.15]), (1, [2.95, 3.35]), (2, [2.45, 4.75]), (3, [0.8, 1.75])]
)
def test_iris(feature, expected):
    """The cuts of Fisher's iris are those of the literature."""
    X, y = load_iris(return_X_y=True)
    assert mdlp_cuts(X[:, feature], y, 3).tolist() == pytest.approx(expected)


def test_a_cut_by_hand():
    """Six numbers of two classes: gain 1 bit, cost (log2 5 + log2 7 - 2) / 6 = 0.52 bits."""
    numbers, labels = np.array([1.0, 2, 3, 7, 8, 9]), np.array([0, 0, 0, 1, 1, 1])
    assert mdlp_cuts(numbers, labels, 2).tolist() == [5.0]


def test_a_cut_that_does_not_pay():
    """Three against one at the end: gain 0.81 bits, cost (log2 3 + log2 7 - 1.62) / 4 = 0.69; mixed ones: no cut."""
    assert mdlp_cuts(np.array([1.0, 2, 3, 4]), np.array([0, 0, 0, 1]), 2).tolist() == [3.5]
    assert mdlp_cuts(np.array([1.0, 2, 3, 4, 5]), np.array([0, 1, 0, 0, 1]), 2).tolist() == []


def test_equal_entropies_take_the_lowest_cut():
    """Mirrored counts leave every cut a twin of the same entropy: 0.5 is taken first, and 4.5 pays no more."""
    per_number = np.array([[0, 8], [1, 3], [11, 2], [11, 2], [1, 3], [0, 8]])
    numbers, labels = np.repeat(np.arange(6.0), 2), np.tile([0, 1], 6)
    assert mdlp_cuts(numbers, labels, 2, per_number.ravel()).tolist() == [0.5, 3.5]
    assert mdlp_cuts(5 - numbers, labels, 2, per_number.ravel()).tolist() == [0.5, 3.5]


@given(columns())
def test_mdlp_is_the_plain_recursion(column):
    """Cuts at class boundaries by running counts are those found by trying every cut."""
    numbers, labels, n_classes = column
    assert mdlp_cuts(numbers, labels, n_classes).tolist() == mdlp.cuts(numbers.tolist(), labels.tolist())


@given(columns(), st.randoms(use_true_random=False))
def test_row_order_changes_no_cut(column, random):
    """Any order of the rows gives the same cuts, to the last bit, with uneven weights too."""
    numbers, labels, n_classes = column
    order = list(range(len(numbers)))
    random.shuffle(order)
    weights = np.array([random.randint(1, 99) / 10 for _ in order])
    for name in DISCRETISERS:
        found = discretiser_named(name)
        one = found(numbers, labels, n_classes, weights, 4)
        assert found(numbers[order], labels[order], n_classes, weights[order], 4).tolist() == one.tolist()


@given(columns(), st.sampled_from([np.exp, lambda x: x**3, lambda x: 2 * x - 7]))
def test_cuts_move_with_the_numbers(column, rising):
    """A rising map of the numbers leaves every case in its interval."""
    numbers, labels, n_classes = column
    moved = rising(numbers)
    for cuts, mapped in [
        (mdlp_cuts(numbers, labels, n_classes), mdlp_cuts(moved, labels, n_classes)),
        (equal_frequency_cuts(numbers, 4), equal_frequency_cuts(moved, 4)),
    ]:
        assert intervals(cuts, numbers) == intervals(mapped, moved)


@given(columns(), st.data())
def test_weighted_cases_count_as_copies(column, data):
    """A case of weight n is n cases; one of weight 0 is none."""
    numbers, labels, n_classes = column
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels))), dtype=int)
    for name in ("mdlp", "equal_frequency"):
        found = discretiser_named(name)
        copies = found(np.repeat(numbers, weights), np.repeat(labels, weights), n_classes, None, 3)
        assert found(numbers, labels, n_classes, weights, 3).tolist() == copies.tolist()


def test_names_of_classes_do_not_matter():
    """Classes that do not occur, and other codes for those that do, change nothing."""
    numbers, labels = np.arange(30.0), np.repeat([0, 1, 2], 10)
    assert mdlp_cuts(numbers, labels, 3).tolist() == mdlp_cuts(numbers, 90 - 7 * labels, 100).tolist() == [9.5, 19.5]


def test_more_classes_than_powers_of_three_fit():
    """With 700 classes 3^k is more than a double holds."""
    numbers = np.arange(700)
    assert mdlp_cuts(numbers, numbers, 700).tolist() == mdlp.cuts(numbers.tolist(), numbers.tolist())


@pytest.mark.parametrize("name", DISCRETISERS)
@pytest.mark.parametrize("numbers", [[], [np.nan, np.nan], [1.5, 1.5], [1.5, np.nan]])
def test_constant_or_missing_numbers_have_no_cuts(name, numbers):
    """What does not vary is not cut."""
    labels = np.arange(len(numbers))
    assert discretiser_named(name)(np.array(numbers), labels, 2, None, 5).tolist() == []


def test_missing_numbers_do_not_count():
    """Cuts are those of the numbers that are there."""
    numbers, labels = np.array([1.0, 2, 3, np.nan, 7, 8, 9, np.nan]), np.array([0, 0, 0, 1, 1, 1, 1, 0])
    assert mdlp_cuts(numbers, labels, 2).tolist() == [5.0]
    assert equal_width_cuts(numbers, 2).tolist() == [5.0]
    assert equal_frequency_cuts(numbers, 2).tolist() == [5.0]


def test_equal_width():
    """The range is divided evenly, however the numbers lie in it."""
    assert equal_width_cuts(np.array([0.0, 1, 2, 20]), 4).tolist() == [5, 10, 15]
    assert equal_width_cuts(np.array([0.0, 20]), 1).tolist() == []


@pytest.mark.parametrize(
    ("numbers", "n_bins", "expected"),
    [
        ([1, 2, 3, 4, 5, 6], 3, [2.5, 4.5]),
        ([1, 1, 1, 1, 2, 3], 3, [1.5]),  # both cuts are nearest to the gap behind the ones
        ([1, 2, 2, 3], 2, [1.5]),  # two gaps as near: the lower
        ([1, 2, 3], 10, [1.5, 2.5]),
        ([5, 6], 2, [5.5]),
    ],
)
def test_equal_frequency(numbers, n_bins, expected):
    """Equal numbers stay together, and cuts go to the nearest gap."""
    assert equal_frequency_cuts(np.array(numbers, dtype=float), n_bins).tolist() == expected


def test_neighbouring_doubles_can_be_cut():
    """Where no double lies between two numbers, the cut is the lower one, and they are on both sides of it."""
    low = 1.0
    high = np.nextafter(low, 2)
    numbers, labels = np.repeat([low, high], 10), np.repeat([0, 1], 10)
    assert mdlp_cuts(numbers, labels, 2).tolist() == [low]
    huge = np.repeat([1.7e308, 1.79e308], 10)
    assert mdlp_cuts(huge, labels, 2).tolist() == [1.745e308]


@pytest.mark.parametrize("n_bins", [0, -1, 2.5, True, "3"])
def test_wrong_number_of_intervals(n_bins):
    """The message says what n_bins is."""
    with pytest.raises(CasebaseError, match="whole number of at least 1"):
        equal_width_cuts(np.array([1.0, 2.0]), n_bins)


def test_wrong_input():
    """Infinity, other shapes and other names are refused."""
    with pytest.raises(CasebaseError, match="Infinity"):
        equal_width_cuts(np.array([1.0, np.inf]))
    with pytest.raises(CasebaseError, match="one class per number: 2 numbers"):
        mdlp_cuts(np.array([1.0, 2.0]), np.array([0]), 2)
    with pytest.raises(CasebaseError, match="column of numbers"):
        equal_frequency_cuts(np.ones((2, 2)))
    with pytest.raises(CasebaseError, match="Did you mean 'mdlp'"):
        discretiser_named("mdl")


def test_less_than_two_cases_are_not_cut():
    """Regression: the criterion has log2(N - 1), which says nothing of weights that sum to less than 2."""
    assert mdlp_cuts(np.array([-2.0, 1e6]), np.array([0, 1]), 2, np.array([1.0, 0.5])).tolist() == []
