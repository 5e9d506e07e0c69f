"""Which changes of a query surely leave its answer alone, where distances are sums of the features' costs.

A change replaces the cost of one column by another one. So the distances of all cases after a change are the query's
distances plus one row of a table, whatever the number of columns, and two changes add two rows. Few cases count: m
changes bring a case nearer by its m largest costs at most. Together this is much cheaper than a search, and where the
deciding cases are clearly ahead it is enough.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase.base.flips.columns import Options
from casebase.data import Cases
from casebase.measures.quirks import USUAL
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ib2 import IB2

FEW = 64  # options: so many are asked as quickly
NEAR = 32  # cases that bound the deciding distance
AT_ONCE = 1_000_000  # distances
ROUNDING = 1e-5  # of the largest distance: distances that differ by less may be equal; single precision has 6e-8


@dataclass(frozen=True, eq=False)
class Screen:
    """The stored cases, those of the answer's class first, and the cost of each feature for the query.

    `stored` has the values of the features and `costs` their costs, a row per feature in the order of the memory.
    """

    k: int
    n_own: int
    options: Options
    ranks: dict[int, int]
    stored: tuple[np.ndarray, ...]
    costs: np.ndarray
    weights: np.ndarray
    ranges: np.ndarray

    @cached_property
    def _away(self) -> np.ndarray:
        """The query's distance from each case."""
        away: np.ndarray = self.costs.sum(axis=0)
        return away

    @cached_property
    def _largest_costs(self) -> np.ndarray:
        """The costs of the columns that can change, a row per column, for each case the largest first."""
        features = [[self.ranks[f] for f in column.features if f in self.ranks] for column in self.options.columns]
        of_columns = np.stack([self.costs[own].sum(axis=0) for own in features])
        return -np.sort(-of_columns, axis=0)

    @cached_property
    def _near(self) -> tuple[np.ndarray, np.ndarray]:
        """Some of the nearest cases, and what each option adds to their distances."""
        near = np.argsort(self._away, kind="stable")[: max(NEAR, self.k + 1)]
        return near, self._added(near)

    @cached_property
    def _slack(self) -> float:
        return ROUNDING * float(self.weights.sum())

    def stays(self, combinations: np.ndarray) -> np.ndarray:
        """Return which combinations of options surely leave the answer as it is."""
        near, added = self._near
        n_changes = combinations.shape[1]
        # Of the near cases k + 1 are within this distance, so no case beyond it decides.
        away = self._distances(combinations, near, added)
        bound = float(np.partition(away, self.k, axis=1)[:, self.k].max())
        lowest = self._away - self._largest_costs[:n_changes].sum(axis=0)
        cases = np.flatnonzero(lowest <= bound + self._slack)
        added, n_own = self._added(cases), int(np.searchsorted(cases, self.n_own))
        step = max(AT_ONCE // len(cases), 1)
        parts = []
        for start in range(0, len(combinations), step):
            away = self._distances(combinations[start : start + step], cases, added)
            parts.append(self._all_own(away, n_own) if self.k == 1 else self._most_own(away, n_own))
        return np.concatenate(parts)

    def _distances(self, combinations: np.ndarray, cases: np.ndarray, added: np.ndarray) -> np.ndarray:
        away: np.ndarray = added[combinations[:, 0]]
        for slot in range(1, combinations.shape[1]):
            away += added[combinations[:, slot]]
        away += self._away[cases].astype(np.float32)
        return away

    def _all_own(self, away: np.ndarray, n_own: int) -> np.ndarray:
        """Return where all nearest cases are of the own class, however many are equally near."""
        nearest = away[:, :n_own].min(axis=1, initial=np.inf)
        stays: np.ndarray = nearest + self._slack < away[:, n_own:].min(axis=1, initial=np.inf)
        return stays

    def _most_own(self, away: np.ndarray, n_own: int) -> np.ndarray:
        """Return where the k nearest cases are at different distances, nearer than all others, and most are own."""
        rows = np.arange(len(away))
        votes = np.zeros(len(away), dtype=np.int64)
        is_apart = np.ones(len(away), dtype=bool)
        before = np.full(len(away), -np.inf, dtype=np.float32)
        for place in range(self.k + 1):
            nearest = away.argmin(axis=1)
            distance = away[rows, nearest]
            is_apart &= distance - before > self._slack
            if place < self.k:
                votes += nearest < n_own
            away[rows, nearest] = np.inf
            before = distance
        stays: np.ndarray = is_apart & (2 * votes > self.k)
        return stays

    def _added(self, cases: np.ndarray) -> np.ndarray:
        """Return what each option adds to the distance of some cases, a row per option."""
        options = self.options
        added = np.zeros((options.n_options, len(cases)), dtype=np.float32)
        for i, column in enumerate(options.columns):
            here = slice(int(options.first[i]), int(options.first[i + 1]))
            for feature in column.features:
                rank = self.ranks.get(feature)
                if rank is not None:
                    added[here] += self._costs_of(rank, options.values[feature][here], cases)
                    added[here] -= self.costs[rank, cases].astype(np.float32)
        return added

    def _costs_of(self, rank: int, values: np.ndarray, cases: np.ndarray) -> np.ndarray:
        """Return the costs of a feature's values, a row per value; none of them is missing."""
        stored, weight, width = self.stored[rank][cases], np.float32(self.weights[rank]), self.ranges[rank]
        if stored.dtype.kind != "f" or width <= 0.0:
            different: np.ndarray = weight * (values[:, None] != stored[None, :])
            return different
        # Scaled before the precision is halved: large numbers keep their differences.
        least = values.min(initial=np.inf)
        asked, known = ((numbers - least) / width for numbers in (values, stored))
        costs: np.ndarray = np.abs(asked.astype(np.float32)[:, None] - known.astype(np.float32)[None, :])
        costs *= weight
        costs[:, np.isnan(stored)] = weight
        return costs


def screen_of(model: IB1 | IB2, case: Cases, label: int, options: Options) -> Screen | None:
    """Return the screen of a query; None where distances are no sums of such costs, or the vote is no majority."""
    ib1 = model.kept if isinstance(model, IB2) else model
    memory, comparing, voting = ib1.memory, ib1.comparing, ib1.voting
    rows = memory.in_given_order
    weights, ranges = ib1.metric.weights[0], ib1.metric.ranges[0]
    # Symbols alone have an index, which is as quick.
    is_sum = {"numeric"} <= set(comparing.metrics) <= {"overlap", "numeric"} and not comparing.is_rooted
    is_sum &= bool((weights >= 0).all())
    is_plain = voting.quirks == USUAL and memory.segments[0].exemplars is None
    is_majority = voting.k == 1 or (
        voting.vote == "equal" and voting.exact_match != "alone" and memory.counts(rows) is None
    )
    labels = memory.labels(rows)
    n_own = int((labels == label).sum())
    if not (is_sum and is_plain and is_majority) or options.n_options < FEW or len(rows) <= voting.k:
        return None
    rows = rows[np.argsort(labels != label, kind="stable")]
    asked = ib1.questions(case).arrays()
    costs = ib1.nearby.search.feature_costs(asked, np.array([len(rows)], np.uint32), rows.astype(np.uint32))
    ranks = {position: rank for rank, position in enumerate(memory.order.tolist())}
    stored = tuple(memory.column(rank, rows) for rank in range(len(memory.order)))
    by_feature = np.ascontiguousarray(costs.reshape(len(rows), -1).T)
    return Screen(voting.k, n_own, options, ranks, stored, by_feature, weights, ranges)
