"""The letters of a word as patterns see them: composed, in lower case, marks with the letter that they stand on.

A word is composed (Unicode's NFC), so that a letter with an accent is one letter where Unicode has it. Where it has
not, as with the vowel signs of Devanagari, a combining mark stays with the letter before it: nothing ever breaks
between the two. Capitals count as small letters, one by one, so that a word keeps its length.
"""

import unicodedata
from itertools import accumulate


def is_mark(letter: str) -> bool:
    """Whether a character combines with the letter before it.

    >>> is_mark("\\u0301"), is_mark("e")
    (True, False)
    """
    return unicodedata.category(letter).startswith("M")


def composed(word: str) -> str:
    """Return the word in its composed form.

    >>> len("e\\u0301"), len(composed("e\\u0301"))
    (2, 1)
    """
    return word if word.isascii() else unicodedata.normalize("NFC", word)


def folded(word: str) -> str:
    """Return a composed word with small letters for capitals; its length stays.

    >>> folded("Öljy"), folded("İ")
    ('öljy', 'İ')
    """
    small = word.lower()
    if len(small) == len(word):
        return small
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in word)


def places_in(word: str, composed_word: str) -> list[int]:
    """Return for each place between letters of the composed word where it lies in the word as it was written.

    Places inside a letter (before one of its marks) are not exact, and nobody asks for them.

    >>> places_in("e\\u0301a", "éa")
    [0, 2, 3]
    """
    if word == composed_word:
        return list(range(len(word) + 1))
    written = _decomposed_lengths(word)
    at = {n: i for i, n in enumerate(written)}
    return [at.get(n, 0) for n in _decomposed_lengths(composed_word)]


def _decomposed_lengths(word: str) -> list[int]:
    """Return how many characters each beginning of the word has when it is taken apart."""
    return list(accumulate((len(unicodedata.normalize("NFD", c)) for c in word), initial=0))
