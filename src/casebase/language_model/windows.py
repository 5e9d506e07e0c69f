"""Windows over a text: each word is the class of a case whose features are the words before it."""

import numpy as np
import pyarrow as pa

from casebase.data import Cases, Feature, Schema
from casebase.data.vocabulary import in_order, vocabulary_of
from casebase.tagging.features import OUTSIDE
from casebase.tagging.sentences import Sentences, codes_in


def names_of(n_words: int) -> tuple[str, ...]:
    """Return the names of the features, from the farthest word to the nearest.

    >>> names_of(3)
    ('word-3', 'word-2', 'word-1')
    """
    return tuple(f"word-{offset}" for offset in range(n_words, 0, -1))


def entries_before(sentences: Sentences, n_words: int) -> tuple[pa.Array, list[np.ndarray]]:
    """Return the distinct words of a text and behind them that of places before a sentence, and the columns of windows.

    A column has the entry of the word 3, 2, 1 … places before each token.
    """
    words = pa.concat_arrays([sentences.words.dictionary.cast(pa.string()), pa.array([OUTSIDE])])
    entries = codes_in(sentences.words)
    begin = np.repeat(sentences.first[:-1], sentences.lengths)
    tokens = np.arange(len(entries))
    columns = []
    for offset in range(n_words, 0, -1):
        at = tokens - offset
        columns.append(np.where(at >= begin, entries[np.maximum(at, 0)], len(words) - 1))
    return words, columns


def training_cases(sentences: Sentences, n_words: int) -> Cases:
    """Return the windows of a text with the words that follow; the id of a case is the number of its token.

    >>> from casebase.tagging.sentences import sentences_of
    >>> cases = training_cases(sentences_of([["a", "dog", "runs"]], tagged=False), 2)
    >>> [(*row, cases.schema.classes[label]) for row, label in zip(cases.all_values(), cases.known_labels)]
    [('==', '==', 'a'), ('==', 'a', 'dog'), ('a', 'dog', 'runs')]
    """
    words, columns = entries_before(sentences, n_words)
    # A text may have a word that is spelled like the places before a sentence: one value then.
    known, code_of = vocabulary_of(words.dictionary_encode())
    tidy = [in_order(known, code_of[column]) for column in columns]
    classes, labels = in_order(known, code_of[codes_in(sentences.words)])
    features = tuple(Feature(name, "symbolic", own) for name, (own, _) in zip(names_of(n_words), tidy))
    schema = Schema(features, tuple(classes.values.to_pylist()), "word", True)
    n = sentences.n_tokens
    return Cases(schema, tuple(codes for _, codes in tidy), labels.astype(np.uint32), ids=np.arange(n), n_cases=n)


def asked_cases(sentences: Sentences, schema: Schema) -> Cases:
    """Return the windows of a text as queries, one for each token."""
    words, columns = entries_before(sentences, len(schema.features))
    coded = []
    for feature, column in zip(schema.features, columns):
        assert feature.vocabulary is not None
        coded.append(feature.vocabulary.encode(words)[column])
    return Cases(schema, tuple(coded), None, n_cases=sentences.n_tokens)
