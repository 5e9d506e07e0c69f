"""Feature weights: the measures by their formulas.

A feature splits the cases into groups, one for each of its values; a numeric feature into
bins of neighbouring values. Every measure is then a function of the class counts per group.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

Value = str | float | None
Row = Sequence[Value]
Counts = Sequence[float]
Table = list[dict[str, float]]  # for each group of a feature: how often each class occurs in it

EPS = 2.0**-52
N_BINS = 20


def relevance(
    rows: Sequence[Row],
    labels: Sequence[str],
    measure: str,
    counts: Counts | None = None,
    numeric: Collection[int] = (),
    n_bins: int = N_BINS,
) -> list[float]:
    """Return the weight of every feature, in column order.

    `measure` is one of the keys of `MEASURES`.

    >>> relevance([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], list("PPQQ"), "gain_ratio")
    [1.0, 0.0]
    """
    if measure not in MEASURES:
        raise ValueError(f"Unknown measure {measure!r}. Known: {', '.join(MEASURES)}.")
    if counts is None:
        counts = [1] * len(rows)
    weights = []
    for feature in range(len(rows[0])):
        column = [row[feature] for row in rows]
        is_numeric = feature in numeric
        table = class_counts_by_group(column, labels, counts, is_numeric, n_bins)
        weights.append(MEASURES[measure](table))
    return weights


def class_counts_by_group(
    column: Sequence[Value], labels: Sequence[str], counts: Counts, is_numeric: bool, n_bins: int = N_BINS
) -> Table:
    """Return the class counts of each value, or of each bin of values.

    Values come in order of first appearance, also values of a case of count 0, which TiMBL
    read and then removed; bins come in ascending order. The missing values of
    a numeric feature are a group of their own, after the bins. Every group lists all the
    classes, in order of first appearance.
    """
    cases = [(v, c, n) for v, c, n in zip(column, labels, counts, strict=True) if n > 0]
    counted = {v for v, _, _ in cases}
    values = [v for v in dict.fromkeys(column) if v in counted]
    classes = [c for c in dict.fromkeys(labels) if c in {c for _, c, _ in cases}]
    groups: list[list[Value]] = [[v] for v in values]
    if is_numeric:
        groups = [list(b) for b in bins([v for v in values if isinstance(v, int | float)], n_bins)]
        if None in values:
            groups.append([None])
    table = [dict.fromkeys(classes, 0.0) for _ in groups]
    for group, row in zip(groups, table):
        for value, label, n in cases:
            if value in group:
                row[label] += n
    return table


def bins(distinct: Sequence[float], n_bins: int = N_BINS) -> list[list[float]]:
    """Return the distinct values in order, dealt over bins of nearly equal size.

    Equal numbers of *distinct values*, however often each occurs. The first bins take one
    value more when the division leaves a rest.

    >>> bins([5.0, 1.0, 2.0, 4.0, 3.0], 2)
    [[1.0, 2.0, 3.0], [4.0, 5.0]]
    """
    ordered = sorted(distinct)
    size, n_larger = divmod(len(ordered), n_bins)
    result = []
    start = 0
    for number in range(n_bins):
        end = start + size + (1 if number < n_larger else 0)
        if end > start:
            result.append(ordered[start:end])
        start = end
    return result


def information_gain(table: Table) -> float:
    """Return the bits of class uncertainty removed by knowing the group."""
    total = sum(sum(group.values()) for group in table)
    left_over = 0.0
    for group in table:
        n = sum(group.values())
        left_over += entropy(list(group.values())) * n / total
    # Rounding may leave a tiny gain where there is one group; TiMBL prints it, too.
    gain = entropy(list(class_totals(table).values())) - left_over
    return max(gain, 0.0)


def gain_ratio(table: Table) -> float:
    """Return the information gain per bit needed to name the group; 0 if there is one group."""
    bits = split_info(table)
    return information_gain(table) / bits if abs(bits) >= EPS else 0.0


def chi_squared(table: Table) -> float:
    """Return the chi-squared statistic of groups against classes."""
    by_class = class_totals(table)
    total = sum(by_class.values())
    result = 0.0
    for group in table:
        n = sum(group.values())
        for label, observed in group.items():
            expected = by_class[label] * n / total
            if observed == 0:
                result += expected
            elif expected > EPS:
                result += (expected - observed) * (expected - observed) / expected
    return result


def shared_variance(table: Table) -> float:
    """Return chi-squared corrected for the number of cases and degrees of freedom."""
    by_class = class_totals(table)
    degrees = min(len(by_class), len(table)) - 1
    return chi_squared(table) / (sum(by_class.values()) * degrees) if degrees else 0.0


def standard_deviations(rows: Sequence[Row], counts: Counts | None = None) -> list[float]:
    """Return the population standard deviation of every feature over the cases; all of them are numbers."""
    if counts is None:
        counts = [1] * len(rows)
    result = []
    for feature in range(len(rows[0])):
        total = sum(counts)
        mean = sum(n * float(row[feature]) for row, n in zip(rows, counts)) / total
        result.append(math.sqrt(sum(n * (float(row[feature]) - mean) ** 2 for row, n in zip(rows, counts)) / total))
    return result


def timbl_deviations(rows: Sequence[Row], counts: Counts | None = None) -> list[float]:
    """Return TiMBL's "standard deviation": over the distinct values, around their sum instead of their mean.

    >>> timbl_deviations([[float(x)] for x in range(1, 8)])
    [24.08318915758459]
    """
    result = []
    for feature in range(len(rows[0])):
        values = [float(row[feature]) for i, row in enumerate(rows) if counts is None or counts[i] > 0]
        distinct = list(dict.fromkeys(values))
        total = 0.0
        for x in distinct:
            total += x
        squares = 0.0
        for x in distinct:
            squares += (total - x) * (total - x)
        result.append(math.sqrt(squares / len(distinct)))
    return result


def diversify(weights: Sequence[float]) -> list[float]:
    """Return the weights minus the smallest one, which becomes 2^-52 (--Diversify)."""
    return [(weight - min(weights)) + EPS for weight in weights]


def heaviest(keys: Sequence[float], limit: int) -> list[int]:
    """Return the `limit` columns of the largest keys, in column order; of equal keys the first columns.

    The key is the weight; in TiMBL what orders its tree, which for IB1 is gain ratio per value.
    """
    return sorted(sorted(range(len(keys)), key=lambda feature: -keys[feature])[:limit])


def no_weighting(table: Table) -> float:
    """Return 1: all features count the same."""
    return 1.0


MEASURES: dict[str, Callable[[Table], float]] = {
    "none": no_weighting,
    "information_gain": information_gain,
    "gain_ratio": gain_ratio,
    "chi_squared": chi_squared,
    "shared_variance": shared_variance,
}


def class_totals(table: Table) -> dict[str, float]:
    """Return how often each class occurs over all groups."""
    return {label: sum(group[label] for group in table) for label in table[0]}


def split_info(table: Table) -> float:
    """Return the bits needed to name the group a case falls into."""
    return entropy([sum(group.values()) for group in table])


def entropy(frequencies: Sequence[float]) -> float:
    """Return the entropy in bits of a list of frequencies."""
    total = sum(frequencies)
    result = 0.0
    for n in frequencies:
        p = n / total
        if p >= EPS:
            result += p * math.log2(p)
    return abs(result)
