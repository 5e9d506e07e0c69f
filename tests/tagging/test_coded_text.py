"""Texts as codes: what the core works out for many words is what is worked out for each."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase import _native
from casebase.data.arrays import as_strings
from casebase.tagging.coded_text import NEVER_SEEN, SPELLED, CodedText
from casebase.tagging.committee import CommitteeSettings, describer_of, fit
from casebase.tagging.features import TagFeature, Text
from casebase.tagging.lexicon import FEW, lexicon_of
from casebase.tagging.presets import WORDS
from casebase.tagging.sentences import sentences_of

letters = st.text(st.sampled_from("abAB9-.'éÜßİ"), min_size=1, max_size=9)
corpora = st.lists(st.tuples(letters, st.sampled_from("NVD")), min_size=1, max_size=40)
features = [TagFeature("ambitag"), TagFeature("wordclass")] + [
    TagFeature(kind, 0, n) for kind in sorted(SPELLED) for n in ((1, 3, 12) if kind in ("prefix", "suffix") else (0,))
]


def text_of(words, lexicon):
    return Text.of(sentences_of([words], tagged=False), lexicon)


@settings(max_examples=60)
@given(corpus=corpora, words=st.lists(letters, min_size=1, max_size=40))
def test_values_of_the_spelling_of_many_words(corpus, words):
    """The core and Arrow describe a word alike, and values that training did not see are not there."""
    lexicon, word, _ = lexicon_of(sentences_of([corpus], tagged=True))
    training = Text(lexicon.words.values, word, np.array([0, len(word)]), np.arange(len(lexicon)))
    describer = describer_of(lexicon, CommitteeSettings(**WORDS | {"frequent_from": 2}))
    coder = CodedText.training(describer, training, features).coder
    many = [*words, *(f"{word}{i}-{word}" for i in range(FEW + 1) for word in words[:1])]
    text = text_of(many, lexicon)
    assert text.few_words is None
    for feature in features:
        vocabulary = coder.vocabularies[feature.base]
        expected = vocabulary.encode(describer.values(feature, text)).astype(np.int64)
        expected[expected == vocabulary.unknown] = NEVER_SEEN
        assert coder.of_entries(feature, text).tolist() == expected.tolist(), feature


@given(st.lists(letters, max_size=30), st.lists(letters, max_size=30))
def test_texts_are_found_by_their_bytes(texts, asked):
    """As in a dictionary."""
    given_texts = list(dict.fromkeys(texts))
    number = {text: i for i, text in enumerate(given_texts)}
    found = _native.TextIndex(*arrays_of(given_texts)).find(*arrays_of(asked))
    assert found.tolist() == [number.get(text, -1) for text in asked]


def arrays_of(texts):
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    return np.frombuffer(b"".join(encoded) or b" ", np.uint8), offsets


@pytest.mark.parametrize("offsets", [[], [0, 3], [1, 0], [-1, 1]])
def test_texts_that_are_not_there(offsets):
    with pytest.raises(ValueError, match=r"offsets|not among the bytes"):
        _native.TextIndex(np.zeros(2, np.uint8), np.array(offsets, np.int32))


def test_kinds_and_classes_that_are_not_there():
    index, classes = _native.TextIndex(*arrays_of(["a", "b"])), arrays_of(["N"])
    with pytest.raises(ValueError, match="every word of a lexicon"):
        _native.Spelling(index, np.zeros(1, np.int64), *classes)
    with pytest.raises(ValueError, match="a class is out of range"):
        _native.Spelling(index, np.array([0, 1]), *classes)
    spelling = _native.Spelling(index, np.zeros(2, np.int64), *classes)
    with pytest.raises(ValueError, match="no such kind"):
        spelling.codes("colour", 0, index, *classes, 0, 0)


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    return fit(sentences_of(corpus_of(rng, 900), tagged=True), CommitteeSettings(**WORDS | {"hapax_limit": 2}))


def corpus_of(rng, n):
    """Sentences of 7 words, common and rare ones, whose tags depend on the word and on the one before."""
    drawn = np.minimum(rng.zipf(1.3, (n, 7)), 4000)
    return [
        [
            (f"{'Ww'[a % 2]}ord{a}{'sé'[a % 3 == 0]}", "NVDPJ"[(a * 7 + b // 3) % 5])
            for a, b in zip(row, np.roll(row, 1))
        ]
        for row in drawn.tolist()
    ]


def texts_of(seed, n):
    return [[word for word, _ in sentence] for sentence in corpus_of(np.random.default_rng(seed), n)]


def test_long_texts_are_tagged_as_their_sentences(model):
    """Trees are searched by an index, and words described by the core, where there are many; the tags are the same."""
    text = texts_of(2, 600) * 16
    few = [tag for sentence in text[:600] for tag in model.tag(sentences_of([sentence], tagged=False)).tolist()] * 16
    long = sentences_of(text, tagged=False)
    assert model.tag(long).tolist() == few
    assert model.tag(long, n_jobs=3).tolist() == few
    assert pickle.loads(pickle.dumps(copy.deepcopy(model))).tag(long).tolist() == few


def test_threads_share_what_is_kept(model):
    """Several threads that tag with a new model at the same time find the same candidates, and the same index."""
    texts = [sentences_of(texts_of(seed, 600) * 8, tagged=False) for seed in (3, 4, 5)]
    expected = [model.tag(text).tolist() for text in texts]
    fresh, answers = copy.deepcopy(model), [[] for _ in texts]

    def work(i):
        answers[i] = fresh.tag(texts[i], n_jobs=2).tolist()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == expected


def test_candidates_are_kept_for_the_lexicon_of_the_committee(model):
    with pytest.raises(ValueError, match="kept for the words of the lexicon"):
        _native.tag_by_committee(
            **model._arguments(model._coded(sentences_of([["Word1s"]], tagged=False))),
            form_of_word=True,
            kept=_native.KeptCandidates(1),
            beam=1,
            n_threads=1,
        )


def test_bytes_of_texts_that_are_part_of_others():
    lexicon, _, _ = lexicon_of(sentences_of([[("a", "N"), ("bc", "N")]], tagged=True))
    words = as_strings(["x", *["a", "bc", "é"] * FEW])[1:]
    assert lexicon.find(words).tolist() == [0, 1, -1] * FEW
