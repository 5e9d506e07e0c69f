"""Compiled pieces: which of them occur in many strings, in one call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from casebase import _native
from casebase.strings.piece import Piece
from casebase.strings.texts import as_codes, offsets

NO_PLACE = 0xFFFFFFFF


@dataclass(frozen=True, eq=False)
class PlacesAsked:
    """Concatenated strings without edges, and for each example its string and the place in it."""

    letters: np.ndarray
    first: np.ndarray
    word: np.ndarray
    place: np.ndarray

    @classmethod
    def of(cls, letters: np.ndarray, first: np.ndarray, word: np.ndarray, place: np.ndarray | None) -> "PlacesAsked":
        at = np.full(len(word), NO_PLACE, dtype=np.uint32) if place is None else place.astype(np.uint32)
        return cls(letters, first.astype(np.uint64), word.astype(np.uint32), at)

    @classmethod
    def of_strings(cls, strings: Sequence[str], places: Sequence[int] | None) -> "PlacesAsked":
        """Return strings, each asked about once."""
        place = None if places is None else np.array(places, dtype=np.int64)
        return cls.of(as_codes("".join(strings)), offsets([len(s) for s in strings]), np.arange(len(strings)), place)

    def __len__(self) -> int:
        return len(self.word)


class CompiledPieces:
    """Pieces in a trie of the compiled core, numbered in the order given.

    >>> pieces = CompiledPieces([Piece("ti", 0, 0), Piece("t", 0, 0)])
    >>> pieces.first_match(PlacesAsked.of_strings(["nation", "take", "do"], [2, 0, 0])).tolist()
    [0, 1, 2]
    """

    def __init__(
        self, pieces: Sequence[Piece], classes: Mapping[str, str] | None = None, has_edges: bool = True
    ) -> None:
        table = classes or {}
        self._native = _native.StringPatterns(
            as_codes("".join(piece.text for piece in pieces)),
            offsets([len(piece.text) for piece in pieces]),
            np.array([piece.kind for piece in pieces], dtype=np.uint8),
            np.array([piece.offset or 0 for piece in pieces], dtype=np.uint32),
            as_codes("".join(table)),
            as_codes("".join(table.values())),
            has_edges,
        )

    def first_match(self, asked: PlacesAsked, n_jobs: int = 1) -> np.ndarray:
        """Return the first of the pieces that occurs in each example; their number if none does."""
        return self._native.first_match(asked.letters, asked.first, asked.word, asked.place, n_jobs).astype(np.int64)

    def matches(self, asked: PlacesAsked) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs of a piece and an example in which it occurs, by example, then by piece."""
        piece, example = self._native.matches(asked.letters, asked.first, asked.word, asked.place)
        return piece.astype(np.int64), example.astype(np.int64)
