"""RELIEF: a feature matters if it differs between near cases of different classes, and not between those of one.

For a case, its nearest cases of its own class (hits) and of every other class (misses) are found by all features
together. A feature on which the misses differ gains, one on which the hits differ loses; the mean over all cases is
its weight, from -1 to 1. Because near cases agree on most other features, a feature that tells something only
together with others is seen; a feature that tells nothing has a weight around 0, or below.

With one neighbour and two classes this is RELIEF, with more of them ReliefF: misses of each class count by the class's
share among the other classes, and a missing value differs from another by what is to be expected in its class.

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
TIE = 1e-9  # weights, and distances, that are so near are equal
STEP = 300_000_000  # differences of values between two reports of progress

Missing = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct cases, sorted by class and then by value; a point stands for `weights[i]` cases.

    Columns are codes, or numbers from 0 to 1. `missing` tells of a feature's missing values: which points have one,
    and what it is expected to differ from the value of each point, by class.
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
    """Return one weight per column, from -1 to 1; columns that are not among the features have 0.

    `n_neighbours` hits, and as many misses of every other class, are compared with each case, or with `n_samples` of
    them; cases at one distance share the places that are left. `progress` is called with the number of cases done
    and of all.

    >>> rows = [["0", "0", "a", "P"], ["0", "1", "a", "Q"], ["1", "0", "a", "Q"], ["1", "1", "a", "P"]]
    >>> relief(Cases.from_table(rows, target=-1), [0, 1, 2], n_neighbours=1).tolist()
    [-0.5, -0.5, 0.0]
    """
    n_neighbours = checked_neighbours(n_neighbours)
    points = points_of(cases, in_order(cases, features))
    times = points.weights if n_samples is None else sampled(points.weights, checked_samples(n_samples), random_state)
    asked = np.flatnonzero(times).astype(np.uint32)
    share = np.bincount(points.labels, points.weights, minlength=cases.n_classes) / points.weights.sum()
    # In steps of a fixed size, so that a long run can be watched and interrupted.
    step = max(16, STEP // max(1, points.n_points * len(points.columns)) // 16 * 16)
    sums = np.zeros(len(points.columns))
    for begin in range(0, len(asked), step):
        part = asked[begin : begin + step]
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
            progress(begin + len(part), len(asked))
    weights = np.zeros(cases.n_features)
    weights[in_order(cases, features)] = sums / times.sum()
    return weights


def in_order(cases: Cases, features: Sequence[int]) -> list[int]:
    """Return features by name where the columns have names: sums then do not depend on the order of the columns."""
    names = cases.schema.names
    return sorted(features, key=lambda i: (names[i] if cases.schema.is_named else "", i))


def points_of(cases: Cases, features: Sequence[int]) -> Points:
    """Return the distinct cases, with what RELIEF needs to compare them on some features."""
    codes, lacks = zip(*(_codes(cases, i) for i in features))
    labels = cases.known_labels
    order = _native.lexicographic_order([labels, *codes], cases.n_cases).astype(np.int64)
    is_new = begins_run([column[order] for column in (labels, *codes)], cases.n_cases)
    first = order[is_new]
    given = np.ones(cases.n_cases) if cases.weights is None else cases.weights
    weights = np.bincount(np.cumsum(is_new) - 1, given[order])
    labels = np.ascontiguousarray(labels[first])
    columns, missing = [], []
    for i, column, is_missing in zip(features, codes, lacks):
        is_numeric = cases.schema.features[i].kind == "numeric"
        values = scaled(cases.columns[i][first]) if is_numeric else column[first]
        columns.append(values)
        missing.append(expected_differences(values, is_missing[first], labels, weights, cases.n_classes, is_numeric))
    return Points(columns, missing, labels, weights)


def _codes(cases: Cases, feature: int) -> tuple[np.ndarray, np.ndarray]:
    """Return codes that are equal where values are, missing ones too, and which values are missing."""
    column, vocabulary = cases.columns[feature], cases.schema.features[feature].vocabulary
    if vocabulary is None:
        return np.unique(column, return_inverse=True)[1].ravel().astype(np.uint32), np.isnan(column)
    return column, np.zeros(len(column), dtype=bool) if vocabulary.missing is None else column == vocabulary.missing


def scaled(numbers: np.ndarray) -> np.ndarray:
    """Return numbers from 0 to 1, missing ones as 0.

    >>> scaled(np.array([2.0, np.nan, 4.0, 3.0])).tolist()
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
    """Return which points miss a value, and how much it is expected to differ from each point's, class by class.

    A missing value may be any that cases of its class have, as often as they have it; if none is known there, any that
    all cases have; if none is known at all, it differs from nothing. The third array tells which row of the second
    is whose class.
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
    """Return how far each of ascending numbers is, in the mean, from one that is drawn by these chances."""
    below, mean_below = np.cumsum(chance), np.cumsum(chance * numbers)
    return np.maximum(numbers * (2.0 * below - below[-1]) + (mean_below[-1] - 2.0 * mean_below), 0.0)


def sampled(weights: np.ndarray, n_samples: int, random_state: int) -> np.ndarray:
    """Return how often each point is drawn; one of weight n is n cases, of which each is drawn at most once.

    Points come in an order that does not depend on the order of the rows. They are shuffled and laid end to end, each
    as long as its weight; marks at equal steps from a random start say which are drawn.
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
    """Return features by descending weight; equal ones by name where the columns have names, else by position.

    >>> by_weight(Cases.from_table([["a", "b", "P"]], target=-1), [0, 1], np.array([0.1, 0.1 + 1e-12]))
    [0, 1]
    """
    ranked = sorted(in_order(cases, features), key=lambda i: -weights[i])
    groups: list[list[int]] = []
    for i in ranked:
        if groups and weights[groups[-1][0]] - weights[i] <= TIE:
            groups[-1].append(i)
        else:
            groups.append([i])
    return [i for group in groups for i in in_order(cases, group)]


def selected(weights: np.ndarray, ranked: list[int], threshold: float, n_features: int | None) -> list[int]:
    """Return the features, of those by descending weight, that exceed the threshold, or so many of the first.

    >>> selected(np.array([0.1, 0.3, 1e-15]), [1, 0, 2], 0.0, None)
    [1, 0]
    """
    if n_features is not None:
        return ranked[: checked_n_features(n_features, len(ranked))]
    return [i for i in ranked if weights[i] > checked_least(threshold) + TIE]


def not_negative(weights: np.ndarray) -> np.ndarray:
    """Return RELIEF's weights for a distance, to which a feature that tells nothing adds nothing.

    >>> not_negative(np.array([0.5, -0.25, 1e-17])).tolist()
    [0.5, 0.0, 0.0]
    """
    return np.where(weights > TIE, weights, 0.0)


def checked_neighbours(n_neighbours: object) -> int:
    if not is_whole(n_neighbours, 1):
        raise CasebaseError(
            f"n_neighbors is how many near cases of each class are compared: a whole number of at least 1; "
            f"got {n_neighbours!r}."
        )
    return int(n_neighbours)


def checked_samples(n_samples: object) -> int:
    if not is_whole(n_samples, 1):
        raise CasebaseError(
            f"n_samples is how many cases are asked for their neighbours: a whole number of at least 1, or None for "
            f"all; got {n_samples!r}."
        )
    return int(n_samples)


def checked_least(threshold: object) -> float:
    if not is_number(threshold) or not np.isfinite(threshold):
        raise CasebaseError(f"threshold is the weight that a selected feature exceeds, a number; got {threshold!r}.")
    return float(threshold)


def checked_n_features(n_features: object, n_used: int) -> int:
    if not is_whole(n_features, 0, n_used):
        raise CasebaseError(
            f"n_features_to_select is a whole number from 0 to {n_used}, the number of features, or None to go by the "
            f"threshold; got {n_features!r}."
        )
    return int(n_features)
