"""A tagger for any language, learned from a tagged corpus."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.base.threads import n_threads
from casebase.data.arrays import as_integers
from casebase.data.folds import folds
from casebase.errors import CasebaseError, unknown_name
from casebase.progress import Progress
from casebase.tagging.case_bases import CaseBases, Reason, TaggerSettings, Tagging, checked_beam, fit
from casebase.tagging.committee import Committee, CommitteeSettings, settings_from
from casebase.tagging.committee import fit as fit_committee
from casebase.tagging.evidence import Context, TagEvidence
from casebase.tagging.features import Pattern
from casebase.tagging.files.tagger import load_tagger, save_tagger
from casebase.tagging.lexicon import Lexicon
from casebase.tagging.presets import COMMITTEES
from casebase.tagging.scores import TaggingScores, tagging_scores
from casebase.tagging.sentences import Sentences, sentences_of, texts_in

Given = Iterable[Sequence[Any]] | Sentences

# What two case bases are where nothing is said: MBT's choice.
CASE_BASES: dict[str, Any] = {
    "known": "ddfa",
    "unknown": "dFapsss",
    "known_learner": "igtree",
    "unknown_learner": "ib1",
    "known_options": {},
    "unknown_options": {},
    "n_frequent": 100,
}
SHARED: dict[str, Any] = {"ambiguity_threshold": 5, "hapax_limit": 5}
PARAMETERS = (*CASE_BASES, *SHARED, "committee", "beam", "compat", "n_jobs")
COMPAT = ("mbt",)
AROUND = 4  # words shown on either side of a token of the corpus


class Tagger:
    """Tag words as the sentences it has learned from were tagged.

    It is a committee of memories; or, if anything is said about them, two case bases, for known and for unknown words.

    Parameters
    ----------
    known, unknown : str or sequence of str, optional
        The features of words that are in the lexicon, and of words that are not: names, such as
        ``"tag-2 tag-1 ambitag ambitag+1"``, or letters of MBT's patterns, such as ``"ddfa"``.
    known_learner, unknown_learner : "igtree", "ib1" or "tribl", optional
        What the two case bases are.
    known_options, unknown_options : dict, optional
        Options of these learners, such as ``{"k": 3, "metric": "mvdm"}``.
    n_frequent : int, optional
        How many words, the most frequent ones, features of words of the two case bases tell apart; 0: all.
    ambiguity_threshold : int, optional
        The least share in per cent of a word's occurrences that a tag of its class has.
    hapax_limit : int, optional
        Words of at most so many occurrences are what is learned about unknown words; 0: all words.
    committee : "words", "chunks" or dict, optional
        The memories: the best ones found for words, or for chunks of words that have tags; or settings that replace
        some of those for words, such as ``{"known": {"word tag-1 ambitag+1": 1.0}}``.
    beam : int, default 1
        How many ways to tag a sentence are followed; 1 decides word by word.
    compat : None or "mbt"
        "mbt" tags as MBT 3.6 does, with two case bases.
    n_jobs : int, optional
        Threads; None for one, -1 for all cores.

    Attributes
    ----------
    lexicon_ : the words it has learned from, with their tags and their classes.
    n_words_ : how many different words it has learned from.
    tags_ : the tags that it gives.
    n_columns_ : how many columns beside the words it needs.
    abbreviations_ : the words that keep their full stop in running text.
    model_ : the frozen model behind it.

    Examples
    --------
    >>> tagger = Tagger().fit([[("The", "D"), ("dog", "N"), ("runs", "V")], [("The", "D"), ("run", "N")]])
    >>> tagger.tag(["The", "dog", "runs"])
    ['D', 'N', 'V']
    """

    def __init__(
        self,
        known: str | Sequence[str] | None = None,
        unknown: str | Sequence[str] | None = None,
        *,
        known_learner: str | None = None,
        unknown_learner: str | None = None,
        known_options: Mapping[str, Any] | None = None,
        unknown_options: Mapping[str, Any] | None = None,
        ambiguity_threshold: int | None = None,
        n_frequent: int | None = None,
        hapax_limit: int | None = None,
        committee: str | Mapping[str, Any] | None = None,
        beam: int = 1,
        compat: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.known = known
        self.unknown = unknown
        self.known_learner = known_learner
        self.unknown_learner = unknown_learner
        self.known_options = known_options
        self.unknown_options = unknown_options
        self.ambiguity_threshold = ambiguity_threshold
        self.n_frequent = n_frequent
        self.hapax_limit = hapax_limit
        self.committee = committee
        self.beam = beam
        self.compat = compat
        self.n_jobs = n_jobs
        self._trained_model: Tagging | None = None
        self._new_sentences: Sentences | None = None

    def get_params(self) -> dict[str, Any]:
        """Return the parameters it was made with."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def __repr__(self) -> str:
        defaults = Tagger().get_params()
        given = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"Tagger({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    @property
    def settings(self) -> TaggerSettings | CommitteeSettings:
        """How it learns: what was given, and the defaults for the rest."""
        if self.compat is not None and self.compat not in COMPAT:
            raise CasebaseError(unknown_name("compat", self.compat, COMPAT))
        said = [name for name in CASE_BASES if getattr(self, name) is not None]
        shared = {name: getattr(self, name) for name in SHARED if getattr(self, name) is not None}
        if self.compat is None and not said:
            return committee_settings(self.committee, shared)
        if self.committee is not None:
            raise CasebaseError(
                f"A tagger is a committee or two case bases: committee cannot be given together with "
                f"{said[0] if said else 'compat'}."
            )
        made = CASE_BASES | SHARED | {name: getattr(self, name) for name in said} | shared
        patterns = {name: Pattern.parse(made[name]) for name in ("known", "unknown")}
        return TaggerSettings(**made | patterns, as_mbt=self.compat == "mbt")

    def fit(self, sentences: Given) -> Self:
        """Learn from tagged sentences: lists of (word, tag), or of (word, further columns …, tag)."""
        checked_beam(self.beam)
        settings = self.settings
        corpus = sentences_of(sentences, tagged=True)
        if isinstance(settings, CommitteeSettings):
            self._trained_model, self._new_sentences = fit_committee(corpus, settings, n_jobs=self._n_threads), None
        else:
            self._trained_model, self._new_sentences = fit(corpus, settings), None
        return self

    @property
    def model_(self) -> Tagging:
        """What was learned until now."""
        if self._trained_model is None:
            raise CasebaseError("This Tagger has learned nothing yet. Call fit with tagged sentences.")
        if self._new_sentences is not None:
            corpus = self._trained_model.corpus.and_then(self._new_sentences)
            self._trained_model, self._new_sentences = self._trained_model.retrain(corpus), None
        return self._trained_model

    @property
    def lexicon_(self) -> Lexicon:
        """The words it has learned from, with their tags and their classes."""
        return self.model_.lexicon

    @property
    def n_words_(self) -> int:
        """How many different words it has learned from."""
        return len(self.lexicon_)

    @property
    def tags_(self) -> list[str]:
        """The tags that it gives."""
        tags: list[str] = self.lexicon_.tags.values.to_pylist()
        return tags

    @property
    def n_columns_(self) -> int:
        """How many columns beside the words it needs; 0 where words are enough."""
        return self.model_.n_columns

    @property
    def abbreviations_(self) -> frozenset[str]:
        """The words it has learned that end in a full stop and have a letter."""
        words = self.lexicon_.words.values
        return frozenset(words.filter(pc.match_substring_regex(words, r"\p{L}.*\.$")).to_pylist())

    def tag(self, words: Sequence[Any]) -> list[str]:
        """Return the tags of one sentence, a list of words (or of (word, further columns …)), one tag a word."""
        return self.tag_many([words])[0]

    def tag_many(self, sentences: Given) -> list[list[str]]:
        """Return the tags of many sentences, a list for each."""
        given = _as_untagged(sentences)
        return given.lists(self._tags(given))

    def tag_sentences(self, sentences: Sentences) -> list[str]:
        """Return the tags of all words, sentence after sentence."""
        return texts_in(self._tags(_as_untagged(sentences)))

    def _tags(self, given: Sentences) -> pa.DictionaryArray:
        model = self.model_
        codes = model.tag(given, beam=self.beam, n_jobs=self._n_threads)
        return pa.DictionaryArray.from_arrays(as_integers(codes.astype(np.int32)), model.lexicon.tags.values)

    def knows(self, sentences: Given) -> np.ndarray:
        """Return for every token, sentence after sentence, whether its word is in the lexicon."""
        return self.model_.is_known(_as_untagged(sentences))

    def evaluate(self, sentences: Given) -> TaggingScores:
        """Return how well it tags sentences of which the right tags are given."""
        actual = sentences_of(sentences, tagged=True)
        answered, is_known, seconds = self._time_tagging(actual)
        return tagging_scores(actual, answered, is_known, seconds=seconds)

    def cross_validate(
        self,
        sentences: Given,
        n_folds: int = 10,
        *,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> TaggingScores:
        """Return how well sentences are tagged by a tagger that has learned from the others, fold by fold.

        Taggers with the parameters of this one are fitted; it stays as it is. `progress` is called with the
        number of sentences tagged and of all.
        """
        actual = sentences_of(sentences, tagged=True)
        fold = folds(np.zeros(actual.n_sentences, dtype=np.int64), n_folds, seed, of="sentences")
        parts, answered, is_known, seconds = [], [], [], 0.0
        for i in range(n_folds):
            held_out = actual.take(np.flatnonzero(fold == i))
            trained = Tagger(**self.get_params()).fit(actual.take(np.flatnonzero(fold != i)))
            tags, known, spent = trained._time_tagging(held_out)
            parts.append(held_out)
            answered += tags
            is_known.append(known)
            seconds += spent
            if progress:
                progress(sum(part.n_sentences for part in parts), actual.n_sentences)
        everything = parts[0]
        for part in parts[1:]:
            everything = everything.and_then(part)
        return tagging_scores(everything, answered, np.concatenate(is_known), seconds=seconds)

    def _time_tagging(self, actual: Sentences) -> tuple[list[str], np.ndarray, float]:
        given = actual.untagged()
        is_known = self.knows(given)
        start = time.perf_counter()
        answered = self.tag_sentences(given)
        return answered, is_known, time.perf_counter() - start

    def explain(self, words: Sequence[Any], limit: int = 5) -> list[TagEvidence]:
        """Return for every word of a sentence why it has its tag, with at most `limit` places in the corpus.

        The tags are those that are given word by word: a beam may decide otherwise.
        """
        given = _as_untagged([words])
        if not given.n_tokens:
            return []
        corpus = self.model_.corpus
        return [_evidence(reason, corpus, limit) for reason in self.model_.reasons(given, limit)]

    def learn(self, sentence: Sequence[Any]) -> Self:
        """Add a corrected sentence, a list of (word, tag): all is then as if it had been the corpus's last one.

        What follows from it is worked out when it is next asked for, for all new sentences at once.
        """
        return self.learn_many([sentence])

    def learn_many(self, sentences: Given) -> Self:
        """Add corrected sentences: all is then as if they had been the last ones of the corpus."""
        corpus = (self._trained_model if self._trained_model is not None else self.model_).corpus
        more = sentences_of(sentences, tagged=True, n_extra=len(corpus.extra))
        self._new_sentences = more if self._new_sentences is None else self._new_sentences.and_then(more)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tagger, with the corpus it has learned from, to a file; `casebase.load` reads it."""
        save_tagger(path, self.model_, {"beam": checked_beam(self.beam)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the tagger that was saved to a file."""
        return cls._of(*load_tagger(path))

    @classmethod
    def _of(cls, model: Tagging, parameters: Mapping[str, Any]) -> Self:
        given: dict[str, Any]
        if isinstance(model, CaseBases):
            settings = model.settings
            given = {name: getattr(settings, name) for name in (*CASE_BASES, *SHARED)}
            given |= {name: given[name].text for name in ("known", "unknown")}
            given["compat"] = "mbt" if settings.as_mbt else None
        else:
            assert isinstance(model, Committee)
            names = [name for name in COMMITTEES if committee_settings(name, {}) == model.settings]
            given = {"committee": names[0] if names else vars(model.settings)}
        tagger = cls(**given, beam=checked_beam(parameters.get("beam", 1)))
        tagger._trained_model = model
        return tagger

    @property
    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)


def committee_settings(given: str | Mapping[str, Any] | None, others: Mapping[str, Any]) -> CommitteeSettings:
    """Return the settings of a committee: by name, or as changes to those of words."""
    name = given if isinstance(given, str) else "words"
    if name not in COMMITTEES:
        raise CasebaseError(unknown_name("committee", name, COMMITTEES))
    changes = {} if given is None or isinstance(given, str) else given
    if not isinstance(changes, Mapping):
        raise CasebaseError(f"committee is one of {', '.join(COMMITTEES)}, or a dict of settings; got {given!r}.")
    return settings_from({**changes, **others}, COMMITTEES[name])


def _evidence(reason: Reason, corpus: Sentences, limit: int) -> TagEvidence:
    contexts = tuple(_context(corpus, int(token)) for token in reason.tokens[:limit])
    return TagEvidence(reason.word, reason.tag, reason.is_known, reason.evidence, contexts, reason.n_tokens)


def _context(corpus: Sentences, token: int) -> Context:
    sentence = int(np.searchsorted(corpus.first, token, side="right")) - 1
    begin = max(int(corpus.first[sentence]), token - AROUND)
    end = min(int(corpus.first[sentence + 1]), token + AROUND + 1)
    assert corpus.tags is not None
    words = tuple(corpus.words[begin:end].to_pylist())
    return Context(words, token - begin, corpus.tags[token].as_py(), sentence)


_NOTHING = Sentences(pa.array([], pa.string()).dictionary_encode(), np.zeros(1, np.int64))


def _as_untagged(sentences: Given) -> Sentences:
    """Return sentences to be tagged; unlike those to learn from, there may be none, or empty ones."""
    if not isinstance(sentences, Sentences):
        sentences = list(sentences)
        if not any(isinstance(one, str) or not isinstance(one, Sequence) or len(one) for one in sentences):
            return replace(_NOTHING, first=np.zeros(len(sentences) + 1, np.int64))
    elif not sentences.n_tokens:
        return sentences.untagged()
    return sentences_of(sentences, tagged=False)
