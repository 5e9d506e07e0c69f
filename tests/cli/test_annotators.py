"""The commands of the tagger on models that fill several columns."""

import pytest

import casebase as cb
from tests.tagging.test_annotator import TEXT


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.conllu").write_text(TEXT, encoding="utf-8")
    return tmp_path


def test_the_command_line(files, run):
    """Train, tag in the lines of the file and in new ones, evaluate, explain and inspect."""
    assert run("tagger", "train", "a.conllu", "-o", "m.cb", "--tags", "all", "--lemma").code == 0
    empty = TEXT.replace("\tdog\tNOUN\tNNS\tNumber=Plur\t1", "\t_\t_\t_\t_\t1")
    (files / "b.conllu").write_text(empty, encoding="utf-8")

    assert run("tagger", "tag", "m.cb", "b.conllu").out == TEXT.replace("dogs\t_", "dogs\tdog")
    assert "1\tdogs\tdog\tNOUN" in run("tagger", "tag", "m.cb", "-", stdin="dogs\n").out
    assert '"lemma": "dog"' in run("tagger", "tag", "m.cb", "--json", "b.conllu").out
    assert "LEMMA" in run("tagger", "evaluate", "m.cb", "a.conllu").out
    assert "dogs: dog" in run("tagger", "explain", "m.cb", "dogs").out
    assert "LEMMA: learned from 3 words" in run("inspect", "m.cb").out
    assert "it has no log" in run("log", "m.cb").err
    assert run("tagger", "train", "a.conllu", "-o", "m.cb", "--lemma", "--beam", "3").code == 2
    assert run("tagger", "tag", "m.cb", "b.conllu", "--to", "tsv").code == 2


def test_feats_are_tags(files, run):
    """`--tags feats` trains a tagger of one column; words without features have the tag `_`."""
    run("tagger", "train", "a.conllu", "-o", "f.cb", "--tags", "feats")
    assert cb.load("f.cb").tags_ == ["Number=Plur", "Tense=Pres", "_"]
    assert run("tagger", "tag", "f.cb", "a.conllu", "--tags", "feats").out == TEXT
