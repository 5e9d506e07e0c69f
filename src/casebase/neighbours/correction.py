"""Incremental learning and unlearning: insert, remove and update cases; the result equals a new fit.

Every function takes a frozen model and returns a new one. The work is proportional to the number of changed cases: they
are sorted into a segment of their own, counts and entropies change by a few terms, and only their paths in a tree are
grown again. Some changes affect everything: a new or lost class, a new order of the features in a tree, or a quarter of
the memory out of order; and weights that are not functions of counts depend on all cases. In these cases the model is
fitted again from its stored cases.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from casebase.base.answers import Preference
from casebase.data import Cases, Schema, Table, as_table
from casebase.data.additions import extend_schema
from casebase.data.ids import LARGEST_ID, repeated
from casebase.data.labels import coded_labels, label_array
from casebase.data.weights import LARGEST_TOTAL, SMALLEST_TOTAL, rounded_weights, total_of, weight_grid
from casebase.errors import CasebaseError
from casebase.measures.quirks import USUAL
from casebase.measures.weights import NOT_OF_COUNTS
from casebase.memory.fingerprints import MODULUS, fingerprint_of, hexadecimal
from casebase.memory.intervals import has_same_cuts
from casebase.memory.lookup import are_numbers, given_ids, id_list, rows_or_none, rows_with
from casebase.memory.segments import Memory, Segment, sorted_segment
from casebase.memory.store import DISORDER, Change, Store, with_segment, without_rows
from casebase.neighbours.correctable import Correctable
from casebase.neighbours.settings import RelevanceSettings
from casebase.progress import warn_user

C = TypeVar("C", bound=Correctable)
_FINGERPRINTS: WeakKeyDictionary[Correctable, int] = (
    WeakKeyDictionary()
)  # computed once for each model, as long as it lives


@dataclass(frozen=True)
class Receipt:
    """A record of a removal: the ids, their number, and the fingerprint of the memory before and after."""

    ids: tuple[int | str, ...]
    count: int
    before: str
    after: str

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as a JSON object."""
        return asdict(self) | {"ids": list(self.ids)}


def insert(model: C, data: Any, labels: Any, *, ids: Any = None, weights: Any = None, exemplars: Any = None) -> C:
    """Return a model that also stores the cases of a table, with their classes.

    >>> from casebase.data import Cases
    >>> from casebase.neighbours import ib1
    >>> model = ib1.fit(Cases.from_table([["a", "P"], ["b", "Q"]], target=-1))
    >>> insert(model, [["c"]], ["R"]).schema.classes
    ('P', 'Q', 'R')
    """
    store = model.store()
    n_cases = len(labels)
    data = as_table(data)
    new = new_ids(store, data, ids, n_cases)
    places = max(segment.arrival.last_given for segment in store.memory.segments) + 1 + np.arange(n_cases)
    weights = None if weights is None else _one_per_case(weights, n_cases, "weight")
    exemplars = None if exemplars is None else _one_per_case(exemplars, n_cases, "exemplar weight")
    if weights is not None and len(kept := np.flatnonzero(weights)) < n_cases:
        # As in a fit, a case of weight 0 is not stored.
        _check_labels(data.n_rows, n_cases)
        data = data.take(kept)
        labels, new, places, weights = label_array(labels)[kept], new[kept], places[kept], weights[kept]
        exemplars = None if exemplars is None else exemplars[kept]
    return _corrected(model, store, _NO_ROWS, _arrivals(data, labels, new, places, weights, exemplars))


def remove(model: C, ids: Any) -> tuple[C, Receipt]:
    """Return a model without the cases with these ids, and a receipt.

    >>> from casebase.data import Cases
    >>> from casebase.neighbours import ib1
    >>> model, receipt = remove(ib1.fit(Cases.from_table([["a", "P"], ["b", "Q"]], target=-1)), [1])
    >>> model.schema.classes, receipt.ids
    (('P',), (1,))
    """
    store = model.store()
    wanted = given_ids(store.memory, ids)
    rows = rows_of(store.memory, wanted)
    if len(rows) == store.memory.n_cases:
        raise CasebaseError(
            f"These are all of the {len(rows)} stored cases, and a memory cannot be empty. Delete the model instead."
        )
    before = fingerprint(model)
    smaller = _corrected(model, store, rows, None)
    receipt = Receipt(tuple(wanted.tolist()), len(rows), hexadecimal(before), hexadecimal(fingerprint(smaller)))
    return smaller, receipt


def update(model: C, ids: Any, data: Any, labels: Any, *, weights: Any = None, exemplars: Any = None) -> C:
    """Return a model in which the cases with these ids have new values and classes; their order does not change.

    Columns of provenance that the table lacks stay as they are.
    """
    store = model.store()
    wanted = given_ids(store.memory, ids)
    rows = rows_of(store.memory, wanted)
    if len(labels) != len(rows):
        raise CasebaseError(f"Expected one class per case: {len(rows)} ids, {len(labels)} classes.")
    arrivals = _arrivals(as_table(data), labels, wanted, store.memory.given(rows), weights, exemplars)
    return _corrected(model, store, rows, replace(arrivals, replaced=rows))


def fingerprint(model: Correctable) -> int:
    """Return a hash of the stored cases, the same for all models of the same cases; it is computed once per model."""
    if model not in _FINGERPRINTS:
        store = model.store()
        order, segments = store.memory.order, [segment.tidy() for segment in store.memory.segments]
        _FINGERPRINTS[model] = sum(_fingerprint(store.schema, order, s) for s in segments) % MODULUS
    return _FINGERPRINTS[model]


def correctable(model: object) -> Correctable:
    """Return the model if its cases can be inserted and removed; refuse others."""
    if isinstance(model, Correctable):
        return model
    raise CasebaseError(
        f"A model of {type(model).__name__} cannot be corrected: what it keeps of a case depends on all the others. "
        "Fit it again, or use IB1, IGTree, TRIBL or TRIBL2."
    )


_NO_ROWS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Arrivals:
    """New cases: a table, and for each case its class, id, place in the order given, and weights.

    `replaced` are the rows of the stored cases whose places they take, if they take any.
    """

    data: Table
    labels: np.ndarray
    ids: np.ndarray
    places: np.ndarray
    weights: np.ndarray | None
    exemplars: np.ndarray | None
    replaced: np.ndarray | None = None

    def stored(self, store: Store, total: float) -> tuple[Schema, Segment]:
        """Return the extended schema and the sorted segment of the cases; with them all weights sum to `total`."""
        schema, columns = extend_schema(store.schema, self.data)
        _check_labels(len(columns[0]), len(self.labels))
        classes, labels = _coded_classes(store.schema.classes, self.labels)
        schema = replace(schema, classes=classes)
        weights = given = self.weights
        if given is not None:
            weights = rounded_weights(given, total)
            given = None if np.array_equal(weights, given) else given
        cases = Cases(
            schema,
            tuple(columns),
            labels,
            weights,
            self.ids,
            n_cases=len(labels),
            exemplars=self.exemplars,
            provenance=self._provenance(store),
            notations=store.schema.recorded_notations(self.data, columns),
            given_weights=given,
        )
        segment = sorted_segment(cases, store.memory.order.tolist())
        return schema, replace(segment, arrival=segment.arrival.in_order(self.places[segment.row_of].astype(np.uint32)))

    def weights_given(self) -> np.ndarray:
        """Return the weights of the cases, 1 unless others were given."""
        return np.ones(len(self.ids)) if self.weights is None else self.weights

    def _provenance(self, store: Store) -> np.ndarray | None:
        """Return the provenance of the cases: of the table, else of the cases that they replace, else missing."""
        columns, names = store.schema.given_columns(self.data), store.schema.provenance_names
        if not names:
            return None
        assert store.schema.source is not None
        provenance = store.schema.source.provenance(columns, len(self.labels))
        before = None if self.replaced is None else store.memory.provenance(self.replaced)
        if before is not None:
            present = store.schema.source.has_provenance(columns)
            provenance = np.where(present, provenance, before)
        return provenance


def _arrivals(data: Table, labels: Any, ids: np.ndarray, places: np.ndarray, weights: Any, exemplars: Any) -> Arrivals:
    n_cases = len(ids)
    return Arrivals(
        data,
        label_array(labels),
        ids,
        places,
        None if weights is None else _checked_weights(weights, n_cases, "weight"),
        None if exemplars is None else _checked_weights(exemplars, n_cases, "exemplar weight"),
    )


def _checked_weights(weights: Any, n_cases: int, what: str) -> np.ndarray:
    array = _one_per_case(weights, n_cases, what)
    if not np.isfinite(array).all() or (array <= 0).any():
        raise CasebaseError(f"Expected positive, finite numbers: the {what} of a case that is stored.")
    return array


def _one_per_case(weights: Any, n_cases: int, what: str) -> np.ndarray:
    array = np.asarray(weights, dtype=float)
    if array.shape != (n_cases,):
        raise CasebaseError(f"Expected one {what} per case: {n_cases} cases, weights of shape {array.shape}.")
    return array


def _check_labels(n_cases: int, n_labels: int) -> None:
    if n_cases != n_labels:
        raise CasebaseError(f"Expected one class per case: {n_cases} cases, {n_labels} classes.")


def _coded_classes(classes: tuple[Any, ...], labels: np.ndarray) -> tuple[tuple[Any, ...], np.ndarray]:
    """Return the classes, with new ones at the end, and the code of each label."""
    distinct, codes = coded_labels(labels)
    are_texts = isinstance(classes[0], str)
    for label in distinct.tolist():
        if isinstance(label, str) != are_texts:
            kind, other = ("text", "numbers") if are_texts else ("numbers", "text")
            raise CasebaseError(f"The stored classes are {kind}, e.g. {classes[0]!r}; got {label!r}, which is {other}.")
    code_of = {label: code for code, label in enumerate(classes)}
    known = np.array([code_of.setdefault(label, len(code_of)) for label in distinct.tolist()], dtype=np.uint32)
    return tuple(code_of), known[codes]


def _corrected(model: C, store: Store, rows: np.ndarray, arrivals: Arrivals | None) -> C:
    """Return the model without some rows of its memory, and with the arrivals."""
    memory, schema = store.memory, store.schema
    if len(rows) and arrivals is None and schema.source is not None:
        # A reason such as "from 0.5 to 99.75" may quote what only a removed case had.
        schema = replace(schema, source=schema.source.without_quotes())
    gone = memory.part(rows)
    are_rounded = memory.are_rounded
    before = total_of(_weights_given(memory)) if are_rounded else float(model.preference.frequency.sum())
    if len(rows):
        memory = without_rows(memory, rows)
    came = gone.part(_NO_ROWS)
    more = np.empty(0) if arrivals is None else arrivals.weights_given()
    # The sum of the weights as they are given: that of the rounded ones may have another grid.
    left = _weights_given(memory) if are_rounded else np.array([before, -gone.total])
    total = total_of(np.append(left, more))
    if arrivals is not None and len(arrivals.ids):
        schema, came = arrivals.stored(store, total)
        memory = with_segment(memory, came)
    if not gone.n_rows and not came.n_rows:
        return model
    has_weights = any(segment.counts is not None for segment in (*memory.segments, came))
    if has_weights and not SMALLEST_TOTAL <= total <= LARGEST_TOTAL:
        raise CasebaseError(
            f"The case weights would sum to {total:g}; sums are exact between {SMALLEST_TOTAL:g} and {LARGEST_TOTAL:g}."
        )
    # Weights are rounded to a grid that depends on their total: a coarser grid changes the stored weights, and so does
    # a finer one if some were rounded before.
    grid, old_grid = weight_grid(total), weight_grid(before)
    must_round = has_weights and (grid > old_grid or (grid < old_grid and are_rounded))
    after = Store(schema, memory, None)
    quick = None if must_round else _with_change(model, store, after, Change.of(gone, came))
    if quick is None:
        return model.refit(after.cases())
    if model in _FINGERPRINTS:
        difference = _fingerprint(schema, memory.order, came) - _fingerprint(schema, memory.order, gone)
        _FINGERPRINTS[quick] = (_FINGERPRINTS[model] + difference) % MODULUS
    return quick


def _with_change(model: C, store: Store, after: Store, change: Change) -> C | None:
    """Return the model of the changed store; None if the counts cannot follow the change."""
    settings = model.settings
    if not isinstance(settings, RelevanceSettings):  # what the model learned does not follow from counts alone
        return None
    weightings = (settings.weighting, getattr(settings, "weighting_below", None))
    # Each condition excludes a change that the counts cannot follow; then only a new fit gives the right model.
    is_quick = (
        settings.quirks == USUAL
        and not any(isinstance(weighting, str) and weighting in NOT_OF_COUNTS for weighting in weightings)
        and not any(feature.of_numbers for feature in store.schema.features)
        and has_same_cuts(after, settings.discretise, settings.n_bins)
        and len(after.schema.classes) == len(store.schema.classes)
        and after.disorder <= DISORDER
    )
    if not is_quick:
        return None
    after = replace(after, tables=store.with_counts().tables).recount(change)
    assert after.tables is not None
    frequency = next(iter(after.tables.values())).per_class
    # A class without cases would not exist in a new fit.
    return model.corrected(after, change, Preference(frequency, model.preference.rank)) if frequency.all() else None


def _fingerprint(schema: Schema, order: np.ndarray, segment: Segment) -> int:
    return fingerprint_of(
        schema,
        order,
        segment.columns,
        segment.labels,
        segment.weights_given,
        segment.exemplars,
        segment.ids,
        segment.provenance,
        segment.notations,
    )


def _weights_given(memory: Memory) -> np.ndarray:
    """Return the weights, as they were given, of all cases that have not been removed."""
    parts = [segment.tidy() for segment in memory.segments]
    return np.concatenate([np.ones(s.n_rows) if s.weights_given is None else s.weights_given for s in parts])


def _default_ids(store: Store, table: Table) -> np.ndarray | None:
    """Return the ids in a table of new cases: its id column, or the index of a data frame if the memory can take it."""
    ids = store.schema.column_ids(table, are_stored=True)
    if ids is not None or table.ids is None:
        return ids
    taken = repeated(table.ids)
    if not taken and are_numbers(store.memory) and table.ids.dtype.kind not in "iu":
        what = f"text, such as {table.ids.tolist()[0]!r}, and the stored ids are whole numbers"
    else:
        if not taken:
            values = given_ids(store.memory, table.ids)
            taken = values[rows_or_none(store.memory, values) >= 0].tolist()
        if not taken:
            return table.ids
        what = f"{taken[0]!r} twice, or as a stored case has it"
    warn_user(
        f"The index of the data frame has {what}, so the new cases are numbered on from the largest id. Pass ids."
    )
    return None


def new_ids(store: Store, table: Table, ids: Any, n_cases: int) -> np.ndarray:
    """Return the ids of new cases: given or those of the table, after checking, or the numbers after the largest."""
    memory = store.memory
    ids = _default_ids(store, table) if ids is None else ids
    if ids is None:
        if not are_numbers(memory):
            raise CasebaseError("The stored cases have ids of text, which cannot be continued automatically: pass ids.")
        largest = max(_largest_id(segment) for segment in memory.segments)
        if largest > LARGEST_ID - n_cases:
            raise CasebaseError(f"No numbers are left after the largest id, {largest}: pass ids.")
        return largest + 1 + np.arange(n_cases, dtype=np.int64)
    new = given_ids(memory, ids)
    if len(new) != n_cases:
        raise CasebaseError(f"Expected one id per case: {n_cases} cases, {len(new)} ids.")
    there = rows_or_none(memory, new) >= 0
    if there.any():
        raise CasebaseError(
            f"There is already a case with id {id_list(new[there])}: ids must be unique. To change a case, use update."
        )
    return new


def _largest_id(segment: Segment) -> int:
    largest = segment.arrival.places.largest
    if segment.removed is None or not segment.removed[segment.arrival.places.of(np.array([largest]))[0]]:
        return largest
    return int(segment.ids[segment.kept].max())


def rows_of(memory: Memory, ids: np.ndarray) -> np.ndarray:
    """Return the row of the case with each id; an error if one is not stored."""
    try:
        return rows_with(memory, ids)
    except CasebaseError as error:
        raise CasebaseError(f"{error} Nothing was changed.") from error
