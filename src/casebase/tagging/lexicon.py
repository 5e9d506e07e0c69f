"""The lexicon of a tagged corpus: the words, the counts of their tags, and their ambiguity classes.

The ambiguity class (ambitag) of a word is the list of its tags, the most frequent first, without those below a minimum
share of its occurrences: "nn;vb" for a word that is mostly a noun and sometimes a verb.

Reference: Daelemans, Zavrel, Berck, Gillis, "MBT: a memory-based part of speech tagger-generator" (1996).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase import _native
from casebase.data import Vocabulary
from casebase.data.arrays import as_integers, as_numpy, bytes_of
from casebase.data.checks import is_whole
from casebase.data.vocabulary import vocabulary_of
from casebase.errors import CasebaseError
from casebase.tagging.sentences import Sentences

UNKNOWN_AMBITAG = "__"
FEW = 64  # distinct words


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Words and tags, both in alphabetical order; word w has the counts from `first[w]` to `first[w + 1]`.

    `threshold` is the minimum share, in per cent of a word's occurrences, of a tag in its ambitag.
    """

    words: Vocabulary
    tags: Vocabulary
    first: np.ndarray
    tag: np.ndarray
    count: np.ndarray
    threshold: int = 5

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def frequency(self) -> np.ndarray:
        """The number of occurrences of each word."""
        return np.add.reduceat(self.count, self.first[:-1]) if len(self) else np.empty(0, np.int64)

    @cached_property
    def _frequent_tags(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of a word and a tag that reaches the threshold, by word, the most frequent tag first."""
        word = np.repeat(np.arange(len(self)), np.diff(self.first))
        order = np.lexsort((self.tag, -self.count, word))
        word, tag, count = word[order], self.tag[order], self.count[order]
        is_kept = 100 * count >= self.threshold * self.frequency[word]
        is_kept[self.first[:-1]] = True  # a word with very many tags still has its first one
        return word[is_kept], tag[is_kept]

    @cached_property
    def ambitag_of(self) -> np.ndarray:
        """The index of each word's ambitag in `ambitags`."""
        return as_numpy(self._encoded_ambitags.indices.cast(pa.int64()))

    @property
    def ambitags(self) -> pa.Array:
        """The distinct ambitags."""
        return self._encoded_ambitags.dictionary

    @cached_property
    def _encoded_ambitags(self) -> pa.DictionaryArray:
        word, tag = self._frequent_tags
        offsets = np.searchsorted(word, np.arange(len(self) + 1)).astype(np.int32)
        lists = pa.ListArray.from_arrays(as_integers(offsets), self.tags.values.take(as_integers(tag)))
        return pc.binary_join(lists, ";").dictionary_encode()

    def ambitag_texts(self, words: np.ndarray) -> pa.Array:
        """Return the ambitags of words, given by index; words that are not in the lexicon (−1) have "__"."""
        return self.ambitags_of_all.take(as_integers(self.ambitag_of_all[words]))

    @property
    def ambitags_of_all(self) -> pa.Array:
        """The distinct ambitags, and last that of unknown words."""
        return pa.concat_arrays([self.ambitags, pa.array([UNKNOWN_AMBITAG], self.ambitags.type)])

    @cached_property
    def ambitag_of_all(self) -> np.ndarray:
        """The index of each word's ambitag, and last that of unknown words, which −1 selects."""
        return np.append(self.ambitag_of, len(self.ambitags))

    @cached_property
    def _ambitag_list(self) -> list[str]:
        return [*self.ambitags.to_pylist(), UNKNOWN_AMBITAG]

    def few_ambitags(self, words: np.ndarray) -> list[str]:
        """Return the same for a few words, without the overhead of Arrow arrays."""
        texts = self._ambitag_list
        return [texts[entry] for entry in self.ambitag_of_all[words].tolist()]

    def find(self, words: pa.Array) -> np.ndarray:
        """Return the index of each word, −1 for words that are not in the lexicon."""
        if len(words) > FEW and self.words.is_ordered:
            found: np.ndarray = self.index.find(*bytes_of(words))
            return found
        codes = self.words.encode(words).astype(np.int64)
        return np.where(codes == self.words.unknown, -1, codes)

    @cached_property
    def index(self) -> Any:
        """The numbers of the words, to find many."""
        return index_of(self.words)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy; the copy rebuilds the compiled part."""
        return {name: value for name, value in self.__dict__.items() if name != "index"}

    def find_one(self, word: str) -> int | None:
        """Return the index of a word; None for a word that is not in the lexicon."""
        code = self.words.code(word)
        return None if code in self.words.gone else code

    def most_frequent(self, n: int) -> np.ndarray:
        """Return a mask of the n most frequent words; ties go to the first in the alphabet."""
        is_frequent = np.zeros(len(self), dtype=bool)
        is_frequent[np.argsort(-self.frequency, kind="stable")[:n]] = True
        return is_frequent

    def counts_of(self, word: int) -> dict[str, int]:
        """Return the count of each tag of a word."""
        entries = slice(int(self.first[word]), int(self.first[word + 1]))
        tags = self.tags.values.take(as_integers(self.tag[entries])).to_pylist()
        return dict(zip(tags, self.count[entries].tolist()))


def index_of(vocabulary: Vocabulary) -> Any:
    """Return the numbers of the values of a vocabulary that no correction has changed, to find many."""
    return _native.TextIndex(*bytes_of(vocabulary.ordered))


def lexicon_of(sentences: Sentences, threshold: int = 5) -> tuple[Lexicon, np.ndarray, np.ndarray]:
    """Return the lexicon of a tagged corpus, and the index of each token's word and tag in it.

    >>> from casebase.tagging.sentences import sentences_of
    >>> text = sentences_of([[("dog", "N"), ("dog", "N"), ("dog", "V"), ("a", "D")]], tagged=True)
    >>> lexicon, words, tags = lexicon_of(text)
    >>> lexicon.words.values.to_pylist(), words.tolist(), lexicon.ambitag_texts(np.array([0, 1, -1])).to_pylist()
    (['a', 'dog'], [1, 1, 1, 0], ['D', 'N;V', '__'])
    """
    if sentences.tags is None:
        raise CasebaseError("The sentences have no tags: a lexicon is made from a tagged corpus.")
    if not sentences.n_tokens:
        raise CasebaseError("The corpus is empty: at least one tagged word is needed.")
    words, word = vocabulary_of(sentences.words)
    tags, tag = vocabulary_of(sentences.tags)
    start, label, count = _native.contingency(word, tag.astype(np.uint32), None, len(words), len(tags))
    lexicon = Lexicon(
        words,
        tags,
        start.astype(np.int64),
        label.astype(np.int64),
        count.astype(np.int64),
        checked_percentage(threshold),
    )
    return lexicon, word, tag


def checked_percentage(threshold: object) -> int:
    if not is_whole(threshold, 0, 100):
        raise CasebaseError(
            "ambiguity_threshold is the least share of a word's occurrences that a tag of its class has, in per cent: "
            f"a whole number from 0 to 100; got {threshold!r}."
        )
    return int(threshold)
