"""The weights of committees, fitted on held-out sentences: against the oracle's scores and against small steps."""

import numpy as np
import pytest

from casebase.tagging.committee import CommitteeSettings, fit
from casebase.tagging.presets import WORDS
from casebase.tagging.sentences import sentences_of
from casebase.tagging.tagger import Tagger
from lab.bench import tagger_weights as fitting
from tests.oracles.committee import Committee

WORD = ["walk", "walks", "the", "a", "dog", "dogs", "red"]
KNOWN = {"word tag-1": (0.5, 0.25), "ambitag+1 tag-1": (0.3, -0.1)}
UNKNOWN = {"suffix1 tag-1": (0.4, 0.7)}
SETTINGS = CommitteeSettings(**{**WORDS, "known": KNOWN, "early": {}, "unknown": UNKNOWN, "certain_from": None})


def drawn(seed, n_sentences, words=WORD):
    draw = np.random.default_rng(seed)
    return [
        [(str(draw.choice(words)), str(draw.choice(["N", "V", "D"]))) for _ in range(5)] for _ in range(n_sentences)
    ]


@pytest.fixture(scope="module")
def terms():
    learnt, held_out = drawn(1, 60), drawn(2, 40)
    model = fit(sentences_of(learnt, tagged=True), SETTINGS)
    return fitting.Terms.of(model, sentences_of(held_out, tagged=True), "known")


@pytest.mark.parametrize(("group", "memories"), [("known", KNOWN), ("unknown", UNKNOWN)])
def test_weighted_terms_are_the_scores(group, memories):
    """The share of the right tag is the one that dictionaries of contexts give it."""
    learnt, held_out = drawn(1, 30), drawn(3, 20, [*WORD, "cats", "blue", "x"])
    terms = fitting.Terms.of(
        fit(sentences_of(learnt, tagged=True), SETTINGS), sentences_of(held_out, tagged=True), group
    )
    weights = np.array([SETTINGS.start(group), *(weight for one in memories.values() for weight in one)])
    naive, expected = Committee(learnt, SETTINGS), []
    for sentence in held_out:
        words, tags = [word for word, _ in sentence], [tag for _, tag in sentence]
        for i, word in enumerate(naive.forms(words, lambda word: word not in naive.words)):
            scores = naive.scores(words, [()] * len(words), i, tags)
            if (word in naive.words) == (group == "known") and tags[i] in scores and len(scores) > 1:
                shares = {tag: np.exp(score) for tag, score in scores.items()}
                expected.append(shares[tags[i]] / sum(shares.values()))
    assert len(expected) > 5
    np.testing.assert_allclose(terms.shares(weights)[terms.is_right], expected, rtol=1e-4)


def test_derivatives_are_those_of_small_steps(terms):
    weights, step = np.array([0.5, 0.2, 0.1, -0.3, 0.4]), 1e-2
    rises = [
        (terms.log_loss(weights + step * one) - terms.log_loss(weights - step * one)) / (2 * step) for one in np.eye(5)
    ]
    np.testing.assert_allclose(terms.gradient(weights), rises, rtol=2e-2, atol=0.05)
    bends = [
        (terms.gradient(weights + step * one) - terms.gradient(weights - step * one)) / (2 * step) for one in np.eye(5)
    ]
    np.testing.assert_allclose(terms.curvature(weights), bends, rtol=2e-2, atol=0.05)


def test_second_derivatives_do_not_depend_on_blocks(terms, monkeypatch):
    whole = terms.curvature(np.ones(5))
    monkeypatch.setattr(fitting, "BLOCK", 7)
    np.testing.assert_allclose(terms.curvature(np.ones(5)), whole, rtol=1e-4)


def test_fitted_weights_are_a_minimum(terms):
    weights = fitting.fit_weights(terms, prior=2.0)
    assert np.abs(terms.gradient(weights) + 2.0 * weights).max() < 0.05
    assert terms.log_loss(weights) < terms.log_loss(np.zeros(5))


def test_elimination_misses_least():
    """Of a quadratic loss, what a column costs is the rise of the minimum without it."""
    draw = np.random.default_rng(4)
    root = draw.normal(size=(6, 6))
    curvature, best = root @ root.T + np.eye(6), draw.normal(size=6)

    def rise(kept):
        gone = np.setdiff1d(np.arange(6), kept)
        inner = curvature[np.ix_(gone, gone)] - curvature[np.ix_(gone, kept)] @ np.linalg.solve(
            curvature[np.ix_(kept, kept)], curvature[np.ix_(kept, gone)]
        )
        return best[gone] @ inner @ best[gone] / 2

    memories = [[c] for c in range(1, 6)]
    left = list(range(6))
    for n_left in (4, 3, 2, 1):  # columns leave one by one; column 0 stays
        left = min(([c for c in left if c != gone] for gone in left if gone), key=rise)
        assert fitting.eliminate(curvature, best, memories, n_left) == [int(c in left) for c in range(1, 6)]


def test_equal_memories_become_one():
    assert fitting.shortened(["word tag-1", "word tag-2", "tag-1 word", "stem"], [1, 1, 2, 0]) == {
        "word": 0,
        "tag-1 word": 2,
    }


def test_a_tiny_corpus_to_the_end():
    parts = [
        (sentences_of(drawn(seed, 40), tagged=True), sentences_of(drawn(seed + 9, 30), tagged=True))
        for seed in range(3)
    ]
    memories = ["word tag-1 ambitag+1", "tag-1 word", "suffix2 tag-1"]
    task = fitting.Task("known", memories, WORDS, parts, n_fitted=2, n_left=3)
    *lines, committee = task.run()
    assert [line.split(":")[0] for line in lines] == [
        "3 memories, 8 weights",
        f"{len(committee['known'])} memories, 4 weights",
        "a part that nothing was fitted on",
    ]
    assert sum(len(weights) for weights in committee["known"].values()) == 3
    assert all(any(full.startswith(features) for full in memories) for features in committee["known"])
    assert len(Tagger(committee=committee).fit(parts[0][0]).tag(["the", "dog"])) == 2
    shown = list(fitting.shown(committee, "known"))
    assert shown[0] == f'"known_start": {committee["known_start"]},'
    assert len(shown) == 1 + len(committee["known"])
