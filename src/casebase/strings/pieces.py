"""Examples and concepts of rules over strings: strings with the place asked about, and pieces of them.

An example is a string, and a place in it if one is asked about: before one of its letters, or at its end. A concept is
a substring that touches or spans the place, with the place marked (`hy-p`, `.hy-`, `-phen`), or one that occurs
anywhere in the string, but does not reach over the place. It may contain the edges of the string. Its letters may be
replaced by their classes: all of them, or all but the letter at the place. Its extent is all examples in which it
occurs.

Of pieces with the same extent only one is kept: the shortest, then the first in the alphabet. A piece with the same
extent as a shorter one inside it is never generated (see the kernel), so the pieces of a language are found in seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase import _native
from casebase.errors import CasebaseError, unknown_name
from casebase.rules.concepts import Concepts, merged
from casebase.strings.matcher import CompiledPieces, PlacesAsked
from casebase.strings.piece import (
    ANYWHERE,
    AROUND,
    CLASSES,
    CLASSES_ANYWHERE,
    LETTERS,
    LETTERS_ANYWHERE,
    Piece,
    is_classes,
)
from casebase.strings.texts import as_codes, as_text

LONGEST = 24  # the default maximum length of a piece, edges included
COSTS = ("unit", "length")


@dataclass(frozen=True, eq=False, kw_only=True)
class StringExamples:
    """Strings, and the places asked about in them.

    All strings are concatenated to one text, each between two edges if `has_edges`; `rows` has its letters and, if
    there are `classes`, those of the letters. Example x lies in string `word[x]`, before letter `place[x]` of the text;
    without places, `place` has the first letter of the string.
    """

    rows: tuple[np.ndarray, ...]
    first: np.ndarray
    word: np.ndarray
    place: np.ndarray
    classes: dict[str, str] | None = None
    has_edges: bool = True
    has_places: bool = True

    def __len__(self) -> int:
        return len(self.place)

    @cached_property
    def asked(self) -> PlacesAsked:
        """The strings without their edges, and the places in them, for the matcher."""
        first, letters = self.first.astype(np.int64), self.rows[0]
        if self.has_edges:
            is_edge = np.zeros(len(letters), dtype=bool)
            is_edge[first[:-1]] = is_edge[first[1:] - 1] = True
            letters = np.ascontiguousarray(letters[~is_edge])
            first = first - 2 * np.arange(len(first))
        place = None
        if self.has_places:
            place = self.place.astype(np.int64) - self.first.astype(np.int64)[self.word] - int(self.has_edges)
        return PlacesAsked.of(letters, first, self.word, place)

    def extent(self, piece: Piece) -> np.ndarray:
        """Return the examples in which a piece occurs, ascending."""
        if is_classes(piece.kind) and self.classes is None:
            return np.zeros(0, dtype=np.int64)
        return CompiledPieces([piece], self.classes, self.has_edges).matches(self.asked)[1]


@dataclass(frozen=True)
class Choice:
    """Which pieces a rule may use, and their cost: 1, or the number of letters.

    Pieces have at most `max_length` letters, edges included (24 by default), pieces of classes at most
    `max_class_length`. If `anywhere`, pieces need not touch the place; if `around`, pieces of classes may have the
    letter at the place as it is. Forbidden pieces are left out; a longer piece with the same extent may take their
    place. `mark` is the sign of the place in names.
    """

    cost: str = "unit"
    max_length: int | None = None
    max_class_length: int | None = None
    anywhere: bool = False
    around: bool = False
    forbidden: tuple[Piece, ...] = ()
    mark: str = "-"


@dataclass(frozen=True, eq=False)
class PieceConcepts:
    """Concepts that are pieces of strings, and the position of one occurrence of each.

    Concept i is a text of `rows` from `before[i]` letters before `place[i]` to `after[i]` letters after it.
    """

    concepts: Concepts
    rows: tuple[np.ndarray, ...]
    kind: np.ndarray
    place: np.ndarray
    before: np.ndarray
    after: np.ndarray

    def piece(self, concept: int) -> Piece:
        """Return the piece of a concept."""
        kind, place, before = int(self.kind[concept]), int(self.place[concept]), int(self.before[concept])
        begin, end = place - before, place + int(self.after[concept])
        text = as_text(self.rows[is_classes(kind)][begin:end])
        if kind == AROUND:  # the letter at the place stays
            text = text[:before] + as_text(self.rows[0][place : place + 1]) + text[before + 1 :]
        return Piece(text, None if kind >= ANYWHERE else before, kind)


def piece_concepts(examples: StringExamples, window: np.ndarray, choice: Choice | None = None) -> PieceConcepts:
    """Return the concepts of the examples in a window; extents number the examples by their position in the window."""
    choice = choice or Choice()
    word = examples.word[window]
    longest = LONGEST if choice.max_length is None else choice.max_length
    longest_class = longest if choice.max_class_length is None else min(longest, choice.max_class_length)
    found = _native.find_pieces(
        examples.rows,
        examples.place[window],
        examples.first[word].astype(np.uint32),
        examples.first[word + 1].astype(np.uint32),
        [longest, longest_class],
        examples.has_places,
        choice.anywhere or not examples.has_places,
        choice.around,
        ord(choice.mark),
        [(piece.kind, as_codes(piece.written(choice.mark)).tolist()) for piece in choice.forbidden],
    )
    is_long = choice.cost == "length"
    costs = (found["before"] + found["after"]).astype(float) if is_long else np.ones(len(found["kind"]))
    concepts, kept = merged(Concepts(found["first"], found["examples"], costs))
    return PieceConcepts(concepts, examples.rows, *(found[name][kept] for name in ("kind", "place", "before", "after")))


def checked_cost(cost: object) -> str:
    """Return the name of a cost; refuse unknown ones."""
    if cost not in COSTS:
        raise CasebaseError(unknown_name("cost", cost, COSTS))
    return str(cost)


def parse_piece(name: str, mark: str, classes: Sequence[str] = (), *, has_places: bool = True) -> Piece:
    """Return the piece that a user writes as `hy-p`, with a mark at the place, or as `hyp`, for anywhere.

    If all its letters are names of classes, it is one of classes; if all but the one at the place are, it is one of
    classes around that letter.

    >>> parse_piece("hy|p", "|"), parse_piece("|cE", "|", ["K", "E"]).kind, parse_piece("ab", "|").offset
    (Piece(text='hyp', offset=2, kind=0), 2, None)
    """
    text = name.replace(mark, "", 1)
    has_mark = mark in name
    if not text or mark in text or (has_mark and not has_places):
        raise CasebaseError(
            f"A piece is written with one {mark!r} at the place asked about, as 'hy{mark}p', or without one if it may "
            f"be anywhere in the string; got {name!r}."
        )
    at = name.index(mark) if has_mark else None
    letters = [i for i, letter in enumerate(text) if not (letter == "." and i in (0, len(text) - 1))]
    others = [i for i in letters if text[i] not in classes]
    if not has_mark:
        return Piece(text, None, CLASSES_ANYWHERE if letters and not others else LETTERS_ANYWHERE)
    is_around = others == [at] and len(letters) > 1
    return Piece(text, at, CLASSES if letters and not others else AROUND if is_around else LETTERS)
