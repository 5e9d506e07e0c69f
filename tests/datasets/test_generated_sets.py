"""Data sets computed by rule: their sizes, balances and concepts are published facts."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from casebase import datasets
from casebase.errors import CasebaseError
from tests.oracles import c45, igtree

ALL = [
    datasets.load_tic_tac_toe,
    datasets.load_monks,
    datasets.load_parity,
    datasets.load_lenses,
    datasets.load_objects,
    datasets.load_clumps,
    datasets.load_tic,
]


@pytest.mark.parametrize("load", ALL)
def test_values_are_strings(load):
    """All values and classes are plain strings."""
    ds = load()

    assert ds.data.dtype == object
    assert {type(value) for value in ds.data.flat} == {str}
    assert ds.target.dtype.kind == "U"


@pytest.mark.parametrize("load", [load for load in ALL if load is not datasets.load_objects])
def test_no_case_occurs_twice(load):
    """A full space lists each of its members once."""
    ds = load()

    assert len({tuple(row) for row in ds.data}) == len(ds.data)


def test_tic_tac_toe_has_the_published_counts():
    """958 final boards; x wins 626, o wins 316 and 16 are drawn."""
    ds = datasets.load_tic_tac_toe()
    negative = ds.data[ds.target == "negative"]
    n_full = sum("b" not in row and Counter(row)["x"] == 5 for row in negative.tolist())

    assert Counter(ds.target.tolist()) == {"positive": 626, "negative": 332}
    assert n_full == 16
    assert ds.feature_names[0] == "top-left-square"
    assert ds.feature_names[4] == "middle-middle-square"
    assert "".join(ds.data[0]) == "xxxxooxoo"


def test_tic_tac_toe_boards_have_fair_numbers_of_moves():
    """x has as many stones as o, or one more; x wins only right after its own move."""
    ds = datasets.load_tic_tac_toe()
    ahead = (ds.data == "x").sum(axis=1) - (ds.data == "o").sum(axis=1)

    assert set(ahead[ds.target == "positive"]) == {1}
    assert set(ahead[ds.target == "negative"]) == {0, 1}


@pytest.mark.parametrize(("problem", "n_positive"), [(1, 216), (2, 142), (3, 228)])
def test_monks_have_the_published_counts(problem, n_positive):
    """The full space has 432 robots with the known number of positive ones."""
    ds = datasets.load_monks(problem)

    assert ds.data.shape == (432, 6)
    assert [len(set(column)) for column in ds.data.T] == [3, 3, 2, 3, 4, 2]
    assert (ds.target == "1").sum() == n_positive


@pytest.mark.parametrize("problem", [0, 4, "1"])
def test_other_monks_are_refused(problem):
    """There are three problems, numbered from 1."""
    with pytest.raises(CasebaseError, match="must be 1, 2 or 3"):
        datasets.load_monks(problem)


def test_parity_changes_with_each_relevant_bit_only():
    """Flipping a relevant bit flips the class; flipping an irrelevant one does not."""
    ds = datasets.load_parity(3, n_irrelevant=2)
    known = {tuple(row): label for row, label in zip(ds.data, ds.target)}

    assert len(known) == 32
    for row, label in known.items():
        for feature, bit in enumerate(row):
            flipped = (*row[:feature], "10"[int(bit)], *row[feature + 1 :])
            assert (known[flipped] != label) == (feature < 3)


@pytest.mark.parametrize(("n_relevant", "n_irrelevant"), [(0, 3), (5, -1), (15, 6)])
def test_impossible_parities_are_refused(n_relevant, n_irrelevant):
    """No relevant feature, a negative number or too large a space is an error that says so."""
    with pytest.raises(CasebaseError, match=f"got {n_relevant} and {n_irrelevant}"):
        datasets.load_parity(n_relevant, n_irrelevant)


def test_lenses_agree_with_the_published_table():
    """The lens of all 24 patients, young to presbyopic, as the table prints them."""
    published = ["NSNHNSNH", "NSNHNSNN", "NNNHNSNN"]  # none, soft or hard; a word for each age

    assert "".join(lens[0].upper() for lens in datasets.load_lenses().target) == "".join(published)


def test_objects_have_the_gains_of_the_paper():
    """To two decimals: size 0.75, shape 0.90, holes 1.10."""
    ds = datasets.load_objects()

    gains = [information_gain(column, ds.target) for column in ds.data.T]

    assert np.round(gains, 2).tolist() == [0.75, 0.9, 1.1]


def test_objects_make_trees_of_ten_and_thirteen_nodes():
    """IGTree has 10 whichever class wins a tie, holes first, then shape, then size; C4.5 has 13 before pruning."""
    ds = datasets.load_objects()
    rows, labels = ds.data.tolist(), ds.target.tolist()
    orders = itertools.permutations(sorted(set(labels)))

    assert {igtree.count_nodes(igtree.grow(rows, labels, [2, 1, 0], None, order)) for order in orders} == {10}
    assert igtree.count_nodes(c45.grow(rows, labels, min_cases=1, is_pruned=False)) == 13


def information_gain(values, labels):
    """Return the bits that the values tell about the labels."""
    parts = [labels[values == value] for value in set(values)]
    return entropy(labels) - sum(len(part) / len(labels) * entropy(part) for part in parts)


def entropy(labels):
    """Return the bits needed to say one of the labels."""
    shares = [n / len(labels) for n in Counter(labels.tolist()).values()]
    return -sum(share * math.log2(share) for share in shares)
