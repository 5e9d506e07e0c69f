"""Hyphenated words: `hy-phen-a-tion` as its letters and the places of its breaks.

Words are composed and in lower case (see `letters`). The weights of duplicates add up. A word that occurs with
different hyphens is a contradiction: the hyphenation with the largest weight is kept (of equals the first in the
alphabet), and the others are reported.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from casebase.errors import CasebaseError, FormatError
from casebase.strings.letters import compose, fold_case, is_mark

HYPHEN = "-"
SOFT_HYPHENS = {"\u00ad": "a soft hyphen (U+00AD)", "\u2010": "a hyphen of its own (U+2010)"}
SEPARATORS = ",;/"  # signs of a table or a tagged text instead of a list of words
N_SHOWN = 40  # letters of a word in an error message


@dataclass(frozen=True)
class Contradiction:
    """A word with different hyphenations in the list: the one that is kept, and the others."""

    kept: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class HyphenatedWords:
    """Distinct words in alphabetical order, each with the places of its breaks and its weight.

    Place 2 lies between the second and the third character.

    >>> words = hyphenated_words(["ta-lo", "a-pu", "ta-lo"])
    >>> words.words, words.places, words.weights.tolist(), words.n_duplicates
    (('apu', 'talo'), ((1,), (2,)), [1.0, 2.0], 1)
    """

    words: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]
    weights: np.ndarray
    n_duplicates: int = 0
    contradictions: tuple[Contradiction, ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    def with_hyphens(self, hyphen: str = HYPHEN) -> list[str]:
        """Return the words with their hyphens."""
        return [with_hyphens(word, places, hyphen) for word, places in zip(self.words, self.places)]


def with_hyphens(word: str, places: Iterable[int], hyphen: str = HYPHEN) -> str:
    """Return the word with a hyphen at each place.

    >>> with_hyphens("talossa", [2, 5])
    'ta-los-sa'
    """
    cuts = [0, *places, len(word)]
    return hyphen.join(word[a:b] for a, b in pairwise(cuts))


def hyphenated_words(
    words: Iterable[str],
    weights: Sequence[float] | np.ndarray | None = None,
    *,
    hyphen: str = HYPHEN,
    names: Sequence[str] | None = None,
) -> HyphenatedWords:
    """Return the distinct words of a list, with its duplicates and contradictions.

    A word without a hyphen is valid: it has no breaks. `names` say where each word comes from, for error messages.
    """
    check_hyphen(hyphen)
    words = _as_list(words)
    amounts = _check_weights(weights, len(words))
    weight_of: dict[str, dict[tuple[int, ...], float]] = {}
    for i, word in enumerate(words):
        try:
            letters, places = parse_word(word, hyphen)
        except CasebaseError as error:
            raise FormatError(f"{names[i] if names else f'word {i + 1}'}: {error}") from None
        spellings = weight_of.setdefault(letters, {})
        spellings[places] = spellings.get(places, 0.0) + float(amounts[i])
    contradictions, distinct, breaks, totals = [], [], [], []
    for letters in sorted(weight_of):
        spellings = weight_of[letters]
        ranking = sorted(spellings, key=lambda places: (-spellings[places], with_hyphens(letters, places)))
        if len(ranking) > 1:
            kept, *others = [with_hyphens(letters, places, hyphen) for places in ranking]
            contradictions.append(Contradiction(kept, tuple(others)))
        distinct.append(letters)
        breaks.append(ranking[0])
        totals.append(spellings[ranking[0]])
    n_spellings = sum(len(spellings) for spellings in weight_of.values())
    return HyphenatedWords(
        tuple(distinct), tuple(breaks), np.array(totals, dtype=float), len(words) - n_spellings, tuple(contradictions)
    )


def parse_word(word: str, hyphen: str = HYPHEN) -> tuple[str, tuple[int, ...]]:
    """Return the letters of a hyphenated word, and the places of its hyphens.

    >>> parse_word("hy-phen-a-tion")
    ('hyphenation', (2, 6, 7))
    """
    if not isinstance(word, str):
        raise CasebaseError(f"expected a word such as 'hy-phen', got {type(word).__name__}.")
    parts = word.strip().split(hyphen)
    if not all(parts):
        raise CasebaseError(_hyphen_error(word.strip(), hyphen))
    letters = compose("".join(parts))
    if letters.isascii() and letters.isalpha():  # the common word: nothing can be wrong with it
        return letters.lower(), tuple(accumulate(len(part) for part in parts[:-1]))
    separator = next((letter for letter in letters if letter in SEPARATORS), None)
    if separator is not None:
        raise CasebaseError(
            f"{_quote(word)} has {separator!r} inside. Expected one hyphenated word a line, such as 'hy-phen', and at "
            "most a tab and its weight behind it."
        )
    check_letters(letters)
    parts = [compose(part) for part in parts]
    # Composing the whole word may join letters across a hyphen; then the hyphen lies inside a letter.
    joins_letters = any(is_mark(part[0]) for part in parts[1:]) or sum(map(len, parts)) != len(letters)
    if joins_letters:
        raise CasebaseError(f"{_quote(word)} has a hyphen inside of a letter (before a combining mark).")
    return fold_case(letters), tuple(accumulate(len(part) for part in parts[:-1]))


def check_letters(word: str) -> None:
    """Refuse a word with characters that no pattern can contain."""
    if "." in word:
        raise CasebaseError(f"{_quote(word)} has a full stop, which stands for the edge of a word in patterns.")
    if any(letter.isspace() or letter == "\0" for letter in word):
        raise CasebaseError(f"{_quote(word)} has a blank (or NUL) inside. Give one word at a time.")
    for letter in SOFT_HYPHENS:
        if letter in word:
            raise CasebaseError(
                f"{_quote(word)} has {SOFT_HYPHENS[letter]} among its letters. If it is the hyphen of the list, say so "
                "(hyphen=…, --hyphen); else leave it out."
            )
    if any("\ud800" <= letter <= "\udfff" for letter in word):
        raise CasebaseError(f"{_quote(word)} has half of a character (a lone surrogate). Decode the text as UTF-8.")


def check_hyphen(hyphen: str) -> None:
    """Refuse a hyphen that is not one character."""
    if not isinstance(hyphen, str) or len(hyphen) != 1 or hyphen.isspace() or is_mark(hyphen):
        raise CasebaseError(f"The hyphen is one character, such as '-'; got {hyphen!r}.")


def _hyphen_error(word: str, hyphen: str) -> str:
    if not word:
        return "expected a word, got nothing."
    if not word.replace(hyphen, ""):
        return f"{_quote(word)} has only hyphens, and no letter."
    where = "two hyphens in a row" if hyphen * 2 in word.strip(hyphen) else "a hyphen at its edge"
    return f"{_quote(word)} has {where}; a hyphen stands between two letters."


def _quote(word: str) -> str:
    return repr(word if len(word) <= N_SHOWN else word[:N_SHOWN] + "…")


def _as_list(words: Iterable[str]) -> list[str]:
    if isinstance(words, str):
        raise CasebaseError("Expected a list of hyphenated words, got one text. Give words.splitlines() or [word].")
    try:
        words = list(words)
    except TypeError:
        raise CasebaseError(f"Expected a list of hyphenated words, got {type(words).__name__}.") from None
    if not words:
        raise CasebaseError("There are no words. Give at least one hyphenated word, such as 'hy-phen-a-tion'.")
    return words


def _check_weights(weights: Sequence[float] | np.ndarray | None, n: int) -> np.ndarray:
    if weights is None:
        return np.ones(n)
    try:
        numbers = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        raise CasebaseError("weights must be numbers, one for each word.") from None
    if numbers.shape != (n,):
        raise CasebaseError(f"weights has one number for each word: expected {n}, got shape {numbers.shape}.")
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers > 0)))
    if len(wrong):
        raise CasebaseError(f"The weight of word {wrong[0] + 1} must be above 0, got {numbers[wrong[0]]}.")
    return numbers
