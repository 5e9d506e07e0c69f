"""Confidence: groups of held-out words, what they promise on a text that was not used, and where it is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from casebase.base.files import read, write
from casebase.datasets import DataNotFoundError
from casebase.errors import ModelFileError
from casebase.tagging.calibration import FEW_WORDS, N_HELD_OUT, parts, reliability
from casebase.tagging.committee import CommitteeSettings, fit
from casebase.tagging.corpora import read_corpus
from casebase.tagging.presets import WORDS
from casebase.tagging.sentences import Sentences, sentences_of
from casebase.tagging.tagger import Tagger
from lab.local import local_lines
from tests.oracles.committee import Committee

observations = st.lists(st.tuples(st.sampled_from([0.0, 1e-9, 0.1, 0.2, 0.5, 0.9]), st.booleans()), min_size=1)


@given(observations, st.integers(1, 9))
def test_groups_of_less_accuracy_have_more_doubt(observed, least):
    """Every word is in one group, by its doubt; none is smaller than asked, and none without an error is certain."""
    doubts, is_right = (np.array(column) for column in zip(*observed))
    groups = reliability(doubts, is_right, least=least)
    if len(observed) < least:
        assert groups is None
        return
    assert (groups.n_words >= least).all()
    assert (np.diff(groups.doubt) > 0).all()
    assert (np.diff(groups.accuracy) < 0).all()
    of = groups.of(doubts)
    for i in range(len(groups.doubt)):
        assert groups.n_words[i] == np.count_nonzero(of == i)
        assert groups.n_right[i] == np.count_nonzero(is_right[of == i])
        assert groups.accuracy[i] == (groups.n_right[i] + 1) / (groups.n_words[i] + 2)


def test_groups_follow_isotonic_regression():
    """On many words the groups say what scikit-learn's regression says, up to the size of the bins."""
    random = np.random.default_rng(0)
    doubts = random.random(20_000) ** 4
    is_right = random.random(20_000) > 0.8 * doubts
    groups = reliability(doubts, is_right)
    peer = IsotonicRegression(increasing=False).fit(doubts, is_right)
    said = groups.accuracy[groups.of(doubts)]
    assert np.abs(said - peer.predict(doubts)).mean() < 0.01
    assert np.abs(said - (1 - 0.8 * doubts)).mean() < 0.01


SENTENCES = [[("the", "D"), ("walk", "N"), (".", "P")], [("they", "R"), ("walk", "V"), (".", "P")]]


def test_held_out_sentences_are_not_learnt():
    """A small corpus is held out part by part; of a large one, runs of sentences are."""
    small = sentences_of(SENTENCES * 20, tagged=True)
    pieces = list(parts(small.first))
    assert len(pieces) == 5
    assert sorted(np.concatenate([held_out for _, held_out in pieces])) == list(range(40))
    assert all(not set(learnt) & set(held_out) and len(learnt) == 32 for learnt, held_out in pieces)

    n = (FEW_WORDS * 4) // 3 + 1
    words = small.words.take(np.arange(3 * n) % 120)
    large = Sentences(words, np.arange(n + 1) * 3, words)
    [(learnt, held_out)] = parts(large.first)
    assert not set(learnt) & set(held_out)
    assert abs(3 * len(held_out) - N_HELD_OUT) < 100
    assert len(learnt) == n - len(held_out)
    assert len(np.flatnonzero(np.diff(held_out) > 1)) <= 10


@pytest.mark.parametrize("words", [["walk", "they", "new"], ["The", "walk", "."]])
def test_doubt_is_the_share_of_the_other_tags(words):
    """The same shares as those of a committee of dictionaries; a word with one tag has no doubt."""
    corpus = [*SENTENCES, *SENTENCES, [("new", "J"), ("walk", "N")]] * 5
    model = fit(sentences_of(corpus, tagged=True), CommitteeSettings(**WORDS))
    naive = Committee(corpus, CommitteeSettings(**WORDS | {"early": {}}))  # doubts are those of all memories
    tags, doubts = model.tag_with_doubts(sentences_of([words], tagged=False))
    named = [model.tags.value(tag) for tag in tags]
    for i, doubt in enumerate(doubts):
        scores = naive.scores(words, [()] * 3, i, named)
        shares = {tag: np.exp(score - max(scores.values())) for tag, score in scores.items()}
        own = shares.pop(named[i])
        assert doubt == pytest.approx(sum(shares.values()) / (own + sum(shares.values())), rel=1e-9)


def test_support_of_the_memories_adds_up_to_the_decision():
    """In bits, for the tag against the strongest rival; the memories with the most support come first."""
    corpus = [*SENTENCES, *SENTENCES, [("new", "J"), ("walk", "N")]] * 3
    made = CommitteeSettings(**WORDS)
    model, naive = fit(sentences_of(corpus, tagged=True), made), Committee(corpus, made)
    reason = model.reasons(sentences_of([["they", "walk"]], tagged=False), 5)[1]
    scores = naive.scores(["they", "walk"], [(), ()], 1, ["R", reason.tag])
    evidence = reason.evidence
    odds = (scores[evidence.label] - scores[evidence.rival]) / np.log(2)
    assert sum(opinion.support for opinion in evidence.opinions) == pytest.approx(odds)
    supports = [opinion.support for opinion in evidence.opinions]
    assert supports == sorted(supports, reverse=True)
    assert evidence.rival == max((tag for tag in scores if tag != evidence.label), key=scores.get)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, ("V", 3, 7)),
        ({"compat": "mbt"}, ("V", 3, 0)),
        ({"known_learner": "ib1", "known_options": {"k": 3}}, ("D", 7, 13)),
    ],
)
def test_places_for_and_against_are_counted(parameters, expected):
    """Those with the tag in the context that decided, those with other tags in the one that speaks against it."""
    corpus = [[("they", "R"), ("walk", "V")]] * 3 + [[("the", "D"), ("walk", "N")]] * 7
    why = Tagger(**parameters).fit(corpus).explain(["they", "walk"], limit=2)[1]
    assert (why.tag, why.n_contexts, why.n_against) == expected
    assert {context.tag for context in why.contexts} == {why.tag}
    assert why.tag not in {context.tag for context in why.against}
    assert 1 <= len(why.contexts) <= 2
    assert len(why.against) == min(expected[2], 2)
    assert why.by_all_words
    assert "held-out words, in the lexicon or not" in str(why)


@pytest.mark.parametrize("parameters", [{}, {"compat": "mbt"}, {"known_learner": "tribl", "beam": 2}])
def test_confidence_is_kept_in_the_file(parameters, tmp_path):
    """It comes with the tags, which it does not change, and with the evidence; a tagger that learns has a new one."""
    tagger = Tagger(**parameters).fit([*SENTENCES, [("odd", "J"), ("walk", "N")]] * 40)
    text = [["the", "walk"], [], ["they", "walk", "oddly"]]
    pairs = tagger.tag_many(text, confidence=True)
    assert [[tag for tag, _ in sentence] for sentence in pairs] == tagger.tag_many(text)
    assert tagger.tag(text[0], confidence=True) == pairs[0]
    assert all(0 < sure < 1 for sentence in pairs for _, sure in sentence if sure is not None)
    assert pairs[0][0][1] is not None
    unknown = tagger.explain(text[2])[2]
    assert unknown.confidence is not None
    assert unknown.by_all_words
    assert not tagger.explain(text[2])[0].by_all_words

    tagger.save(tmp_path / "m.cb")
    loaded = Tagger.load(tmp_path / "m.cb")
    assert loaded.tag_many(text, confidence=True) == pairs
    why = loaded.explain(text[0])[0]
    assert (why.tag, why.confidence) == pairs[0][0] or parameters.get("beam") == 2
    assert "held-out words" in str(why)

    loaded.learn_many([[("the", "X")]] * 50)
    again = Tagger(**parameters).fit([*loaded.model_.corpus])
    assert loaded.tag_many(text, confidence=True) == again.tag_many(text, confidence=True) != pairs


def test_without_a_held_out_word_there_is_no_confidence():
    """Of a single sentence, no other can be held out; few words have a confidence far from certainty."""
    tagger = Tagger().fit(SENTENCES[:1])
    assert tagger.tag(["the", "zebra"], confidence=True) == list(zip(tagger.tag(["the", "zebra"]), [None, None]))
    n_words = sum(map(len, SENTENCES))
    for corpus in (SENTENCES, [*SENTENCES, []]):
        tagger = Tagger().fit(corpus)
        for _, sure in tagger.tag(["the", "zebra"], confidence=True):
            assert 1 / (n_words + 2) <= sure <= (n_words + 1) / (n_words + 2)
    assert tagger.tag([], confidence=True) == []
    assert tagger.tag_many([], confidence=True) == []


def test_a_file_with_groups_that_make_no_sense(tmp_path):
    """Its damage is said when it is read."""
    Tagger().fit(SENTENCES * 40).save(tmp_path / "m.cb")
    header, arrays = read(tmp_path / "m.cb")
    broken = dict(arrays._arrays)
    broken["calibration.known.n_right"] = broken["calibration.known.n_words"] + np.uint64(1)
    write(tmp_path / "m.cb", header, broken)
    with pytest.raises(ModelFileError, match="calibration is not made of groups"):
        Tagger.load(tmp_path / "m.cb")


TOLERANCE = 0.05


def test_what_is_said_is_what_is_right():
    """Parts of speech of news: in each range of confidence, the mean is within five points of the accuracy.

    The tagger learns from 60,000 words of the training file of CoNLL-2000, and tags the 40,000 that follow.
    """
    try:
        lines = [line.split() for line in local_lines("conll2000.train.txt.gz")]
    except DataNotFoundError as error:
        pytest.skip(str(error))
    text = "".join(f"{fields[0]}\t{fields[1]}\n" if fields else "\n" for fields in lines)
    corpus = read_corpus(text.encode()).sentences
    cut, end = np.searchsorted(corpus.first, [60_000, 100_000])
    learnt, tagged = corpus.take(np.arange(cut)), corpus.take(np.arange(cut, end))
    for parameters in ({}, {"compat": "mbt"}):
        tagger = Tagger(**parameters).fit(learnt)
        pairs = [pair for sentence in tagger.tag_many(tagged, confidence=True) for pair in sentence]
        is_right = np.array([tag for tag, _ in pairs]) == np.array(tagged.tags.to_pylist())
        said = np.array([sure for _, sure in pairs], dtype=float)
        assert not np.isnan(said).any()
        for low, high in ((0, 0.7), (0.7, 0.9), (0.9, 0.97), (0.97, 0.99), (0.99, 1)):
            rows = (said >= low) & (said < high)
            if rows.sum() > 400:
                assert said[rows].mean() == pytest.approx(is_right[rows].mean(), abs=TOLERANCE), (low, high)
        assert said.mean() == pytest.approx(is_right.mean(), abs=0.01)
        assert len(np.unique(said)) > 5
