"""The parts that the model files of all taggers share: the lexicon and the training corpus."""

import numpy as np

from casebase.base.files import Arrays, CheckedArrays
from casebase.base.parts import read_strings, write_strings
from casebase.data import Vocabulary
from casebase.tagging.features import Text
from casebase.tagging.lexicon import Lexicon, checked_percentage


def write_lexicon(lexicon: Lexicon, arrays: Arrays) -> None:
    write_strings("lexicon.words", lexicon.words.values, arrays)
    write_strings("lexicon.tags", lexicon.tags.values, arrays)
    arrays |= {
        "lexicon.first": lexicon.first.astype(np.uint64),
        "lexicon.tag": lexicon.tag.astype(np.uint32),
        "lexicon.count": lexicon.count.astype(np.uint32),
    }


def read_lexicon(arrays: CheckedArrays, threshold: int) -> Lexicon:
    words, tags = Vocabulary(read_strings("lexicon.words", arrays)), Vocabulary(read_strings("lexicon.tags", arrays))
    tag = arrays.get("lexicon.tag", "uint32", below=len(tags)).astype(np.int64)
    count = arrays.get("lexicon.count", "uint32", len(tag)).astype(np.int64)
    first = arrays.offsets("lexicon.first", len(words) + 1, len(tag)).astype(np.int64)
    if not len(words) or first[0] != 0 or (np.diff(first) < 1).any() or not count.all():
        raise ValueError("a word of the lexicon has no tag")
    return Lexicon(words, tags, first, tag, count, checked_percentage(threshold))


def write_corpus(text: Text, tags: np.ndarray, arrays: Arrays) -> None:
    if not len(tags):  # a tagger without its corpus
        return
    first = np.ascontiguousarray(text.first, dtype=np.int64).view(np.uint64)  # a view: the corpus may be a mapped file
    arrays |= {"corpus.words": text.word, "corpus.tags": tags, "corpus.first": first}
    for i, (texts, entries) in enumerate(text.columns):
        write_strings(f"corpus.{i}.texts", texts, arrays)
        arrays[f"corpus.{i}.entries"] = entries.astype(np.uint32, copy=False)


def read_corpus(arrays: CheckedArrays, lexicon: Lexicon, n_columns: int) -> tuple[Text, np.ndarray]:
    if not arrays.has("corpus.words"):
        nothing = np.empty(0, lexicon.tags.dtype)
        return Text(lexicon.words.values, nothing, np.zeros(1, np.int64), np.arange(len(lexicon))), nothing
    words = arrays.get("corpus.words", lexicon.words.dtype.name, below=len(lexicon))
    tags = arrays.get("corpus.tags", lexicon.tags.dtype.name, len(words), below=len(lexicon.tags))
    n_sentences = len(arrays.get("corpus.first", "uint64")) - 1
    first = arrays.offsets("corpus.first", n_sentences + 1, len(words)).astype(np.int64)
    if not len(first) or first[0] != 0:
        raise ValueError("the corpus does not begin with its first sentence")
    columns = []
    for i in range(n_columns):
        texts = read_strings(f"corpus.{i}.texts", arrays).array
        columns.append((texts, arrays.get(f"corpus.{i}.entries", "uint32", len(words), below=len(texts))))
    return Text(lexicon.words.values, words, first, np.arange(len(lexicon)), tuple(columns)), tags
