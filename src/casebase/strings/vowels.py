"""Sukhotin's algorithm: find the vowels of a language from a list of words.

Vowels are adjacent to consonants more often than to vowels. So count the adjacent pairs of different letters; the sum
of a letter is the number of its pairs. At first all letters are consonants. The letter with the largest sum becomes a
vowel, and the sum of each consonant decreases by twice the number of its pairs with the new vowel. Repeat while some
consonant has a sum above zero.

Reference: B. V. Sukhotin, "Optimization algorithms of deciphering as the elements of a linguistic theory" (1988).
"""

import unicodedata
from collections.abc import Sequence

import numpy as np

from casebase.strings.letters import is_mark

CONSONANT, VOWEL, MARK = "K", "E", "M"  # the paper's letters, and M for combining marks


def sukhotin_vowels(words: Sequence[str], weights: np.ndarray | None = None) -> set[str]:
    """Return the letters that behave as vowels.

    >>> sorted(sukhotin_vowels(["talo", "kala", "kivi", "muna", "koti", "lumi"]))
    ['a', 'i', 'o', 'u']
    """
    letters = sorted(letter for letter in set().union(*words) if is_letter(letter))
    beside = _neighbours(words, letters, weights)
    sums = beside.sum(axis=1)
    is_vowel = np.zeros(len(letters), dtype=bool)
    while not is_vowel.all():
        open_sums = np.where(is_vowel, -np.inf, sums)
        best = int(np.argmax(open_sums))  # of equal sums, the first in the alphabet
        if open_sums[best] <= 0:
            break
        is_vowel[best] = True
        sums = sums - 2 * beside[best]
    return {letter for letter, vowel in zip(letters, is_vowel) if vowel}


def letter_classes(words: Sequence[str], weights: np.ndarray | None = None) -> dict[str, str]:
    """Return the class of each letter: K consonant, E vowel, M combining mark. Other characters have none.

    >>> letter_classes(["talo", "kala"])
    {'a': 'E', 'k': 'K', 'l': 'K', 'o': 'E', 't': 'K'}
    """
    vowels = sukhotin_vowels(words, weights)
    seen = sorted(set().union(*words))
    return {
        letter: MARK if is_mark(letter) else VOWEL if letter in vowels else CONSONANT
        for letter in seen
        if is_mark(letter) or is_letter(letter)
    }


def is_letter(letter: str) -> bool:
    """Whether a character is a letter, not a mark, a digit or a symbol."""
    return unicodedata.category(letter).startswith("L")


def _neighbours(words: Sequence[str], letters: list[str], weights: np.ndarray | None) -> np.ndarray:
    """Return how often two different letters are adjacent; marks between them are ignored."""
    if not letters:
        return np.zeros((0, 0))
    n = len(letters) + 1  # the last code is for other characters and for the boundaries of words
    boundary = "\n"
    text = boundary.join(("", *words))
    code = {letter: i for i, letter in enumerate(letters)}
    row = np.array([code.get(letter, n - 1) for letter in text])
    amounts = np.ones(len(text))
    if weights is not None:
        amounts = np.repeat(np.asarray(weights, dtype=float), [len(word) + 1 for word in words])
    if not text.isascii():
        is_base = np.array([not is_mark(letter) for letter in text])
        row, amounts = row[is_base], amounts[is_base]
    pairs = np.bincount(row[:-1] * n + row[1:], weights=amounts[1:], minlength=n * n).reshape(n, n)
    beside = (pairs + pairs.T)[:-1, :-1]
    np.fill_diagonal(beside, 0.0)
    return beside
