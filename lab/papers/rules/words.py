"""The words of the experiments: Finnish ones with their hyphens, English ones hyphenated by pyphen."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from casebase.hyphenation.words import HyphenatedWords, hyphenated_words
from lab.local import local_lines
from lab.peers import hyphenators

FINNISH, ENGLISH = "finnish_hyphenation.txt", "cmudict.txt.gz"
LEFT_MIN, RIGHT_MIN = 2, 3  # of American English


@dataclass(frozen=True, eq=False)
class Words:
    """Words without hyphens, and the places where each may be broken."""

    words: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]

    def take(self, rows: np.ndarray) -> "Words":
        return Words(tuple(self.words[i] for i in rows), tuple(self.places[i] for i in rows))

    def with_hyphens(self) -> list[str]:
        """Return the words with their hyphens."""
        return self.for_learning().with_hyphens()

    def for_learning(self) -> HyphenatedWords:
        return HyphenatedWords(self.words, self.places, np.ones(len(self.words)))


@cache
def finnish() -> Words:
    """Return the Finnish words in the order of the alphabet."""
    found = hyphenated_words(line for line in local_lines(FINNISH) if line)
    return Words(found.words, found.places)


@cache
def english(n_words: int, seed: int) -> Words:
    """Return English words drawn from a pronouncing dictionary, broken where pyphen's patterns say."""
    ask = hyphenators.asking_pyphen(hyphenators.dictionary("en_US"), LEFT_MIN, RIGHT_MIN)
    entries = {line.split(" ", 1)[0].lower() for line in local_lines(ENGLISH) if line}
    known = sorted(word for word in entries if word.isascii() and word.isalpha())
    drawn = np.random.default_rng(seed).permutation(len(known))[:n_words]
    words = tuple(known[i] for i in np.sort(drawn))
    return Words(words, tuple(tuple(map(int, positions)) for positions in ask(words)))


def halves(words: Words, n_first: int, seed: int) -> tuple[Words, Words]:
    """Return a random sample of words, and the others."""
    order = np.random.default_rng(seed).permutation(len(words.words))
    return words.take(np.sort(order[:n_first])), words.take(np.sort(order[n_first:]))
