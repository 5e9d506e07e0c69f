"""Data sets in CSV files of the data folder."""

import gzip
from collections import Counter

import numpy as np
import pytest

from casebase import datasets
from casebase.datasets import _local
from casebase.errors import CasebaseError, FormatError

needs_folder = pytest.mark.skipif(
    not any(folder.is_dir() for folder in _local._folders()), reason="there is no data folder"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder."""
    monkeypatch.setenv("CASEBASE_DATA", str(tmp_path))
    return tmp_path


def test_last_column_is_the_class(folder):
    """The header names the features; the class column's name is dropped."""
    (folder / "pets.csv").write_text("legs,sound,kind\n4,?,cat\n2,tweet,bird\n", encoding="utf-8")

    ds = datasets.load_local("pets")

    assert ds.feature_names == ("legs", "sound")
    assert ds.data.tolist() == [["4", "?"], ["2", "tweet"]]
    assert ds.target.tolist() == ["cat", "bird"]


def test_compressed_files_are_read(folder):
    """A .csv.gz is known by the same short name."""
    with gzip.open(folder / "pets.csv.gz", "wt", encoding="utf-8") as file:
        file.write("legs,kind\n4,cat\n")

    assert datasets.load_local("pets", symbolic=False).data.tolist() == [[4.0]]


def test_unknown_name_says_where_it_looked(folder):
    """The error offers the nearest file and names the folder."""
    (folder / "zoo.csv").write_text("legs,kind\n4,cat\n", encoding="utf-8")

    with pytest.raises(datasets.DataNotFoundError, match="Did you mean 'zoo'") as caught:
        datasets.load_local("zooo")
    assert str(folder) in str(caught.value)
    assert isinstance(caught.value, CasebaseError)
    assert isinstance(caught.value, FileNotFoundError)


def test_missing_folder_is_named(tmp_path, monkeypatch):
    """The error names the folder it wanted and the variable that chooses another."""
    monkeypatch.setenv("CASEBASE_DATA", str(tmp_path / "nowhere"))

    with pytest.raises(datasets.DataNotFoundError, match=r"nowhere; set the .* CASEBASE_DATA"):
        datasets.load_local("zoo")


def test_a_line_of_another_width_is_refused(folder):
    """The error counts lines as an editor does."""
    (folder / "bad.csv").write_text("a,b,kind\n1,2,x\n1,x\n", encoding="utf-8")

    with pytest.raises(FormatError, match=r"bad.csv, line 3: expected 3 fields as in the header, got 2"):
        datasets.load_local("bad")


@pytest.mark.parametrize("text", ["", "a,kind\n", "kind\nx\n"])
def test_a_file_without_cases_is_refused(folder, text):
    """A header with a feature and at least one case are needed."""
    (folder / "empty.csv").write_text(text, encoding="utf-8")

    with pytest.raises(FormatError, match="expected a header"):
        datasets.load_local("empty")


@needs_folder
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
    ds = datasets.load_local(name)

    assert ds.data.shape == shape
    assert len(set(ds.target)) == n_classes


@needs_folder
def test_soybean_has_631_distinct_cases():
    """Without duplicates the set has the size that the IGTree paper reports."""
    ds = datasets.load_local("soybean")

    assert len({(*row, label) for row, label in zip(ds.data, ds.target)}) == 631


@needs_folder
def test_votes_has_the_published_balance():
    """267 democrats, 168 republicans; missing votes stay question marks."""
    ds = datasets.load_local("votes")

    assert Counter(ds.target) == {"democrat": 267, "republican": 168}
    assert {str(value) for value in ds.data.flat} == {"y", "n", "?"}


@needs_folder
def test_glass_is_measured():
    """Glass holds floats, none of them missing."""
    assert np.isfinite(datasets.load_local("glass").data.astype(float)).all()
