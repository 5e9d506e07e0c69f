"""Patterns compiled: the places of many words in one call, the same that `PatternSet.positions` finds."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from casebase import _native
from casebase.errors import CasebaseError
from casebase.hyphenation.letters import composed, folded, is_mark, places_in
from casebase.hyphenation.patterns import PatternSet
from casebase.hyphenation.pieces import as_codes, as_text
from casebase.hyphenation.words import with_hyphens


@dataclass(frozen=True)
class _Coded:
    """Words one after the other: composed letters, the same in lower case, and where each word begins."""

    text: np.ndarray
    small: np.ndarray
    first: np.ndarray
    marks: np.ndarray
    changed: tuple[int, ...]  # the words that were not composed


class CompiledPatterns:
    """Patterns in a trie.

    >>> from casebase.hyphenation.patterns import Pattern
    >>> compiled = CompiledPatterns(PatternSet((Pattern("hyp", 2, 1), Pattern("na", 0, 1))))
    >>> compiled.positions(["hyphenation", "banana"]), compiled.hyphenated(["Banana"], "-")
    ([[2, 5], [2, 4]], ['Ba-na-na'])
    """

    def __init__(self, patterns: PatternSet) -> None:
        given = patterns.patterns
        if any(pattern.level > 0xFFFF for pattern in given):
            raise CasebaseError("Levels of patterns go up to 65535.")
        classes = patterns.classes or {}
        self._native = _native.Patterns(
            as_codes("".join(pattern.text for pattern in given)),
            _offsets([len(pattern.text) for pattern in given]),
            np.array([pattern.is_classes for pattern in given], dtype=np.uint8),
            np.array([pattern.offset for pattern in given], dtype=np.uint32),
            np.array([pattern.level for pattern in given], dtype=np.uint16),
            as_codes("".join(classes)),
            as_codes("".join(classes.values())),
            patterns.default_allows,
            patterns.left_min,
            patterns.right_min,
        )

    def positions(self, words: Sequence[str], n_jobs: int = 1) -> list[list[int]]:
        """Return where each word may be broken."""
        if len(words) == 1 and words[0].isascii():
            return [self._native.places(words[0].lower())]
        coded = _coded(words)
        found = np.flatnonzero(self._breaks(coded, n_jobs))
        first = coded.first.astype(np.int64)
        ends = np.searchsorted(found, first)
        places = (found - np.repeat(first[:-1], np.diff(ends))).tolist()
        lists = [places[a:b] for a, b in pairwise(ends.tolist())]
        for w in coded.changed:
            at = places_in(words[w], composed(words[w]))
            lists[w] = [at[p] for p in lists[w]]
        return lists

    def hyphenated(self, words: Sequence[str], separator: str, n_jobs: int = 1) -> list[str]:
        """Return each word with a separator wherever it may be broken."""
        coded = _coded(words)
        if coded.changed:
            return [with_hyphens(word, places, separator) for word, places in zip(words, self.positions(words, n_jobs))]
        text, first = _native.separate(coded.text, coded.first, self._breaks(coded, n_jobs), as_codes(separator))
        whole = as_text(text)
        return [whole[a:b] for a, b in pairwise(first.tolist())]

    def breaks_before(self, text: np.ndarray, first: np.ndarray, n_jobs: int = 1) -> np.ndarray:
        """Return whether each letter of words in small letters has a break before it."""
        marks = [letter for letter in np.unique(text).tolist() if is_mark(chr(letter))]
        return self._native.breaks(text, first, np.array(marks, dtype=np.uint32), n_jobs).astype(bool)

    def occurrences(self, text: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs: a pattern's position, and the letter of the text before which it has its say."""
        pattern, letter = self._native.occurrences(text, first)
        return pattern.astype(np.int64), letter.astype(np.int64)

    def _breaks(self, coded: _Coded, n_jobs: int) -> np.ndarray:
        return self._native.breaks(coded.small, coded.first, coded.marks, n_jobs)


def _coded(words: Sequence[str]) -> _Coded:
    joined = "".join(words)
    changed: tuple[int, ...] = ()
    if not joined.isascii() and not unicodedata.is_normalized("NFC", joined):
        made = [composed(word) for word in words]
        changed = tuple(w for w, word in enumerate(words) if made[w] != word)
        words, joined = made, "".join(made)
    small = joined.lower()
    if len(small) != len(joined) or "Σ" in joined:  # a sigma at the end of a word has a small letter of its own
        small = "".join(folded(word) for word in words)
    marks = "" if joined.isascii() else "".join(letter for letter in set(small) if is_mark(letter))
    return _Coded(as_codes(joined), as_codes(small), _offsets([len(w) for w in words]), as_codes(marks), changed)


def _offsets(lengths: list[int]) -> np.ndarray:
    first = np.zeros(len(lengths) + 1, dtype=np.uint64)
    np.cumsum(lengths, out=first[1:])
    return first
