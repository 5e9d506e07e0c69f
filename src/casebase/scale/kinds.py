"""The kinds of columns, and the counts of the features that are derived from them, by the counts of all values.

The rules of `casebase.data.kinds` look at distinct values and at how often each occurs, so the counts of a column say
as much as the column. A feature is a function of a column's value, so its counts follow from those of the column.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.data.arrays import as_floats, as_numpy
from casebase.data.kinds import column_kind, given_kinds, source_with
from casebase.data.roles import Roles
from casebase.data.sources import LEFT_OUT, SYMBOLIC, ColumnKind, Source, left_out_kinds, with_columns_left_out
from casebase.data.table import Table
from casebase.data.vocabulary import vocabulary_of
from casebase.errors import CasebaseError
from casebase.scale.counting import ColumnCounts, added

_ROW = re.compile(r"row [0-9]+ of [0-9]+")


@dataclass(frozen=True)
class Asked:
    """What is asked of the columns of one table: the kind of each, None for a plain one, and which are left out."""

    names: tuple[str, ...]
    kinds: Mapping[str, Any]
    left_out: Mapping[str, str]
    or_else: str | None

    @classmethod
    def of(cls, table: Table, roles: Roles) -> "Asked | None":
        """Return what is asked of a table; None if nothing is."""
        kinds = roles.kinds_of(table)
        if kinds is None and roles.ignore is None and roles.keep is None:
            return None
        names = tuple(name for i, name in enumerate(table.names) if i != table.target)
        target = None if table.target is None else table.names[table.target]
        left_out = left_out_kinds(names, roles.ignore, roles.keep, target)
        return cls(names, given_kinds(kinds, names, target), left_out, "auto" if kinds == "auto" else None)

    @property
    def id_column(self) -> str | None:
        """The column of ids."""
        return next((name for name, kind in self.kinds.items() if kind == "id" and name in self.names), None)

    @property
    def provenance(self) -> tuple[str, ...]:
        """The columns that are kept with the cases."""
        kept = {name for name, kind in self.kinds.items() if kind == "provenance"}
        kept = (kept | {name for name, kind in self.left_out.items() if kind == "provenance"}) - {
            name for name, kind in self.left_out.items() if kind == "ignored"
        }
        return tuple(name for name in self.names if name in kept)

    @property
    def uncounted(self) -> frozenset[str]:
        """The columns whose values need not be counted: they are not learned from, whatever they have."""
        known = (name for name, kind in self.kinds.items() if isinstance(kind, str) and kind in LEFT_OUT)
        return frozenset(known) | frozenset(self.left_out)

    def source(self, counts: Mapping[str, ColumnCounts], orders: Mapping[str, tuple[str, ...] | None]) -> Source:
        """Return the columns by kind; an error if one cannot have the kind that was given."""
        kinds = []
        for name in self.names:
            kind = self.kinds.get(name, self.or_else)
            if name in counts:
                kinds.append(_kind(name, counts[name], orders.get(name), kind))
            elif name in self.left_out and kind != "id":
                kinds.append(ColumnKind(name, self.left_out[name], "asked for"))
            else:
                kinds.append(ColumnKind(name, kind, "asked for"))
        return with_columns_left_out(source_with(kinds), self.left_out) if self.left_out else source_with(kinds)


def _kind(name: str, counts: ColumnCounts, order: tuple[str, ...] | None, kind: Any) -> ColumnKind:
    try:
        return column_kind(name, as_column(counts, order), kind, counts.times)
    except CasebaseError as error:
        # The column of distinct values has other rows than the table.
        raise type(error)(_ROW.sub("a row", str(error), count=1)) from None


def as_column(counts: ColumnCounts, order: tuple[str, ...] | None = None) -> pa.Array:
    """Return a column with every distinct value once, as a table has it; `order` is that of an ordered category."""
    if isinstance(counts.values, np.ndarray):
        return as_floats(counts.values)
    if order is None:
        return counts.values.dictionary_encode()
    values = pa.array(order, pa.string())
    return pa.DictionaryArray.from_arrays(pc.index_in(counts.values, value_set=values), values, ordered=True)


def derived(source: Source, counts: Mapping[str, ColumnCounts]) -> list[tuple[str, ColumnCounts]]:
    """Return the names and the counts of the features that are derived from the columns of a source."""
    found = []
    for column in source:
        if column.is_learned:
            found += list(zip(column.features, _of_features(column, counts[column.name])))
    return found


def _of_features(kind: ColumnKind, counts: ColumnCounts) -> Sequence[ColumnCounts]:
    is_float = isinstance(counts.values, np.ndarray)
    if not kind.order and (kind.kind in SYMBOLIC if not is_float else kind.kind in ("number", "ordinal")):
        return [counts]
    return [_recounted(feature, counts) for feature in kind.columns(as_column(counts))]


def _recounted(feature: pa.Array, counts: ColumnCounts) -> ColumnCounts:
    """Return the counts of a feature, given its value for each distinct value of the column."""
    values: pa.Array | np.ndarray
    if pa.types.is_floating(feature.type):
        values, codes = np.unique(as_numpy(feature, null=np.nan), return_inverse=True)
    else:
        vocabulary, codes = vocabulary_of(feature)
        values = vocabulary.values
    return ColumnCounts(values, *added(codes.ravel().astype(np.int64)[counts.value], counts.label, counts.count))
