"""A tagger for any language, learned from a tagged corpus."""

import itertools
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.base.files import CheckedArrays, Header, Target
from casebase.base.log import Entry, Log, log_with
from casebase.base.state import StateIsFile
from casebase.base.threads import n_threads
from casebase.data.arrays import as_integers, as_strings
from casebase.data.checks import is_whole
from casebase.data.folds import folds
from casebase.errors import CasebaseError, unknown_name
from casebase.progress import Progress
from casebase.tagging.calibration import Calibration, calibrate
from casebase.tagging.case_bases import CaseBases, Reason, TaggerSettings, Tagging, checked_beam, fit
from casebase.tagging.committee import Committee, CommitteeSettings, settings_from
from casebase.tagging.committee import fit as fit_committee
from casebase.tagging.evidence import Context, TagEvidence
from casebase.tagging.features import Pattern
from casebase.tagging.files.tagger import save_tagger, tagger_from
from casebase.tagging.lexicon import Lexicon
from casebase.tagging.live import LiveTagger, corrected
from casebase.tagging.presets import COMMITTEES
from casebase.tagging.revisions import Revision, checked_place, rows_of
from casebase.tagging.scores import TaggingScores, tagging_scores
from casebase.tagging.sentences import Sentences, codes_in, sentences_of, texts_in

SentencesLike = Iterable[Sequence[Any]] | Sentences

# The defaults of a tagger of two case bases: those of MBT.
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
AROUND = 4  # words shown on each side of a token of the corpus


class Tagger(StateIsFile):
    """Tag the words of sentences, after training on tagged sentences.

    By default it is a committee of memories. If a parameter of case bases is given, it has two case bases instead, for
    known and for unknown words.

    Parameters
    ----------
    known, unknown : str or sequence of str, optional
        The features of words that are in the lexicon, and of words that are not: names, such as
        ``"tag-2 tag-1 ambitag ambitag+1"``, or letters of MBT's patterns, such as ``"ddfa"``.
    known_learner, unknown_learner : "igtree", "ib1" or "tribl", optional
        The learners of the two case bases.
    known_options, unknown_options : dict, optional
        Options of these learners, such as ``{"k": 3, "metric": "mvdm"}``.
    n_frequent : int, optional
        The number of most frequent words that the word features of the two case bases distinguish; 0: all.
    ambiguity_threshold : int, optional
        The minimum share, in per cent of a word's occurrences, of a tag in its ambiguity class.
    hapax_limit : int, optional
        The maximum number of occurrences of the rare words that unknown words are learned from; 0: all words.
    committee : "words", "chunks" or dict, optional
        The memories: the best ones found for words, or for chunks of words that have tags; or settings that replace
        some of those for words, such as ``{"known": {"word tag-1 ambitag+1": 1.0}}``.
    beam : int, default 1
        The width of the beam search over the tags of a sentence; 1 decides word by word.
    compat : None or "mbt"
        "mbt" tags as MBT 3.6 does, with two case bases.
    n_jobs : int, optional
        Threads; None for one, -1 for all cores.

    Attributes
    ----------
    lexicon_ : the training words, with their tags and their ambiguity classes.
    n_words_ : the number of different training words.
    tags_ : the tags of the training corpus.
    n_columns_ : the number of columns that it needs beside the words.
    abbreviations_ : the words that keep their full stop in running text.
    model_ : the immutable model.
    calibration_ : how often tags with as much support were right on held-out sentences.

    Examples
    --------
    >>> tagger = Tagger().fit([[("The", "D"), ("dog", "N"), ("runs", "V")], [("The", "D"), ("run", "N")]])
    >>> tagger.tag(["The", "dog", "runs"])
    ['D', 'N', 'V']
    """

    _in_file: ClassVar[frozenset[str]] = frozenset(
        {"_trained_model", "_revision", "_live", "_is_trained", "_calibration", "_has_old_calibration", "_log"}
    )

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
        self._revision: Revision | None = None  # the corpus after corrections
        self._live: LiveTagger | None = None  # the model of this revision, if it could be corrected
        self._is_trained = True  # whether the trained model is that of this revision
        self._calibration: Calibration | None = None
        self._has_old_calibration = False
        self._log: tuple[Entry, ...] = ()

    def get_params(self) -> dict[str, Any]:
        """Return the parameters of the constructor."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def __repr__(self) -> str:
        defaults = Tagger().get_params()
        changes = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"Tagger({', '.join(f'{name}={value!r}' for name, value in changes.items())})"

    @property
    def settings(self) -> TaggerSettings | CommitteeSettings:
        """The settings for training: the given parameters, and defaults for the others."""
        if self.compat is not None and self.compat not in COMPAT:
            raise CasebaseError(unknown_name("compat", self.compat, COMPAT))
        names = [name for name in CASE_BASES if getattr(self, name) is not None]
        shared = {name: getattr(self, name) for name in SHARED if getattr(self, name) is not None}
        if self.compat is None and not names:
            return committee_settings(self.committee, shared)
        if self.committee is not None:
            raise CasebaseError(
                f"A tagger is a committee or two case bases: committee cannot be given together with "
                f"{names[0] if names else 'compat'}."
            )
        values = CASE_BASES | SHARED | {name: getattr(self, name) for name in names} | shared
        patterns = {name: Pattern.parse(values[name]) for name in ("known", "unknown")}
        return TaggerSettings(**values | patterns, as_mbt=self.compat == "mbt")

    def fit(self, sentences: SentencesLike) -> Self:
        """Learn from tagged sentences: lists of (word, tag), or of (word, further columns …, tag)."""
        checked_beam(self.beam)
        settings = self.settings
        corpus = sentences_of(sentences, tagged=True)
        if isinstance(settings, CommitteeSettings):
            self._trained_model = fit_committee(corpus, settings, n_jobs=self._n_threads)
        else:
            self._trained_model = fit(corpus, settings)
        self._revision, self._live, self._is_trained = None, None, True
        self._calibration, self._log = None, ()
        return self

    @property
    def model_(self) -> Tagging:
        """The model, trained on the corpus as it is after all corrections."""
        model = self._first_model
        if not self._is_trained:
            assert self._revision is not None
            model = self._trained_model = model.retrain(self._revision.corpus)
            self._is_trained = True
        return model

    @property
    def _first_model(self) -> Tagging:
        """The trained model, which may be older than the last corrections."""
        if self._trained_model is None:
            raise CasebaseError("This Tagger has learned nothing yet. Call fit with tagged sentences.")
        return self._trained_model

    @property
    def _asked(self) -> Tagging:
        """The model that is asked: after corrections it answers as the one that a training would give."""
        model: Any = self.model_ if self._live is None or self._is_trained else self._live
        asked: Tagging = model
        return asked

    @property
    def calibration_(self) -> Calibration:
        """How often tags with as much support were right on held-out sentences of the corpus.

        It is measured when a confidence is first asked for, or when the tagger is saved, and again after `learn`.
        """
        model = self._asked
        if self._calibration is None:
            self._calibration = calibrate(model, n_jobs=self._n_threads)
        return self._calibration

    @property
    def lexicon_(self) -> Lexicon:
        """The training words, with their tags and their ambiguity classes."""
        return self.model_.lexicon

    @property
    def n_words_(self) -> int:
        """The number of different training words."""
        return self._asked.n_words

    @property
    def tags_(self) -> list[str]:
        """The tags of the training corpus."""
        tags: list[str] = self._asked.lexicon.tags.values.to_pylist()
        return tags

    @property
    def n_columns_(self) -> int:
        """The number of columns that it needs beside the words; 0 if words are enough."""
        return self._asked.n_columns

    @property
    def abbreviations_(self) -> frozenset[str]:
        """The training words that have a letter and end in a full stop."""
        words = self._asked.words
        return frozenset(words.filter(pc.match_substring_regex(words, r"\p{L}.*\.$")).to_pylist())

    def summary(self) -> dict[str, Any]:
        """Return what the tagger is: the size of its corpus, its parameters, and its tags by frequency."""
        corpus, names, counts = self._asked.corpus, self.tags_, self._n_of_tags
        if corpus.n_tokens:
            assert corpus.tags is not None
            codes, first = np.unique(codes_in(corpus.tags), return_index=True)
            met = dict(zip(corpus.tags.dictionary.take(pa.array(codes)).to_pylist(), first.tolist()))
        by_frequency = sorted(
            range(len(names)), key=lambda tag: (-counts[tag], met[names[tag]] if corpus.n_tokens else 0)
        )
        return {
            "learner": "tagger",
            "n_sentences": corpus.n_sentences if corpus.n_tokens else None,
            "n_tokens": int(counts.sum()),
            "n_words": self.n_words_,
            "n_columns": self.n_columns_,
            "parameters": {name: value for name, value in self.get_params().items() if value is not None},
            "tags": [{"tag": names[tag], "frequency": int(counts[tag])} for tag in by_frequency],
        }

    @property
    def _n_of_tags(self) -> np.ndarray:
        """How often each tag occurs."""
        lexicon = self._asked.lexicon
        return np.bincount(lexicon.tag, lexicon.count, minlength=len(lexicon.tags)).astype(np.int64)

    @overload
    def tag(self, words: Sequence[Any], *, confidence: Literal[False] = False) -> list[str]: ...
    @overload
    def tag(self, words: Sequence[Any], *, confidence: Literal[True]) -> list[tuple[str, float | None]]: ...
    def tag(self, words: Sequence[Any], *, confidence: bool = False) -> list[str] | list[tuple[str, float | None]]:
        """Return the tags of one sentence, a list of words (or of (word, further columns …)), one tag per word.

        With `confidence=True`, return pairs of a tag and how often such a tag is right, from 0 to 1: measured on
        held-out sentences of the training corpus, None if it was too small for that.
        """
        return self.tag_many([words], confidence=True)[0] if confidence else self.tag_many([words])[0]

    @overload
    def tag_many(self, sentences: SentencesLike, *, confidence: Literal[False] = False) -> list[list[str]]: ...
    @overload
    def tag_many(
        self, sentences: SentencesLike, *, confidence: Literal[True]
    ) -> list[list[tuple[str, float | None]]]: ...
    def tag_many(
        self, sentences: SentencesLike, *, confidence: bool = False
    ) -> list[list[str]] | list[list[tuple[str, float | None]]]:
        """Return the tags of many sentences, a list for each; with `confidence=True`, as pairs like those of `tag`."""
        text = _as_untagged(sentences)
        if not confidence:
            return text.lists(self._tags(text))
        codes, sure = self._tags_with_confidence(text)
        tags, begins = text.lists(self._named(codes)), text.first.tolist()
        return [list(zip(sentence, sure[begin:])) for sentence, begin in zip(tags, begins)]

    def _tags_with_confidence(self, text: Sentences) -> tuple[np.ndarray, list[float | None]]:
        """Return the tag of each token by index, and how often such a tag is right; None where not measured."""
        codes, doubts = self._asked.tag_with_doubts(text, beam=self.beam, n_jobs=self._n_threads)
        if not len(codes):
            return codes, []
        confidence, _ = self.calibration_.confidence(doubts, self._asked.is_known(text))
        return codes, [None if np.isnan(one) else one for one in confidence.tolist()]

    def tag_sentences(self, sentences: Sentences) -> list[str]:
        """Return the tags of all words, sentence after sentence."""
        return texts_in(self._tags(_as_untagged(sentences)))

    def _tags(self, sentences: Sentences) -> pa.DictionaryArray:
        return self._named(self._asked.tag(sentences, beam=self.beam, n_jobs=self._n_threads))

    def _named(self, codes: np.ndarray) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(as_integers(codes.astype(np.int32)), self._asked.lexicon.tags.values)

    def knows(self, sentences: SentencesLike) -> np.ndarray:
        """Return for each token, sentence after sentence, whether its word is in the lexicon."""
        return self._asked.is_known(_as_untagged(sentences))

    def evaluate(self, sentences: SentencesLike) -> TaggingScores:
        """Return the scores on tagged sentences."""
        actual = sentences_of(sentences, tagged=True)
        tags, is_known, seconds = self._time_tagging(actual)
        return tagging_scores(actual, tags, is_known, seconds=seconds)

    def cross_validate(
        self,
        sentences: SentencesLike,
        n_folds: int = 10,
        *,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> TaggingScores:
        """Return the scores of a cross-validation over sentences.

        It trains new taggers with the same parameters; this one does not change. `progress` is called with the number
        of sentences tagged so far and the number of all sentences.
        """
        actual = sentences_of(sentences, tagged=True)
        fold = folds(np.zeros(actual.n_sentences, dtype=np.int64), n_folds, seed, of="sentences")
        parts, answers, is_known, seconds = [], [], [], 0.0
        for i in range(n_folds):
            test = actual.take(np.flatnonzero(fold == i))
            tagger = Tagger(**self.get_params()).fit(actual.take(np.flatnonzero(fold != i)))
            tags, known, duration = tagger._time_tagging(test)
            parts.append(test)
            answers += tags
            is_known.append(known)
            seconds += duration
            if progress:
                progress(sum(part.n_sentences for part in parts), actual.n_sentences)
        in_fold_order = parts[0]
        for part in parts[1:]:
            in_fold_order = in_fold_order.and_then(part)
        return tagging_scores(in_fold_order, answers, np.concatenate(is_known), seconds=seconds)

    def _time_tagging(self, actual: Sentences) -> tuple[list[str], np.ndarray, float]:
        """Return the tag of each token, whether its word is known, and the seconds for tagging."""
        text = actual.untagged()
        is_known = self.knows(text)
        start = time.perf_counter()
        tags = self.tag_sentences(text)
        return tags, is_known, time.perf_counter() - start

    def explain(
        self, words: Sequence[Any], limit: int = 5, *, places: Sequence[int] | None = None
    ) -> list[TagEvidence]:
        """Return the evidence for the tag of each word of a sentence, or of those at some `places`, counted from 0.

        It has at most `limit` places in the corpus for the tag, and as many against it. It explains the decisions word
        by word (beam 1); a wider beam may choose other tags.
        """
        text = _as_untagged([words])
        asked = list(range(text.n_tokens) if places is None else places)
        if not all(is_whole(place, 0) and place < text.n_tokens for place in asked):
            raise CasebaseError(f"places are numbers of words, from 0 to {text.n_tokens - 1}; got {places!r}.")
        return self._explained(text, asked, limit)

    def explain_many(self, sentences: SentencesLike, limit: int = 5) -> list[list[TagEvidence]]:
        """Return the evidence for the tags of many sentences, as `explain` does for one, in less time."""
        text = _as_untagged(sentences)
        evidence = self._explained(text, range(text.n_tokens), limit)
        return [evidence[begin:end] for begin, end in itertools.pairwise(text.first.tolist())]

    def _explained(self, text: Sentences, tokens: Sequence[int], limit: int) -> list[TagEvidence]:
        """Return the evidence for the tags of some tokens of a text."""
        self._require_corpus("cannot show which places in the corpus decided")
        if not tokens:
            return []
        asked = list(tokens)
        corpus, reasons = self._asked.corpus, self._asked.reasons(text, limit, asked)
        _, doubts = self._asked.tag_with_doubts(text)
        is_known = self._asked.is_known(text)
        confidence, n_held_out = self.calibration_.confidence(doubts[asked], is_known[asked])
        by_all_words = self.calibration_.by_all_words(is_known[asked])
        return [
            _evidence(reason, None if np.isnan(sure) else sure, n, by_all, corpus, limit)
            for reason, sure, n, by_all in zip(reasons, confidence.tolist(), n_held_out.tolist(), by_all_words.tolist())
        ]

    def learn(self, sentence: Sequence[Any]) -> Self:
        """Add a sentence, a list of (word, tag), to the end of the training corpus."""
        return self.learn_many([sentence])

    def learn_many(self, sentences: SentencesLike) -> Self:
        """Add sentences to the end of the training corpus."""
        corpus = self._current_revision
        return self._revise(corpus.learned(rows_of(self._as_training(sentences))))

    def forget(self, place: int | Sequence[int]) -> Self:
        """Take a sentence out of the training corpus, or several, by their places, counted from 0.

        The sentences behind it move up.
        """
        corpus = self._current_revision
        places = [checked_place(one, len(corpus)) for one in ([place] if isinstance(place, int) else place)]
        if len(set(places)) < len(places):
            raise CasebaseError(f"A sentence is forgotten once; got the places {places!r}.")
        if corpus.lengths.sum() == corpus.lengths[places].sum():
            raise CasebaseError("A tagger cannot forget its last sentence: without a corpus it has no tags.")
        return self._revise(corpus.forgotten(places)) if places else self

    def correct(self, place: int, sentence: Sequence[Any]) -> Self:
        """Put another sentence, a list of (word, tag), in place of one of the training corpus, counted from 0."""
        corpus = self._current_revision
        rows = rows_of(self._as_training([sentence]))
        return self._revise(corpus.corrected(checked_place(place, len(corpus)), rows[0]))

    @property
    def _current_revision(self) -> Revision:
        self._require_corpus("cannot be corrected")
        if self._revision is None or (self._live is None and self._is_trained):
            self._revision = Revision.of(self._first_model.corpus)
        return self._revision

    def _as_training(self, sentences: SentencesLike) -> Sentences:
        return sentences_of(sentences, tagged=True, n_extra=len(self._current_revision.base.extra))

    def _revise(self, corpus: Revision) -> Self:
        """Take over another corpus: a committee is corrected at once, other models are trained when they are asked."""
        self._live = corrected(self._first_model, self._live, self._current_revision, corpus, self._is_trained)
        self._revision, self._is_trained = corpus, False
        self._calibration, self._has_old_calibration = None, False
        return self

    def save(self, path: Target, *, corpus: bool = True) -> None:
        """Write the tagger to a file; `casebase.load` reads it.

        With `corpus=False` the file is smaller: it has what tagging needs, and not the training sentences. The tagger
        in it tags the same, but cannot be corrected, and cannot show the places in the corpus that decided.
        """
        old = {"has_old_calibration": True} if self._has_old_calibration else {}
        model, calibration = self.model_, self.calibration_
        parameters = {"beam": checked_beam(self.beam), **old}
        with self._saving(path):
            if corpus:
                save_tagger(path, model, calibration, parameters, self._log)
            else:
                save_tagger(path, model.without_corpus(), calibration, parameters)

    @property
    def corpus_(self) -> Sentences:
        """The training sentences, after all corrections; none if the tagger was saved without them."""
        return self._asked.corpus if self._is_trained or self._revision is None else self._revision.corpus

    @property
    def n_sentences_(self) -> int:
        """The number of training sentences."""
        return len(self._revision) if self._revision is not None else self.corpus_.n_sentences

    @property
    def has_corpus_(self) -> bool:
        """Whether it has its training corpus, which corrections and explanations need."""
        return self._first_model.has_corpus

    def _require_corpus(self, what: str) -> None:
        if not self._first_model.has_corpus:
            raise CasebaseError(
                f"This tagger was saved without its corpus, so it {what}. Train it again, and save it with its corpus."
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the tagger that was saved to a file."""
        tagger: Self = cls._from_path(path)
        return tagger

    def _has_learned(self) -> bool:
        return self._trained_model is not None

    @classmethod
    def _from_file(cls, name: str, header: Header, arrays: CheckedArrays) -> Self:
        return cls._of(*tagger_from(name, header, arrays))

    def __setstate__(self, state: dict[str, Any]) -> None:
        Tagger.__init__(self)
        super().__setstate__(state)

    @classmethod
    def _of(
        cls, model: Tagging, calibration: Calibration, parameters: Mapping[str, Any], log: tuple[Entry, ...] = ()
    ) -> Self:
        values: dict[str, Any]
        if isinstance(model, CaseBases):
            settings = model.settings
            values = {name: getattr(settings, name) for name in (*CASE_BASES, *SHARED)}
            values |= {name: values[name].text for name in ("known", "unknown")}
            values["compat"] = "mbt" if settings.as_mbt else None
        else:
            assert isinstance(model, Committee)
            names = [name for name in COMMITTEES if committee_settings(name, {}) == model.settings]
            values = {"committee": names[0] if names else vars(model.settings)}
        tagger = cls(**values, beam=checked_beam(parameters.get("beam", 1)))
        tagger._trained_model, tagger._calibration, tagger._log = model, calibration, log
        tagger._has_old_calibration = parameters.get("has_old_calibration") is True
        return tagger

    def after(self, sentences: SentencesLike, log: tuple[Entry, ...]) -> Self:
        """Return another tagger that has also learned these sentences, with this log; this one does not change.

        It keeps the calibration of this one, because a new one takes longer than learning: see `recalibrated`.
        """
        parameters = {"beam": self.beam, "has_old_calibration": True}
        larger = self._of(self._first_model, self.calibration_, parameters, log)
        larger._revision, larger._live, larger._is_trained = self._revision, self._live, self._is_trained
        larger.learn_many(sentences)
        larger._calibration, larger._has_old_calibration = self.calibration_, True
        return larger

    @property
    def log_(self) -> Log:
        """The sentences that it learned since the training: who, when and why."""
        return self.log_of(self._log)

    def log_of(self, entries: Sequence[Entry]) -> Log:
        """Return some corrections with their sentences, whose ids are their numbers in the corpus."""
        corpus = self._asked.corpus
        ids = {case for entry in entries for case in entry.ids if isinstance(case, int)}
        known = sorted(case for case in ids if case < corpus.n_sentences)
        sentences = corpus.take(np.array(known, dtype=np.int64))
        texts = [" ".join("/".join(token) for token in sentence) for sentence in sentences]
        return log_with(entries, {case: {"sentence": text} for case, text in zip(known, texts)}, "sentence")

    def recalibrated(self) -> Self:
        """Return the tagger with the calibration of its present corpus."""
        again = self._of(self.model_, calibrate(self.model_, n_jobs=self._n_threads), {"beam": self.beam}, self._log)
        again._revision, again._live = self._revision, self._live
        return again

    @property
    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)


def committee_settings(committee: str | Mapping[str, Any] | None, others: Mapping[str, Any]) -> CommitteeSettings:
    """Return the settings of a committee: a preset by name, or changes to the preset for words."""
    name = committee if isinstance(committee, str) else "words"
    if name not in COMMITTEES:
        raise CasebaseError(unknown_name("committee", name, COMMITTEES))
    changes = {} if committee is None or isinstance(committee, str) else committee
    if not isinstance(changes, Mapping):
        raise CasebaseError(f"committee is one of {', '.join(COMMITTEES)}, or a dict of settings; got {committee!r}.")
    return settings_from({**changes, **others}, COMMITTEES[name])


def _evidence(
    reason: Reason, confidence: float | None, n_held_out: int, by_all_words: bool, corpus: Sentences, limit: int
) -> TagEvidence:
    contexts = tuple(_context(corpus, int(token)) for token in reason.tokens[:limit])
    against = tuple(_context(corpus, int(token)) for token in reason.against[:limit])
    return TagEvidence(
        reason.word,
        reason.tag,
        reason.is_known,
        confidence,
        n_held_out,
        by_all_words,
        reason.evidence,
        contexts,
        reason.n_tokens,
        against,
        reason.n_against,
    )


def _context(corpus: Sentences, token: int) -> Context:
    sentence = int(np.searchsorted(corpus.first, token, side="right")) - 1
    begin = max(int(corpus.first[sentence]), token - AROUND)
    end = min(int(corpus.first[sentence + 1]), token + AROUND + 1)
    assert corpus.tags is not None
    words = tuple(corpus.words[begin:end].to_pylist())
    return Context(words, token - begin, corpus.tags[token].as_py(), sentence)


_NOTHING = Sentences(as_strings([]).dictionary_encode(), np.zeros(1, np.int64))


def _as_untagged(sentences: SentencesLike) -> Sentences:
    """Return sentences for tagging; unlike training sentences, there may be none, and they may be empty."""
    sentences = getattr(sentences, "sentences", sentences)  # of a corpus that was read from a file
    if not isinstance(sentences, Sentences):
        sentences = list(sentences)
        if not any(isinstance(one, str) or not isinstance(one, Sequence) or len(one) for one in sentences):
            return replace(_NOTHING, first=np.zeros(len(sentences) + 1, np.int64))
    elif not sentences.n_tokens:
        return sentences.untagged()
    return sentences_of(sentences, tagged=False)
