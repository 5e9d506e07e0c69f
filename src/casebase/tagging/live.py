"""A committee that learns, forgets and corrects sentences without being retrained.

After each change it is, in its tags and its evidence, the committee that training on the changed corpus gives. Only its
numbers differ: new words and new values come behind the others, where a training sorts all of them. A change of the
lexicon has effects elsewhere: a word may get another ambiguity class, become frequent or rare, be looked up in lower
case, or be the stem of other words. The words whose features may change are found here; the compiled core finds the
tokens around them and moves these in the trees.
"""

import threading
from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase import _native
from casebase.data import Vocabulary
from casebase.data.arrays import as_strings
from casebase.tagging.case_bases import Reason, Tagging, are_rare
from casebase.tagging.coded_text import CodedText, Coder, looked_up
from casebase.tagging.committee import (
    GROUPS,
    Committee,
    CommitteeSettings,
    describer_of,
    share_by,
    training_text,
)
from casebase.tagging.features import (
    LONGEST_ENDING,
    OF_SPELLING,
    PUNCTUATION,
    SHORTEST_STEM,
    Describer,
    TagFeature,
    Text,
)
from casebase.tagging.lexicon import Lexicon
from casebase.tagging.live_lexicon import ChangedLexicon, reserved, with_counts
from casebase.tagging.revisions import Revision, Rows
from casebase.tagging.sentences import Sentences, codes_in

# Features by what a change of the lexicon does to them; of others, the values of all words are worked out again.
OF_OWN_ENTRY = ("word", "ambitag", "wordclass", "wordtag", *OF_SPELLING)
FIXED = ("tag", "column")
MANY, FEW = 20, 100  # more new sentences than one in twenty, and a hundred, are learned by training
MOST_GROWTH = 3  # times the nodes at the beginning: nodes that went away still take place


class NeedsTraining(Exception):
    """A change that affects everything: the committee must be trained on the changed corpus."""


@dataclass(frozen=True, eq=False)
class _Counted:
    """A tree of the live core, for the evidence."""

    tree: Any

    def counts(self, node: int) -> dict[int, int]:
        return dict(self.tree.counts(node))

    def path(self, codes: Sequence[int]) -> list[int]:
        return list(self.tree.path(np.array(codes, np.uint32)))


class _Core:
    """What the states of one committee share: the compiled core, and indexes of its words.

    Only the last state may use it. An earlier one is trained again if it is asked.
    """

    def __init__(self, model: Committee, coder: Coder) -> None:
        self.lock = threading.RLock()
        self.version = 0
        settings, lexicon, text = model.settings, coder.describer.lexicon, model.text
        self.features = list({feature.base: feature.here for feature in settings.features}.values())
        number = {feature.base: i for i, feature in enumerate(self.features)}
        self.memory_of: dict[tuple[str, int], int] = {}
        memories: list[Any] = []
        for group in GROUPS:
            for i, ((pattern, _), tree) in enumerate(zip(settings.patterns(group), model.trees[group])):
                levels = [(number[feature.base], feature.offset) for feature in pattern.features]
                self.memory_of[group, i] = len(memories)
                grown = _native.ContextTree(**tree.arrays(), n_tags=len(lexicon.tags))
                memories.append((grown, levels, group != "known", group in settings.splits_pure))
        used = text.columns[: model.n_columns]
        self.columns = [{value: i for i, value in enumerate(texts.to_pylist())} for texts, _ in used]
        training = training_text(text, model.lexicon, settings)
        columns = [training.lexical[training.word], *(entries for _, entries in used)]
        self.native = _native.LiveCommittee(
            text.word.astype(np.uint32),
            [np.ascontiguousarray(entries, np.uint32) for entries in columns],
            model.tag_of.astype(np.uint32),
            text.first.astype(np.uint64),
            np.append(are_rare(model.lexicon, settings.hapax_limit), False).astype(np.uint8),
            _bases(self.features, coder, text),
            memories,
            len(lexicon.tags),
            self.n_entries(lexicon),
        )
        self.n_nodes = self.native.n_nodes
        words = model.lexicon.words.values
        self.lowered = _Lowered(words) if settings.lowers_first else None
        self.stems = _Stems(words) if any(feature.kind == "stem" for feature in self.features) else None

    def n_entries(self, lexicon: Lexicon) -> list[int]:
        return [len(lexicon), *map(len, self.columns)]


def _bases(features: Sequence[TagFeature], coder: Coder, text: Text) -> list[Any]:
    """Return the codes of all words, and of the texts of columns, feature by feature, as the core takes them."""
    coded = CodedText(coder, text)
    bases = []
    for feature in features:
        codes = coded.of_entries(feature)
        if codes is not None and feature.kind != "column":
            codes = np.append(codes, np.uint32(0xFFFFFFFF)).astype(np.uint32)  # the number outside of sentences
        vocabulary = coder.vocabularies[feature.base]
        tags = coder.of_tags(feature.kind)
        bases.append((feature.n_column, codes, tags, coder.outside(feature), len(vocabulary)))
    return bases


class _Lowered:
    """The capitalised words by their spelling in lower case."""

    def __init__(self, words: pa.Array) -> None:
        self.of: dict[str, list[int]] = {}
        self.capitals: set[int] = set()
        self.add(words, range(len(words)))

    def add(self, words: pa.Array, codes: Sequence[int]) -> None:
        are_capital = pc.match_substring_regex(words, r"^\p{Lu}").to_pylist()
        for code, is_capital, lower in zip(codes, are_capital, pc.utf8_lower(words).to_pylist()):
            if is_capital:
                self.of.setdefault(lower, []).append(code)
                self.capitals.add(code)


class _Stems:
    """Words in the order of their spelling in lower case: the words that begin with another one stand together."""

    def __init__(self, words: pa.Array) -> None:
        self._ordered = sorted(zip(pc.utf8_lower(words).to_pylist(), range(len(words))))

    def add(self, words: pa.Array, codes: Sequence[int]) -> None:
        for pair in zip(pc.utf8_lower(words).to_pylist(), codes):
            insort(self._ordered, pair)

    def longer(self, words: pa.Array) -> set[int]:
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


class LiveCommittee(Committee):
    """A committee after some changes of its corpus, which is `revision`."""

    revision: Revision
    _core: _Core
    _version: int

    def __init__(
        self,
        settings: CommitteeSettings,
        lexicon: Lexicon,
        vocabularies: Mapping[str, Vocabulary],
        core: _Core,
        revision: Revision,
    ) -> None:
        trees = {
            group: tuple(
                _Counted(core.native.tree(core.memory_of[group, i])) for i in range(len(getattr(settings, group)))
            )
            for group in GROUPS
        }
        self.__dict__.update(
            settings=settings,
            lexicon=lexicon,
            vocabularies=vocabularies,
            trees=trees,
            share=share_by(lexicon, rare_words(lexicon, settings.hapax_limit)),
            revision=revision,
            n_columns=len(core.columns),
            _core=core,
            _version=core.version,
        )

    @staticmethod
    def of(model: Committee, revision: Revision) -> "LiveCommittee":
        """Return a trained committee, whose corpus is `revision`, as one that can be changed."""
        lexicon = reserved(model.lexicon)
        vocabularies = {name: vocabulary.with_values([None]) for name, vocabulary in model.vocabularies.items()}
        vocabularies |= {name: known for name, known in _of_lexicon(lexicon).items() if name in vocabularies}
        core = _Core(model, Coder(describer_of(lexicon, model.settings), vocabularies))
        return LiveCommittee(model.settings, lexicon, vocabularies, core, revision)

    def after(self, revision: Revision) -> "LiveCommittee":
        """Return the committee of another revision of the corpus; this one is trained again if it is asked once more.

        A change that affects everything raises NeedsTraining: one of the set of tags, or of whether there are rare
        words.
        """
        with self._core.lock:
            if not self._is_current or self._core.native.n_nodes > MOST_GROWTH * self._core.n_nodes + 1000:
                raise NeedsTraining
            return _Changing(self, revision).changed()

    @property
    def _is_current(self) -> bool:
        return self._core.version == self._version

    @cached_property
    def trained(self) -> Committee:
        """The committee that training on the corpus gives."""
        return self.retrain(self.corpus)

    @property
    def corpus(self) -> Sentences:
        """The training sentences."""
        return self.revision.corpus

    @property
    def n_words(self) -> int:
        return int(np.count_nonzero(self.lexicon.frequency))

    @property
    def words(self) -> pa.Array:
        """The words of the corpus, in no order."""
        return self.lexicon.words.values.filter(pa.array(self.lexicon.frequency > 0))

    @cached_property
    def tag_of(self) -> np.ndarray:
        """The tag of each token of the corpus."""
        tags = self.corpus.tags
        assert tags is not None
        codes: np.ndarray = self.tags.encode(tags.dictionary)[codes_in(tags)]
        return codes

    @cached_property
    def _memories(self) -> dict[str, list[tuple[Any, Any, tuple[float, ...]]]]:
        return {
            group: [
                (cast(_Counted, known).tree, pattern, weight)
                for known, (pattern, weight) in zip(self.trees[group], self.settings.patterns(group))
            ]
            for group in GROUPS
        }

    def tag(self, sentences: Sentences, *, beam: int = 1, n_jobs: int = 1) -> np.ndarray:
        """Return the tag of every token, by its number."""
        with self._core.lock:
            if self._is_current:
                return super().tag(sentences, beam=beam, n_jobs=n_jobs)
        return self.trained.tag(sentences, beam=beam, n_jobs=n_jobs)

    def tag_with_doubts(self, sentences: Sentences, *, beam: int = 1, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the tag of every token and the share of all other tags, with the tags before it; 0 without a vote."""
        with self._core.lock:
            if self._is_current:
                return super().tag_with_doubts(sentences, beam=beam, n_jobs=n_jobs)
        return self.trained.tag_with_doubts(sentences, beam=beam, n_jobs=n_jobs)

    def reasons(self, sentences: Sentences, limit: int, tokens: Sequence[int] | None = None) -> list[Reason]:
        """Return the reason for the tag of each token, or of some; `limit` bounds the lists."""
        with self._core.lock:
            if self._is_current:
                return super().reasons(sentences, limit, tokens)
        return self.trained.reasons(sentences, limit, tokens)

    def _stored(self) -> Any:
        """The core finds tokens by their values: nothing is worked out for the corpus."""

    def _tokens_met(self, group: str, memory: int, codes: Sequence[int], stored: Any) -> np.ndarray:
        return self._core.native.matching(self._core.memory_of[group, memory], np.array(codes, np.uint32))

    def _tokens_looked_up_as(self, lexical: int) -> np.ndarray:
        if lexical < 0:
            return np.empty(0, np.int64)
        return np.sort(self._in_corpus(self._core.native.tokens_looked_up_as(lexical))[0])

    def _same_word_first(self, tokens: np.ndarray, lexical: int) -> np.ndarray:
        numbers, words = self._in_corpus(tokens)
        return numbers[np.lexsort((numbers, words != lexical))]

    def _in_corpus(self, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of tokens in the corpus, and the words that they are looked up as."""
        sentence, place, _, words, _ = self._core.native.about(tokens)
        first = np.concatenate([[0], np.cumsum(self.revision.lengths)])
        numbers: np.ndarray = first[self._place_of[sentence]] + place
        return numbers, words

    @cached_property
    def _place_of(self) -> np.ndarray:
        """The place in the corpus of each sentence, by its number."""
        places = np.zeros(int(self.revision.order.max(initial=0)) + 1, np.int64)
        places[self.revision.order] = np.arange(len(self.revision))
        return places


def corrected(
    trained: Tagging, live: LiveCommittee | None, before: Revision, after: Revision, is_trained: bool
) -> LiveCommittee | None:
    """Return the model of a corpus that changed; None if it must be trained when it is next asked.

    It is made from the live model of the corpus before, or from the trained one if that `is_trained` on it.
    """
    if not isinstance(trained, Committee) or len(after.added) - len(before.added) > max(len(before) // MANY, FEW):
        return None
    if live is None:
        if not is_trained:
            return None
        live = LiveCommittee.of(trained, before)
    try:
        return live.after(after)
    except NeedsTraining:
        return None


def _of_lexicon(lexicon: Lexicon) -> dict[str, Vocabulary]:
    return {"word": lexicon.words, "tag": lexicon.tags}


class _Changing:
    """One change: from the committee of a revision to that of the next."""

    def __init__(self, model: LiveCommittee, revision: Revision) -> None:
        self.model, self.revision, self.core, self.settings = model, revision, model._core, model.settings
        before, after = model.revision.order, revision.order
        first_new = model.revision.base.n_sentences + len(model.revision.added)
        is_kept = np.zeros(first_new + len(revision.added), dtype=bool)
        is_kept[after] = True
        self.removed = before[~is_kept[before]]
        self.added: list[Rows] = [revision.rows(number) for number in after[after >= first_new].tolist()]

    def changed(self) -> LiveCommittee:
        core = self.core
        lexicon = self._lexicon()
        describer = describer_of(lexicon.lexicon, self.settings)
        fresh = [code for code in lexicon.new if code >= len(self.model.lexicon)]
        for index in (core.lowered, core.stems):
            if index is not None and fresh:
                index.add(self._texts(lexicon.lexicon, fresh), fresh)
        columns = self._columns()
        vocabularies = dict(self.model.vocabularies) | {
            name: known for name, known in _of_lexicon(lexicon.lexicon).items() if name in self.model.vocabularies
        }
        recoded = self._recoded(lexicon, describer, vocabularies, columns)
        word, entries, tags, first = self._tokens(lexicon.lexicon)
        core.version += 1  # no state is the last one while the core changes
        core.native.apply(
            self.removed.astype(np.uint32),
            word,
            [entries, *(np.array(column, np.uint32) for column in columns)],
            tags,
            first,
            recoded,
            self._moved(lexicon),
            self._rare(lexicon),
            core.n_entries(lexicon.lexicon),
        )
        return LiveCommittee(self.settings, lexicon.lexicon, vocabularies, core, self.revision)

    def _lexicon(self) -> ChangedLexicon:
        tags = self.model.tags
        deltas: dict[str, dict[int, int]] = {}
        for times, sentences in ((-1, map(self.revision.rows, self.removed.tolist())), (1, self.added)):
            for sentence in sentences:
                for word, *_, tag in sentence:
                    code = tags.code(tag)
                    if code is None:
                        raise NeedsTraining
                    counts = deltas.setdefault(word, {})
                    counts[code] = counts.get(code, 0) + times
        changed = with_counts(
            self.model.lexicon, {word: counts for word, counts in deltas.items() if any(counts.values())}
        )
        lexicon, limit = changed.lexicon, self.settings.hapax_limit
        if not np.bincount(lexicon.tag, lexicon.count, minlength=len(tags)).all():
            raise NeedsTraining
        if _has_rare(lexicon, limit) != _has_rare(self.model.lexicon, limit):
            raise NeedsTraining
        return changed

    @staticmethod
    def _texts(lexicon: Lexicon, codes: Sequence[int]) -> pa.Array:
        return as_strings([lexicon.words.value(code) for code in codes])

    def _columns(self) -> list[list[int]]:
        """Return the texts of further columns of the new tokens by their numbers; new texts get numbers."""
        entries: list[list[int]] = []
        for i, known in enumerate(self.core.columns):
            texts = [token[1 + i] for sentence in self.added for token in sentence]
            entries.append([known.setdefault(text, len(known)) for text in texts])
        return entries

    def _recoded(
        self,
        changed: ChangedLexicon,
        describer: Describer,
        vocabularies: dict[str, Vocabulary],
        columns: list[list[int]],
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return for each feature the words, or texts of its column, that have other codes now.

        New values get codes in `vocabularies`.
        """
        lexicon = changed.lexicon
        was_common, is_common = (one.frequency >= self.settings.frequent_from for one in (self.model.lexicon, lexicon))
        flipped = [code for code in changed.frequency if code < len(was_common) and was_common[code] != is_common[code]]
        own = sorted({*changed.new, *changed.reclassed, *flipped})
        of_own = self._entries(lexicon, own)
        of_stems = self._entries(lexicon, sorted({*own, *self._stemmed(changed)}))
        of_all: Text | None = None
        recoded = []
        for feature in self.core.features:
            if feature.kind in FIXED:
                recoded.append(self._recoded_column(feature, vocabularies, columns))
                continue
            if feature.kind in OF_OWN_ENTRY:
                text = of_own
            elif feature.kind == "stem":
                text = of_stems
            else:
                of_all = of_all or self._entries(lexicon, np.flatnonzero(lexicon.frequency).tolist())
                text = of_all
            if not len(text.words):
                recoded.append((np.empty(0, np.uint32), np.empty(0, np.uint32)))
                continue
            known = vocabularies[feature.base]
            if feature.kind != "word":
                known = vocabularies[feature.base] = known.with_values(_values(feature, describer, text))
            codes = Coder(describer, {feature.base: known}).of_entries(feature, text)
            assert codes is not None
            recoded.append((text.lexical.astype(np.uint32), codes.astype(np.uint32)))
        return recoded

    def _stemmed(self, changed: ChangedLexicon) -> set[int]:
        if self.core.stems is None:
            return set()
        codes = [*changed.new, *changed.gone, *changed.reclassed]
        found = self.core.stems.longer(self._texts(changed.lexicon, codes))
        return {code for code in found if changed.lexicon.frequency[code]}

    def _recoded_column(
        self, feature: TagFeature, vocabularies: dict[str, Vocabulary], columns: list[list[int]]
    ) -> tuple[np.ndarray, np.ndarray]:
        nothing = np.empty(0, np.uint32)
        if feature.kind != "column":
            return nothing, nothing
        numbers = self.core.columns[feature.n - 1]
        texts = [token[feature.n] for sentence in self.added for token in sentence]
        met = dict(zip(texts, columns[feature.n - 1]))
        known = vocabularies[feature.base] = vocabularies[feature.base].with_values(met)
        codes = known.encode_few(met).astype(np.uint32)
        return np.array([numbers[text] for text in met], np.uint32), codes

    def _entries(self, lexicon: Lexicon, codes: Sequence[int]) -> Text:
        """Return words of the lexicon as a text of one token each."""
        return Text(
            self._texts(lexicon, codes), np.arange(len(codes)), np.zeros(1, np.int64), np.array(codes, np.int64)
        )

    def _tokens(self, lexicon: Lexicon) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the new tokens: their words, what these are looked up as, their tags, and where sentences begin."""
        tokens = [token for sentence in self.added for token in sentence]
        first = np.concatenate([[0], np.cumsum([len(sentence) for sentence in self.added], dtype=np.int64)])
        distinct = list(dict.fromkeys(token[0] for token in tokens))
        number = {word: i for i, word in enumerate(distinct)}
        lexical = np.array([lexicon.words.code(word) for word in distinct], np.int64)
        text = Text(as_strings(distinct), np.array([number[token[0]] for token in tokens], np.int64), first, lexical)
        seen = looked_up(text, lexicon, lexicon.frequency[lexical] == 1) if self.settings.lowers_first else text
        tags = np.array([self.model.tags.code(token[-1]) for token in tokens], np.uint32)
        return (
            lexical[text.word].astype(np.uint32),
            seen.lexical[seen.word].astype(np.uint32),
            tags,
            first.astype(np.uint64),
        )

    def _moved(self, changed: ChangedLexicon) -> tuple[np.ndarray, np.ndarray]:
        """Return stored tokens that are looked up as another word now, and that word.

        A capitalised word at the beginning of a sentence that occurs once is looked up in lower case, if the lexicon
        has that.
        """
        tokens, words = [], []
        lexicon = changed.lexicon
        for code in self._may_move(changed):
            text = lexicon.words.value(code)
            lower = lexicon.find(pc.utf8_lower(as_strings([text])))[0]
            found = self.core.native.tokens_of(code)
            sentence, place, _, entry, _ = self.core.native.about(found)
            for token, number, at, now in zip(found.tolist(), sentence.tolist(), place.tolist(), entry.tolist()):
                is_lowered = lower >= 0 and lexicon.frequency[code] == 1 and self._is_first(lexicon, number, at)
                wanted = int(lower) if is_lowered else code
                if wanted != now:
                    tokens.append(token)
                    words.append(wanted)
        return np.array(tokens, np.uint32), np.array(words, np.uint32)

    def _may_move(self, changed: ChangedLexicon) -> list[int]:
        """Return the capitalised words that became single or are not any more, or whose lower case came or went."""
        if self.core.lowered is None:
            return []
        lexicon, lowered = changed.lexicon, self.core.lowered.of
        n = len(self.model.lexicon)
        single = [
            code for code, old in changed.frequency.items() if code < n and (old == 1) != (lexicon.frequency[code] == 1)
        ]
        single = [code for code in single if code in self.core.lowered.capitals]
        texts = self._texts(lexicon, [*changed.new, *changed.gone]).to_pylist()
        waiting = [code for text in texts for code in lowered.get(text, ()) if lexicon.frequency[code] == 1]
        return sorted({*single, *waiting})

    def _is_first(self, lexicon: Lexicon, sentence: int, place: int) -> bool:
        """Whether a token begins a sentence, or stands behind a first punctuation mark."""
        if place > 1:
            return False
        first = lexicon.words.value(self.core.native.first_word(sentence)) or " "
        return place == 0 or first[0] in PUNCTUATION

    def _rare(self, changed: ChangedLexicon) -> tuple[np.ndarray, np.ndarray]:
        """Return the words that became rare, or are not any more, and whether they are."""
        limit, n = self.settings.hapax_limit, len(self.model.lexicon)
        was_rare, is_rare = (rare_words(lexicon, limit) for lexicon in (self.model.lexicon, changed.lexicon))
        codes = [code for code in changed.frequency if code >= n or was_rare[code] != is_rare[code]]
        return np.array(codes, np.uint32), is_rare[np.array(codes, np.int64)].astype(np.uint8)


def _values(feature: TagFeature, describer: Describer, text: Text) -> list[str]:
    """Return the values of some words that a feature tells apart; of wordtag, tags are values already."""
    if feature.kind == "wordtag":
        are_common = describer.are_common(text).tolist()
        return [word for word, is_common in zip(text.words.to_pylist(), are_common) if is_common]
    few = describer.few_values(feature, text)
    values: list[str] = describer.values(feature, text).to_pylist() if few is None else few
    return values


def _has_rare(lexicon: Lexicon, limit: int) -> bool:
    return bool(((lexicon.frequency > 0) & (lexicon.frequency <= limit)).any())


def rare_words(lexicon: Lexicon, limit: int) -> np.ndarray:
    """Return which words of a lexicon that changed count as rare: all that are there if none is, or `limit` is 0."""
    is_there = lexicon.frequency > 0
    is_rare: np.ndarray = is_there & (lexicon.frequency <= limit)
    return is_rare if is_rare.any() else is_there
