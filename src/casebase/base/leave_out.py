"""Stored cases as queries, and answers to them from the memory without the case itself.

A stored case that is asked finds itself: at distance 0, in its own pool, on its own branch. Left out, it is answered by
the other cases. What was learned from all cases as a whole stays: weights, ranges, value differences, the order of the
features, the choice of readings. So the answer is that of the model in use, and not that of a slightly different one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from casebase.base.evidence import Evidence
from casebase.base.model import HasRecords, LeavesOut, Model
from casebase.base.quotes import stored_values
from casebase.data import Cases
from casebase.data.arrow import pa
from casebase.data.features import decode_column
from casebase.errors import CasebaseError
from casebase.memory.lookup import are_numbers, given_ids, id_list, rows_or_none, rows_with
from casebase.memory.segments import Memory, by_feature
from casebase.render.words import format_value

NOT_STORED = -1  # the row of a query that is no stored case
FEW = 8  # queries


def memory_of(model: object) -> Memory:
    """Return the stored cases of a model; an error if it keeps none."""
    memory = model.stored_memory() if isinstance(model, HasRecords) else None
    if memory is not None:
        return memory
    name = getattr(model, "method", type(model).__name__)
    if isinstance(model, HasRecords):
        raise CasebaseError(
            f"This {name} model was trained without keeping its cases (keep_cases=False). Train it again with "
            "keep_cases=True (--keep-cases)."
        )
    raise CasebaseError(
        f"A model of {name} keeps no cases, so there is no stored case to show or to leave out. Learners that keep "
        "them: auto and its readings, ib1, ib2, igtree, tribl, tribl2, smile, rules."
    )


def stored_queries(model: Model, ids: Any) -> tuple[Cases, np.ndarray]:
    """Return stored cases as queries, by id, and their rows in memory."""
    memory = memory_of(model)
    wanted = given_ids(memory, ids)
    if not len(wanted):
        raise CasebaseError("Expected at least one id of a stored case, got none.")
    rows = rows_with(memory, wanted)
    return stored_cases(model, rows), rows


def stored_cases(model: Model, rows: np.ndarray) -> Cases:
    """Return the cases at some rows of the memory, in the model's codes and with their values."""
    memory, schema = memory_of(model), model.schema
    n_cases = len(rows)
    columns: list[np.ndarray] = [np.zeros(n_cases, dtype=np.uint8)] * len(schema.features)
    source: list[pa.Array] = [pa.nulls(n_cases)] * len(schema.features)
    with memory.in_doubt():
        notations = memory.notations(rows)
        for rank, position in enumerate(memory.order.tolist()):
            columns[position] = memory.column(rank, rows)
            notation = notations[rank] if notations else None
            source[position] = decode_column(columns[position], schema.features[position], notation)
    return Cases(
        schema,
        tuple(columns),
        memory.labels(rows),
        memory.counts(rows),
        memory.ids(rows),
        n_cases=n_cases,
        source=tuple(source),
        exemplars=memory.exemplars(rows),
        notations=by_feature(notations, memory.order, len(schema.features)),
    )


def rows_of_queries(model: Model, cases: Cases) -> np.ndarray:
    """Return the row of the stored case that has the id of each query; NOT_STORED where there is none.

    It is an error if a query has the id of a stored case but other values, or if no query has the id of a stored case.
    """
    memory, ids = memory_of(model), cases.case_ids()
    if are_numbers(memory) == (ids.dtype.kind in "iu"):
        rows = rows_or_none(memory, ids)
    elif are_numbers(memory):
        rows = np.full(cases.n_cases, NOT_STORED)
    else:
        rows = rows_or_none(memory, np.array([str(one) for one in ids.tolist()], dtype=object))
    asked = np.flatnonzero(rows != NOT_STORED)
    if not len(asked):
        raise CasebaseError(
            f"No query has the id of a stored case, so there is nothing to leave out: the queries have the ids "
            f"{id_list(ids)}, and the stored cases are {id_list(memory.ids(memory.in_given_order))}."
        )
    for rank, position in enumerate(memory.order.tolist()):
        mine, stored = cases.columns[position][asked], memory.column(rank, rows[asked])
        with np.errstate(invalid="ignore"):
            differs = np.flatnonzero((mine != stored) & ~((mine != mine) & (stored != stored)))
        if len(differs):
            raise _differing(model, cases, int(asked[differs[0]]), rows, position)
    return rows


def _differing(model: Model, cases: Cases, query: int, rows: np.ndarray, position: int) -> CasebaseError:
    stored = stored_values(model.schema, memory_of(model), rows[[query]])[0][position]
    name, case_id = model.schema.names[position], cases.case_ids()[query]
    return CasebaseError(
        f"Query {query + 1} has the id {case_id} of a stored case, but other values: {name} is "
        f"{format_value(cases.values(query)[position])} here and {format_value(stored)} there. Give the queries their "
        "own ids, or do not leave stored cases out."
    )


def explain_without_itself(model: Model, cases: Cases, rows: np.ndarray, *, limit: int = 10) -> list[Evidence]:
    """Return the evidence for each query from the memory without the case at its row; from all cases if NOT_STORED."""
    evidence: list[Evidence] = []
    labels = memory_of(model).labels(np.maximum(rows, 0)).tolist()
    for (others, case, left_out), label in zip(each_without_itself(model, cases, rows), labels):
        (one,) = others.explain(case, limit=limit)
        recorded = model.schema.classes[label]
        evidence.append(one if left_out is None else replace(one, left_out=left_out, actual=recorded))
    return evidence


def each_without_itself(model: Model, cases: Cases, rows: np.ndarray) -> Iterator[tuple[Model, Cases, Any]]:
    """Yield for each query a model without the case at its row, the query in its codes, and the id of the case.

    A query that is NOT_STORED gets the model itself, and None as the id.
    """
    if not isinstance(model, LeavesOut):
        raise CasebaseError(
            f"What a model of {model.method} knows was learned from all cases together, so none can be left out. "
            "Explain the case with the model as it is (leave_out=False, --no-leave-out)."
        )
    memory = memory_of(model)
    if memory.n_cases == 1:
        raise CasebaseError("The memory has only this one case: without it there is nothing to answer from.")
    known = _unknown_if_alone(cases, rows, memory)
    for case, as_new, row in zip(cases.one_by_one(), known.one_by_one(), rows.tolist()):
        if row == NOT_STORED:
            yield model, case, None
            continue
        others = model.without(row)
        # A model that has learned again has codes of its own, without the values that only this case had.
        asked = as_new if others.schema is model.schema else others.schema.recode(case)
        yield others, asked, memory.ids(np.array([row])).tolist()[0]


def _unknown_if_alone(cases: Cases, rows: np.ndarray, memory: Memory) -> Cases:
    """Return the queries with an unknown code for values that no stored case has but the one that is left out."""
    columns, is_stored = list(cases.columns), rows != NOT_STORED
    for rank, position in enumerate(memory.order.tolist()):
        vocabulary = cases.schema.features[position].vocabulary
        if vocabulary is not None:
            is_alone = is_stored & (_n_with(memory, rank, columns[position], vocabulary.unknown + 1) == 1)
            columns[position] = np.where(is_alone, vocabulary.unknown, columns[position]).astype(vocabulary.dtype)
    source = cases.source
    if source is None:  # an unknown code stands for no value; evidence shows the value itself
        notations = cases.notations or (None,) * cases.n_features
        source = tuple(map(decode_column, cases.columns, cases.schema.features, notations))
    return replace(cases, columns=tuple(columns), source=source)


def _n_with(memory: Memory, rank: int, codes: np.ndarray, n_codes: int) -> np.ndarray:
    """Return how many stored cases have each of some codes."""
    total = np.zeros(len(codes), dtype=np.int64)
    for segment in memory.segments:
        column = segment.columns[rank]
        if len(codes) < FEW:  # counting each is quicker than counting all
            counted = np.array([np.count_nonzero(column == code) for code in codes.tolist()], dtype=np.int64)
        else:
            counted = np.bincount(column, minlength=n_codes)[codes]
        if segment.removed is not None:
            counted -= np.bincount(column[segment.removed != 0], minlength=n_codes)[codes]
        total += counted
    return total
