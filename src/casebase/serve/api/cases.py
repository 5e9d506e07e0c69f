"""Stored cases: pages of them, one by its id, and corrections, each made for a version and under a key."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.base.leave_out import memory_of
from casebase.base.log import Author, Id
from casebase.base.model import Model
from casebase.base.records import records_of
from casebase.data import Schema
from casebase.data.ids import LARGEST_ID
from casebase.data.rows import PLAIN
from casebase.errors import CasebaseError, NotFoundError, unknown_name
from casebase.memory.lookup import are_numbers, rows_or_none
from casebase.serve.api.bodies import json_object
from casebase.serve.api.fields import (
    MOST_ERRORS,
    any_text,
    anything,
    checked,
    mapping,
    parameters,
    pointer,
    refuse,
    shown,
    text,
    texts,
    whole,
)
from casebase.serve.api.metrics import metrics_of
from casebase.serve.api.queries import coder_of
from casebase.serve.api.resources import (
    classifier_of,
    correct,
    idempotency_key,
    if_match,
    named_desk,
    read,
    reply,
    resource,
    versioned,
)
from casebase.serve.config import Config
from casebase.serve.desks.desk import Desk, Outcome, Snapshot
from casebase.serve.problems import Pointed, Problem
from casebase.serve.records.browse import Query, browser_of
from casebase.serve.web import link, quoted

AUTHOR = {"by": text, "note": text}
WHOLE_NUMBER = re.compile("-?[0-9]{1,18}")
PAGE = {"after": text, "limit": whole(1, 1_000), "where": texts, "q": any_text, "sort": text}
RECORD = {"id": anything, "values": mapping, "provenance": mapping, "class": anything}


def routes() -> list[Route]:
    base = "/v1/models/{model}/cases"
    return [
        resource(base, "cases", GET=read(page), POST=correct(insert)),
        resource(
            f"{base}/{{id:path}}",
            "case",
            GET=read(show),
            PUT=correct(replace_case),
            PATCH=correct(change),
            DELETE=correct(remove),
        ),
    ]


@versioned
def page(request: Request, desk: Desk, snapshot: Snapshot) -> Response:
    """Return a page of stored cases, in the order of insertion; `next` is the address of the next page."""
    classifier_of(desk, snapshot.saved)
    asked = parameters(request, PAGE)
    query = Query(tuple(asked.get("where", ())), asked.get("q", ""), asked.get("sort", ""))
    limit = asked.get("limit", 100)
    listing = browser_of(desk).page(query, after=asked.get("after"), limit=limit)
    address = f"/v1/models/{quoted(desk.name)}/cases"
    repeated = {name: asked.get(name) for name in ("where", "q", "sort")}
    more = None if listing.next is None else link(address, **repeated, limit=limit, after=listing.next)
    found = {
        "version": snapshot.version,
        "n_cases": listing.n_cases,
        "n_matching": listing.n_matching,
        "cases": listing.records.to_dicts(),
        "next": more,
    }
    return reply(found, snapshot.version, headers=None if more is None else {"link": f'<{more}>; rel="next"'})


def row_of(model: Model, given: str) -> int:
    """Return the row of the stored case with an id; 404 if there is none."""
    memory, case = memory_of(model), id_of(model, given)
    row = int(rows_or_none(memory, np.array([case], dtype=np.int64 if isinstance(case, int) else object))[0])
    if row < 0:
        raise NotFoundError(f"No stored case has the id {case!r:.60}.")
    return row


def id_of(model: Model, given: str) -> Id:
    """Return the id in an address in the type of the model's ids; 404 if no id can be like that."""
    if not are_numbers(memory_of(model)):
        return given
    if not WHOLE_NUMBER.fullmatch(given):
        raise NotFoundError(f"The ids of this model are whole numbers; got {given!r:.60}.")
    return int(given)


@versioned
def show(request: Request, desk: Desk, snapshot: Snapshot) -> Response:
    """Return one stored case."""
    parameters(request, {})
    model = classifier_of(desk, snapshot.saved).model
    (record,) = records_of(model, np.array([row_of(model, request.path_params["id"])])).to_dicts()
    return reply({"version": snapshot.version, "case": record}, snapshot.version)


async def insert(request: Request) -> Response:
    """Store new cases, each with its values, its class, and an id if it brings one."""
    desk = named_desk(request)
    body = await json_object(request)
    config: Config = request.app.state.config

    def work() -> Outcome:
        schema = classifier_of(desk, desk.snapshot.saved).model.schema
        given = checked(body, AUTHOR | {"cases": anything})
        records = checked_records(given.get("cases"), schema, config.limits.cases)
        ids = [one.get("id") for one in records]
        has_ids = [one is not None for one in ids]
        if any(has_ids) and not all(has_ids):
            at = has_ids.index(False)
            raise Problem(
                422,
                "Either all new cases have an id, or none.",
                errors=[Pointed(pointer("cases", at, "id"), "This case has no id, and others have one.")],
            )
        return desk.insert(
            [one["values"] | one.get("provenance", {}) for one in records],
            [one["class"] for one in records],
            ids=ids if any(has_ids) else None,
            author=author_of(given),
            if_match=if_match(request, desk.snapshot.version),
            key=idempotency_key(request),
        )

    outcome = await run_in_threadpool(work)
    place = f"/v1/models/{quoted(desk.name)}/cases"
    headers = {"location": f"{place}/{quoted(outcome.ids[0])}"} if len(outcome.ids) == 1 else None
    return _confirmed(request, desk, outcome, status=201, headers=headers)


async def replace_case(request: Request) -> Response:
    """Give a stored case other values and another class; columns that are not named become missing."""
    return await _update(request, is_whole=True)


async def change(request: Request) -> Response:
    """Change some values of a stored case, or its class; columns that are not named stay."""
    return await _update(request, is_whole=False)


async def _update(request: Request, *, is_whole: bool) -> Response:
    desk = named_desk(request)
    body = await json_object(request)

    def work() -> Outcome:
        model = classifier_of(desk, desk.snapshot.saved).model
        given = checked(body, AUTHOR | RECORD)
        row = row_of(model, request.path_params["id"])
        (before,) = records_of(model, np.array([row])).to_dicts()
        if given.get("id", before["id"]) != before["id"]:
            raise Problem(
                422, "The id of a case cannot be changed.", errors=[Pointed("/id", "Expected the id in the address.")]
            )
        schema = model.schema
        if is_whole:
            _refuse_incomplete(given, schema.target)
        _refuse_wrong_values(given, schema)
        coder_of(schema).coded([given.get("values", {})], lambda _, *part: pointer("values", *part))
        values = {**given.get("values", {}), **given.get("provenance", {})}
        if is_whole:
            values = dict.fromkeys((*before["values"], *before["provenance"])) | values
        if "class" in given:
            values[schema.target] = given["class"]
        if not values:
            raise Problem(422, "Expected values, provenance or a class to change; got none.")
        return desk.update(
            [before["id"]],
            {name: [value] for name, value in values.items()},
            author=author_of(given),
            if_match=if_match(request, desk.snapshot.version),
            key=idempotency_key(request),
        )

    return _confirmed(request, desk, await run_in_threadpool(work))


async def remove(request: Request) -> Response:
    """Remove a stored case; when this is confirmed, no file has its values any more."""
    desk = named_desk(request)
    given = parameters(request, AUTHOR)

    def work() -> Outcome:
        options: dict[str, Any] = {
            "author": author_of(given),
            "if_match": if_match(request, desk.snapshot.version),
            "key": idempotency_key(request),
        }
        model = classifier_of(desk, desk.snapshot.saved).model
        name = request.path_params["id"]
        try:
            # Not looked up before: under its key, a removal that is repeated is confirmed, though the case is gone.
            return desk.remove([id_of(model, name)], **options)
        except CasebaseError as error:
            if type(error) is CasebaseError:
                row_of(model, name)
            raise

    return _confirmed(request, desk, await run_in_threadpool(work))


def _confirmed(
    request: Request, desk: Desk, outcome: Outcome, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the confirmation of a correction."""
    if not outcome.is_repeated:
        metrics_of(request).add("corrections", desk.name)
    return reply(outcome_record(outcome), outcome.after, status=status, headers=headers)


def outcome_record(outcome: Outcome) -> dict[str, Any]:
    """Return a correction as JSON: the versions before and after, and the ids of its cases."""
    return {
        "version": outcome.after,
        "before": outcome.before,
        "ids": list(outcome.ids),
        "is_repeated": outcome.is_repeated,
    }


def author_of(given: Mapping[str, Any]) -> Author:
    """Return who makes a correction, and why, if the request says so."""
    return Author(given.get("by"), given.get("note"))


def checked_records(cases: Any, schema: Schema, most: int) -> list[dict[str, Any]]:
    """Return new cases as records with values and class; a problem points to what is wrong with one."""
    expected = 'a list of cases: {"cases": [{"values": {"column": "value"}, "class": "…"}]}'
    if type(cases) is not list or not cases:
        raise Problem(422, f"Expected {expected}.", errors=[Pointed("/cases", f"Expected {expected}.")])
    if len(cases) > most:
        raise Problem(413, f"A request has at most {most:,} cases; got {len(cases):,}.")
    errors: list[Pointed] = []
    for i, case in enumerate(cases):
        if type(case) is not dict:
            errors.append(Pointed(pointer("cases", i), f"Expected an object; got {shown(case)}."))
            continue
        try:
            given = checked(case, RECORD)
            _refuse_incomplete(given, schema.target)
            _refuse_wrong_values(given, schema)
            name = given.get("id")
            if name is not None and (isinstance(name, bool) or not isinstance(name, int | str)):
                refuse([Pointed("/id", f"An id is a whole number or text; got {shown(name)}.")])
            if isinstance(name, int) and abs(name) > LARGEST_ID:
                refuse([Pointed("/id", f"Ids are whole numbers up to {LARGEST_ID}; got {shown(name)}.")])
        except Problem as problem:
            errors += [Pointed(pointer("cases", i) + one.pointer, one.detail) for one in problem.errors]
        if len(errors) >= MOST_ERRORS:
            break
    refuse(errors)
    coder_of(schema).coded([one["values"] for one in cases], lambda i, *part: pointer("cases", i, "values", *part))
    return cases


def _refuse_incomplete(given: Mapping[str, Any], target: str) -> None:
    refuse(
        [
            Pointed(pointer(name), f"A case needs {what}.")
            for name, what in (("values", "its values by column"), ("class", f"a class ({target})"))
            if given.get(name) is None
        ]
    )


def _refuse_wrong_values(given: Mapping[str, Any], schema: Schema) -> None:
    errors = []
    for part, known in (("values", schema.column_names), ("provenance", schema.provenance_names)):
        for name, value in given.get(part, {}).items():
            if name not in known:
                errors.append(Pointed(pointer(part, name), unknown_name("column", name, known)))
            elif type(value) not in PLAIN:
                errors.append(Pointed(pointer(part, name), f"Expected one value; got {shown(value)}."))
    label = given.get("class")
    if "class" in given and (type(label) not in PLAIN or label is None):
        errors.append(Pointed(pointer("class"), f"Expected the class as a text or a number; got {shown(label)}."))
    refuse(errors)
