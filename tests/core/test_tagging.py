"""The compiled loop, against asking the learners one token after the other."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import settings as searched
from hypothesis import strategies as st

from casebase import _native
from casebase.tagging.case_bases import TaggerSettings, fit
from casebase.tagging.features import Pattern, Text, questions
from casebase.tagging.sentences import sentences_of
from tests.oracles import tagging as oracle

WORDS, TAGS = ["a", "b", "Bb", "c-1", "dd", "é"], ["N", "V", "D"]
sentence = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(TAGS)), min_size=1, max_size=6)
corpora = st.lists(sentence, min_size=1, max_size=8)
texts = st.lists(st.lists(st.sampled_from([*WORDS, "x", "X-9"]), max_size=6), max_size=4).map(lambda t: [["a"], *t])
LEARNERS = [
    ("igtree", {}),
    ("ib1", {}),
    ("ib1", {"k": 3, "vote": "inverse_distance", "exact_match": True}),
    ("ib1", {"k": 2, "vote": "inverse_linear"}),
    ("ib1", {"k": 2, "metric": "mvdm", "vote": "exponential", "decay_alpha": 9.0}),
    ("tribl", {"switch": 2, "k": 2}),
    ("tribl", {"switch": 1, "metric": "jeffrey"}),
]


def settings(learner, options, as_mbt=False):
    return TaggerSettings(
        Pattern.parse("wdfaa"),
        Pattern.parse("ddFpss"),
        learner,
        learner,
        options,
        options,
        n_frequent=2,
        hapax_limit=1,
        as_mbt=as_mbt,
    )


def asking(model, words):
    """Return how one sentence is asked of the learners themselves: {tag: votes}, the chosen tag first."""
    if not words:
        return None
    text = Text.of(sentences_of([words], tagged=False), model.lexicon)
    code_of = {tag: code for code, tag in enumerate(model.lexicon.tags.values.to_pylist())}

    def ask(i, tags):
        pattern, base = model.base(bool(text.is_known[i]))
        codes = np.array([code_of[tag] for tag in tags] + [0] * (len(words) - len(tags)), dtype=np.int64)
        case = questions(pattern, model.describer, base.schema, text, codes, np.array([i]))
        answer = base.answer(case)
        rank = (base.preference if hasattr(base, "preference") else base.voting.preference).rank
        chosen = int(answer.label[0])
        votes = sorted(answer.votes_of(0).items(), key=lambda item: (item[0] != chosen, -item[1], -int(rank[item[0]])))
        return {base.schema.classes[label]: n for label, n in votes}

    return ask


def tags_of(model, text, beam=1):
    return text.lists(model.tags.values.take(pa.array(model.tag(text, beam=beam))))


@pytest.mark.parametrize(("learner", "options"), LEARNERS)
@pytest.mark.parametrize("as_mbt", [False, True])
@searched(max_examples=20)
@given(corpus=corpora, text=texts)
def test_words_are_tagged_as_if_asked_one_by_one(learner, options, as_mbt, corpus, text):
    """The loop gives each word the answer of its case base, with the tags given before among the features."""
    if as_mbt and options.get("vote") == "inverse_linear":
        return  # TiMBL's has a memory of earlier ties, which text tagged in any order cannot follow
    model = fit(sentences_of(corpus, tagged=True), settings(learner, options, as_mbt))
    given_text = sentences_of(text, tagged=False)
    tags = tags_of(model, given_text)

    assert tags == [oracle.greedy(words, asking(model, words)) for words in text]


@pytest.mark.parametrize(("learner", "options"), LEARNERS[:3])
@searched(max_examples=20)
@given(corpus=corpora, text=texts, n=st.integers(2, 4))
def test_a_beam_keeps_the_most_probable_paths(learner, options, corpus, text, n):
    """The compiled beam ends where a beam written out with lists ends."""
    model = fit(sentences_of(corpus, tagged=True), settings(learner, options))
    given_text = sentences_of(text, tagged=False)
    tags = tags_of(model, given_text, beam=n)

    assert tags == [oracle.beam(words, asking(model, words), n) for words in text]


@pytest.mark.parametrize("beam", [1, 3])
def test_threads_change_nothing(beam):
    """Sentences are independent: the tags are the same whoever tags them."""
    corpus = [[(f"w{i % 7}", TAGS[(i * j) % 3]) for j in range(1, 9)] for i in range(60)]
    model = fit(sentences_of(corpus, tagged=True), settings("ib1", {"k": 2}))
    text = sentences_of([[f"w{(i * j) % 9}" for j in range(i % 12)] for i in range(200)], tagged=False)

    assert model.tag(text, beam=beam, n_jobs=4).tolist() == model.tag(text, beam=beam, n_jobs=1).tolist()


def small_tree():
    u32 = np.uint32
    tree = _native.TreeOfArrays(
        np.array([1, 1], u32),
        np.array([0], u32),
        np.array([0], u32),
        np.array([0, 1], np.uint64),
        np.array([0], u32),
        np.ones(1),
    )
    return _native.CaseBase(1, tree, 1, None, None, np.ones(1), np.zeros(1, u32))


def tag_text(**changed):
    u32 = np.uint32
    given = {
        "features": [(np.array([0, 1], u32), 0, np.array([0, 0, 255], np.uint8))],
        "tag_of_class": np.array([0], u32),
        "first": np.array([0, 2], np.uint64),
        "which": np.zeros(2, np.uint8),
        "n_tags": 1,
        "beam": 1,
    } | changed
    asked = [(small_tree(), given["features"], given["tag_of_class"])]
    return _native.tag_text(asked, given["first"], given["which"], given["n_tags"], given["beam"], 1)


@pytest.mark.parametrize(
    "changed",
    [
        {"features": []},
        {"features": [(np.array([0, 2], np.uint32), 0, np.array([0, 0, 0], np.uint8))]},
        {"features": [(np.array([0], np.uint32), 0, np.array([0, 0, 0], np.uint8))]},
        {"features": [(None, 1, np.array([0, 0], np.uint8))]},
        {"features": [(None, -1, np.array([0], np.uint8))]},
        {"tag_of_class": np.array([1], np.uint32)},
        {"tag_of_class": np.array([], np.uint32)},
        {"first": np.array([0, 3], np.uint64)},
        {"first": np.array([0, 3, 2], np.uint64)},
        {"which": np.array([0, 1], np.uint8)},
        {"beam": 0},
    ],
)
def test_arrays_that_do_not_fit_are_refused(changed):
    """Nothing outside of an array is read."""
    assert tag_text().tolist() == [0, 0]
    with pytest.raises(ValueError, match=r"."):
        tag_text(**changed)
