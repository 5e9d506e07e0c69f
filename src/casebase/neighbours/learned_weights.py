"""Feature weights learned by trying them out: hill climbing by leave-one-out errors.

The search starts with gain ratios or with equal weights, whichever make fewer errors on held-out cases. It takes the
features in turn, the one with the largest gain ratio first, and tries for each the weight 0, half of its weight and
twice its weight (its first weight, if it is 0 now). The weight with the fewest errors stays if it makes fewer errors
than the weight before. When a whole round changes nothing, the search ends. There is no chance in it: the same cases
always give the same weights.

References: Aha, "A study of instance-based algorithms for supervised learning tasks" (1990); Kohavi, Langley, Yun, "The
utility of feature weighting in nearest-neighbor algorithms" (1997).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from casebase import _native
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.neighbours.settings import NeighbourSettings
from casebase.progress import Progress, note

STARTS = ("gain_ratio", "none")  # where the search may start; the first of equally good ones
START_NAMES = {"gain_ratio": "gain ratio", "none": "equal weights"}
MOST_ASKED = 2000  # cases held out; larger tables are sampled
MOST_ROUNDS = 20
N_TRIED = 3  # weights per feature and round

Errors = Callable[[np.ndarray], float]


@dataclass(frozen=True)
class Learning:
    """How weights were learned: the errors at the start and at the end, of `n_asked` held-out cases."""

    n_asked: float
    start: str
    errors_at_start: float
    errors: float
    n_tried: int
    n_rounds: int
    was_interrupted: bool = False

    def __str__(self) -> str:
        return (
            f"weights learned: {self.errors:,.6g} errors on {self.n_asked:,.6g} held-out cases, "
            f"{self.errors_at_start:,.6g} with {START_NAMES[self.start]}"
        )


def learn(
    starts: Mapping[str, np.ndarray],
    features: Sequence[int],
    errors: Errors,
    n_asked: float,
    progress: Progress | None,
) -> tuple[np.ndarray, Learning]:
    """Return the weights that the search ends with, and how it went. `errors` tries weights out."""
    tried = {name: errors(weights) for name, weights in starts.items()}
    start = min(tried, key=lambda name: tried[name])
    weights, best, at_start = starts[start].copy(), tried[start], tried[start]
    first = np.where(weights > 0, weights, weights.max(initial=0.0) or 1.0)
    n_tried, n_rounds, was_interrupted = len(tried), 0, False
    n_in_round = N_TRIED * len(features)
    try:
        while n_rounds < MOST_ROUNDS and best > 0:
            before = best
            for i, feature in enumerate(features):
                found: dict[float, float] = {}
                for weight in candidates(weights[feature], first[feature]):
                    found[weight] = errors(with_weight(weights, feature, weight))
                    n_tried += 1
                chosen = min(found, key=lambda weight: found[weight])  # the first of equal ones
                if found[chosen] < best:
                    weights, best = with_weight(weights, feature, chosen), found[chosen]
                note(progress, f"{best:,.6g} errors, {at_start:,.6g} at the start")
                if progress:
                    progress(n_rounds * n_in_round + (i + 1) * N_TRIED, (n_rounds + 2) * n_in_round)
            n_rounds += 1
            if best == before:
                break
    except KeyboardInterrupt:
        was_interrupted = True
    return weights, Learning(n_asked, start, at_start, best, n_tried, n_rounds, was_interrupted)


def candidates(weight: float, first: float) -> list[float]:
    """Return the weights to try in place of a weight; `first` is what it was at the start.

    >>> candidates(0.5, 0.5), candidates(0.0, 0.5)
    ([0.0, 0.25, 1.0], [0.5, 0.25, 1.0])
    """
    return [0.0, weight / 2, weight * 2] if weight > 0 else [first, first / 2, first * 2]


def with_weight(weights: np.ndarray, feature: int, weight: float) -> np.ndarray:
    changed = weights.copy()
    changed[feature] = weight
    return changed


def asked_cases(cases: Cases, features: Sequence[int]) -> np.ndarray:
    """Return the rows of the cases to hold out: all, or as many as may be, evenly from the cases in sorted order.

    Rows in another order give the same cases.
    """
    if cases.n_cases <= MOST_ASKED:
        return np.arange(cases.n_cases)
    names = cases.schema.names
    by_name = sorted(features, key=lambda i: (names[i] if cases.schema.is_named else "", i))
    codes = [np.unique(cases.columns[i], return_inverse=True)[1].ravel().astype(np.uint32) for i in by_name]
    order = _native.lexicographic_order([cases.known_labels, *codes], cases.n_cases).astype(np.int64)
    return np.sort(order[np.linspace(0, cases.n_cases - 1, MOST_ASKED).round().astype(np.int64)])


def check_learnable(settings: NeighbourSettings) -> None:
    """Refuse settings that change weights after they were learned, or that stand for a program without learning."""
    for name in ("diversify", "compat", "feature_limit", "order_by"):
        if getattr(settings, name):
            raise CasebaseError(
                f"{name} cannot go with the weighting 'learned': the weights are those that make the fewest errors, "
                "and features that harm get the weight 0. Leave it out, or choose another weighting."
            )
