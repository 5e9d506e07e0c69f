"""Induction of hyphenation patterns that are consistent with all training words.

The places in the words are the examples and the pieces around a place are the concepts. `find_rule` selects few pieces
in levels, where each level holds the exceptions to the one below. These become the levels of the patterns: the level
that a rule tests first gets the highest number, odd numbers allow a break, even numbers forbid it.

A consistent rule always exists: the whole word with its edges is a piece, so at worst every word is its own exception.
Only words longer than the longest piece may conflict.

Reference: Kivinen, Mannila, Ukkonen, Vilo, "An algorithm for learning hierarchical classifiers" (1994), section 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase.data.checks import is_number, is_whole
from casebase.data.folds import checked_seed
from casebase.errors import CasebaseError, NoConsistentRuleError, unknown_name
from casebase.hyphenation.confidence import Confidence
from casebase.hyphenation.levels import find_levels
from casebase.hyphenation.matcher import CompiledPatterns
from casebase.hyphenation.patterns import Pattern, PatternSet
from casebase.hyphenation.pieces import ALLOWED, FORBIDDEN, Examples, examples_of, parse_pattern
from casebase.hyphenation.words import HYPHEN, HyphenatedWords
from casebase.rules.noise import N_SHOWN
from casebase.rules.search import checked_depth
from casebase.rules.windows import Round, windowed
from casebase.strings.classes import as_groups, class_table
from casebase.strings.letters import compose, fold_case
from casebase.strings.piece import CLASSES
from casebase.strings.pieces import LONGEST, Choice, checked_cost
from casebase.strings.search import ForcedPiece, PieceRule, find_piece_rule

NO_WORDS = HyphenatedWords((), (), np.zeros(0))
SEARCHES = ("auto", "cover", "levels")
MANY_WORDS = 5_000  # from here on, "auto" takes the levels
OF_COVER = {"depth": 2, "cost": "unit", "window": 0.1}  # settings that the levels do not have, and their defaults


@dataclass(frozen=True)
class Settings:
    """The settings of the learner; `Hyphenator` explains each."""

    depth: int | str = 2
    cost: str = "unit"
    classes: str | Mapping[str, str] = "auto"
    left_min: int = 1
    right_min: int = 1
    max_length: int | None = None
    max_class_length: int | None = None
    window: float | None = 0.1
    random_state: int = 0
    forbid: tuple[str, ...] = ()
    force: Mapping[str, str] = field(default_factory=dict)
    search: str = "auto"

    def __post_init__(self) -> None:
        checked_depth(self.depth)
        checked_cost(self.cost)
        checked_seed(self.random_state)
        for name in ("left_min", "right_min", "max_length", "max_class_length"):
            _check_at_least_one(name, getattr(self, name), none=name.startswith("max"))
        share = self.window
        if share is not None and (not is_number(share) or not 0.0 < share <= 1.0):
            raise CasebaseError(
                f"window is the share of examples to begin with, above 0 up to 1, or None; got {share!r}."
            )
        if self.search not in SEARCHES:
            raise CasebaseError(unknown_name("search", self.search, SEARCHES))
        changed = [name for name, default in OF_COVER.items() if getattr(self, name) != default]
        if self.search == "levels" and changed:
            raise CasebaseError(f"{changed[0]} belongs to search='cover': search='levels' has levels of its own.")
        object.__setattr__(self, "forbid", tuple(self.forbid))
        wrong = next((verdict for verdict in self.force.values() if verdict not in ("allow", "forbid")), None)
        if wrong is not None:
            raise CasebaseError(
                f"force says for each pattern 'allow' or 'forbid', as in {{'s-t': 'forbid'}}; got {wrong!r}."
            )

    def search_for(self, n_words: int) -> str:
        """Return the search for a list of words: "cover" or "levels".

        >>> Settings().search_for(100), Settings().search_for(10_000), Settings(depth=3).search_for(10_000)
        ('cover', 'levels', 'cover')
        """
        if self.search != "auto":
            return self.search
        is_default = all(getattr(self, name) == default for name, default in OF_COVER.items())
        return "levels" if is_default and n_words >= MANY_WORDS else "cover"


@dataclass(frozen=True)
class Hyphenation:
    """Patterns, their training words and the settings of the learner.

    `window` has the examples that the last round was trained on; the patterns are right on all others as well.
    `confidence` is what held-out words say about the decisions, if it was measured.
    """

    patterns: PatternSet
    words: HyphenatedWords = NO_WORDS
    settings: Settings = field(default_factory=Settings)
    rounds: tuple[Round, ...] = ()
    window: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.uint32))
    confidence: Confidence | None = None

    @property
    def depth(self) -> int:
        """The number of levels that have patterns."""
        return len({pattern.level for pattern in self.patterns.patterns})

    @cached_property
    def examples(self) -> Examples:
        """The places in the training words."""
        return examples_of(self.words, self.patterns.classes, self.patterns.left_min, self.patterns.right_min)

    def report(self) -> dict[str, Any]:
        """Return the sizes of the training data and of the patterns."""
        patterns = self.patterns.patterns
        lengths = [len(pattern.text) + 1 for pattern in patterns]
        return {
            "n_words": len(self.words),
            "n_examples": len(self.examples) if len(self.words) else 0,
            "duplicates": self.words.n_duplicates,
            "contradictions": [{"kept": word.kept, "others": list(word.others)} for word in self.words.contradictions],
            "depth": self.depth,
            "n_patterns": len(patterns),
            "mean_length": float(np.mean(lengths)) if lengths else 0.0,
            "rounds": [{"n_examples": r.n_examples, "n_wrong": r.n_wrong} for r in self.rounds],
        }


def learn(
    words: HyphenatedWords, settings: Settings | None = None, *, n_jobs: int = 1, start: np.ndarray | None = None
) -> Hyphenation:
    """Return patterns that are right on every place of every word.

    `start` has the examples of the first window, instead of a random share.

    >>> from casebase.hyphenation.words import hyphenated_words
    >>> model = learn(hyphenated_words(["ta-lo", "ka-la", "ki-ve-nä"]), Settings(window=None))
    >>> [str(pattern) for pattern in model.patterns.patterns]
    ['-K']
    """
    settings = settings or Settings()
    classes = hyphenation_classes(settings.classes, words)
    examples = examples_of(words, classes, settings.left_min, settings.right_min)
    empty = PatternSet((), classes, False, settings.left_min, settings.right_min)
    if not len(examples):
        return Hyphenation(empty, words, settings)
    search = _Search(examples, settings, empty, n_jobs)
    if settings.search_for(len(words)) == "levels":
        found = search.levels()
        return Hyphenation(search.checked(found), words, settings)
    window: list[np.ndarray] = []

    def learn_window(part: np.ndarray) -> PatternSet:
        window[:] = [part]  # the last one remains, for later corrections
        return search.patterns(part)

    fraction = 1.0 if settings.window is None else settings.window
    found, rounds = windowed(
        len(examples), learn_window, search.wrong, fraction=fraction, seed=settings.random_state, start=start
    )
    return Hyphenation(search.checked(found), words, settings, rounds, window[0].astype(np.uint32))


class _Search:
    """The search for patterns that are right on a part of the examples."""

    def __init__(self, examples: Examples, settings: Settings, empty: PatternSet, n_jobs: int) -> None:
        self.examples, self.settings, self.empty, self.n_jobs = examples, settings, empty, n_jobs
        names = sorted(set((empty.classes or {}).values()))
        self.forbidden = [parse_pattern(name, 1, names) for name in settings.forbid]
        self.forced = [
            (parse_pattern(name, 1, names), ALLOWED if verdict == "allow" else FORBIDDEN)
            for name, verdict in settings.force.items()
        ]
        weights = examples.weights
        self.weights = None if (weights == weights[0]).all() else weights
        # The compiled matcher of patterns answers for all letters of a text without edges at once.
        asked = examples.asked
        self._letters, self._first = asked.letters, asked.first
        self._place = asked.place + self._first.astype(np.int64)[asked.word]

    def patterns(self, part: np.ndarray) -> PatternSet:
        """Return patterns that are right on some of the examples."""
        settings = self.settings
        choice = Choice(
            settings.cost,
            settings.max_length,
            settings.max_class_length,
            forbidden=tuple(pattern.piece for pattern in self.forbidden),
            mark=HYPHEN,
        )
        try:
            rule = find_piece_rule(
                self.examples,
                part,
                self.examples.labels,
                choice,
                depth=settings.depth,
                forced=[ForcedPiece(pattern.piece, label) for pattern, label in self.forced],
                weights=self.weights,
                n_jobs=self.n_jobs,
            )
        except NoConsistentRuleError as error:
            raise self._failure(error, part) from None
        patterns = _patterns_by_level(rule)
        used = {pattern.piece for pattern in patterns}
        for pattern, label in self.forced:  # add those that match no example of this part
            if pattern.piece not in used:
                patterns.append(replace(pattern, level=1 if label == ALLOWED else 2))
        return replace(self.empty, patterns=tuple(patterns), default_allows=rule.default == ALLOWED)

    def levels(self) -> PatternSet:
        """Return patterns of many levels that are right on all examples."""
        settings = self.settings
        patterns, wrong = find_levels(
            self.examples,
            max_length=settings.max_length,
            max_class_length=settings.max_class_length,
            weights=self.weights,
            given=self.forced,
            forbidden=self.forbidden,
        )
        if len(wrong):
            error = NoConsistentRuleError("", len(wrong), wrong[:N_SHOWN].tolist())
            raise self._failure(error, np.arange(len(self.examples)))
        given = [replace(pattern, level=1 if label == ALLOWED else 2) for pattern, label in self.forced]
        used = {(pattern.piece, pattern.level) for pattern in patterns}
        patterns += [pattern for pattern in given if (pattern.piece, pattern.level) not in used]
        return replace(self.empty, patterns=tuple(patterns))

    def checked(self, found: PatternSet) -> PatternSet:
        """Return the patterns with their support, after applying them to all examples."""
        errors = self.wrong(found)
        assert not len(errors), f"the patterns are wrong on {self.examples.marked_word(int(errors[0]))}"
        return self.with_support(found)

    def wrong(self, found: PatternSet) -> np.ndarray:
        """Return the examples that the patterns get wrong."""
        is_break = CompiledPatterns(found).breaks_before(self._letters, self._first, self.n_jobs)
        return np.flatnonzero(is_break[self._place] != (self.examples.labels == ALLOWED))

    def with_support(self, found: PatternSet) -> PatternSet:
        """Return the patterns, the strongest first, each with the weight of the examples that it matches."""
        pattern, letter = CompiledPatterns(found).occurrences(self._letters, self._first)
        at_letter = np.zeros(len(self._letters))
        at_letter[self._place] = self.examples.weights
        support = np.bincount(pattern, weights=at_letter[letter], minlength=len(found.patterns)).tolist()
        patterns = [replace(p, support=weight) for p, weight in zip(found.patterns, support)]
        patterns.sort(key=lambda p: (-p.level, len(p.text), str(p), p.is_classes))
        return replace(found, patterns=tuple(patterns))

    def _failure(self, error: NoConsistentRuleError, part: np.ndarray) -> NoConsistentRuleError:
        """Return the error with words in place of the numbers of examples."""
        shown = [self.examples.marked_word(int(part[x])) for x in error.examples]
        depth, longest = self.settings.depth, self.settings.max_length
        of_depth = f" of depth {depth}" if self.settings.search_for(len(self.examples.words)) == "cover" else ""
        limit = f"{LONGEST} letters (max_length)" if longest is None else f"max_length={longest}"
        return NoConsistentRuleError(
            f"No patterns{of_depth} are right on all words: {error.n_conflicts} places conflict with others"
            f"{', such as ' if shown else ''}{', '.join(shown)}. Pieces have at most {limit}: allow for longer ones, "
            "for more depth, or force and forbid fewer patterns.",
            error.n_conflicts,
            [int(part[x]) for x in error.examples],
        )


def _patterns_by_level(rule: PieceRule) -> list[Pattern]:
    """Return the patterns of a rule; levels are numbered from the default upwards, odd if they allow a break."""
    number, label = (0, FORBIDDEN) if rule.default == FORBIDDEN else (1, ALLOWED)
    patterns: list[Pattern] = []
    for level in reversed(rule.levels):
        number += 1 if level.label != label else 2
        label = level.label
        patterns += [Pattern(piece.text, piece.offset or 0, number, piece.kind == CLASSES) for piece, _ in level.rules]
    return patterns


def hyphenation_classes(classes: object, words: HyphenatedWords) -> dict[str, str] | None:
    """Return the class of each letter: inferred from the words, none at all, or as given.

    >>> hyphenation_classes({"V": "aeIOU"}, NO_WORDS)
    {'a': 'V', 'e': 'V', 'i': 'V', 'o': 'V', 'u': 'V'}
    """
    return class_table(classes, words.words, words.weights, normal=lambda letters: fold_case(compose(letters)))


@dataclass(frozen=True)
class Moved:
    """A word whose hyphenation changed."""

    before: str
    after: str


@dataclass(frozen=True)
class Correction:
    """The effect of correcting one word: patterns added (`came`) and removed (`went`), and other words that changed."""

    word: str
    before: str
    came: tuple[Pattern, ...]
    went: tuple[Pattern, ...]
    moved: tuple[Moved, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the correction as `casebase hyphen correct --json` prints it."""
        came, went = (
            [{"pattern": str(p), "level": p.level, "allows": p.allows, "is_classes": p.is_classes} for p in patterns]
            for patterns in (self.came, self.went)
        )
        moved = [{"before": one.before, "after": one.after} for one in self.moved]
        return {"word": self.word, "before": self.before, "came": came, "went": went, "moved": moved}


def correct_word(model: Hyphenation, word: str, places: tuple[int, ...], *, n_jobs: int = 1) -> Hyphenation:
    """Return the model retrained with one word hyphenated at these places.

    The first window is the model's last one plus the word, so that unrelated patterns stay the same. Patterns without
    training words (read from a file) get an exception for the word instead.
    """
    if not len(model.words):
        return replace(model, patterns=with_exception(model.patterns, word, places))
    entries = dict(zip(model.words.words, zip(model.words.places, model.words.weights.tolist())))
    weight = entries[word][1] if word in entries else 1.0
    entries[word] = (places, weight)
    order = sorted(entries)
    words = HyphenatedWords(
        tuple(order),
        tuple(entries[w][0] for w in order),
        np.array([entries[w][1] for w in order]),
        model.words.n_duplicates,
        tuple(c for c in model.words.contradictions if c.kept.replace(HYPHEN, "") != word),
    )
    settings = replace(model.settings, classes=as_groups(model.patterns.classes))  # keep the classes
    before = model.examples
    after = examples_of(words, model.patterns.classes, settings.left_min, settings.right_min)
    # Examples are numbered by word, and a new word shifts the numbers: translate the window by word and place.
    in_window = {
        (before.words.words[before.word[x]], int(before.place[x] - before.first[before.word[x]])) for x in model.window
    }
    start = [
        x
        for x, (w, p) in enumerate(zip(after.word.tolist(), after.place.tolist()))
        if words.words[w] == word or (words.words[w], p - int(after.first[w])) in in_window
    ]
    retrained_model = learn(words, settings, n_jobs=n_jobs, start=np.array(start, dtype=np.int64))
    return replace(retrained_model, settings=model.settings)


def with_exception(patterns: PatternSet, word: str, places: Iterable[int]) -> PatternSet:
    """Return the patterns plus patterns of the whole word at the places that the others get wrong.

    >>> patterns = with_exception(PatternSet((Pattern("re", 2, 1),)), "record", [3])
    >>> patterns.positions("record"), patterns.positions("records")
    ([3], [2])
    """
    expected = set(places)
    possible = patterns.matching(word)
    top = max((pattern.level for pattern in patterns.patterns), default=0)
    odd, even = top + 1 + top % 2, top + 2 - top % 2  # the lowest levels above all others
    found = set(patterns.positions(word))
    added = [
        Pattern(f".{word}.", place + 1, odd if place in expected else even)
        for place in possible
        if (place in expected) != (place in found)
    ]
    return replace(patterns, patterns=(*patterns.patterns, *added))


def compare(before: PatternSet, after: PatternSet, word: str, among: Sequence[str]) -> Correction:
    """Return which patterns were added and removed, and which other words change their hyphenation."""
    known, new = ({_identity(p): p for p in patterns.patterns} for patterns in (before, after))
    others = [other for other in dict.fromkeys(among) if fold_case(compose(other)) != word]
    spellings = [CompiledPatterns(patterns).hyphenate([word, *others], HYPHEN) for patterns in (before, after)]
    return Correction(
        spellings[1][0],
        spellings[0][0],
        tuple(p for key, p in new.items() if key not in known),
        tuple(p for key, p in known.items() if key not in new),
        tuple(Moved(a, b) for a, b in zip(spellings[0][1:], spellings[1][1:]) if a != b),
    )


def _identity(pattern: Pattern) -> tuple[str, int, int, bool]:
    return pattern.text, pattern.offset, pattern.level, pattern.is_classes


def _check_at_least_one(name: str, value: object, *, none: bool = False) -> None:
    if none and value is None:
        return
    if not is_whole(value, 1):
        raise CasebaseError(f"{name} must be a whole number of at least 1{' or None' if none else ''}; got {value!r}.")
