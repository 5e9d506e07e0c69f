"""Sentences from lists, and parts of them."""

import numpy as np
import pytest

from casebase.errors import CasebaseError
from casebase.tagging.sentences import sentences_of

TAGGED = [[("The", "D"), ("dog", "N")], [], [("Stop", "V"), ("!", "P"), ("The", "D")]]


def test_tagged_words_become_columns():
    corpus = sentences_of(TAGGED, tagged=True)
    assert corpus.lists() == [["The", "dog"], [], ["Stop", "!", "The"]]
    assert corpus.lists(corpus.tags) == [["D", "N"], [], ["V", "P", "D"]]


def test_untagged_words_may_be_plain_texts():
    corpus = sentences_of([["The", "dog"], ["Stop"]], tagged=False)
    assert corpus.lists() == [["The", "dog"], ["Stop"]]
    assert corpus.tags is None


def test_columns_between_the_word_and_its_tag_are_kept():
    corpus = sentences_of([[("The", "DT", "B-NP"), ("dog", "NN", "I-NP")]], tagged=True)
    assert [column.to_pylist() for column in corpus.extra] == [["DT", "NN"]]
    assert corpus.tags.to_pylist() == ["B-NP", "I-NP"]
    untagged = sentences_of([[("The", "DT"), ("dog", "NN")]], tagged=False, n_extra=1)
    assert [column.to_pylist() for column in untagged.extra] == [["DT", "NN"]]


def test_some_sentences_are_taken_in_the_order_given():
    corpus = sentences_of(TAGGED, tagged=True).take(np.array([2, 0]))
    assert corpus.lists() == [["Stop", "!", "The"], ["The", "dog"]]
    assert corpus.lists(corpus.tags) == [["V", "P", "D"], ["D", "N"]]


@pytest.mark.parametrize(
    ("given", "tagged", "message"),
    [
        ([], True, "There are no words"),
        ([[]], True, "There are no words"),
        ("The dog", False, "Expected a list of sentences"),
        (["The dog"], False, r"Sentence 1: expected a list of words .* text.split\(\)"),
        ([["The"]], True, r"Sentence 1, token 1: expected \(word, tag\), got 'The'"),
        ([[("The", "D")], [("dog", "N"), ("barks", None)]], True, r"Sentence 2, token 2: .* \('barks', None\)"),
        ([[("The", "")]], True, r"Sentence 1, token 1: .* \('The', ''\)"),
        ([[("The", "DT", "B"), ("dog", "N")]], True, r"token 2: expected \(word, …, tag\)"),
        ([["The", 3]], False, "token 2: expected a word, got 3"),
        ([["a\ud800b"]], False, "lone surrogate"),
    ],
)
def test_what_is_wrong_is_named(given, tagged, message):
    with pytest.raises(CasebaseError, match=message):
        sentences_of(given, tagged=tagged)
