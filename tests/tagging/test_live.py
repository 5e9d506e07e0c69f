"""Sentences that are learned, forgotten and corrected: after each, the tagger is the one of a new fit."""

import pickle
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.errors import CasebaseError
from casebase.tagging.sentences import sentences_of

WORDS = ["The", "the", "walk", "walks", "walked", "Walk", "dog", "dogs", "Dog-2", "a", ".", "``", "He", "he", "run"]
WORDS += ["running", "Runs", "runner", "x9", "Éa", "éa"]
TAGS = ["D", "N", "V", "P"]
EAGER = {"frequent_from": 4, "hapax_limit": 2, "certain_from": 4}  # words change what they are after a few sentences
FORMS = {
    "words": ({}, False),
    "eager": ({"committee": EAGER}, False),
    "chunks": ({"committee": "chunks"}, True),
    "mbt": ({"compat": "mbt"}, False),
    "tribl": ({"known_learner": "tribl", "unknown_learner": "igtree", "n_frequent": 3}, False),
    "parts": ({"committee": {"known": {"word tag-1": 1.0}, "unknown": {"lastpart othercase stem": 1.0}}}, False),
}
MANY_WORDS = {"known": "wwdfWaw", "unknown": "psdwFWawchn", "n_frequent": 3}
CASE_BASES = {
    "mbt": ({"compat": "mbt"}, False),
    "defaults": ({"known": "ddfa"}, False),
    "words": (MANY_WORDS, False),
    "words, mbt": ({**MANY_WORDS, "compat": "mbt", "hapax_limit": 1, "beam": 3}, False),
    "all words": ({**MANY_WORDS, "n_frequent": 0, "known_learner": "ib1", "hapax_limit": 2}, False),
    "parts": (
        {
            "known": "word-1 wordclass stem tag-1 word+1",
            "unknown": "lastpart othercase suffix2 shape tag-1 prefix1 length",
            "n_frequent": 4,
            "hapax_limit": 1,
            "unknown_learner": "igtree",
        },
        False,
    ),
    "tribl": ({"known_learner": "tribl", "unknown_learner": "igtree", "ambiguity_threshold": 30}, False),
    "by classes": (
        {
            "known_learner": "ib1",
            "unknown_learner": "tribl",
            "known_options": {"k": 3, "metric": "mvdm", "vote": "inverse_distance"},
            "unknown_options": {"switch": 2, "weighting_below": "gain_ratio", "metric": "jeffrey", "k": 2},
        },
        False,
    ),
    "by classes, mbt": (
        {
            "compat": "mbt",
            "known_learner": "tribl",
            "known_options": {"switch": 2, "weighting": "chi_squared", "vote": "exponential", "k": 3},
            "unknown_options": {"metric": "mvdm", "k": 3, "vote": "inverse_linear", "weighting": "information_gain"},
        },
        False,
    ),
    "limit": (
        {"known_learner": "ib1", "known_options": {"feature_limit": 3, "k": 2}, "unknown_options": {"diversify": True}},
        False,
    ),
    "limit, mbt": (
        {"compat": "mbt", "known_options": {"feature_limit": 2, "weighting": "shared_variance"}, "hapax_limit": 0},
        False,
    ),
    "ignored": ({"unknown_options": {"metric": {"tag-1": "ignored"}}, "known_learner": "ib1"}, False),
    "columns": ({"known": "column1 tag-1 ambitag column1+1"}, True),
    "columns, mbt": ({"compat": "mbt"}, True),
}


def made_sentence(draw: random.Random, has_column: bool) -> list[tuple[str, ...]]:
    column = [(draw.choice("xyz"),)] if has_column else [()]
    return [(draw.choice(WORDS), *column[0], draw.choice(TAGS)) for _ in range(draw.randint(1, 6))]


def changed(corpus: list, tagger: cb.Tagger, draw: random.Random, has_column: bool) -> list:
    """Change a corpus and a tagger in the same way, and return the new corpus."""
    place, kind = draw.randrange(len(corpus)), draw.choice(["learn", "forget", "correct", "retag"])
    sentence = made_sentence(draw, has_column)
    if kind == "learn":
        tagger.learn(sentence)
        return [*corpus, sentence]
    if kind == "forget" and len(corpus) > 2:
        tagger.forget(place)
        return corpus[:place] + corpus[place + 1 :]
    if kind == "retag":
        sentence = [(*token[:-1], draw.choice(TAGS)) for token in corpus[place]]
    tagger.correct(place, sentence)
    return [*corpus[:place], sentence, *corpus[place + 1 :]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(2))
def test_after_each_change_the_tagger_is_that_of_a_new_fit(form, seed, tmp_path):
    """Tags, evidence and the saved bytes are equal after every step of a random sequence."""
    parameters, has_column = FORMS[form]
    draw = random.Random(seed)
    corpus = [made_sentence(draw, has_column) for _ in range(20)]
    tagger = cb.Tagger(**parameters).fit(corpus)
    for step in range(8):
        corpus = changed(corpus, tagger, draw, has_column)
        new = cb.Tagger(**parameters).fit(corpus)
        asked = [[t[:-1] if has_column else t[0] for t in made_sentence(draw, has_column)] for _ in range(4)]

        assert tagger.tag_many(asked) == new.tag_many(asked)
        if step % 3 == 2:
            assert tagger.explain_many(asked) == new.explain_many(asked)
            assert (tagger.n_words_, tagger.tags_, tagger.n_sentences_) == (new.n_words_, new.tags_, len(corpus))
    tagger.save(tmp_path / "changed.cb")
    new.save(tmp_path / "new.cb")
    assert (tmp_path / "changed.cb").read_bytes() == (tmp_path / "new.cb").read_bytes()


def answers(tagger: cb.Tagger, asked: list) -> list:
    """Return what the model that is asked says of sentences: tags, doubts and reasons."""
    text = sentences_of(asked, tagged=False)
    tags, doubts = tagger._asked.tag_with_doubts(text)
    reasons = [
        (one.tag, one.evidence.to_dict(), one.tokens.tolist(), one.n_tokens, one.against.tolist(), one.n_against)
        for one in tagger._asked.reasons(text, 3)
    ]
    return [tagger.tag_many(asked), tags.tolist(), doubts.tolist(), reasons]


@settings(max_examples=3, deadline=None)
@pytest.mark.parametrize("form", CASE_BASES)
@given(seed=st.integers(0, 2**32), n_steps=st.integers(1, 25))
def test_case_bases_after_many_changes_are_those_of_a_new_fit(form, seed, n_steps):
    """Tags, doubts, evidence and the saved bytes are equal after a long random sequence, whatever the options."""
    parameters, has_column = CASE_BASES[form]
    draw = random.Random(seed)
    corpus = [made_sentence(draw, has_column) for _ in range(draw.randint(6, 25))]
    tagger = cb.Tagger(**parameters).fit(corpus)
    for step in range(n_steps):
        corpus = changed(corpus, tagger, draw, has_column)
        asked = [[t[:-1] if has_column else t[0] for t in made_sentence(draw, has_column)] for _ in range(3)]
        if step % 4 == 0 or step == n_steps - 1:
            new = cb.Tagger(**parameters).fit(corpus)
            assert answers(tagger, asked) == answers(new, asked)
    assert pickle.dumps(tagger) == pickle.dumps(new)  # the bytes of the file are in it


def test_a_weighting_that_no_count_gives_is_learned_by_training():
    """Weights of relief, and a switch point by cross-validation, depend on all cases."""
    draw = random.Random(1)
    corpus = [made_sentence(draw, False) for _ in range(30)]
    for options in (
        {"unknown_options": {"weighting": "relief"}},
        {"known_learner": "tribl", "known_options": {"switch": "cv"}},
    ):
        tagger = cb.Tagger(**options).fit(corpus).learn(corpus[0])

        assert tagger._live is None
        assert tagger.tag_many([["the", "dog"]]) == cb.Tagger(**options).fit([*corpus, corpus[0]]).tag_many(
            [["the", "dog"]]
        )


def test_a_word_like_the_edge_of_a_sentence_is_told_from_it(tmp_path):
    """The word "==" has the value of places outside of a sentence; the places of its cases are found all the same."""
    corpus = [[("==", "P"), ("dog", "N"), ("runs", "V")], [("dog", "N"), ("==", "P")], [("dog", "V"), ("dog", "N")]]
    parameters = {"known": "word-1 tag-1 word", "unknown": "word-1 word+1", "n_frequent": 0, "hapax_limit": 0}
    tagger = cb.Tagger(**parameters).fit(corpus).learn([("==", "N"), ("runs", "V")])
    new = cb.Tagger(**parameters).fit([*corpus, [("==", "N"), ("runs", "V")]])

    assert answers(tagger, [["==", "dog"], ["cat"]]) == answers(new, [["==", "dog"], ["cat"]])


def test_a_gone_word_is_no_stem():
    """A forgotten word keeps its number, but is not found as the stem of others."""
    corpus = [[("walk", "V")], [("walked", "V"), ("dog", "N")], [("Walked", "N"), ("dog", "N")]]
    tagger = cb.Tagger(known="stem tag-1 ambitag").fit([*corpus, [("walked", "V"), ("dog", "N")]]).forget(0)

    assert tagger._live is not None
    assert tagger._live.describer._stem("walks") == "-"


@pytest.mark.parametrize("parameters", [{}, {"compat": "mbt"}, {"known": "ddfa"}])
def test_a_tagger_is_corrected_and_not_trained(parameters):
    """A sentence of known tags is taken over by the live model: nothing is trained until the model is asked for."""
    draw = random.Random(1)
    corpus = [made_sentence(draw, False) for _ in range(30)]
    tagger = cb.Tagger(**parameters).fit(corpus)
    trained = tagger.model_

    tagger.learn(corpus[0]).forget(3).correct(5, corpus[1])

    assert tagger._live is not None
    assert tagger._trained_model is trained
    tagger.tag(["The", "dog"])
    assert tagger._trained_model is trained


def test_a_new_tag_is_learned_by_training():
    """A tag that is not in the corpus changes the codes of all tags: the tagger is trained when it is next asked."""
    corpus = [[("the", "D"), ("dog", "N")], [("dogs", "N"), ("run", "V")]]
    tagger = cb.Tagger().fit(corpus).learn([("oh", "UH")])

    assert tagger._live is None
    assert tagger.tag(["oh"]) == ["UH"]
    assert tagger.learn([("dogs", "N")])._live is not None


def test_an_earlier_tagger_keeps_its_answers():
    """`after` leaves the tagger as it was, also when corrections were made from it twice."""
    corpus = [[("the", "D"), ("walk", "N")], [("they", "R"), ("walk", "V")], [("the", "D"), ("run", "N")]]
    first = cb.Tagger().fit(corpus)
    states = [first]
    for word in ("jump", "fly", "swim"):
        states.append(states[-1].after([[("they", "R"), (word, "V")]], ()))
    again = states[1].after([[("oh", "D"), ("fly", "N")]], ())

    sizes = [state.n_sentences_ for state in states]
    assert sizes == [3, 4, 5, 6]
    assert again.corpus_.n_sentences == 5
    for state, word in pairwise([*states, again]):
        asked = [["they", "fly"], ["the", "swim"]]
        assert state.tag_many(asked) == cb.Tagger().fit(list(state.corpus_)).tag_many(asked)
        assert word is not state


@pytest.mark.parametrize("place", [4, -1, True, "0", 1.5])
def test_a_place_without_a_sentence_is_refused(place):
    """The message says which sentences there are, and nothing changes."""
    tagger = cb.Tagger().fit([[("a", "D")], [("dog", "N")]])

    with pytest.raises(CasebaseError, match="There is no sentence"):
        tagger.correct(place, [("a", "D")])
    with pytest.raises(CasebaseError, match="There is no sentence"):
        tagger.forget([0, place])
    assert tagger.n_sentences_ == 2


def test_the_last_sentence_cannot_be_forgotten():
    """A tagger without a corpus would have no tags."""
    tagger = cb.Tagger().fit([[("a", "D")], [("dog", "N")]])

    with pytest.raises(CasebaseError, match="cannot forget its last sentence"):
        tagger.forget([0, 1])


@pytest.mark.parametrize("parameters", [{}, {"compat": "mbt"}])
def test_a_tagger_without_its_corpus_tags_the_same(parameters, tmp_path):
    """It is smaller, and says why it cannot be corrected and cannot explain."""
    draw = random.Random(3)
    corpus = [made_sentence(draw, False) for _ in range(200)]
    tagger = cb.Tagger(**parameters).fit(corpus)
    tagger.save(tmp_path / "whole.cb")
    tagger.save(tmp_path / "lean.cb", corpus=False)
    lean = cb.load(tmp_path / "lean.cb")
    asked = [[token[0] for token in sentence] for sentence in corpus[:20]]

    assert (tmp_path / "lean.cb").stat().st_size < (tmp_path / "whole.cb").stat().st_size
    assert lean.tag_many(asked, confidence=True) == tagger.tag_many(asked, confidence=True)
    assert lean.summary()["tags"][0] == tagger.summary()["tags"][0]
    for refused in (lambda: lean.learn(corpus[0]), lambda: lean.forget(0), lambda: lean.explain(["the"])):
        with pytest.raises(CasebaseError, match="saved without its corpus"):
            refused()
    lean.save(tmp_path / "again.cb")
    assert (tmp_path / "again.cb").read_bytes() == (tmp_path / "lean.cb").read_bytes()
