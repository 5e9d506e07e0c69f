"""Data sets in CSV files of the data folder."""

import gzip

import pytest

from casebase import datasets
from casebase.errors import CasebaseError, FormatError


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

    with pytest.raises(datasets.DataNotFoundError, match=r"no folder .*nowhere\. .* CASEBASE_DATA"):
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


def test_a_folder_can_be_passed(tmp_path, monkeypatch):
    """It takes the place of the one that the environment names."""
    monkeypatch.setenv("CASEBASE_DATA", str(tmp_path / "nowhere"))
    (tmp_path / "pets.csv").write_text("legs,kind\n4,cat\n", encoding="utf-8")
    (tmp_path / "words.txt").write_text("ta-lo\n", encoding="utf-8")

    assert datasets.load_local("pets", folder=tmp_path).target.tolist() == ["cat"]
    assert datasets.local_lines("words.txt", folder=str(tmp_path)) == ["ta-lo"]


@pytest.mark.parametrize("load", [datasets.load_local, datasets.local_lines])
def test_without_a_folder_none_is_guessed(load, tmp_path, monkeypatch):
    """Neither the folder of the package nor the working directory has a say."""
    monkeypatch.delenv("CASEBASE_DATA", raising=False)
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "shared" / "data" / "zoo.csv").write_text("legs,kind\n4,cat\n", encoding="utf-8")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    with pytest.raises(
        datasets.DataNotFoundError, match=r"no data folder was given\. .* with folder=, or with .* CASEBASE_DATA"
    ):
        load("zoo")
