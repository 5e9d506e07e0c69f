"""How well chunks are found: precision, recall and F over whole chunks, as the CoNLL shared tasks count them.

A chunk is a run of tokens of one type. Labels are `B-NP` (begins a chunk), `I-NP` (inside of one) and `O`; also `E-NP`
(its end) and `S-NP` (alone), and `I-` may begin a chunk where nothing before it is one of its type, so that all the
usual schemes are read. A chunk is right if its two ends and its type are.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

OUTSIDE = "O"
Chunk = tuple[int, int, str]  # the first token, the one behind the last, the type


@dataclass(frozen=True)
class ChunkScore:
    """How one type of chunk fared."""

    type: str
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
        total = self.n_actual + self.n_answered
        return 2 * self.n_right / total if total else 0.0

    def to_dict(self) -> dict[str, Any]:
        shares = {"precision": self.precision, "recall": self.recall, "f_score": self.f_score}
        return vars(self) | shares


@dataclass(frozen=True)
class ChunkScores:
    """The score of all chunks together, and of each type."""

    all: ChunkScore
    per_type: tuple[ChunkScore, ...]

    def to_dict(self) -> dict[str, Any]:
        return self.all.to_dict() | {"per_type": [score.to_dict() for score in self.per_type]}


def are_chunks(labels: Sequence[str]) -> bool:
    """Whether labels mark chunks: all are O, B-…, I-…, E-… or S-…, and some are not O.

    >>> are_chunks(["O", "B-NP", "I-NP"]), are_chunks(["NN", "O"]), are_chunks(["O"])
    (True, False, False)
    """
    distinct = set(labels) - {OUTSIDE}
    return bool(distinct) and all(label[:2] in ("B-", "I-", "E-", "S-") and label[2:] for label in distinct)


def chunks_of(labels: Sequence[str]) -> list[Chunk]:
    """Return the chunks of one sentence.

    >>> chunks_of(["B-NP", "I-NP", "O", "I-VP", "B-VP", "I-NP"])
    [(0, 2, 'NP'), (3, 4, 'VP'), (4, 5, 'VP'), (5, 6, 'NP')]
    """
    found: list[Chunk] = []
    start = None
    before, type_before = OUTSIDE, ""
    for i, label in enumerate([*labels, OUTSIDE]):
        place, _, type = label.partition("-")
        ends = type != type_before or place in ("B", "S", OUTSIDE) or before in ("E", "S")
        if start is not None and ends:
            found.append((start, i, type_before))
            start = None
        if start is None and place != OUTSIDE:
            start = i
        before, type_before = place, type
    return found


def chunk_scores(actual: Sequence[Sequence[str]], answered: Sequence[Sequence[str]]) -> ChunkScores:
    """Return how well the chunks of sentences were found.

    >>> chunk_scores([["B-NP", "I-NP", "B-VP"]], [["B-NP", "B-NP", "B-VP"]]).all.f_score
    0.4
    """
    n_actual: Counter[str] = Counter()
    n_answered: Counter[str] = Counter()
    n_right: Counter[str] = Counter()
    for wanted, got in zip(actual, answered, strict=True):
        real, found = chunks_of(wanted), chunks_of(got)
        n_actual.update(type for _, _, type in real)
        n_answered.update(type for _, _, type in found)
        n_right.update(type for _, _, type in set(real) & set(found))
    types = sorted({*n_actual, *n_answered})
    total = ChunkScore("all", n_actual.total(), n_answered.total(), n_right.total())
    return ChunkScores(total, tuple(ChunkScore(t, n_actual[t], n_answered[t], n_right[t]) for t in types))
