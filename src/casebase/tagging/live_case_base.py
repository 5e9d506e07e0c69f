"""One of the two case bases of a tagger, while the sentences of its corpus come and go.

The cases that come and go change the counts of values and classes, from which the weights of the features follow; the
memory gets a segment with the new cases; and in a tree only the paths of these cases change. The model is, after each
change, the one that training on all cases gives. Only codes and rows are numbered differently.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from casebase import _native
from casebase.base.answers import Preference
from casebase.data import Cases, Schema, Vocabulary
from casebase.measures.counts import Counts, update
from casebase.measures.distances import resolve_metrics
from casebase.measures.timbl_weights import AsMet
from casebase.measures.weights import NOT_OF_COUNTS, feature_tables
from casebase.memory.segments import Arrival, Memory, Segment, relevance_order
from casebase.memory.store import DISORDER, Change, Store, in_one_segment, with_segment, without_rows
from casebase.neighbours import igtree, tribl
from casebase.neighbours.correctable import relevance_keys
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.igtree import IGTree
from casebase.neighbours.tribl import TRIBL
from casebase.tagging.case_bases import WordModel, word_model
from casebase.tagging.features import Pattern
from casebase.tagging.live_changes import NeedsTraining

OrderOf = Callable[[int], np.ndarray]  # the codes of a level of the window in the order in which they were met


def is_of_counts(settings: Any) -> bool:
    """Whether all that a learner takes from its cases follows from counts, so that a correction can follow."""
    weightings = (settings.weighting, getattr(settings, "weighting_below", None))
    return getattr(settings, "switch", None) != tribl.CV and not any(
        isinstance(one, str) and one in NOT_OF_COUNTS for one in weightings
    )


@dataclass(frozen=True, eq=False)
class CaseChange:
    """Cases of a window that changed: the code of each feature, the class, and by how much their number changed."""

    codes: np.ndarray
    labels: np.ndarray
    difference: np.ndarray

    @staticmethod
    def of(gone: np.ndarray, came: np.ndarray) -> "CaseChange":
        """Return the difference of rows of values that went and came; the last value is the class."""
        rows = np.concatenate([gone, came])
        times = np.repeat([-1.0, 1.0], [len(gone), len(came)])
        rows, sums = merged_rows(rows, times)
        return CaseChange(rows[:, :-1], rows[:, -1], sums)


def merged_rows(rows: np.ndarray, amounts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows in ascending order, and the sum of their amounts; rows whose sum is 0 are left out.

    >>> [array.tolist() for array in merged_rows(np.array([[2, 1], [0, 1], [2, 1]]), np.array([1.0, 1.0, -1.0]))]
    [[[0, 1]], [1.0]]
    """
    columns = [np.ascontiguousarray(column, np.uint32) for column in rows.T]
    order = _native.lexicographic_order(columns, len(rows))
    rows, amounts = rows[order], amounts[order]
    starts = np.flatnonzero(np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)])[: len(rows)])
    sums = np.add.reduceat(amounts, starts) if len(starts) else np.empty(0)
    return rows[starts][sums != 0], sums[sums != 0]


@dataclass(frozen=True, eq=False)
class LiveCaseBase:
    """A model, and the counts of all features that it weighs, also of those beyond a limit.

    If its weights are sums in the order in which values were met, `met` has that order.
    """

    pattern: Pattern
    model: WordModel
    tables: Mapping[int, Counts]
    met: AsMet | None

    @staticmethod
    def of(pattern: Pattern, learner: str, settings: Any, cases: Cases, order_of: OrderOf | None) -> "LiveCaseBase":
        """Train a model that keeps its cases. The values of `cases` need not all occur."""
        if isinstance(settings, igtree.Settings):
            settings = replace(settings, keep_cases=True)
        model = word_model(learner, cases, settings)
        tables = feature_tables(resolve_metrics(cases, settings.metric)[0])
        met = None
        if order_of is not None:
            met = AsMet.of(tables, order_of(len(pattern.features)), {i: order_of(i) for i in tables})
        memory = _memory(model)
        if len(memory.order) < len(pattern.features):
            memory = _merged(memory)
        model = _with_memory(model, memory, _hidden(model.schema, memory.order, tables))
        return LiveCaseBase(pattern, model, tables, met)

    @property
    def memory(self) -> Memory:
        return _memory(self.model)

    def after(
        self, change: CaseChange, vocabularies: Mapping[str, Vocabulary], order_of: OrderOf | None
    ) -> "LiveCaseBase":
        """Return the case base after a change; `vocabularies` have the values of all features, old ones first."""
        touched = {i: np.unique(change.codes[:, i]) for i in self.tables}
        tables: dict[int, Counts] = {}
        for i, table in self.tables.items():
            n_values = len(vocabularies[self.pattern.features[i].base])
            tables[i] = update(table, change.codes[:, i], change.labels, change.difference, n_values)
        met = None
        if order_of is not None:
            assert self.met is not None
            orders = {i: order_of(i) for i in tables}
            met = self.met.after(tables, touched, order_of(len(self.pattern.features)), orders)
        schema = self._schema(vocabularies, tables, touched)
        self._check_limit(Store(schema, self.memory, tables, met))
        model = self._corrected(change, schema, tables, met)
        return LiveCaseBase(self.pattern, model, tables, met)

    def _corrected(self, change: CaseChange, schema: Schema, tables: dict[int, Counts], met: AsMet | None) -> WordModel:
        before = self.model.preference
        frequency = next(iter(tables.values())).per_class
        preference = Preference(frequency, before.rank if met is None else met.class_rank_of(len(frequency)))
        order = self.memory.order
        codes, difference = merged_rows(np.column_stack([change.codes[:, order], change.labels]), change.difference)
        used = CaseChange(codes[:, :-1], codes[:, -1].astype(np.uint32), difference)
        dtypes = [_vocabulary(schema, i).dtype for i in order.tolist()]
        columns = tuple(column.astype(dtype) for column, dtype in zip(used.codes.T, dtypes))
        memory = _changed_memory(self.memory, used, columns)
        store = Store(schema, memory, {i: tables[i] for i in sorted(order.tolist())}, met)
        done = Change(columns, used.labels, used.difference)
        model = self.model.corrected(store, done, preference)
        return _regrown(self.model, store, preference) if model is None else model

    def _schema(
        self, vocabularies: Mapping[str, Vocabulary], tables: Mapping[int, Counts], touched: Mapping[int, np.ndarray]
    ) -> Schema:
        """Return the schema with all values; those that no case of this column has are hidden."""
        features = list(self.model.schema.features)
        for i in self.memory.order.tolist():
            known, whole = _vocabulary(self.model.schema, i), vocabularies[self.pattern.features[i].base]
            new = list(whole.added)[len(known.added) :]
            has_cases = tables[i].per_value[touched[i]] > 0
            hidden = {*range(len(known), len(whole)), *touched[i][~has_cases].tolist()}
            vocabulary = known.with_values(new).without(hidden, touched[i][has_cases].tolist())
            features[i] = replace(features[i], vocabulary=vocabulary)
        return replace(self.model.schema, features=tuple(features))

    def _check_limit(self, store: Store) -> None:
        """Refuse a change after which other features are among those that a limit keeps."""
        settings = self.model.settings
        if settings.feature_limit is None:
            return
        weights, keys = store.relevance(**relevance_keys(settings) | {"diversify": False})
        ranking = keys if settings.quirks.limit_by_key else weights
        kept = relevance_order(store.schema, list(self.tables), ranking)[: settings.feature_limit]
        if set(kept) != set(self.memory.order.tolist()):
            raise NeedsTraining


def _vocabulary(schema: Schema, position: int) -> Vocabulary:
    vocabulary = schema.features[position].vocabulary
    assert vocabulary is not None
    return vocabulary


def _hidden(schema: Schema, order: np.ndarray, tables: Mapping[int, Counts]) -> Schema:
    """Return a schema in which values without cases are hidden."""
    features = list(schema.features)
    for i in order.tolist():
        vocabulary = _vocabulary(schema, i).without(np.flatnonzero(tables[i].per_value == 0).tolist())
        features[i] = replace(features[i], vocabulary=vocabulary)
    return replace(schema, features=tuple(features))


def _memory(model: WordModel) -> Memory:
    memory = model.below.memory if isinstance(model, TRIBL) else model.memory
    assert memory is not None
    return memory


def _with_memory(model: WordModel, memory: Memory, schema: Schema) -> WordModel:
    if isinstance(model, TRIBL):
        return replace(model, below=replace(model.below, memory=memory, schema=schema))
    return replace(model, memory=memory, schema=schema)


def with_arrival(model: WordModel, arrival: Callable[[Segment], Arrival]) -> WordModel:
    """Return the model with the ids and the order of its cases from a function."""
    memory = _memory(model)
    segments = tuple(replace(segment, arrival=arrival(segment)) for segment in memory.segments)
    return _with_memory(model, replace(memory, segments=segments), model.schema)


def _merged(memory: Memory) -> Memory:
    """Return a memory in which cases that differ only in features that it does not use are one."""
    (segment,) = memory.segments
    rows = np.column_stack([*segment.columns, segment.labels]).astype(np.uint32)
    assert segment.counts is not None
    rows, counts = merged_rows(rows, segment.counts)
    columns = tuple(column.astype(old.dtype) for column, old in zip(rows.T, segment.columns))
    return replace(memory, segments=(_segment(columns, rows[:, -1], counts),))


def _segment(columns: tuple[np.ndarray, ...], labels: np.ndarray, counts: np.ndarray) -> Segment:
    """Return sorted cases; which tokens they come from is found when it is asked."""
    nothing = np.zeros(len(labels), np.int64)
    ordered = tuple(np.ascontiguousarray(column) for column in columns)
    return Segment(ordered, np.ascontiguousarray(labels, np.uint32), counts, None, Arrival(nothing, nothing))


def _changed_memory(memory: Memory, change: CaseChange, columns: tuple[np.ndarray, ...]) -> Memory:
    """Return the memory in which the counts of some cases changed: they leave their rows and come again."""
    rows = _rows_of(memory, change)
    is_there = rows >= 0
    counts = change.difference.copy()
    before = memory.counts(rows[is_there])
    assert before is not None
    counts[is_there] += before
    changed = without_rows(memory, rows[is_there]) if is_there.any() else memory
    is_left = counts > 0
    if is_left.any():
        came = _segment(tuple(column[is_left] for column in columns), change.labels[is_left], counts[is_left])
        changed = with_segment(changed, came)
    first = changed.segments[0]
    if 1.0 - first.n_kept / changed.n_rows > DISORDER:
        changed = replace(changed, segments=(in_one_segment(changed),))
    return changed


def _rows_of(memory: Memory, change: CaseChange) -> np.ndarray:
    """Return the row of each case; −1 for those that are not stored."""
    rows = np.full(len(change.labels), -1, np.int64)
    codes = np.ascontiguousarray(change.codes, np.uint32).ravel()
    for first, segment in zip(memory.first_rows.tolist(), memory.segments):
        found = _native.find_cases(list(segment.columns), segment.labels, segment.removed, codes, change.labels)
        is_found = found < segment.n_rows
        rows[is_found] = first + found[is_found].astype(np.int64)
    return rows


def _regrown(model: WordModel, store: Store, preference: Preference) -> WordModel:
    """Return the model of a store in which other features are the most relevant ones: its tree is grown again."""
    assert not isinstance(model, IB1), "a search does not depend on the order of the features"
    assert store.tables is not None
    settings = model.settings
    weights, keys = store.relevance(**relevance_keys(settings))
    keys = weights if settings.order_by is None else keys
    used, before = list(store.tables), store.memory.order.tolist()
    order = relevance_order(store.schema, used, keys)
    n_levels = len(order)
    if isinstance(model, TRIBL):
        n_levels = tribl.switch_for(model.settings, weights[used])
        order[n_levels:] = [i for i in before if i not in order[:n_levels]]
    memory = _in_order(store.memory, order)
    stored = memory.segments[0]
    tree = igtree.grow(
        list(stored.columns[:n_levels]),
        stored.labels,
        stored.counts,
        preference,
        compress=isinstance(model, IGTree),
    )
    store = replace(store, memory=memory)
    if isinstance(model, IGTree):
        return replace(
            model,
            schema=store.schema,
            tree=tree,
            order=memory.order,
            weights=weights,
            preference=preference,
            n_cases=memory.n_cases,
            memory=memory,
            tables=store.tables,
        )
    below = replace(model.below, comparing=model.below.comparing.part([before.index(i) for i in order]))
    below = below.with_store(store, store.weights(model.settings.weighting_below), keys, preference)
    return replace(model, below=below, tree=tree, weights=weights, switch=n_levels)


def _in_order(memory: Memory, order: list[int]) -> Memory:
    """Return the cases sorted by the features in another order."""
    stored, before = in_one_segment(memory), memory.order.tolist()
    columns = [stored.columns[before.index(i)] for i in order]
    rows = _native.lexicographic_order(columns, stored.n_rows)
    ordered = replace(stored, columns=tuple(columns)).part(rows)
    return Memory(np.array(order, dtype=np.int64), (ordered,), is_corrected=True)
