"""Sentences: the words of a corpus, with their tags if they have any.

A column (the words, the tags, further columns between them) is an Arrow dictionary array, so each text is kept once;
sentence `i` is tokens `first[i]` to `first[i + 1]`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.data.arrays import as_numpy, as_strings
from casebase.errors import CasebaseError
from casebase.tagging.universal import are_mappings, checked_value, form_of, place, words_in


@dataclass(frozen=True, eq=False)
class Sentences:
    """Words in sentences; `extra` are further columns, such as the tags that a chunker reads.

    >>> corpus = sentences_of([[("The", "D"), ("dog", "N")], [("Stop", "V")]], tagged=True)
    >>> corpus.n_sentences, corpus.n_tokens, corpus.words.to_pylist(), corpus.tags.to_pylist()
    (2, 3, ['The', 'dog', 'Stop'], ['D', 'N', 'V'])
    """

    words: pa.DictionaryArray
    first: np.ndarray
    tags: pa.DictionaryArray | None = None
    extra: tuple[pa.DictionaryArray, ...] = ()

    def __iter__(self) -> Iterator[list[Any]]:
        """Yield each sentence as a list of `(word, …, tag)`; of words if there is nothing beside them.

        >>> list(sentences_of([[("The", "D"), ("dog", "N")], [("Stop", "V")]], tagged=True))
        [[('The', 'D'), ('dog', 'N')], [('Stop', 'V')]]
        """
        columns = [self.words, *self.extra, *([] if self.tags is None else [self.tags])]
        lists = [self.lists(column) for column in columns]
        return iter(lists[0]) if len(lists) == 1 else (list(zip(*sentence)) for sentence in zip(*lists))

    def __len__(self) -> int:
        """The number of sentences."""
        return self.n_sentences

    @property
    def n_tokens(self) -> int:
        return len(self.words)

    @property
    def n_sentences(self) -> int:
        return len(self.first) - 1

    @property
    def lengths(self) -> np.ndarray:
        """How many tokens each sentence has."""
        return np.diff(self.first)

    def take(self, sentences: np.ndarray) -> "Sentences":
        """Return some of the sentences, in the order given."""
        lengths = self.lengths[sentences]
        first = np.concatenate([[0], np.cumsum(lengths)])
        tokens = pa.array(np.repeat(self.first[sentences] - first[:-1], lengths) + np.arange(first[-1]))
        tags = None if self.tags is None else used(self.tags.take(tokens))
        extra = tuple(used(column.take(tokens)) for column in self.extra)
        return Sentences(used(self.words.take(tokens)), first, tags, extra)

    def and_then(self, other: "Sentences") -> "Sentences":
        """Return these sentences followed by others with the same columns."""
        if (self.tags is None) != (other.tags is None) or len(self.extra) != len(other.extra):
            raise CasebaseError(
                f"Sentences {_described(self)} cannot be put together with sentences {_described(other)}."
            )
        tags = None if self.tags is None or other.tags is None else _join(self.tags, other.tags)
        first = np.concatenate([self.first, self.first[-1] + other.first[1:]])
        extra = tuple(_join(mine, theirs) for mine, theirs in zip(self.extra, other.extra))
        return Sentences(_join(self.words, other.words), first, tags, extra)

    def untagged(self) -> "Sentences":
        return Sentences(self.words, self.first, None, self.extra)

    def lists(self, column: pa.Array | None = None) -> list[list[str]]:
        """Return a column (the words if none is given) as a list for each sentence."""
        values = texts_in(self.words if column is None else column)
        return [values[a:b] for a, b in zip(self.first[:-1].tolist(), self.first[1:].tolist())]


def codes_in(column: pa.DictionaryArray) -> np.ndarray:
    """Return the code of each token of a column."""
    return as_numpy(column.indices.cast(pa.int64()))


def texts_in(column: pa.Array) -> list[str]:
    """Return the text of each token of a column.

    >>> texts_in(pa.array(["a", "b", "a"]).dictionary_encode())
    ['a', 'b', 'a']
    """
    texts: list[str]
    if not isinstance(column, pa.DictionaryArray):
        texts = column.to_pylist()
        return texts
    # Arrow would first make an object of each token's code, which takes longer than tagging.
    texts = np.array(column.dictionary.to_pylist(), dtype=object)[codes_in(column)].tolist()
    return texts


def used(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return a column without the texts that no token has: features are worked out for every text.

    >>> used(pa.array(["a", "b", "a"]).dictionary_encode().take(pa.array([1]))).dictionary.to_pylist()
    ['b']
    """
    codes = codes_in(column)
    is_used = np.zeros(len(column.dictionary), dtype=bool)
    is_used[codes] = True
    if is_used.all():
        return column
    number = (np.cumsum(is_used) - 1).astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(number[codes]), column.dictionary.filter(pa.array(is_used)))


def _join(one: pa.DictionaryArray, other: pa.DictionaryArray) -> pa.DictionaryArray:
    return pa.chunked_array([one, other.cast(one.type)]).unify_dictionaries().combine_chunks()


def _described(sentences: Sentences) -> str:
    tags = "with tags" if sentences.tags is not None else "without tags"
    return f"{tags} and with {len(sentences.extra)} columns beside the words"


def sentences_of(given: Any, *, tagged: bool, n_extra: int | None = None) -> Sentences:
    """Return the sentences of lists: of `(word, tag)`, of `(word, …, tag)`, or untagged, of words or `(word, …)`.

    `n_extra` is the number of further columns if it is known; otherwise the first token decides. A corpus that was read
    from a file stands for its sentences. Tokens of CoNLL-U, such as those of the package conllu, are taken with their
    UPOS.
    """
    given = getattr(given, "sentences", given)
    if isinstance(given, Sentences):
        return _checked(given, tagged, n_extra)
    rows = [_as_tokens(sentence, i, tagged) for i, sentence in enumerate(_iterated(given))]
    tokens = list(chain.from_iterable(rows))
    if not tokens:
        raise CasebaseError("There are no words. Expected at least one sentence with one word.")
    first = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    n_beside = tagged + (_n_beside(tokens[0], tagged) if n_extra is None else n_extra)
    columns = [[_word(token) for token in tokens]] if n_beside == 0 else _columns(tokens, n_beside + 1)
    if columns is None or not all(isinstance(value, str) and value for column in columns for value in column):
        raise _wrong_token(rows, n_beside, tagged)
    try:
        coded = [as_strings(column).dictionary_encode() for column in columns]
    except UnicodeEncodeError as error:
        raise CasebaseError(
            f"{error.object!r} contains a lone surrogate (half of a character). Read the text as UTF-8."
        ) from None
    return Sentences(coded[0], first, coded[-1] if tagged else None, tuple(coded[1:-1] if tagged else coded[1:]))


def _checked(given: Sentences, tagged: bool, n_extra: int | None) -> Sentences:
    if given.n_tokens == 0:
        raise CasebaseError("There are no words. Expected at least one sentence with one word.")
    if tagged and given.tags is None:
        raise CasebaseError("The sentences have no tags. Expected a tagged corpus.")
    if n_extra is not None and len(given.extra) != n_extra:
        raise CasebaseError(f"Expected {n_extra} columns beside the words, got {len(given.extra)}.")
    return given if tagged else given.untagged()


def _iterated(given: Any) -> Iterator[Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise CasebaseError(
            f"Expected a list of sentences, each a list of words or of (word, tag), got {type(given).__name__}."
        )
    return iter(given)


def _as_tokens(sentence: Any, i: int, tagged: bool) -> list[Any]:
    """Return the tokens of a sentence; those of CoNLL-U, which are mappings, as words, or as (word, UPOS)."""
    if isinstance(sentence, str | bytes | Mapping) or not isinstance(sentence, Iterable):
        raise CasebaseError(
            f"Sentence {i + 1}: expected a list of words or of (word, tag), got {type(sentence).__name__}. "
            "Split a text into words first, for example with text.split()."
        )
    tokens = list(sentence)
    if not are_mappings(tokens):
        return tokens
    words = [(token, place(i, j)) for j, token in enumerate(words_in(tokens))]
    forms = [form_of(*word) for word in words]
    return [(form, checked_value(token, "upos", at)) for form, (token, at) in zip(forms, words)] if tagged else forms


def _n_beside(token: Any, tagged: bool) -> int:
    return 0 if isinstance(token, str) or not hasattr(token, "__len__") else max(len(token) - 1 - tagged, 0)


def _word(token: Any) -> Any:
    """Return the word of a token without further columns, which may be a word or `(word,)`."""
    return token if isinstance(token, str) or not hasattr(token, "__len__") or len(token) != 1 else next(iter(token))


def _columns(tokens: list[Any], n: int) -> list[Any] | None:
    if any(isinstance(token, str) or not hasattr(token, "__len__") or len(token) != n for token in tokens):
        return None
    return list(zip(*tokens))


def _wrong_token(rows: list[list[Any]], n_beside: int, tagged: bool) -> CasebaseError:
    between = ", …" * (n_beside > tagged)
    expected = f"(word{between}, tag)" if tagged else f"(word{between})" if n_beside else "a word"
    for i, row in enumerate(rows):
        for j, token in enumerate(row):
            parts = [token] if isinstance(token, str) else list(token) if hasattr(token, "__len__") else []
            if len(parts) != n_beside + 1 or not all(isinstance(part, str) and part for part in parts):
                return CasebaseError(f"Sentence {i + 1}, token {j + 1}: expected {expected}, got {token!r}.")
    raise AssertionError("no token is wrong")
