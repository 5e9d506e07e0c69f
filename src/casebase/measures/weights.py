"""Feature weights: how relevant a feature is for the class.

Most measures are functions of the contingency table of values and classes of one feature. A gain below the rounding
error of its sums counts as 0.
"""

from collections.abc import Callable, Mapping
from math import fsum, sqrt
from typing import Any, Protocol, runtime_checkable

import numpy as np

from casebase.data import Cases
from casebase.errors import CasebaseError, unknown_name
from casebase.measures.contingency import Contingency, feature_contingency
from casebase.measures.counts import Counts
from casebase.measures.exact import n_log_n
from casebase.measures.relief import not_negative, relief

ROUNDING = 1e-14


def entropy(counts: np.ndarray) -> float:
    """Entropy, in bits, of the distribution that the counts define.

    >>> entropy(np.array([1, 1, 2]))
    1.5
    """
    total = counts.sum()
    return _bits((n_log_n(total) - n_log_n(counts).sum()).rounded() / total)


def information_gain(table: Counts) -> float:
    """Bits of class uncertainty removed by knowing the feature's value.

    >>> information_gain(Contingency.from_dense([[2, 0], [0, 2]]))
    1.0
    """
    # H(class) + H(value) - H(value, class), each of them log2(N) - sum(n log2 n) / N
    sums = n_log_n(table.total) - table.sums.classes + (table.sums.cells - table.sums.values)
    return _bits(sums.rounded() / table.total)


def split_info(table: Counts) -> float:
    """Split information: the entropy, in bits, of the feature's values."""
    return _bits((n_log_n(table.total) - table.sums.values).rounded() / table.total)


def _bits(bits: np.ndarray | float) -> float:
    return float(bits) if bits > ROUNDING else 0.0


def gain_ratio(table: Counts) -> float:
    """Information gain per bit of split information; 0 for a constant feature.

    >>> gain_ratio(Contingency.from_dense([[1, 0], [1, 0], [0, 2]]))
    0.6666666666666666
    """
    split = split_info(table)
    return information_gain(table) / split if split else 0.0


def chi_squared(table: Counts) -> float:
    """Chi-squared statistic of value and class: the deviation from independence.

    >>> chi_squared(Contingency.from_dense([[2, 0], [0, 2]]))
    4.0
    """
    expected = table.per_class[table.label] * table.per_value[table.value] / table.total
    # fsum rounds only once, so the order of the values does not matter.
    in_cells = fsum(((expected - table.count) ** 2 / expected).tolist())
    # An empty cell adds its expectation. All expectations sum to the total, so those of empty cells need no loop.
    in_empty_cells = table.total - fsum(expected.tolist())
    statistic = in_cells + in_empty_cells
    return statistic if statistic > ROUNDING * table.total else 0.0


def shared_variance(table: Counts) -> float:
    """Chi-squared divided by its largest possible value.

    >>> shared_variance(Contingency.from_dense([[2, 0], [0, 2]]))
    1.0
    """
    degrees = min(int(np.count_nonzero(table.per_class)), table.n_seen) - 1
    return chi_squared(table) / (table.total * degrees) if degrees else 0.0


def no_weighting(table: Counts) -> float:
    """Weight 1 for every feature."""
    return 1.0


MEASURES: dict[str, Callable[[Counts], float]] = {
    "none": no_weighting,
    "information_gain": information_gain,
    "gain_ratio": gain_ratio,
    "chi_squared": chi_squared,
    "shared_variance": shared_variance,
}
STANDARD_DEVIATION = "standard_deviation"  # a function of the numbers, not of counts
RELIEF = "relief"  # a function of the cases and their neighbours
LEARNED = "learned"  # by trying weights out, which takes a search for neighbours: IB1 alone does it
NOT_OF_COUNTS = (STANDARD_DEVIATION, RELIEF, LEARNED)
FROM_ALL_CASES = (RELIEF, LEARNED)  # to be learned again without each case
WEIGHTINGS = (*MEASURES, *NOT_OF_COUNTS)


def standard_deviation(numbers: np.ndarray, counts: np.ndarray | None = None) -> float:
    """Standard deviation of the population; missing numbers do not count.

    A number with a whole number as its count has the same part in it as so many equal numbers, to the last bit.

    >>> standard_deviation(np.array([1.0, 3.0, np.nan]))
    1.0
    >>> standard_deviation(np.array([0.1, 0.2]), np.array([3, 1])) == standard_deviation(np.array([0.1, 0.1, 0.1, 0.2]))
    True
    """
    known = ~np.isnan(numbers) if counts is None else ~np.isnan(numbers) & (counts > 0)
    if not known.any():
        return 0.0
    numbers, counts = numbers[known], (np.ones(len(numbers)) if counts is None else counts)[known]
    total = fsum(counts.tolist())
    mean = _sum_of_times(numbers, counts) / total
    return sqrt(_sum_of_times((numbers - mean) ** 2, counts) / total)


def _sum_of_times(terms: np.ndarray, counts: np.ndarray) -> float:
    """Return the sum of all terms, each so many times; with whole counts it is the exact sum, rounded once."""
    if counts.dtype.kind not in "iu":
        return fsum((terms * counts).tolist())
    n_bits = int(counts.max()).bit_length()  # a term times a power of two is exact
    return fsum(term for bit in range(n_bits) for term in (terms[(counts >> bit) & 1 == 1] * 2.0**bit).tolist())


def standard_deviation_of(cases: Cases, feature: int) -> float:
    """Return the standard deviation of a numeric feature; an error for a symbolic feature."""
    if cases.schema.features[feature].kind != "numeric":
        raise CasebaseError(
            f"The weighting 'standard_deviation' is for numbers, but feature {cases.schema.features[feature].name!r} "
            "is symbolic. Compare it as numeric, ignore it, or choose another weighting."
        )
    counts = cases.times(feature) if isinstance(cases, IsCounted) else cases.weights
    return standard_deviation(cases.columns[feature], counts)


def subtract_smallest(weights: np.ndarray, used: list[int]) -> np.ndarray:
    """Subtract the smallest weight from all weights of the features in use; the smallest becomes almost 0.

    >>> subtract_smallest(np.array([0.5, 0.25, 0.0]), [0, 1]).round(3).tolist()
    [0.25, 0.0, 0.0]
    """
    spread = weights.copy()
    spread[used] = (weights[used] - weights[used].min()) + 2.0**-52
    return spread


def used_features(cases: Cases) -> list[int]:
    """Return the positions of the features that are not ignored."""
    used = [i for i, feature in enumerate(cases.schema.features) if feature.kind != "ignored"]
    if not used:
        raise CasebaseError("All features are ignored: at least one must be compared.")
    return used


@runtime_checkable
class IsCounted(Protocol):
    """Cases that were counted before, since they are too many to be in memory."""

    def contingency(self, feature: int) -> Contingency: ...

    def times(self, feature: int) -> np.ndarray:
        """Return how many cases have each value in the column of a feature."""
        ...


def feature_tables(cases: Cases) -> dict[int, Contingency]:
    """Return the contingency tables of the features that are not ignored, by position."""
    if isinstance(cases, IsCounted):
        return {i: cases.contingency(i) for i in used_features(cases)}
    tables: dict[int, Contingency] = {}
    of_column: dict[tuple[int, int], Contingency] = {}  # features may share a column, and then its table
    for i in used_features(cases):
        shared = id(cases.columns[i]), id(cases.schema.features[i].vocabulary)
        if shared not in of_column:
            of_column[shared] = feature_contingency(cases, i)
        tables[i] = of_column[shared]
    return tables


def feature_weights(cases: Cases, weighting: Any, tables: dict[int, Contingency] | None = None) -> np.ndarray:
    """Return one weight per feature, in column order; ignored features get 0.

    `weighting` is the name of a measure, or the weights themselves; `tables` are the features' contingency tables, if
    they are known already.
    """
    tables = tables or feature_tables(cases)
    if isinstance(weighting, str) and weighting == RELIEF:
        return not_negative(relief(cases, list(tables)))
    if isinstance(weighting, str) and weighting == LEARNED:
        raise CasebaseError(
            "Only IB1 learns weights ('learned'), because it tries them out. Choose another weighting, or pass the "
            "weights that IB1 has learned as numbers."
        )
    if isinstance(weighting, str) and measure_named(weighting) is None:
        weights = np.zeros(cases.n_features)
        for i in tables:
            weights[i] = standard_deviation_of(cases, i)
        return weights
    return weights_from(tables, cases.n_features, weighting)


def weights_from(tables: Mapping[int, Counts], n_features: int, weighting: Any) -> np.ndarray:
    """Return one weight per feature like `feature_weights`, for weightings that are functions of counts."""
    if not isinstance(weighting, str):
        return given_weights(weighting, n_features)
    measure = measure_named(weighting)
    assert measure is not None, "a weighting that is no function of counts"
    weights = np.zeros(n_features)
    of_table: dict[int, float] = {}  # features that share a table share its weight
    for i, table in tables.items():
        if id(table) not in of_table:
            of_table[id(table)] = measure(table)
        weights[i] = of_table[id(table)]
    return weights


def measure_named(weighting: str) -> Callable[[Counts], float] | None:
    """Return the weighting as a function of counts; None for those that are not."""
    if weighting not in WEIGHTINGS:
        raise CasebaseError(unknown_name("weighting", weighting, WEIGHTINGS))
    return MEASURES.get(weighting)


def given_weights(weighting: Any, n_features: int) -> np.ndarray:
    try:
        weights = np.asarray(weighting, dtype=float)
    except (TypeError, ValueError) as error:
        raise CasebaseError(
            f"Expected the name of a weighting ({', '.join(WEIGHTINGS)}) or one number per feature, got {weighting!r}."
        ) from error
    if weights.shape != (n_features,):
        raise CasebaseError(
            f"Expected the name of a weighting or one weight per feature ({n_features}), "
            f"got weights of shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise CasebaseError("Feature weights must be finite and not negative.")
    return weights


def summation_key(table: Counts) -> float:
    """Return the gain ratio per value: a distance adds up features in descending order of this key.

    The order of addition affects the last bit of a distance, and so which distances are equal.
    """
    return gain_ratio(table) / max(table.n_seen, 1)
