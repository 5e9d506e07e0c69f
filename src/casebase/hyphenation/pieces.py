"""Examples and concepts of hyphenation: the places inside words, and the pieces of a word around a place.

An example is a place between two letters of a word; it is positive if the word may be broken there. A concept is a
substring of the word that touches or spans the place, edges included, with the place marked: `hy-p`, `.hy-`, `-phen`;
or the same piece with every letter replaced by its class. Its extent is all examples in which the piece occurs around
the place.

Of pieces with the same extent only one is kept: the shortest, then the first in the alphabet. A piece with the same
extent as a shorter one inside it is never generated (see the kernel), so the pieces of a language are found in seconds.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase import _native
from casebase.errors import CasebaseError, unknown_name
from casebase.hyphenation.letters import is_mark
from casebase.hyphenation.patterns import EDGE, NO_LETTER, Pattern
from casebase.hyphenation.words import HYPHEN, HyphenatedWords
from casebase.rules.concepts import Concepts, merged

# Among equally cheap rules the search takes the default with the smaller label: do not break what is unknown.
FORBIDDEN, ALLOWED = 0, 1
N_AROUND = 30  # letters shown on each side of a place in a very long word
LONGEST = 24  # the default maximum length of a piece, edges included
COSTS = ("unit", "length")


@dataclass(frozen=True, eq=False)
class Examples:
    """The places of all words where a break is possible, in the order of the words.

    All words are concatenated to one text, each between two edges; `rows` has its letters and, if there are any, their
    classes. Example x lies in word `word[x]`, before letter `place[x]` of the text.
    """

    words: HyphenatedWords
    rows: tuple[np.ndarray, ...]
    first: np.ndarray
    word: np.ndarray
    place: np.ndarray
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.place)

    @property
    def weights(self) -> np.ndarray:
        """The weight of each example: that of its word."""
        weights: np.ndarray = self.words.weights[self.word]
        return weights

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The rows as texts, for searching."""
        return tuple(as_text(row) for row in self.rows)

    @cached_property
    def at_place(self) -> np.ndarray:
        """The example at each place of the text, -1 if there is none."""
        example = np.full(len(self.rows[0]) + 1, -1, dtype=np.int64)
        example[self.place] = np.arange(len(self.place))
        return example

    def extent(self, pattern: Pattern) -> np.ndarray:
        """Return the examples that a pattern matches, ascending."""
        if pattern.is_classes and len(self.rows) < 2:
            return np.zeros(0, dtype=np.int64)
        lookahead = re.compile(f"(?={re.escape(pattern.text)})")
        begins = [match.start() for match in lookahead.finditer(self.texts[pattern.is_classes])]
        found = self.at_place[np.array(begins, dtype=np.int64) + pattern.offset]
        return np.unique(found[found >= 0])

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
    rows = (letters,) if classes is None else (letters, _classes_of(text, classes))
    return Examples(
        words, rows, first, word[place], place.astype(np.uint32), np.where(is_break[place], ALLOWED, FORBIDDEN)
    )


@dataclass(frozen=True, eq=False)
class PieceConcepts:
    """Concepts that are pieces of words, and the position of one occurrence of each.

    Concept i is `rows[row[i]]` from `before[i]` letters before `place[i]` to `after[i]` letters after it.
    """

    concepts: Concepts
    rows: tuple[np.ndarray, ...]
    row: np.ndarray
    place: np.ndarray
    before: np.ndarray
    after: np.ndarray

    def pattern(self, concept: int, level: int) -> Pattern:
        """Return the pattern of a concept at a level."""
        begin = int(self.place[concept]) - int(self.before[concept])
        end = int(self.place[concept]) + int(self.after[concept])
        is_classes = bool(self.row[concept])
        return Pattern(as_text(self.rows[is_classes][begin:end]), int(self.before[concept]), level, is_classes)


def piece_concepts(
    examples: Examples,
    window: np.ndarray,
    *,
    cost: str = "unit",
    max_length: int | None = None,
    max_class_length: int | None = None,
    forbidden: Iterable[Pattern] = (),
) -> PieceConcepts:
    """Return the concepts of the examples in a window; extents number the examples by their position in the window.

    The `cost` of a concept is 1, or its number of letters. Pieces have at most `max_length` letters, edges included
    (24 by default), pieces of classes at most `max_class_length`. Forbidden pieces are left out; a longer piece with
    the same extent may take their place.
    """
    word = examples.word[window]
    longest = LONGEST if max_length is None else max_length
    lengths = [longest, longest if max_class_length is None else min(longest, max_class_length)]
    found = _native.find_pieces(
        examples.rows,
        examples.place[window],
        examples.first[word].astype(np.uint32),
        examples.first[word + 1].astype(np.uint32),
        lengths[: len(examples.rows)],
        ord(HYPHEN),
        [(int(p.is_classes), as_codes(str(p)).tolist()) for p in forbidden],
    )
    costs = (found["before"] + found["after"]).astype(float) if cost == "length" else np.ones(len(found["row"]))
    concepts, kept = merged(Concepts(found["first"], found["examples"], costs))
    return PieceConcepts(concepts, examples.rows, *(found[name][kept] for name in ("row", "place", "before", "after")))


def checked_cost(cost: object) -> str:
    """Return the name of a cost; refuse unknown ones."""
    if cost not in COSTS:
        raise CasebaseError(unknown_name("cost", cost, COSTS))
    return str(cost)


def as_codes(text: str) -> np.ndarray:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)


def as_text(codes: np.ndarray) -> str:
    """Return the text of code points."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _classes_of(text: str, classes: Mapping[str, str]) -> np.ndarray:
    """Return the classes of the letters of a text; edges stay, and letters without a class match nothing."""
    table = {ord(letter): name for letter, name in classes.items()}
    table |= {ord(letter): NO_LETTER for letter in set(text) if letter not in classes}
    return as_codes(text.translate(table | {ord(EDGE): EDGE}))


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
