"""Vowels are found from words alone."""

import gzip

from casebase.hyphenation.vowels import letter_classes, sukhotin_vowels
from casebase.hyphenation.words import hyphenated_words
from tests.paths import SHARED
from tests.peers.timbl import skip_or_fail

DATA = SHARED
FINNISH, ENGLISH = DATA / "finnish_hyphenation.txt", DATA / "cmudict.txt.gz"


def test_the_vowels_of_finnish():
    """All eight of them, and nothing else."""
    if not FINNISH.exists():
        skip_or_fail("the Finnish words are not here")
    words = hyphenated_words(FINNISH.read_text(encoding="utf-8").split())

    assert "".join(sorted(sukhotin_vowels(words.words))) == "aeiouyäö"


def test_the_vowels_of_english_and_the_letter_that_it_takes_for_one():
    """The five vowels are found; h, which stands in th, sh, wh and ch, passes for one."""
    if not ENGLISH.exists():
        skip_or_fail("the English words are not here")
    lines = gzip.decompress(ENGLISH.read_bytes()).decode("utf-8").splitlines()
    words = sorted({line.split()[0].lower() for line in lines if line[:1].isalpha()})

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
