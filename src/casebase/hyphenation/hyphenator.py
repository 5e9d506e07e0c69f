"""A hyphenator for any language, learned from a list of hyphenated words."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base.files import CheckedArrays, Header, Target
from casebase.base.log import Entry, Log, Record, log_with
from casebase.base.state import StateIsFile
from casebase.base.threads import n_threads
from casebase.errors import CasebaseError, unknown_name
from casebase.hyphenation.evidence import HyphenationEvidence, PatternEvidence, PlaceEvidence
from casebase.hyphenation.files import hyphenation_from, save_hyphenation
from casebase.hyphenation.induction import Correction, Hyphenation, Settings, compare, correct_word, learn
from casebase.hyphenation.matcher import CompiledPatterns
from casebase.hyphenation.pattern_files import MAX_EXPANSION, leftovers, to_dic, to_json, to_tex, with_exceptions
from casebase.hyphenation.patterns import Pattern, PatternSet
from casebase.hyphenation.pieces import examples_of
from casebase.hyphenation.scores import HyphenationScores, hyphenation_scores
from casebase.hyphenation.validation import cross_validated, held_out_confidence
from casebase.hyphenation.words import HYPHEN, HyphenatedWords, hyphenated_words, parse_word, with_hyphens
from casebase.progress import Progress
from casebase.strings.letters import is_mark

EXPORTS = ("tex", "hunspell", "json")
SOFT_HYPHEN = "\u00ad"
PARAMETERS = (
    "depth",
    "cost",
    "classes",
    "left_min",
    "right_min",
    "max_length",
    "max_class_length",
    "window",
    "random_state",
    "forbid",
    "force",
    "search",
)


class Hyphenator(StateIsFile):
    """Hyphenate words by patterns that are learned from hyphenated words.

    Parameters
    ----------
    depth : int or "auto", default 2
        Levels of patterns: 1 is rules without exceptions, 2 rules with exceptions, 3 exceptions to those. "auto" takes
        the smallest depth that is right on all words.
    cost : "unit" or "length", default "unit"
        The cost of a pattern to minimize: "unit" prefers few patterns, "length" few and short ones.
    classes : "auto", "none" or dict, default "auto"
        Kinds of letters that patterns may contain: consonants (K), vowels (E) and combining marks (M), inferred from
        the words; none; or a table such as ``{"K": "bcdfg…", "E": "aeiou"}``.
    left_min, right_min : int, default 1
        The least number of characters before and after a break.
    max_length : int, optional
        The maximum length of a pattern, edges included; 24 by default.
    max_class_length : int or None, default 3
        The maximum length of a pattern of classes; None: as `max_length`. Only short ones can be written out in
        letters, for TeX and other programs.
    window : float or None, default 0.1
        The share of the places in the first window; errors are added until all places are right. None: all places.
    random_state : int, default 0
        Seed for drawing the first window.
    forbid : sequence of str
        Patterns that must not be used, such as ``"s-t"`` or ``"K-K"``.
    force : dict
        Patterns that must be used: ``{"s-t": "forbid", "-tion": "allow"}``.
    search : "auto", "cover" or "levels", default "auto"
        "cover" finds few patterns, by set covers in `depth` levels; "levels" finds more, in up to eight levels, each
        supported by as many words as possible. "auto" takes the levels from 5,000 words on, unless `depth`, `cost` or
        `window`, which belong to the cover, are set.
    n_jobs : int, default 1
        Threads; -1 for all cores.

    Attributes
    ----------
    patterns_ : the patterns, the strongest first.
    words_ : the training words.
    report_ : the sizes of the training data and of the patterns.
    model_ : the immutable model.

    Examples
    --------
    >>> hyph = Hyphenator(window=None).fit(["ta-lo", "kis-sa", "ka-la", "kuk-ka-ro"])
    >>> hyph.hyphenate("kalossa", "-"), hyph.positions("kalossa")
    ('ka-los-sa', [2, 5])
    """

    model_: Hyphenation
    _in_file: ClassVar[frozenset[str]] = frozenset({"model_", "_compiled", "_log"})

    def __init__(
        self,
        depth: int | str = 2,
        cost: str = "unit",
        classes: str | Mapping[str, str] = "auto",
        left_min: int = 1,
        right_min: int = 1,
        max_length: int | None = None,
        window: float | None = 0.1,
        random_state: int = 0,
        *,
        max_class_length: int | None = 3,
        forbid: Sequence[str] = (),
        force: Mapping[str, str] | None = None,
        search: str = "auto",
        n_jobs: int = 1,
    ) -> None:
        self.depth = depth
        self.cost = cost
        self.classes = classes
        self.left_min = left_min
        self.right_min = right_min
        self.max_length = max_length
        self.window = window
        self.random_state = random_state
        self.max_class_length = max_class_length
        self.forbid = forbid
        self.force = force
        self.search = search
        self.n_jobs = n_jobs
        self._log: tuple[Entry, ...] = ()

    def get_params(self) -> dict[str, Any]:
        """Return the parameters of the constructor."""
        return {name: getattr(self, name) for name in (*PARAMETERS, "n_jobs")}

    def __repr__(self) -> str:
        defaults = Hyphenator().get_params()
        changes = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"Hyphenator({', '.join(f'{name}={value!r}' for name, value in changes.items())})"

    def fit(
        self,
        words: Iterable[str] | HyphenatedWords,
        weights: Sequence[float] | np.ndarray | None = None,
        *,
        hyphen: str = HYPHEN,
    ) -> Self:
        """Learn from hyphenated words, such as "hy-phen-a-tion"; all training words are then hyphenated correctly."""
        settings = self.settings()
        training = words if isinstance(words, HyphenatedWords) else hyphenated_words(words, weights, hyphen=hyphen)
        self._log = ()
        return self._with_model(learn(training, settings, n_jobs=self._n_threads))

    @classmethod
    def from_patterns(cls, patterns: PatternSet) -> Self:
        """Return a hyphenator with existing patterns, for example from a file.

        It has no training words. A corrected word becomes an exception to the patterns.
        """
        settings = Settings(left_min=patterns.left_min, right_min=patterns.right_min)
        return cls._of(Hyphenation(patterns, settings=settings))

    @property
    def patterns_(self) -> PatternSet:
        """The patterns, the strongest first."""
        return self._model.patterns

    @property
    def words_(self) -> HyphenatedWords:
        """The training words."""
        return self._model.words

    @property
    def report_(self) -> dict[str, Any]:
        """Numbers of training words, places, duplicates and patterns; contradictory words; the windows."""
        return self._model.report()

    def summary(self) -> dict[str, Any]:
        """Return what the hyphenator is: its numbers, margins, letter classes and patterns."""
        patterns = self.patterns_
        rows = [
            {"pattern": str(p), "level": p.level, "allows": p.allows, "is_classes": p.is_classes, "support": p.support}
            for p in patterns
        ]
        return {
            "learner": "hyphenation",
            **self.report_,
            "left_min": patterns.left_min,
            "right_min": patterns.right_min,
            "default_allows": patterns.default_allows,
            "classes": None if patterns.classes is None else dict(patterns.classes),
            "patterns": rows,
        }

    def positions(self, word: str) -> list[int]:
        """Return where a word may be broken: 2 is between its second and its third character."""
        return self.positions_many([word])[0]

    def positions_many(self, words: Iterable[str]) -> list[list[int]]:
        """Return where each of many words may be broken."""
        return self._compiled.positions(_texts(words), self._n_threads)

    def hyphenate(self, word: str, sep: str = SOFT_HYPHEN) -> str:
        """Return a word with a separator at each break, by default the invisible soft hyphen."""
        return self.hyphenate_many([word], sep)[0]

    def hyphenate_many(self, words: Iterable[str], sep: str = SOFT_HYPHEN) -> list[str]:
        """Return many words, each with a separator at each break."""
        return self._compiled.hyphenate(_texts(words), _separator(sep), self._n_threads)

    def hyphenate_text(self, text: str, sep: str = SOFT_HYPHEN) -> str:
        """Return a text with a separator at each break of its words; the rest stays the same.

        >>> Hyphenator(window=None).fit(["ta-lo", "ka-la"]).hyphenate_text("Talo, 2 kalaa.", "-")
        'Ta-lo, 2 ka-laa.'
        """
        parts = split_text(_texts([text])[0])
        parts[1::2] = self.hyphenate_many(parts[1::2], sep)
        return "".join(parts)

    def explain(self, word: str, limit: int = 5) -> HyphenationEvidence:
        """Return for each place the pattern that decided and those it overrode, with at most `limit` training words."""
        word = _texts([word])[0]
        places, measured = [], self._model.confidence
        for place, patterns in self.patterns_.matching(word).items():
            evidence = [PatternEvidence.of(pattern, *self._words_of(pattern, limit)) for pattern in patterns]
            is_break = patterns[0].allows if patterns else self.patterns_.default_allows
            decided_by = evidence[0] if evidence else None
            agreeing = tuple(e for e in evidence[1:] if e.level == evidence[0].level)
            overridden = tuple(e for e in evidence[1:] if e.level < evidence[0].level)
            shown = with_hyphens(word, [place], "|")
            confidence = measured.of(patterns[0] if patterns else None) if measured else None
            places.append(PlaceEvidence(place, shown, is_break, decided_by, agreeing, overridden, confidence))
        hyphenated = with_hyphens(word, [p.place for p in places if p.is_break])
        return HyphenationEvidence(word, hyphenated, tuple(places), self.patterns_.default_allows)

    def correct(self, word: str, among: Iterable[str] = (), *, hyphen: str = HYPHEN) -> Correction:
        """Learn the right hyphenation of a word, and return what changed.

        The other training words stay right. The report has the patterns that were added and removed, and the words
        whose hyphenation changed, among the training words and those in `among`, such as the words of a text.
        """
        letters, places = parse_word(word, hyphen)
        others = [*self.words_.words, *_texts(among)]
        self._check_margins(letters, places, word)
        model = correct_word(self._model, letters, places, n_jobs=self._n_threads)
        report = compare(self.patterns_, model.patterns, letters, others)
        self._with_model(model)
        return report

    def evaluate(
        self, words: Iterable[str] | HyphenatedWords, weights: Sequence[float] | None = None, *, hyphen: str = HYPHEN
    ) -> HyphenationScores:
        """Return the scores on words with known hyphens.

        Places nearer to an edge than `left_min` or `right_min` are not counted.
        """
        test = words if isinstance(words, HyphenatedWords) else hyphenated_words(words, weights, hyphen=hyphen)
        examples = examples_of(test, None, self.patterns_.left_min, self.patterns_.right_min)
        n_places = np.bincount(examples.word, minlength=len(test))
        left, right = self.patterns_.left_min, self.patterns_.right_min
        expected = [
            [p for p in places if left <= p <= len(word) - right] for word, places in zip(test.words, test.places)
        ]
        found = self.positions_many(test.words)
        spellings = [(with_hyphens(w, e), with_hyphens(w, f)) for w, e, f in zip(test.words, expected, found)]
        return hyphenation_scores(n_places.tolist(), expected, found, test.weights.tolist(), spellings)

    def cross_validate(
        self,
        words: Iterable[str] | HyphenatedWords,
        weights: Sequence[float] | None = None,
        *,
        n_folds: int = 10,
        hyphen: str = HYPHEN,
    ) -> HyphenationScores:
        """Return the scores of words that are each hyphenated by patterns learned without them; learn nothing."""
        given = words if isinstance(words, HyphenatedWords) else hyphenated_words(words, weights, hyphen=hyphen)
        return cross_validated(given, self.settings(), n_folds=n_folds, n_jobs=self._n_threads)[0]

    def measure_confidence(self, n_folds: int = 5, *, progress: Progress | None = None) -> Self:
        """Measure on held-out training words how far decisions can be trusted; `explain` then says so for each place.

        It learns `n_folds` times. Patterns do not change. A correction discards what was measured.
        """
        if not len(self.words_):
            raise CasebaseError("These patterns were not learned from words, so no words can be held out.")
        found = held_out_confidence(
            self.words_, self._model.settings, n_folds=n_folds, n_jobs=self._n_threads, progress=progress
        )
        return self._with_model(replace(self._model, confidence=found))

    def confidences(self, word: str) -> dict[int, float]:
        """Return for each place of a word the share of right decisions to expect, after `measure_confidence`."""
        confidence = self._model.confidence
        if confidence is None:
            raise CasebaseError("How sure decisions are was not measured yet: call measure_confidence() first.")
        matching = self.patterns_.matching(_texts([word])[0])
        return {place: confidence.of(found[0] if found else None) for place, found in matching.items()}

    def export(self, to: str = "tex", *, limit: int = MAX_EXPANSION) -> str:
        """Return the patterns as the text of a file for other programs, for writing in UTF-8.

        `to` is "tex" (for XeTeX and LuaTeX), "hunspell" (`hyph_*.dic`, for LibreOffice, Firefox and pyphen) or "json".
        Those programs then break words at the same places. Patterns of classes are expanded to the letters of the
        training words, to at most `limit` patterns.
        """
        if to not in EXPORTS:
            raise CasebaseError(unknown_name("kind of file", to, EXPORTS))
        patterns = with_exceptions(self.patterns_, leftovers(self.patterns_, self._wrong_words()))
        if to == "json":
            return to_json(patterns)
        letters = {letter for word in self.words_.words for letter in word} or None
        return (to_tex if to == "tex" else to_dic)(patterns, letters=letters, limit=limit)

    def _wrong_words(self) -> list[str]:
        """Return the training words, with their hyphens, that the patterns get wrong."""
        words = self.words_
        found = self.positions_many(words.words)
        return [
            spelling
            for spelling, right, places in zip(words.with_hyphens(), words.places, found)
            if list(right) != places
        ]

    def save(self, path: Target) -> None:
        """Write the hyphenator, with its training words, to a file; `casebase.load` reads it."""
        with self._saving(path):
            save_hyphenation(path, self._model, self._log)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the hyphenator that was saved to a file."""
        hyphenator: Self = cls._from_path(path)
        return hyphenator

    @classmethod
    def _of(cls, model: Hyphenation, log: tuple[Entry, ...] = ()) -> Self:
        settings = model.settings
        hyphenator = cls(**{name: getattr(settings, name) for name in PARAMETERS})._with_model(model)
        hyphenator._log = log
        return hyphenator

    @property
    def log_(self) -> Log:
        """The words that it learned since the training: who, when, why, and the breaks before and after."""
        return self.log_of(self._log)

    def log_of(self, entries: Sequence[Entry]) -> Log:
        """Return some corrections with the breaks of their words before and after."""
        words = {str(word) for entry in entries for word in entry.ids}
        return log_with(entries, {word: self.as_logged(word) for word in words}, "word")

    def as_logged(self, word: str) -> Record:
        """Return the breaks of a word as the log has them."""
        places = self.positions(word)
        return {"hyphenation": with_hyphens(word, places), "places": places}

    def _with_model(self, model: Hyphenation) -> Self:
        self.model_ = model
        self.__dict__.pop("_compiled", None)
        return self

    def settings(self) -> Settings:
        """Return the settings of the learner, checked."""
        parameters = {name: getattr(self, name) for name in PARAMETERS}
        return Settings(**parameters | {"force": {} if self.force is None else self.force})

    @property
    def _model(self) -> Hyphenation:
        if not hasattr(self, "model_"):
            raise CasebaseError("This Hyphenator has learned nothing yet. Call fit with a list of hyphenated words.")
        return self.model_

    @cached_property
    def _compiled(self) -> CompiledPatterns:
        return CompiledPatterns(self.patterns_)

    @classmethod
    def _from_file(cls, name: str, header: Header, arrays: CheckedArrays) -> Self:
        return cls._of(*hyphenation_from(name, header, arrays))

    def __setstate__(self, state: dict[str, Any]) -> None:
        Hyphenator.__init__(self)
        super().__setstate__(state)

    @property
    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    def _words_of(self, pattern: Pattern, limit: int) -> tuple[tuple[str, ...], int]:
        """Return up to `limit` training words that a pattern matches, and the number of all."""
        if not len(self.words_):
            return (), 0
        examples = self._model.examples
        words = np.unique(examples.word[examples.extent(pattern.piece)])
        spellings = [with_hyphens(self.words_.words[w], self.words_.places[w]) for w in words[:limit]]
        return tuple(spellings), len(words)

    def _check_margins(self, letters: str, places: Sequence[int], word: str) -> None:
        left, right = self.patterns_.left_min, self.patterns_.right_min
        if any(not left <= place <= len(letters) - right for place in places):
            raise CasebaseError(
                f"{word!r} has a hyphen nearer to its edge than left_min={left} and right_min={right} allow."
            )


def split_text(text: str) -> list[str]:
    """Split a text into its words, at odd positions, and what is before, between and after them.

    >>> split_text("Talo, 2 kalaa.")
    ['', 'Talo', ', 2 ', 'kalaa', '.']
    """
    marks = "".join(sorted(letter for letter in set(text) if is_mark(letter)))
    # A word is a run of letters and combining marks, but \w has no marks: add those of this text.
    or_mark = f"|[{re.escape(marks)}]" if marks else ""
    return re.split(rf"([^\W\d_](?:[^\W\d_]{or_mark})*)", text)


def is_running_text(text: str) -> bool:
    """Whether a line has more than one word; a list of words has one on each line.

    >>> is_running_text("Talo, 2 kalaa."), is_running_text("talo\\nkala\\n")
    (True, False)
    """
    return any(len(line.split()) > 1 for line in text.splitlines())


def _texts(words: Iterable[str]) -> list[str]:
    if isinstance(words, str):
        raise CasebaseError("Expected a list of words, got one text. For running text there is hyphenate_text.")
    words = list(words)
    wrong = [type(word).__name__ for word in words if not isinstance(word, str)]
    if wrong:
        raise CasebaseError(f"A word is a text; got {wrong[0]}.")
    return words


def _separator(sep: object) -> str:
    if not isinstance(sep, str):
        raise CasebaseError(f"The separator is a text, such as '-'; got {sep!r}.")
    return sep
