"""The tagger as users have it: learn, tag, explain, correct, keep."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.errors import CasebaseError, ModelFileError
from casebase.tagging.sentences import sentences_of
from casebase.tagging.tagger import Tagger

LINES = [
    "The/D dog/N walks/V ./P",
    "The/D walks/N help/V dogs/N ./P",
    "A/D dog/N dogs/V the/D Dog-2/N ./P",
    "dog/V the/D walks/N ./P",
]
CORPUS = [[tuple(token.split("/")) for token in line.split()] for line in LINES]
sentence = st.lists(st.tuples(st.sampled_from("abcdeAB"), st.sampled_from("NVD")), min_size=1, max_size=5)


def test_the_worked_example():
    """The four sentences, and what MBT makes of others after them."""
    tagger = Tagger(compat="mbt").fit(CORPUS)

    assert tagger.tag(["The", "dog", "walks", "."]) == ["D", "N", "V", "P"]
    assert tagger.tag(["A", "cat", "helps", "the", "Dog-3", "."]) == ["D", "N", "V", "D", "N", "P"]
    assert tagger.tag(["dogs"]) == ["V"]


def test_the_worked_example_of_a_beam():
    """Two paths: the second is followed, and loses."""
    assert Tagger(compat="mbt", beam=2).fit(CORPUS).tag(["dog", "dogs", "walks", "."]) == ["V", "N", "V", "P"]


@pytest.mark.parametrize(
    ("parameters", "corpus", "word"),
    [
        ({"compat": "mbt"}, ["c/V b/N", "b/V a/V"], ["a"]),
        ({"committee": "words"}, ["a/N b/V", "c/N b/N b/V", "a/N c/N"], ["a", "b"]),
    ],
)
def test_a_beam_does_not_tire_in_a_long_sentence(parameters, corpus, word):
    """Probabilities of long sentences were too small for a double, and all paths were then alike."""
    tagger = Tagger(beam=2, **parameters).fit([[tuple(token.split("/")) for token in line.split()] for line in corpus])
    tags = tagger.tag((word * 3000)[:3000])

    assert tags[100:-12] == tags[104:-8]  # the tags alternate, in the committee with a period of four words


def test_many_sentences_keep_their_shape():
    """One list of tags for each list of words, empty ones too."""
    tagger = Tagger().fit(CORPUS)
    tags = tagger.tag_many([[], ["The"], [], ["the", "dog", "."]])

    assert [len(t) for t in tags] == [0, 1, 0, 3]
    assert tagger.tag([]) == []
    assert tagger.tag_many([]) == []


def test_text_without_any_known_word():
    """All words go to the case base of unknown words."""
    tagger = Tagger().fit(CORPUS)

    assert len(tagger.tag(["日本", "\x07", "�"])) == 3
    assert not tagger.knows([["日本", "x"]]).any()


def test_sentences_of_further_columns():
    """Columns between word and tag are features by their number."""
    chunks = [[("a", "DT", "B"), ("dog", "NN", "I"), ("ran", "VB", "O")], [("dogs", "NN", "B"), ("run", "VB", "O")]]
    tagger = Tagger("tag-1 column1-1 column1 column1+1", "tag-1 column1").fit(chunks)

    assert tagger.tag([("a", "DT"), ("cat", "NN"), ("saw", "VB")]) == ["B", "I", "O"]
    with pytest.raises(CasebaseError, match="use 1 columns beside the words, but these sentences have 0"):
        tagger.tag(["a", "cat"])


@pytest.mark.parametrize("parameters", [{"hapax_limit": 2, "n_frequent": 2}, {"hapax_limit": 2}])
@settings(max_examples=10)
@given(corpus=st.lists(sentence, min_size=1, max_size=6), more=st.lists(sentence, min_size=1, max_size=3))
def test_learning_is_as_if_it_had_been_in_the_corpus(tmp_path_factory, parameters, corpus, more):
    """A tagger that learnt sentences later is, to the last byte of its file, one that was fitted with them."""
    folder = tmp_path_factory.mktemp("taggers")
    later = Tagger(**parameters).fit(corpus)
    for one in more:
        later.learn(one)
    later.save(folder / "later")
    Tagger(**parameters).fit(corpus + more).save(folder / "at once")

    assert (folder / "later").read_bytes() == (folder / "at once").read_bytes()


def test_the_next_sentence_is_tagged_with_what_was_learnt():
    """A correction changes the answer at once."""
    tagger = Tagger().fit(CORPUS)
    assert tagger.tag(["zebra"]) != ["ZEBRA"]
    tagger.learn([("zebra", "ZEBRA")])

    assert tagger.tag(["zebra"]) == ["ZEBRA"]
    assert tagger.lexicon_.counts_of(int(tagger.lexicon_.find(cb_words("zebra"))[0])) == {"ZEBRA": 1}


def cb_words(*words):
    return sentences_of([words], tagged=False).words.dictionary


@pytest.mark.parametrize("learner", ["igtree", "ib1", "tribl"])
def test_evidence_names_places_in_the_corpus(learner):
    """Every word's tag comes with the contexts that it rests on, and says what the answer says."""
    tagger = Tagger(known_learner=learner, unknown_learner=learner).fit(CORPUS)
    words = ["The", "dog", "sees", "walks", "."]
    evidence = tagger.explain(words, limit=2)

    assert [e.tag for e in evidence] == tagger.tag(words)
    assert [e.is_known for e in evidence] == [True, True, False, True, True]
    assert all(1 <= len(e.contexts) <= 2 and e.n_contexts >= len(e.contexts) for e in evidence)
    assert evidence[0].to_dict()["contexts"][0]["words"][evidence[0].contexts[0].place] in ("The", "the", "A")
    assert "[The]" in str(evidence[0])


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"committee": {"known": {"word tag-1": 1.0, "suffix2": 0.5}, "certain_from": None}, "beam": 2},
        {"compat": "mbt", "beam": 3},
        {"known": "word tag-1 suffix2", "known_learner": "ib1", "known_options": {"k": 2, "metric": "mvdm"}},
        {"known_learner": "ib1", "known_options": {"metric": {"tag-2": "ignored", "tag-1": "jeffrey"}}},
        {"known_learner": "tribl", "unknown_learner": "tribl", "unknown_options": {"switch": 2}, "n_frequent": 0},
    ],
)
def test_saved_and_loaded_it_tags_the_same(tmp_path, parameters):
    """A file gives back the tagger, its settings, and what it needs to learn more."""
    tagger = Tagger(**parameters).fit(CORPUS)
    tagger.save(tmp_path / "tagger.cb")
    loaded = cb.load(tmp_path / "tagger.cb")
    words = [["The", "cat", "walks", "dogs", "."], ["Dog-7"]]

    assert loaded.tag_many(words) == tagger.tag_many(words) == Tagger.load(tmp_path / "tagger.cb").tag_many(words)
    assert loaded.settings == tagger.settings
    assert loaded.beam == tagger.beam
    more = [("Cats", "N"), ("walk", "V")]
    assert loaded.learn(more).tag_many(words) == tagger.learn(more).tag_many(words)
    assert [str(e) for e in loaded.explain(words[0])] == [str(e) for e in tagger.explain(words[0])]


def test_a_copy_tags_the_same():
    """Pickled and unpickled it is the same tagger."""
    tagger = Tagger().fit(CORPUS)
    tagger.tag(["The"])

    assert pickle.loads(pickle.dumps(tagger)).tag(["The", "dog"]) == tagger.tag(["The", "dog"])


def test_files_of_other_kinds(tmp_path):
    """A hyphenator is no tagger, a tagger is no classifier: each message says what the file is."""
    cb.Hyphenator(window=None).fit(["ta-lo"]).save(tmp_path / "hyphenator")
    Tagger().fit(CORPUS).save(tmp_path / "tagger")

    with pytest.raises(ModelFileError, match="is a model of 'hyphenation', not a tagger"):
        Tagger.load(tmp_path / "hyphenator")
    with pytest.raises(ModelFileError, match="is a model of 'tagger', not a hyphenator"):
        cb.Hyphenator.load(tmp_path / "tagger")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"known_learner": "id3"}, "Unknown learner of a tagger 'id3'"),
        ({"known_options": {"kk": 3}}, "Unknown option of igtree 'kk'"),
        ({"unknown_options": {"k": 0}}, "k is the number of nearest distances"),
        ({"unknown_options": {"metric": "levenshtein"}}, "metrics are overlap, .*; got 'levenshtein'"),
        ({"unknown": "length tag-1", "unknown_options": {"metric": {"length": "numeric"}}}, "got 'one of numbers'"),
        ({"beam": 0}, "beam is the number of paths"),
        ({"n_frequent": -1}, "n_frequent is how many words"),
        ({"hapax_limit": 1.5}, "hapax_limit is a number of occurrences"),
        ({"ambiguity_threshold": "5"}, "ambiguity_threshold is the least share"),
        ({"compat": "timbl"}, "Unknown compat 'timbl'"),
        ({"committee": "word"}, "Unknown committee 'word'"),
        ({"committee": 3}, "committee is one of words, chunks, or a dict of settings; got 3"),
        ({"committee": {"knwn": {}}}, "Unknown setting of a committee 'knwn'"),
        ({"committee": "words", "known": "ddfa"}, "committee cannot be given together with known"),
        ({"committee": "words", "compat": "mbt"}, "committee cannot be given together with compat"),
        ({"known": "wordtag-1 ambitag"}, "'wordtag' is for committees"),
        ({"known": "xyz"}, "Unknown feature 'xyz'"),
        ({"n_jobs": 0}, "n_jobs is a number of threads"),
        ({"n_jobs": "x", "committee": "words"}, "n_jobs is a number of threads"),
    ],
)
def test_parameters_that_are_refused(parameters, message):
    """The message says what was expected."""
    with pytest.raises(CasebaseError, match=message):
        Tagger(**parameters).fit(CORPUS).tag(["a"])


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ([], "There are no words"),
        ([[]], "There are no words"),
        (["The dog"], "Sentence 1: expected a list of words or of"),
        ([["The", "dog"]], r"expected \(word, tag\), got 'The'"),
        ([[("a", "N")], [("b",)]], "Sentence 2, token 1"),
        ([[("a", "N")], [("b", 3)]], "Sentence 2, token 1"),
        ([[("a", "N")], None], "Sentence 2: expected a list"),
    ],
)
def test_corpora_that_are_refused(corpus, message):
    """The message says which sentence is wrong, and how."""
    with pytest.raises(CasebaseError, match=message):
        Tagger().fit(corpus)


def test_a_tagger_that_has_learnt_nothing():
    """It says what to do first."""
    with pytest.raises(CasebaseError, match="Call fit"):
        Tagger().tag(["a"])


def test_words_that_are_no_texts():
    """One text is no list of words; a number is no word."""
    tagger = Tagger().fit(CORPUS)
    with pytest.raises(CasebaseError, match="Split a text into words first"):
        tagger.tag("The dog")
    with pytest.raises(CasebaseError, match="Sentence 1, token 2: expected a word, got 3"):
        tagger.tag(["The", 3])


def test_its_text_says_what_was_chosen():
    """Parameters that are not the default ones are shown."""
    assert repr(Tagger(beam=2, compat="mbt")) == "Tagger(beam=2, compat='mbt')"


def test_what_a_tagger_tells_about_itself():
    """Words, tags and abbreviations are those of the corpus."""
    tagger = Tagger().fit([*CORPUS, [("Dr.", "N"), ("No.", "N"), ("...", "P"), ("3.", "X")]])

    assert (tagger.n_words_, tagger.n_columns_) == (13, 0)
    assert tagger.tags_ == ["D", "N", "P", "V", "X"]
    assert tagger.abbreviations_ == {"Dr.", "No."}


def test_scores_are_of_known_and_unknown_words():
    """What was learnt is counted apart from what was not."""
    scores = Tagger().fit(CORPUS).evaluate([[("The", "D"), ("zebra", "N")], [("dog", "X")]])

    assert (scores.all.n_words, scores.known.n_words, scores.unknown.n_words) == (3, 2, 1)
    assert scores.known.n_right == 1


def test_cross_validation_tags_every_sentence_once():
    """All words are counted, and the tagger stays as it was."""
    tagger = Tagger()
    told = []
    scores = tagger.cross_validate(CORPUS * 3, 4, progress=lambda done, total: told.append((done, total)))

    assert scores.all.n_words == 3 * sum(len(s) for s in CORPUS)
    assert told[-1] == (12, 12)
    with pytest.raises(CasebaseError, match="Call fit"):
        tagger.tag(["a"])


def test_tags_come_in_the_order_of_the_words():
    """Sentences that are coded already give one flat list."""
    tagger = Tagger().fit(CORPUS)
    text = sentences_of([["The", "dog"], ["walks"]], tagged=False)

    assert tagger.tag_sentences(text) == [tag for tags in tagger.tag_many(text) for tag in tags]
    assert tagger.explain([]) == []


@pytest.mark.parametrize("parameters", [{}, {"compat": "mbt"}], ids=["committee", "case bases"])
def test_many_sentences_are_explained_as_one_by_one(parameters):
    """`explain_many` gives the evidence of `explain`, sentence by sentence, also for empty ones."""
    tagger = Tagger(**parameters).fit(CORPUS)
    sentences = [["The", "dog", "walks"], [], ["xyzzy", "walks"], ["The"]]

    assert tagger.explain_many(sentences, 2) == [tagger.explain(words, 2) for words in sentences]
    assert tagger.explain_many([]) == []


def test_chunks_of_tagged_words():
    """A committee of chunks reads the tags of words as their further column."""
    line = [("the", "DT", "B-NP"), ("old", "JJ", "I-NP"), ("dog", "NN", "I-NP"), ("ran", "VBD", "B-VP")]
    tagger = Tagger(committee="chunks").fit([line] * 3)

    assert tagger.n_columns_ == 1
    assert tagger.tag([("a", "DT"), ("cat", "NN"), ("slept", "VBD")]) == ["B-NP", "I-NP", "B-VP"]


def test_what_a_tagger_is_made_of():
    """Nothing said, it is a committee; two case bases as soon as one of them is spoken of."""
    assert repr(Tagger().fit(CORPUS).model_).startswith("Committee(")
    assert repr(Tagger(unknown_learner="igtree").fit(CORPUS).model_).startswith("CaseBases(")


def test_a_loaded_committee_shows_what_it_was(tmp_path):
    """The best ones found go by their name."""
    Tagger().fit(CORPUS).save(tmp_path / "words")

    assert repr(cb.load(tmp_path / "words")) == "Tagger(committee='words')"


def test_a_word_of_one_tag_keeps_it_before_unknown_words():
    """Regression: memories that had never met an unknown neighbour outvoted those that knew the word."""
    corpus = [[("la", "DET"), (f"{stem}o", "NOUN"), (f"{stem}as", "VERB")] for stem in "abcdefghijklmn"]
    corpus += [[("bela", "ADJ"), ("bona", "ADJ")]]

    assert Tagger().fit(corpus).tag(["vidis", "la", "xuyan", "zzzn"])[1] == "DET"


@pytest.mark.parametrize("parameters", [{}, {"compat": "mbt"}])
def test_some_words_of_a_sentence_are_explained_as_all_are(parameters):
    """The evidence of the words at some places, in their order; a place beyond the sentence is refused."""
    tagger, words = Tagger(**parameters).fit(CORPUS), ["The", "cat", "walks", "."]
    every = tagger.explain(words)

    assert tagger.explain(words, places=[2, 0]) == [every[2], every[0]]
    assert tagger.explain(words, places=[]) == []
    for wrong in ([4], [-1], [1.5], ["0"]):
        with pytest.raises(CasebaseError, match="from 0 to 3"):
            tagger.explain(words, places=wrong)
