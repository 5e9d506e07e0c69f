"""Scores of a tagger."""

import numpy as np
import pytest

from casebase.errors import CasebaseError
from casebase.tagging.scores import tagging_scores
from casebase.tagging.sentences import sentences_of

CORPUS = [[("the", "D"), ("old", "A"), ("run", "N")], [], [("run", "V"), ("!", "P")], [("run", "V")], []]


def scores(answered="D N V V P V", is_known=(True, True, True, False, True, True)):
    return tagging_scores(sentences_of(CORPUS, tagged=True), answered.split(), np.array(is_known))


def test_known_and_unknown_words_are_counted_apart():
    found = scores()
    assert (found.all.n_words, found.all.n_right) == (6, 4)
    assert (found.known.n_words, found.known.n_right) == (5, 3)
    assert (found.unknown.n_words, found.unknown.n_right) == (1, 1)
    assert scores(is_known=[True] * 6).unknown.accuracy is None


def test_sentences_without_error_are_counted_and_empty_ones_are_not():
    assert (scores().sentences.n_sentences, scores().sentences.n_right) == (3, 2)


def test_each_tag_has_its_score():
    found = {score.tag: (score.n_actual, score.n_answered, score.n_right) for score in scores().per_tag}
    assert found == {"A": (1, 0, 0), "D": (1, 1, 1), "N": (1, 1, 0), "P": (1, 1, 1), "V": (2, 3, 2)}
    assert next(score for score in scores().per_tag if score.tag == "A").precision is None


def test_confusions_stand_by_frequency_with_their_places():
    found = scores("N N V V N V").confusions
    assert [(c.actual, c.answered, c.n) for c in found] == [("A", "N", 1), ("D", "N", 1), ("N", "V", 1), ("P", "N", 1)]
    assert found[0].examples == ("the >old< run",)
    assert found[3].examples == ("run >!<",)


def test_the_most_frequent_confusion_stands_first():
    corpus = sentences_of([[("a", "A"), ("b", "B"), ("c", "B")]], tagged=True)
    found = tagging_scores(corpus, ["B", "A", "A"], np.ones(3, bool)).confusions
    assert [(c.actual, c.answered, c.n) for c in found] == [("B", "A", 2), ("A", "B", 1)]


def test_chunks_are_scored_where_the_tags_are_chunks():
    corpus = sentences_of([[("a", "B-NP"), ("b", "I-NP")], [("c", "O")]], tagged=True)
    found = tagging_scores(corpus, ["B-NP", "O", "O"], np.ones(3, bool))
    assert (found.chunks.all.n_actual, found.chunks.all.n_right) == (1, 0)
    assert scores().chunks is None
    assert found.to_dict()["chunks"]["f_score"] == 0.0


def test_answers_must_be_as_many_as_words():
    with pytest.raises(CasebaseError, match="each of the 6 words, got 2"):
        scores("D N")
