"""The fourteen days, and sets drawn at random."""

import numpy as np
import pytest

from casebase import datasets
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.weights import feature_weights


def test_weather_has_the_published_gains():
    """The information gains are those of Quinlan's paper and of every textbook since."""
    ds = datasets.load_weather()
    gains = feature_weights(Cases.from_table(ds.data, y=ds.target), "information_gain")
    assert gains.tolist() == pytest.approx([0.247, 0.029, 0.152, 0.048], abs=5e-4)


def test_weather_in_measurements():
    """The same days; hot is warmer than mild and mild than cool, high is damper than normal."""
    words, numbers = datasets.load_weather(), datasets.load_weather(numeric=True)
    assert (words.target == numbers.target).all()
    assert (words.data[:, [0, 3]] == numbers.data[:, [0, 3]]).all()
    temperature = {word: numbers.data[words.data[:, 1] == word, 1] for word in ("hot", "mild", "cool")}
    assert min(temperature["hot"]) > max(temperature["mild"]) > max(temperature["cool"])
    assert min(numbers.data[words.data[:, 2] == "high", 2]) > max(numbers.data[words.data[:, 2] == "normal", 2])


@pytest.mark.parametrize("make", [datasets.make_parity, datasets.make_conjunction])
def test_drawn_sets_follow_their_seed(make):
    """The same seed gives the same cases, another seed others."""
    one, again, other = make(50, seed=3), make(50, seed=3), make(50, seed=4)
    assert one.data.shape == (50, 8)
    assert (one.data == again.data).all()
    assert (one.data != other.data).any()


def test_parity_of_the_relevant_bits():
    """The class tells whether the number of ones among the first features is odd."""
    ds = datasets.make_parity(200, n_relevant=3, n_irrelevant=2, seed=1)
    n_ones = (ds.data[:, :3] == "1").sum(axis=1)
    assert (ds.target == np.where(n_ones % 2, "odd", "even")).all()
    assert ds.feature_names == ("relevant1", "relevant2", "relevant3", "irrelevant1", "irrelevant2")


def test_conjunction_of_the_relevant_bits():
    """The class tells whether the first features are all 1."""
    ds = datasets.make_conjunction(200, n_relevant=2, n_irrelevant=2)
    assert ((ds.target == "yes") == (ds.data[:, :2] == "1").all(axis=1)).all()
    assert 20 < (ds.target == "yes").sum() < 80


@pytest.mark.parametrize("size", [(0, 5, 3), (10, 0, 3), (10, 5, -1)])
def test_impossible_sizes(size):
    """The message says what is needed, and what came."""
    with pytest.raises(CasebaseError, match="1 or more cases"):
        datasets.make_parity(*size)
