"""Loading or inspecting a model file reads and checks it once."""

import pytest
from click.testing import CliRunner

import casebase as cb
from casebase.base import files
from casebase.cli import cli
from casebase.tagging.tagger import Tagger

WORDS = ["ta-lo", "ka-la", "sa-na", "ta-la", "ka-sa"]
SENTENCES = [[("the", "DT"), ("dog", "NN"), ("barks", "VB")], [("a", "DT"), ("cat", "NN"), ("sleeps", "VB")]]


def classifier(path):
    cb.IB1Classifier().fit([["a", "x"], ["b", "y"]], ["P", "Q"]).save(path)


def hyphenator(path):
    cb.Hyphenator().fit(WORDS).save(path)


def tagger(path):
    Tagger().fit(SENTENCES).save(path)


@pytest.fixture(params=[classifier, hyphenator, tagger])
def model_file(request, tmp_path):
    path = tmp_path / "model.cb"
    request.param(path)
    return path


@pytest.fixture
def looks(monkeypatch):
    """The files that are mapped and the checksums that are taken, one entry each."""
    entries = []

    def counted(name, original):
        def look(*given):
            entries.append(name)
            return original(*given)

        return look

    for name in ("read_arrays", "checksum"):
        monkeypatch.setattr(files, name, counted(name, getattr(files, name)))
    return entries


def test_load(model_file, looks):
    """`casebase.load` finds out what a file holds and reads it at once."""
    cb.load(model_file)

    assert sorted(looks) == ["checksum", "read_arrays"]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_inspect(model_file, looks, options):
    """So does `casebase inspect`."""
    ran = CliRunner().invoke(cli, ["inspect", str(model_file), *options])

    assert ran.exit_code == 0, ran.output
    assert sorted(looks) == ["checksum", "read_arrays"]
