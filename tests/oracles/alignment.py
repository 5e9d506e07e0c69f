"""Letters aligned with phonemes: all alignments of a word, written out.

Each letter has the next 0, 1 or 2 phonemes. The probability of an alignment is the product of P(phonemes | letter).
A round of expectation maximisation counts each alignment of a word by its share of the probability of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log2, prod

Parts = tuple[tuple[str, ...], ...]
Table = Mapping[tuple[str, tuple[str, ...]], float]


def alignments(n_letters: int, phonemes: Sequence[str]) -> Iterator[Parts]:
    """Yield all alignments.

    >>> list(alignments(2, ["A"]))
    [((), ('A',)), (('A',), ())]
    """
    if n_letters == 0:
        if not phonemes:
            yield ()
        return
    for k in range(min(2, len(phonemes)) + 1):
        for rest in alignments(n_letters - 1, phonemes[k:]):
            yield (tuple(phonemes[:k]), *rest)


def cells(word: str, parts: Parts) -> list[tuple[str, tuple[str, ...]]]:
    """Return the pairs of a letter and its phonemes."""
    return list(zip(word, parts))


def uniform(words: Sequence[tuple[str, Sequence[str]]]) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return equal probabilities for the phonemes around each letter: all that stand together in one of its words.

    >>> uniform([("a", ["A"])])
    {('a', ()): 0.5, ('a', ('A',)): 0.5}
    """
    possible: dict[str, set[tuple[str, ...]]] = {}
    for word, phonemes in words:
        for letter in word:
            runs = {tuple(phonemes[i : i + k]) for k in range(3) for i in range(len(phonemes) - k + 1)}
            possible.setdefault(letter, set()).update(runs)
    return {(c, part): 1 / len(parts) for c, parts in sorted(possible.items()) for part in sorted(parts)}


def next_round(words: Sequence[tuple[str, Sequence[str]]], table: Table) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return the probabilities after a round."""
    counts: dict[tuple[str, tuple[str, ...]], float] = {}
    for word, phonemes in words:
        shares = {
            parts: prod(table.get(c, 0.0) for c in cells(word, parts)) for parts in alignments(len(word), phonemes)
        }
        total = sum(shares.values())
        for parts, share in shares.items():
            for cell in cells(word, parts):
                counts[cell] = counts.get(cell, 0.0) + share / total
    totals: dict[str, float] = {}
    for (letter, _), count in counts.items():
        totals[letter] = totals.get(letter, 0.0) + count
    return {cell: count / totals[cell[0]] for cell, count in counts.items()}


def best(word: str, phonemes: Sequence[str], table: Table) -> Parts:
    """Return the most probable alignment; of equal ones the last letter decides: one phoneme, none, then two."""

    def key(parts: Parts) -> tuple[float, list[int]]:
        score = 0.0
        for cell in cells(word, parts):
            score += log2(table[cell]) if table.get(cell) else float("-inf")
        return -score, [(1, 0, 2)[len(part)] for part in reversed(parts)]

    return min(alignments(len(word), phonemes), key=key)
