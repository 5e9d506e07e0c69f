"""The pass over the records: each is answered by all the others, some at a time, and the results are added up.

The records are asked in spans of a fixed length, whose results do not depend on each other and are added in their
order. So all sums are rounded alike, whoever asks: one thread after the other, or the workers of a cluster.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.checkup import mislabelled
from casebase.checkup.held_out import HeldOut
from casebase.checkup.influence import Influence
from casebase.checkup.redundant import Support
from casebase.checkup.shapley import ShapleyValues
from casebase.progress import Progress, part_of

SPAN = 20_000  # kinds of records
# Runs a task on common arguments and those of each span, and returns the results in order.
RunSpans = Callable[[Callable[..., Any], tuple[Any, ...], Sequence[tuple[Any, ...]]], "list[Span]"]


@dataclass(frozen=True, eq=False)
class Sparse:
    """An array of which most elements are 0."""

    at: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, array: np.ndarray) -> "Sparse":
        at = np.flatnonzero(array)
        return cls(at, array[at])

    def add_to(self, array: np.ndarray) -> None:
        array[self.at] += self.values


@dataclass(frozen=True, eq=False)
class Span:
    """What the answers about some kinds of records show."""

    asked: np.ndarray
    answer: np.ndarray
    lead: np.ndarray
    distance: np.ndarray
    n_decided: Sparse
    n_decided_right: Sparse
    near: Sparse
    far_for: np.ndarray
    far_against: np.ndarray
    spare: np.ndarray
    pairs: list[tuple[np.ndarray, np.ndarray]]
    nearest: dict[int, mislabelled.Nearest]


def ask(
    search: HeldOut,
    n_needed: int,
    wanted: np.ndarray,
    has_support: bool,
    asked: np.ndarray,
    progress: Progress | None = None,
) -> Span:
    """Ask about some kinds of records; the nearest others are kept of those that are `wanted` (a truth value each)."""
    influence, shapley, support = Influence(search), ShapleyValues(search), Support(search)
    nearest: dict[int, mislabelled.Nearest] = {}
    for ranks in search.ranks(n_needed, asked, progress):
        shapley.add(ranks)
        answer, is_tied = influence.add(ranks)
        nearest |= mislabelled.nearest_others(search, ranks, wanted)
        if has_support:
            support.add(ranks, answer, is_tied, influence.lead[ranks.asked])
    return Span(
        asked,
        influence.answer[asked],
        influence.lead[asked],
        influence.distance[asked],
        Sparse.of(influence.n_decided),
        Sparse.of(influence.n_decided_right),
        Sparse.of(shapley.near),
        shapley.far_for,
        shapley.far_against,
        support.spare[asked],
        support.pairs,
        nearest,
    )


@dataclass(frozen=True, eq=False)
class Asked:
    """What the answers about all asked kinds show."""

    influence: Influence
    shapley: ShapleyValues
    support: Support
    nearest: dict[int, mislabelled.Nearest]

    @classmethod
    def of(cls, search: HeldOut, spans: Sequence[Span]) -> "Asked":
        """Return the sum of spans."""
        whole = cls(Influence(search), ShapleyValues(search), Support(search), {})
        influence, shapley, support = whole.influence, whole.shapley, whole.support
        for span in spans:
            influence.answer[span.asked], influence.lead[span.asked] = span.answer, span.lead
            influence.distance[span.asked] = span.distance
            span.n_decided.add_to(influence.n_decided)
            span.n_decided_right.add_to(influence.n_decided_right)
            span.near.add_to(shapley.near)
            shapley.far_for += span.far_for
            shapley.far_against += span.far_against
            support.spare[span.asked] = span.spare
            support.pairs += span.pairs
            whole.nearest.update(span.nearest)
        return whole


def pass_over(
    search: HeldOut,
    asked: np.ndarray,
    n_needed: int,
    wanted: np.ndarray,
    *,
    has_support: bool,
    progress: Progress | None = None,
    run: RunSpans | None = None,
) -> Asked:
    """Ask about kinds of records, span by span; `run` lets others do it."""
    common = (search, n_needed, wanted, has_support)
    spans = [asked[start : start + SPAN] for start in range(0, len(asked), SPAN)]
    if run is not None:
        return Asked.of(search, run(ask, common, [(span,) for span in spans]))
    starts = range(0, len(asked), SPAN)
    return Asked.of(
        search,
        [ask(*common, span, part_of(progress, start, len(asked))) for start, span in zip(starts, spans)],
    )
