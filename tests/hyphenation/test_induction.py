"""Hyphenation learnt from words is right on all of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.errors import CasebaseError
from casebase.hyphenation.induction import Settings, correct_word, hyphenation_classes, learn, with_exception
from casebase.hyphenation.matcher import CompiledPatterns
from casebase.hyphenation.patterns import Pattern, PatternSet
from casebase.hyphenation.words import hyphenated_words, with_hyphens
from casebase.rules.search import NoConsistentRuleError
from tests.peers import data_lines

parts = st.lists(st.text("abcÄe\u0323𐌰", min_size=1, max_size=3), min_size=1, max_size=4)
word_lists = st.lists(parts.map("-".join), min_size=1, max_size=12)


def readable(words):
    """Return the words that are hyphenated words at all."""
    kept = []
    for word in words:
        try:
            hyphenated_words([word])
        except CasebaseError:
            continue
        kept.append(word)
    return kept


@settings(deadline=None)
@given(word_lists, st.sampled_from([1, 2, 3, "auto"]), st.sampled_from(["auto", "none"]), st.sampled_from([None, 0.2]))
def test_every_word_comes_back_as_it_was_given(words, depth, classes, window):
    """Whatever the words, the depth, the classes and the window."""
    words = readable(words)
    if not words:
        return
    given_words = hyphenated_words(words)
    model = learn(given_words, Settings(depth=depth, classes=classes, window=window))

    assert [tuple(model.patterns.positions(word)) for word in given_words.words] == list(given_words.places)


@settings(deadline=None)
@given(word_lists, st.lists(st.text("abcÄe\u0323𐌰.Xİ", max_size=8), max_size=10), st.integers(1, 3), st.integers(1, 3))
def test_compiled_patterns_find_what_the_plain_ones_find(words, others, left, right):
    """One by one, many at once, and with separators: the same places."""
    words = readable(words)
    if not words:
        return
    patterns = learn(hyphenated_words(words), Settings(left_min=left, right_min=right, window=None)).patterns
    compiled = CompiledPatterns(patterns)
    expected = [patterns.positions(word) for word in others]

    assert compiled.positions(others, n_jobs=2) == expected
    assert [compiled.positions([word])[0] for word in others] == expected
    assert compiled.hyphenate(others, "=") == [with_hyphens(w, places, "=") for w, places in zip(others, expected)]


def test_the_rule_of_two_words_can_be_found_by_hand():
    """Breaks come before a consonant and a vowel; in a cluster the first consonant stays behind."""
    model = learn(hyphenated_words(["ka-la", "ta-lo-ja", "kis-sa"]), Settings(window=None))

    assert [str(p) for p in model.patterns.patterns] == ["-KE"]
    assert model.patterns.positions("kissoja") == [3, 5]


def test_levels_are_numbered_from_the_default_and_odd_ones_allow():
    """Where most places are breaks the default allows, and what forbids has level 2."""
    model = learn(hyphenated_words(["a-b-c-d", "a-b-xd"]), Settings(window=None, classes="none"))

    assert model.patterns.default_allows
    assert {pattern.level for pattern in model.patterns.patterns} == {2}


def test_words_without_places_teach_that_nothing_breaks():
    """One-letter words have no place at all."""
    model = learn(hyphenated_words(["a", "b"]))

    assert model.patterns.patterns == ()
    assert model.patterns.positions("ab") == []


def test_a_forbidden_pattern_is_not_used_and_a_forced_one_is():
    """The words stay right around both."""
    words = hyphenated_words(["ka-la", "ta-lo-ja", "kis-sa"])
    without = learn(words, Settings(window=None, forbid=("-KE",)))
    with_it = learn(words, Settings(window=None, force={"s-s": "allow", "q-q": "forbid"}))

    assert "-KE" not in [str(p) for p in without.patterns.patterns]
    assert {"s-s": 1, "q-q": 2}.items() <= {str(p): p.level for p in with_it.patterns.patterns}.items()
    for model in (without, with_it):
        assert [tuple(model.patterns.positions(w)) for w in words.words] == list(words.places)


def test_words_that_share_all_short_pieces_conflict_and_are_named():
    """With pieces of one letter nothing can tell ab|a from ba|a."""
    with pytest.raises(NoConsistentRuleError, match=r"max_length=1.*") as caught:
        learn(hyphenated_words(["a-aa", "aa-ab"]), Settings(max_length=1, depth="auto", classes="none"))
    assert "|" in str(caught.value)


@pytest.mark.parametrize("word", ["ab-" * 3333 + "ab", "ab" * 5000, "aab-" + "ab" * 4998])
def test_a_word_of_ten_thousand_letters_is_learnt(word):
    """Long and periodic words are the worst for pieces; they are bounded."""
    words = hyphenated_words([word, "ba-ba"])
    model = learn(words)

    assert CompiledPatterns(model.patterns).positions(words.words) == [list(places) for places in words.places]


def test_the_order_of_the_words_does_not_matter():
    """Neither for the patterns nor for the window."""
    words = ["ka-la", "ta-lo-ja", "kis-sa", "hy-vä", "äi-ti", "auk-ko", "tie-to-ko-ne"]

    assert learn(hyphenated_words(words)).patterns == learn(hyphenated_words(words[::-1])).patterns


def test_classes_may_be_given():
    """A letter belongs to one class; the names are single letters."""
    assert hyphenation_classes({"V": "aE"}, hyphenated_words(["a"])) == {"a": "V", "e": "V"}
    for wrong in ({"V": "a", "W": "a"}, {"VV": "a"}, {".": "a"}, {"V": 7}, "vowels", 7):
        with pytest.raises(CasebaseError):
            hyphenation_classes(wrong, hyphenated_words(["a"]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"depth": -1},
        {"depth": "deep"},
        {"cost": "letters"},
        {"left_min": 0},
        {"right_min": 1.5},
        {"max_length": 0},
        {"window": 0},
        {"window": 1.5},
        {"window": True},
        {"force": {"a-b": "maybe"}},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong):
    """Before anything is learnt."""
    with pytest.raises(CasebaseError):
        Settings(**wrong)


def test_a_correction_is_learnt_and_the_other_words_stay_right():
    """The corrected word and all others come back as they should."""
    words = hyphenated_words(["ka-la", "ta-lo-ja", "kis-sa", "re-cord", "hy-vä"])
    model = correct_word(learn(words), "record", (3,))

    assert model.patterns.positions("record") == [3]
    assert model.words.with_hyphens() == ["hy-vä", "ka-la", "kis-sa", "rec-ord", "ta-lo-ja"]
    for word, places in zip(model.words.words, model.words.places):
        assert tuple(model.patterns.positions(word)) == places


def test_patterns_without_words_get_an_exception_for_a_corrected_word():
    """The whole word, two levels up where the level must differ in kind."""
    patterns = PatternSet((Pattern("a", 1, 1), Pattern("ab", 1, 2)))
    found = with_exception(patterns, "abac", [1])

    assert found.positions("abac") == [1]
    assert found.positions("abacus") == [3]
    assert {pattern.level for pattern in found.patterns[2:]} == {3, 4}


@pytest.mark.parametrize(("depth", "at_least", "at_most"), [(1, 120, 135), (2, 60, 78)])
def test_the_finnish_words_need_about_as_many_patterns_as_expected(depth, at_least, at_most):
    """Depth 1 about 125, depth 2 in windows 64 to 74; right on all 14,596 places."""
    words = hyphenated_words(data_lines("finnish_hyphenation.txt"))
    model = learn(words, Settings(depth=depth, window=None if depth == 1 else 0.1))

    assert at_least <= len(model.patterns.patterns) <= at_most
    assert len(model.examples) == 14_596
    assert CompiledPatterns(model.patterns).positions(words.words) == [list(places) for places in words.places]


def test_patterns_of_classes_can_be_kept_short():
    """So that they stand for few patterns of letters; every word is still right."""
    words = hyphenated_words(["ta-lo", "ka-la", "kalt-ta", "tal-kka", "ak-ta", "a-kal"])

    long, short = (learn(words, Settings(max_class_length=n)).patterns.patterns for n in (None, 2))

    assert max(len(p.text) for p in long if p.is_classes) > 2
    assert max(len(p.text) for p in short if p.is_classes) <= 2
    assert learn(words, Settings(max_class_length=2)).patterns.positions("kaltta") == [4]
