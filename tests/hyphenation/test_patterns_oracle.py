"""Competing patterns against a naive second version, place by place."""

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from casebase.hyphenation.matcher import CompiledPatterns
from casebase.hyphenation.patterns import Pattern, PatternSet
from tests.oracles import patterns as plain

LETTERS = "abéÖ𐐨א"  # one beyond 16 bits, one written from right to left
CLASSES = {"a": "E", "é": "E", "b": "K", "𐐨": "K"}

words = st.text(LETTERS, max_size=9)


@st.composite
def known_patterns(draw):
    """Up to ten patterns of letters or classes, few of them long, with places before, in and behind them."""
    found = []
    for is_classes in draw(st.lists(st.booleans(), max_size=10)):
        letters = draw(st.text("EKE" if is_classes else LETTERS.lower(), min_size=1, max_size=3))
        text = draw(st.sampled_from(["", "."])) + letters + draw(st.sampled_from(["", "."]))
        found.append(Pattern(text, draw(st.integers(0, len(text))), draw(st.integers(1, 12)), is_classes))
    return found


def as_plain(pattern):
    return plain.Pattern(pattern.text, pattern.offset, pattern.level, pattern.is_classes)


@given(words, known_patterns(), st.booleans(), st.integers(1, 4), st.integers(1, 4))
@example("", [], True, 1, 1)
@example("a", [Pattern(".a.", 1, 1), Pattern(".a.", 2, 1)], True, 1, 1)
@example("ab", [Pattern("EK", 1, 3, is_classes=True), Pattern("ab", 1, 2)], False, 1, 1)
def test_positions(word, known, default_allows, left_min, right_min):
    """The greatest number of all that stand at a place decides, capitals read as small letters; compiled or not."""
    found = PatternSet(tuple(known), CLASSES, default_allows, left_min, right_min)
    assert CompiledPatterns(found).positions([word, "", word]) == [found.positions(word), [], found.positions(word)]
    assert found.positions(word) == plain.positions(
        word.lower(),
        [as_plain(pattern) for pattern in known],
        classes=CLASSES,
        default_allows=default_allows,
        left_min=left_min,
        right_min=right_min,
    )


@given(words, known_patterns())
def test_all_that_speak(word, known):
    """Every pattern that speaks about a place is given, a strongest one first."""
    found = PatternSet(tuple(known), CLASSES).matching(word)
    wanted = plain.matching(word.lower(), [as_plain(pattern) for pattern in known], CLASSES)
    assert list(found) == list(range(1, len(word)))
    for given_there, wanted_there in zip(found.values(), wanted):
        assert sorted(map(as_plain, given_there)) == sorted(wanted_there)
        assert [p.level for p in given_there] == sorted((p.level for p in given_there), reverse=True)


@given(words, known_patterns(), st.randoms())
def test_order_of_the_patterns(word, known, random):
    """Patterns may be given in any order."""
    shuffled = list(known)
    random.shuffle(shuffled)
    assert PatternSet(tuple(known)).positions(word) == PatternSet(tuple(shuffled)).positions(word)


@given(st.text("eo\u0301\u0302ü", max_size=8), known_patterns(), st.booleans())
def test_marks_stay_with_their_letter(word, known, default_allows):
    """No break lies before a mark, and a word says the same composed as taken apart."""
    known = PatternSet((*known, Pattern("ó", 1, 13), Pattern("ü", 0, 13)), default_allows=default_allows)
    pieces = {}
    for form in ["NFC", "NFD"]:
        written = unicodedata.normalize(form, word)
        found = known.positions(written)
        assert CompiledPatterns(known).positions([written]) == [found]
        assert all(not unicodedata.combining(written[p]) for p in found)
        pieces[form] = [unicodedata.normalize("NFC", written[:p]) for p in found]
    assert pieces["NFC"] == pieces["NFD"]


def test_a_dot_in_a_word_is_no_edge():
    """Only the ends of a word are its edges."""
    known = PatternSet((Pattern(".a", 1, 1), Pattern(".a", 2, 1), Pattern("b.", 0, 1)))
    assert known.positions("x.ax b.x") == []
    assert known.positions("aab") == [1, 2]
    assert CompiledPatterns(known).positions(["x.ax b.x", "aab"]) == [[], [1, 2]]
