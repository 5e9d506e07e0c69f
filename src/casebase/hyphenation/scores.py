"""How well words are hyphenated: place by place, and word by word."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class HyphenationScores:
    """Counts by weight. A word is right if all of its places are; `wrong` lists words as they were hyphenated.

    `n_missed` breaks were not found, and `n_false` places are no breaks but were taken for some.
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
        """The share of breaks that were found which are breaks."""
        found = self.n_breaks - self.n_missed + self.n_false
        return (self.n_breaks - self.n_missed) / found if found else 1.0

    @property
    def recall(self) -> float:
        """The share of breaks that were found."""
        return 1.0 - self.n_missed / self.n_breaks if self.n_breaks else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the shares as JSON has them."""
        shares = ("word_accuracy", "place_accuracy", "precision", "recall")
        wrong = [{"expected": expected, "found": found} for expected, found in self.wrong]
        return asdict(self) | {name: getattr(self, name) for name in shares} | {"wrong": wrong}


def hyphenation_scores(
    n_places: Sequence[int],
    expected: Sequence[Sequence[int]],
    found: Sequence[Sequence[int]],
    weights: Sequence[float],
    spelled: Sequence[tuple[str, str]],
) -> HyphenationScores:
    """Return how often the breaks that were found are those that were expected.

    >>> hyphenation_scores([3, 3], [[2], [1]], [[2], [3]], [1, 1], [("ta-lo", "ta-lo"), ("a-pua", "apu-a")])
    ... # doctest: +ELLIPSIS
    HyphenationScores(n_words=2.0, n_right_words=1.0, n_places=6.0, n_breaks=2.0, n_missed=1.0, n_false=1.0, wrong=...)
    """
    n_words = n_right = total_places = n_breaks = n_missed = n_false = 0.0
    wrong = []
    for n, wanted, got, weight, spelling in zip(n_places, expected, found, weights, spelled):
        missed, false = len(set(wanted) - set(got)), len(set(got) - set(wanted))
        if missed or false:
            wrong.append(spelling)
        else:
            n_right += weight
        n_words += weight
        total_places += weight * n
        n_breaks += weight * len(wanted)
        n_missed += weight * missed
        n_false += weight * false
    return HyphenationScores(n_words, n_right, total_places, n_breaks, n_missed, n_false, tuple(wrong))
