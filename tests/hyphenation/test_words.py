"""Hyphenated words: what is read, what is counted together, and what is refused with the word that is wrong."""

import numpy as np
import pytest

from casebase.errors import CasebaseError, FormatError
from casebase.hyphenation.words import Contradiction, hyphenated_words, parse_word, with_hyphens


@pytest.mark.parametrize(
    ("given", "letters", "places"),
    [
        ("hy-phen-a-tion", "hyphenation", (2, 6, 7)),
        ("cat", "cat", ()),
        ("a", "a", ()),
        (" Ta-LO\n", "talo", (2,)),
        ("e\u0301-te\u0301", "été", (1,)),  # composed
        ("कि-ता-ब", "किताब", (2, 4)),  # a vowel sign stays with its letter
        ("שָׁ-לוֹם", "שָׁלוֹם", (3,)),  # from right to left, and with points
        ("𐌰𐌱-𐌲", "𐌰𐌱𐌲", (2,)),  # letters outside the basic plane are one character each
        ("İz-mir", "İzmir", (2,)),  # its small letter would be two characters
    ],
)
def test_a_word_is_its_letters_and_its_places(given, letters, places):
    """Letters are composed and small, and places count characters."""
    assert parse_word(given) == (letters, places)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("", "got nothing"),
        ("--", "only hyphens"),
        ("-", "only hyphens"),
        ("a--b", "two hyphens in a row"),
        ("-ab", "at its edge"),
        ("ab-", "at its edge"),
        ("e-\u0301", "inside of a letter"),
        ("\u1100-\u1161", "inside of a letter"),  # two halves of a Korean syllable
        ("a.b", "full stop"),
        ("a b", "blank"),
        ("a\0b", "blank"),
        ("\ud800a", "surrogate"),
        (7, "int"),
    ],
)
def test_what_is_no_hyphenated_word_is_refused_with_its_number(wrong, why):
    """The error says which word, and what is wrong with it."""
    with pytest.raises(FormatError, match=rf"^word 2: .*{why}"):
        hyphenated_words(["ta-lo", wrong])


def test_the_hyphen_is_a_parameter():
    """A middle dot, or whatever the list uses; the minus is then a letter."""
    assert parse_word("x-a·b", "·") == ("x-ab", (3,))
    with pytest.raises(CasebaseError, match="one character"):
        hyphenated_words(["a--b"], hyphen="--")


def test_duplicates_count_and_the_heavier_of_contradictory_hyphenations_holds():
    """rec-ord was given with weight 3 in all, re-cord with 2."""
    words = hyphenated_words(["rec-ord", "re-cord", "rec-ord", "a-pu"], [1, 2, 2, 1])

    assert words.words == ("apu", "record")
    assert words.places == ((1,), (3,))
    np.testing.assert_array_equal(words.weights, [1.0, 3.0])
    assert words.n_duplicates == 1
    assert words.contradictions == (Contradiction("rec-ord", ("re-cord",)),)


def test_of_equally_heavy_hyphenations_the_alphabet_decides_not_the_order():
    """The hyphen sorts before letters: re-cord comes before rec-ord."""
    for given in (["rec-ord", "re-cord"], ["re-cord", "rec-ord"]):
        assert hyphenated_words(given).with_hyphens() == ["re-cord"]


@pytest.mark.parametrize(
    ("words", "weights", "why"),
    [
        ([], None, "no words"),
        ("ta-lo", None, "got one text"),
        (7, None, "got int"),
        (["a"], [1, 2], "expected 1"),
        (["a"], [0], "above 0"),
        (["a"], [float("nan")], "above 0"),
        (["a"], ["x"], "must be numbers"),
    ],
)
def test_lists_that_are_none_are_refused(words, weights, why):
    """An empty list, one text, a number; weights that do not fit."""
    with pytest.raises(CasebaseError, match=why):
        hyphenated_words(words, weights)


def test_a_very_long_word_is_a_word_and_an_error_does_not_repeat_it():
    """10,000 letters are read; a mistake in them is shown by their beginning."""
    assert len(parse_word("ab-" * 4999 + "ab")[1]) == 4999
    with pytest.raises(FormatError) as caught:
        hyphenated_words(["ab-" * 5000])
    assert len(str(caught.value)) < 200


def test_with_hyphens_undoes_parsing():
    """Letters and places say all."""
    assert with_hyphens(*parse_word("hy-phen-a-tion")) == "hy-phen-a-tion"


@pytest.mark.parametrize("letter", ["\u00ad", "\u2010"])
def test_a_hyphen_of_another_kind_is_no_letter(letter):
    """Regression: a list with soft hyphens taught that no word may be broken."""
    with pytest.raises(CasebaseError, match="If it is the hyphen of the list, say so"):
        hyphenated_words([f"ta{letter}lo"])

    assert hyphenated_words([f"ta{letter}lo"], hyphen=letter).places == ((2,),)
