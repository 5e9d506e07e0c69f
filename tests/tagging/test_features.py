"""Features of taggers: MBT's letters and our names, against values worked out word by word."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.errors import CasebaseError
from casebase.tagging.features import Describer, Pattern, TagFeature, Text, instances, merge_equal
from casebase.tagging.lexicon import lexicon_of
from casebase.tagging.sentences import sentences_of
from tests.oracles import tagging as oracle

words = st.sampled_from(["a", "The", "c-3", "ab", "Übel", "ö", "-", "9", "the", "x" * 20])
corpora = st.lists(
    st.lists(st.tuples(words, st.sampled_from(["N", "V", "DD"])), min_size=1, max_size=7), min_size=1, max_size=6
)
PATTERNS = ["ddfa", "dFapsss", "wwddfWaaw", "ppssdwFawchn", "W", "fW", "aFasn", "dddfaaa"]


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=25)
@given(corpus=corpora, threshold=st.sampled_from([0, 5, 40]), n_frequent=st.integers(0, 4))
def test_instances_are_those_of_the_oracle(pattern, corpus, threshold, n_frequent):
    """Every token's values are what the pattern says, in MBT's order of columns."""
    lexicon, word, tag = lexicon_of(sentences_of(corpus, tagged=True), threshold)
    counted = oracle.lexicon(corpus)
    ambitags = {w: oracle.ambitag(tags, threshold) for w, tags in counted.items()}
    ranked = sorted(counted, key=lambda w: (-sum(counted[w].values()), w))
    frequent = set(ranked[:n_frequent]) if n_frequent else None
    describer = Describer(lexicon, lexicon.most_frequent(n_frequent) if n_frequent else None)
    text = Text.of(sentences_of(corpus, tagged=True), lexicon)
    cases = instances(Pattern.parse(pattern), describer, text, tag, np.arange(len(word)))
    expected = [
        oracle.case(pattern, [w for w, _ in s], [t for _, t in s], i, ambitags, frequent)
        for s in corpus
        for i in range(len(s))
    ]

    assert [cases.values(row) for row in range(cases.n_cases)] == expected
    assert [cases.schema.classes[label] for label in cases.labels] == [t for s in corpus for _, t in s]


def values(word, *names):
    corpus = sentences_of([[("left", "N"), (word, "V"), ("Right-2", "N")]], tagged=True)
    lexicon, _, tag = lexicon_of(corpus)
    cases = instances(Pattern.parse(names), Describer(lexicon), Text.of(corpus, lexicon), tag, np.array([1]))
    return cases.values(0)


def test_features_by_name():
    """Names say what is looked at, and where."""
    assert values("Grün", "word", "prefix2", "suffix3", "first1", "last2") == ["Grün", "Gr", "rün", "_G", "_ü"]
    assert values("Grün", "lower", "shape", "length", "capital", "hyphen", "digit") == [
        "grün",
        "Aa",
        "4",
        "_C",
        "_0",
        "_0",
    ]
    assert values("x", "word-1", "word+1", "suffix2+1", "shape+1", "ambitag+1", "word+2", "tag-1") == [
        "left",
        "Right-2",
        "-2",
        "Aa-9",
        "N",
        "==",
        "N",
    ]
    assert values("is", "suffix3", "prefix4") == ["is", "is"]


def test_letters_and_names_together():
    """Names add to what letters say."""
    assert Pattern.parse("dfa column1 suffix2").names == ("tag-1", "ambitag", "ambitag+1", "column1", "suffix2")
    assert Pattern.parse("dfa column1").with_columns(2).text == "dfa column1 column2"


def test_what_a_word_is_without_its_ending():
    """The ending that is taken off, and the class of the word that is left; in lower case if need be."""
    words = ["walk", "Walking", "walked", "talkers", "talk", "ing", "walks"]
    corpus = sentences_of([list(zip(words, "VNVNVIV"))], tagged=True)
    lexicon, _, tag = lexicon_of(corpus)
    text = Text.of(corpus, lexicon)
    cases = instances(Pattern.parse("stem"), Describer(lexicon), text, tag, np.arange(7))

    assert [cases.values(row)[0] for row in range(7)] == ["-", "ing/V", "ed/V", "ers/V", "-", "-", "s/V"]


def test_common_words_stand_for_themselves():
    """Others are their class, told from a word that is spelled alike."""
    corpus = sentences_of([[("of", "I"), ("N", "N"), ("dog", "N")]], tagged=True)
    lexicon, _, tag = lexicon_of(corpus)
    describer = Describer(lexicon, is_common=np.array([True, False, True]))
    cases = instances(Pattern.parse("wordclass wordclass+1"), describer, Text.of(corpus, lexicon), tag, np.arange(3))

    assert [cases.values(row) for row in range(3)] == [["of", "N"], ["N", "/N"], ["/N", "=="]]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("dda", "no places for the word"),
        ("dffa", "2 places"),
        ("dfd", "right of the focus"),
        ("tag+1", "known to the left only"),
        ("tag", "known to the left only"),
        ("sufix3", "Did you mean 'suffixN'"),
        ("suffix", "a number from 1"),
        ("word3", "no number"),
        ("word word", "twice"),
        ("", "Features are names"),
        ([], "Features are names"),
        ([3], "Features are names"),
    ],
)
def test_patterns_that_are_refused(pattern, message):
    """The message says what is wrong with a pattern."""
    with pytest.raises(CasebaseError, match=message):
        Pattern.parse(pattern)


def test_a_column_that_is_not_there():
    """A feature of a further column needs that column."""
    corpus = sentences_of([[("a", "N")]], tagged=True)
    lexicon, _, tag = lexicon_of(corpus)
    with pytest.raises(CasebaseError, match="further column 1 of the text, which has none"):
        instances(Pattern.parse("column1"), Describer(lexicon), Text.of(corpus, lexicon), tag, np.array([0]))


def test_bytes_in_the_place_of_characters():
    """MBT 3.6 takes a word as bytes: an umlaut is two, and no capital."""
    corpus = sentences_of([[("Öl", "N")]], tagged=True)
    lexicon, _, tag = lexicon_of(corpus)
    describer = Describer(lexicon, as_bytes=True)
    cases = instances(Pattern.parse("Fppsc"), describer, Text.of(corpus, lexicon), tag, np.array([0]))

    assert cases.values(0) == ["_Ã", "_\x96", "_l", "_0"]


@given(corpus=corpora)
def test_merged_cases_count_for_all(corpus):
    """Equal cases become one that counts for them, in the order of the first ones."""
    lexicon, word, tag = lexicon_of(sentences_of(corpus, tagged=True))
    text = Text.of(sentences_of(corpus, tagged=True), lexicon)
    cases = instances(Pattern.parse("df"), Describer(lexicon), text, tag, np.arange(len(word)))
    expected = {}
    for row in range(cases.n_cases):
        key = (*cases.values(row), int(cases.labels[row]))
        expected[key] = expected.get(key, 0) + 1
    one = merge_equal(cases)

    assert {(*one.values(row), int(one.labels[row])): n for row, n in enumerate(one.weights)} == expected
    assert one.ids.tolist() == sorted(one.ids.tolist())


@pytest.mark.parametrize(
    ("kind", "word", "value"),
    [
        ("lastpart", "hand-made", "/V"),
        ("lastpart", "hand-Made", "/V"),
        ("lastpart", "re-entrant", "ant"),
        ("lastpart", "made", "-"),
        ("lastpart", "made-", "-"),
        ("othercase", "MADE", "V"),
        ("othercase", "SMITH", "N"),
        ("othercase", "smith", "N"),
        ("othercase", "Smith", "-"),
        ("othercase", "été", "-"),
    ],
)
def test_parts_and_other_cases_of_unknown_words(kind, word, value):
    """What the lexicon knows about a part of a word, or about the word in another case, one by one and in bulk."""
    lexicon, _, _ = lexicon_of(sentences_of([[("made", "V"), ("Smith", "N")]], tagged=True))
    text = Text.of(sentences_of([[word]], tagged=False), lexicon)
    describer = Describer(lexicon)

    assert describer.values(TagFeature(kind), text).to_pylist() == [value]
    assert describer.few_values(TagFeature(kind), text) == [value]
