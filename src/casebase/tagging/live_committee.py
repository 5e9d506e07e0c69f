"""A committee that learns, forgets and corrects sentences without being retrained.

After each change it is, in its tags and its evidence, the committee that training on the changed corpus gives. Only its
numbers differ: new words and new values come behind the others, where a training sorts all of them. A change of the
lexicon has effects elsewhere: a word may get another ambiguity class, become frequent or rare, be looked up in lower
case, or be the stem of other words. The words whose features may change are found here; the compiled core finds the
tokens around them and moves these in the trees.
"""

import threading
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
from casebase.tagging.case_bases import Reason, are_rare
from casebase.tagging.coded_text import CodedText, Coder, looked_up
from casebase.tagging.committee import (
    GROUPS,
    Committee,
    CommitteeSettings,
    describer_of,
    share_by,
    training_text,
)
from casebase.tagging.features import PUNCTUATION, Describer, TagFeature, Text
from casebase.tagging.lexicon import Lexicon
from casebase.tagging.live_changes import (
    Changing,
    NeedsTraining,
    dependants,
    places_of,
    rare_words,
    texts_of,
    values_of,
)
from casebase.tagging.live_lexicon import ChangedLexicon, reserved
from casebase.tagging.revisions import Revision
from casebase.tagging.sentences import Sentences, codes_in

MOST_GROWTH = 3  # times the nodes at the beginning: nodes that went away still take place


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
        windows: list[Any] = []
        trees: list[Any] = []
        for group in GROUPS:
            for i, ((pattern, _), tree) in enumerate(zip(settings.patterns(group), model.trees[group])):
                levels = [(number[feature.base], feature.offset) for feature in pattern.features]
                self.memory_of[group, i] = len(windows)
                grown = _native.ContextTree(**tree.arrays(), n_tags=len(lexicon.tags))
                windows.append((levels, group != "known"))
                trees.append((grown, group in settings.splits_pure))
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
            windows,
            len(lexicon.tags),
            self.n_entries(lexicon),
            trees,
        )
        self.n_nodes = self.native.n_nodes
        words = model.lexicon.words.values
        self.lowered = _Lowered(words) if settings.lowers_first else None
        self.dependants = dependants(self.features, words)

    @property
    def indexes(self) -> list[Any]:
        """All indexes of words."""
        return [*self.dependants.values(), *([] if self.lowered is None else [self.lowered])]

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
        levels = list(range(len(codes)))
        return self._core.native.matching(self._core.memory_of[group, memory], levels, np.array(codes, np.uint32))

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
        return places_of(self.revision)


def _of_lexicon(lexicon: Lexicon) -> dict[str, Vocabulary]:
    return {"word": lexicon.words, "tag": lexicon.tags}


class _Changing(Changing):
    """One change: from the committee of a revision to that of the next."""

    def __init__(self, model: LiveCommittee, revision: Revision) -> None:
        core = model._core
        super().__init__(model, revision, core.features, core.columns, core.dependants, model.settings.hapax_limit)
        self.model, self.core, self.settings = model, core, model.settings

    def changed(self) -> LiveCommittee:
        core = self.core
        changed = self.changed_lexicon()
        lexicon = changed.lexicon
        self.index_new(changed, core.indexes)
        columns = self.column_entries()
        vocabularies = dict(self.model.vocabularies) | {
            name: known for name, known in _of_lexicon(lexicon).items() if name in self.model.vocabularies
        }
        describer = describer_of(lexicon, self.settings)
        recoded = self.recoded(changed, describer, vocabularies, self._flipped(changed))
        word, entries, tags, first = self._tokens(lexicon)
        core.version += 1  # no state is the last one while the core changes
        core.native.apply(
            self.removed.astype(np.uint32),
            word,
            [entries, *columns],
            tags,
            first,
            recoded,
            self._moved(changed),
            self.rare(changed),
            core.n_entries(lexicon),
        )
        return LiveCommittee(self.settings, lexicon, vocabularies, core, self.revision)

    def _flipped(self, changed: ChangedLexicon) -> list[int]:
        """Return the words that became frequent, or are not any more."""
        was, now = (one.frequency >= self.settings.frequent_from for one in (self.before, changed.lexicon))
        return [code for code in changed.frequency if code < len(was) and was[code] != now[code]]

    def coded(
        self, feature: TagFeature, describer: Describer, text: Text, vocabularies: dict[str, Vocabulary]
    ) -> np.ndarray:
        known = vocabularies[feature.base]
        if feature.kind != "word":
            known = vocabularies[feature.base] = known.with_values(values_of(feature, describer, text))
        codes = Coder(describer, {feature.base: known}).of_entries(feature, text)
        assert codes is not None
        return codes

    def _tokens(self, lexicon: Lexicon) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the new tokens: their words, what these are looked up as, their tags, and where sentences begin."""
        text, tags = self.new_tokens(lexicon)
        is_new = lexicon.frequency[text.lexical] == 1
        seen = looked_up(text, lexicon, is_new) if self.settings.lowers_first else text
        return (
            text.lexical[text.word].astype(np.uint32),
            seen.lexical[seen.word].astype(np.uint32),
            tags,
            text.first.astype(np.uint64),
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
        n = len(self.before)
        single = [
            code for code, old in changed.frequency.items() if code < n and (old == 1) != (lexicon.frequency[code] == 1)
        ]
        single = [code for code in single if code in self.core.lowered.capitals]
        texts = texts_of(lexicon, [*changed.new, *changed.gone]).to_pylist()
        waiting = [code for text in texts for code in lowered.get(text, ()) if lexicon.frequency[code] == 1]
        return sorted({*single, *waiting})

    def _is_first(self, lexicon: Lexicon, sentence: int, place: int) -> bool:
        """Whether a token begins a sentence, or stands behind a first punctuation mark."""
        if place > 1:
            return False
        first = lexicon.words.value(self.core.native.first_word(sentence)) or " "
        return place == 0 or first[0] in PUNCTUATION
