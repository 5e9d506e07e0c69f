"""Words, their tags, and their classes of tags."""

import numpy as np
import pytest

from casebase.errors import CasebaseError
from casebase.tagging.lexicon import lexicon_of
from casebase.tagging.sentences import sentences_of

CORPUS = [
    "The/D dog/N walks/V ./P",
    "The/D walks/N help/V dogs/N ./P",
    "A/D dog/N dogs/V the/D Dog-2/N ./P",
    "dog/V the/D walks/N ./P",
]


def corpus():
    return sentences_of([[tuple(token.split("/")) for token in line.split()] for line in CORPUS], tagged=True)


def test_the_lexicon_of_a_small_corpus():
    """Frequencies and counts of tags are those counted by hand."""
    lexicon, _, _ = lexicon_of(corpus())
    words = lexicon.words.values.to_pylist()

    assert dict(zip(words, lexicon.frequency.tolist())) == {
        ".": 4,
        "A": 1,
        "Dog-2": 1,
        "The": 2,
        "dog": 3,
        "dogs": 2,
        "help": 1,
        "the": 2,
        "walks": 3,
    }
    assert lexicon.counts_of(words.index("walks")) == {"N": 2, "V": 1}


@pytest.mark.parametrize(("threshold", "expected"), [(5, "N;V"), (33, "N;V"), (34, "N"), (100, "N")])
def test_rare_tags_are_not_in_the_class(threshold, expected):
    """A tag needs its share of the word's occurrences; the most frequent one is always there."""
    lexicon, _, _ = lexicon_of(corpus(), threshold)

    assert lexicon.ambitag_texts(lexicon.find(lexicon.words.values.take([4]))).to_pylist() == [expected]


def test_words_that_are_not_there():
    """They have no number, and a class of their own."""
    lexicon, _, _ = lexicon_of(corpus())
    found = lexicon.find(sentences_of([["dog", "cat"]], tagged=False).words.dictionary)

    assert found.tolist() == [4, -1]
    assert lexicon.ambitag_texts(found).to_pylist() == ["N;V", "__"]


def test_the_most_frequent_words():
    """Of equally frequent ones the first in spelling."""
    lexicon, _, _ = lexicon_of(corpus())

    assert lexicon.words.values.filter(lexicon.most_frequent(4)).to_pylist() == [".", "The", "dog", "walks"]
    assert not lexicon.most_frequent(0).any()


@pytest.mark.parametrize(
    ("sentences", "threshold", "message"),
    [
        (sentences_of([["a"]], tagged=False), 5, "have no tags"),
        (corpus(), 101, "from 0 to 100; got 101"),
        (corpus(), 2.5, "whole number"),
    ],
)
def test_what_no_lexicon_is_made_of(sentences, threshold, message):
    """The message says what was expected."""
    with pytest.raises(CasebaseError, match=message):
        lexicon_of(sentences, threshold)


def test_tags_are_counted_by_word():
    """Every token is in the counts of its word."""
    lexicon, word, tag = lexicon_of(corpus())

    assert np.bincount(word).tolist() == lexicon.frequency.tolist()
    assert lexicon.tags.values.to_pylist() == ["D", "N", "P", "V"]
    assert len(tag) == 19
