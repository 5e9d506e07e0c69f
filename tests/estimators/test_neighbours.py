"""`kneighbors` against a sort of all distances."""

import numpy as np
import pytest

import casebase as cb
from casebase.errors import CasebaseError

WEIGHTS = [3.0, 1.0, 0.5]


def by_brute_force(stored, asked, weights, n, skip=None):
    """Sort all stored rows by distance, then by row."""
    distances = [sum(w for w, a, b in zip(weights, row, asked) if a != b) for row in stored]
    nearest = sorted((d, i) for i, d in enumerate(distances) if i != skip)[:n]
    return [d for d, _ in nearest], [i for _, i in nearest]


@pytest.mark.parametrize("n", [1, 3, 12])
def test_neighbours_of_new_cases(weather, n):
    """Regression: every call raised a TypeError about unsigned counts."""
    rows, labels = weather
    new = [["sunny", "cool", "yes"], ["foggy", "hot", "no"], ["rainy", "mild", "no"]]
    distances, found = cb.IB1Classifier(weighting=WEIGHTS).fit(rows, labels).kneighbors(new, n)

    assert distances.shape == found.shape == (3, n)
    for i, case in enumerate(new):
        assert (distances[i].tolist(), found[i].tolist()) == by_brute_force(rows, case, WEIGHTS, n)


@pytest.mark.parametrize("n", [1, 3, 11])
def test_stored_cases_are_not_their_own_neighbours(weather, n):
    """Without X every stored case is asked about and left out."""
    rows, labels = weather
    distances, found = cb.IB1Classifier(weighting=WEIGHTS).fit(rows, labels).kneighbors(None, n)

    for i, case in enumerate(rows):
        assert (distances[i].tolist(), found[i].tolist()) == by_brute_force(rows, case, WEIGHTS, n, skip=i)


def test_twins_are_each_others_neighbours():
    """Leaving a case out leaves its identical cases in."""
    model = cb.IB1Classifier().fit([["a"], ["a"], ["b"]], ["P", "P", "Q"])
    distances, found = model.kneighbors()

    assert found[:2].tolist() == [[1], [0]]
    assert distances[:2].tolist() == [[0.0], [0.0]]


def test_equal_distances_come_in_the_order_of_the_rows():
    """Ties are listed by row, whatever the values."""
    model = cb.IB1Classifier(weighting="none").fit([["d"], ["c"], ["b"], ["a"]], ["P", "Q", "P", "Q"])

    assert model.kneighbors([["zz"]], 4)[1].tolist() == [[0, 1, 2, 3]]


def test_numbers_differ_by_a_share_of_their_range():
    """The range of the stored numbers is 1."""
    model = cb.IB1Classifier(weighting="none").fit(np.array([[0.0], [4.0], [10.0]]), ["a", "b", "c"])
    distances, found = model.kneighbors(np.array([[5.0]]), 3)

    assert distances[0] == pytest.approx([0.1, 0.5, 0.5])
    assert found.tolist() == [[1, 0, 2]]


def test_k_is_the_default_number(weather):
    """Without a number there are k neighbours; without distances only rows come back."""
    model = cb.IB1Classifier(k=4).fit(*weather)

    assert model.kneighbors([["sunny", "hot", "no"]], return_distance=False).shape == (1, 4)


@pytest.mark.parametrize(("X", "n", "limit"), [([["sunny", "hot", "no"]], 13, 12), (None, 12, 11)])
def test_more_neighbours_than_cases(weather, X, n, limit):
    """Asking for more than there are is an error that says how many there are."""
    with pytest.raises(CasebaseError, match=f"n_neighbors <= {limit}"):
        cb.IB1Classifier().fit(*weather).kneighbors(X, n)


def test_neighbours_are_positions_among_the_ids(weather):
    """A case of weight zero is not stored; `ids_` leads from a neighbour to its row."""
    rows, labels = weather
    model = cb.IB1Classifier(weighting=WEIGHTS).fit(rows, labels, sample_weight=[0, *[1] * 11])
    found = model.kneighbors([rows[1]], 1, return_distance=False)

    assert model.ids_[found].tolist() == [[1]]


def test_ids_are_rows_in_training_order(weather):
    """`ids_` numbers the stored cases as they were given."""
    assert cb.IB1Classifier().fit(*weather).ids_.tolist() == list(range(12))
