"""Discretised features: every number is replaced by the interval that contains it.

Learners that test values for equality (SMILE, OBLIVION, FOCUS) use numbers in this form. The cuts are learned from the
training cases and applied to the queries.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from casebase.data import Cases, Feature, Schema, Vocabulary
from casebase.data.arrays import as_strings
from casebase.data.columns import spelling
from casebase.data.features import as_recorded, cut_feature
from casebase.data.intervals import interval_names
from casebase.data.notation import recorded
from casebase.errors import CasebaseError
from casebase.measures.cuts import N_INTERVALS, checked_n_bins, discretiser_named
from casebase.measures.distances import MetricNames, resolve_metrics
from casebase.measures.weights import used_features
from casebase.memory.segments import Memory, with_symbols
from casebase.memory.store import Store


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


@runtime_checkable
class HasCells(Protocol):
    """Cases that are not in memory: how often each number of a feature occurs with each class is known."""

    def cells(self, feature: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return numbers, classes, and how many cases have both."""
        ...


def learned_cuts(cases: Cases, feature: int, by: str, n_bins: int) -> np.ndarray:
    """Return the cuts that one of the `DISCRETISERS` finds for a numeric feature."""
    if isinstance(cases, HasCells):
        numbers, labels, counts = cases.cells(feature)
        return discretiser_named(by)(numbers, labels, cases.n_classes, counts.astype(float), n_bins)
    return discretiser_named(by)(cases.columns[feature], cases.known_labels, cases.n_classes, cases.weights, n_bins)


def with_intervals(cases: Cases, by: str, n_bins: int) -> Cases:
    """Return the cases with numeric features cut into intervals, for any learner; the numbers are kept beside.

    >>> cases = with_intervals(Cases.from_table([[1.5, "a"], [2.5, "b"]], y=["P", "Q"]), "equal_width", 2)
    >>> cases.schema.features[0].cuts, cases.columns[0].tolist(), [str(number) for number, _ in cases.all_values()]
    (array([2.]), [1, 0], ['1.5 (≤ 2)', '2.5 (> 2)'])
    """
    features, columns = list(cases.schema.features), list(cases.columns)
    notations = list(cases.notations or [None] * len(features))
    numeric = [i for i, feature in enumerate(features) if feature.kind == "numeric"]
    for i in numeric:
        numbers = columns[i]
        features[i], columns[i] = cut_feature(features[i], numbers, learned_cuts(cases, i, by, n_bins))
        if not isinstance(cases, HasCells):
            notations[i] = recorded(notations[i], numbers)
    if not numeric:
        return cases
    has_notations = any(one is not None for one in notations)
    return replace(
        cases,
        schema=replace(cases.schema, features=tuple(features)),
        columns=tuple(columns),
        notations=tuple(notations) if has_notations else (),
    )


def without_intervals(cases: Cases) -> Cases:
    """Return the cases with the numbers that were recorded in place of their intervals: the inverse of the above."""
    features, columns, notations = list(cases.schema.features), list(cases.columns), list(cases.notations)
    for i, notation in enumerate(cases.notations):
        if features[i].is_cut and notation is not None and notation.numbers is not None:
            features[i], columns[i], notations[i] = as_recorded(features[i]), notation.numbers, notation.written
    schema = replace(cases.schema, features=tuple(features))
    has_notations = any(one is not None for one in notations)
    return replace(cases, schema=schema, columns=tuple(columns), notations=tuple(notations) if has_notations else ())


def has_same_cuts(store: Store, by: str, n_bins: int) -> bool:
    """Return whether the stored cases, learned from anew, would be cut where they are."""
    cut = [(rank, store.schema.features[i]) for rank, i in enumerate(store.memory.order.tolist())]
    for rank, feature in cut:
        notation = store.all.notation(rank)
        if feature.is_cut and notation is not None and notation.numbers is not None:
            assert feature.cuts is not None
            n_classes = len(store.schema.classes)
            cuts = discretiser_named(by)(notation.numbers, store.all.labels, n_classes, store.all.counts, n_bins)
            if not np.array_equal(cuts, feature.cuts):
                return False
    return True


def coded_memory(schema: Schema, memory: Memory, discretisation: Discretisation) -> Cases:
    """Return stored cases in the order of their memory, with numbers as intervals and ignored features all zero."""
    (segment,) = memory.segments
    zeros = np.zeros(segment.n_rows, dtype=np.uint8)
    by_position = {int(position): column for position, column in zip(memory.order, segment.columns)}
    columns = tuple(by_position.get(i, zeros) for i in range(len(schema.features)))
    stored = Cases(schema, columns, segment.labels, segment.counts, segment.ids, n_cases=segment.n_rows)
    return discretisation.apply(stored)


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
