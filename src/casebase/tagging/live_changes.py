"""What a change of some sentences changes for a live tagger: its lexicon, the codes of words, and its rare words.

A change of the lexicon has effects elsewhere: a word may get another ambiguity class, become frequent or rare, or be
the stem, the last part or the other case of other words. The words whose features may change are found here; the
compiled corpus finds the tokens around them.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.data import Vocabulary
from casebase.data.arrays import as_strings
from casebase.tagging.features import (
    LONGEST_ENDING,
    SHORTEST_STEM,
    Describer,
    TagFeature,
    Text,
    last_parts,
    other_cases,
)
from casebase.tagging.lexicon import Lexicon
from casebase.tagging.live_lexicon import ChangedLexicon, with_counts
from casebase.tagging.revisions import Revision, Rows

FIXED = ("tag", "column")  # the lexicon does not change these features


class NeedsTraining(Exception):
    """A change that affects everything: the tagger must be trained on the changed corpus."""


class Dependants(Protocol):
    """An index of words by the words that a feature of them depends on."""

    def add(self, words: pa.Array, codes: Sequence[int]) -> None: ...
    def of(self, words: pa.Array) -> set[int]:
        """Return the words whose feature may depend on one of these."""


class Stems:
    """Words in the order of their spelling in lower case: the words that begin with another one stand together."""

    def __init__(self, words: pa.Array) -> None:
        self._ordered = sorted(zip(pc.utf8_lower(words).to_pylist(), range(len(words))))

    def add(self, words: pa.Array, codes: Sequence[int]) -> None:
        for pair in zip(pc.utf8_lower(words).to_pylist(), codes):
            insort(self._ordered, pair)

    def of(self, words: pa.Array) -> set[int]:
        """Return the words of which one of these may be the stem."""
        found = set()
        for word in pc.utf8_lower(words).to_pylist():
            if len(word) < SHORTEST_STEM:
                continue
            for i in range(bisect_left(self._ordered, (word, -1)), len(self._ordered)):
                longer, code = self._ordered[i]
                if not longer.startswith(word):
                    break
                if len(word) < len(longer) <= len(word) + LONGEST_ENDING:
                    found.add(code)
        return found


class LookedUp:
    """Words by the other words that a function says are looked up for them."""

    def __init__(self, words: pa.Array, others: Any) -> None:
        self._others = others
        self._codes: dict[str, set[int]] = {}
        self.add(words, range(len(words)))

    def add(self, words: pa.Array, codes: Sequence[int]) -> None:
        for code, others in zip(codes, self._others(words)):
            for other in others:
                self._codes.setdefault(other, set()).add(code)

    def of(self, words: pa.Array) -> set[int]:
        return set().union(*(self._codes.get(word, ()) for word in words.to_pylist()))


def dependants(features: Iterable[TagFeature], words: pa.Array) -> dict[str, Dependants]:
    """Return an index of the words for each kind of feature that depends on the entries of other words."""
    kinds = {feature.kind for feature in features}
    indexes: dict[str, Dependants] = {}
    if "stem" in kinds:
        indexes["stem"] = Stems(words)
    for kind, others in (("lastpart", last_parts), ("othercase", other_cases)):
        if kind in kinds:
            indexes[kind] = LookedUp(words, others)
    return indexes


class LiveModel(Protocol):
    """A tagger that can be changed."""

    @property
    def revision(self) -> Revision: ...
    @property
    def lexicon(self) -> Lexicon: ...


class Changing:
    """One change: from the tagger of a revision to that of the next.

    `features` are those whose codes the corpus has, `columns` the numbers of the texts of further columns, and
    `indexes` find the words that depend on others.
    """

    def __init__(
        self,
        model: LiveModel,
        revision: Revision,
        features: Sequence[TagFeature],
        columns: Sequence[dict[str, int]],
        indexes: Mapping[str, Dependants],
        hapax_limit: int,
    ) -> None:
        self.before, self.revision, self.hapax_limit = model.lexicon, revision, hapax_limit
        self.features, self.columns, self.indexes = features, columns, indexes
        before, after = model.revision.order, revision.order
        first_new = model.revision.base.n_sentences + len(model.revision.added)
        is_kept = np.zeros(first_new + len(revision.added), dtype=bool)
        is_kept[after] = True
        self.removed = before[~is_kept[before]]
        self.added: list[Rows] = [revision.rows(number) for number in after[after >= first_new].tolist()]

    def changed_lexicon(self) -> ChangedLexicon:
        """Return the lexicon with the counts of the new corpus; its new words are indexed."""
        tags = self.before.tags
        deltas: dict[str, dict[int, int]] = {}
        for times, sentences in ((-1, map(self.revision.rows, self.removed.tolist())), (1, self.added)):
            for sentence in sentences:
                for word, *_, tag in sentence:
                    code = tags.code(tag)
                    if code is None:
                        raise NeedsTraining
                    counts = deltas.setdefault(word, {})
                    counts[code] = counts.get(code, 0) + times
        changed = with_counts(self.before, {word: counts for word, counts in deltas.items() if any(counts.values())})
        lexicon = changed.lexicon
        if not np.bincount(lexicon.tag, lexicon.count, minlength=len(tags)).all():
            raise NeedsTraining
        if has_rare(lexicon, self.hapax_limit) != has_rare(self.before, self.hapax_limit):
            raise NeedsTraining
        return changed

    def index_new(self, changed: ChangedLexicon, indexes: Iterable[Dependants]) -> None:
        """Add the words that were never there to some indexes."""
        fresh = [code for code in changed.new if code >= len(self.before)]
        for index in indexes if fresh else ():
            index.add(texts_of(changed.lexicon, fresh), fresh)

    def column_entries(self) -> list[np.ndarray]:
        """Return the texts of further columns of the new tokens by their numbers; new texts get numbers."""
        entries = []
        for i, known in enumerate(self.columns):
            texts = [token[1 + i] for sentence in self.added for token in sentence]
            entries.append(np.array([known.setdefault(text, len(known)) for text in texts], np.uint32))
        return entries

    def recoded(
        self,
        changed: ChangedLexicon,
        describer: Describer,
        vocabularies: dict[str, Vocabulary],
        flipped: Iterable[int],
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return for each feature the words, or texts of its column, that have other codes now.

        New values get codes in `vocabularies`. `flipped` are the words that became frequent, or are not any more.
        """
        own = {*changed.new, *changed.reclassed, *flipped}
        text_of_kind: dict[str | None, Text] = {None: entries_of(changed.lexicon, own)}
        recoded = []
        for feature in self.features:
            if feature.kind in FIXED:
                recoded.append(self._recoded_column(feature, vocabularies))
                continue
            kind = feature.kind if feature.kind in self.indexes else None
            if kind not in text_of_kind:
                text_of_kind[kind] = entries_of(changed.lexicon, own | self._dependants(feature.kind, changed))
            text = text_of_kind[kind]
            if not len(text.words):
                recoded.append((np.empty(0, np.uint32), np.empty(0, np.uint32)))
                continue
            codes = self.coded(feature, describer, text, vocabularies)
            recoded.append((text.lexical.astype(np.uint32), codes.astype(np.uint32)))
        return recoded

    def coded(
        self, feature: TagFeature, describer: Describer, text: Text, vocabularies: dict[str, Vocabulary]
    ) -> np.ndarray:
        """Return the codes of a feature of some words; new values get codes in `vocabularies`."""
        raise NotImplementedError

    def _dependants(self, kind: str, changed: ChangedLexicon) -> set[int]:
        codes = [*changed.new, *changed.gone, *changed.reclassed]
        found = self.indexes[kind].of(texts_of(changed.lexicon, codes))
        return {code for code in found if changed.lexicon.frequency[code]}

    def _recoded_column(
        self, feature: TagFeature, vocabularies: dict[str, Vocabulary]
    ) -> tuple[np.ndarray, np.ndarray]:
        nothing = np.empty(0, np.uint32)
        if feature.kind != "column":
            return nothing, nothing
        met = list(dict.fromkeys(token[feature.n] for sentence in self.added for token in sentence))
        known = vocabularies[feature.base] = vocabularies[feature.base].with_values(met)
        numbers = self.columns[feature.n - 1]
        return np.array([numbers[text] for text in met], np.uint32), known.encode_few(met).astype(np.uint32)

    def new_tokens(self, lexicon: Lexicon) -> tuple[Text, np.ndarray]:
        """Return the new tokens as a text, and their tags."""
        tokens = [token for sentence in self.added for token in sentence]
        first = np.concatenate([[0], np.cumsum([len(sentence) for sentence in self.added], dtype=np.int64)])
        distinct = list(dict.fromkeys(token[0] for token in tokens))
        number = {word: i for i, word in enumerate(distinct)}
        lexical = np.array([lexicon.words.code(word) for word in distinct], np.int64)
        word = np.array([number[token[0]] for token in tokens], np.int64)
        tags = np.array([lexicon.tags.code(token[-1]) for token in tokens], np.uint32)
        return Text(as_strings(distinct), word, first, lexical), tags

    def rare(self, changed: ChangedLexicon) -> tuple[np.ndarray, np.ndarray]:
        """Return the words that became rare, or are not any more, and whether they are."""
        n = len(self.before)
        was_rare, is_rare = (rare_words(lexicon, self.hapax_limit) for lexicon in (self.before, changed.lexicon))
        codes = [code for code in changed.frequency if code >= n or was_rare[code] != is_rare[code]]
        return np.array(codes, np.uint32), is_rare[np.array(codes, np.int64)].astype(np.uint8)


def texts_of(lexicon: Lexicon, codes: Iterable[int]) -> pa.Array:
    return as_strings([lexicon.words.value(code) for code in codes])


def entries_of(lexicon: Lexicon, codes: Iterable[int]) -> Text:
    """Return words of the lexicon as a text of one token each."""
    own = sorted(codes)
    return Text(texts_of(lexicon, own), np.arange(len(own)), np.zeros(1, np.int64), np.array(own, np.int64))


def values_of(feature: TagFeature, describer: Describer, text: Text) -> list[str]:
    """Return the values of some words that a feature tells apart; of wordtag, tags are values already."""
    if feature.kind == "wordtag":
        are_common = describer.are_common(text).tolist()
        return [word for word, is_common in zip(text.words.to_pylist(), are_common) if is_common]
    few = describer.few_values(feature, text)
    values: list[str] = describer.values(feature, text).to_pylist() if few is None else few
    return values


def places_of(revision: Revision) -> np.ndarray:
    """Return the place in the corpus of each sentence, by its number; 0 for those that are not there."""
    places = np.zeros(revision.base.n_sentences + len(revision.added), np.int64)
    places[revision.order] = np.arange(len(revision))
    return places


def has_rare(lexicon: Lexicon, limit: int) -> bool:
    return bool(((lexicon.frequency > 0) & (lexicon.frequency <= limit)).any())


def rare_words(lexicon: Lexicon, limit: int) -> np.ndarray:
    """Return which words of a lexicon that changed count as rare: all that are there if none is, or `limit` is 0."""
    is_there = lexicon.frequency > 0
    is_rare: np.ndarray = is_there & (lexicon.frequency <= limit)
    return is_rare if is_rare.any() else is_there
