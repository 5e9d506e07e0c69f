"""A tagger of two case bases that learns, forgets and corrects sentences without being retrained.

After each change it is, in its tags and its evidence, the tagger that training on the changed corpus gives; only its
numbers differ. The compiled corpus finds the tokens whose values a change of the lexicon changes, and each case base
takes over the cases that come and go. States are immutable: an earlier one still tags. Only the last one can be
changed, and only it knows where in the corpus its cases come from.
"""

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from casebase import _native
from casebase.data import Cases, Feature, Schema, Vocabulary
from casebase.memory.segments import Arrival, Segment
from casebase.tagging.case_bases import CaseBases, Reason, TaggerSettings, WordModel, training_rows
from casebase.tagging.features import (
    Describer,
    Pattern,
    TagFeature,
    Text,
    coded_feature,
    columns_of,
    merge_equal,
)
from casebase.tagging.lexicon import Lexicon
from casebase.tagging.live_case_base import CaseChange, LiveCaseBase, OrderOf, is_of_counts, with_arrival
from casebase.tagging.live_changes import Changing, NeedsTraining, dependants, places_of, rare_words, values_of
from casebase.tagging.live_lexicon import ChangedLexicon, reserved
from casebase.tagging.revisions import Revision
from casebase.tagging.sentences import Sentences, codes_in

NEVER_SEEN = 0xFFFFFFFF
NEVER_MET = np.uint64(0xFFFFFFFFFFFFFFFF)
MOST_GROWTH = 3  # times the tokens at the beginning: tokens that went away still take place


class _Core:
    """What the states of one tagger share: the compiled corpus, and indexes of its words."""

    def __init__(self, model: CaseBases) -> None:
        self.lock = threading.RLock()
        self.version = 0
        settings, text = model.settings, model.text
        patterns = (settings.known, settings.unknown)
        self.features = list({one.base: one.here for pattern in patterns for one in pattern.features}.values())
        self.coded = {one.base: coded_feature(one, model.describer, text) for one in self.features}
        used = text.columns[: model.n_columns]
        self.columns = [{value: i for i, value in enumerate(texts.to_pylist())} for texts, _ in used]
        number = {one.base: i for i, one in enumerate(self.features)}
        n_tags, label = len(model.tags), len(self.features)
        windows = [
            ([*((number[one.base], one.offset) for one in pattern.features), (label, 0)], pattern is not settings.known)
            for pattern in patterns
        ]
        words = text.word.astype(np.uint32)
        self.native = _native.LiveCorpus(
            words,
            [words, *(np.ascontiguousarray(entries, np.uint32) for _, entries in used)],
            model.tag_of.astype(np.uint32),
            text.first.astype(np.uint64),
            np.append(rare_words(model.lexicon, settings.hapax_limit), False).astype(np.uint8),
            [*map(self._base, self.features), (0, None, np.arange(n_tags, dtype=np.uint32), NEVER_SEEN, n_tags)],
            windows,
            n_tags,
            self.n_entries(len(model.lexicon) + 1),
        )
        self.orders_as_met = settings.as_mbt
        if self.orders_as_met:
            self.native.keep_first(np.arange(len(text.first) - 1, dtype=np.uint32))
        self.n_tokens = self.native.n_tokens
        self.dependants = dependants(self.features, model.lexicon.words.values)

    def _base(self, feature: TagFeature) -> Any:
        vocabulary, codes, _ = self.coded[feature.base]
        codes, outside = codes[:-1].astype(np.uint32), int(codes[-1])
        if feature.is_assigned:
            return 0, None, codes, outside, len(vocabulary)
        if feature.kind != "column":
            codes = np.append(codes, np.uint32(NEVER_SEEN))  # the number outside of sentences
        return feature.n_column, codes, None, outside, len(vocabulary)

    def n_entries(self, n_words: int) -> list[int]:
        return [n_words, *map(len, self.columns)]

    def order_of(self, window: int) -> OrderOf | None:
        """Return a function that gives the codes of a level in the order in which they were met, if that counts."""
        return (lambda level: self._met(window, level)) if self.orders_as_met else None

    def _met(self, window: int, level: int) -> np.ndarray:
        places = self.native.first_met(window, level)
        order = np.argsort(places, kind="stable")
        return order[: int(np.count_nonzero(places != NEVER_MET))]


class LiveCaseBases(CaseBases):
    """A tagger of two case bases after some changes of its corpus, which is `revision`."""

    revision: Revision
    vocabularies: Mapping[str, Vocabulary]
    bases: tuple[LiveCaseBase, LiveCaseBase]
    _core: _Core
    _version: int

    def __init__(
        self,
        settings: TaggerSettings,
        describer: Describer,
        vocabularies: Mapping[str, Vocabulary],
        bases: tuple[LiveCaseBase, LiveCaseBase],
        core: _Core,
        revision: Revision,
    ) -> None:
        self.__dict__.update(
            settings=settings,
            lexicon=describer.lexicon,
            describer=describer,
            vocabularies=vocabularies,
            known=bases[0].model,
            unknown=bases[1].model,
            bases=bases,
            revision=revision,
            _core=core,
            _version=core.version,
        )

    @staticmethod
    def of(model: CaseBases, revision: Revision) -> "LiveCaseBases":
        """Return a trained tagger, whose corpus is `revision`, as one that can be changed."""
        if not (is_of_counts(model.known.settings) and is_of_counts(model.unknown.settings)):
            raise NeedsTraining
        core = _Core(model)
        settings, lexicon = model.settings, reserved(model.lexicon)
        learners = (settings.known_learner, settings.unknown_learner)
        rows = training_rows(model.lexicon, model.text.word, settings)
        known, unknown = (
            LiveCaseBase.of(pattern, learner, own.settings, _cases(model, core, pattern, tokens), core.order_of(window))
            for window, (pattern, learner, own, tokens) in enumerate(
                zip((settings.known, settings.unknown), learners, (model.known, model.unknown), rows)
            )
        )
        vocabularies = {name: vocabulary for name, (vocabulary, _, _) in core.coded.items()}
        core.coded = {}
        return LiveCaseBases(
            settings, live_describer(lexicon, settings), vocabularies, (known, unknown), core, revision
        )

    def after(self, revision: Revision) -> "LiveCaseBases":
        """Return the tagger of another revision of the corpus.

        A change that affects everything raises NeedsTraining: one of the set of tags, of whether there are rare words,
        or of the features that a limit keeps.
        """
        with self._core.lock:
            if not self._is_current or self._core.native.n_tokens > MOST_GROWTH * self._core.n_tokens + 1000:
                raise NeedsTraining
            return _Changing(self, revision).changed()

    @property
    def _is_current(self) -> bool:
        return self._core.version == self._version

    @cached_property
    def trained(self) -> CaseBases:
        """The tagger that training on the corpus gives."""
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
    def text(self) -> Text:
        """The corpus as numbers of the words of the lexicon."""
        words = self.lexicon.words
        codes = words.encode(self.corpus.words.dictionary).astype(np.int64)[codes_in(self.corpus.words)]
        return Text(words.values, codes, self.corpus.first, np.arange(len(words)), columns_of(self.corpus))

    @cached_property
    def tag_of(self) -> np.ndarray:
        """The tag of each token of the corpus."""
        tags = self.corpus.tags
        assert tags is not None
        codes: np.ndarray = self.tags.encode(tags.dictionary)[codes_in(tags)]
        return codes

    def reasons(self, sentences: Sentences, limit: int, tokens: Sequence[int] | None = None) -> list[Reason]:
        """Return the reason for the tag of each token, or of some, decided word by word, with `limit` examples."""
        with self._core.lock:
            if self._is_current and all(len(base.memory.order) == len(base.pattern.features) for base in self.bases):
                return super().reasons(sentences, limit, tokens)
        return self.trained.reasons(sentences, limit, tokens)

    def explaining(self, is_known: bool) -> WordModel:
        """Return the model with the first token of each case, in the corpus as it is now."""
        window = 0 if is_known else 1
        order = self.bases[window].memory.order

        def arrival(segment: Segment) -> Arrival:
            tokens: Any = _FirstTokens(self, window, order, segment)
            return Arrival(tokens, tokens)

        return with_arrival(self.bases[window].model, arrival)

    def tokens_with(self, is_known: bool, values: Mapping[str, Any]) -> np.ndarray:
        """Return the training tokens whose cases have these values, by feature name."""
        pattern, window = self.base(is_known)[0], 0 if is_known else 1
        levels = [i for i, feature in enumerate(pattern.features) if feature.name in values]
        codes = [self.vocabularies[pattern.features[i].base].code(values[pattern.features[i].name]) for i in levels]
        found = self._core.native.matching(window, levels, np.array(codes, np.uint32))
        return np.sort(self.in_corpus(found))

    def in_corpus(self, tokens: np.ndarray) -> np.ndarray:
        """Return the numbers of tokens in the corpus as it is now."""
        sentence, place, *_ = self._core.native.about(tokens)
        numbers: np.ndarray = self._first[self._place_of[sentence]] + place
        return numbers

    @cached_property
    def _place_of(self) -> np.ndarray:
        return places_of(self.revision)

    @cached_property
    def _first(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(self.revision.lengths)])

    def first_token(self, window: int, levels: Sequence[int], codes: np.ndarray) -> int:
        """Return the first token of the corpus whose case has these codes."""
        return int(self.in_corpus(self._core.native.matching(window, levels, codes)).min())


class _FirstTokens:
    """The first token of each case of a segment, found when it is asked for."""

    dtype = np.dtype(np.int64)

    def __init__(self, model: LiveCaseBases, window: int, order: np.ndarray, segment: Segment) -> None:
        self._model, self._window, self._segment = model, window, segment
        self._levels = [*order.tolist(), len(order)]  # the last level of the window is the class

    def __len__(self) -> int:
        return self._segment.n_rows

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        columns = (*self._segment.columns, self._segment.labels)
        cases = np.column_stack([column[rows] for column in columns]).astype(np.uint32)
        found = [self._model.first_token(self._window, self._levels, np.ascontiguousarray(case)) for case in cases]
        return np.array(found, np.int64)


def _cases(model: CaseBases, core: _Core, pattern: Pattern, rows: np.ndarray) -> Cases:
    """Return the distinct cases of some tokens in the codes of the core; the classes are all tags."""
    features, columns = [], []
    for one in pattern.features:
        vocabulary, codes, entries = core.coded[one.base]
        at = model.text.shifted(model.tag_of if entries is None else entries, one.offset, len(codes) - 1, rows)
        features.append(Feature(one.name, "symbolic", vocabulary))
        columns.append(codes[at])
    schema = Schema(tuple(features), tuple(model.tags.values.to_pylist()), "tag", not model.settings.as_mbt)
    labels = model.tag_of[rows].astype(np.uint32)
    return merge_equal(Cases(schema, tuple(columns), labels, ids=rows, n_cases=len(rows)))


def live_describer(lexicon: Lexicon, settings: TaggerSettings) -> Describer:
    features = (*settings.known.features, *settings.unknown.features)
    tells_words = any(feature.kind in ("word", "wordclass") for feature in features)
    is_frequent = _most_frequent(lexicon, settings.n_frequent) if settings.n_frequent and tells_words else None
    return Describer(lexicon, is_frequent, settings.as_mbt, is_frequent)


def _most_frequent(lexicon: Lexicon, n: int) -> np.ndarray:
    """Return a mask of the n most frequent words of a lexicon in no order; ties go to the first by spelling."""
    frequency = lexicon.frequency
    n = min(n, int(np.count_nonzero(frequency)))
    least = np.partition(frequency, len(frequency) - n)[len(frequency) - n]
    is_frequent: np.ndarray = frequency > least
    tied = sorted(np.flatnonzero(frequency == least).tolist(), key=lambda code: lexicon.words.value(code) or "")
    is_frequent[tied[: n - int(np.count_nonzero(is_frequent))]] = True
    return is_frequent


class _Changing(Changing):
    """One change: from the case bases of a revision to those of the next."""

    def __init__(self, model: LiveCaseBases, revision: Revision) -> None:
        core = model._core
        super().__init__(model, revision, core.features, core.columns, core.dependants, model.settings.hapax_limit)
        self.model, self.core = model, core

    def changed(self) -> LiveCaseBases:
        core, settings = self.core, self.model.settings
        changed = self.changed_lexicon()
        self.index_new(changed, core.dependants.values())
        columns = self.column_entries()
        vocabularies = dict(self.model.vocabularies)
        describer = live_describer(changed.lexicon, settings)
        recoded = self.recoded(changed, describer, vocabularies, self._flipped(changed, describer))
        text, tags = self.new_tokens(changed.lexicon)
        word = text.lexical[text.word].astype(np.uint32)
        nothing = np.empty(0, np.uint32)
        core.version += 1  # no state is the last one while the core changes
        changes = core.native.apply(
            self.removed.astype(np.uint32),
            word,
            [word, *columns],
            tags,
            text.first.astype(np.uint64),
            [*recoded, (nothing, nothing)],
            (nothing, nothing),
            self.rare(changed),
            core.n_entries(len(changed.lexicon)),
            places_of(self.revision).astype(np.uint32) if core.orders_as_met else None,
        )
        known, unknown = (
            base.after(_case_change(base, change), vocabularies, core.order_of(window))
            for window, (base, change) in enumerate(zip(self.model.bases, changes))
        )
        return LiveCaseBases(settings, describer, vocabularies, (known, unknown), core, self.revision)

    def _flipped(self, changed: ChangedLexicon, describer: Describer) -> list[int]:
        """Return the words that became frequent, or are not any more."""
        was, now = self.model.describer.is_frequent, describer.is_frequent
        if was is None or now is None:
            return []
        flipped = np.flatnonzero((was != now[: len(was)]) & (changed.lexicon.frequency[: len(was)] > 0))
        return flipped.tolist()

    def coded(
        self, feature: TagFeature, describer: Describer, text: Text, vocabularies: dict[str, Vocabulary]
    ) -> np.ndarray:
        values = values_of(feature, describer, text)
        known = vocabularies[feature.base] = vocabularies[feature.base].with_values(values)
        return known.encode_few(values)


def _case_change(base: LiveCaseBase, change: Sequence[np.ndarray]) -> CaseChange:
    _, gone, _, came = change
    n_levels = len(base.pattern.features) + 1
    return CaseChange.of(gone.reshape(-1, n_levels), came.reshape(-1, n_levels))
