"""A corpus after corrections: which sentences it has now, in which order.

A sentence that is learned comes to the end, a corrected one keeps its place, and those behind a forgotten one move up.
Sentences have numbers that never change, those of the corpus first; the corpus itself is put together only when it is
asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.data.checks import is_whole
from casebase.errors import CasebaseError
from casebase.tagging.sentences import Sentences, sentences_of

Rows = list[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Revision:
    """The sentences `order`, by number, of a corpus and of those that were `added` to it.

    >>> base = sentences_of([[("a", "D")], [("dog", "N")]], tagged=True)
    >>> list(Revision.of(base).learned([[("go", "V")]]).forgotten([0]).corpus)
    [[('dog', 'N')], [('go', 'V')]]
    """

    base: Sentences
    added: tuple[Rows, ...]
    order: np.ndarray

    @staticmethod
    def of(corpus: Sentences) -> "Revision":
        return Revision(corpus, (), np.arange(corpus.n_sentences))

    def __len__(self) -> int:
        return len(self.order)

    def learned(self, sentences: Sequence[Rows]) -> "Revision":
        """Return the corpus with more sentences at its end."""
        numbers = self._new_numbers(len(sentences))
        return replace(self, added=(*self.added, *sentences), order=np.concatenate([self.order, numbers]))

    def forgotten(self, places: Sequence[int]) -> "Revision":
        """Return the corpus without the sentences at some places."""
        return replace(self, order=np.delete(self.order, places))

    def corrected(self, place: int, sentence: Rows) -> "Revision":
        """Return the corpus with another sentence at a place."""
        order = self.order.copy()
        order[place] = self._new_numbers(1)[0]
        return replace(self, added=(*self.added, sentence), order=order)

    def _new_numbers(self, n: int) -> np.ndarray:
        return self.base.n_sentences + len(self.added) + np.arange(n)

    def rows(self, number: int) -> Rows:
        """Return a sentence by its number: for each token the word, further columns, and the tag."""
        if number >= self.base.n_sentences:
            return self.added[number - self.base.n_sentences]
        begin, end = (int(edge) for edge in self.base.first[number : number + 2])
        columns = [self.base.words, *self.base.extra, self.base.tags]
        return list(zip(*(column[begin:end].to_pylist() for column in columns if column is not None)))

    @cached_property
    def lengths(self) -> np.ndarray:
        """How many tokens each sentence has, in the order of the corpus."""
        added = np.array([len(rows) for rows in self.added], dtype=np.int64)
        lengths: np.ndarray = np.concatenate([self.base.lengths, added])[self.order]
        return lengths

    @cached_property
    def corpus(self) -> Sentences:
        """The sentences, as if they had been read in this order."""
        if not self.added and len(self.order) == self.base.n_sentences:
            return self.base
        together = self.base
        if any(self.added):
            more = sentences_of(list(self.added), tagged=True, n_extra=len(self.base.extra))
            together = together.and_then(more)
        elif self.added:
            together = replace(together, first=np.append(together.first, [together.n_tokens] * len(self.added)))
        corpus = together.take(self.order)
        return replace(corpus, extra=tuple(map(_by_first_use, corpus.extra)))


def _by_first_use(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return a column whose texts have the order in which they are first used: a model file keeps it."""
    return column.dictionary_decode().dictionary_encode()


def rows_of(sentences: Sentences) -> list[Rows]:
    """Return tagged sentences as lists of tuples."""
    return [[tuple(token) for token in sentence] for sentence in sentences]


def checked_place(place: Any, n: int) -> int:
    """Return the place of a sentence in a corpus of n sentences."""
    if not is_whole(place, 0) or place >= n:
        raise CasebaseError(f"There is no sentence {place!r}: the corpus has {n:,}, with the numbers 0 to {n - 1:,}.")
    return int(place)
