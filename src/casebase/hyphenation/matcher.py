"""Compiled patterns: the breaks of many words in one call, equal to those of `PatternSet.positions`."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from casebase import _native
from casebase.errors import CasebaseError
from casebase.hyphenation.patterns import PatternSet
from casebase.hyphenation.words import with_hyphens
from casebase.strings.letters import compose, fold_case, is_mark, places_in
from casebase.strings.texts import as_codes, as_text, offsets


@dataclass(frozen=True)
class _EncodedWords:
    """Concatenated words: composed letters, the same letters in lower case, and where each word begins."""

    text: np.ndarray
    small: np.ndarray
    first: np.ndarray
    marks: np.ndarray
    changed: tuple[int, ...]  # the words that were not in composed form


class CompiledPatterns:
    """Patterns in a trie of the compiled core.

    >>> from casebase.hyphenation.patterns import Pattern
    >>> compiled = CompiledPatterns(PatternSet((Pattern("hyp", 2, 1), Pattern("na", 0, 1))))
    >>> compiled.positions(["hyphenation", "banana"]), compiled.hyphenate(["Banana"], "-")
    ([[2, 5], [2, 4]], ['Ba-na-na'])
    """

    def __init__(self, patterns: PatternSet) -> None:
        entries = patterns.patterns
        if any(pattern.level > 0xFFFF for pattern in entries):
            raise CasebaseError("Levels of patterns go up to 65535.")
        classes = patterns.classes or {}
        self._native = _native.Patterns(
            as_codes("".join(pattern.text for pattern in entries)),
            offsets([len(pattern.text) for pattern in entries]),
            np.array([pattern.is_classes for pattern in entries], dtype=np.uint8),
            np.array([pattern.offset for pattern in entries], dtype=np.uint32),
            np.array([pattern.level for pattern in entries], dtype=np.uint16),
            as_codes("".join(classes)),
            as_codes("".join(classes.values())),
            patterns.default_allows,
            patterns.left_min,
            patterns.right_min,
        )

    def positions(self, words: Sequence[str], n_jobs: int = 1) -> list[list[int]]:
        """Return where each word may be broken."""
        if len(words) == 1 and words[0].isascii():  # the common call, without the cost of arrays
            return [self._native.places(words[0].lower())]
        batch = _encode(words)
        found = np.flatnonzero(self._breaks(batch, n_jobs))
        first = batch.first.astype(np.int64)
        ends = np.searchsorted(found, first)
        places = (found - np.repeat(first[:-1], np.diff(ends))).tolist()
        lists = [places[a:b] for a, b in pairwise(ends.tolist())]
        for w in batch.changed:
            at = places_in(words[w], compose(words[w]))
            lists[w] = [at[p] for p in lists[w]]
        return lists

    def hyphenate(self, words: Sequence[str], separator: str, n_jobs: int = 1) -> list[str]:
        """Return each word with a separator at each break."""
        batch = _encode(words)
        if batch.changed:
            return [with_hyphens(word, places, separator) for word, places in zip(words, self.positions(words, n_jobs))]
        text, first = _native.separate(batch.text, batch.first, self._breaks(batch, n_jobs), as_codes(separator))
        whole = as_text(text)
        return [whole[a:b] for a, b in pairwise(first.tolist())]

    def breaks_before(self, text: np.ndarray, first: np.ndarray, n_jobs: int = 1) -> np.ndarray:
        """Return for each letter of lower-case words whether a break precedes it."""
        marks = [letter for letter in np.unique(text).tolist() if is_mark(chr(letter))]
        return self._native.breaks(text, first, np.array(marks, dtype=np.uint32), n_jobs).astype(bool)

    def occurrences(self, text: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs: the index of a pattern, and the letter before which one of its occurrences decides."""
        pattern, letter = self._native.occurrences(text, first)
        return pattern.astype(np.int64), letter.astype(np.int64)

    def _breaks(self, batch: _EncodedWords, n_jobs: int) -> np.ndarray:
        return self._native.breaks(batch.small, batch.first, batch.marks, n_jobs)


def _encode(words: Sequence[str]) -> _EncodedWords:
    text = "".join(words)
    changed: tuple[int, ...] = ()
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        normal = [compose(word) for word in words]
        changed = tuple(w for w, word in enumerate(words) if normal[w] != word)
        words, text = normal, "".join(normal)
    small = text.lower()
    if len(small) != len(text) or "Σ" in text:  # lower() writes a final sigma differently, so words need their ends
        small = "".join(fold_case(word) for word in words)
    marks = "" if text.isascii() else "".join(letter for letter in set(small) if is_mark(letter))
    return _EncodedWords(as_codes(text), as_codes(small), offsets([len(w) for w in words]), as_codes(marks), changed)
