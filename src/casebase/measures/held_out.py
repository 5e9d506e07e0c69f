"""Feature weights for leave-one-out: the weight of a feature without each case in turn.

Leave-one-out needs the weights of a memory without the held-out case. For entropies, a case is removed by replacing a
few terms of exact sums. Other measures are computed again, once for all cases that leave the same counts; so are
those of numeric features, whose bins move when a number disappears.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from casebase.data import Cases
from casebase.measures.contingency import N_BINS, Contingency, bin_sizes, feature_contingency
from casebase.measures.exact import Exact, n_log_n
from casebase.measures.weights import (
    ROUNDING,
    gain_ratio,
    information_gain,
    no_weighting,
    standard_deviation,
    standard_deviation_of,
    summation_key,
)

Measure = Callable[[Contingency], float]
EVERY_CASE = slice(None)
CONSTANT: dict[Measure, float] = {information_gain: 0.0, gain_ratio: 0.0, no_weighting: 1.0}  # of a constant feature


@dataclass(frozen=True, eq=False)
class HeldOut:
    """For each held-out case, a feature's weight, its summation key, and the range of its numbers."""

    weight: np.ndarray
    summation_key: np.ndarray
    value_range: np.ndarray


def without_each(
    cases: Cases,
    feature: int,
    measure: Measure | None,
    among: np.ndarray | slice = EVERY_CASE,
    *,
    table: Contingency | None = None,
) -> HeldOut:
    """Return a feature's weight in a memory without the case, for every case, or for those `among` the cases.

    `measure` is a function of counts; None means the standard deviation of the numbers. If the `table` of a symbolic
    feature in the whole memory is given, the cases may be some of those in it.
    """
    if measure is None:
        held_out = without_each(cases, feature, no_weighting, among)
        return replace(held_out, weight=_deviations_without(cases, feature, among))
    if cases.schema.features[feature].kind == "numeric":
        return _numeric(cases, feature, measure, among)
    if table is not None and table.n_seen == 1 and measure in CONSTANT:  # it has one value without any of the cases
        n_asked = len(cases.known_labels[among])
        return HeldOut(np.full(n_asked, CONSTANT[measure]), np.zeros(n_asked), np.ones(n_asked))
    labels, weights = cases.known_labels[among].astype(np.int64), _case_weights(cases)[among]
    column = cases.columns[feature][among].astype(np.int64)
    # Cases of equal value, class and weight leave the same counts, so one of them answers for all.
    first, which = _group_equal(column, labels, weights)
    value, label, weight = column[first], labels[first], weights[first]
    table = feature_contingency(cases, feature) if table is None else table
    gain, split, n_seen = _entropies_without(table, value, label, weight)
    ratio = np.divide(gain, split, out=np.zeros_like(gain), where=split > 0)
    known = {information_gain: gain, gain_ratio: ratio, no_weighting: np.ones_like(gain)}
    if measure in known:
        weights_without = known[measure]
    else:
        rest = (table.without(int(v), int(c), float(w)) for v, c, w in zip(value, label, weight))
        weights_without = np.array([measure(counts) for counts in rest])
    return HeldOut(weights_without[which], (ratio / np.maximum(n_seen, 1))[which], np.ones(len(column)))


def _entropies_without(
    table: Contingency, value: np.ndarray, label: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return gain, split information and number of values, each without one case of this value, class and weight."""
    total = table.total - weight
    per_value, per_class = table.per_value[value], table.per_class[label]
    cell = np.searchsorted(table.value * table.n_classes + table.label, value * table.n_classes + label)
    in_cell = table.count[cell]

    def sum_without(all_counts: np.ndarray, counts: np.ndarray) -> Exact:
        return n_log_n(all_counts).sum() - n_log_n(counts) + n_log_n(counts - weight)

    values = sum_without(table.per_value, per_value)
    gain = n_log_n(total) - sum_without(table.per_class, per_class) + (sum_without(table.count, in_cell) - values)
    split = n_log_n(total) - values
    n_seen = table.n_seen - (per_value == weight)
    return _clip_rounding(gain.rounded() / total), _clip_rounding(split.rounded() / total), n_seen


def _clip_rounding(bits: np.ndarray) -> np.ndarray:
    return np.where(bits > ROUNDING, bits, 0.0)


def _numeric(cases: Cases, feature: int, measure: Measure, among: np.ndarray | slice) -> HeldOut:
    labels, weights, column = cases.known_labels.astype(np.int64), _case_weights(cases), cases.columns[feature]
    distinct, rank, n_with = np.unique(column, return_inverse=True, return_counts=True)  # NaN is the last value
    n_known = int((~np.isnan(distinct)).sum())
    # below[r] has the class counts of the cases with one of the r smallest numbers.
    counts = np.zeros((len(distinct), cases.n_classes))
    np.add.at(counts, (rank, labels), weights)
    below = np.vstack([np.zeros(cases.n_classes), np.cumsum(counts[:n_known], axis=0)])
    missing = counts[n_known:]

    is_last = (n_with[rank] == 1) & (rank < n_known)  # the number disappears with the case
    full_bins = np.repeat(np.arange(N_BINS), bin_sizes(n_known))
    bin_of = np.append(full_bins, N_BINS)[np.minimum(rank, n_known)]
    # If other cases have the number, only its bin loses a case; if not, the bins are computed again without it.
    place = np.where(is_last, rank, bin_of)
    first, which = _group_equal(*(each[among] for each in (is_last.astype(np.int64), place, labels, weights)))
    first = np.arange(cases.n_cases)[among][first]
    known = distinct[:n_known]
    results = np.empty((3, len(first)))
    for i, case in enumerate(first):
        gone = int(rank[case]) if is_last[case] else n_known
        bounds = np.concatenate([[0], np.cumsum(bin_sizes(n_known - bool(is_last[case])))])
        bounds = np.where(bounds > gone, bounds + 1, bounds)
        dense = np.vstack([below[bounds[1:]] - below[bounds[:-1]], missing])
        at = int(np.searchsorted(bounds[1:], gone, side="right")) if is_last[case] else int(bin_of[case])
        if not is_last[case] or at < N_BINS:  # if the largest number disappears, no bin contains it any more
            dense[at, labels[case]] -= weights[case]
        table = Contingency.from_dense(dense)
        kept = np.delete(known, gone) if is_last[case] and gone in (0, n_known - 1) else known
        results[:, i] = measure(table), summation_key(table), float(kept[-1] - kept[0]) if len(kept) else 0.0
    return HeldOut(*results[:, which])


def _deviations_without(cases: Cases, feature: int, among: np.ndarray | slice) -> np.ndarray:
    standard_deviation_of(cases, feature)  # raises an error if the feature is symbolic
    column, weights = cases.columns[feature], _case_weights(cases)
    first, which = _group_equal(np.unique(column[among], return_inverse=True)[1], weights[among])
    first = np.arange(cases.n_cases)[among][first]
    counts = cases.weights
    if counts is None:  # equal numbers are one with a count: a table has few numbers, and many cases
        distinct, times = np.unique(column, return_counts=True)
        gone = np.searchsorted(distinct, column[first]).tolist()
        deviations = [standard_deviation(distinct, times - (np.arange(len(distinct)) == i)) for i in gone]
    else:
        deviations = [standard_deviation(np.delete(column, i), np.delete(counts, i)) for i in first]
    by_group = np.array(deviations, dtype=float)
    without_case: np.ndarray = by_group[which]
    return without_case


def _group_equal(*columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first case of each combination of values, and the combination of each case."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        distinct, code = np.unique(column, return_inverse=True)
        _, key = np.unique(key * len(distinct) + code, return_inverse=True)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first, which


def _case_weights(cases: Cases) -> np.ndarray:
    return np.ones(cases.n_cases) if cases.weights is None else cases.weights
