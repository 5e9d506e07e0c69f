"""Normal form of words for patterns: composed, in lower case, each mark with its base letter.

Words are composed (Unicode NFC), so that an accented letter is one character where Unicode has one. Where it has none,
as with the vowel signs of Devanagari, a combining mark stays with the letter before it: no break separates the two.
Capitals become small letters one by one, so that a word keeps its length.
"""

import unicodedata
from itertools import accumulate


def is_mark(letter: str) -> bool:
    """Whether a character combines with the letter before it.

    >>> is_mark("\\u0301"), is_mark("e")
    (True, False)
    """
    return unicodedata.category(letter).startswith("M")


def compose(word: str) -> str:
    """Return the word in its composed form (NFC).

    >>> len("e\\u0301"), len(compose("e\\u0301"))
    (2, 1)
    """
    return word if word.isascii() else unicodedata.normalize("NFC", word)


def fold_case(word: str) -> str:
    """Return a composed word in lower case, with the same length.

    >>> fold_case("Öljy"), fold_case("İ")
    ('öljy', 'İ')
    """
    small = word.lower()
    if len(small) == len(word):
        return small
    # A few capitals, such as "İ", have a small form of two characters; they stay as they are.
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in word)


def places_in(word: str, composed_word: str) -> list[int]:
    """Map each place of the composed word to the same place in the original word.

    Places inside a letter (before one of its marks) are not exact; no caller uses them.

    >>> places_in("e\\u0301a", "éa")
    [0, 2, 3]
    """
    if word == composed_word:
        return list(range(len(word) + 1))
    # Decomposition is the common ground: the same place has the same number of decomposed characters before it.
    at = {n: i for i, n in enumerate(_decomposed_lengths(word))}
    return [at.get(n, 0) for n in _decomposed_lengths(composed_word)]


def _decomposed_lengths(word: str) -> list[int]:
    """Return the decomposed length (NFD) of each prefix of the word."""
    return list(accumulate((len(unicodedata.normalize("NFD", c)) for c in word), initial=0))
