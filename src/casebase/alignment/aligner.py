"""Words aligned with their phonemes: each letter has no, one or two of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from casebase.alignment.dictionary import Pronunciation, checked_pronunciations
from casebase.alignment.probabilities import MOST, batches_of, best_alignments, learned
from casebase.data.checks import is_number, is_whole
from casebase.errors import CasebaseError
from casebase.progress import Progress

SILENT = "_"
BESIDE = "+"  # between two phonemes of one letter
OUTSIDE = "_"  # in windows, before and after the word
N_ROUNDS, TOLERANCE = 50, 1e-4


@dataclass(frozen=True)
class AlignedWord:
    """A word, and the phonemes of each of its letters.

    >>> word = AlignedWord("phone", (("F",), (), ("OW",), ("N",), ()))
    >>> word.sounds, word.phonemes
    (('F', '_', 'OW', 'N', '_'), ('F', 'OW', 'N'))
    """

    word: str
    parts: tuple[tuple[str, ...], ...]

    @property
    def sounds(self) -> tuple[str, ...]:
        """The pronunciation of each letter as a text: `_` if it is silent, `K+S` for two phonemes."""
        return tuple(BESIDE.join(part) or SILENT for part in self.parts)

    @property
    def phonemes(self) -> tuple[str, ...]:
        """The pronunciation of the word."""
        return tuple(phoneme for part in self.parts for phoneme in part)


@dataclass(frozen=True, eq=False)
class Alignment:
    """Aligned words in the order given, and those that have more than two phonemes for each letter.

    `probabilities` has for each letter the probability of each pronunciation, the most probable first, and
    `log_likelihoods` the log likelihood of all words before each round.
    """

    words: tuple[AlignedWord, ...]
    left_out: tuple[Pronunciation, ...]
    probabilities: dict[str, dict[tuple[str, ...], float]] = field(repr=False)
    log_likelihoods: tuple[float, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[AlignedWord]:
        return iter(self.words)

    def strings(self) -> tuple[list[tuple[str, int]], list[str]]:
        """Return every letter as a word and a position, and its pronunciation: X and y of `StringRuleClassifier`."""
        asked = [(one.word, i) for one in self.words for i in range(len(one.word))]
        return asked, [sound for one in self.words for sound in one.sounds]

    def windows(self, n: int = 3) -> tuple[list[list[str]], list[str]]:
        """Return every letter between its `n` neighbours on both sides, and its pronunciation: X and y of a table."""
        if not is_whole(n, 0):
            raise CasebaseError(f"A window has a whole number of letters on both sides, at least 0; got {n!r}.")
        rows = []
        for one in self.words:
            row = [OUTSIDE] * n + list(one.word) + [OUTSIDE] * n
            rows += [row[i : i + 2 * n + 1] for i in range(len(one.word))]
        return rows, [sound for one in self.words for sound in one.sounds]


def window_names(n: int) -> list[str]:
    """Return the names of the letters of a window.

    >>> window_names(2)
    ['l2', 'l1', 'letter', 'r1', 'r2']
    """
    return [*(f"l{i}" for i in range(n, 0, -1)), "letter", *(f"r{i}" for i in range(1, n + 1))]


def phonemes_of(sounds: Sequence[str]) -> tuple[str, ...]:
    """Return the phonemes of a word from the pronunciations of its letters.

    >>> phonemes_of(["T", "AE", "K+S", "_"])
    ('T', 'AE', 'K', 'S')
    """
    return tuple(phoneme for sound in sounds if sound != SILENT for phoneme in sound.split(BESIDE))


def align(
    pronunciations: Any,
    *,
    n_rounds: int = N_ROUNDS,
    tolerance: float = TOLERANCE,
    weights: Any = None,
    progress: Progress | None = None,
) -> Alignment:
    """Align the letters of words with their phonemes, by expectation maximisation.

    Each letter has no, one or two phonemes. A word with more than two phonemes for each letter is left out. The result
    is the same for every order of the words and every machine with the same arithmetic.

    Parameters
    ----------
    pronunciations : list of (word, phonemes)
        Words, each with a list of phonemes or a text of them with blanks between; or what `read_pronunciations` gives.
    n_rounds : int, default=50
        The largest number of rounds.
    tolerance : float, default=0.0001
        The rounds end when the log likelihood grows by less than this share.
    weights : array-like, optional
        A word of weight n counts as n words.

    Examples
    --------
    >>> found = align([("tax", "T AE K S"), ("tea", "T IY"), ("sea", "S IY"), ("eat", "IY T"), ("at", "AE T")])
    >>> [" ".join(word.sounds) for word in found]
    ['T AE K+S', 'T IY _', 'S IY _', 'IY _ T', 'AE T']
    """
    given = checked_pronunciations(pronunciations)
    if not is_whole(n_rounds, 1) or not is_number(tolerance) or not 0.0 <= tolerance < 1.0:
        raise CasebaseError(
            f"n_rounds is at least 1, and tolerance a share below 1; got {n_rounds!r} and {tolerance!r}."
        )
    amounts = np.ones(len(given)) if weights is None else np.asarray(weights, dtype=float)
    if amounts.shape != (len(given),) or not (np.isfinite(amounts).all() and (amounts > 0).all()):
        raise CasebaseError("weights needs a number above 0 for each word.")
    is_short = np.array([len(one.phonemes) <= MOST * len(one.word) for one in given])
    if not is_short.any():
        raise CasebaseError("No word can be aligned: all have more than two phonemes for each letter.")
    words = [one for one, fits in zip(given, is_short) if fits]
    letters = sorted({letter for one in words for letter in one.word})
    phonemes = sorted({phoneme for one in words for phoneme in one.phonemes})
    number, sound = {c: i for i, c in enumerate(letters)}, {p: i for i, p in enumerate(phonemes)}
    # Sums of floating-point numbers depend on the order: words are sorted first.
    order = sorted(range(len(words)), key=lambda i: (words[i].word, words[i].phonemes))
    batches = batches_of(
        [[number[c] for c in words[i].word] for i in order],
        [[sound[p] for p in words[i].phonemes] for i in order],
        amounts[is_short][order],
        len(letters),
        len(phonemes),
    )
    probability, history = learned(batches, n_rounds=n_rounds, tolerance=tolerance, progress=progress)
    aligned: dict[int, AlignedWord] = {}
    for at, sizes in best_alignments(batches, probability):
        one = words[order[at]]
        ends = np.cumsum([0, *sizes]).tolist()
        aligned[order[at]] = AlignedWord(one.word, tuple(one.phonemes[a:b] for a, b in pairwise(ends)))
    left_out = tuple(one for one, fits in zip(given, is_short) if not fits)
    table = _table(probability.reshape(len(letters), -1), letters, phonemes)
    return Alignment(tuple(aligned[i] for i in range(len(words))), left_out, table, tuple(history))


def _table(
    probability: np.ndarray, letters: Sequence[str], phonemes: Sequence[str]
) -> dict[str, dict[tuple[str, ...], float]]:
    n = len(phonemes)

    def named(sound: int) -> tuple[str, ...]:
        if sound <= n:
            return (phonemes[sound - 1],) if sound else ()
        return phonemes[(sound - 1 - n) // n], phonemes[(sound - 1 - n) % n]

    table = {}
    for letter, row in zip(letters, probability):
        used = np.flatnonzero(row > 0)
        used = used[np.argsort(-row[used], kind="stable")]
        table[letter] = {named(int(sound)): float(row[sound]) for sound in used}
    return table
