"""Dictionaries that change letters and break compounds first, beside libhyphen and pyphen."""

import random
import tempfile
from pathlib import Path

import pytest

from casebase.errors import CasebaseError, FormatError
from casebase.hyphenation.pattern_files import dictionary_of, read_dictionary
from casebase.hyphenation.patterns import Pattern, PatternSet
from lab.peers.hyphenators import libhyphen_breaks, libhyphen_positions, pyphen
from tests.peers import require_libhyphen, require_pyphen

EDGES = "UTF-8\nLEFTHYPHENMIN 1\nRIGHTHYPHENMIN 1\n"
CHANGES = {
    "zucker": (EDGES + "c1k/k=k,1,2\n", "zuk-ker"),
    "schiffahrt": (EDGES + "f1f/ff=f,1,2\n", "schiff-fahrt"),
    "asszonnyal": (EDGES + "s1s/sz=,1,1\nn1n/ny=,1,1\n", "asz-szony-nyal"),
    "tictac": (EDGES + ".ti1c/k=,3,1\n", "tik-tac"),
    "omaatje": (EDGES + "aa1tje./=,2,1\n", "oma-tje"),
}


def spelled(breaks, word):
    """Return libhyphen's breaks as pairs of parts."""
    parts = []
    for place, change in breaks:
        text, begin, cut = change or ("=", 0, 0)
        before, after = text.split("=")
        parts.append((word[: place - begin] + before, after + word[place - begin + cut :]))
    return parts


@pytest.mark.parametrize("word", CHANGES)
def test_letters_change_as_the_file_says(word):
    """The change replaces letters of the pattern, counted without its edge."""
    text, expected = CHANGES[word]

    assert read_dictionary(text).hyphenate(word, "-") == expected


@pytest.mark.parametrize("word", CHANGES)
def test_letters_change_as_in_libhyphen(word):
    """Read here and there, and also written by us and read there."""
    require_libhyphen()
    dictionary = read_dictionary(CHANGES[word][0])
    ours = [(one.before, one.after) for one in dictionary.breaks(word)]

    assert spelled(libhyphen_breaks(CHANGES[word][0], [word])[0], word) == ours
    assert spelled(libhyphen_breaks(dictionary.to_dic(), [word])[0], word) == ours


@pytest.mark.parametrize("word", CHANGES)
def test_letters_change_as_in_pyphen(word):
    """In the words that it writes with hyphens."""
    require_pyphen()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hyph.dic"
        path.write_text(read_dictionary(CHANGES[word][0]).to_dic(), encoding="utf-8")
        peer = pyphen.Pyphen(filename=path, left=1, right=1, cache=False)

        assert peer.inserted(word) == CHANGES[word][1]


def test_capitals_stay_where_nothing_changes():
    """Patterns are in small letters."""
    assert read_dictionary(CHANGES["zucker"][0]).hyphenate("ZUCKER", "-") == "ZUk-kER"


def test_a_change_without_numbers_is_one_of_the_whole_pattern():
    """As in libhyphen's description of the format."""
    short, long = (read_dictionary(f"{EDGES}c1k/k=k{numbers}\n") for numbers in ("", ",1,2"))

    assert short == long


def test_components_are_hyphenated_as_words():
    """ ".b1b" holds at the beginning of each component, and COMPOUNDLEFTHYPHENMIN counts from its border."""
    text = EDGES + "o1x\nNEXTLEVEL\n.xa1\n"
    plain, far = read_dictionary(text), read_dictionary(text.replace("o1x", "COMPOUNDLEFTHYPHENMIN 3\no1x"))

    assert plain.hyphenate("boxabxa", "-") == "bo-xa-bxa"
    assert far.hyphenate("boxabxa", "-") == "bo-xabxa"


COMPOUNDS = [
    (EDGES + "o1f1\nNEXTLEVEL\n1ba\n1fi\n", ["baofbaba", "babafi", "ofba"]),
    (
        "UTF-8\nCOMPOUNDLEFTHYPHENMIN 3\nCOMPOUNDRIGHTHYPHENMIN 2\no1x\nNEXTLEVEL\n1ba\n1a\n",
        ["bababoxababa", "baboxba", "xoxo", "babaoxbaba"],
    ),
    (
        "UTF-8\nCOMPOUNDLEFTHYPHENMIN 2\nCOMPOUNDRIGHTHYPHENMIN 3\nfuss1ball\nNEXTLEVEL\n1ba\n1sa\na1s\n",
        ["fussballasabas", "asasafussball", "bafussballa", "basafussballbasa"],
    ),
    ("UTF-8\nhaus1tür\ntür1schloss\nNEXTLEVEL\n1ür\ns1t\n1lo\n", ["haustürschloss", "haustür", "türen", "kosten"]),
]


@pytest.mark.parametrize(("text", "words"), COMPOUNDS)
def test_compounds_break_as_in_libhyphen(text, words):
    """Borders of components first, and the components by the second part."""
    require_libhyphen()
    dictionary = read_dictionary(text)

    assert [dictionary.positions(word) for word in words] == libhyphen_positions(dictionary.to_dic(), words)


def drawn_pattern(draw, letters):
    """Return letters with one or two digits, sometimes at an edge of the word."""
    text = "".join(draw.choices(letters, k=draw.randint(1, 4)))
    text = "." * (draw.random() < 0.15) + text + "." * (draw.random() < 0.15)
    inner = range(text.startswith("."), len(text) + 1 - text.endswith("."))
    digits = {draw.choice(inner): str(draw.choice([1, 1, 1, 2, 3, 4])) for _ in range(draw.choice([1, 1, 2]))}
    return text, "".join(digits.get(i, "") + letter for i, letter in enumerate([*text, ""]))


@pytest.mark.parametrize("seed", range(60))
def test_drawn_dictionaries_of_two_parts_break_as_in_libhyphen(seed):
    """With patterns that contradict each other, and all distances."""
    require_libhyphen()
    draw = random.Random(seed)
    letters = draw.choice(["ab", "abc"])
    lines = ["UTF-8", f"LEFTHYPHENMIN {draw.randint(1, 3)}", f"RIGHTHYPHENMIN {draw.randint(1, 3)}"]
    lines += [f"COMPOUND{side}HYPHENMIN {draw.randint(1, 3)}" for side in ("LEFT", "RIGHT") if draw.random() < 0.5]
    first, second = (
        dict(drawn_pattern(draw, letters) for _ in range(draw.randint(1, most))).values() for most in (4, 6)
    )
    dictionary = read_dictionary("\n".join([*lines, *first, "NEXTLEVEL", *second]) + "\n")
    words = ["".join(draw.choices(letters, k=draw.randint(1, 9))) for _ in range(30)]

    assert [dictionary.positions(word) for word in words] == libhyphen_positions(dictionary.to_dic(), words)


def test_what_is_written_is_read_again():
    """All parts, changes and distances."""
    text = EDGES + "COMPOUNDLEFTHYPHENMIN 2\nCOMPOUNDRIGHTHYPHENMIN 3\nNOHYPHEN -,'\no1x\nNEXTLEVEL\nc1k/k=k,1,2\n"
    dictionary = read_dictionary(text)

    assert read_dictionary(dictionary.to_dic()) == dictionary
    assert dictionary.no_hyphen == ("-", "'")


def test_learned_patterns_become_a_dictionary_of_two_parts():
    """Patterns of compounds first, those of their components behind."""
    borders, inside = PatternSet((Pattern("ox", 1, 1),)), PatternSet((Pattern("ba", 0, 1),), left_min=2, right_min=2)
    dictionary = dictionary_of([borders, inside], compound_left_min=2)

    assert dictionary.hyphenate("baboxabaa", "-") == "babo-xa-baa"
    assert "NEXTLEVEL" in dictionary.to_dic()
    with pytest.raises(CasebaseError, match="patterns of letters"):
        dictionary_of([PatternSet((Pattern("KE", 0, 1, is_classes=True),), {"b": "K"})])


@pytest.mark.parametrize("change", ["kk,1,2", "k=k,0,2", "k=k,1,3", "k=k,1", "k=k,a,b"])
def test_a_change_that_is_none_is_an_error_with_its_line(change):
    """With what was expected."""
    with pytest.raises(FormatError, match=r"line 4.*k=k,1,2"):
        read_dictionary(f"{EDGES}c1k/{change}\n")


def test_lines_that_are_no_patterns_can_be_skipped():
    """Some dictionaries have a few."""
    skipped = []

    assert read_dictionary(f"{EDGES}a11b\nc1k\n", skipped=skipped).positions("ack") == [2]
    assert "line 4" in skipped[0]


def test_a_pattern_of_thousands_of_letters_is_not_written():
    """Regression: the time to write it grew with the cube of its length; libhyphen reads no such line."""
    dictionary = read_dictionary(f"UTF-8\n1na\na1{'na' * 4000}\n".encode())

    with pytest.raises(CasebaseError, match="a line has at most 99 bytes"):
        dictionary.to_dic()
