"""Confidence in a tag: how often tags with as much doubt were right on sentences held out of the training corpus.

The doubt of a tagging model (the share of the votes for other tags) orders its tags well, but it is no probability: a
committee multiplies estimates of overlapping contexts as if they were independent, so its shares are too close to 0 and
1. Part of the corpus is therefore tagged by a model that was trained on other sentences, its words are grouped by their
doubt, and the confidence in a new tag is the share of right tags in the group of its doubt. Known and unknown words
have groups of their own; where too few of one kind were held out, all held-out words say how often a tag is right.

The groups follow isotonic regression: neighbouring groups are pooled until more doubt means less accuracy. Reference:
Zadrozny, Elkan, "Transforming classifier scores into accurate multiclass probability estimates" (2002).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from casebase.tagging.case_bases import Tagging
from casebase.tagging.sentences import Sentences, codes_in

LEAST_WORDS = 50  # held-out words in a group; where fewer of a kind were held out, all words are taken together
FEW_WORDS = 40_000  # corpora up to this size are held out as a whole, part by part
N_PARTS = 5
N_HELD_OUT = 20_000  # words that are held out of a larger corpus, in runs of sentences
N_RUNS = 10
ENOUGH_WORDS = 100_000  # that the model learns from which tags them: of more, from every second or third sentence
MOST_LEFT_OUT = 3


@dataclass(frozen=True, eq=False)
class Reliability:
    """Groups of held-out words by rising doubt: the greatest doubt in each, how many words it has, how many were right.

    >>> groups = reliability(np.array([0.0, 0.1, 0.3, 0.3, 0.6]), np.array([1, 0, 1, 1, 0]), least=1)
    >>> groups.doubt.tolist(), groups.n_words.tolist(), groups.n_right.tolist()
    ([0.0, 0.3, 0.6], [1, 3, 1], [1, 2, 0])
    >>> groups.accuracy[groups.of(np.array([0.2, 0.9]))].round(2).tolist()
    [0.6, 0.33]
    """

    doubt: np.ndarray
    n_words: np.ndarray
    n_right: np.ndarray

    @property
    def accuracy(self) -> np.ndarray:
        """The expected accuracy of each group, by the rule of succession: a group without an error is not certain."""
        accuracy: np.ndarray = (self.n_right + 1) / (self.n_words + 2)
        return accuracy

    def of(self, doubts: np.ndarray) -> np.ndarray:
        """Return the index of the group of each doubt; more doubt than any held-out word had is in the last one."""
        return np.minimum(np.searchsorted(self.doubt, doubts), len(self.doubt) - 1)


def reliability(doubts: np.ndarray, is_right: np.ndarray, *, least: int = LEAST_WORDS) -> Reliability | None:
    """Group held-out words by doubt, with accuracies that fall as doubt rises; None if there are fewer than `least`."""
    if len(doubts) < least:
        return None
    order = np.argsort(doubts, kind="stable")
    doubts, n_right = doubts[order], np.cumsum(is_right[order])
    ends = _ends_of_bins(doubts, least)
    groups: list[tuple[int, int]] = []  # the end and the number of right words of each pooled group
    for end in ends:
        begin = groups[-1][0] if groups else 0
        right = int(n_right[end - 1]) - (int(n_right[begin - 1]) if begin else 0)
        # Pool a group that is not less accurate than the one before it, which has less doubt.
        while groups and (right + 1) * (groups[-1][0] - _begin(groups) + 2) >= (groups[-1][1] + 1) * (end - begin + 2):
            right += groups[-1][1]
            begin = _begin(groups)
            groups.pop()
        groups.append((end, right))
    last = np.array([end for end, _ in groups])
    return Reliability(doubts[last - 1], np.diff(last, prepend=0), np.array([right for _, right in groups]))


def _begin(groups: list[tuple[int, int]]) -> int:
    """Return where the last group begins."""
    return groups[-2][0] if len(groups) > 1 else 0


def _ends_of_bins(doubts: np.ndarray, least: int) -> list[int]:
    """Cut sorted doubts into bins of at least `least`, and return where each ends; equal doubts stay together.

    >>> _ends_of_bins(np.array([0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.4]), 2)
    [3, 5, 7]
    """
    changes = np.append(np.flatnonzero(np.diff(doubts)) + 1, len(doubts))
    ends: list[int] = []
    while (begin := ends[-1] if ends else 0) < len(doubts):
        at = min(int(np.searchsorted(changes, begin + least)), len(changes) - 1)
        end = int(changes[at])
        if len(doubts) - end < least:  # the rest is too small for a bin of its own
            end = len(doubts)
        ends.append(end)
    return ends


@dataclass(frozen=True, eq=False)
class Calibration:
    """The reliability of tags of known and of unknown words, None if too few were held out, and of all words."""

    known: Reliability | None
    unknown: Reliability | None
    all_words: Reliability | None

    def by_all_words(self, is_known: np.ndarray) -> np.ndarray:
        """Return whether the confidence in a tag is that of all words, because too few of its kind were held out."""
        by_all: np.ndarray = np.where(is_known, self.known is None, self.unknown is None)
        return by_all & (self.all_words is not None)

    def confidence(self, doubts: np.ndarray, is_known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how often a tag with this doubt is right, and how many words say so: NaN and 0 if none do."""
        confidence, n_held_out = np.full(len(doubts), np.nan), np.zeros(len(doubts), np.int64)
        for own, rows in ((self.known, is_known), (self.unknown, ~is_known)):
            groups = own or self.all_words
            if groups is not None:
                group = groups.of(doubts[rows])
                confidence[rows], n_held_out[rows] = groups.accuracy[group], groups.n_words[group]
        return confidence, n_held_out


def calibrate(model: Tagging, *, n_jobs: int = 1) -> Calibration:
    """Measure how often the tags of a model are right, by models like it that were trained on parts of its corpus."""
    corpus = model.corpus
    return calibration_by(corpus.first, corpus.take, lambda some: model.retrain(corpus.take(some)), n_jobs=n_jobs)


def calibration_by(
    first: np.ndarray,
    taken: Callable[[np.ndarray], Sentences],
    trained_on: Callable[[np.ndarray], Tagging],
    *,
    n_jobs: int = 1,
) -> Calibration:
    """Measure how often tags are right, given some sentences of a corpus, and models that were trained on some.

    The sentences are given by number; `first` is the first token of each of them, and last the number of tokens.
    """
    doubts, is_right, is_known = [np.empty(0)], [np.empty(0, bool)], [np.empty(0, bool)]
    for learnt, held_out in parts(first):
        text, trained = taken(held_out), trained_on(learnt)
        tags, doubt = trained.tag_with_doubts(text.untagged(), n_jobs=n_jobs)
        doubts.append(doubt)
        is_right.append(tags == _codes_of_tags(text, trained))
        is_known.append(trained.is_known(text.untagged()))
    all_doubts, right, known = np.concatenate(doubts), np.concatenate(is_right), np.concatenate(is_known)
    groups = [reliability(all_doubts[rows], right[rows]) for rows in (known, ~known)]
    together = reliability(all_doubts, right, least=max(min(LEAST_WORDS, len(right)), 1))
    return Calibration(groups[0], groups[1], together)


def _codes_of_tags(text: Sentences, model: Tagging) -> np.ndarray:
    """Return the index of each token's true tag among those of a model; a tag that it does not know fits none."""
    assert text.tags is not None
    tags = model.lexicon.tags
    codes = tags.encode(text.tags.dictionary).astype(np.int64)
    of_tokens: np.ndarray = np.where(codes == tags.unknown, -1, codes)[codes_in(text.tags)]
    return of_tokens


def parts(first: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield sentences to learn from and sentences to hold out, given the first token of each and the number of tokens.

    Neighbouring sentences stay together, because those of one article share words that a new text does not have.
    """
    n, lengths = int(first[-1]), np.diff(first)
    if n <= FEW_WORDS:
        part = np.minimum(N_PARTS * first[:-1] // max(n, 1), N_PARTS - 1)
        for i in np.unique(part).tolist():
            if first[-1] > lengths[part == i].sum() > 0:
                yield np.flatnonzero(part != i), np.flatnonzero(part == i)
        return
    # Runs of sentences are held out. A model of some of the others is a little less accurate, so the confidence is
    # rather too low than too high, and takes less time.
    is_held_out = first[:-1] % (n // N_RUNS) < N_HELD_OUT // N_RUNS
    step = min(max((n - N_HELD_OUT) // ENOUGH_WORDS, 1), MOST_LEFT_OUT)
    yield np.flatnonzero(~is_held_out)[::step], np.flatnonzero(is_held_out)
