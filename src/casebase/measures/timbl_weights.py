"""Feature weights summed in TiMBL's order, so that they equal its weights to the last bit.

TiMBL adds up values and classes one by one, in order of first appearance. The order affects the last bits of a weight,
and these decide which distances are equal. (casebase's own sums are exact, so its weights do not depend on the order
of the rows.)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from casebase import _native
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.contingency import Contingency
from casebase.measures.counts import Counts, UpdatedCounts
from casebase.measures.weights import FROM_ALL_CASES, measure_named, standard_deviation_of

EPSILON = 2.0**-52


def timbl_weights(
    cases: Cases, weighting: str, tables: dict[int, Contingency], class_rank: np.ndarray | None = None
) -> np.ndarray:
    """Return one weight per feature, in column order; ignored features get 0.

    `class_rank` is the rank of each class, by default in order of first appearance in the cases.
    """
    measure_named(weighting)
    if weighting in FROM_ALL_CASES:
        raise CasebaseError(
            f"TiMBL has no weighting {weighting!r}: choose another weighting, or leave out compat='timbl'."
        )
    if class_rank is None:
        class_rank = first_seen_rank(cases.known_labels, cases.n_classes)
    weights = np.zeros(cases.n_features)
    for i, table in tables.items():
        if weighting == "standard_deviation":
            weights[i] = _deviation(cases, i)
        else:
            vocabulary = cases.schema.features[i].vocabulary
            ranks = (
                np.arange(table.n_values) if vocabulary is None else first_seen_rank(cases.columns[i], table.n_values)
            )
            weights[i] = _weight(weighting, *_in_order(table, ranks, class_rank))
    return weights


def keys_as_met(ratios: np.ndarray, tables: Mapping[int, Counts]) -> np.ndarray:
    """Return TiMBL's gain ratio per value of each feature, which orders sums and trees."""
    keys = np.zeros(len(ratios))
    for i, table in tables.items():
        keys[i] = ratios[i] / max(table.n_seen, 1)
    return keys


@dataclass(frozen=True, eq=False)
class AsMet:
    """The classes, and the values of each feature, in the order in which they were first met; unmet ones are left out.

    `within` has, by feature and value, the sum of p·log2(p) over the classes of the value: a correction changes a few.
    """

    classes: np.ndarray
    values: Mapping[int, np.ndarray]
    within: Mapping[int, np.ndarray]

    @staticmethod
    def of(tables: Mapping[int, Counts], classes: np.ndarray, values: Mapping[int, np.ndarray]) -> "AsMet":
        """Return the order with the sums of all values."""
        within = {i: _within(table, np.arange(table.n_values), classes) for i, table in tables.items()}
        return AsMet(classes, values, within)

    def after(
        self,
        tables: Mapping[int, Counts],
        touched: Mapping[int, np.ndarray],
        classes: np.ndarray,
        values: Mapping[int, np.ndarray],
    ) -> "AsMet":
        """Return the order after a correction, with the sums of the values that it has `touched` made again."""
        if not _is_same_order(self.classes, classes):
            return AsMet.of(tables, classes, values)
        within = {}
        for i, table in tables.items():
            within[i] = np.append(self.within[i], np.zeros(table.n_values - len(self.within[i])))
            within[i][touched[i]] = _within(table, touched[i], classes)
        return AsMet(classes, values, within)

    def class_rank_of(self, n_classes: int) -> np.ndarray:
        """Return the rank of each class; those that were not met come last."""
        return _ranks(self.classes, n_classes)

    def weights(self, tables: Mapping[int, Counts], n_features: int, weighting: str) -> np.ndarray:
        """Return one weight per feature, as `timbl_weights` does for the cases."""
        weights = np.zeros(n_features)
        for i, table in tables.items():
            order = self.values[i]
            if weighting in ("information_gain", "gain_ratio"):
                weights[i] = _gain(
                    weighting, table.per_value[order], table.per_class[self.classes], self.within[i][order]
                )
            else:
                ranks = _ranks(order, table.n_values), _ranks(self.classes, table.n_classes)
                weights[i] = _weight(weighting, *_in_order(table, *ranks))
        return weights


def _within(table: Counts, values: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return for some values the sum of p·log2(p) over their classes, in the order in which classes were met."""
    base = table.base if isinstance(table, UpdatedCounts) else table
    cell, difference = (table.cell, table.difference) if isinstance(table, UpdatedCounts) else (_NONE, _NOTHING)
    return _native.entropies_as_met(
        base.keys, base.count, cell, difference, values.astype(np.int64), _ranks(classes, table.n_classes)
    )


_NONE, _NOTHING = np.empty(0, np.int64), np.empty(0)


def _ranks(order: np.ndarray, n: int) -> np.ndarray:
    """Return the rank of each code; those that are not in the order come last.

    >>> _ranks(np.array([2, 0]), 4).tolist()
    [1, 2, 0, 3]
    """
    rank = np.empty(n, np.uint32)
    rank[order] = np.arange(len(order))
    left = np.ones(n, dtype=bool)
    left[order] = False
    rank[left] = np.arange(len(order), n)
    return rank


def _is_same_order(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether the classes that both have come in the same order."""
    return bool(np.array_equal(one[np.isin(one, other)], other[np.isin(other, one)]))


def first_seen_rank(codes: np.ndarray, n_codes: int) -> np.ndarray:
    """Return the rank of each code in order of first appearance; codes that do not occur come last.

    >>> first_seen_rank(np.array([2, 0, 2]), 4).tolist()
    [1, 2, 0, 3]
    """
    first_row = np.full(n_codes, len(codes))
    present, at = np.unique(codes, return_index=True)
    first_row[present] = at
    rank = np.empty(n_codes, dtype=np.uint32)
    rank[np.argsort(first_row, kind="stable")] = np.arange(n_codes, dtype=np.uint32)
    return rank


def _in_order(
    table: Counts, value_rank: np.ndarray, class_rank: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the cells (value, class, count) and the totals of values and classes, in order of first appearance."""
    value, label = value_rank[table.value].astype(np.int64), class_rank[table.label].astype(np.int64)
    cells = np.lexsort((label, value))
    value, label, count = value[cells], label[cells], table.count[cells]
    per_value = np.bincount(value, count, minlength=table.n_values)
    per_class = np.bincount(label, count, minlength=table.n_classes)
    return value, label, count, per_value, per_class


def _weight(
    weighting: str,
    value: np.ndarray,
    label: np.ndarray,
    count: np.ndarray,
    per_value: np.ndarray,
    per_class: np.ndarray,
) -> float:
    total = float(per_class.sum())
    if weighting == "none":
        return 1.0
    if weighting in ("chi_squared", "shared_variance"):
        return _chi_squared(weighting, value, label, count, per_value, per_class, total)
    within = np.bincount(value, _terms(count / per_value[value]), minlength=len(per_value))
    return _gain(weighting, per_value, per_class, within)


def _gain(weighting: str, per_value: np.ndarray, per_class: np.ndarray, within: np.ndarray) -> float:
    """Return the information gain or the gain ratio; `within` has the sum of p·log2(p) over the classes of a value."""
    total = float(per_class.sum())
    class_entropy = -_sum(_terms(per_class / total))
    left_over = abs(_sum((-within * per_value) / total))
    gain = max(class_entropy - left_over, 0.0)
    if weighting == "information_gain":
        return gain
    split = -_sum(_terms(per_value / total))
    return 0.0 if abs(split) < EPSILON else gain / split


def _chi_squared(
    weighting: str,
    value: np.ndarray,
    label: np.ndarray,
    count: np.ndarray,
    per_value: np.ndarray,
    per_class: np.ndarray,
    total: float,
) -> float:
    statistic, cell = 0.0, 0
    for v in range(len(per_value)):
        end = cell
        while end < len(value) and value[end] == v:
            end += 1
        row = np.zeros(len(per_class))
        row[label[cell:end]] = count[cell:end]
        cell = end
        expected = (per_class * per_value[v]) / total
        counts = expected > EPSILON
        deviation = expected[counts] - row[counts]
        # An empty cell adds E itself, as in TiMBL's sums: (E - 0)² / E can differ from E in the last bit.
        terms = np.where(row[counts] == 0, expected[counts], deviation * deviation / expected[counts])
        statistic = float(np.add.accumulate(np.concatenate([[statistic], terms]))[-1])
    if weighting == "chi_squared":
        return statistic
    degrees = min(int(np.count_nonzero(per_class)), int(np.count_nonzero(per_value))) - 1
    return statistic / (total * degrees) if degrees else 0.0


def _terms(shares: np.ndarray) -> np.ndarray:
    # The C library's logarithm: NumPy's vectorised one may differ in the last bit.
    return _native.entropy_terms(shares)


def _sum(terms: np.ndarray) -> float:
    """Return the sum, added one by one from the left; NumPy's pairwise sum rounds differently."""
    return float(np.add.accumulate(np.concatenate([[0.0], terms]))[-1])


def _deviation(cases: Cases, feature: int) -> float:
    """Return TiMBL's "standard deviation": the deviation of the distinct values from their sum, not their mean."""
    if cases.schema.features[feature].kind != "numeric":
        return standard_deviation_of(cases, feature)  # raises an error
    column = cases.columns[feature]
    _, at = np.unique(column[~np.isnan(column)], return_index=True)
    distinct = column[~np.isnan(column)][np.sort(at)].tolist()
    if not distinct:
        raise CasebaseError(f"Feature {cases.schema.features[feature].name!r} has no numbers.")
    total = 0.0
    for x in distinct:
        total += x
    squares = 0.0
    for x in distinct:
        squares += (total - x) ** 2
    return sqrt(squares / len(distinct))
