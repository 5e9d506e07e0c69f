"""A tagger that is a committee of memories of different contexts, which vote.

A memory is a tree like IGTree's, with features in a fixed order, whose nodes count how often each tag occurred in their
context. On the way down, a narrower context corrects the distribution of a wider one, the more the oftener it occurred;
so a narrow context that occurred once does not outvote a wide one that occurred a thousand times. The distributions of
the memories are multiplied, each with a weight as its exponent. The candidate tags of a word come from the lexicon and,
if the word is rare or unknown, from memories of its form: its shape and its letters. A word with one candidate needs no
vote.

The kernel is committee.hpp; this module prepares its input.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase import _native
from casebase.data import Vocabulary
from casebase.data.arrays import as_integers
from casebase.data.checks import is_whole
from casebase.data.vocabulary import vocabulary_of
from casebase.errors import CasebaseError, unknown_name
from casebase.tagging.case_bases import Reason, checked_beam, rare_tokens, sentences_from
from casebase.tagging.features import (
    OUTSIDE,
    PUNCTUATION,
    Describer,
    Pattern,
    TagFeature,
    Text,
    as_flags,
    begins_with_capital,
    columns_of,
    columns_used,
    mark_tags,
    text_with_columns,
)
from casebase.tagging.lexicon import Lexicon, checked_percentage, lexicon_of
from casebase.tagging.opinions import CommitteeEvidence, Opinion
from casebase.tagging.sentences import Sentences

NEVER_SEEN = 0xFFFFFFFF
OF_TAG = 0xFFFFFFFE  # stands for the code of the token's tag
GROUPS = ("form", "known", "unknown")
CAUTIONS = ("form_caution", "word_caution", "known_caution", "unknown_caution")
FAINT = 1e-6  # prior count of a tag that no rare word has

Memories = Mapping[str, float]


@dataclass(frozen=True)
class CommitteeSettings:
    """The memories by their features, each with its weight, and the smoothing between contexts.

    `form` are the memories of the form of words, `known` those that are asked about words of the lexicon, `unknown`
    those asked about others (none: the known ones). What was thought before a context is looked at counts as
    `caution` (a constant, and more for each tag that was met there) cases; `word_caution` is for how often the word
    itself had each tag, which corrects what its form says. Words with at least `certain_from`
    occurrences (None: no word) have the tags they had; others also those of which their form lets one expect a share of
    `least_share`. Words with `frequent_from` occurrences stand for themselves in the features wordclass and wordtag.
    With `lowers_first` a word at the beginning of a sentence is looked up in lower case if it was not met otherwise.
    Contexts of one tag are looked into further only by memories of the groups that `splits_pure` names, and those that
    were met once by none.
    """

    known: Memories
    unknown: Memories
    form: Memories
    known_caution: tuple[float, float] = (0.2, 0.25)
    unknown_caution: tuple[float, float] = (1.0, 0.7)
    form_caution: tuple[float, float] = (1.0, 0.25)
    word_caution: tuple[float, float] = (1.0, 1.0)
    ambiguity_threshold: int = 5
    hapax_limit: int = 5
    certain_from: int | None = 20
    least_share: float = 0.002
    frequent_from: int = 50
    lowers_first: bool = True
    splits_pure: tuple[str, ...] = ("form", "unknown")

    def __post_init__(self) -> None:
        checked_percentage(self.ambiguity_threshold)
        for group in GROUPS:
            _check_memories(group, getattr(self, group))
        for name in CAUTIONS:
            _check_caution(name, getattr(self, name))
        for name in ("hapax_limit", "certain_from", "frequent_from"):
            if name != "certain_from" or self.certain_from is not None:
                _check_count(name, getattr(self, name))
        if not _is_number(self.least_share) or not 0 < self.least_share <= 1:
            raise CasebaseError(
                f"least_share is the share of a tag among words of a form from which it is tried: a number above 0 and "
                f"up to 1; got {self.least_share!r}."
            )
        if not isinstance(self.lowers_first, bool):
            raise CasebaseError(f"lowers_first is True or False; got {self.lowers_first!r}.")
        if not isinstance(self.splits_pure, tuple | list) or not set(self.splits_pure) <= set(GROUPS):
            raise CasebaseError(f"splits_pure is a list of {', '.join(GROUPS)}; got {self.splits_pure!r}.")

    def patterns(self, group: str) -> list[tuple[Pattern, float]]:
        """Return the features and the weights of a group's memories."""
        return [(Pattern.parse(features), float(weight)) for features, weight in getattr(self, group).items()]

    @property
    def features(self) -> list[TagFeature]:
        """The features of all memories."""
        return [f for group in GROUPS for pattern, _ in self.patterns(group) for f in pattern.features]


def _is_number(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and bool(np.isfinite(number))


def _check_memories(group: str, memories: object) -> None:
    if not isinstance(memories, Mapping) or (group == "known" and not memories):
        raise CasebaseError(
            f"{group} is a dict of memories, features and their weight, such as {{'word tag-1': 1.0}}; "
            f"got {memories!r}."
        )
    for features, weight in memories.items():
        pattern = Pattern.parse(features)
        if not _is_number(weight) or weight <= 0:
            raise CasebaseError(f"The weight of the memory {features!r} is a positive number; got {weight!r}.")
        if group == "form" and any(feature.is_assigned for feature in pattern.features):
            raise CasebaseError(f"The memory of forms {features!r} asks for tags, which come after the forms.")


def _check_caution(name: str, caution: object) -> None:
    numbers = list(caution) if isinstance(caution, Sequence) else []
    if len(numbers) != 2 or not all(map(_is_number, numbers)) or numbers[0] <= 0 or numbers[1] < 0:
        raise CasebaseError(f"{name} is two numbers, the first above 0, the second 0 or more; got {caution!r}.")


def _check_count(name: str, number: object) -> None:
    if not is_whole(number, 0):
        raise CasebaseError(f"{name} is a number of occurrences, 0 or more; got {number!r}.")


@dataclass(frozen=True, eq=False)
class Contexts:
    """A memory's tree: the children of node i are `first_child[i]` to `first_child[i + 1]`, by ascending value.

    The root is node 0; the counts of node i are entries `first_count[i]` to `first_count[i + 1]`.
    """

    first_child: np.ndarray
    value: np.ndarray
    first_count: np.ndarray
    count_tag: np.ndarray
    count: np.ndarray

    def arrays(self) -> dict[str, np.ndarray]:
        return dict(vars(self))

    @property
    def n_nodes(self) -> int:
        return len(self.value)

    def counts(self, node: int) -> dict[int, int]:
        entries = slice(int(self.first_count[node]), int(self.first_count[node + 1]))
        return dict(zip(self.count_tag[entries].tolist(), self.count[entries].tolist()))


@dataclass(frozen=True, eq=False)
class _MetContext:
    """The narrowest context that a memory has met: the counts of its tags, and the codes of all its features."""

    depth: int
    weight: float
    support: float
    met: Mapping[int, int]
    pattern: Pattern
    codes: list[int]


@dataclass(frozen=True, eq=False)
class Committee:
    """The memories of a committee, by group, and the corpus that they remember.

    `vocabularies` have the values of each kind of feature; `share` is how often rare words have each tag.
    """

    settings: CommitteeSettings
    lexicon: Lexicon
    vocabularies: Mapping[str, Vocabulary]
    trees: Mapping[str, tuple[Contexts, ...]]
    share: np.ndarray
    text: Text
    tag_of: np.ndarray

    @property
    def tags(self) -> Vocabulary:
        return self.lexicon.tags

    @property
    def corpus(self) -> Sentences:
        """The training sentences."""
        return sentences_from(self.text, self.tag_of, self.tags)

    @cached_property
    def n_columns(self) -> int:
        """How many columns beside the words its features use."""
        return columns_used(self.settings.features)

    @cached_property
    def _coder(self) -> "_Coder":
        return _Coder(describer_of(self.lexicon, self.settings), self.vocabularies)

    @cached_property
    def _memories(self) -> dict[str, list[tuple[Any, Pattern, float]]]:
        n_tags = len(self.tags)
        return {
            group: [
                (_native.ContextTree(**tree.arrays(), n_tags=n_tags), pattern, weight)
                for tree, (pattern, weight) in zip(self.trees[group], self.settings.patterns(group))
            ]
            for group in GROUPS
        }

    def check(self) -> None:
        """Raise ValueError unless every tree points to nodes, counts and tags that there are."""
        _ = self._memories

    @cached_property
    def _word_tags(self) -> tuple[Any, ...]:
        lexicon = self.lexicon
        return (
            lexicon.first.astype(np.uint64),
            lexicon.tag.astype(np.uint32),
            lexicon.count.astype(np.uint32),
            lexicon.frequency.astype(np.uint32),
            *map(float, self.settings.word_caution),
            NEVER_SEEN if self.settings.certain_from is None else int(self.settings.certain_from),
            float(self.settings.least_share),
            self.share,
        )

    @cached_property
    def _is_form_of_word(self) -> bool:
        """Whether forms are functions of the words alone, so that they are judged once for each."""
        patterns = [pattern for pattern, _ in self.settings.patterns("form")]
        return all(f.kind != "column" and not f.offset for pattern in patterns for f in pattern.features)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy; the copy rebuilds the compiled parts."""
        return {name: value for name, value in self.__dict__.items() if name != "_memories"}

    def text_of(self, sentences: Sentences) -> Text:
        """Return sentences as numbers of their words, as they are looked up."""
        text = text_with_columns(sentences, self.lexicon, self.n_columns)
        return looked_up(text, self.lexicon, text.lexical < 0) if self.settings.lowers_first else text

    def is_known(self, sentences: Sentences) -> np.ndarray:
        """Return for every token whether its word is in the lexicon."""
        return Text.of(sentences, self.lexicon).is_known

    def tag(self, sentences: Sentences, *, beam: int = 1, n_jobs: int = 1) -> np.ndarray:
        """Return the tag of every token, by its number."""
        return self._tag(self._arguments(self._coded(sentences)), beam, n_jobs)

    def _coded(self, sentences: Sentences) -> "_CodedText":
        return _CodedText(self._coder, self.text_of(sentences))

    def _tag(self, arguments: Mapping[str, Any], beam: int, n_jobs: int) -> np.ndarray:
        is_form_of_word, beam = self._is_form_of_word, checked_beam(beam)
        return _native.tag_by_committee(**arguments, form_of_word=is_form_of_word, beam=beam, n_threads=n_jobs)

    def tag_with_doubts(self, sentences: Sentences, *, beam: int = 1, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the tag of every token and the share of all other tags, with the tags before it; 0 without a vote."""
        arguments = self._arguments(self._coded(sentences))
        tags = self._tag(arguments, beam, n_jobs)
        is_form_of_word = self._is_form_of_word
        doubts = _native.committee_doubts(**arguments, form_of_word=is_form_of_word, tags=tags, n_threads=n_jobs)
        return tags, doubts

    def _arguments(self, coded: "_CodedText") -> dict[str, Any]:
        """Return the memories and a text as the kernel takes them."""
        arguments: dict[str, Any] = {
            group: (
                [(tree, coded.levels(pattern), weight) for tree, pattern, weight in self._memories[group]],
                *map(float, getattr(self.settings, f"{group}_caution")),
            )
            for group in GROUPS
        }
        text = coded.text
        return arguments | {
            "words": self._word_tags,
            "first": text.first.astype(np.uint64),
            "word": text.word.astype(np.uint32),
            "lexical": text.lexical.astype(np.int32),
        }

    def retrain(self, sentences: Sentences) -> "Committee":
        """Return a tagger with the same settings, trained on another corpus."""
        return fit(sentences, self.settings)

    def reasons(self, sentences: Sentences, limit: int, tokens: Sequence[int] | None = None) -> list[Reason]:
        """Return the reason for the tag of each token, or of some; `limit` bounds the lists."""
        coded = self._coded(sentences)
        arguments = self._arguments(coded)
        tags = self._tag(arguments, 1, 1)
        is_known, words = self.is_known(sentences).tolist(), sentences.words.to_pylist()
        stored = _CodedText(self._coder, self._training_text)  # its features are coded once for all tokens
        return [
            self._reason(coded, stored, arguments, tags, token, words[token], is_known[token])
            for token in (range(len(words)) if tokens is None else tokens)
        ]

    def _reason(
        self,
        coded: "_CodedText",
        stored: "_CodedText",
        arguments: dict[str, Any],
        tags: np.ndarray,
        token: int,
        word: str,
        is_known: bool,
    ) -> Reason:
        candidates, scores, estimates, nodes = _native.committee_opinion(**arguments, tags=tags, token=token)
        tag = int(tags[token])
        is_certain = len(candidates) == 1
        rival = None if is_certain else max((score, -i) for i, score in enumerate(scores) if candidates[i] != tag)
        group = "known" if coded.text.is_known[token] or not self.settings.unknown else "unknown"
        opinions, paths = [], []
        for tree, (pattern, weight), estimate, path in zip(
            self.trees[group], self.settings.patterns(group), estimates, nodes
        ):
            codes = [int(coded.at(feature, tags, np.array([token]))[0]) for feature in pattern.features]
            values = tuple(coded.value_of(feature, code, token) for feature, code in zip(pattern.features, codes))
            met = tree.counts(path[-1]) if path else {}
            odds = 1.0 if rival is None else estimate[candidates.index(tag)] / estimate[-rival[1]]
            support = weight * float(np.log2(odds))
            counts = {self.tags.value(tag) or "": n for tag, n in met.items()}
            opinions.append(Opinion(pattern.names, values, len(path), counts, weight, support))
            paths.append(_MetContext(len(path), weight, support, met, pattern, codes))
        label = self.tags.value(tag) or ""
        shares = np.exp(np.array(scores) - max(scores))
        names = [self.tags.value(candidate) or "" for candidate in candidates]
        evidence = CommitteeEvidence(
            label,
            None if rival is None else names[-rival[1]],
            dict(zip(names, (shares / shares.sum()).tolist())),
            () if is_certain else tuple(sorted(opinions, key=lambda opinion: -opinion.support)),
            is_certain,
        )
        if is_certain and coded.text.is_known[token]:
            lexical = self._training_text.lexical[self._training_text.word]
            decided = against = np.flatnonzero(lexical == coded.text.lexical[coded.text.word[token]])
        else:
            decided, against = self._deciding_tokens(group, paths, coded, stored, token, tag)
        decided, against = decided[self.tag_of[decided] == tag], against[self.tag_of[against] != tag]
        return Reason(word, label, is_known, evidence, decided, len(decided), against, len(against))

    def _deciding_tokens(
        self,
        group: str,
        paths: Sequence["_MetContext"],
        coded: "_CodedText",
        stored: "_CodedText",
        token: int,
        tag: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the tokens in the context that supports the tag most, and in the one that speaks against it most.

        Where no memory speaks against the tag, these are the same.
        """
        deciding = max(paths, key=lambda path: (tag in path.met, path.support, path.depth, path.weight))
        decided = self._tokens_like(group, deciding, coded, stored, token)
        opposing = [path for path in paths if path.support < 0 and path.met.keys() - {tag}]
        if not opposing:
            return decided, decided
        opposed = min(opposing, key=lambda path: path.support)
        return decided, self._tokens_like(group, opposed, coded, stored, token)

    def _tokens_like(
        self, group: str, path: "_MetContext", coded: "_CodedText", stored: "_CodedText", token: int
    ) -> np.ndarray:
        """Return the tokens of the corpus in a context that was met, those of the same word first."""
        rows = np.arange(len(self.tag_of))
        if group == "unknown":
            rows = rare_tokens(self.lexicon, self.text.word, self.settings.hapax_limit)
        if not path.depth:
            return rows[:0]
        for feature, code in zip(path.pattern.features[: path.depth], path.codes):
            rows = rows[stored.at(feature, self.tag_of, rows) == code]
        is_other_word = (
            self._training_text.lexical[self._training_text.word[rows]] != coded.text.lexical[coded.text.word[token]]
        )
        return rows[np.lexsort((rows, is_other_word))]

    @cached_property
    def _training_text(self) -> Text:
        """The corpus with the words that training looked up."""
        return training_text(self.text, self.lexicon, self.settings)


def fit(sentences: Sentences, settings: CommitteeSettings, *, n_jobs: int = 1) -> Committee:
    """Train a committee on tagged sentences."""
    lexicon, word, tag = lexicon_of(sentences, settings.ambiguity_threshold)
    text = Text(lexicon.words.values, word, sentences.first, np.arange(len(lexicon)), columns_of(sentences))
    needed = columns_used(settings.features)
    if needed > len(text.columns):
        raise CasebaseError(
            f"Its features use {needed} columns beside the words, but the corpus has {len(text.columns)}."
        )
    training = training_text(text, lexicon, settings)
    coded = _CodedText.training(describer_of(lexicon, settings), training, settings.features)
    everything = np.arange(len(word), dtype=np.uint32)
    rare = rare_tokens(lexicon, word, settings.hapax_limit).astype(np.uint32)
    first, tags = text.first.astype(np.uint64), tag.astype(np.uint32)
    trees = {}
    for group in GROUPS:
        tokens = everything if group == "known" else rare
        lessons = [(coded.levels(pattern), tokens) for pattern, _ in settings.patterns(group)]
        is_split = group in settings.splits_pure
        grown = _native.grow_contexts(lessons, first, tags, len(lexicon.tags), is_split, n_jobs)
        trees[group] = tuple(Contexts(*arrays) for arrays in grown)
    share = np.bincount(tag[rare], minlength=len(lexicon.tags)) + FAINT
    return Committee(settings, lexicon, coded.coder.vocabularies, trees, share / share.sum(), text, tag)


def describer_of(lexicon: Lexicon, settings: CommitteeSettings) -> Describer:
    return Describer(lexicon, is_common=lexicon.frequency >= settings.frequent_from)


def training_text(text: Text, lexicon: Lexicon, settings: CommitteeSettings) -> Text:
    """Return the corpus with the words that are looked up: one that was met nowhere else counts as not met."""
    return looked_up(text, lexicon, lexicon.frequency == 1) if settings.lowers_first else text


def looked_up(text: Text, lexicon: Lexicon, is_new: np.ndarray) -> Text:
    """Return a text in which new words at the beginning of sentences are those of the lexicon in lower case.

    `is_new` says which distinct words may be replaced. A sentence also begins behind a first punctuation mark.
    """
    if not len(text.word):
        return text
    begins = text.first[:-1][np.diff(text.first) > 0]
    marks = _begin_with_punctuation(text)
    ends = text.first[1:][np.diff(text.first) > 0]
    behind = begins[marks[text.word[begins]] & (begins + 1 < ends)] + 1
    tokens = np.concatenate([begins, behind])
    tokens = tokens[(is_new & _begin_with_capital(text))[text.word[tokens]]]
    if not len(tokens):
        return text
    kinds, at = np.unique(text.word[tokens], return_inverse=True)
    lowered = pc.utf8_lower(text.words.take(as_integers(kinds)))
    found = lexicon.find(lowered)
    is_found = found >= 0
    number = len(text.words) + np.cumsum(is_found) - 1
    word = text.word.astype(np.int64)
    word[tokens] = np.where(is_found[at], number[at], word[tokens])
    return Text(
        pa.concat_arrays([text.words, lowered.filter(pa.array(is_found))]),
        word,
        text.first,
        np.concatenate([text.lexical, found[is_found]]),
        text.columns,
    )


def _begin_with_punctuation(text: Text) -> np.ndarray:
    """Return which distinct words begin with a punctuation mark of ASCII."""
    if text.few_words is None:
        return _matches(text.words, "^[[:punct:]]")
    return np.array([word[0] in PUNCTUATION for word in text.few_words])


def _begin_with_capital(text: Text) -> np.ndarray:
    """Return which distinct words begin with a capital."""
    if text.few_words is None:
        return _matches(text.words, r"^\p{Lu}")
    return np.array([begins_with_capital(word) for word in text.few_words])


def _matches(words: pa.Array, pattern: str) -> np.ndarray:
    return as_flags(pc.match_substring_regex(words, pattern))


@dataclass(frozen=True, eq=False)
class _Coder:
    """Words as the codes of their values; the code behind the last value is that of places outside of a sentence."""

    describer: Describer
    vocabularies: Mapping[str, Vocabulary]

    @cached_property
    def _of_tags(self) -> dict[str, np.ndarray]:
        tags = self.describer.lexicon.tags
        codes = {"tag": np.arange(len(tags), dtype=np.uint32)}
        if "wordtag" in self.vocabularies:
            codes["wordtag"] = self.encode("wordtag", mark_tags(tags.values))
        return codes

    def of_tags(self, kind: str) -> np.ndarray | None:
        """Return the code of every tag, for a feature that looks at tags."""
        return self._of_tags.get(kind)

    def outside(self, feature: TagFeature) -> int:
        return len(self.vocabularies[feature.base])

    def encode(self, base: str, values: pa.Array) -> np.ndarray:
        vocabulary = self.vocabularies[base]
        return _or_never_seen(vocabulary.encode(values), vocabulary)

    def encode_feature(self, feature: TagFeature, text: Text) -> np.ndarray:
        """Return the codes of a feature's value for every distinct word, or distinct text of its column."""
        vocabulary = self.vocabularies[feature.base]
        return _or_never_seen(self.describer.codes(feature, text, vocabulary), vocabulary)


def _or_never_seen(codes: np.ndarray, vocabulary: Vocabulary) -> np.ndarray:
    wide = codes.astype(np.uint32)
    wide[codes == vocabulary.unknown] = NEVER_SEEN
    return wide


class _CodedText:
    """A text's tokens as codes, kind by kind of feature, each worked out when it is first asked for."""

    def __init__(self, coder: _Coder, text: Text) -> None:
        self.coder, self.text = coder, text
        self._codes: dict[str, np.ndarray | None] = {}
        self._values: dict[str, list[str | None]] = {}

    @staticmethod
    def training(describer: Describer, text: Text, features: Iterable[TagFeature]) -> "_CodedText":
        """Return a training text, whose values define the vocabularies of the features."""
        lexicon = describer.lexicon
        vocabularies: dict[str, Vocabulary] = {}
        coded = _CodedText(_Coder(describer, vocabularies), text)
        for feature in {feature.base: feature.here for feature in features}.values():
            if feature.kind in ("word", "tag"):
                vocabularies[feature.base] = lexicon.words if feature.kind == "word" else lexicon.tags
            elif feature.kind == "wordtag":
                common = text.words.filter(pa.array(describer.are_common(text)))
                values = pa.concat_arrays([common, mark_tags(lexicon.tags.values)])
                vocabularies[feature.base] = vocabulary_of(values.dictionary_encode())[0]
            else:
                values = describer.values(feature, text)
                vocabularies[feature.base], codes = vocabulary_of(values.dictionary_encode())
                coded._codes[feature.base] = codes.astype(np.uint32)[text.entries(feature)]
        return coded

    def codes(self, feature: TagFeature) -> np.ndarray | None:
        """Return the code of every token; None where only its tag counts."""
        if feature.base not in self._codes:
            self._codes[feature.base] = self._coded(feature.here)
        return self._codes[feature.base]

    def _coded(self, feature: TagFeature) -> np.ndarray | None:
        if feature.kind == "tag":
            return None
        if feature.kind == "wordtag":
            codes = self.coder.encode("wordtag", self.text.words)
            codes = np.where(self.coder.describer.are_common(self.text), codes, OF_TAG).astype(np.uint32)
        elif feature.kind == "word":
            codes = np.where(self.text.lexical < 0, NEVER_SEEN, self.text.lexical).astype(np.uint32)
        else:
            codes = self.coder.encode_feature(feature, self.text)
        codes_of_tokens: np.ndarray = codes[self.text.entries(feature)]
        return codes_of_tokens

    def levels(self, pattern: Pattern) -> list[tuple[np.ndarray | None, np.ndarray | None, int, int]]:
        """Return where the values of a memory's features come from, as the kernel takes it."""
        return [
            (self.codes(feature), self.coder.of_tags(feature.kind), feature.offset, self.coder.outside(feature))
            for feature in pattern.features
        ]

    def at(self, feature: TagFeature, tags: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return a feature's codes for some tokens, whose words before have these tags."""
        of_tags, codes = self.coder.of_tags(feature.kind), self.codes(feature)
        if of_tags is not None:
            said = of_tags[tags]
            codes = said if codes is None else np.where(codes == OF_TAG, said, codes)
        assert codes is not None
        return self.text.shifted(codes, feature.offset, self.coder.outside(feature), rows)

    def value_of(self, feature: TagFeature, code: int, token: int) -> str:
        """Return the value behind a code that a token has."""
        if code == self.coder.outside(feature):
            return OUTSIDE
        if code == NEVER_SEEN:
            entry = int(self.text.entries(feature)[token + feature.offset])
            if feature.base not in self._values:
                self._values[feature.base] = self.coder.describer.values(feature.here, self.text).to_pylist()
            return self._values[feature.base][entry] or ""
        return self.coder.vocabularies[feature.base].value(code) or ""


def settings_from(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> CommitteeSettings:
    """Return the settings from the given ones and the defaults."""
    known = list(CommitteeSettings.__dataclass_fields__)
    for name in given:
        if name not in known:
            raise CasebaseError(unknown_name("setting of a committee", name, known))
    values = dict(defaults) | dict(given)
    for name in ("splits_pure", *CAUTIONS):
        if isinstance(values.get(name), list):
            values[name] = tuple(values[name])
    return CommitteeSettings(**values)
