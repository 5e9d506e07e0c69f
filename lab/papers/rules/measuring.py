"""Accuracy of patterns on places and on whole words."""

from collections.abc import Sequence

from casebase.hyphenation.matcher import CompiledPatterns
from casebase.hyphenation.patterns import Pattern, PatternSet

# The vowels of the simplest rule; any other letter directly before a vowel begins a syllable.
VOWELS = "aeiouyåäöáéíóúõü"


def percent_right(patterns: PatternSet, words: Sequence[str], places: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return the percent of places between letters, and of words, that patterns get right.

    >>> from casebase.hyphenation.patterns import Pattern
    >>> percent_right(PatternSet((Pattern("na", 0, 1),)), ["banana", "nana"], [[2, 4], []])
    (87.5, 50.0)
    """
    found = CompiledPatterns(patterns).positions(list(words))
    first, last = patterns.left_min, patterns.right_min
    n_places = sum(max(0, len(word) - last - first + 1) for word in words)
    wrong = [len(set(said) ^ set(true)) for said, true in zip(found, places, strict=True)]
    n_words_right = sum(n == 0 for n in wrong)
    return 100.0 * (1 - sum(wrong) / n_places), 100.0 * n_words_right / len(words)


def percent_of_proposed(patterns: PatternSet, words: Sequence[str], places: Sequence[Sequence[int]]) -> float:
    """Return the percent of the breaks that patterns propose that are right; 100 if they propose none.

    >>> from casebase.hyphenation.patterns import Pattern
    >>> percent_of_proposed(PatternSet((Pattern("na", 0, 1),)), ["banana", "nana"], [[2, 4], []])
    66.66666666666667
    """
    found = CompiledPatterns(patterns).positions(list(words))
    n_proposed = sum(len(said) for said in found)
    n_right = sum(len(set(said) & set(true)) for said, true in zip(found, places, strict=True))
    return 100.0 * n_right / n_proposed if n_proposed else 100.0


def consonant_before_vowel(words: Sequence[str]) -> PatternSet:
    """Return the simplest rule: a break before each consonant that a vowel follows.

    >>> consonant_before_vowel(["katto"]).positions("katto")
    [3]
    """
    letters = {letter for word in words for letter in word}
    classes = {letter: "E" if letter in VOWELS else "K" for letter in sorted(letters)}
    return PatternSet((Pattern("KE", 0, 1, is_classes=True),), classes)
