"""Vowels are found from words alone."""

from casebase.hyphenation.words import hyphenated_words
from casebase.strings.vowels import letter_classes, sukhotin_vowels
from tests.peers import data_lines


def test_the_vowels_of_finnish():
    """All eight of them, and nothing else."""
    words = hyphenated_words(data_lines("finnish_hyphenation.txt"))

    assert "".join(sorted(sukhotin_vowels(words.words))) == "aeiouyäö"


def test_the_vowels_of_english_and_the_letter_that_it_takes_for_one():
    """The five vowels are found; h, which stands in th, sh, wh and ch, passes for one."""
    words = sorted({line.split()[0].lower() for line in data_lines("cmudict.txt.gz") if line[:1].isalpha()})

    assert "".join(sorted(sukhotin_vowels(words))) == "aehiouy"


def test_marks_are_a_class_of_their_own_and_signs_have_none():
    """Vowel signs of Devanagari are marks; digits and apostrophes are neither vowel nor consonant."""
    classes = letter_classes(["किताब", "l'eau2"])

    assert classes["ि"] == "M"
    assert "'" not in classes
    assert "2" not in classes


def test_nothing_to_count_gives_no_vowels():
    """One letter stands beside nothing."""
    assert sukhotin_vowels(["a", "b"]) == set()
    assert sukhotin_vowels(["1"]) == set()
