"""A tagged corpus on the disk, and the tasks that bring it there, part by part.

A part is read into sentences with dictionaries of their own; the words and tags of all parts are counted together, as
values and classes are; then every part writes its words and tags as codes to its place in the files of the corpus.
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.data import Vocabulary
from casebase.data.arrays import as_integers, as_numpy
from casebase.scale.counting import Counts, counts_of
from casebase.scale.reading import narrow
from casebase.scale.stored import StoredArray, whole_file, write_whole
from casebase.tagging.corpora.parts import CorpusPart
from casebase.tagging.features import Text
from casebase.tagging.lexicon import Lexicon
from casebase.tagging.sentences import Sentences, codes_in, used

BEGINS = "begins"


class Portion(Protocol):
    """Some sentences of a corpus, which a task takes one after the other."""

    @property
    def n_tokens(self) -> int: ...
    @property
    def n_sentences(self) -> int: ...
    def sentences(self) -> Sentences: ...
    def remove(self) -> None:
        """Remove what was kept for these sentences alone."""


@dataclass(frozen=True)
class KeptSentences:
    """A part of a corpus that was read, and is kept as Arrow columns in a file."""

    path: Path
    name: str
    n_tokens: int
    n_sentences: int
    n_extra: int

    def sentences(self) -> Sentences:
        with pa.memory_map(str(self.path)) as file:
            table = pa.ipc.open_file(file).read_all()
        columns = [column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in table.columns]
        begins, words, tags, *extra = columns
        first = np.append(np.flatnonzero(begins.to_numpy(zero_copy_only=False)), self.n_tokens)
        return Sentences(words, first, tags, tuple(extra))

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def read_sentences(part: CorpusPart, path: Path) -> KeptSentences:
    """Read a part of a corpus once, and keep its sentences."""
    sentences = part.read()
    if sentences is None:
        return KeptSentences(path, part.name, 0, 0, 0)
    begins = np.zeros(sentences.n_tokens, dtype=bool)
    begins[sentences.first[:-1]] = True
    assert sentences.tags is not None
    columns = [pa.array(begins), *(narrow(one) for one in (sentences.words, sentences.tags, *sentences.extra))]
    table = pa.Table.from_arrays(columns, names=[BEGINS, *map(str, range(len(columns) - 1))])
    with (
        whole_file(path) as temporary,
        pa.OSFile(str(temporary), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    kept = KeptSentences(path, part.name, sentences.n_tokens, sentences.n_sentences, len(sentences.extra))
    del table, columns, sentences
    pa.default_memory_pool().release_unused()  # or the next stages would have that much less
    return kept


@dataclass(frozen=True)
class CountedSentences:
    """The file with the counts of a part's words and tags, and the texts of its further columns as they appear."""

    path: Path
    texts: tuple[pa.Array, ...]


def count_sentences(portion: Portion, path: Path) -> CountedSentences:
    """Count the words of some sentences with each tag, and write the counts to a file."""
    sentences = portion.sentences()
    counts = counts_of(["word"], [sentences.words], sentences.tags)
    write_whole(path, pickle.dumps(counts))
    return CountedSentences(path, tuple(column.dictionary for column in sentences.extra))


def lexicon_from(counts: Counts, threshold: int) -> Lexicon:
    """Return the lexicon of a corpus whose words and tags were counted."""
    (words,) = counts.columns
    first = np.searchsorted(words.value, np.arange(words.n_values + 1))
    return Lexicon(Vocabulary(words.values), Vocabulary(counts.classes), first, words.label, words.count, threshold)


def texts_of(parts: Sequence[CountedSentences]) -> tuple[pa.Array, ...]:
    """Return the distinct texts of each further column, in the order of their first appearance."""
    return tuple(pc.unique(pa.concat_arrays(column)) for column in zip(*(part.texts for part in parts)))


@dataclass(frozen=True, eq=False)
class StoredCorpus:
    """The words, tags and further columns of all tokens as codes, and the first token of each sentence, as files."""

    words: pa.Array
    tags: pa.Array
    texts: tuple[pa.Array, ...]
    word: StoredArray
    tag: StoredArray
    entries: tuple[StoredArray, ...]
    first: StoredArray

    @classmethod
    def new(cls, folder: Path, lexicon: Lexicon, texts: tuple[pa.Array, ...], sizes: tuple[int, int]) -> "StoredCorpus":
        n_tokens, n_sentences = sizes
        return cls(
            lexicon.words.values,
            lexicon.tags.values,
            texts,
            StoredArray(folder / "corpus-words", lexicon.words.dtype.name, n_tokens),
            StoredArray(folder / "corpus-tags", lexicon.tags.dtype.name, n_tokens),
            tuple(StoredArray(folder / f"corpus-column-{i}", "uint32", n_tokens) for i in range(len(texts))),
            StoredArray(folder / "corpus-first", "int64", n_sentences + 1),
        )

    @property
    def arrays(self) -> tuple[StoredArray, ...]:
        return (self.word, self.tag, *self.entries, self.first)

    @property
    def n_tokens(self) -> int:
        return self.word.n

    @property
    def n_sentences(self) -> int:
        return self.first.n - 1

    def text(self, lexicon: Lexicon) -> tuple[Text, np.ndarray]:
        """Return the text and the tags as mapped files."""
        columns = tuple((texts, entries.mapped()) for texts, entries in zip(self.texts, self.entries))
        text = Text(self.words, self.word.mapped(), self.first.mapped(), np.arange(len(lexicon)), columns)
        return text, self.tag.mapped()

    def spans(self, n_tokens: int) -> list[tuple[int, int]]:
        """Return sentences from … to …, so that each run of them has about so many tokens."""
        edges = np.searchsorted(self.first.mapped(), np.arange(0, self.n_tokens, n_tokens))
        edges = np.unique(np.append(edges, self.n_sentences))
        return list(zip(edges[:-1].tolist(), edges[1:].tolist()))

    def read(self, begin: int, end: int) -> tuple[Text, np.ndarray, int]:
        """Return some sentences with the codes of their words, the codes of their tags, and their first token."""
        first = self.first.read(begin, end + 1)
        start, stop = int(first[0]), int(first[-1])
        columns = tuple((texts, entries.read(start, stop)) for texts, entries in zip(self.texts, self.entries))
        text = Text(self.words, self.word.read(start, stop), first - start, np.empty(0, np.int64), columns)
        return text, self.tag.read(start, stop), start

    def take(self, sentences: np.ndarray) -> Sentences:
        """Return some sentences, given by ascending numbers, in memory."""
        first = self.first.mapped()
        begins, lengths = first[sentences], first[sentences + 1] - first[sentences]
        own = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.repeat(begins - own[:-1], lengths) + np.arange(own[-1])

        def column(codes: StoredArray, texts: pa.Array) -> pa.DictionaryArray:
            taken = codes.mapped()[tokens].astype(np.int32)
            return used(pa.DictionaryArray.from_arrays(as_integers(taken), texts))

        extra = tuple(map(column, self.entries, self.texts))
        return Sentences(column(self.word, self.words), own, column(self.tag, self.tags), extra)


@dataclass(frozen=True)
class Selected:
    """Some sentences of a corpus on the disk: those whose numbers are in a file, between two places of it."""

    corpus: StoredCorpus
    numbers: StoredArray
    begin: int
    end: int
    n_tokens: int

    @property
    def n_sentences(self) -> int:
        return self.end - self.begin

    def sentences(self) -> Sentences:
        return self.corpus.take(self.numbers.read(self.begin, self.end))

    def remove(self) -> None:
        pass


def code_sentences(lexicon: Lexicon, out: StoredCorpus, portion: Portion, token: int, sentence: int) -> None:
    """Write the codes of some sentences to their place in the corpus."""
    sentences = portion.sentences()
    assert sentences.tags is not None
    out.word.write(token, lexicon.words.encode(sentences.words.dictionary)[codes_in(sentences.words)])
    out.tag.write(token, lexicon.tags.encode(sentences.tags.dictionary)[codes_in(sentences.tags)])
    for column, texts, stored in zip(sentences.extra, out.texts, out.entries, strict=True):
        entry = as_numpy(pc.index_in(column.dictionary, value_set=texts).cast(pa.int64()))
        stored.write(token, entry[codes_in(column)])
    out.first.write(sentence, sentences.first[:-1] + token)
