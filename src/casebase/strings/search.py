"""The search for a hierarchical rule over pieces of strings: rules of pieces in levels, and a default."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from casebase.progress import Progress
from casebase.rules.concepts import Concepts
from casebase.rules.hierarchy import Forced
from casebase.rules.search import find_rule
from casebase.strings.piece import Piece
from casebase.strings.pieces import Choice, PieceConcepts, StringExamples, piece_concepts


@dataclass(frozen=True)
class PieceLevel:
    """The rules of a level, each a piece and a class; `label` is their common class, or `hierarchy.MIXED`."""

    label: int
    rules: tuple[tuple[Piece, int], ...]


@dataclass(frozen=True)
class PieceRule:
    """Levels of pieces, in the order in which they are tried, and the default class."""

    levels: tuple[PieceLevel, ...]
    default: int
    cost: float


@dataclass(frozen=True)
class ForcedPiece:
    """A piece that must be used with a class; levels count from 1, None means the last possible one."""

    piece: Piece
    label: int
    level: int | None = None


def find_piece_rule(
    examples: StringExamples,
    part: np.ndarray,
    labels: np.ndarray,
    choice: Choice,
    *,
    n_classes: int = 2,
    depth: int | str = 2,
    noise: float | str = 0.0,
    forced: Sequence[ForcedPiece] = (),
    weights: np.ndarray | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> PieceRule:
    """Return a near-shortest rule that is right on some of the examples; `labels` and `weights` are those of all.

    A forced piece that occurs in none of these examples is not in the rule.
    """
    found = piece_concepts(examples, part, choice)
    concepts, front = _with_forced(found, examples, part, choice.cost, forced)
    rule = find_rule(
        concepts,
        labels[part],
        n_classes=n_classes,
        depth=depth,
        noise=noise,
        weights=None if weights is None else weights[part],
        forced=[Forced(i, one.label, one.level) for i, one in enumerate(front)],
        n_jobs=n_jobs,
        progress=progress,
    )

    def piece(concept: int) -> Piece:
        return front[concept].piece if concept < len(front) else found.piece(concept - len(front))

    levels = tuple(
        PieceLevel(level.label, tuple((piece(c), label) for c, label in zip(level.concepts, level.labels)))
        for level in rule.levels
    )
    return PieceRule(levels, rule.default, rule.cost)


def _with_forced(
    found: PieceConcepts, examples: StringExamples, part: np.ndarray, cost: str, forced: Sequence[ForcedPiece]
) -> tuple[Concepts, list[ForcedPiece]]:
    """Put the concepts of forced pieces before the others; return also those that occur in the examples."""
    extents, used = [], []
    for one in forced:
        extent = np.flatnonzero(np.isin(part, examples.extent(one.piece)))
        if len(extent):
            extents.append(extent)
            used.append(one)
    if not extents:
        return found.concepts, []
    front = Concepts.of(extents, [float(len(one.piece.text)) if cost == "length" else 1.0 for one in used])
    rest = found.concepts
    concepts = Concepts(
        np.concatenate([front.first[:-1], rest.first + front.first[-1]]),
        np.concatenate([front.examples, rest.examples]),
        np.concatenate([front.cost, rest.cost]),
    )
    return concepts, used
