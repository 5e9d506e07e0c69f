"""Cases: the coded table that every learner reads.

A case is a row of a table: a value for each feature, a class, and optionally a weight and an id. Symbolic
features are stored as codes, column by column; numeric features as float64 with NaN for missing values. Cases
are frozen: learners read them and never change them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase.data import preview
from casebase.data.arrays import as_integers, as_numpy, as_strings
from casebase.data.arrow import pa, pc
from casebase.data.columns import as_text, spelling
from casebase.data.features import (
    Feature,
    Kind,
    as_kind,
    decode_column,
    encode_column,
    encode_columns,
    new_feature,
)
from casebase.data.ids import distinct_ids, ids_of_frame
from casebase.data.labels import coded_labels, label_array, labels_in
from casebase.data.notation import Notation, Notations, notation_of, taken
from casebase.data.rows import PlainColumns, PlainRows, Value, coded_row, coded_values, plain_columns, plain_rows
from casebase.data.schema import TableSchema, notations_in
from casebase.data.sources import (
    KEPT,
    Columns,
    Source,
    derived_columns,
    left_out_kinds,
    plain_source,
    with_columns_left_out,
)
from casebase.data.table import Table
from casebase.data.tables import as_table
from casebase.data.vocabulary import in_order
from casebase.data.weights import exemplar_weights, rounded_and_given
from casebase.errors import CasebaseError, SchemaError

UNKNOWN_LABEL = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True, eq=False)
class Schema(TableSchema):
    """The features and classes of a case base: enough to encode new cases like the stored ones."""

    def encode(self, data: Any) -> Cases:
        """Encode new cases with the vocabularies of this schema.

        Columns are matched by name if both sides have names, otherwise by position; a class column is used if there
        is one. In rows that are dicts, a key that is absent is a missing value, and an unknown one an error.
        """
        rows = plain_rows(data)
        cases = None if rows is None else self.encode_rows(rows)
        return self._encode_table(self.table(data)) if cases is None else cases

    def encode_rows(self, table: PlainRows) -> Cases | None:
        """Encode a few plain rows as `encode` does, but without Arrow; None if they need the Arrow path."""
        is_plain_row = len(table.rows) == 1 and table.names is None and self.source is None
        if is_plain_row and table.n_columns == len(self.features):
            row = coded_row(table.rows[0], self.features)
            if row is not None:
                return Cases(self, tuple(row[0]), None, n_cases=1, source=PlainColumns(row[1]))
        columns = plain_columns(table)
        if columns is None:
            return None
        if self.is_named and table.names is not None:
            by_name = dict(zip(table.names, columns))
            has_others = table.are_records and not set(by_name) <= set(self.column_names)
            if has_others or any(name not in by_name for name in self.needed_columns):
                return None
            given = [by_name.get(name) for name in self.column_names]
            columns = [by_name[name] for name in self.names] if self.source is None else columns
        elif len(columns) != len(self.column_names):
            return None
        else:
            given = list(columns)
        if self.source is not None and any(
            values is not None and kind.kind in KEPT for kind, values in zip(self.source, given)
        ):
            return None
        of_features = columns if self.source is None else self.source.plain_columns(given)
        if of_features is None:
            return None
        coded, source = [], []
        for (kind, values), feature in zip(of_features, self.features):
            column = coded_values(kind, values, feature)
            if column is None:
                return None
            coded.append(column[0])
            source.append(column[1])
        return Cases(self, tuple(coded), None, ids=table.ids, n_cases=len(table.rows), source=PlainColumns(source))

    def _encode_table(self, table: Table) -> Cases:
        given = self.given_columns(table)
        source = self._derived(given)
        columns = encode_columns(source, self.features)
        if self.source is None:  # as the table has it, commas included
            source = tuple(given)
        labels = None
        if table.target is not None:
            names = as_strings([str(spelling(label)) for label in self.classes])
            codes = pc.index_in(as_text(table.columns[table.target]), value_set=names).cast(pa.int64())
            labels = as_numpy(codes, null=int(UNKNOWN_LABEL)).astype(np.uint32)
        ids = None if self.source is None else self.source.ids(given, are_stored=False)
        provenance = None
        if self.source is not None and self.source.provenance_names:
            provenance = self.source.provenance(given, table.n_rows)
        return Cases(
            self,
            tuple(columns),
            labels,
            ids=table.ids if ids is None else ids,
            n_cases=table.n_rows,
            source=source,
            provenance=provenance,
            # A column that is text itself is quoted from there.
            notations=self.notations(table, columns, [pa.types.is_floating(column.type) for column in source]),
        )

    def recode(self, cases: Cases) -> Cases:
        """Translate cases from the codes of another schema, which has the same features, to the codes of this one."""
        stored = zip(cases.columns, cases.schema.features, cases.notations or [None] * cases.n_features)
        decoded = [decode_column(*one) for one in stored]
        for i, feature in enumerate(cases.schema.features):
            if feature.is_cut and cases.source is not None:  # an interval does not tell the number
                decoded[i] = _source_column(cases.source, i)
        columns = tuple(
            column if new.vocabulary is old.vocabulary else encode_column(given, new)
            for column, given, old, new in zip(
                cases.columns, decoded, cases.schema.features, self.features, strict=True
            )
        )
        source = cases.source
        if source is None:  # a value that this schema does not know has no code here, but evidence shows it
            source = tuple(decoded)
        return replace(cases, schema=self, columns=columns, source=source)


@dataclass(frozen=True, eq=False)
class Cases:
    """Coded cases: one array per feature, label codes, and optional weights, ids and provenance.

    The ids of queries need not be distinct. `provenance` has a row of texts per case, for the columns that are kept
    and never compared. `notations` has for each feature how its numbers were written, if some were read from text. New
    cases that are encoded with an existing schema keep their `source` columns, because all values unknown to the schema
    share one code. `drawn` are the first rows of a shuffle that depends on their content alone, if they are known:
    those of `memory.fingerprints.case_keys`, ascending. `given_weights` are the weights before they were rounded, if
    that changed any of them.

    >>> cases = Cases.from_table([["red", "round", "apple"], ["yellow", "long", "banana"]], target=-1)
    >>> cases.n_cases, cases.schema.names, cases.schema.classes
    (2, ('f1', 'f2'), ('apple', 'banana'))
    """

    schema: Schema
    columns: tuple[np.ndarray, ...]
    labels: np.ndarray | None
    weights: np.ndarray | None = None
    ids: np.ndarray | None = None
    n_cases: int = 0
    source: Sequence[pa.Array] | None = None
    exemplars: np.ndarray | None = None
    provenance: np.ndarray | None = None
    notations: Notations = ()
    drawn: np.ndarray | None = None
    given_weights: np.ndarray | None = None

    @classmethod
    def from_table(
        cls,
        data: Any,
        target: str | int | None = None,
        *,
        y: Any = None,
        kinds: Mapping[str | int, Kind] | None = None,
        weights: Any = None,
        ids: Any = None,
        exemplars: Any = None,
        source: Source | None = None,
        ignore: Columns = None,
        keep: Columns = None,
    ) -> Cases:
        """Return the cases of a data frame, array, list of rows, or file's table.

        The class is the column `target`, or `y` if it is not part of the table. `kinds` maps features, by name or
        number, to "symbolic", "numeric" or "ignored"; by default floats are numeric and everything else is symbolic.
        A case of weight n counts as n cases. An exemplar weight of n divides all distances to the case by n. With a
        `source`, the features are derived from the columns by their kinds. Columns to `ignore`, by name or number, are
        left out; columns to `keep` are left out of the features and kept as provenance. The ids are those given, else
        those in the source's column of ids, else the index of a data frame.
        """
        table = as_table(data, target)
        if ignore is not None or keep is not None:
            names = [name for i, name in enumerate(table.names) if i != table.target]
            class_name = None if table.target is None else table.names[table.target]
            left_out = left_out_kinds(names, ignore, keep, class_name)
            source = with_columns_left_out(source or plain_source(table), left_out)
        if y is None:
            if table.target is None:
                raise CasebaseError("There is no class: name the class column (target=…), or pass y.")
            classes, labels = labels_in(table.columns[table.target])
            target_name = table.names[table.target]
        else:
            classes, labels = coded_labels(label_array(y))
            target_name = str(getattr(y, "name", None) or "class")
        if table.n_rows == 0:
            raise CasebaseError("The table has no cases: at least one row is needed.")
        if len(labels) != table.n_rows:
            raise CasebaseError(f"Expected one class per case: {table.n_rows} cases, {len(labels)} classes.")
        positions = [i for i in range(len(table.names)) if i != table.target]
        if not positions:
            raise CasebaseError("The table has no features: at least one column besides the class is needed.")
        name, n_columns = Counter(table.names).most_common(1)[0]
        if table.is_named and n_columns > 1:
            raise SchemaError(
                f"{n_columns} columns are named {name!r}: column names must be distinct, so rename all but one."
            )
        given = [(table.names[position], table.columns[position]) for position in positions]
        provenance = None
        if source is not None:
            columns_given = [column for _, column in given]
            provenance = source.provenance(columns_given, table.n_rows) if source.provenance_names else None
            ids = source.ids(columns_given, are_stored=True) if ids is None else ids
            given = derived_columns(given, source)
        if ids is None and table.ids is not None:
            ids = ids_of_frame(table.ids)
        columns, features = [], []
        done: dict[int, tuple[Feature, np.ndarray]] = {}  # by the identity of a column: a table may share one
        for name, values in given:
            if id(values) not in done:
                done[id(values)] = new_feature(name, values)
            feature, column = done[id(values)]
            feature = feature if feature.name == name else replace(feature, name=name)
            features.append(feature if source is None else source.with_quotes(feature))
            columns.append(column)
        exact, given_weights = (None, None) if weights is None else rounded_and_given(weights, table.n_rows)
        cases = cls(
            Schema(
                tuple(features),
                tuple(classes.tolist()),
                target_name,
                table.is_named,
                table.target,
                source,
                table.layout,
            ),
            tuple(columns),
            labels,
            exact,
            None if ids is None else distinct_ids(ids, table.n_rows),
            n_cases=table.n_rows,
            exemplars=None if exemplars is None else exemplar_weights(exemplars, table.n_rows),
            provenance=provenance,
            notations=notations_in(table, positions, source, columns),
            given_weights=given_weights,
        )
        if cases.weights is not None and not cases.weights.all():
            # Cases of weight 0 are no cases: without them, the values that only they have are unknown.
            cases = cases.take(np.flatnonzero(cases.weights))
            if cases.n_cases == 0:
                raise CasebaseError("All weights are zero: at least one case must count.")
            cases = cases._with_values_that_occur()
        return cases.with_kinds(kinds) if kinds else cases

    def __len__(self) -> int:
        return self.n_cases

    def __repr__(self) -> str:
        return f"<Cases: {preview.summary(self)}>"

    def __str__(self) -> str:
        return preview.text(self)

    def _repr_html_(self) -> str:
        return preview.html(self)

    @property
    def n_features(self) -> int:
        return len(self.columns)

    @property
    def n_classes(self) -> int:
        return len(self.schema.classes)

    @cached_property
    def known_labels(self) -> np.ndarray:
        """The label codes; an error unless every case has a known class."""
        if self.labels is None or (len(self.labels) and self.labels.max() >= self.n_classes):
            raise CasebaseError("These cases have no class, or a class that the schema does not have.")
        return self.labels

    @cached_property
    def class_counts(self) -> np.ndarray:
        return np.bincount(self.known_labels, self.weights, minlength=self.n_classes).astype(float)

    def case_ids(self) -> np.ndarray:
        """Return the id of every case: the ids passed in, or 0, 1, 2, …."""
        return np.arange(self.n_cases) if self.ids is None else self.ids

    def take(self, rows: np.ndarray) -> Cases:
        """Return the cases at these rows, in that order, in the same codes."""
        return replace(
            self,
            columns=tuple(column[rows] for column in self.columns),
            labels=None if self.labels is None else self.labels[rows],
            weights=None if self.weights is None else self.weights[rows],
            given_weights=None if self.given_weights is None else self.given_weights[rows],
            # Queries without ids stay without: a row number must not pass for the id of a stored case.
            ids=None if self.ids is None and self.source is not None else self.case_ids()[rows],
            n_cases=len(rows),
            exemplars=None if self.exemplars is None else self.exemplars[rows],
            source=_take_source(self.source, rows),
            provenance=None if self.provenance is None else self.provenance[rows],
            notations=taken(self.notations, rows),
            drawn=None,
        )

    def notation(self, position: int) -> Notation | None:
        """Return how the numbers of a feature were written; None unless they were read from text."""
        return self.notations[position] if self.notations else None

    def provenance_of(self, row: int) -> dict[str, str | None]:
        """Return the provenance of a case, by the names of its columns."""
        return {} if self.provenance is None else dict(zip(self.schema.provenance_names, self.provenance[row].tolist()))

    def one_by_one(self) -> list[Cases]:
        """Return every case alone, coded as before; one case is itself."""
        return [self] if self.n_cases == 1 else [self.take(np.array([row])) for row in range(self.n_cases)]

    def values(self, row: int) -> list[Value]:
        """Return the original values of one case, None for missing values."""
        if isinstance(self.source, PlainColumns):
            return self._quoted(self.source.row(row))
        if self.source is None:
            return list(self.take(np.array([row])).all_values()[0])
        values = [column[row].as_py() for column in self.source]
        for i, notation in enumerate(self.notations):
            if notation is not None and isinstance(values[i], float):
                values[i] = notation.value(row, values[i])
        return self._quoted(values)

    def all_values(self) -> list[tuple[str | float | None, ...]]:
        """Return the original values of every case."""
        if self.source is None:
            stored = zip(self.schema.features, self.columns, self.notations or [None] * self.n_features)
            return list(zip(*(feature.values(column, notation) for feature, column, notation in stored)))
        if isinstance(self.source, PlainColumns):
            rows = zip(*self.source.columns)
        else:
            columns = [column.to_pylist() for column in self.source]
            for i, notation in enumerate(self.notations):
                if notation is not None and pa.types.is_floating(self.source[i].type):
                    columns[i] = notation.values(columns[i])
            rows = zip(*columns)
        return [tuple(self._quoted(list(row))) for row in rows] if self.schema.has_quotes else list(rows)

    def _quoted(self, values: list[Value]) -> list[Value]:
        """Return the values of the features as a table has them: ranks as texts, days as dates."""
        if not self.schema.has_quotes:
            return values
        return [feature.quoted(value) for feature, value in zip(self.schema.features, values)]

    def without_quotes(self) -> Cases:
        """Return the same cases with the values that are learned: the ranks of ordinals, the days of dates."""
        features = tuple(replace(feature, levels=(), date_style=None) for feature in self.schema.features)
        return replace(self, schema=replace(self.schema, features=features))

    def with_weights(self, weights: np.ndarray | None) -> Cases:
        """Return the same cases with other case weights, whose sums must be exact."""
        return replace(self, weights=weights, given_weights=None)

    def with_ids(self, ids: Any) -> Cases:
        """Return the same cases with these ids, after checking that there is one for each and none twice."""
        return replace(self, ids=distinct_ids(ids, self.n_cases))

    def with_target(self, name: str) -> Cases:
        """Return the same cases with another name for the class column."""
        return replace(self, schema=replace(self.schema, target=name))

    def _with_values_that_occur(self) -> Cases:
        """Return the same cases with vocabularies of the values that occur; all classes stay."""
        features, columns = list(self.schema.features), list(self.columns)
        for i, feature in enumerate(features):
            if feature.vocabulary is not None:
                vocabulary, columns[i] = in_order(feature.vocabulary, columns[i])
                features[i] = replace(feature, vocabulary=vocabulary)
        return replace(self, schema=replace(self.schema, features=tuple(features)), columns=tuple(columns))

    def with_kinds(self, kinds: Mapping[str | int, Kind]) -> Cases:
        """Return the same cases with other kinds ("symbolic", "numeric", "ignored") for some features."""
        features, columns = list(self.schema.features), list(self.columns)
        notations = list(self.notations or [None] * self.n_features)
        for name, kind in kinds.items():
            i = self.schema.position(name)
            texts = None
            if kind == "numeric" and features[i].vocabulary is not None and not features[i].of_numbers:
                texts = decode_column(columns[i], features[i])
            features[i], columns[i] = as_kind(features[i], columns[i], kind)
            if texts is not None and notations[i] is None:
                notations[i] = notation_of(texts, columns[i])
        schema = replace(self.schema, features=tuple(features))
        return replace(self, schema=schema, columns=tuple(columns), notations=tuple(notations))


def _source_column(source: Sequence[pa.Array], position: int) -> pa.Array:
    if isinstance(source, PlainColumns):
        return as_strings([spelling(value) for value in source.columns[position]]).dictionary_encode()
    return source[position]


def _take_source(source: Sequence[pa.Array] | None, rows: np.ndarray) -> Sequence[pa.Array] | None:
    if source is None or isinstance(source, PlainColumns):
        return None if source is None else source.take(rows)
    indices = as_integers(np.asarray(rows))
    return tuple(column.take(indices) for column in source)
