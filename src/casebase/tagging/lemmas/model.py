"""What a lemmatizer learned: its words with their lemmas, and an IGTree over the tag and the letters of words.

The tree compares features in a fixed order: the tag, the letters from the last on, then the case and the first letters.
So a walk ends at the longest ending that is known, and the scripts of the training words with that ending vote.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from casebase.data import Cases
from casebase.data.arrays import as_strings
from casebase.neighbours import igtree
from casebase.neighbours.igtree import IGTree
from casebase.tagging.lemmas.scripts import Script, script_of

N_LAST, N_FIRST = 10, 3  # letters that the tree may compare, from the end and from the beginning
LAST, FIRST = (tuple(f"letter{sign}{i}" for i in range(1, n + 1)) for sign, n in (("-", N_LAST), ("+", N_FIRST)))
FEATURES = ("tag", *LAST, "case", *FIRST)
NO_LETTER = "="
SCRIPT = "script"


@dataclass(frozen=True, eq=False)
class Lemmas:
    """What was learned: the different (word, tag, lemma), how often each occurred, and the tree of their scripts."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    counts: np.ndarray
    tree: IGTree

    @cached_property
    def lexicon(self) -> dict[tuple[str, str], int]:
        """The row of the most frequent lemma of each word with its tag; of the first one if several are."""
        best: dict[tuple[str, str], int] = {}
        counts = self.counts.tolist()
        for row, key in enumerate(zip(self.words, self.tags)):
            if key not in best or counts[row] > counts[best[key]]:
                best[key] = row
        return best

    @cached_property
    def scripts(self) -> list[Script]:
        """The script of each class of the tree."""
        return [Script.parse(str(label)) for label in self.tree.schema.classes]


def learn(counts: Counter[tuple[str, str, str]]) -> Lemmas:
    """Return what there is to learn from (word, tag, lemma) and how often each occurred; the tree counts each once."""
    words, tags, lemmas = zip(*counts)
    scripts = as_strings([script_of(word, lemma).text for word, lemma in zip(words, lemmas)])
    cases = Cases.from_table(table_of(words, tags).append_column(SCRIPT, scripts.dictionary_encode()), target=SCRIPT)
    weights = [float(len(FEATURES) - i) for i in range(len(FEATURES))]  # they only give the order of the features
    tree = igtree.fit(cases, igtree.Settings(weighting=weights, keep_cases=False))
    return Lemmas(words, tags, lemmas, np.array(list(counts.values())), tree)


def features_of(word: str, tag: str) -> tuple[str, ...]:
    """Return the features of a word.

    >>> features_of("Cities", "NOUN")[:5], features_of("Cities", "NOUN")[-4:]
    (('NOUN', 's', 'e', 'i', 't'), ('first', 'c', 'i', 't'))
    """
    lower = word.lower()
    last = lower[: -N_LAST - 1 : -1].ljust(N_LAST, NO_LETTER)
    case = "none" if word == lower else "all" if word == word.upper() and len(word) > 1 else "first"
    return tag, *last, case, *lower[:N_FIRST].ljust(N_FIRST, NO_LETTER)


def table_of(words: Sequence[str], tags: Sequence[str]) -> pa.Table:
    columns = zip(*map(features_of, words, tags))
    return pa.table({name: as_strings(column).dictionary_encode() for name, column in zip(FEATURES, columns)})
