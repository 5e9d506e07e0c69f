"""The examples of hyphenation: the places between the letters of words.

An example is positive if the word may be broken at its place. Its concepts are the pieces of the word around the place,
edges included: `casebase.strings.pieces` finds them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from casebase.errors import CasebaseError
from casebase.hyphenation.patterns import Pattern
from casebase.hyphenation.words import HYPHEN, HyphenatedWords
from casebase.strings.letters import is_mark
from casebase.strings.pieces import StringExamples
from casebase.strings.texts import EDGE, as_codes, class_codes

# Among equally cheap rules the search takes the default with the smaller label: do not break what is unknown.
FORBIDDEN, ALLOWED = 0, 1
N_AROUND = 30  # letters shown on each side of a place in a very long word


@dataclass(frozen=True, eq=False, kw_only=True)
class Examples(StringExamples):
    """The places of all words where a break is possible, in the order of the words."""

    words: HyphenatedWords
    labels: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        """The weight of each example: that of its word."""
        weights: np.ndarray = self.words.weights[self.word]
        return weights

    def marked_word(self, example: int) -> str:
        """Return the word of an example with a bar at its place.

        >>> from casebase.hyphenation.words import hyphenated_words
        >>> examples_of(hyphenated_words(["ta-lo"]), None).marked_word(1)
        'ta|lo'
        """
        word = int(self.word[example])
        letters, place = self.words.words[word], int(self.place[example]) - int(self.first[word]) - 1
        before, behind = letters[:place], letters[place:]
        if len(before) > N_AROUND:
            before = "…" + before[-N_AROUND:]
        if len(behind) > N_AROUND:
            behind = behind[:N_AROUND] + "…"
        return f"{before}|{behind}"


def examples_of(
    words: HyphenatedWords, classes: Mapping[str, str] | None, left_min: int = 1, right_min: int = 1
) -> Examples:
    """Return the examples of hyphenated words: all places between letters, far enough from the edges.

    >>> from casebase.hyphenation.words import hyphenated_words
    >>> examples = examples_of(hyphenated_words(["ta-lo"]), None)
    >>> [examples.marked_word(x) for x in range(3)], examples.labels.tolist()
    (['t|alo', 'ta|lo', 'tal|o'], [0, 1, 0])
    """
    text = "".join(f"{EDGE}{word}{EDGE}" for word in words.words)
    letters = as_codes(text)
    n_letters = np.array([len(word) for word in words.words], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(n_letters + 2)])
    word = np.repeat(np.arange(len(words)), n_letters + 2)
    inside = np.arange(len(letters)) - first[word] - 1  # the place before each letter of the text
    marks = as_codes("".join(sorted({letter for letter in set(text) if is_mark(letter)})))
    is_place = (inside >= left_min) & (inside <= n_letters[word] - right_min) & ~np.isin(letters, marks)
    place = np.flatnonzero(is_place)
    is_break = np.zeros(len(letters), dtype=bool)
    breaks = [place for places in words.places for place in places]
    owners = np.repeat(np.arange(len(words)), [len(places) for places in words.places])
    is_break[first[owners] + 1 + np.array(breaks, dtype=np.int64)] = True
    return Examples(
        words=words,
        rows=(letters,) if classes is None else (letters, class_codes(text, classes)),
        first=first,
        word=word[place],
        place=place.astype(np.uint32),
        labels=np.where(is_break[place], ALLOWED, FORBIDDEN),
        classes=None if classes is None else dict(classes),
    )


def parse_pattern(name: str, level: int, classes: Sequence[str] = ()) -> Pattern:
    """Return the pattern that a user writes as `hy-p`; if all its letters are names of classes, it is one of classes.

    >>> parse_pattern("hy-p", 1), parse_pattern(".K-E", 1, ["K", "E"]).is_classes
    (Pattern(text='hyp', offset=2, level=1, is_classes=False, support=0.0), True)
    """
    if not isinstance(name, str) or name.count(HYPHEN) != 1 or len(name) < 2:
        raise CasebaseError(f"A pattern is written with one hyphen at the place it decides, as 'hy-p'; got {name!r}.")
    text = name.replace(HYPHEN, "")
    letters = set(text.strip(EDGE))
    return Pattern(text, name.index(HYPHEN), level, is_classes=bool(letters) and letters <= set(classes))
