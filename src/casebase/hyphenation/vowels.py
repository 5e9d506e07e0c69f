"""Which letters are vowels, found from a list of words.

Sukhotin's observation: vowels stand beside consonants more often than beside vowels. So count how often two letters
stand side by side (a letter beside itself does not count). At first all letters are consonants. The letter with the
largest sum becomes a vowel; each consonant's sum then loses twice the number of times that it stands beside the new
vowel. This goes on as long as some consonant's sum is above zero.

Reference: B. V. Sukhotin, "Optimization algorithms of deciphering as the elements of a linguistic theory" (1988).
"""

import unicodedata
from collections.abc import Sequence

import numpy as np

from casebase.hyphenation.letters import is_mark

CONSONANT, VOWEL, MARK = "K", "E", "M"  # the paper's letters, and M for combining marks


def sukhotin_vowels(words: Sequence[str], weights: np.ndarray | None = None) -> set[str]:
    """Return the letters that behave as vowels.

    >>> sorted(sukhotin_vowels(["talo", "kala", "kivi", "muna", "koti", "lumi"]))
    ['a', 'i', 'o', 'u']
    """
    letters = sorted({letter for word in words for letter in word if is_letter(letter)})
    beside = _neighbours(words, letters, weights)
    sums = beside.sum(axis=1)
    is_vowel = np.zeros(len(letters), dtype=bool)
    while not is_vowel.all():
        open_sums = np.where(is_vowel, -np.inf, sums)
        best = int(np.argmax(open_sums))  # of equal sums the first in the alphabet
        if open_sums[best] <= 0:
            break
        is_vowel[best] = True
        sums = sums - 2 * beside[best]
    return {letter for letter, vowel in zip(letters, is_vowel) if vowel}


def letter_classes(words: Sequence[str], weights: np.ndarray | None = None) -> dict[str, str]:
    """Return each letter's class: K consonant, E vowel, M combining mark. Other characters have none.

    >>> letter_classes(["talo", "kala"])
    {'a': 'E', 'k': 'K', 'l': 'K', 'o': 'E', 't': 'K'}
    """
    vowels = sukhotin_vowels(words, weights)
    seen = sorted({letter for word in words for letter in word})
    return {
        letter: MARK if is_mark(letter) else VOWEL if letter in vowels else CONSONANT
        for letter in seen
        if is_mark(letter) or is_letter(letter)
    }


def is_letter(letter: str) -> bool:
    """Whether a character is a letter by itself, not a mark, a digit or a sign."""
    return unicodedata.category(letter).startswith("L")


def _neighbours(words: Sequence[str], letters: list[str], weights: np.ndarray | None) -> np.ndarray:
    """Return how often two different letters stand side by side; marks between them are passed over."""
    if not letters:
        return np.zeros((0, 0))
    code = {letter: i for i, letter in enumerate(letters)}
    n = len(letters) + 1  # one more for what is no letter
    text: list[int] = []
    amounts: list[np.ndarray] = []
    for i, word in enumerate(words):
        codes = [code.get(letter, n - 1) for letter in word if not is_mark(letter)]
        text += [n - 1, *codes]
        amounts.append(np.full(len(codes) + 1, 1.0 if weights is None else weights[i]))
    row = np.array(text)
    pairs = np.bincount(row[:-1] * n + row[1:], weights=np.concatenate(amounts)[1:], minlength=n * n).reshape(n, n)
    beside = (pairs + pairs.T)[:-1, :-1]
    np.fill_diagonal(beside, 0.0)
    return beside
