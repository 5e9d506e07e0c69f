"""The store: a memory that supports adding and removing cases.

New cases form a small sorted segment after the others. Segments of similar size are merged, as in a log-structured
merge tree: there are never many segments, and a case is moved O(log n) times. Removed cases are marked. Counts are
updated case by case. Disorder (values after the sorted ones, values without cases, marked rows) changes no answer;
when it reaches a quarter of the memory, everything is sorted again.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase import _native
from casebase.data import Cases, Feature, Schema
from casebase.data.features import as_kind, as_recorded
from casebase.data.labels import coded_labels, label_array
from casebase.data.notation import joined_each
from casebase.data.vocabulary import in_order
from casebase.data.weights import rounded_and_given
from casebase.measures.contingency import Contingency, bin_numbers
from casebase.measures.counts import Counts, update
from casebase.measures.timbl_weights import AsMet, keys_as_met
from casebase.measures.weights import given_weights, subtract_smallest, summation_key, weights_from
from casebase.memory.segments import Arrival, Memory, Segment, by_feature

MERGE_RATIO = 2  # a segment is merged with the one before it unless that is more than this many times as large
DISORDER = 0.25  # the share of rows outside the first segment, or marked, at which everything is sorted again


@dataclass(frozen=True, eq=False)
class Change:
    """Added and removed cases, by column of the memory; removed cases have negative weights."""

    columns: tuple[np.ndarray, ...]
    labels: np.ndarray
    difference: np.ndarray

    @staticmethod
    def of(removed: Segment, added: Segment) -> "Change":
        """Return the change that removes some cases and adds others."""
        counts = [np.ones(s.n_rows) if s.counts is None else s.counts for s in (removed, added)]
        removal = Change(removed.columns, removed.labels, -counts[0])
        return removal.and_then(Change(added.columns, added.labels, counts[1]))

    def and_then(self, other: "Change") -> "Change":
        return Change(
            tuple(np.concatenate(pair) for pair in zip(self.columns, other.columns)),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.difference, other.difference]),
        )


@dataclass(frozen=True, eq=False)
class Store:
    """Stored cases with a contingency table per feature; `tables` is None before the first count.

    The schema may have classes without cases, and its classes need not be sorted. If weights are sums in the order in
    which values and classes were met, `met` has that order.
    """

    schema: Schema
    memory: Memory
    tables: dict[int, Counts] | None
    met: AsMet | None = None

    def __post_init__(self) -> None:
        self.memory.check()  # a corrected model is written again, and damage must not get a new checksum

    def weights(self, weighting: Any) -> np.ndarray:
        """Return the weight of each feature, computed from counts alone."""
        assert self.tables is not None
        n_features = len(self.schema.features)
        if self.met is not None and isinstance(weighting, str):
            return self.met.weights(self.tables, n_features, weighting)
        return weights_from(self.tables, n_features, weighting)

    def relevance(self, *, weighting: Any, diversify: bool, order_by: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the weight and the key of each feature, computed from counts alone."""
        assert self.tables is not None
        weights = self.weights(weighting)
        if order_by is not None:
            keys = given_weights(order_by, len(self.schema.features))
        elif self.met is not None:
            ratios = weights if weighting == "gain_ratio" else self.weights("gain_ratio")
            keys = keys_as_met(ratios, self.tables)
        else:
            keys = np.zeros(len(self.schema.features))
            for i, table in self.tables.items():
                keys[i] = summation_key(table)
        return subtract_smallest(weights, list(self.tables)) if diversify else weights, keys

    @cached_property
    def all(self) -> Segment:
        """The cases that have not been removed, in any order."""
        return concatenate([segment.tidy() for segment in self.memory.segments])

    @property
    def disorder(self) -> float:
        """The share of rows that are not where a new memory would have them."""
        first = self.memory.segments[0]
        return 1.0 - first.n_kept / self.memory.n_rows

    def numbers(self, rank: int) -> np.ndarray:
        return self.all.columns[rank]

    def with_counts(self) -> "Store":
        """Return the store with its contingency tables."""
        if self.tables is not None:
            return self
        # By position, as in a fit: if weights are equal, columns without names keep their order.
        ranks = np.argsort(self.memory.order).tolist()
        return replace(self, tables={int(self.memory.order[rank]): self._table(rank) for rank in ranks})

    def _table(self, rank: int) -> Contingency:
        stored, n_classes = self.all, len(self.schema.classes)
        vocabulary = self.schema.features[self.memory.order[rank]].vocabulary
        column = stored.columns[rank]
        codes, n_values = bin_numbers(column) if vocabulary is None else (column, len(vocabulary))
        start, label, count = _native.contingency(codes, stored.labels, stored.counts, n_values, n_classes)
        value = np.repeat(np.arange(n_values), (start[1:] - start[:-1]).astype(np.int64))
        return Contingency(value, label.astype(np.int64), count, n_values, n_classes)

    def recount(self, change: Change) -> "Store":
        """Return the store with its contingency tables, and the values that have cases, updated."""
        assert self.tables is not None
        tables, features = dict(self.tables), list(self.schema.features)
        for rank, feature in enumerate(self.memory.order.tolist()):
            vocabulary = features[feature].vocabulary
            if vocabulary is None:  # the bins of numbers depend on all numbers
                tables[feature] = self._table(rank)
                continue
            codes = change.columns[rank]
            table = update(self.tables[feature], codes, change.labels, change.difference, len(vocabulary))
            touched = np.unique(codes)
            has_cases = table.per_value[touched] > 0
            vocabulary = vocabulary.without(touched[~has_cases].tolist(), touched[has_cases].tolist())
            features[feature] = replace(features[feature], vocabulary=vocabulary)
            tables[feature] = table
        return replace(self, tables=tables, schema=replace(self.schema, features=tuple(features)))

    def cases(self) -> Cases:
        """Return the cases that have not been removed, in their original order, with values and classes sorted."""
        memory, stored = self.memory, self.all.part(np.argsort(self.all.row_of, kind="stable"))
        features = [_placeholder(feature) for feature in self.schema.features]
        notations = list(stored.notations)
        columns: list[np.ndarray] = [np.zeros(stored.n_rows, dtype=np.uint8)] * len(features)
        for rank, position in enumerate(memory.order.tolist()):
            feature, column = self.schema.features[position], stored.columns[rank]
            if feature.vocabulary is not None:
                vocabulary, column = in_order(feature.vocabulary, column)
                feature = replace(feature, vocabulary=vocabulary)
            if feature.of_numbers:
                feature, column = as_kind(feature, column, "numeric")
            notation = stored.notation(rank)
            if feature.is_cut and notation is not None and notation.numbers is not None:
                feature, column = as_recorded(feature), notation.numbers
                notations[rank] = notation.written
            features[position], columns[position] = feature, column
        if all(one is None for one in notations):
            notations = []
        classes, labels = _classes_in_order(self.schema.classes, stored.labels)
        given = stored.weights_given
        weights, given = (None, None) if given is None else rounded_and_given(given, stored.n_rows)
        return Cases(
            replace(self.schema, features=tuple(features), classes=classes),
            tuple(columns),
            labels,
            weights,
            stored.ids,
            n_cases=stored.n_rows,
            exemplars=stored.exemplars,
            provenance=stored.provenance,
            notations=by_feature(tuple(notations), memory.order, len(features)),
            given_weights=given,
        )


def _placeholder(feature: Feature) -> Feature:
    return replace(feature, kind="ignored")


def _classes_in_order(classes: tuple[Any, ...], labels: np.ndarray) -> tuple[tuple[Any, ...], np.ndarray]:
    """Return the classes that have cases, ascending, and the labels as their codes."""
    used = np.unique(labels)
    ascending, place = coded_labels(label_array([classes[code] for code in used]))
    new_code = np.zeros(len(classes), dtype=np.uint32)
    new_code[used] = place
    return tuple(ascending.tolist()), new_code[labels]


def with_segment(memory: Memory, segment: Segment) -> Memory:
    """Return a memory with a segment added after the others, and small segments merged."""
    segments = [*memory.segments, segment] if memory.n_cases else [segment]  # all others may have been removed
    while len(segments) > 1 and segments[-2].n_kept <= MERGE_RATIO * segments[-1].n_kept:
        segments[-2:] = [_sorted([segments[-2].tidy(), segments[-1].tidy()])]
    return replace(memory, segments=tuple(segments), is_corrected=True)


def without_rows(memory: Memory, rows: np.ndarray) -> Memory:
    """Return a memory with these rows marked as removed, and without the segments that become empty."""
    segments = list(memory.segments)
    where = np.searchsorted(memory.first_rows, rows, side="right") - 1
    for i in np.unique(where).tolist():
        segments[i] = segments[i].without(rows[where == i] - memory.first_rows[i])
    not_empty = tuple(segment for segment in segments if segment.n_kept)
    return replace(memory, segments=not_empty or tuple(segments[:1]), is_corrected=True)


def in_one_segment(memory: Memory) -> Segment:
    """Return the cases that have not been removed, sorted."""
    return _sorted([segment.tidy() for segment in memory.segments])


def _sorted(segments: list[Segment]) -> Segment:
    """Return the rows of all segments in one, sorted."""
    together = concatenate(segments)
    symbolic = [column for column in together.columns if column.dtype.kind == "u"]
    return together.part(_native.lexicographic_order(symbolic, together.n_rows))


def _concatenated_provenance(segments: list[Segment]) -> np.ndarray | None:
    of_each = [segment.provenance for segment in segments if segment.provenance is not None]
    return np.concatenate(of_each) if of_each else None


def concatenate(segments: list[Segment]) -> Segment:
    """Return the rows of all segments in one."""
    if len(segments) == 1:
        return segments[0]

    def numbers(arrays: list[np.ndarray | None]) -> np.ndarray | None:
        if all(array is None for array in arrays):
            return None
        return np.concatenate([np.ones(s.n_rows) if array is None else array for s, array in zip(segments, arrays)])

    any_rounded = any(segment.given_counts is not None for segment in segments)
    return Segment(
        tuple(np.concatenate(columns) for columns in zip(*(s.columns for s in segments))),
        np.concatenate([s.labels for s in segments]),
        numbers([s.counts for s in segments]),
        numbers([s.exemplars for s in segments]),
        Arrival(
            np.concatenate([s.ids for s in segments]),
            np.concatenate([s.row_of for s in segments]),
            _concatenated_provenance(segments),
        ),
        notations=joined_each([s.notations for s in segments], [s.n_rows for s in segments]),
        given_counts=numbers([s.weights_given for s in segments]) if any_rounded else None,
    )
