"""The memory: all cases, sorted by their features in order of relevance.

Cases that agree on the most relevant features are adjacent. IB1 searches this order, IGTree compresses it into a tree,
and TRIBL has a tree above a switch point and searches below it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from casebase import _native
from casebase.data import Cases, Schema, Vocabulary
from casebase.data.arrays import as_strings
from casebase.data.notation import Notation, Notations, joined_each, taken
from casebase.measures.weights import used_features
from casebase.memory.ids import Places

BLOCK = 2**20  # rows at a time
FEW = 20  # fewer than one in so many cases are looked for without an index
Source = np.ndarray | Callable[[], np.ndarray]  # an array, or a function that reads and checks it


class Arrival:
    """How stored cases arrived: their ids, original order and provenance.

    `row_of[i]` is the position, in the original order of the cases, of the case stored at i. `provenance` has a row of
    texts per case, None for a missing one: columns that are kept and quoted, and never compared. Answers need none of
    these, so they may be read at first use; indexes are built then, too.
    """

    def __init__(self, ids: Source, row_of: Source, provenance: Source | None = None) -> None:
        self._ids = ids
        self._row_of = row_of
        self._provenance = provenance

    def __reduce__(self) -> tuple[type["Arrival"], tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
        return Arrival, (self.ids, self.row_of, self.provenance)

    @cached_property
    def ids(self) -> np.ndarray:
        return _read(self._ids)

    @cached_property
    def row_of(self) -> np.ndarray:
        return _read(self._row_of)

    @cached_property
    def provenance(self) -> np.ndarray | None:
        return None if self._provenance is None else _read(self._provenance)

    @cached_property
    def places(self) -> Places:
        """The index of the ids."""
        return Places(self.ids)

    @cached_property
    def last_given(self) -> int:
        """The position of the last case in the original order."""
        return int(self.row_of.max())

    def part(self, rows: np.ndarray) -> "Arrival":
        """Return the arrival of these rows, in that order."""
        return Arrival(self.ids[rows], self.row_of[rows], None if self.provenance is None else self.provenance[rows])

    def range(self, begin: int, end: int) -> "Arrival":
        """Return the arrival of consecutive rows; nothing is read."""
        has_provenance = self._provenance is not None
        return Arrival(
            lambda: self.ids[begin:end],
            lambda: self.row_of[begin:end],
            (lambda: _provenance_of(self)[begin:end]) if has_provenance else None,
        )

    def in_order(self, row_of: np.ndarray) -> "Arrival":
        """Return the arrival of the same cases in another original order."""
        return Arrival(self.ids, row_of, self.provenance)


def _read(source: Source) -> np.ndarray:
    return source() if callable(source) else source


class Checks(Protocol):
    """What has not been checked of stored cases yet."""

    def check(self) -> None:
        """Check it, once; an error if the file that the cases are in is damaged."""
        ...


@dataclass(frozen=True, eq=False)
class Segment:
    """Stored cases by column, sorted by the symbolic features.

    Removed cases are marked in `removed` and stay until the memory is sorted again. Segments that differ only in these
    marks share their `arrival`. The cases of a large mapped file have `checks` that were not made when it was loaded.
    `notations` has for each column how its numbers were written, if some were read from text. `counts` are case weights
    whose sums are exact; `given_counts` are the weights as they were given, if rounding changed any of them.
    """

    columns: tuple[np.ndarray, ...]
    labels: np.ndarray
    counts: np.ndarray | None
    exemplars: np.ndarray | None
    arrival: Arrival
    removed: np.ndarray | None = None
    checks: Checks | None = None
    notations: Notations = ()
    given_counts: np.ndarray | None = None

    @property
    def row_of(self) -> np.ndarray:
        return self.arrival.row_of

    @property
    def ids(self) -> np.ndarray:
        return self.arrival.ids

    @property
    def provenance(self) -> np.ndarray | None:
        return self.arrival.provenance

    def check(self) -> None:
        """Make the checks that were not made when the file of the cases was loaded."""
        if self.checks is not None:
            self.checks.check()

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    def notation(self, rank: int) -> Notation | None:
        """Return how the numbers of a column were written; None unless they were read from text."""
        return self.notations[rank] if self.notations else None

    def numbers(self, rank: int) -> np.ndarray:
        """Return the numbers of a column, also where the model has intervals in their place."""
        notation = self.notation(rank)
        return self.columns[rank] if notation is None or notation.numbers is None else notation.numbers

    @cached_property
    def n_kept(self) -> int:
        return self.n_rows - (0 if self.removed is None else int(np.count_nonzero(self.removed)))

    @cached_property
    def kept(self) -> np.ndarray:
        """The rows that have not been removed."""
        return np.arange(self.n_rows) if self.removed is None else np.flatnonzero(self.removed == 0)

    @property
    def total(self) -> float:
        """The sum of the case weights of all rows."""
        return float(self.n_rows) if self.counts is None else float(self.counts.sum())

    @property
    def weights_given(self) -> np.ndarray | None:
        """The case weights as they were given; None if every case counts once."""
        return self.counts if self.given_counts is None else self.given_counts

    def part(self, rows: np.ndarray) -> "Segment":
        """Return these rows, in that order."""
        return Segment(
            tuple(column[rows] for column in self.columns),
            self.labels[rows],
            None if self.counts is None else self.counts[rows],
            None if self.exemplars is None else self.exemplars[rows],
            self.arrival.part(rows),
            notations=taken(self.notations, rows),
            given_counts=None if self.given_counts is None else self.given_counts[rows],
        )

    def range(self, begin: int, end: int) -> "Segment":
        """Return consecutive rows, as views: nothing is copied or read."""
        rows = slice(begin, end)
        return Segment(
            tuple(column[rows] for column in self.columns),
            self.labels[rows],
            None if self.counts is None else self.counts[rows],
            None if self.exemplars is None else self.exemplars[rows],
            self.arrival.range(begin, end),
            None if self.removed is None else self.removed[rows],
            self.checks,
            taken(self.notations, rows),
            None if self.given_counts is None else self.given_counts[rows],
        )

    def tidy(self) -> "Segment":
        """Return the segment without its removed rows."""
        return self if self.removed is None else self.part(self.kept)

    def without(self, rows: np.ndarray) -> "Segment":
        """Return the segment with these rows removed as well."""
        removed = np.zeros(self.n_rows, dtype=np.uint8) if self.removed is None else self.removed.copy()
        removed[rows] = 1
        return replace(self, removed=removed)


@dataclass(frozen=True, eq=False)
class Memory:
    """Stored cases in sorted segments. The feature of rank 0 is the first sort key.

    `order[rank]` is the position of a feature in the schema: symbolic features first, then numeric features, which are
    not sort keys. Rows are numbered consecutively through all segments. The order of a memory that `is_corrected` may
    differ from that of a new memory.
    """

    order: np.ndarray
    segments: tuple[Segment, ...]
    is_corrected: bool = False

    @cached_property
    def n_cases(self) -> int:
        return sum(segment.n_kept for segment in self.segments)

    @cached_property
    def first_rows(self) -> np.ndarray:
        """The first row of each segment, and one past the last row."""
        return np.concatenate([[0], np.cumsum([segment.n_rows for segment in self.segments])])

    @property
    def are_rounded(self) -> bool:
        """Whether some case weight is not as it was given."""
        return any(segment.given_counts is not None for segment in self.segments)

    @property
    def n_rows(self) -> int:
        """The number of rows, including removed ones."""
        return int(self.first_rows[-1])

    def check(self) -> None:
        """Make the checks of stored cases that were not made when their file was loaded."""
        for segment in self.segments:
            segment.check()

    @contextmanager
    def in_doubt(self) -> Iterator[None]:
        """Check the memory where a code or a class is out of range: the error is that of a damaged file then."""
        try:
            yield
        except (IndexError, ValueError):
            self.check()
            raise

    def at(self, rows: np.ndarray, part: Callable[[Segment], np.ndarray]) -> np.ndarray:
        """Return one array of the segments (`part` picks it) at rows of the memory."""
        if len(self.segments) == 1:
            values: np.ndarray = part(self.segments[0])[rows]
            return values
        segment = np.searchsorted(self.first_rows, rows, side="right") - 1
        # Without rows, the first segment still determines the type of the result.
        arrays = {i: part(self.segments[i]) for i in np.unique(segment).tolist()} or {0: part(self.segments[0])}
        out = np.empty(len(rows), dtype=np.result_type(*(array.dtype for array in arrays.values())))
        for i, array in arrays.items():
            here = segment == i
            out[here] = array[rows[here] - self.first_rows[i]]
        return out

    def part(self, rows: np.ndarray) -> Segment:
        """Return these rows, in that order, as one segment."""
        if len(self.segments) == 1:
            return self.segments[0].part(rows)
        return Segment(
            tuple(self.column(rank, rows) for rank in range(len(self.order))),
            self.labels(rows),
            self.counts(rows),
            self.exemplars(rows),
            Arrival(self.ids(rows), self.given(rows), self.provenance(rows)),
            notations=self.notations(rows),
            given_counts=self.weights_given(rows) if self.are_rounded else None,
        )

    def labels(self, rows: np.ndarray) -> np.ndarray:
        return self.at(rows, lambda segment: segment.labels)

    def given(self, rows: np.ndarray) -> np.ndarray:
        """Return the positions of stored cases in their original order."""
        return self.at(rows, lambda segment: segment.row_of)

    @cached_property
    def in_given_order(self) -> np.ndarray:
        """The rows that have not been removed, in the original order of the cases."""
        rows = np.concatenate([first + s.kept for first, s in zip(self.first_rows, self.segments)])
        return rows[np.argsort(self.given(rows), kind="stable")]

    def places(self, given: np.ndarray) -> np.ndarray:
        """Return the rows of some cases by their numbers in the original order, which skips cases that were removed.

        A few of them are found by going once through the memory: it may be larger than what can be sorted.
        """
        if len(self.segments) > 1 or self.segments[0].removed is not None or len(given) * FEW > self.n_rows:
            rows: np.ndarray = self.in_given_order[given]
            return rows
        row_of = self.segments[0].row_of
        place: dict[int, int] = {}
        is_wanted = np.zeros(self.n_rows, dtype=bool)
        is_wanted[given] = True
        for start in range(0, self.n_rows, BLOCK):
            block = np.asarray(row_of[start : start + BLOCK])
            here = np.flatnonzero(is_wanted[block])
            place.update(zip(block[here].tolist(), (start + here).tolist()))
        return np.array([place[number] for number in given.tolist()], dtype=np.int64)

    def column(self, rank: int, rows: np.ndarray) -> np.ndarray:
        return self.at(rows, lambda segment: segment.columns[rank])

    def ids(self, rows: np.ndarray) -> np.ndarray:
        return self.at(rows, lambda segment: segment.ids)

    def provenance(self, rows: np.ndarray) -> np.ndarray | None:
        """Return the provenance of stored cases, a row of texts for each; None if none is kept."""
        if any(segment.provenance is None for segment in self.segments):
            return None
        if len(self.segments) == 1:
            return self.at(rows, _provenance_of)

        def column(i: int) -> np.ndarray:
            return self.at(rows, lambda segment: _provenance_of(segment)[:, i])

        return np.stack([column(i) for i in range(_provenance_of(self.segments[0]).shape[1])], axis=1)

    def notations(self, rows: np.ndarray) -> Notations:
        """Return how the numbers of stored cases were written, by rank; empty if none was read from text."""
        if len(self.segments) == 1:
            return taken(self.segments[0].notations, rows)
        if not any(segment.notations for segment in self.segments):
            return ()
        segment = np.searchsorted(self.first_rows, rows, side="right") - 1
        by_segment = np.argsort(segment, kind="stable")
        local = [rows[segment == i] - self.first_rows[i] for i in range(len(self.segments))]
        parts = [taken(one.notations, at) for one, at in zip(self.segments, local)]
        return taken(joined_each(parts, list(map(len, local))), np.argsort(by_segment, kind="stable"))

    def counts(self, rows: np.ndarray) -> np.ndarray | None:
        """Return case weights; None if every case counts once."""
        if all(segment.counts is None for segment in self.segments):
            return None
        return self.at(rows, lambda segment: _or_ones(segment.counts, segment.n_rows))

    def weights_given(self, rows: np.ndarray) -> np.ndarray | None:
        """Return case weights as they were given; None if every case counts once."""
        if all(segment.counts is None for segment in self.segments):
            return None
        return self.at(rows, lambda segment: _or_ones(segment.weights_given, segment.n_rows))

    def label_and_weight(self, row: int) -> tuple[int, float]:
        """Return the class and the weight of one stored case."""
        rows = np.array([row])
        counts = self.counts(rows)
        return int(self.labels(rows)[0]), 1.0 if counts is None else float(counts[0])

    def exemplars(self, rows: np.ndarray) -> np.ndarray | None:
        """Return exemplar weights; None if no case has one."""
        if all(segment.exemplars is None for segment in self.segments):
            return None
        return self.at(rows, lambda segment: _or_ones(segment.exemplars, segment.n_rows))


def _provenance_of(cases: Segment | Arrival) -> np.ndarray:
    assert cases.provenance is not None
    return cases.provenance


def _or_ones(numbers: np.ndarray | None, n: int) -> np.ndarray:
    return np.ones(n) if numbers is None else numbers


def by_feature(notations: Notations, order: np.ndarray, n_features: int) -> Notations:
    """Return notations in the order of the features, from those by rank in a memory."""
    if not notations:
        return ()
    found: list[Notation | None] = [None] * n_features
    for rank, position in enumerate(order.tolist()):
        found[position] = notations[rank]
    return tuple(found)


def as_questions(
    columns: list[np.ndarray], schema: Schema, order: np.ndarray, missing_agrees: bool
) -> list[np.ndarray]:
    """Return the columns of queries, in an order of features, ready to be compared with stored columns.

    Unless `missing_agrees`, a missing value gets the code of an unknown value, which equals no stored code.
    """
    questions = []
    for column, feature in zip(columns, order.tolist()):
        vocabulary = None if missing_agrees else schema.features[feature].vocabulary
        if vocabulary is None or vocabulary.missing is None:
            pass
        elif len(column) == 1:
            if column.item(0) == vocabulary.missing:
                column = np.array([vocabulary.unknown], dtype=column.dtype)
        else:
            column = np.where(column == vocabulary.missing, vocabulary.unknown, column).astype(column.dtype)
        questions.append(np.ascontiguousarray(column))
    return questions


def question_columns(cases: Cases, order: np.ndarray, missing_agrees: bool) -> list[np.ndarray]:
    """Return the columns of queries in an order of features."""
    return as_questions([cases.columns[feature] for feature in order.tolist()], cases.schema, order, missing_agrees)


def relevance_order(schema: Schema, features: list[int], *keys: np.ndarray) -> list[int]:
    """Return features by descending keys, the first key first; on ties by name, if features have names.

    Columns without names keep their order. So a table with a header gives the same model whatever the order of its
    columns.
    """
    if schema.is_named:
        features = sorted(features, key=lambda i: schema.features[i].name)
    return sorted(features, key=lambda i: tuple(-key[i] for key in keys))


def without_ignored_values(schema: Schema) -> Schema:
    """Return the schema with empty vocabularies for ignored features: a model does not keep unused values."""
    if all(feature.kind != "ignored" for feature in schema.features):
        return schema
    empty = Vocabulary(as_strings([]))
    features = (
        replace(feature, vocabulary=empty) if feature.kind == "ignored" and feature.vocabulary is not None else feature
        for feature in schema.features
    )
    return replace(schema, features=tuple(features))


def remember(cases: Cases, weights: np.ndarray, then: np.ndarray, *, first: list[int] | None = None) -> Memory:
    """Return a memory of the cases, sorted by the features `first`, then by features of descending weight.

    Ties between weights are broken by `then`. After `first`, the order affects only the speed of a search, not its
    result.
    """
    first = first or []
    are_first = set(first)  # there may be as many as features, and a hundred thousand of those
    rest = [i for i in used_features(cases) if i not in are_first]
    is_numeric = [feature.kind == "numeric" for feature in cases.schema.features]
    order = sorted(first + relevance_order(cases.schema, rest, weights, then), key=lambda i: is_numeric[i])
    return Memory(np.array(order, dtype=np.int64), (sorted_segment(cases, order),))


@runtime_checkable
class SortsItself(Protocol):
    """Cases that are too many to be sorted in memory."""

    def sorted_segment(self, order: Sequence[int]) -> Segment: ...


def sorted_segment(cases: Cases, order: Sequence[int]) -> Segment:
    """Return a segment of the cases, sorted by the symbolic features in this order."""
    if isinstance(cases, SortsItself):
        return cases.sorted_segment(order)
    symbolic = [cases.columns[i] for i in order if cases.schema.features[i].kind != "numeric"]
    rows = _native.lexicographic_order(symbolic, cases.n_cases)
    return Segment(
        tuple(cases.columns[i][rows] for i in order),
        cases.known_labels[rows],
        None if cases.weights is None else cases.weights[rows],
        None if cases.exemplars is None else cases.exemplars[rows],
        Arrival(cases.case_ids()[rows], rows, None if cases.provenance is None else cases.provenance[rows]),
        notations=taken(tuple(cases.notations[i] for i in order) if cases.notations else (), rows),
        given_counts=None if cases.given_weights is None else cases.given_weights[rows],
    )


def with_symbols(cases: Cases, features: list[int]) -> Cases:
    """Return the cases with these features symbolic, for trees that test values for equality."""
    numeric = [i for i in features if cases.schema.features[i].kind == "numeric"]
    cases = cases.with_kinds(dict.fromkeys(numeric, "symbolic"))
    marked = [replace(f, of_numbers=f.of_numbers or i in numeric) for i, f in enumerate(cases.schema.features)]
    return replace(cases, schema=replace(cases.schema, features=tuple(marked)))
