"""How well words are tagged: known and unknown ones, tag by tag, and which tags are taken for which."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.errors import CasebaseError
from casebase.tagging.chunks import ChunkScores, are_chunks, chunk_scores
from casebase.tagging.sentences import Sentences

N_EXAMPLES = 3
N_AROUND = 3  # words shown on each side of an example


@dataclass(frozen=True)
class Share:
    """How many of some words are tagged rightly."""

    n_words: int
    n_right: int

    @property
    def accuracy(self) -> float | None:
        """The share of right tags; None if there are no such words."""
        return self.n_right / self.n_words if self.n_words else None

    def to_dict(self) -> dict[str, Any]:
        return vars(self) | {"accuracy": self.accuracy}


@dataclass(frozen=True)
class SentenceShare:
    """How many sentences have no wrong tag."""

    n_sentences: int
    n_right: int

    @property
    def accuracy(self) -> float | None:
        """The share of sentences without an error; None if there are none."""
        return self.n_right / self.n_sentences if self.n_sentences else None

    def to_dict(self) -> dict[str, Any]:
        return vars(self) | {"accuracy": self.accuracy}


@dataclass(frozen=True)
class TagScore:
    """The score of one tag."""

    tag: str
    n_actual: int
    n_answered: int
    n_right: int

    @property
    def precision(self) -> float | None:
        return self.n_right / self.n_answered if self.n_answered else None

    @property
    def recall(self) -> float | None:
        return self.n_right / self.n_actual if self.n_actual else None

    @property
    def f_score(self) -> float:
        return 2 * self.n_right / (self.n_actual + self.n_answered)

    def to_dict(self) -> dict[str, Any]:
        return vars(self) | {"precision": self.precision, "recall": self.recall, "f_score": self.f_score}


@dataclass(frozen=True)
class Confusion:
    """How often a tag was taken for another, with a few places where it was; the word stands between `>` and `<`."""

    actual: str
    answered: str
    n: int
    examples: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return vars(self) | {"examples": list(self.examples)}


@dataclass(frozen=True)
class TaggingScores:
    """All words, those that training had seen and those that it had not; sentences without any error."""

    all: Share
    known: Share
    unknown: Share
    sentences: SentenceShare
    per_tag: tuple[TagScore, ...]
    confusions: tuple[Confusion, ...]
    chunks: ChunkScores | None = None
    seconds: float | None = None

    @property
    def accuracy(self) -> float:
        return self.all.n_right / self.all.n_words

    @property
    def words_per_second(self) -> float | None:
        return self.all.n_words / self.seconds if self.seconds else None

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as JSON has them."""
        return {
            "all": self.all.to_dict(),
            "known": self.known.to_dict(),
            "unknown": self.unknown.to_dict(),
            "sentences": self.sentences.to_dict(),
            "per_tag": [score.to_dict() for score in self.per_tag],
            "confusions": [confusion.to_dict() for confusion in self.confusions],
            "chunks": None if self.chunks is None else self.chunks.to_dict(),
            "seconds": self.seconds,
            "words_per_second": self.words_per_second,
        }


def tagging_scores(
    actual: Sentences, answered: Sequence[str], is_known: np.ndarray, *, seconds: float | None = None
) -> TaggingScores:
    """Return how well the words of tagged sentences were tagged.

    `answered` has a tag for every word, `is_known` tells whether training had seen it.

    >>> from casebase.tagging.sentences import sentences_of
    >>> corpus = sentences_of([[("the", "D"), ("run", "N")], [("run", "V")]], tagged=True)
    >>> scores = tagging_scores(corpus, ["D", "V", "V"], np.array([True, True, False]))
    >>> scores.all.accuracy, scores.known.n_right, scores.confusions[0].examples
    (0.6666666666666666, 1, ('the >run<',))
    """
    if actual.tags is None:
        raise CasebaseError("The sentences have no tags to compare with. Expected a tagged corpus.")
    if len(answered) != actual.n_tokens or len(is_known) != actual.n_tokens:
        raise CasebaseError(f"Expected a tag for each of the {actual.n_tokens} words, got {len(answered)}.")
    tags, wanted, got = _coded(actual.tags, answered)
    is_right = wanted == got
    n = len(tags)
    pairs, counts = np.unique(wanted.astype(np.int64) * n + got, return_counts=True)
    rows, columns = pairs // n, pairs % n
    diagonal = np.zeros(n, dtype=np.int64)
    diagonal[rows[rows == columns]] = counts[rows == columns]
    n_actual, n_answered = np.bincount(wanted, minlength=n), np.bincount(got, minlength=n)
    per_tag = tuple(
        TagScore(tags[i], int(n_actual[i]), int(n_answered[i]), int(diagonal[i]))
        for i in sorted(range(n), key=tags.__getitem__)
    )
    wrong = [(int(c), int(r), int(k)) for r, k, c in zip(rows, columns, counts) if r != k]
    wrong.sort(key=lambda one: (-one[0], tags[one[1]], tags[one[2]]))
    examples = _examples(actual, wanted, got, {(r, k) for _, r, k in wrong})
    confusions = tuple(Confusion(tags[r], tags[k], c, examples[r, k]) for c, r, k in wrong)
    wrong_sentences = np.unique(np.searchsorted(actual.first, np.flatnonzero(~is_right), side="right"))
    n_sentences = int((actual.lengths > 0).sum())
    chunks = None
    if are_chunks(tags):
        labels = pa.array(answered, pa.string())
        chunks = chunk_scores(actual.lists(actual.tags), actual.lists(labels))
    return TaggingScores(
        _share(is_right),
        _share(is_right[is_known]),
        _share(is_right[~is_known]),
        SentenceShare(n_sentences, n_sentences - len(wrong_sentences)),
        per_tag,
        confusions,
        chunks,
        seconds,
    )


def _share(is_right: np.ndarray) -> Share:
    return Share(len(is_right), int(is_right.sum()))


def _coded(actual: pa.DictionaryArray, answered: Sequence[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the distinct tags, and a code into them for every actual and every answered tag."""
    predicted = pa.array(answered, pa.string()).dictionary_encode()
    tags = sorted({*actual.dictionary.to_pylist(), *predicted.dictionary.to_pylist()})
    known = pa.array(tags, pa.string())

    def codes_of(column: pa.DictionaryArray) -> np.ndarray:
        place = pc.index_in(column.dictionary.cast(pa.string()), value_set=known).to_numpy(zero_copy_only=False)
        codes: np.ndarray = place[column.indices.to_numpy(zero_copy_only=False)]
        return codes

    wanted, got = codes_of(actual), codes_of(predicted)
    used = np.flatnonzero(np.bincount(np.concatenate([wanted, got]), minlength=len(tags)))
    return [tags[i] for i in used], np.searchsorted(used, wanted), np.searchsorted(used, got)


def _examples(
    actual: Sentences, wanted: np.ndarray, got: np.ndarray, pairs: set[tuple[int, int]]
) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return the first few places of every confusion, in the order of the corpus."""
    found: dict[tuple[int, int], list[str]] = {pair: [] for pair in pairs}
    wrong = np.flatnonzero(wanted != got)
    sentence = np.searchsorted(actual.first, wrong, side="right") - 1
    for token, s in zip(wrong.tolist(), sentence.tolist()):
        places = found[int(wanted[token]), int(got[token])]
        if len(places) < N_EXAMPLES:
            start, end = int(actual.first[s]), int(actual.first[s + 1])
            before = actual.words[max(start, token - N_AROUND) : token].to_pylist()
            behind = actual.words[token + 1 : min(end, token + 1 + N_AROUND)].to_pylist()
            places.append(" ".join([*before, f">{actual.words[token].as_py()}<", *behind]))
    return {pair: tuple(places) for pair, places in found.items()}
