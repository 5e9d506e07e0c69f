"""Lemmas by edit scripts, beside the definition."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.errors import CasebaseError, ModelFileError
from casebase.tagging.lemmas.scripts import Script, script_of
from tests.oracles import lemmas as oracle

LETTERS = st.text("abAB", min_size=1, max_size=5)
TOKENS = st.lists(st.tuples(LETTERS, st.sampled_from("XY"), LETTERS), min_size=1, max_size=12)
SENTENCES = [[("Cities", "NOUN", "city"), ("grow", "VERB", "grow")], [("bodies", "NOUN", "body"), ("is", "AUX", "be")]]


@settings(max_examples=50)
@given(LETTERS, LETTERS)
def test_scripts_are_those_of_the_definition(word, lemma):
    """The longest common substring stays, in the case that changes the fewest letters."""
    script = script_of(word, lemma)

    assert (script.case, script.n_first, script.first, script.n_last, script.last) == oracle.script(word, lemma)
    assert Script.parse(script.text) == script
    assert script.apply(word) in (lemma, None)


@settings(max_examples=30)
@given(TOKENS, LETTERS, st.sampled_from("XY"))
def test_the_longest_known_ending_decides(corpus, word, tag):
    """The lemma of a new word is made by a script that most words with this ending have."""
    found = cb.Lemmatizer().fit([corpus]).lemmatize([word], [tag])[0]
    seen = [lemma for w, t, lemma in corpus if (w, t) == (word, tag)]
    if seen:
        assert found == max(dict.fromkeys(seen), key=seen.count)
        return
    votes = oracle.votes(corpus, word, tag)
    best = [Script(*one).apply(word) for one, n in votes.items() if n == max(votes.values())]
    assert found in best or not all(best)


def test_a_file_and_a_pickle_keep_everything(tmp_path):
    """The restored lemmatizer finds the same lemmas, and its file has the same bytes."""
    lemmatizer = cb.Lemmatizer().fit(SENTENCES)
    lemmatizer.save(tmp_path / "a.cb")
    for again in (cb.load(tmp_path / "a.cb"), pickle.loads(pickle.dumps(lemmatizer))):
        again.save(tmp_path / "b.cb")
        assert (tmp_path / "a.cb").read_bytes() == (tmp_path / "b.cb").read_bytes()
        assert again.lemmatize(["parties", "is"], ["NOUN", "AUX"]) == ["party", "be"]


def test_evidence_has_the_words_that_decided():
    """Of a new word the words with its ending, of a known one how often it occurred, and its other lemmas."""
    lemmatizer = cb.Lemmatizer().fit([*SENTENCES, [("is", "AUX", "is"), ("is", "AUX", "be")]])
    new, known = lemmatizer.explain("parties", "NOUN"), lemmatizer.explain("is", "AUX")

    assert (new.lemma, new.is_known, new.examples) == ("party", False, (("Cities", "city"), ("bodies", "body")))
    assert (known.lemma, known.n, known.rivals) == ("be", 2, (("is", 1),))
    assert cb.evidence_from_dict(new.to_dict()) == new
    assert "Cities → city" in str(new)


@pytest.mark.parametrize("token", [("a", "X"), ("a", "X", ""), ("a", "X", None), "aXb", ("a", 1, "b")])
def test_what_is_no_token_is_refused(token):
    """The message says where it stands."""
    with pytest.raises(CasebaseError, match="Sentence 1, token 1: expected"):
        cb.Lemmatizer().fit([[token]])


def test_bad_use_is_refused(tmp_path):
    """Nothing learned, nothing given, as many tags as words, and the file of something else."""
    with pytest.raises(CasebaseError, match="has learned nothing yet"):
        cb.Lemmatizer().lemmatize(["a"], ["X"])
    with pytest.raises(CasebaseError, match="There are no words"):
        cb.Lemmatizer().fit([])
    with pytest.raises(CasebaseError, match="as many tags"):
        cb.Lemmatizer().fit(SENTENCES).lemmatize(["a"], [])
    cb.Hyphenator(window=None).fit(["ta-lo"]).save(tmp_path / "h.cb")
    with pytest.raises(ModelFileError, match="not a lemmatizer"):
        cb.Lemmatizer.load(tmp_path / "h.cb")
