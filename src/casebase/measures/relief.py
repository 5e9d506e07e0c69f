"""RELIEF: a feature is relevant if it differs between near cases of different classes, but not within a class.

For each case, all features together determine its nearest cases of the same class (hits) and of every other class
(misses). A feature gains weight where the misses differ and loses weight where the hits differ; its weight is the mean
over all cases, from -1 to 1. Because near cases agree on most other features, RELIEF also finds features that are
relevant only in combination; an irrelevant feature has a weight around 0 or below.

With one neighbour and two classes this is RELIEF, with more it is ReliefF: the misses of a class are weighted by the
class's share among the other classes, and a missing value differs by the amount expected in its class.

References: Kira, Rendell, "A practical approach to feature selection" (1992); Kononenko, "Estimating attributes:
analysis and extensions of RELIEF" (1994); Robnik-Šikonja, Kononenko, "Theoretical and empirical analysis of ReliefF
and RReliefF" (2003).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from casebase import _native
from casebase.data import Cases
from casebase.data.checks import is_number, is_whole
from casebase.data.folds import checked_seed
from casebase.data.runs import begins_run
from casebase.errors import CasebaseError
from casebase.progress import Progress

N_NEIGHBOURS = 10
TIE = 1e-9  # weights, and distances, that differ by no more are equal
STEP = 300_000_000  # comparisons of values between two reports of progress

Missing = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct cases, sorted by class and then by value; point i stands for `weights[i]` cases.

    Columns are codes, or numbers from 0 to 1. `missing` has, for a feature with missing values, the points that lack a
    value and the expected difference from the value of each point, by class.
    """

    columns: list[np.ndarray]
    missing: list[Missing | None]
    labels: np.ndarray
    weights: np.ndarray

    @property
    def n_points(self) -> int:
        return len(self.labels)


def relief(
    cases: Cases,
    features: Sequence[int],
    *,
    n_neighbours: int = N_NEIGHBOURS,
    n_samples: int | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> np.ndarray:
    """Return one weight per column, from -1 to 1; columns that are not among the features get 0.

    Each case, or each of `n_samples` cases, is compared with `n_neighbours` hits and as many misses of each other
    class; cases at the same distance share the remaining places equally. `progress` is called with the number of cases
    done and the total.

    >>> rows = [["0", "0", "a", "P"], ["0", "1", "a", "Q"], ["1", "0", "a", "Q"], ["1", "1", "a", "P"]]
    >>> relief(Cases.from_table(rows, target=-1), [0, 1, 2], n_neighbours=1).tolist()
    [-0.5, -0.5, 0.0]
    """
    n_neighbours = checked_neighbours(n_neighbours)
    points = points_of(cases, in_order(cases, features))
    times = points.weights if n_samples is None else sample(points.weights, checked_samples(n_samples), random_state)
    queries = np.flatnonzero(times).astype(np.uint32)
    share = np.bincount(points.labels, points.weights, minlength=cases.n_classes) / points.weights.sum()
    # In steps of a fixed size, so that a long run reports progress and can be interrupted.
    step = max(16, STEP // max(1, points.n_points * len(points.columns)) // 16 * 16)
    sums = np.zeros(len(points.columns))
    for begin in range(0, len(queries), step):
        part = queries[begin : begin + step]
        sums += _native.relief_sums(
            points.columns,
            points.missing,
            points.labels,
            points.weights,
            share,
            part,
            times[part],
            n_neighbours,
            n_jobs,
        )
        if progress:
            progress(begin + len(part), len(queries))
    weights = np.zeros(cases.n_features)
    weights[in_order(cases, features)] = sums / times.sum()
    return weights


def in_order(cases: Cases, features: Sequence[int]) -> list[int]:
    """Return the features, sorted by name if they have names: sums then do not depend on the order of the columns."""
    names = cases.schema.names
    return sorted(features, key=lambda i: (names[i] if cases.schema.is_named else "", i))


def points_of(cases: Cases, features: Sequence[int]) -> Points:
    """Return the distinct cases, ready to be compared on these features."""
    codes, missing_masks = zip(*(_codes(cases, i) for i in features))
    labels = cases.known_labels
    order = _native.lexicographic_order([labels, *codes], cases.n_cases).astype(np.int64)
    is_new = begins_run([column[order] for column in (labels, *codes)], cases.n_cases)
    first = order[is_new]
    case_weights = np.ones(cases.n_cases) if cases.weights is None else cases.weights
    weights = np.bincount(np.cumsum(is_new) - 1, case_weights[order])
    labels = np.ascontiguousarray(labels[first])
    columns, missing = [], []
    for i, column, is_missing in zip(features, codes, missing_masks):
        is_numeric = cases.schema.features[i].kind == "numeric"
        values = scale(cases.columns[i][first]) if is_numeric else column[first]
        columns.append(values)
        missing.append(expected_differences(values, is_missing[first], labels, weights, cases.n_classes, is_numeric))
    return Points(columns, missing, labels, weights)


def _codes(cases: Cases, feature: int) -> tuple[np.ndarray, np.ndarray]:
    """Return codes, equal for equal values (missing values included), and a mask of the missing values."""
    column, vocabulary = cases.columns[feature], cases.schema.features[feature].vocabulary
    if vocabulary is None:
        return np.unique(column, return_inverse=True)[1].ravel().astype(np.uint32), np.isnan(column)
    return column, np.zeros(len(column), dtype=bool) if vocabulary.missing is None else column == vocabulary.missing


def scale(numbers: np.ndarray) -> np.ndarray:
    """Scale numbers to the range from 0 to 1; missing numbers become 0.

    >>> scale(np.array([2.0, np.nan, 4.0, 3.0])).tolist()
    [0.0, 0.0, 1.0, 0.5]
    """
    is_known = ~np.isnan(numbers)
    if not is_known.any():
        return np.zeros(len(numbers))
    lowest, highest = numbers[is_known].min(), numbers[is_known].max()
    if lowest == highest:
        return np.zeros(len(numbers))
    return np.where(is_known, (numbers - lowest) / (highest - lowest), 0.0)


def expected_differences(
    values: np.ndarray,
    is_missing: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    n_classes: int,
    is_numeric: bool,
) -> Missing | None:
    """Return the points without a value, its expected difference from each point's value by class, and class → row.

    A missing value follows the distribution of values in its class; if no value is known there, the distribution over
    all cases; if no value is known at all, the difference is 0. The third array maps a class to its row of the second.
    """
    rows = np.flatnonzero(is_missing)
    if not len(rows):
        return None
    distinct, which = np.unique(values[~is_missing], return_inverse=True)
    which = which.ravel()
    known_labels, known_weights = labels[~is_missing], weights[~is_missing]
    classes = np.unique(labels[rows])
    place = np.zeros(n_classes, dtype=np.uint32)
    place[classes] = np.arange(len(classes))
    expected = np.zeros((len(classes), len(values)))
    if len(distinct):
        chances = []
        for label in classes.tolist():
            among = known_labels == label
            if not among.any():
                among[:] = True
            counts = np.bincount(which[among], known_weights[among], minlength=len(distinct))
            chances.append(counts / counts.sum())
        for row, chance in enumerate(chances):
            differs = _mean_differences(distinct, chance) if is_numeric else 1.0 - chance
            expected[row, ~is_missing] = differs[which]
            expected[row, rows] = np.array([other @ differs for other in chances])[place[labels[rows]]]
    return rows.astype(np.uint32), expected, place


def _mean_differences(numbers: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Return the mean distance of each number to a number drawn with these probabilities; numbers ascend."""
    # E|x - Y| splits at x into x P(Y <= x) - E[Y; Y <= x] and E[Y; Y > x] - x P(Y > x): cumulative sums give both.
    below, mean_below = np.cumsum(chance), np.cumsum(chance * numbers)
    distances = numbers * (2.0 * below - below[-1]) + (mean_below[-1] - 2.0 * mean_below)
    clipped: np.ndarray = np.maximum(distances, 0.0)  # rounding may give less
    return clipped


def sample(weights: np.ndarray, n_samples: int, random_state: int) -> np.ndarray:
    """Return how often each point is drawn; a point of weight n is n cases, each drawn at most once.

    This is systematic sampling: the points, in an order independent of the order of the rows, are shuffled and laid
    end to end, each as long as its weight; marks at equal distances from a random start select the points.
    """
    total = float(weights.sum())
    if n_samples >= total:
        return weights
    random = np.random.default_rng(checked_seed(random_state))
    shuffled = random.permutation(len(weights))
    marks = (random.random() + np.arange(n_samples)) * (total / n_samples)
    drawn = np.searchsorted(np.cumsum(weights[shuffled]), marks, side="right")
    return np.bincount(shuffled[np.minimum(drawn, len(weights) - 1)], minlength=len(weights)).astype(float)


def by_weight(cases: Cases, features: Sequence[int], weights: np.ndarray) -> list[int]:
    """Return features by descending weight; equal weights by name if the columns have names, else by position.

    >>> by_weight(Cases.from_table([["a", "b", "P"]], target=-1), [0, 1], np.array([0.1, 0.1 + 1e-12]))
    [0, 1]
    """
    ranked = sorted(in_order(cases, features), key=lambda i: -weights[i])
    groups: list[list[int]] = []  # of features whose weights are equal but for rounding
    for i in ranked:
        if groups and weights[groups[-1][0]] - weights[i] <= TIE:
            groups[-1].append(i)
        else:
            groups.append([i])
    return [i for group in groups for i in in_order(cases, group)]


def select_features(weights: np.ndarray, ranked: list[int], threshold: float, n_features: int | None) -> list[int]:
    """Return the first `n_features` of the ranked features, or, if that is None, those above the threshold.

    >>> select_features(np.array([0.1, 0.3, 1e-15]), [1, 0, 2], 0.0, None)
    [1, 0]
    """
    if n_features is not None:
        return ranked[: checked_n_features(n_features, len(ranked))]
    return [i for i in ranked if weights[i] > checked_least(threshold) + TIE]


def not_negative(weights: np.ndarray) -> np.ndarray:
    """Return RELIEF's weights for use in a distance: irrelevant features get 0.

    >>> not_negative(np.array([0.5, -0.25, 1e-17])).tolist()
    [0.5, 0.0, 0.0]
    """
    return np.where(weights > TIE, weights, 0.0)


def checked_neighbours(n_neighbours: object) -> int:
    if not is_whole(n_neighbours, 1):
        raise CasebaseError(
            f"n_neighbors is the number of near cases of each class to compare: a whole number of at least 1; "
            f"got {n_neighbours!r}."
        )
    return int(n_neighbours)


def checked_samples(n_samples: object) -> int:
    if not is_whole(n_samples, 1):
        raise CasebaseError(
            f"n_samples is the number of cases whose neighbours are searched: a whole number of at least 1, or None "
            f"for all; got {n_samples!r}."
        )
    return int(n_samples)


def checked_least(threshold: object) -> float:
    if not is_number(threshold) or not np.isfinite(threshold):
        raise CasebaseError(f"threshold is a number that the weight of a selected feature exceeds; got {threshold!r}.")
    return float(threshold)


def checked_n_features(n_features: object, n_used: int) -> int:
    if not is_whole(n_features, 0, n_used):
        raise CasebaseError(
            f"n_features_to_select is a whole number from 0 to {n_used}, the number of features, or None to use the "
            f"threshold; got {n_features!r}."
        )
    return int(n_features)
