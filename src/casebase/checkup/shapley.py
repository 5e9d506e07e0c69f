"""The exact Shapley value of each record in the nearest-neighbour vote at k = 1, where all records at a distance vote.

The players are the other records. A coalition is worth the share of the asked record's class among its nearest
members. Records at equal distances have equal votes, so that the value has a closed form over groups g = 1, 2, … of
records at equal distance, nearest first, with n_g records, m_g of the asked class, C_g = n_1 + … + n_g, and H the
harmonic numbers. For a record of group g, with δ = 1 if it has the asked class and 0 otherwise:

    s = δ/C_g − Σ_{h>g} (m_h/n_h)(1/C_{h−1} − 1/C_h) + ((H(C_g) − H(C_{g−1}))/n_g − 1/C_g) (δ − (m_g − δ)/(n_g − 1))

The values of all records sum to the share of the vote. A record beyond the nearest C others is worth less than 1/C, so
that the records beyond the nearest 1/ε are taken as one group at one distance: no value changes by more than ε, and the
sum stays exact.

Reference: Jia et al., "Efficient task-specific data valuation for nearest neighbor algorithms" (2019), for distances
without ties.
"""

from dataclasses import dataclass, field

import numpy as np

from casebase.checkup.held_out import HeldOut, Ranks


@dataclass(eq=False)
class ShapleyValues:
    """The sums of values over the asked records, block by block."""

    held_out: HeldOut
    near: np.ndarray = field(init=False)
    far_for: np.ndarray = field(init=False)
    far_against: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        distinct, n_classes = self.held_out.distinct, self.held_out.n_classes
        self.near = np.zeros(distinct.n_kinds)
        self.far_for, self.far_against = np.zeros(n_classes), np.zeros(n_classes)
        self._harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, distinct.cases.n_cases + 1))])

    def add(self, ranks: Ranks) -> None:
        """Add the values of all records for the asked kinds, each as often as it has records."""
        held_out, distinct = self.held_out, self.held_out.distinct
        times = distinct.count[ranks.asked].astype(float)
        label = held_out.labels[ranks.asked]
        is_own_class = held_out.labels[ranks.kind] == label[ranks.entry_query]
        agreeing = np.bincount(ranks.group, ranks.count * is_own_class, minlength=len(ranks.distance))
        far_for, far_against, tail = self._far(ranks, agreeing, label)
        value_for, value_against = self._of_groups(ranks, agreeing, tail)
        # All records are first taken as far; near ones get the difference. A record is no player where it is asked.
        query, group = ranks.entry_query, ranks.group
        value = np.where(is_own_class, (value_for[group] - far_for[query]), (value_against[group] - far_against[query]))
        others = times[query] - (ranks.kind == ranks.asked[query])
        self.near += np.bincount(ranks.kind, value * others, minlength=len(self.near))
        self.near[ranks.asked] -= far_for
        self.far_for += np.bincount(label, times * far_for, minlength=len(self.far_for))
        self.far_against += np.bincount(label, times * far_against, minlength=len(self.far_against))

    def _far(self, ranks: Ranks, agreeing: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the values of the records beyond the groups, for and against, and what they add to the sums."""
        n_others = self.held_out.distinct.cases.n_cases - 1
        reached = ranks.n_near
        rest = n_others - reached
        agree = self.held_out.class_counts[label] - 1 - np.bincount(ranks.query, agreeing, minlength=len(label))
        step = self._step(rest, reached, np.full(len(rest), float(n_others)))
        among_others = np.maximum(rest - 1, 1)
        far_for = 1 / n_others + step * (1 - np.where(rest > 1, (agree - 1) / among_others, 0))
        far_against = step * -np.where(rest > 1, agree / among_others, 0)
        is_some = rest > 0
        tail = np.where(is_some, agree / np.maximum(rest, 1) * (1 / reached - 1 / n_others), 0.0)
        return np.where(is_some, far_for, 0.0), np.where(is_some, far_against, 0.0), tail

    def _of_groups(self, ranks: Ranks, agreeing: np.ndarray, tail: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the value of a record of each group, if it has the asked class and if not."""
        size, reached = ranks.size, ranks.reached
        before = reached - size
        terms = np.where(before > 0, agreeing / size * (1 / np.maximum(before, 1) - 1 / reached), 0.0)
        beyond = np.bincount(ranks.query, terms, minlength=len(tail)) + tail
        behind = beyond[ranks.query] - ranks.summed(terms)
        step = self._step(size, before, reached)
        among_others, is_shared = np.maximum(size - 1, 1), size > 1
        value_for = 1 / reached - behind + step * (1 - np.where(is_shared, (agreeing - 1) / among_others, 0))
        value_against = -behind - step * np.where(is_shared, agreeing / among_others, 0)
        return value_for, value_against

    def _step(self, size: np.ndarray, before: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Return what a record adds beside others at its distance: (H(C_g) − H(C_{g−1}))/n_g − 1/C_g."""
        between = self._harmonic[reached.astype(np.int64)] - self._harmonic[before.astype(np.int64)]
        step: np.ndarray = np.where(size > 1, between / np.maximum(size, 1) - 1 / reached, 0.0)
        return step

    def values(self) -> np.ndarray:
        """Return the value of a record of each kind, summed over all asked records."""
        label = self.held_out.labels
        values: np.ndarray = self.near + self.far_for[label] + (self.far_against.sum() - self.far_against[label])
        return values
