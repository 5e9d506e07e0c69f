"""A tagger that is a committee of memories of different contexts, which vote.

A memory is a tree like IGTree's, with features in a fixed order, whose nodes count how often each tag occurred in their
context. On the way down, a narrower context corrects the distribution of a wider one, the more the oftener it occurred;
so a narrow context that occurred once does not outvote a wide one that occurred a thousand times. The score of a tag is
a log-linear model: the logarithm of what the word itself lets one expect, and what each context of each memory changes
about that, each with a weight. The candidate tags of a word come from the lexicon and, if the word is rare or unknown,
from memories of its form: its shape and its letters. A word with one candidate needs no vote.

The kernel is committee.hpp; this module prepares its input.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from casebase import _native
from casebase.data import Vocabulary
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.tagging.case_bases import Reason, are_rare, checked_beam, rare_tokens, sentences_from
from casebase.tagging.coded_text import NEVER_SEEN, CodedText, Coder, looked_up
from casebase.tagging.features import (
    Describer,
    Pattern,
    TagFeature,
    Text,
    columns_of,
    columns_used,
    empty_text,
    text_with_columns,
)
from casebase.tagging.lexicon import Lexicon, checked_percentage, lexicon_of
from casebase.tagging.opinions import CommitteeEvidence, Opinion
from casebase.tagging.sentences import Sentences

GROUPS = ("form", "known", "unknown")
STARTS = ("known_start", "unknown_start", "early_start")
CAUTIONS = ("form_caution", "word_caution", "known_caution", "unknown_caution")
MOST = 2**32 - 1  # occurrences
FAINT = 1e-6  # prior count of a tag that no rare word has

Memories = Mapping[str, float | Sequence[float]]


@dataclass(frozen=True)
class CommitteeSettings:
    """The memories by their features, each with its weights, and the smoothing between contexts.

    The weights of a memory are one for each of its features, for what a context that goes as far changes about the
    estimate of the wider one, or a single one for all. `known_start` and `unknown_start` weigh what a word says without
    its context; None: as much as the first contexts of all memories together, as if their estimates were multiplied.
    `form` are the memories of the form of words, `known` those that are asked about words of the lexicon, `unknown`
    those asked about others (none: the known ones). `early` are the beginnings of a few memories of `known`, with
    weights of their own: they are asked first about a word of the lexicon. A tag that has a share of at least
    `early_share` then is taken, and no others are asked. What was thought before a context is looked at counts as
    `caution` (a constant, and more for each tag that was met there) cases; `word_caution` is for how often the word
    itself had each tag, which corrects what its form says. Words with at least `certain_from` occurrences (None: no
    word) have those of their tags of which a share of `least_share` is expected; others have all their tags, and those
    of which their form lets one expect that share. Words with `frequent_from` occurrences stand for themselves in the
    features wordclass and wordtag. With `lowers_first` a word at the beginning of a sentence is looked up in lower case
    if it was not met otherwise.
    Contexts of one tag are looked into further only by memories of the groups that `splits_pure` names, and those that
    were met once by none.
    """

    known: Memories
    unknown: Memories
    form: Memories
    known_start: float | None = None
    unknown_start: float | None = None
    early: Memories = field(default_factory=dict)
    early_start: float | None = None
    early_share: float = 0.95
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
        _check_early(self.early, self.known)
        if not _is_number(self.early_share) or not 0 < self.early_share <= 1:
            raise CasebaseError(
                f"early_share is the share of a tag that decides early: a number above 0 and up to 1; "
                f"got {self.early_share!r}."
            )
        for name in CAUTIONS:
            _check_caution(name, getattr(self, name))
        for name in STARTS:
            if (start := getattr(self, name)) is not None and not _is_number(start):
                raise CasebaseError(f"{name} is a weight, a number, or None; got {start!r}.")
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

    def patterns(self, group: str) -> list[tuple[Pattern, tuple[float, ...]]]:
        """Return the features and the weights of a group's memories, a weight for each feature."""
        found = []
        for features, weights in getattr(self, group).items():
            pattern = _parsed(features)
            all_weights = weights if isinstance(weights, Sequence) else [weights] * len(pattern.features)
            found.append((pattern, tuple(map(float, all_weights))))
        return found

    def start(self, group: str) -> float:
        """Return the weight of what a word says without its context."""
        given: float | None = getattr(self, f"{group}_start", None)
        return sum(weights[0] for _, weights in self.patterns(group)) if given is None else float(given)

    def asked(self, group: str) -> list[tuple[str, int, Pattern, tuple[float, ...]]]:
        """Return the memories that are asked: the group and the place of their tree, their features and weights."""
        patterns = self.patterns(group)
        if group != "early":
            return [(group, i, pattern, weights) for i, (pattern, weights) in enumerate(patterns)]
        known = [pattern for pattern, _ in self.patterns("known")]
        return [
            ("known", next(i for i, whole in enumerate(known) if _begins(whole, pattern)), pattern, weights)
            for pattern, weights in patterns
        ]

    @property
    def features(self) -> list[TagFeature]:
        """The features of all memories."""
        return [f for group in GROUPS for pattern, _ in self.patterns(group) for f in pattern.features]


@lru_cache(maxsize=256)
def _parsed(features: str) -> Pattern:
    return Pattern.parse(features)


def _is_number(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and bool(np.isfinite(number))


def _check_memories(group: str, memories: object) -> None:
    if not isinstance(memories, Mapping) or (group == "known" and not memories):
        raise CasebaseError(
            f"{group} is a dict of memories, features and their weights, such as {{'word tag-1': 1.0}}; "
            f"got {memories!r}."
        )
    for features, weights in memories.items():
        pattern = Pattern.parse(features)
        if isinstance(weights, tuple | list):
            if len(weights) != len(pattern.features) or not all(map(_is_number, weights)):
                raise CasebaseError(
                    f"The weights of the memory {features!r} are {len(pattern.features)} numbers, one for each of its "
                    f"features; got {weights!r}."
                )
        elif not _is_number(weights) or weights <= 0:
            raise CasebaseError(
                f"The weight of the memory {features!r} is a positive number, or a list of one for each of its "
                f"features; got {weights!r}."
            )
        if group == "form" and any(feature.is_assigned for feature in pattern.features):
            raise CasebaseError(f"The memory of forms {features!r} asks for tags, which come after the forms.")


def _check_early(early: object, known: Memories) -> None:
    _check_memories("early", early)
    assert isinstance(early, Mapping)
    for features in early:
        if not any(_begins(_parsed(memory), _parsed(features)) for memory in known):
            raise CasebaseError(
                f"The memory {features!r} of early is the beginning of none of the memories of known, which are "
                f"{', '.join(map(repr, known))}."
            )


def _begins(pattern: Pattern, beginning: Pattern) -> bool:
    return pattern.features[: len(beginning.features)] == beginning.features


def _check_caution(name: str, caution: object) -> None:
    numbers = list(caution) if isinstance(caution, Sequence) else []
    if len(numbers) != 2 or not all(map(_is_number, numbers)) or numbers[0] <= 0 or numbers[1] < 0:
        raise CasebaseError(f"{name} is two numbers, the first above 0, the second 0 or more; got {caution!r}.")


def _check_count(name: str, number: object) -> None:
    if not is_whole(number, 0, MOST):
        raise CasebaseError(f"{name} is a number of occurrences, 0 or more; got {number!r}. It is at most {MOST}.")


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

    def packed(self) -> dict[str, np.ndarray]:
        """Return the tree in few bytes: numbers of children and counts instead of offsets, in narrow types."""
        return {
            "n_children": _narrow(np.diff(self.first_child.astype(np.int64))[1:]),  # the root has the rest
            "value": _narrow(self.value),
            "n_counts": _narrow(np.diff(self.first_count.astype(np.int64))[1:]),
            "count_tag": _narrow(self.count_tag),
            "count": _narrow(self.count),
        }

    @property
    def n_nodes(self) -> int:
        return len(self.value)

    def path(self, codes: Sequence[int]) -> list[int]:
        """Return the nodes of the contexts that were met, from the widest to the narrowest."""
        node, path = 0, []
        for code in codes:
            first, end = int(self.first_child[node]), int(self.first_child[node + 1])
            node = first + int(np.searchsorted(self.value[first:end], code))
            if node == end or int(self.value[node]) != code:
                break
            path.append(node)
        return path

    def counts(self, node: int) -> dict[int, int]:
        entries = slice(int(self.first_count[node]), int(self.first_count[node + 1]))
        return dict(zip(self.count_tag[entries].tolist(), self.count[entries].tolist()))


def _narrow(numbers: np.ndarray) -> np.ndarray:
    largest = int(numbers.max()) if len(numbers) else 0
    return numbers.astype(np.uint8 if largest < 2**8 else np.uint16 if largest < 2**16 else np.uint32)


@dataclass(frozen=True, eq=False)
class _MetContext:
    """The narrowest context of a query that was met: the counts of its tags there, and its places in the corpus."""

    support: float
    depth: int
    met: Mapping[int, int]
    find_tokens: Callable[[], np.ndarray]


@dataclass(frozen=True, eq=False)
class _Asked:
    """The features of a memory, their values for a query, and the tokens of the corpus that share the first of them."""

    pattern: Pattern
    codes: list[int]
    values: tuple[str, ...]
    tokens: Callable[[int], np.ndarray]


def _deciding_tokens(contexts: Sequence[_MetContext], tag: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the tokens in the context that supports the tag most, and in the one that speaks against it most.

    Where no memory speaks against the tag, these are the same.
    """
    decided = max(contexts, key=lambda context: (tag in context.met, context.support, context.depth)).find_tokens()
    opposing = [context for context in contexts if context.support < 0 and context.met.keys() - {tag}]
    if not opposing:
        return decided, decided
    return decided, min(opposing, key=lambda context: context.support).find_tokens()


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
    def n_words(self) -> int:
        return len(self.lexicon)

    @property
    def words(self) -> pa.Array:
        """The words of the corpus."""
        return self.lexicon.words.values

    @property
    def corpus(self) -> Sentences:
        """The training sentences."""
        return sentences_from(self.text, self.tag_of, self.tags)

    @property
    def has_corpus(self) -> bool:
        """Whether it was saved with its training sentences."""
        return len(self.tag_of) > 0

    @cached_property
    def n_columns(self) -> int:
        """How many columns beside the words its features use."""
        return columns_used(self.settings.features)

    @cached_property
    def _coder(self) -> Coder:
        return Coder(describer_of(self.lexicon, self.settings), self.vocabularies)

    @cached_property
    def _memories(self) -> dict[str, list[tuple[Any, Pattern, tuple[float, ...]]]]:
        n_tags = len(self.tags)
        return {
            group: [
                (_native.ContextTree(**tree.arrays(), n_tags=n_tags), pattern, weights)
                for tree, (pattern, weights) in zip(self.trees[group], self.settings.patterns(group))
            ]
            for group in GROUPS
        }

    def without_corpus(self) -> "Committee":
        """Return a committee that tags the same, and cannot be corrected or show places in the corpus."""
        return replace(self, text=empty_text(self.text), tag_of=self.tag_of[:0])

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

    @cached_property
    def _kept_candidates(self) -> Any:
        """The candidate tags of the words of the lexicon that were asked about: other texts have these words too."""
        return _native.KeptCandidates(len(self.lexicon))

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy; the copy rebuilds the compiled parts."""
        compiled = ("_memories", "_kept_candidates", "_coder")
        return {name: value for name, value in self.__dict__.items() if name not in compiled}

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

    def _coded(self, sentences: Sentences) -> CodedText:
        return CodedText(self._coder, self.text_of(sentences))

    def _tag(self, arguments: Mapping[str, Any], beam: int, n_jobs: int) -> np.ndarray:
        words = {"form_of_word": self._is_form_of_word, "kept": self._kept_candidates}
        return _native.tag_by_committee(**arguments, **words, beam=checked_beam(beam), n_threads=n_jobs)

    def tag_with_doubts(self, sentences: Sentences, *, beam: int = 1, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the tag of every token and the share of all other tags, with the tags before it; 0 without a vote."""
        arguments = self._arguments(self._coded(sentences))
        tags = self._tag(arguments, beam, n_jobs)
        words = {"form_of_word": self._is_form_of_word, "kept": self._kept_candidates}
        doubts = _native.committee_doubts(**arguments, **words, tags=tags, n_threads=n_jobs)
        return tags, doubts

    def _arguments(self, coded: CodedText) -> dict[str, Any]:
        """Return the memories and a text as the kernel takes them."""
        arguments: dict[str, Any] = {
            group: (
                [(tree, coded.levels(pattern), weights) for tree, pattern, weights in self._memories[group]],
                *map(float, getattr(self.settings, f"{group}_caution")),
                self.settings.start(group),
            )
            for group in GROUPS
        }
        text = coded.text
        return arguments | {
            "early": (self._early(coded), float(self.settings.early_share)),
            "words": self._word_tags,
            "first": text.first.astype(np.uint64),
            "word": text.word.astype(np.uint32),
            "lexical": text.lexical.astype(np.int32),
        }

    def _early(self, coded: CodedText) -> tuple[Any, ...]:
        """Return the memories that are asked first, which share the trees of those of known words."""
        trees = [tree for tree, _, _ in self._memories["known"]]
        return (
            [(trees[i], coded.levels(pattern), weights) for _, i, pattern, weights in self.settings.asked("early")],
            *map(float, self.settings.known_caution),
            self.settings.start("early"),
        )

    def retrain(self, sentences: Sentences) -> "Committee":
        """Return a tagger with the same settings, trained on another corpus."""
        return fit(sentences, self.settings)

    def reasons(self, sentences: Sentences, limit: int, tokens: Sequence[int] | None = None) -> list[Reason]:
        """Return the reason for the tag of each token, or of some; `limit` bounds the lists."""
        coded = self._coded(sentences)
        arguments = self._arguments(coded)
        tags = self._tag(arguments, 1, 1)
        is_known, words = self.is_known(sentences).tolist(), sentences.words.to_pylist()
        stored = self._stored()  # its features are coded once for all tokens
        return [
            self._reason(coded, stored, arguments, tags, token, words[token], is_known[token])
            for token in (range(len(words)) if tokens is None else tokens)
        ]

    def _reason(
        self,
        coded: CodedText,
        stored: Any,
        arguments: dict[str, Any],
        tags: np.ndarray,
        token: int,
        word: str,
        is_known: bool,
    ) -> Reason:
        is_early, candidates, scores, of_word, added, nodes = _native.committee_opinion(
            **arguments, tags=tags, token=token
        )
        tag = int(tags[token])
        is_certain = len(candidates) == 1
        rival = None if is_certain else max((score, -i) for i, score in enumerate(scores) if candidates[i] != tag)
        own = candidates.index(tag)

        def support(score: Sequence[float]) -> float:
            return 0.0 if rival is None else float((score[own] - score[-rival[1]]) / np.log(2.0))

        group = "early" if is_early else "known"
        if self.settings.unknown and not coded.text.is_known[token]:
            group = "unknown"
        opinion, met = self._word_itself(coded, stored, token, word, self.settings.start(group), support(of_word))
        opinions, contexts = [opinion], [met]
        for (place, memory, pattern, weights), scored, path in zip(self.settings.asked(group), added, nodes):
            asked = self._asked(place, memory, pattern, coded, stored, tags, token)
            opinion, met = self._opinion(self.trees[place][memory], asked, weights, path, support(scored))
            opinions.append(opinion)
            contexts.append(met)
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
        decided, against = _deciding_tokens(contexts[:1] if is_certain else contexts, tag)
        decided, against = decided[self.tag_of[decided] == tag], against[self.tag_of[against] != tag]
        return Reason(word, label, is_known, evidence, decided, len(decided), against, len(against))

    def _word_itself(
        self, coded: CodedText, stored: Any, token: int, word: str, weight: float, support: float
    ) -> tuple[Opinion, _MetContext]:
        """Return what is expected of a word without its context: by its own tags or, if it is unknown, by its form."""
        lexical = int(coded.text.lexical[coded.text.word[token]])
        if lexical < 0 and self.trees["form"]:
            tree, (pattern, _) = self.trees["form"][0], self.settings.patterns("form")[0]
            asked = self._asked("form", 0, pattern, coded, stored, np.empty(0, np.int64), token)
            return self._opinion(tree, asked, (weight,) * len(asked.codes), tree.path(asked.codes), support)
        first = self.lexicon.first
        entries = slice(int(first[lexical]), int(first[lexical + 1])) if lexical >= 0 else slice(0)
        met = dict(zip(self.lexicon.tag[entries].tolist(), self.lexicon.count[entries].tolist()))
        context = _MetContext(support, int(lexical >= 0), met, lambda: self._tokens_looked_up_as(lexical))
        return Opinion(("word",), (word,), context.depth, self._named(met), (weight,), support), context

    def _named(self, met: Mapping[int, int]) -> dict[str, int]:
        return {self.tags.value(tag) or "": n for tag, n in met.items()}

    def _asked(
        self, group: str, memory: int, pattern: Pattern, coded: CodedText, stored: Any, tags: np.ndarray, token: int
    ) -> "_Asked":
        codes = [int(coded.at(feature, tags, np.array([token]))[0]) for feature in pattern.features]
        values = tuple(coded.value_of(feature, code, token) for feature, code in zip(pattern.features, codes))
        lexical = int(coded.text.lexical[coded.text.word[token]])

        def tokens(depth: int) -> np.ndarray:
            if not depth:
                return np.empty(0, np.int64)
            return self._same_word_first(self._tokens_met(group, memory, codes[:depth], stored), lexical)

        return _Asked(pattern, codes, values, tokens)

    def _opinion(
        self, tree: Contexts, asked: "_Asked", weights: tuple[float, ...], path: Sequence[int], support: float
    ) -> tuple[Opinion, _MetContext]:
        depth, met = len(path), tree.counts(path[-1]) if path else {}
        opinion = Opinion(asked.pattern.names, asked.values, depth, self._named(met), weights, support)
        return opinion, _MetContext(support, depth, met, lambda: asked.tokens(depth))

    def _stored(self) -> Any:
        """Return what `_tokens_met` needs to know of the corpus."""
        return CodedText(self._coder, self._training_text)

    def _tokens_met(self, group: str, memory: int, codes: Sequence[int], stored: Any) -> np.ndarray:
        """Return the tokens that a memory has in the context of these values."""
        rows = np.arange(len(self.tag_of))
        if group != "known":
            rows = rare_tokens(self.lexicon, self.text.word, self.settings.hapax_limit)
        pattern, _ = self.settings.patterns(group)[memory]
        for feature, code in zip(pattern.features, codes):
            rows = rows[stored.at(feature, self.tag_of, rows) == code]
        return rows

    def _tokens_looked_up_as(self, lexical: int) -> np.ndarray:
        """Return the tokens of a word of the lexicon; none for a word that it does not have."""
        known = self._training_text.lexical[self._training_text.word]
        return np.flatnonzero((known == lexical) & (known >= 0))

    def _same_word_first(self, tokens: np.ndarray, lexical: int) -> np.ndarray:
        is_other_word = self._training_text.lexical[self._training_text.word[tokens]] != lexical
        ordered: np.ndarray = tokens[np.lexsort((tokens, is_other_word))]
        return ordered

    @cached_property
    def _training_text(self) -> Text:
        """The corpus with the words that training looked up."""
        return training_text(self.text, self.lexicon, self.settings)


def fit(sentences: Sentences, settings: CommitteeSettings, *, n_jobs: int = 1) -> Committee:
    """Train a committee on tagged sentences."""
    lexicon, word, tag = lexicon_of(sentences, settings.ambiguity_threshold)
    text = Text(lexicon.words.values, word, sentences.first, np.arange(len(lexicon)), columns_of(sentences))
    check_columns(settings, len(text.columns))
    training = training_text(text, lexicon, settings)
    coded = CodedText.training(describer_of(lexicon, settings), training, settings.features)
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
    return Committee(settings, lexicon, coded.coder.vocabularies, trees, share_of_tags(lexicon, settings), text, tag)


def check_columns(settings: CommitteeSettings, n_columns: int) -> None:
    """Raise an error if features use columns that a corpus does not have."""
    needed = columns_used(settings.features)
    if needed > n_columns:
        raise CasebaseError(f"Its features use {needed} columns beside the words, but the corpus has {n_columns}.")


def share_of_tags(lexicon: Lexicon, settings: CommitteeSettings) -> np.ndarray:
    """Return how often rare words have each tag."""
    return share_by(lexicon, are_rare(lexicon, settings.hapax_limit))


def share_by(lexicon: Lexicon, are_rare: np.ndarray) -> np.ndarray:
    """Return how often some words of a lexicon have each tag."""
    is_rare = np.repeat(are_rare, np.diff(lexicon.first))
    times = np.bincount(lexicon.tag, lexicon.count * is_rare, minlength=len(lexicon.tags)) + FAINT
    share: np.ndarray = times / times.sum()
    return share


def describer_of(lexicon: Lexicon, settings: CommitteeSettings) -> Describer:
    return Describer(lexicon, is_common=lexicon.frequency >= settings.frequent_from)


def training_text(text: Text, lexicon: Lexicon, settings: CommitteeSettings) -> Text:
    """Return the corpus with the words that are looked up: one that was met nowhere else counts as not met."""
    return looked_up(text, lexicon, lexicon.frequency == 1) if settings.lowers_first else text


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
    if "known" in given and "early" not in given:
        values["early"] = {}  # other memories need not have the beginnings of the default ones
    for group in (*GROUPS, "early"):  # weights are lists in files
        if isinstance(memories := values.get(group), Mapping):
            values[group] = {key: tuple(one) if isinstance(one, list) else one for key, one in memories.items()}
    return CommitteeSettings(**values)
