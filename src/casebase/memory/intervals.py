"""Discretised features: every number is replaced by the interval that contains it.

Learners that test values for equality (SMILE, OBLIVION, FOCUS) use numbers in this form. The cuts are learned from the
training cases and applied to the queries.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import floor, log10

import numpy as np

from casebase.data import Cases, Feature, Schema, Vocabulary
from casebase.data.arrays import as_strings
from casebase.data.columns import spelling
from casebase.errors import CasebaseError
from casebase.measures.cuts import N_INTERVALS, checked_n_bins, discretiser_named
from casebase.measures.distances import MetricNames, resolve_metrics
from casebase.measures.weights import used_features
from casebase.memory.segments import Memory, with_symbols

MIN_DIGITS, MAX_DIGITS = 6, 16
NO_CUTS = "any number"


@dataclass(frozen=True, eq=False)
class Discretisation:
    """The cuts of each numeric feature, in column order; None for features that are not numeric.

    >>> cases = Cases.from_table([[1.5, "a"], [2.5, "b"]], y=["P", "Q"])
    >>> discrete = Discretisation((np.array([2.0]), None)).apply(cases)
    >>> discrete.values(0), discrete.values(1)
    (['≤ 2', 'a'], ['> 2', 'b'])
    """

    cuts: tuple[np.ndarray | None, ...]

    @cached_property
    def _intervals(self) -> tuple["_Intervals | None", ...]:
        return tuple(None if cuts is None else _Intervals.between(cuts) for cuts in self.cuts)

    def apply(self, cases: Cases) -> Cases:
        """Return the cases with intervals in place of numbers; missing values stay missing.

        Every interval has a code, even if it contains no case. So the codes of a feature depend only on its cuts, and
        queries get the same codes as stored cases. Cases with a `source` keep it, including the numbers.
        """
        notations = tuple(one if cuts is None else None for one, cuts in zip(cases.notations, self.cuts))
        if cases.source is not None:  # the numbers are quoted from there
            notations = cases.notations
        return replace(cases, columns=self.columns(cases), schema=self._schema(cases.schema), notations=notations)

    def columns(self, cases: Cases) -> tuple[np.ndarray, ...]:
        """Return the columns of the cases with intervals in place of numbers."""
        self._check_schema(cases.schema)
        return tuple(
            column if intervals is None else intervals.codes(column)
            for column, intervals in zip(cases.columns, self._intervals)
        )

    def schema(self, schema: Schema) -> Schema:
        """Return the schema with numeric features made symbolic, with intervals as values."""
        self._check_schema(schema)
        return self._schema(schema)

    def _schema(self, schema: Schema) -> Schema:
        if all(cuts is None for cuts in self.cuts):
            return schema
        features = tuple(
            feature if intervals is None else Feature(feature.name, "symbolic", intervals.vocabulary)
            for feature, intervals in zip(schema.features, self._intervals)
        )
        return replace(schema, features=features)

    def values(self, cases: Cases, row: int) -> list[str | float | None]:
        """Return the values of a case before discretisation, each number followed by its interval.

        >>> Discretisation((np.array([2.45, 4.75]),)).values(Cases.from_table([[3.5]], y=["P"]), 0)
        ['3.5 (2.45 – 4.75)']
        """
        shown = cases.values(row)
        for i, cuts in enumerate(self.cuts):
            number = np.nan if cuts is None else cases.columns[i][row]
            if cuts is not None and not np.isnan(number):
                shown[i] = f"{spelling(shown[i])} ({interval_names(cuts)[np.searchsorted(cuts, number)]})"
        return shown

    def by_name(self, schema: Schema) -> dict[str, list[float]]:
        """Return the cuts of numeric features, by name."""
        return {f.name: cuts.tolist() for f, cuts in zip(schema.features, self.cuts) if cuts is not None}

    def _check_schema(self, schema: Schema) -> None:
        numeric = [feature.kind == "numeric" for feature in schema.features]
        if numeric != [cuts is not None for cuts in self.cuts]:
            raise CasebaseError(
                f"The cuts are for {len(self.cuts)} features, {sum(c is not None for c in self.cuts)} of them "
                f"numeric; the cases have {len(numeric)} features, {sum(numeric)} of them numeric, or others."
            )


def discretisation_of(cases: Cases, by: str = "mdlp", n_bins: int = N_INTERVALS) -> Discretisation:
    """Return the cuts that one of the `DISCRETISERS` finds for the numeric features of the cases.

    >>> cases = Cases.from_table([[1.0, "a"], [2.0, "a"], [3.0, "b"], [4.0, "b"]], y=list("PPQQ"))
    >>> [None if cuts is None else cuts.tolist() for cuts in discretisation_of(cases, "equal_width", 2).cuts]
    [[2.5], None]
    """
    find_cuts, n_bins = discretiser_named(by), checked_n_bins(n_bins)
    return Discretisation(
        tuple(
            find_cuts(column, cases.known_labels, cases.n_classes, cases.weights, n_bins)
            if feature.kind == "numeric"
            else None
            for feature, column in zip(cases.schema.features, cases.columns)
        )
    )


def coded_memory(schema: Schema, memory: Memory, discretisation: Discretisation) -> Cases:
    """Return stored cases in the order of their memory, with numbers as intervals and ignored features all zero."""
    (segment,) = memory.segments
    zeros = np.zeros(segment.n_rows, dtype=np.uint8)
    by_position = {int(position): column for position, column in zip(memory.order, segment.columns)}
    columns = tuple(by_position.get(i, zeros) for i in range(len(schema.features)))
    stored = Cases(schema, columns, segment.labels, segment.counts, segment.ids, n_cases=segment.n_rows)
    return discretisation.apply(stored)


def interval_names(cuts: Sequence[float] | np.ndarray) -> list[str]:
    """Return the names of the intervals between cuts, in ascending order.

    Cuts have six digits, or as many more as are needed to make them distinct.

    >>> interval_names([2.45, 4.75])
    ['≤ 2.45', '2.45 – 4.75', '> 4.75']
    >>> interval_names([])
    ['any number']
    """
    if not len(cuts):
        return [NO_CUTS]
    texts = _cut_texts(np.asarray(cuts, dtype=float).tolist())
    return [f"≤ {texts[0]}", *(f"{low} – {high}" for low, high in pairwise(texts)), f"> {texts[-1]}"]


def _cut_texts(cuts: list[float]) -> list[str]:
    # Enough digits for the integer part of the largest cut and one decimal, so that large cuts have no exponent and
    # a cut halfway between two whole numbers shows its .5.
    largest = max(abs(cut) for cut in cuts)
    before_point = floor(log10(largest)) + 1 if largest else 1
    fewest = max(MIN_DIGITS, min(before_point + 1, MAX_DIGITS))
    for digits in range(fewest, MAX_DIGITS + 1):
        texts = [f"{cut:.{digits}g}" for cut in cuts]
        if len(set(texts)) == len(texts):
            return texts
    return [repr(cut) for cut in cuts]


@dataclass(frozen=True, eq=False)
class _Intervals:
    """The intervals between cuts: their names as a vocabulary, and their codes, with that of a missing number last."""

    cuts: np.ndarray
    vocabulary: Vocabulary
    code_of: np.ndarray

    @staticmethod
    def between(cuts: np.ndarray) -> "_Intervals":
        names = interval_names(cuts)
        vocabulary = Vocabulary(as_strings([None, *sorted(names)]))
        return _Intervals(cuts, vocabulary, vocabulary.encode_few([*names, None]))

    @cached_property
    def _cut_list(self) -> list[float]:
        return [float(cut) for cut in self.cuts]

    def codes(self, numbers: np.ndarray) -> np.ndarray:
        """Return the code of the interval that contains each number."""
        if (
            len(numbers) == 1
        ):  # single queries are frequent, and for one number bisect is several times faster than NumPy
            number = numbers.item(0)
            at = -1 if number != number else bisect_left(self._cut_list, number)
            return self.code_of[at : at + 1] if at >= 0 else self.code_of[-1:]
        interval = np.searchsorted(self.cuts, numbers, side="left")
        return self.code_of[np.where(np.isnan(numbers), len(self.cuts) + 1, interval)]


def equal_or_not(cases: Cases, metric: MetricNames, who_asks: str) -> Cases:
    """Return the cases with features numeric or ignored as the metric says; an error for any other metric."""
    cases, metrics = resolve_metrics(cases, metric)
    for name in metrics:
        if name not in ("overlap", "numeric", "ignored"):
            raise CasebaseError(
                f"{who_asks} whether values agree: the metric is 'overlap' ('numeric' for features to be cut into "
                f"intervals, 'ignored' for features to leave out), not {name!r}."
            )
    return cases


def cut(cases: Cases, discretise: str, n_bins: int) -> tuple[Cases, Discretisation]:
    """Return the cases and the cuts of their numeric features; with "none", numbers become symbols instead."""
    if discretise == "none":
        cases = with_symbols(cases, used_features(cases))
        return cases, Discretisation((None,) * cases.n_features)
    return cases, discretisation_of(cases, discretise, n_bins)
