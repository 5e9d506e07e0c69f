"""The features of a few words, asked one by one, are those that Arrow gives for many."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase import Tagger
from casebase.tagging.coded_text import looked_up
from casebase.tagging.features import DOTTED_I, FEW, KINDS, LATIN_END, NUMBERED, Describer, TagFeature, Text, is_latin
from casebase.tagging.lexicon import Lexicon, lexicon_of
from casebase.tagging.sentences import sentences_of

LETTERS = [chr(i) for i in range(1, ord(LATIN_END)) if chr(i) != DOTTED_I]
CORPUS = [
    [("Walk", "V"), ("the", "D"), ("über", "P"), ("walk", "N"), (".", ".")],
    [("The", "D"), ("walker", "N"), ("walked", "V"), ("Éire", "E"), ("12", "C"), (".", ".")],
    [("'", "'"), ("Walks", "V"), ("well-known", "A"), ("über", "R"), ("straße", "N")],
]
FEATURES = [
    TagFeature(kind, 0, n)
    for kind in KINDS
    if kind not in ("tag", "wordtag", "column")
    for n in ((1, 3) if kind in NUMBERED else (0,))
]


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return lexicon_of(sentences_of(CORPUS, tagged=True))[0]


def text_of(words: list[str], lexicon: Lexicon) -> Text:
    distinct = pa.array(words, pa.string())
    return Text(distinct, np.arange(len(words)), np.array([0, len(words)]), lexicon.find(distinct))


def describers(lexicon: Lexicon) -> list[Describer]:
    """All words told apart, some of them, and as MBT does it."""
    is_frequent = lexicon.most_frequent(4)
    return [
        Describer(lexicon),
        Describer(lexicon, is_frequent, False, is_frequent),
        Describer(lexicon, is_frequent, True),
    ]


def assert_few_as_many(words: list[str], lexicon: Lexicon) -> None:
    text = text_of(words, lexicon)
    assert text.few_words == words
    for describer in describers(lexicon):
        for feature in FEATURES:
            few = describer.few_values(feature, text)
            if few is None:  # bytes of letters beyond ASCII
                assert describer.as_bytes
                continue
            assert few == describer.values(feature, text).to_pylist(), feature


def test_every_latin_letter_has_the_features_that_arrow_gives(lexicon: Lexicon) -> None:
    """Python and Arrow agree on each letter for which Python is asked: its case, its kind, what it is in lower case."""
    for start in range(0, len(LETTERS), 12):  # as many as are asked together
        letters = LETTERS[start : start + 12]
        forms = ("{0}", "{0}walk", "walk{0}", "A1{0}{0}-b", "{0}9z")
        assert_few_as_many([form.format(letter) for letter in letters for form in forms], lexicon)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(st.text(LETTERS, min_size=1), st.from_regex(r"[A-Za-z0-9.'-]{1,12}", fullmatch=True)),
        min_size=1,
        max_size=9,
        unique=True,
    )
)
def test_words_of_latin_letters_have_the_features_that_arrow_gives(lexicon: Lexicon, words: list[str]) -> None:
    """Every feature of every word is the same, asked one by one or all at once."""
    assert_few_as_many(words, lexicon)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Walk", "Über", "the", "'", "«", ".", "WALK", "Zz", "-Walk", "éire", "Éire", "İ"]),
        min_size=1,
        max_size=6,
    )
)
def test_first_words_are_looked_up_alike(lexicon: Lexicon, words: list[str]) -> None:
    """A sentence among few words is looked up as it is among many."""
    many = [f"x{i}" for i in range(FEW)]
    one, first = sentences_of([words], tagged=False), sentences_of([words, many], tagged=False)
    few, of_many = (Text.of(given, lexicon) for given in (one, first))
    assert of_many.few_words is None

    found = looked_up(few, lexicon, few.lexical < 0)
    expected = looked_up(of_many, lexicon, of_many.lexical < 0)

    n = len(words)
    assert (
        found.words.take(pa.array(found.word)).to_pylist()
        == expected.words.take(pa.array(expected.word[:n])).to_pylist()
    )
    assert found.lexical[found.word].tolist() == expected.lexical[expected.word[:n]].tolist()


@pytest.mark.parametrize("word", ["Σ", "ǅ", DOTTED_I, "漢字", "ﬁ", "Ⅷ", "a\u0301"])
def test_other_letters_are_left_to_arrow(word: str, lexicon: Lexicon) -> None:
    """Unicode tables of other letters change with their version: one program is asked about them, few or many."""
    assert not is_latin(word)
    assert text_of(["walk", word], lexicon).few_words is None


@pytest.mark.parametrize(
    "options", [{}, {"compat": "mbt"}, {"known": "word tag-1 suffix2", "n_frequent": 0}, {"beam": 3}]
)
def test_a_sentence_alone_is_tagged_as_among_others(options: dict) -> None:
    """What a sentence's tags are does not depend on how many sentences are tagged with it."""
    tagger = Tagger(**options).fit(CORPUS)
    new = ["Walking", "über", "Überall", "3-fold", "Éire", "İ", "漢字", "walk", "'", "Σ", "straßen", "The"]
    sentences = [list(dict.fromkeys([new[i], *new[j:], "walked"])) for i in range(len(new)) for j in range(len(new))]
    sentences.append([f"word{i}" for i in range(2 * FEW)])

    assert [tagger.tag(sentence) for sentence in sentences] == tagger.tag_many(sentences)
