"""A tagger: a lexicon, a case base for the words that are in it, and one for the words that are not.

Words are tagged from left to right. A word of the lexicon is looked up in the first case base, with the ambiguity class
it may have among its features; any other word is looked up in the second one, which was trained on rare words. The tags
so far are features of the words that follow. The loop is in the compiled core; this module prepares its input.

Reference: Daelemans, Zavrel, Berck, Gillis, "MBT: a memory-based part of speech tagger-generator" (1996); the case
bases as in Daelemans, Van den Bosch, Zavrel, "A feature-relevance heuristic for indexing and compressing large case
bases", section 3.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase import _native
from casebase.base.answers import Preference
from casebase.base.evidence import Evidence, Explanation, TreeEvidence
from casebase.base.trees import Tree
from casebase.data import Cases, Schema, Vocabulary
from casebase.data.arrays import as_integers, as_numpy
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.measures.distances import BY_CLASSES, BY_LETTERS
from casebase.neighbours import ib1, igtree, tribl
from casebase.neighbours.evidence import NeighbourEvidence
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.igtree import IGTree
from casebase.neighbours.tribl import TRIBL
from casebase.tagging.features import (
    OUTSIDE,
    Describer,
    Pattern,
    TagFeature,
    Text,
    columns_of,
    columns_used,
    empty_text,
    feature_values,
    instances,
    merge_equal,
    questions,
    text_with_columns,
)
from casebase.tagging.lexicon import Lexicon, checked_percentage, lexicon_of
from casebase.tagging.sentences import Sentences

WIDEST_BEAM = 2**31 - 1
LEARNERS = {"igtree": igtree, "ib1": ib1, "tribl": tribl}
WordModel = IGTree | IB1 | TRIBL


@dataclass(frozen=True)
class TaggerSettings:
    """The settings of a tagger of two case bases.

    The case base of unknown words is trained on words of at most `hapax_limit` occurrences (0: all words); word
    features distinguish the `n_frequent` most frequent words (0: all). `as_mbt` follows MBT 3.6 where it departs from
    the best choice: words are bytes, and ties and the order of features are TiMBL's.
    """

    known: Pattern
    unknown: Pattern
    known_learner: str = "igtree"
    unknown_learner: str = "ib1"
    known_options: Mapping[str, Any] = field(default_factory=dict)
    unknown_options: Mapping[str, Any] = field(default_factory=dict)
    ambiguity_threshold: int = 5
    n_frequent: int = 100
    hapax_limit: int = 5
    as_mbt: bool = False

    def __post_init__(self) -> None:
        if any(feature.kind == "wordtag" for pattern in (self.known, self.unknown) for feature in pattern.features):
            raise CasebaseError("The feature 'wordtag' is for committees; case bases have word and tag.")
        checked_percentage(self.ambiguity_threshold)
        _check_number(self.n_frequent, "n_frequent is how many words features of words tell apart")
        _check_number(self.hapax_limit, "hapax_limit is how often a word occurs at most that stands for unknown ones")
        word_settings(self.known_learner, self.known_options, self.as_mbt)
        word_settings(self.unknown_learner, self.unknown_options, self.as_mbt)

    def for_columns(self, n: int) -> "TaggerSettings":
        """Return the settings for an enriched corpus: MBT adds its columns as features to both case bases."""
        if not self.as_mbt or not n:
            return self
        return replace(self, known=self.known.with_columns(n), unknown=self.unknown.with_columns(n))


@dataclass(frozen=True, eq=False)
class Reason:
    """The evidence for a tag, the training tokens that decided, and those against them, the most relevant first.

    There are `n_tokens` that have the tag, and `n_against` with other tags; the lists may have only the first ones.
    """

    word: str
    tag: str
    is_known: bool
    evidence: Explanation
    tokens: np.ndarray
    n_tokens: int
    against: np.ndarray
    n_against: int


class Tagging(Protocol):
    """The interface of a tagging model."""

    @property
    def lexicon(self) -> Lexicon: ...
    @property
    def corpus(self) -> Sentences: ...
    @property
    def has_corpus(self) -> bool:
        """Whether it has its corpus; a tagger may be saved without."""

    @property
    def n_words(self) -> int:
        """The number of different words of the corpus."""

    @property
    def words(self) -> pa.Array:
        """The different words of the corpus."""

    @property
    def n_columns(self) -> int:
        """The number of columns beside the words that its features use."""

    def is_known(self, sentences: Sentences) -> np.ndarray:
        """Return for every token whether its word is in the lexicon."""

    def tag(self, sentences: Sentences, *, beam: int = 1, n_jobs: int = 1) -> np.ndarray:
        """Return the index of the tag of each token."""

    def tag_with_doubts(self, sentences: Sentences, *, beam: int = 1, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the index of the tag of each token, and how much speaks for other tags: a score from 0 to 1."""

    def reasons(self, sentences: Sentences, limit: int, tokens: Sequence[int] | None = None) -> list[Reason]:
        """Return the reason for the tag of each token, or of some, decided word by word, with `limit` examples."""

    def without_corpus(self) -> Self:
        """Return a model that tags the same, and has nothing of its corpus but its lexicon."""

    def retrain(self, sentences: Sentences) -> Self:
        """Train a model with the same settings on another corpus."""


@dataclass(frozen=True, eq=False)
class CaseBases:
    """A lexicon, a case base for its words, one for all other words, and the training corpus."""

    settings: TaggerSettings
    lexicon: Lexicon
    known: WordModel
    unknown: WordModel
    text: Text
    tag_of: np.ndarray

    @property
    def tags(self) -> Vocabulary:
        return self.lexicon.tags

    @property
    def n_columns(self) -> int:
        """The number of columns beside the words that its features use."""
        return columns_used((*self.settings.known.features, *self.settings.unknown.features))

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
    def describer(self) -> Describer:
        return describer_of(self.lexicon, self.settings)

    @cached_property
    def _bases(self) -> tuple["_BoundCaseBase", "_BoundCaseBase"]:
        tags = self.lexicon.tags
        return _BoundCaseBase(self.settings.known, self.known, tags), _BoundCaseBase(
            self.settings.unknown, self.unknown, tags
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy; the copy rebuilds the compiled parts."""
        return {name: value for name, value in self.__dict__.items() if name != "_bases"}

    def text_of(self, sentences: Sentences) -> Text:
        """Return sentences with their words as indices."""
        return text_with_columns(sentences, self.lexicon, self.n_columns)

    def is_known(self, sentences: Sentences) -> np.ndarray:
        """Return for every token whether its word is in the lexicon."""
        return Text.of(sentences, self.lexicon).is_known

    def tag(self, sentences: Sentences, *, beam: int = 1, n_jobs: int = 1) -> np.ndarray:
        """Return the index of the tag of each token."""
        return self._tag(self.text_of(sentences), beam, n_jobs)

    def _tag(self, text: Text, beam: int, n_jobs: int) -> np.ndarray:
        which = np.where(text.is_known, 0, 1).astype(np.uint8)
        arguments = [base.arguments(self.describer, text) for base in self._bases]
        first = text.first.astype(np.uint64)
        return _native.tag_text(arguments, first, which, len(self.tags), checked_beam(beam), n_jobs)

    def tag_with_doubts(self, sentences: Sentences, *, beam: int = 1, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the index of the tag of each token, and the share of other tags in the votes, with one more for them.

        So a tag that one stored case supports has more doubt than one that a thousand support.
        """
        text = self.text_of(sentences)
        tags = self._tag(text, beam, n_jobs)
        doubts = np.empty(len(tags))
        for is_known, bound in zip((True, False), self._bases):
            rows = np.flatnonzero(text.is_known == is_known)
            pattern, model = self.base(is_known)
            answers = model.answer(questions(pattern, self.describer, model.schema, text, tags, rows), n_jobs=n_jobs)
            token = np.repeat(np.arange(len(rows)), answers.n_votes)
            is_own = bound.tag_of_class[answers.vote_label] == tags[rows][token]
            total = np.bincount(token, answers.votes, minlength=len(rows))
            own = np.bincount(token, answers.votes * is_own, minlength=len(rows))
            doubts[rows] = (total - own + 1.0) / (total + 1.0)
        return tags, doubts

    def retrain(self, sentences: Sentences) -> "CaseBases":
        """Train a model with the same settings on another corpus."""
        return fit_by(sentences, self.settings, self.known.settings, self.unknown.settings)

    def without_corpus(self) -> "CaseBases":
        """Return a tagger that tags the same, and cannot be corrected or show where in the corpus its evidence is."""
        return replace(self, text=empty_text(self.text), tag_of=self.tag_of[:0])

    def base(self, is_known: bool) -> tuple[Pattern, WordModel]:
        """Return the pattern and the model for words of the lexicon, or for all others."""
        return (self.settings.known, self.known) if is_known else (self.settings.unknown, self.unknown)

    def explaining(self, is_known: bool) -> WordModel:
        """Return the model of `base` for explanations: the ids of its cases are tokens of the corpus."""
        return self.base(is_known)[1]

    def reasons(self, sentences: Sentences, limit: int, tokens: Sequence[int] | None = None) -> list[Reason]:
        """Return the reason for the tag of each token, or of some, decided word by word, with `limit` examples."""
        text = self.text_of(sentences)
        tags = self._tag(text, 1, 1)
        return [self._reason(text, tags, token, limit) for token in (range(len(tags)) if tokens is None else tokens)]

    def _reason(self, text: Text, tags: np.ndarray, token: int, limit: int) -> Reason:
        is_known = bool(text.is_known[token])
        pattern, model = self.base(is_known)
        query = questions(pattern, self.describer, model.schema, text, tags, np.array([token]))
        model = self.explaining(is_known)
        evidence: Evidence = model.explain(query, limit=limit)[0]
        own_tag = self.tags.code(evidence.label)
        if isinstance(evidence, NeighbourEvidence) and not isinstance(model, IGTree):
            tokens, n_cases = self._deciding_tokens(model, query, evidence.n_neighbours)
        else:
            assert isinstance(evidence, TreeEvidence)
            tokens = self.tokens_with(is_known, {step.feature: step.value for step in evidence.path if step.feature})
            is_other_word = self.text.word[tokens] != text.lexical[text.word[token]]
            tokens, n_cases = tokens[np.lexsort((tokens, is_other_word))], np.ones(len(tokens))
        is_own = self.tag_of[tokens] == own_tag
        return Reason(
            text.words[int(text.word[token])].as_py(),
            str(evidence.label),
            is_known,
            evidence,
            tokens[is_own],
            int(n_cases[is_own].sum()),
            tokens[~is_own],
            int(n_cases[~is_own].sum()),
        )

    def _deciding_tokens(self, model: IB1 | TRIBL, query: Cases, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the first token of each of the n neighbours that voted, by distance, and its number of equal cases."""
        memory, voters = (model if isinstance(model, IB1) else model.below).memory, model.deciding(query)
        rows, group = voters.rows[:n], np.repeat(np.arange(len(voters.n_rows)), voters.n_rows)[:n]
        rows = rows[np.lexsort((memory.given(rows), group))]
        counts = memory.counts(rows)
        return memory.ids(rows).astype(np.int64), np.ones(len(rows)) if counts is None else counts

    def training_tokens(self, is_known: bool) -> np.ndarray:
        """Return the training tokens of the case base of known, or of unknown words."""
        return training_rows(self.lexicon, self.text.word, self.settings)[0 if is_known else 1]

    def tokens_with(self, is_known: bool, values: Mapping[str, Any]) -> np.ndarray:
        """Return the training tokens whose cases have these values, by feature name."""
        pattern, _ = self.base(is_known)
        rows = self.training_tokens(is_known)
        for feature in pattern.features:
            if feature.name not in values:
                continue
            texts, entries = feature_values(feature, self.describer, self.text)
            is_match = as_numpy(pc.equal(texts, values[feature.name]).cast(pa.uint8())).astype(bool)
            entries = self.tag_of if entries is None else entries
            rows = rows[is_match[self.text.shifted(entries, feature.offset, len(texts) - 1, rows)]]
        return rows


def _dictionary(codes: np.ndarray, texts: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(as_integers(codes.astype(np.int32)), texts)


def sentences_from(text: Text, tag_of: np.ndarray, tags: Vocabulary) -> Sentences:
    """Return the sentences of a text and the indices of its tags."""
    return Sentences(
        _dictionary(text.word, text.words),
        text.first,
        _dictionary(tag_of, tags.values),
        tuple(_dictionary(entries, texts) for texts, entries in text.columns),
    )


def describer_of(lexicon: Lexicon, settings: TaggerSettings) -> Describer:
    is_frequent = lexicon.most_frequent(settings.n_frequent) if settings.n_frequent else None
    return Describer(lexicon, is_frequent, settings.as_mbt, is_frequent)


def training_rows(lexicon: Lexicon, word: np.ndarray, settings: TaggerSettings) -> tuple[np.ndarray, np.ndarray]:
    """Return the training tokens of the two case bases: all, and those of rare words."""
    return np.arange(len(word)), rare_tokens(lexicon, word, settings.hapax_limit)


def rare_tokens(lexicon: Lexicon, word: np.ndarray, hapax_limit: int) -> np.ndarray:
    """Return the tokens of words with at most `hapax_limit` occurrences; all if it is 0 or no word is that rare."""
    return np.flatnonzero(are_rare(lexicon, hapax_limit)[word])


def are_rare(lexicon: Lexicon, hapax_limit: int) -> np.ndarray:
    """Return which words have at most `hapax_limit` occurrences; all if it is 0 or no word is that rare."""
    is_rare: np.ndarray = lexicon.frequency <= hapax_limit
    return is_rare if hapax_limit and is_rare.any() else np.ones(len(lexicon), dtype=bool)


def fit(sentences: Sentences, settings: TaggerSettings) -> CaseBases:
    """Train a tagger on tagged sentences."""
    known = word_settings(settings.known_learner, settings.known_options, settings.as_mbt)
    unknown = word_settings(settings.unknown_learner, settings.unknown_options, settings.as_mbt)
    return fit_by(sentences, settings, known, unknown)


def fit_by(sentences: Sentences, settings: TaggerSettings, of_known: Any, of_unknown: Any) -> CaseBases:
    """Train a tagger whose case bases have these settings: those of a loaded model may differ from the defaults."""
    settings = settings.for_columns(len(sentences.extra))
    lexicon, word, tag = lexicon_of(sentences, settings.ambiguity_threshold)
    describer = describer_of(lexicon, settings)
    text = Text(lexicon.words.values, word, sentences.first, np.arange(len(lexicon)), columns_of(sentences))
    patterns = (settings.known, settings.unknown)
    known, unknown = (
        merge_equal(instances(pattern, describer, text, tag, rows, is_named=not settings.as_mbt))
        for pattern, rows in zip(patterns, training_rows(lexicon, word, settings))
    )
    return CaseBases(
        settings,
        lexicon,
        word_model(settings.known_learner, known, of_known),
        word_model(settings.unknown_learner, unknown, of_unknown),
        text,
        tag,
    )


def word_model(learner: str, cases: Cases, own: Any) -> WordModel:
    """Return one of the case bases, trained on merged cases."""
    model: WordModel = _learner(learner).fit(cases, own)
    check_comparisons(model)
    return model


def _learner(name: object) -> Any:
    if not isinstance(name, str) or name not in LEARNERS:
        raise CasebaseError(unknown_name("learner of a tagger", name, LEARNERS))
    return LEARNERS[name]


def word_settings(learner: str, options: Mapping[str, Any], as_mbt: bool) -> Any:
    """Check the options of a learner of words, and return its settings."""
    record = _learner(learner).Settings
    known = [name for name in record.public() if name not in ("compat", "keep_cases")]
    for name in options:
        if name not in known:
            raise CasebaseError(unknown_name(f"option of {learner}", name, known))
    # The tagger keeps its corpus, so a tree need not keep the cases.
    return record(**options, compat="timbl" if as_mbt else None).for_sample()


def check_comparisons(model: WordModel) -> None:
    """Refuse metrics on letters or numbers: the compiled loop builds queries from codes of symbols only."""
    kinds = {model.schema.features[position].kind for position in _order(model).tolist()}
    metrics = () if isinstance(model, IGTree) else (model if isinstance(model, IB1) else model.below).comparing.metrics
    by_letters = [metric for metric in metrics if metric in BY_LETTERS]
    if by_letters or kinds != {"symbolic"}:
        raise CasebaseError(
            "A tagger compares symbols, by whether they are equal or by their classes: its metrics are overlap, "
            f"{', '.join(BY_CLASSES)} and ignored; got {by_letters[0] if by_letters else 'one of numbers'!r}."
        )


class _BoundCaseBase:
    """A case base for the compiled loop, with the sources of its features."""

    def __init__(self, pattern: Pattern, model: WordModel, tags: Vocabulary) -> None:
        self.schema: Schema = model.schema
        order = _order(model)
        self.features: list[tuple[TagFeature, Vocabulary]] = []
        for position in order.tolist():
            vocabulary = self.schema.features[position].vocabulary
            assert vocabulary is not None
            self.features.append((pattern.features[position], vocabulary))
        self.base = case_base(model)
        self.tag_of_class = tags.encode(pa.array(self.schema.classes, pa.string())).astype(np.uint32)
        texts = pa.concat_arrays([tags.values, pa.array([OUTSIDE], tags.values.type)])
        self.outside = {feature: known.encode_few([OUTSIDE]) for feature, known in self.features}
        self.tag_codes = {feature: known.encode(texts) for feature, known in self.features if feature.is_assigned}

    def arguments(self, describer: Describer, text: Text) -> tuple[Any, list[Any], np.ndarray]:
        """Return the case base, the sources of its features in a text, and the tag of each class."""
        sources: list[Any] = []
        for feature, known in self.features:
            if feature.is_assigned:
                sources.append((None, feature.offset, self.tag_codes[feature]))
                continue
            codes = np.append(describer.codes(feature, text, known), self.outside[feature])
            sources.append((text.entries(feature).astype(np.uint32), feature.offset, codes))
        return self.base, sources, self.tag_of_class


def _order(model: WordModel) -> np.ndarray:
    if isinstance(model, IGTree):
        return model.order
    return model.memory.order if isinstance(model, IB1) else model.below.memory.order


def case_base(model: WordModel) -> _native.CaseBase:
    """Return a model as a case base of the compiled core, which queries it token by token."""
    if isinstance(model, IGTree):
        return _base(len(model.order), model.tree, len(model.order), None, model.preference)
    below, tree = (model, None) if isinstance(model, IB1) else (model.below, model.tree)
    n_levels = 0 if isinstance(model, IB1) else model.switch
    return _base(len(below.memory.order), tree, n_levels, below, below.voting.preference)


def _base(
    n_features: int, tree: Tree | None, n_levels: int, below: IB1 | None, preference: Preference
) -> _native.CaseBase:
    arrays = None
    if tree is not None:
        arrays = _native.TreeOfArrays(
            tree.first_child, tree.value, tree.label, tree.first_count, tree.count_label, tree.count
        )
    cases = None if below is None else _cases(below, retries_exact=tree is None)
    search = None if below is None else below.nearby.search
    return _native.CaseBase(n_features, arrays, n_levels, cases, search, preference.frequency, preference.rank)


def _cases(model: IB1, *, retries_exact: bool) -> _native.CasesOfArrays:
    voting, metric = model.voting, model.metric
    vote = "exponential_above_zero" if voting.quirks.votes_above_zero and voting.vote == "exponential" else voting.vote
    segments = [(segment.labels, segment.counts) for segment in model.memory.segments]
    return _native.CasesOfArrays(
        model.nearby.search,
        metric.weights[0],
        metric.ranges[0],
        metric.sum_order[0],
        segments,
        model.memory.n_cases,
        voting.k,
        voting.exact_match,
        vote,
        retries_exact,
        voting.decay.alpha,
        voting.decay.beta,
    )


def _check_number(number: object, what: str) -> None:
    if not is_whole(number, 0):
        raise CasebaseError(f"{what}: a whole number, 0 for all; got {number!r}.")


def checked_beam(beam: object) -> int:
    if not is_whole(beam, 1, WIDEST_BEAM):
        raise CasebaseError(
            f"beam is the number of paths that are followed, a whole number of at least 1; got {beam!r}. "
            f"It is at most {WIDEST_BEAM}."
        )
    return int(beam)
