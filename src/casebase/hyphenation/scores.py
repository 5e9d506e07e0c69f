"""Scores of a hyphenator, by place and by word."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class HyphenationScores:
    """Weighted counts. A word is right if all of its places are; `wrong` lists the others, expected and found.

    `n_missed` breaks were not found (false negatives); `n_false` places were wrongly called breaks (false positives).
    """

    n_words: float
    n_right_words: float
    n_places: float
    n_breaks: float
    n_missed: float
    n_false: float
    wrong: tuple[tuple[str, str], ...]  # expected, found

    @property
    def word_accuracy(self) -> float:
        return self.n_right_words / self.n_words if self.n_words else 1.0

    @property
    def place_accuracy(self) -> float:
        return 1.0 - (self.n_missed + self.n_false) / self.n_places if self.n_places else 1.0

    @property
    def precision(self) -> float:
        """The share of true breaks among the breaks found."""
        found = self.n_breaks - self.n_missed + self.n_false
        return (self.n_breaks - self.n_missed) / found if found else 1.0

    @property
    def recall(self) -> float:
        """The share of the true breaks that were found."""
        return 1.0 - self.n_missed / self.n_breaks if self.n_breaks else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the shares as a JSON record."""
        shares = ("word_accuracy", "place_accuracy", "precision", "recall")
        wrong = [{"expected": expected, "found": found} for expected, found in self.wrong]
        return asdict(self) | {name: getattr(self, name) for name in shares} | {"wrong": wrong}


def hyphenation_scores(
    n_places: Sequence[int],
    expected: Sequence[Sequence[int]],
    found: Sequence[Sequence[int]],
    weights: Sequence[float],
    spellings: Sequence[tuple[str, str]],
) -> HyphenationScores:
    """Compare the breaks found with those expected; `spellings` has each word with both.

    >>> hyphenation_scores([3, 3], [[2], [1]], [[2], [3]], [1, 1], [("ta-lo", "ta-lo"), ("a-pua", "apu-a")])
    ... # doctest: +ELLIPSIS
    HyphenationScores(n_words=2.0, n_right_words=1.0, n_places=6.0, n_breaks=2.0, n_missed=1.0, n_false=1.0, wrong=...)
    """
    n_words = n_right = total_places = n_breaks = n_missed = n_false = 0.0
    wrong = []
    for n, true_breaks, found_breaks, weight, spelling in zip(n_places, expected, found, weights, spellings):
        missed = len(set(true_breaks) - set(found_breaks))
        false = len(set(found_breaks) - set(true_breaks))
        if missed or false:
            wrong.append(spelling)
        else:
            n_right += weight
        n_words += weight
        total_places += weight * n
        n_breaks += weight * len(true_breaks)
        n_missed += weight * missed
        n_false += weight * false
    return HyphenationScores(n_words, n_right, total_places, n_breaks, n_missed, n_false, tuple(wrong))
