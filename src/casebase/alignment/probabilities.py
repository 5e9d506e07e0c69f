"""Expectation maximisation: how probable it is that a letter is pronounced as no, one or two phonemes.

An alignment of a word gives each of its letters the next 0, 1 or 2 phonemes, in order, until none are left. Its
probability is the product of P(phonemes | letter) over its letters. At first all phonemes that a letter can have in
some alignment are equally probable. Then, repeatedly, each alignment of a word counts by its share of the probability
of all alignments of that word (forward and backward sums), and the probabilities are those of the counts.

Words with equal numbers of letters and phonemes are computed together, as rows of arrays.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from casebase.measures import functions
from casebase.progress import Progress

MOST = 2  # phonemes of a letter


@dataclass(frozen=True, eq=False)
class Batch:
    """Words with equal numbers of letters and phonemes, in codes; `words` are their positions.

    `cells[k]` has for each word, letter and number j of phonemes so far the cell of "this letter has the k phonemes
    that end at j": the index of the pair (letter, phonemes) in the table of probabilities.
    """

    words: np.ndarray
    n_letters: int
    n_phonemes: int
    cells: tuple[np.ndarray, ...]
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class Batches:
    """All words in batches, and the size of the table: letters, and what a letter can be pronounced as.

    Pronunciation 0 is silence, 1 + p is phoneme p, and 1 + n + p n + q is phonemes p and q, of n phonemes.
    """

    batches: tuple[Batch, ...]
    n_letters: int
    n_phonemes: int

    @property
    def n_sounds(self) -> int:
        """The number of pronunciations of a letter."""
        return 1 + self.n_phonemes + self.n_phonemes**2

    @property
    def n_cells(self) -> int:
        return self.n_letters * self.n_sounds


def batches_of(
    letters: Sequence[Sequence[int]],
    phonemes: Sequence[Sequence[int]],
    weights: np.ndarray,
    n_letters: int,
    n_phonemes: int,
) -> Batches:
    """Return coded words in batches, those first that have the fewest letters, then phonemes."""
    shapes: dict[tuple[int, int], list[int]] = {}
    for i, (word, sounds) in enumerate(zip(letters, phonemes)):
        shapes.setdefault((len(word), len(sounds)), []).append(i)
    found = []
    for n, m in sorted(shapes):
        words = np.array(shapes[n, m])
        rows = np.array([letters[i] for i in words], dtype=np.int64)[:, :, None] * (1 + n_phonemes + n_phonemes**2)
        said = np.array([phonemes[i] for i in words], dtype=np.int64).reshape(len(words), m)
        none = np.broadcast_to(rows, (len(words), n, m + 1))
        one = rows + 1 + said[:, None, :]
        two = rows + 1 + n_phonemes + (said[:, :-1] * n_phonemes + said[:, 1:])[:, None, :]
        found.append(Batch(words, n, m, (none, one, two), weights[words]))
    return Batches(tuple(found), n_letters, n_phonemes)


def expected_counts(batches: Batches, probability: np.ndarray) -> tuple[np.ndarray, float]:
    """Return how often each cell is expected to be used, and the log likelihood of the words."""
    counts, total = np.zeros(batches.n_cells), 0.0
    for batch in batches.batches:
        costs = [probability[cells] for cells in batch.cells]
        forward, scale = _forward(batch, costs)
        backward = _backward(batch, costs)
        total += float((functions.log(scale) * batch.weights[:, None]).sum())
        before, after = np.stack(forward[:-1], axis=1), np.stack(backward[1:], axis=1)
        used = [
            before[:, :, : batch.n_phonemes + 1 - k] * costs[k] * after[:, :, k:]
            for k in range(min(MOST, batch.n_phonemes) + 1)
        ]
        share = batch.weights[:, None] / sum(part.sum(axis=2) for part in used)
        for cells, part in zip(batch.cells, used):
            counts += np.bincount(cells.ravel(), (part * share[:, :, None]).ravel(), minlength=len(counts))
    return counts, total


def _forward(batch: Batch, costs: list[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the sums over the alignments of the first letters, scaled to 1, by letter; and the scales."""
    row = np.zeros((len(batch.words), batch.n_phonemes + 1))
    row[:, 0] = 1.0
    rows, scales = [row], np.ones((len(batch.words), batch.n_letters))
    for i in range(batch.n_letters):
        row = _stepped(row, [one[:, i] for one in costs], batch.n_phonemes)
        if i + 1 == batch.n_letters:
            row[:, :-1] = 0.0  # all phonemes are used at the end
        scales[:, i] = row.sum(axis=1)
        row = row / scales[:, i, None]
        rows.append(row)
    return rows, scales


def _stepped(row: np.ndarray, costs: list[np.ndarray], n_phonemes: int) -> np.ndarray:
    after: np.ndarray = row * costs[0]
    for k in range(1, min(MOST, n_phonemes) + 1):
        after[:, k:] += row[:, :-k] * costs[k]
    return after


def _backward(batch: Batch, costs: list[np.ndarray]) -> list[np.ndarray]:
    """Return the sums over the alignments of the last letters, scaled to 1, by letter."""
    row = np.zeros((len(batch.words), batch.n_phonemes + 1))
    row[:, -1] = 1.0
    rows = [row]
    for i in range(batch.n_letters - 1, -1, -1):
        before = row * costs[0][:, i]
        for k in range(1, min(MOST, batch.n_phonemes) + 1):
            before[:, :-k] += row[:, k:] * costs[k][:, i]
        row = before / before.sum(axis=1, keepdims=True)
        rows.append(row)
    return rows[::-1]


def learned(
    batches: Batches, *, n_rounds: int, tolerance: float, progress: Progress | None = None
) -> tuple[np.ndarray, list[float]]:
    """Return the probability of each cell, and the log likelihood of the words before each round.

    It ends after `n_rounds`, or when the log likelihood grows by less than the share `tolerance`.
    """
    probability = np.zeros(batches.n_cells)
    for batch in batches.batches:
        for k, cells in enumerate(batch.cells):
            if k <= batch.n_phonemes:
                probability[cells] = 1.0
    probability = normalised(probability, batches)
    history: list[float] = []
    for number in range(n_rounds):
        counts, total = expected_counts(batches, probability)
        history.append(total)
        probability = normalised(counts, batches)
        if progress:
            progress(number + 1, n_rounds)
        if len(history) > 1 and history[-1] - history[-2] < tolerance * abs(history[-2]):
            break
    return probability, history


def normalised(counts: np.ndarray, batches: Batches) -> np.ndarray:
    """Return counts as probabilities of the pronunciations of each letter."""
    table = counts.reshape(batches.n_letters, batches.n_sounds)
    totals = table.sum(axis=1, keepdims=True)
    shares: np.ndarray = np.divide(table, totals, out=np.zeros_like(table), where=totals > 0).ravel()
    return shares


def best_alignments(batches: Batches, probability: np.ndarray) -> Iterator[tuple[int, list[int]]]:
    """Yield each word's position and the number of phonemes of each letter in its most probable alignment.

    Of equally probable ones, the last letter decides, then the one before it: one phoneme before none before two.
    """
    with np.errstate(divide="ignore"):
        score = functions.log2(probability)
    for batch in batches.batches:
        row = np.full((len(batch.words), batch.n_phonemes + 1), -np.inf)
        row[:, 0] = 0.0
        choices = []
        for i in range(batch.n_letters):
            options = np.full((MOST + 1, *row.shape), -np.inf)
            for k in range(min(MOST, batch.n_phonemes) + 1):
                options[k][:, k:] = row[:, : batch.n_phonemes + 1 - k] + score[batch.cells[k][:, i]]
            in_order = options[[1, 0, 2]]
            choice = in_order.argmax(axis=0)
            row = np.take_along_axis(in_order, choice[None], axis=0)[0]
            choices.append(np.array([1, 0, 2])[choice])
        at = np.full(len(batch.words), batch.n_phonemes)
        sizes = np.zeros((len(batch.words), batch.n_letters), dtype=np.int64)
        for i in range(batch.n_letters - 1, -1, -1):
            sizes[:, i] = choices[i][np.arange(len(at)), at]
            at = at - sizes[:, i]
        yield from zip(batch.words.tolist(), sizes.tolist())
