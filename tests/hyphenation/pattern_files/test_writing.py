"""Patterns as text: what is written, and what is refused."""

import pytest

from casebase.errors import CasebaseError
from casebase.hyphenation.pattern_files import TooManyPatternsError, from_json, to_dic, to_json, to_tex, with_exceptions
from casebase.hyphenation.patterns import Pattern, PatternSet

CLASSES = {"k": "K", "l": "K", "a": "E", "o": "E", "ö": "E"}
KE = Pattern("KE", 0, 1, is_classes=True)


def lines_of(text):
    return text.split("\n")[3:-1]


def test_patterns_of_the_same_letters_become_one_line():
    """The libraries know one line for the same letters; the last one would count."""
    patterns = PatternSet((Pattern("abc", 1, 1), Pattern("abc", 2, 2), Pattern("abc", 1, 3)))

    assert lines_of(to_dic(patterns)) == ["a3b2c"]


def test_classes_stand_for_the_letters_that_occur():
    """A table of classes may have more letters than the words."""
    patterns = PatternSet((KE,), CLASSES)

    assert lines_of(to_dic(patterns)) == ["1ka", "1ko", "1kö", "1la", "1lo", "1lö"]
    assert lines_of(to_dic(patterns, letters="kaö")) == ["1ka", "1kö"]


def test_too_many_patterns_are_refused_with_their_number():
    """2 consonants and 3 vowels make 6 pairs."""
    with pytest.raises(TooManyPatternsError, match="are 6 patterns; at most 5") as error:
        to_tex(PatternSet((KE,), CLASSES), limit=5)

    assert error.value.n_patterns == 6


def test_what_a_shorter_pattern_says_as_strongly_is_left_away():
    """`1a` speaks wherever `1ab` does; `2ab` is stronger."""
    assert lines_of(to_dic(PatternSet((Pattern("a", 0, 1), Pattern("ab", 0, 1))))) == ["1a"]
    assert lines_of(to_dic(PatternSet((Pattern("a", 0, 1), Pattern("ab", 0, 2))))) == ["1a", "2ab"]


def test_a_default_that_allows_breaks_is_a_digit_before_every_letter():
    """Patterns begin at level 2 there, so the digit 1 gives way to all."""
    patterns = PatternSet((Pattern("ab", 1, 2),), {"c": "K"}, default_allows=True)

    assert lines_of(to_dic(patterns)) == ["1a", "a2b", "1b", "1c"]


def test_levels_are_numbered_as_low_as_they_can_be():
    """Levels above 9 have digits as long as few of them differ in meaning."""
    patterns = PatternSet((Pattern("a", 0, 1), Pattern("ba", 1, 12), Pattern("cba", 2, 13)))

    assert lines_of(to_dic(patterns)) == ["1a", "b2a", "cb3a"]


def test_more_levels_than_digits_are_refused():
    """Ten levels of exceptions have no digits."""
    patterns = PatternSet(tuple(Pattern("a" * level, 0, level) for level in range(1, 11)))

    with pytest.raises(CasebaseError, match="digits up to 9"):
        to_dic(patterns)


def test_places_outside_of_the_word_are_not_written():
    """libhyphen crashes on a digit before the first edge."""
    patterns = PatternSet((Pattern(".ab", 0, 4), Pattern(".ab", 1, 4), Pattern("ab.", 3, 4), Pattern("ab.", 1, 1)))

    assert lines_of(to_dic(patterns)) == ["a1b."]


def test_a_mark_is_never_parted_from_its_letter():
    """Not even by a default that allows every break."""
    patterns = PatternSet((Pattern("b\u0301", 1, 3),), default_allows=True)

    assert lines_of(to_dic(patterns)) == ["1b", "2\u0301"]


def test_apostrophes_that_are_letters_get_a_part_of_their_own():
    """Otherwise libhyphen takes them for edges of words."""
    assert "NEXTLEVEL" in lines_of(to_dic(PatternSet((Pattern("l'a", 2, 1),))))
    assert "NEXTLEVEL" not in lines_of(to_dic(PatternSet((Pattern("la", 1, 1),))))


def test_whole_words_are_exceptions_in_tex():
    """As TeX has a place for them; other patterns have their say in the same word."""
    patterns = with_exceptions(PatternSet((Pattern("na", 1, 1),)), ["ba-nana"])

    assert "\\hyphenation{\nba-nana\n}\n" in to_tex(patterns)
    assert "\\patterns{\nn1a\n}\n" in to_tex(patterns)
    assert lines_of(to_dic(patterns))[-2:] == [".b2a3n2a2n2a.", "n1a"]


@pytest.mark.parametrize("write", [to_tex, to_dic])
@pytest.mark.parametrize("letter", ["%", "#", "1", "/", "=", "^", " ", "٣"])
def test_letters_with_a_meaning_in_the_file_are_refused(write, letter):
    """A per cent sign would begin a comment, a digit would be one."""
    with pytest.raises(CasebaseError, match="cannot be written"):
        write(PatternSet((Pattern(f"a{letter}", 1, 1),)))


@pytest.mark.parametrize("write", [to_tex, to_dic])
def test_patterns_too_long_for_the_programs_are_refused(write):
    """libhyphen cuts lines after 99 bytes, TeX words after 63 letters."""
    with pytest.raises(CasebaseError, match="at most"):
        write(PatternSet((Pattern("ä" * 64, 1, 1),)))


def test_distances_that_need_too_many_patterns_are_refused():
    """libhyphen does not keep the distance to the right behind the first letter, so patterns have to."""
    patterns = PatternSet((), dict.fromkeys("abcdefghij", "K"), right_min=5)

    with pytest.raises(CasebaseError, match="left_min=2"):
        to_dic(patterns, limit=9_999)


def test_json_holds_everything():
    """Classes, default, distances, levels and support."""
    patterns = PatternSet((KE, Pattern("al", 1, 2, support=3.0)), CLASSES, True, 2, 3)

    assert from_json(to_json(patterns)) == patterns
