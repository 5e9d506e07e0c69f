"""Patterns compete for the places of a word: the highest level wins."""

import pytest

from casebase.errors import CasebaseError
from casebase.hyphenation.patterns import Pattern, PatternSet


def test_the_highest_level_wins():
    """Level 1 allows, level 2 forbids over it, level 3 allows over both."""
    one, two, three = Pattern("b", 0, 1), Pattern("ab", 1, 2), Pattern("abc", 1, 3)

    assert PatternSet((one,)).positions("xabc") == [2]
    assert PatternSet((one, two)).positions("xabc") == []
    assert PatternSet((one, two, three)).positions("xabc") == [2]


def test_a_full_stop_is_an_edge_and_never_a_letter():
    """`.ab` speaks at the beginning of the word, not after a full stop inside it."""
    hyphens = PatternSet((Pattern(".ab", 2, 1), Pattern("cd.", 1, 1)))

    assert hyphens.positions("abcd") == [1, 3]
    assert hyphens.positions("xabcdx") == []
    assert hyphens.positions("x.abcd.x") == []


def test_without_a_pattern_the_default_decides_within_the_margins():
    """left_min and right_min keep breaks away from the edges, whoever allows them."""
    assert PatternSet(()).positions("abcd") == []
    assert PatternSet((), default_allows=True).positions("abcd") == [1, 2, 3]
    assert PatternSet((), default_allows=True, left_min=2, right_min=2).positions("abcd") == [2]
    assert PatternSet((), default_allows=True, left_min=5).positions("abcd") == []
    assert PatternSet((), default_allows=True).positions("") == []


def test_a_letter_without_class_takes_part_in_no_pattern_of_classes():
    """An unknown letter is neither vowel nor consonant."""
    hyphens = PatternSet((Pattern("KE", 0, 1, is_classes=True),), {"t": "K", "a": "E"})

    assert hyphens.positions("tataqa") == [2]


def test_capitals_count_as_small_letters():
    """TeX and pyphen fold case too."""
    assert PatternSet((Pattern("än", 1, 1),)).positions("ÄNÄN") == [1, 3]


def test_marks_stay_with_their_letter_and_places_are_those_of_the_word_as_written():
    """A decomposed word has the same breaks, counted in its own characters."""
    hyphens = PatternSet((Pattern("éb", 1, 1),), default_allows=False)

    assert hyphens.positions("éba") == [1]
    assert hyphens.positions("e\u0301ba") == [2]
    assert PatternSet((), default_allows=True).positions("b\u0301a") == [2]  # no composed form exists


def test_letters_outside_the_basic_plane_are_letters():
    """A Gothic letter is one character."""
    assert PatternSet((Pattern("𐌰𐌱", 1, 1),)).positions("𐌰𐌱𐌰𐌱") == [1, 3]


@pytest.mark.parametrize("wrong", [("", 0, 1), ("ab", 3, 1), ("ab", -1, 1), ("a.b", 1, 1), ("ab", 1, 0)])
def test_what_is_no_pattern_is_refused(wrong):
    """Empty pieces, places outside, edges inside and level 0 make no sense."""
    with pytest.raises(CasebaseError):
        Pattern(*wrong)
