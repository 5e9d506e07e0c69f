"""Cross-validation of hyphenators: each word is hyphenated by patterns that were learned without it.

The same answers tell how far patterns can be trusted. All patterns are right on their training words, so their record
there says nothing; held-out words say how often a pattern of its level and support was right on words it had not seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from casebase.data.folds import checked_seed
from casebase.errors import CasebaseError
from casebase.hyphenation.confidence import Confidence, Record, bin_of
from casebase.hyphenation.induction import Settings, learn
from casebase.hyphenation.matcher import CompiledPatterns
from casebase.hyphenation.patterns import PatternSet
from casebase.hyphenation.pieces import examples_of
from casebase.hyphenation.scores import HyphenationScores, hyphenation_scores
from casebase.hyphenation.words import HyphenatedWords, with_hyphens
from casebase.progress import Progress


def cross_validated(
    words: HyphenatedWords,
    settings: Settings,
    *,
    n_folds: int = 10,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[HyphenationScores, list[float]]:
    """Return the scores of all words, each hyphenated without its fold, and the share of right words of each fold."""
    found: list[list[int]] = [[] for _ in words.words]
    shares = []
    expected = _within_margins(words, settings)
    for fold in _folds(words, settings, n_folds, n_jobs, progress):
        answers = CompiledPatterns(fold.patterns).positions([words.words[w] for w in fold.held_out], n_jobs)
        for w, places in zip(fold.held_out, answers):
            found[w] = places
        right = [found[w] == expected[w] for w in fold.held_out]
        shares.append(float(np.average(right, weights=words.weights[fold.held_out])))
    spellings = [(with_hyphens(w, e), with_hyphens(w, f)) for w, e, f in zip(words.words, expected, found)]
    examples = examples_of(words, None, settings.left_min, settings.right_min)
    n_places = np.bincount(examples.word, minlength=len(words)).tolist()
    return hyphenation_scores(n_places, expected, found, words.weights.tolist(), spellings), shares


def held_out_confidence(
    words: HyphenatedWords, settings: Settings, *, n_folds: int = 5, n_jobs: int = 1, progress: Progress | None = None
) -> Confidence:
    """Return how often decisions by level and support are right, on held-out words."""
    counts: dict[tuple[int, int], list[float]] = {}
    for fold in _folds(words, settings, n_folds, n_jobs, progress):
        part = _taken(words, fold.held_out)
        examples = examples_of(part, None, settings.left_min, settings.right_min)
        if not len(examples):
            continue
        decided = _deciding(fold.patterns, examples.asked.letters, examples.asked.first)
        place = examples.asked.place + examples.asked.first.astype(np.int64)[examples.asked.word]
        for x, letter in enumerate(place.tolist()):
            pattern = fold.patterns.patterns[decided[letter]] if decided[letter] >= 0 else None
            allows = fold.patterns.default_allows if pattern is None else pattern.allows
            count = counts.setdefault(bin_of(pattern), [0.0, 0.0])
            weight = float(examples.weights[x])
            count[0] += weight * (allows == bool(examples.labels[x]))
            count[1] += weight
    return Confidence(tuple(Record(*key, *counts[key]) for key in sorted(counts)))


def _deciding(patterns: PatternSet, letters: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return the pattern that decides before each letter: of the highest level, then of the largest support; or -1."""
    pattern, letter = CompiledPatterns(patterns).occurrences(letters, first)
    strength = np.lexsort(([p.support for p in patterns.patterns], [p.level for p in patterns.patterns]))
    rank = np.empty(len(strength), dtype=np.int64)
    rank[strength] = np.arange(len(strength))
    best = np.full(len(letters), -1, dtype=np.int64)
    np.maximum.at(best, letter, rank[pattern])
    return np.where(best >= 0, strength[best], -1) if len(strength) else best


@dataclass(frozen=True)
class _Fold:
    """The positions of some words, and the patterns learned from all others."""

    held_out: list[int]
    patterns: PatternSet


def _folds(
    words: HyphenatedWords, settings: Settings, n_folds: int, n_jobs: int, progress: Progress | None
) -> Iterator[_Fold]:
    if len(words) < n_folds:
        raise CasebaseError(f"Expected at least a word for each fold: {len(words)} words, {n_folds} folds.")
    # A search that the number of words decides stays that of all words.
    settings = replace(settings, search=settings.search_for(len(words)))
    order = np.random.default_rng(checked_seed(settings.random_state)).permutation(len(words))
    for number in range(n_folds):
        held_out = np.sort(order[number::n_folds])
        rest = np.setdiff1d(order, held_out)
        yield _Fold(held_out.tolist(), learn(_taken(words, rest.tolist()), settings, n_jobs=n_jobs).patterns)
        if progress:
            progress(number + 1, n_folds)


def _taken(words: HyphenatedWords, at: list[int]) -> HyphenatedWords:
    return HyphenatedWords(tuple(words.words[i] for i in at), tuple(words.places[i] for i in at), words.weights[at])


def _within_margins(words: HyphenatedWords, settings: Settings) -> list[list[int]]:
    left, right = settings.left_min, settings.right_min
    return [[p for p in places if left <= p <= len(word) - right] for word, places in zip(words.words, words.places)]
