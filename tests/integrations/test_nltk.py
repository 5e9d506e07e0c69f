"""The tagger with NLTK's interface."""

import pickle

import pytest

import casebase as cb
from casebase.errors import CasebaseError

nltk_tag = pytest.importorskip("nltk.tag.api")
from casebase.integrations.nltk import NLTKTagger  # noqa: E402

CORPUS = [[("The", "DT"), ("dog", "NN"), ("runs", "VBZ")], [("The", "DT"), ("run", "NN")]]


def test_it_is_a_tagger_of_nltk():
    """NLTK's own functions work with it: the accuracy, and the scores of each tag."""
    tagger = NLTKTagger.train(CORPUS, beam=2)

    assert isinstance(tagger, nltk_tag.TaggerI)
    assert tagger.tag(["The", "dog"]) == [("The", "DT"), ("dog", "NN")]
    assert tagger.tag_sents([["The"], []]) == [[("The", "DT")], []]
    assert tagger.accuracy(CORPUS) == 1.0
    assert tagger.confusion(CORPUS)["DT", "DT"] == 2


def test_it_is_saved_and_loaded(tmp_path):
    """A model file, or a pickle."""
    tagger = NLTKTagger.train(CORPUS)
    tagger.tagger.save(tmp_path / "t.cb")

    assert NLTKTagger.load(tmp_path / "t.cb").tag(["dog"]) == [("dog", "NN")]
    assert pickle.loads(pickle.dumps(tagger)).tag(["dog"]) == [("dog", "NN")]


def test_what_is_no_tagger_is_refused():
    """A hyphenator, or words without tags."""
    with pytest.raises(CasebaseError, match=r"Expected a casebase.Tagger, got Hyphenator"):
        NLTKTagger(cb.Hyphenator())
    with pytest.raises(CasebaseError, match="expected \\(word, tag\\)"):
        NLTKTagger.train([[("The", None)]])
