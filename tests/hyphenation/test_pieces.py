"""Pieces of words as concepts, against all of them written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase.errors import CasebaseError
from casebase.hyphenation.pieces import examples_of, parse_pattern
from casebase.hyphenation.words import hyphenated_words
from casebase.strings.piece import Piece
from casebase.strings.pieces import Choice, piece_concepts

parts = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=4)
words = st.lists(parts.map("-".join), min_size=1, max_size=8)
tables = st.sampled_from([None, {"a": "E", "b": "K", "c": "K"}, {"a": "E"}])


def written_out(examples, window, classes, longest, forbidden=()):
    """Return the pieces of some examples with their extents, in tie order, equal ones once."""
    extents: dict = {}
    for number, x in enumerate(window):
        word = examples.words.words[examples.word[x]]
        place = int(examples.place[x] - examples.first[examples.word[x]])
        kinds = ["".join(classes.get(letter, "\0") for letter in word)] if classes else []
        for is_classes, row in enumerate([word, *kinds]):
            row = f".{row}."
            for begin in range(place + 1):
                for end in range(place, len(row) + 1):
                    name = f"{row[begin:place]}-{row[place:end]}"
                    if 0 < end - begin <= longest and "\0" not in name and (name, bool(is_classes)) not in forbidden:
                        extents.setdefault((end - begin, name, is_classes), set()).add(number)
    first: dict = {}
    for key in sorted(extents):
        first.setdefault(frozenset(extents[key]), key)
    return [(sorted(extent), name, bool(kind)) for extent, (_, name, kind) in first.items()]


def listed(pieces):
    found = [pieces.piece(i) for i in range(len(pieces.concepts))]
    return [(pieces.concepts.extent(i).tolist(), p.written("-"), p.kind == 1) for i, p in enumerate(found)]


@given(words, tables, st.sampled_from([1, 2, 3, 24]), st.data())
def test_the_pieces_are_all_pieces_with_equal_ones_once(words, classes, longest, data):
    """The kernel leaves out only what says the same as a shorter piece."""
    examples = examples_of(hyphenated_words(words), classes)
    window = np.array([x for x in range(len(examples)) if data.draw(st.booleans())], dtype=np.int64)
    if not len(window):
        return
    found = listed(piece_concepts(examples, window, Choice(max_length=longest)))

    assert found == written_out(examples, window.tolist(), classes, longest)


@given(words, tables, st.data())
def test_what_is_forbidden_gives_way_to_the_next_of_the_same_extent(words, classes, data):
    """Without a piece, a longer one with the same examples is found."""
    examples = examples_of(hyphenated_words(words), classes)
    if not len(examples):
        return
    window = np.arange(len(examples))
    names = [(name, kind) for _, name, kind in listed(piece_concepts(examples, window))]
    gone = set(data.draw(st.lists(st.sampled_from(names), max_size=3)))
    forbidden = tuple(Piece(n.replace("-", ""), n.index("-"), int(kind)) for n, kind in gone)

    found = listed(piece_concepts(examples, window, Choice(forbidden=forbidden)))

    assert found == written_out(examples, window.tolist(), classes, 24, gone)


@given(words, tables)
def test_the_examples_of_a_pattern_are_those_it_was_found_in(words, classes):
    """Searching the text for a piece finds its extent."""
    examples = examples_of(hyphenated_words(words), classes)
    if not len(examples):
        return
    pieces = piece_concepts(examples, np.arange(len(examples)))
    for i in range(len(pieces.concepts)):
        np.testing.assert_array_equal(examples.extent(pieces.piece(i)), pieces.concepts.extent(i))


def test_margins_leave_out_examples():
    """Two letters before a break and three after it."""
    examples = examples_of(hyphenated_words(["a-b-c-d-e-f"]), None, 2, 3)

    assert [examples.marked_word(x) for x in range(len(examples))] == ["ab|cdef", "abc|def"]


def test_costs_are_one_or_the_number_of_letters():
    """Edges count as letters."""
    examples = examples_of(hyphenated_words(["ab"]), None)
    pieces = piece_concepts(examples, np.arange(1), Choice("length"))

    assert [pieces.piece(i).written("-") for i in range(len(pieces.concepts))] == ["-b"]
    assert pieces.concepts.cost.tolist() == [1.0]


@pytest.mark.parametrize("wrong", ["hyp", "h-y-p", "-", "", 7])
def test_a_pattern_is_written_with_one_hyphen(wrong):
    """Otherwise nobody knows which place it is about."""
    with pytest.raises(CasebaseError, match="one hyphen"):
        parse_pattern(wrong, 1)
