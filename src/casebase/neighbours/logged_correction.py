"""Corrections that are written down: each returns the changed model and its log with one more entry."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from casebase.base.log import Author, Entry, with_entry
from casebase.base.records import Records, records_of
from casebase.data import Schema, Table, as_table
from casebase.data.arrow import pa
from casebase.data.columns import as_text, text_column
from casebase.data.labels import labels_for
from casebase.errors import CasebaseError, SchemaError, unknown_name
from casebase.memory.fingerprints import hexadecimal
from casebase.memory.lookup import given_ids
from casebase.neighbours import correction
from casebase.neighbours.correctable import Correctable
from casebase.neighbours.correction import Receipt

C = TypeVar("C", bound=Correctable)
NOBODY = Author()
Entries = tuple[Entry, ...]


def insert(
    model: C,
    log: Sequence[Entry],
    data: Any,
    labels: Any,
    *,
    ids: Any = None,
    weights: Any = None,
    exemplars: Any = None,
    author: Author = NOBODY,
) -> tuple[C, Entries]:
    """Return a model that also stores the cases of a table, and its log."""
    data = as_table(data)
    new = correction.new_ids(model.store(), data, ids, len(labels))
    larger = correction.insert(model, data, labels, ids=new, weights=weights, exemplars=exemplars)
    stored = new if weights is None else new[np.flatnonzero(weights)]
    return larger, with_entry(log, "insert", stored.tolist(), *_fingerprints(model, larger), author)


def remove(model: C, log: Sequence[Entry], ids: Any, *, author: Author = NOBODY) -> tuple[C, Entries, Receipt]:
    """Return a model without the cases with these ids, its log, in which no value of them is left, and a receipt."""
    smaller, receipt = correction.remove(model, ids)
    return smaller, with_entry(log, "remove", receipt.ids, receipt.before, receipt.after, author), receipt


def update(
    model: C,
    log: Sequence[Entry],
    ids: Any,
    data: Any,
    labels: Any,
    *,
    weights: Any = None,
    exemplars: Any = None,
    author: Author = NOBODY,
) -> tuple[C, Entries]:
    """Return a model in which the cases with these ids have new values and classes, and its log with the old ones."""
    memory = model.store().memory
    wanted = given_ids(memory, ids)
    changed = correction.update(model, wanted, data, labels, weights=weights, exemplars=exemplars)
    replaced = stored_records(model, wanted).as_logged()
    return changed, with_entry(log, "update", wanted.tolist(), *_fingerprints(model, changed), author, replaced)


def _fingerprints(before: Correctable, after: Correctable) -> tuple[str, str]:
    return hexadecimal(correction.fingerprint(before)), hexadecimal(correction.fingerprint(after))


def stored_records(model: Correctable, ids: np.ndarray) -> Records:
    """Return the stored cases with these ids."""
    return records_of(model, correction.rows_of(model.store().memory, ids))


class Revision(NamedTuple):
    """Stored cases with some values changed: what `update` takes."""

    table: Table
    labels: Sequence[Any]
    weights: np.ndarray | None
    exemplars: np.ndarray | None


def revision(model: Correctable, ids: Any, changes: Mapping[str, Sequence[str | None]]) -> Revision:
    """Return the cases with these ids, changed in some columns.

    `changes` has the new values of a column by its name: a text per case, None if it is missing. Columns of provenance
    are changed like values. The class is under its own name, or under `class`. All else stays as it is.
    """
    schema = model.schema
    records = stored_records(model, given_ids(model.store().memory, ids))
    given = {_known_name(schema, records, name): list(texts) for name, texts in changes.items()}
    for name, texts in given.items():
        if len(texts) != len(records):
            raise CasebaseError(f"Expected one value of {name} per case: {len(records)} cases, {len(texts)} values.")
    labels: Sequence[Any] = records.labels.to_pylist()
    if schema.target in given:
        labels = labels_for(schema.classes, text_column(given.pop(schema.target)))
    columns = []
    notations = tuple(None if name in given else records.notations.get(name) for name in schema.column_names)
    for name in schema.column_names:
        if name in given:
            columns.append(text_column(given[name]))
        elif name in records.columns:
            stored = records.columns[name]
            is_number = pa.types.is_floating(stored.type)
            columns.append(stored if is_number else as_text(stored.dictionary_encode()).dictionary_encode())
        elif name in records.provenance:
            columns.append(records.provenance[name].dictionary_encode())
        else:  # a column that the model leaves out
            columns.append(pa.nulls(len(records), pa.string()).dictionary_encode())
    table = Table(tuple(schema.column_names), tuple(columns), is_named=schema.is_named, notations=notations)
    weights, exemplars = (
        None if numbers is None else numbers.to_numpy() for numbers in (records.weights, records.exemplars)
    )
    return Revision(table, labels, weights, exemplars)


def _known_name(schema: Schema, records: Records, name: str) -> str:
    if name in records.columns or name in records.provenance or name == schema.target:
        return name
    if name == "class":
        return schema.target
    if name in schema.column_names:
        raise SchemaError(f"The model does not store the column {name!r}: it was left out of the training.")
    raise SchemaError(unknown_name("column", name, (*records.columns, *records.provenance, schema.target)))
