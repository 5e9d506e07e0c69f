"""The compiled search against sorting all distances, where values are compared as texts."""

import numpy as np
import pytest

from casebase import _native
from tests.core import naive
from tests.oracles.differences import levenshtein

U32 = np.uint32
FIRST_SWAP = {"levenshtein": 1, "levenshtein_no_swap_at_start": 2}
WEIGHTS = np.array([0.5, 0.3])


def texts_of(words):
    coded = [np.array([ord(c) for c in word], dtype=U32) for word in words]
    start = np.concatenate([[0], np.cumsum([len(text) for text in coded])]).astype(np.int64)
    return _native.Texts(np.concatenate([*coded, np.empty(0, U32)]), start)


def words_of(rng, n, letters, lengths):
    return ["".join(rng.choice(letters, rng.choice(lengths))) for _ in range(n)]


def assert_like_sorting(kind, known, new, n_rows, k, rng):
    """Questions of known and of new words find what sorting every distance finds."""
    columns = naive.sorted_rows([rng.integers(len(known), size=n_rows).astype(np.uint16) for _ in WEIGHTS])
    comparisons = [_native.TextDistance(kind, texts_of(known), -1.0) for _ in WEIGHTS]
    search = _native.Search([(columns, np.zeros(n_rows, U32), None, None)], comparisons, True, False, "none")
    words = [*known, *new]
    n = 8
    asked = [rng.integers(len(words), size=n).astype(U32) for _ in WEIGHTS]
    order = np.arange(2, dtype=U32)
    scopes = np.array([[0, naive.NO_ROW, 0, naive.NO_LABEL]], U32)
    matrix = [np.atleast_2d(a) for a in (WEIGHTS, np.ones(2), order)]
    questions = _native.Asked(asked, n, *matrix, scopes, None, None, [texts_of(new)] * 2)
    found = naive.groups_of(search.nearest(questions, k, "never", 1), n)
    for q in range(n):
        distance = np.zeros(n_rows)
        for f, weight in enumerate(WEIGHTS):
            word = words[asked[f][q]]
            edits = [levenshtein(word, other, first_swap=FIRST_SWAP[kind]) for other in known]
            distance += weight * np.array(edits, dtype=float)[columns[f]]
        nearest = np.unique(distance)[:k]
        assert [d for d, _ in found[q]] == nearest.tolist()
        assert [set(rows) for _, rows in found[q]] == [set(np.flatnonzero(distance == d)) for d in nearest]
        assert sum(len(rows) for _, rows in found[q]) == np.count_nonzero(distance <= nearest[-1])


@pytest.mark.parametrize("kind", FIRST_SWAP)
@pytest.mark.parametrize(
    ("letters", "lengths"),
    [("ab", range(9)), ("abcdé", range(3, 20)), ("abж😀", (7, 8, 9, 15, 16, 17, 24, 25)), ("ab", (1, 30, 66))],
)
@pytest.mark.parametrize("k", [1, 3])
def test_words(kind, letters, lengths, k):
    rng = np.random.default_rng(k)
    words = list(dict.fromkeys(words_of(rng, 180, list(letters), list(lengths))))
    assert_like_sorting(kind, words[40:], words[:40], 500, k, rng)


def test_more_letters_than_have_numbers():
    rng = np.random.default_rng(5)
    words = list(dict.fromkeys(words_of(rng, 240, [chr(c) for c in range(0x4E00, 0x4E00 + 400)], [1, 2, 3, 4])))
    assert_like_sorting("levenshtein", words[40:], words[:40], 500, 2, rng)
