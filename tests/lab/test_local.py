"""The data files beside the checkout."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from lab import local
from lab.local import load_local
from lab.paths import ROOT
from tests.peers import found


def test_the_environment_names_the_folder_else_it_stands_beside_the_checkout(monkeypatch):
    """As the package guesses nothing, the folder is said to it."""
    monkeypatch.setenv("CASEBASE_DATA", "elsewhere")
    assert local.folder() == Path("elsewhere")

    monkeypatch.delenv("CASEBASE_DATA")
    assert local.folder() == ROOT.parent / "shared" / "data"


@pytest.mark.parametrize(
    ("name", "shape", "n_classes"),
    [
        ("zoo", (101, 16), 7),
        ("soybean", (683, 35), 19),
        ("glass", (214, 9), 6),
        ("votes", (435, 16), 2),
        ("dna", (3186, 180), 3),
    ],
)
def test_known_sets_have_the_published_sizes(name, shape, n_classes):
    """Cases, features and classes are those of the UCI documentation."""
    ds = found(load_local, name)

    assert ds.data.shape == shape
    assert len(set(ds.target)) == n_classes


def test_soybean_has_631_distinct_cases():
    """Without duplicates the set has the size that the IGTree paper reports."""
    ds = found(load_local, "soybean")

    assert len({(*row, label) for row, label in zip(ds.data, ds.target)}) == 631


def test_votes_has_the_published_balance():
    """267 democrats, 168 republicans; missing votes stay question marks."""
    ds = found(load_local, "votes")

    assert Counter(ds.target) == {"democrat": 267, "republican": 168}
    assert {str(value) for value in ds.data.flat} == {"y", "n", "?"}


def test_glass_is_measured():
    """Glass holds floats, none of them missing."""
    assert np.isfinite(found(load_local, "glass").data.astype(float)).all()
