"""Sentences that are learned, forgotten and corrected: after each, the tagger is the one of a new fit."""

import random
from itertools import pairwise

import pytest

import casebase as cb
from casebase.errors import CasebaseError

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


def test_a_committee_is_corrected_and_not_trained():
    """A sentence of known tags is taken over by the live model: nothing is trained until the model is asked for."""
    draw = random.Random(1)
    corpus = [made_sentence(draw, False) for _ in range(30)]
    tagger = cb.Tagger().fit(corpus)
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
