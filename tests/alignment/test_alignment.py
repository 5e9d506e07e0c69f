"""Letters aligned with phonemes, against all alignments written out; dictionaries; input that is wrong."""

import gzip
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.alignment.aligner import phonemes_of
from casebase.alignment.probabilities import batches_of, best_alignments, expected_counts, normalised
from casebase.errors import CasebaseError
from tests.oracles import alignment as plain

words = st.lists(
    st.text("ab", min_size=1, max_size=4).flatmap(
        lambda word: st.tuples(st.just(word), st.lists(st.sampled_from("PQ"), max_size=2 * len(word)))
    ),
    min_size=1,
    max_size=6,
)


def table_of(found):
    return {(letter, part): p for letter, row in found.probabilities.items() for part, p in row.items()}


@settings(max_examples=60)
@given(words, st.integers(1, 4))
def test_rounds_are_those_of_all_alignments_written_out(words, n_rounds):
    """Forward and backward sums count each alignment by its share."""
    wanted = plain.uniform(words)
    for _ in range(n_rounds):
        wanted = plain.next_round(words, wanted)

    found = table_of(cb.align(words, n_rounds=n_rounds, tolerance=0.0))

    for cell in {*wanted, *found}:
        assert found.get(cell, 0.0) == pytest.approx(wanted.get(cell, 0.0), abs=1e-9)


@settings(max_examples=60)
@given(words, st.randoms())
def test_the_alignment_is_the_most_probable_one(words, random):
    """Also where several are equally probable."""
    cells = sorted(plain.uniform(words))
    table = {cell: random.choice([0.125, 0.25, 0.5, 0.5]) for cell in cells}
    letters, phonemes = sorted({c for word, _ in words for c in word}), sorted({p for _, said in words for p in said})
    coded = [[letters.index(c) for c in word] for word, _ in words], [[phonemes.index(p) for p in s] for _, s in words]
    batches = batches_of(*coded, np.ones(len(words)), len(letters), len(phonemes))
    n = len(phonemes)
    row = np.zeros(batches.n_cells)
    for (letter, part), p in table.items():
        codes = [phonemes.index(one) for one in part]
        sound = [0, *(1 + c for c in codes[:1])][-1] if len(codes) < 2 else 1 + n + codes[0] * n + codes[1]
        row[letters.index(letter) * batches.n_sounds + sound] = p

    for at, sizes in best_alignments(batches, row):
        assert sizes == [len(part) for part in plain.best(*words[at], table)]


def test_the_likelihood_never_falls():
    """That is what expectation maximisation promises."""
    given_words = [("tax", "T AE K S"), ("tea", "T IY"), ("sea", "S IY"), ("eat", "IY T"), ("knee", "N IY")]
    history = cb.align(given_words, tolerance=0.0).log_likelihoods

    assert len(history) == 50
    assert all(b >= a - 1e-9 for a, b in pairwise(history))


def test_order_changes_nothing_and_weights_count():
    """A word of weight 2 is two words."""
    given_words = [("tax", "T AE K S"), ("tea", "T IY"), ("sea", "S IY"), ("at", "AE T")]
    one, other = cb.align(given_words), cb.align(given_words[::-1])

    assert one.words == other.words[::-1]
    assert one.probabilities == other.probabilities
    twice, weighted = cb.align([*given_words, given_words[0]]), cb.align(given_words, weights=[2, 1, 1, 1])
    assert table_of(twice) == pytest.approx(table_of(weighted))


def test_examples_for_rules_and_for_tables():
    """Every letter once, and the phonemes come back."""
    found = cb.align([("tax", "T AE K S"), ("tea", "T IY"), ("sea", "S IY"), ("x", "EH K S")])

    assert [one.word for one in found.left_out] == ["x"]
    assert found.strings()[0][:4] == [("tax", 0), ("tax", 1), ("tax", 2), ("tea", 0)]
    assert found.windows(1)[0][:2] == [["_", "t", "a"], ["t", "a", "x"]]
    assert [phonemes_of(one.sounds) for one in found] == [("T", "AE", "K", "S"), ("T", "IY"), ("S", "IY")]


def test_dictionaries_of_both_kinds_also_compressed():
    """Variants, comments, stress and signs."""
    text = b";;; comment\nTEA  T IY1 # drink\nTEA(2)  T EY1\nDON'T 1 D OW1 N T\nSEA 1 S IY1\nSEA 2 S EY1\n"

    found = cb.read_pronunciations(gzip.compress(text))
    assert [(one.word, one.phonemes) for one in found] == [("tea", ("T", "IY")), ("sea", ("S", "IY"))]
    everything = cb.read_pronunciations(text, stress=True, variants=True, only_letters=False)
    assert [" ".join(one.phonemes) for one in everything] == ["T IY1", "T EY1", "D OW1 N T", "S IY1", "S EY1"]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("tea T IY", "list of words"),
        ([], "no words"),
        ([("tea",)], "word 1"),
        ([("tea", "T IY"), ("", "T")], "word 2"),
        ([("tea", ["T", "I+Y"])], "'\\+'"),
        ([("a", "T IY EY")], "more than two"),
        ([("tea", [1, 2])], "phonemes"),
    ],
)
def test_what_cannot_be_aligned_is_told(wrong, says):
    """The message names the word."""
    with pytest.raises(CasebaseError, match=says):
        cb.align(wrong)


def test_a_dictionary_without_phonemes_is_told_with_its_line():
    """What was expected, and where."""
    with pytest.raises(CasebaseError, match="line 2"):
        cb.read_pronunciations(b"tea  T IY\nsea\n")


def test_counts_add_up_to_the_letters():
    """Each letter of each word is counted once."""
    batches = batches_of([[0, 1], [1, 1, 0]], [[0], [0, 1, 1]], np.array([1.0, 3.0]), 2, 2)
    counts, _ = expected_counts(batches, normalised(np.ones(batches.n_cells), batches))

    assert counts.sum() == pytest.approx(2 + 9)
