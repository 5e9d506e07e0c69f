"""Committees of memories, against a version with dictionaries of contexts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.errors import CasebaseError
from casebase.tagging.coded_text import looked_up
from casebase.tagging.committee import CommitteeSettings, fit
from casebase.tagging.features import Text
from casebase.tagging.lexicon import lexicon_of
from casebase.tagging.presets import CHUNKS, COMMITTEES, WORDS
from casebase.tagging.sentences import sentences_of
from tests.oracles.committee import Committee

words = st.sampled_from(["walk", "Walks", "walks", "walked", "The", "the", ".", "a", "A", "x-9", "été", "Übel"])
tags = st.sampled_from(["N", "V", "D"])
corpora = st.lists(st.lists(st.tuples(words, tags), min_size=1, max_size=6), min_size=1, max_size=8)
texts = st.lists(
    st.lists(words | st.sampled_from(["new", "New", "walkers"]), min_size=1, max_size=6), min_size=1, max_size=4
)
WAYS = [
    {},
    {"frequent_from": 2, "certain_from": 2, "hapax_limit": 1, "least_share": 0.2},
    {"certain_from": None, "hapax_limit": 0, "splits_pure": ("known",), "unknown": {}, "lowers_first": False},
    {"form": {}, "splits_pure": (), "certain_from": 1, "known_caution": (0.5, 1.0), "frequent_from": 3},
    {
        "known": {"word tag-1": 1.0, "ambitag+1 word": 0.5},
        "known_start": None,
        "early": {},
        "unknown": {"suffix2 tag-1": (0.3, 2)},
    },
    {"early": {"lower": 0.5, "tag-1 tag-2": (1.0, -0.5)}, "early_start": None, "early_share": 0.6},
]


def answers(model, text):
    given_text = sentences_of(text, tagged=False)
    found = model.tags.values.to_pylist()
    flat = [found[code] for code in model.tag(given_text)]
    return [flat[a:b] for a, b in zip(given_text.first[:-1], given_text.first[1:])]


@pytest.mark.parametrize("changes", WAYS)
@settings(max_examples=30)
@given(corpus=corpora, text=texts)
def test_words_are_tagged_as_by_dictionaries(changes, corpus, text):
    """Every tag is one with the highest belief, given the tags before it."""
    made = CommitteeSettings(**WORDS | changes)
    model, naive = fit(sentences_of(corpus, tagged=True), made), Committee(corpus, made)
    for sentence, tagged in zip(text, answers(model, text)):
        for i, tag in enumerate(tagged):
            scores = naive.scores(sentence, [()] * len(sentence), i, tagged)
            assert scores[tag] >= max(scores.values()) - 1e-9


@settings(max_examples=30)
@given(
    corpus=st.lists(
        st.lists(st.tuples(words, st.sampled_from("xy"), tags), min_size=1, max_size=6), min_size=1, max_size=6
    )
)
def test_chunks_are_tagged_as_by_dictionaries(corpus):
    """The same with further columns, which the corpus itself has here."""
    made = CommitteeSettings(**CHUNKS)
    model, naive = fit(sentences_of(corpus, tagged=True), made), Committee(corpus, made)
    untagged = [[token[:-1] for token in sentence] for sentence in corpus]
    for sentence, tagged in zip(untagged, answers(model, untagged)):
        for i, tag in enumerate(tagged):
            scores = naive.scores([w for w, _ in sentence], [(c,) for _, c in sentence], i, tagged)
            assert scores[tag] >= max(scores.values()) - 1e-9


def test_first_words_are_looked_up_in_lower_case():
    """A new word at the beginning, or behind a first mark, is the one in lower case if that is known."""
    lexicon, _, _ = lexicon_of(sentences_of([[("dog", "N"), ("Rex", "N"), ("``", "P")]], tagged=True))
    text = Text.of(sentences_of([["Dog", "Dog"], ["``", "Dog"], ["Rex"], ["Cat"]], tagged=False), lexicon)
    forms = looked_up(text, lexicon, text.lexical < 0)

    assert forms.words.take(forms.word).to_pylist() == ["dog", "Dog", "``", "dog", "Rex", "Cat"]
    assert forms.is_known.tolist() == [True, False, True, True, True, False]


def test_evidence_says_what_each_memory_met():
    """Beliefs, the deepest context of each memory, and where in the corpus the narrowest stands."""
    corpus = [[("the", "D"), ("walk", "N")], [("they", "P"), ("walk", "V")]] * 3
    known = {"word tag-1 ambitag+1": (0.16, 0.08, 0.18), "wordclass-1 wordclass+1": (0.02, 0.23)}
    settings = CommitteeSettings(**WORDS | {"known": known, "known_start": 0.69, "early": {}})
    model = fit(sentences_of(corpus, tagged=True), settings)
    article, noun = model.reasons(sentences_of([["the", "walk"]], tagged=False), 5)

    assert (noun.tag, noun.is_known) == ("N", True)
    assert max(noun.evidence.distribution, key=noun.evidence.distribution.get) == "N"
    opinions = {opinion.features: opinion for opinion in noun.evidence.opinions}
    memory = opinions["word", "tag-1", "ambitag+1"]
    assert (memory.values[:2], memory.n_matched, memory.counts) == (("walk", "D"), 2, {"N": 3})
    assert memory.weights == (0.16, 0.08, 0.18)
    word = opinions["word",]
    assert (word.values, word.counts, word.weights, word.support) == (("walk",), {"N": 3, "V": 3}, (0.69,), 0.0)
    assert noun.tokens.tolist()[:3] == [1, 5, 9]
    assert "word = walk, tag-1 = D: N 3" in str(noun.evidence)
    assert article.evidence.to_dict()["kind"] == "committee"


def test_evidence_of_early_memories():
    """Where a few memories are sure, they are the reason; where they are not, all memories are."""
    corpus = [[("the", "D"), ("walk", "N")], [("they", "P"), ("walk", "V")]] * 30
    settings = CommitteeSettings(**WORDS)
    model = fit(sentences_of(corpus, tagged=True), settings)
    _, sure = model.reasons(sentences_of([["the", "walk"]], tagged=False), 5)
    (unsure,) = model.reasons(sentences_of([["walk"]], tagged=False), 5)

    assert [len(reason.evidence.opinions) for reason in (sure, unsure)] == [1 + len(WORDS["early"]), 11]
    for reason, group in ((sure, "early"), (unsure, "known")):
        assert {opinion.weights for opinion in reason.evidence.opinions} == {
            (settings.start(group),),
            *(weights for _, weights in settings.patterns(group)),
        }
    assert max(sure.evidence.distribution.values()) >= settings.early_share > max(unsure.evidence.distribution.values())


def test_doubts_are_those_of_all_memories():
    """How sure a tag is does not depend on how it was found."""
    corpus = [[("the", "D"), ("walk", "N")], [("they", "P"), ("walk", "V")]] * 30
    text = sentences_of([["the", "walk"], ["they", "walk"]], tagged=False)
    with_early, without = (
        fit(sentences_of(corpus, tagged=True), CommitteeSettings(**WORDS | changes)) for changes in ({}, {"early": {}})
    )
    (tags, doubts), (same_tags, same_doubts) = (model.tag_with_doubts(text) for model in (with_early, without))

    assert tags.tolist() == same_tags.tolist()
    assert doubts.tolist() == same_doubts.tolist()


def test_evidence_of_what_was_never_met():
    """A value that no context has is shown as it is; a word with one tag rests on all its places."""
    corpus = [[("the", "D"), ("walk", "N"), (".", "P")], [("they", "P"), ("walk", "V"), (".", "P")]] * 12
    model = fit(sentences_of(corpus, tagged=True), CommitteeSettings(**WORDS | {"hapax_limit": 0}))
    new, mark = model.reasons(sentences_of([["zebra", "."]], tagged=False), 5)

    assert "suffix3 = bra: never met" in str(new.evidence)
    assert mark.evidence.was_certain
    assert mark.n_tokens == 24


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"known": {}}, "known is a dict of memories"),
        ({"known": ["word"]}, "known is a dict of memories"),
        ({"known": {"word": 0}}, "weight of the memory 'word' is a positive number, .*; got 0"),
        ({"known": {"word tag-1": [1.0]}}, "weights of the memory 'word tag-1' are 2 numbers"),
        ({"known": {"word": ["1"]}}, "weights of the memory 'word' are 1 numbers"),
        ({"known_start": "much"}, "known_start is a weight, a number, or None; got 'much'"),
        ({"known": {"wrd": 1.0}}, "Unknown feature 'wrd'"),
        ({"form": {"tag-1": 1.0}}, "asks for tags"),
        ({"known_caution": (0, 0)}, "known_caution is two numbers"),
        ({"form_caution": 3}, "form_caution is two numbers"),
        ({"certain_from": -1}, "certain_from is a number of occurrences"),
        ({"least_share": 0}, "least_share is the share"),
        ({"early": ["word"]}, "early is a dict of memories"),
        ({"early": {"tag-2": 1.0}}, "memory 'tag-2' of early is the beginning of none of the memories of known"),
        ({"known": {"word": 1.0}}, "beginning of none of the memories of known, which are 'word'"),
        ({"early_share": 0}, "early_share is the share of a tag that decides early: .* got 0"),
        ({"early_share": True}, "early_share is the share"),
        ({"early_start": "much"}, "early_start is a weight"),
        ({"splits_pure": ["knwn"]}, "splits_pure is a list of form"),
    ],
)
def test_settings_that_are_refused(changes, message):
    """The message says what was expected."""
    with pytest.raises(CasebaseError, match=message):
        CommitteeSettings(**WORDS | changes)


@pytest.mark.parametrize("name", COMMITTEES)
def test_the_committees_that_were_found_best(name):
    """Their settings are complete, and are accepted."""
    assert set(COMMITTEES[name]) == set(CommitteeSettings.__dataclass_fields__)
    assert CommitteeSettings(**COMMITTEES[name]).patterns("known")


def test_a_corpus_without_the_columns():
    """A committee of chunks needs tagged words."""
    with pytest.raises(CasebaseError, match="use 1 columns beside the words, but the corpus has 0"):
        fit(sentences_of([[("a", "N")]], tagged=True), CommitteeSettings(**CHUNKS))


def test_threads_and_beams():
    """Threads change nothing; a beam keeps every sentence's length."""
    rng = np.random.default_rng(0)
    corpus = [[(f"w{a}", "NVD"[(a + b) % 3]) for a, b in rng.integers(0, 9, (6, 2))] for _ in range(200)]
    model = fit(sentences_of(corpus, tagged=True), CommitteeSettings(**WORDS))
    text = sentences_of([[f"w{a}" for a in rng.integers(0, 12, 7)] for _ in range(300)], tagged=False)

    assert model.tag(text, n_jobs=4).tolist() == model.tag(text).tolist()
    assert model.tag(text, beam=3, n_jobs=2).tolist() == model.tag(text, beam=3).tolist()
