"""A written file gives the same breaks in the programs that read such files."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.hyphenation.pattern_files import from_dic, from_tex, to_dic, to_tex
from casebase.hyphenation.patterns import Pattern, PatternSet
from casebase.strings.texts import EDGE
from lab.peers import hyphenators
from tests.peers import require_libhyphen, require_pyphen, require_tex

LETTERS = "abcäñя𐌰'\u0301"  # one byte to four, an apostrophe, a mark that combines with what is before it
CLASSES = {"a": "E", "ä": "E", "b": "K", "c": "K", "ñ": "K", "я": "E"}


@st.composite
def pieces(draw, alphabet):
    inner = draw(st.text(alphabet, min_size=1, max_size=3))
    return draw(st.sampled_from(["", EDGE])) + inner + draw(st.sampled_from(["", EDGE]))


@st.composite
def patterns(draw):
    text, is_classes = draw(
        st.one_of(st.tuples(pieces(LETTERS), st.just(False)), st.tuples(pieces("KE"), st.just(True)))
    )
    text = unicodedata.normalize("NFC", text)
    return Pattern(text, draw(st.integers(0, len(text))), draw(st.integers(1, 6)), is_classes)


@st.composite
def pattern_sets(draw):
    return PatternSet(
        tuple(draw(st.lists(patterns(), max_size=8))),
        CLASSES,
        default_allows=draw(st.booleans()),
        left_min=draw(st.integers(1, 3)),
        right_min=draw(st.integers(1, 3)),
    )


words = st.text(LETTERS, min_size=1, max_size=12).map(lambda text: unicodedata.normalize("NFC", text))


def known_letters(asked):
    """Letters of words, which the default of a set of patterns has to reach."""
    return {c for word in asked for c in word} | set(CLASSES)


@pytest.mark.peer
@settings(max_examples=60)
@given(pattern_sets(), st.lists(words, min_size=1, max_size=20))
def test_pyphen_breaks_where_the_patterns_do(patterns, asked):
    """Whatever the patterns, the default and the distances."""
    require_pyphen()
    expected = [patterns.positions(word) for word in asked]
    text = to_dic(patterns, letters=known_letters(asked))

    assert hyphenators.pyphen_positions(text, asked, patterns.left_min, patterns.right_min) == expected


@pytest.mark.peer
@settings(max_examples=60)
@given(pattern_sets(), st.lists(words, min_size=1, max_size=20))
def test_libhyphen_breaks_where_the_patterns_do(patterns, asked):
    """Whatever the patterns, the default and the distances, which it reads from the file."""
    require_libhyphen()
    expected = [patterns.positions(word) for word in asked]

    assert hyphenators.libhyphen_positions(to_dic(patterns, letters=known_letters(asked)), asked) == expected


@pytest.mark.peer
@settings(max_examples=10)
@given(pattern_sets(), st.lists(words, min_size=1, max_size=50))
def test_tex_breaks_where_the_patterns_do(patterns, asked):
    """With whole words as exceptions."""
    require_tex()
    expected = [patterns.positions(word) for word in asked]

    assert hyphenators.tex_positions(to_tex(patterns, letters=known_letters(asked)), asked) == expected


@given(pattern_sets(), st.lists(words, min_size=1, max_size=20))
def test_what_was_written_is_read_as_the_same_patterns(patterns, asked):
    """A file and back again, in both formats."""
    expected = [patterns.positions(word) for word in asked]

    for write, read in ((to_dic, from_dic), (to_tex, from_tex)):
        again = read(write(patterns, letters=known_letters(asked)))
        assert [again.positions(word) for word in asked] == expected
        assert (again.left_min, again.right_min) == (patterns.left_min, patterns.right_min)
