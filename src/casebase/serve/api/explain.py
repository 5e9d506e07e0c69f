"""Why: the evidence for predictions, the nearest stored cases, and the smallest change that would flip a prediction."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase import methods
from casebase.base.leave_out import each_without_itself, explain_without_itself, memory_of, stored_queries
from casebase.base.model import Model
from casebase.base.records import records_of, values_of
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.memory.lookup import are_numbers, given_ids, rows_with
from casebase.methods import Saved
from casebase.neighbours.ib1 import IB1
from casebase.serve.api.bodies import json_object
from casebase.serve.api.fields import Check, WrongField, anything, checked, flag, listed, texts, whole
from casebase.serve.api.metrics import metrics_of
from casebase.serve.api.queries import coder_of, rows_of
from casebase.serve.api.resources import classifier_of, named_desk, read, reply, resource
from casebase.serve.config import Config
from casebase.serve.problems import Problem

MOST_EXPLAINED = 1_000  # cases of one request: evidence is long
ASKED = {"cases": anything, "columns": anything, "ids": listed}
FLIP: dict[str, Check] = {
    "limit": whole(1, 10),
    "to": anything,
    "freeze": texts,
    "budget": whole(1, 1_000_000),
}
Answer = Callable[[Saved, Cases, np.ndarray | None, Mapping[str, Any]], list[dict[str, Any]]]


def routes() -> list[Route]:
    base = "/v1/models/{model}"
    limit = {"limit": whole(1, 1_000)}
    return [
        resource(f"{base}/explain", "explain", POST=read(_asking(explain, limit | {"leave_out": flag}, "evidence"))),
        resource(
            f"{base}/neighbours",
            "neighbours",
            POST=read(_asking(neighbours, limit | {"k": whole(1, 1_000), "where": conditions}, "answers")),
        ),
        resource(f"{base}/flip", "flip", POST=read(_asking(flip, FLIP, "flips"))),
    ]


def _asking(answer: Answer, options: Mapping[str, Check], name: str) -> Callable[[Request], Any]:
    """Return the endpoint that gives something for each case of a request, or for each stored case that it names."""

    async def endpoint(request: Request) -> Response:
        desk = named_desk(request)
        snapshot = desk.snapshot
        saved = classifier_of(desk, snapshot.saved)
        body = await json_object(request)
        config: Config = request.app.state.config

        def work() -> list[dict[str, Any]]:
            given = checked(body, ASKED | dict(options))
            wish = {one: value for one, value in given.items() if one not in ASKED}
            if "ids" in body:
                if "cases" in body or "columns" in body:
                    raise Problem(422, "Give cases, columns, or the ids of stored cases: one of them.")
                cases, rows = stored_queries(saved.model, ids_for(saved.model, given["ids"]))
                return answer(saved, cases, rows, wish)
            coder = coder_of(saved.model.schema)
            asked, at = rows_of(body, coder, min(config.limits.cases, MOST_EXPLAINED))
            return answer(saved, coder.coded(asked, at), None, wish)

        found = await run_in_threadpool(work)
        metrics_of(request).add("cases", desk.name, len(found))
        return reply({"version": snapshot.version, name: found}, snapshot.version)

    return endpoint


def ids_for(model: Model, given: list[Any]) -> list[Any]:
    """Return ids in the type of the model's ids: whole numbers or text."""
    if len(given) > MOST_EXPLAINED:
        raise Problem(413, f"A request names at most {MOST_EXPLAINED:,} stored cases; got {len(given):,}.")
    is_number = are_numbers(memory_of(model))
    for one in given:
        if isinstance(one, bool) or not isinstance(one, int | str):
            raise CasebaseError(f"An id is a whole number or text; got {one!r:.60}.")
    return [one if is_number else str(one) for one in given]


def explain(saved: Saved, cases: Cases, rows: np.ndarray | None, wish: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the evidence; stored cases are answered without themselves, unless `leave_out` is false."""
    limit = wish.get("limit", 10)
    if rows is not None and wish.get("leave_out", True):
        evidence = explain_without_itself(saved.model, cases, rows, limit=limit)
    else:
        evidence = saved.model.explain(cases, limit=limit)
    return _with_ids([one.to_dict() for one in evidence], cases)


def flip(saved: Saved, cases: Cases, rows: np.ndarray | None, wish: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the smallest flips; stored cases are answered without themselves."""
    named = {"freeze": "frozen"}
    options = {named.get(name, name): value for name, value in wish.items()}
    if rows is None:
        found = methods.flip(saved.model, cases, **options)
    else:
        found = [
            replace(methods.flip(others, case, **options)[0], left_out=left_out)
            for others, case, left_out in each_without_itself(saved.model, cases, rows)
        ]
    return _with_ids([one.to_dict() for one in found], cases)


def neighbours(saved: Saved, cases: Cases, rows: np.ndarray | None, wish: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stored cases at the k nearest distances, at most `limit`; with `where`, only cases that have values.

    A stored case is no neighbour of itself.
    """
    model = saved.model
    if not isinstance(model, IB1):
        raise CasebaseError(
            f"A model of {model.method} does not search for neighbours; ib1 does. The evidence of explain has the "
            "cases behind its predictions."
        )
    k, limit = wish.get("k", model.voting.k), wish.get("limit", 100)
    memory = model.memory
    is_wanted = np.ones(memory.n_rows, dtype=bool)
    if "where" in wish:
        records = records_of(model)
        for name, value in wish["where"]:
            records = records.where(name, value)
        is_wanted[:] = False
        is_wanted[rows_with(memory, given_ids(memory, records.ids.to_pylist()))] = True
    n_stored = int(is_wanted[memory.in_given_order].sum())
    found = []
    for i, case in enumerate(cases.one_by_one()):
        is_mine = is_wanted.copy()
        if rows is not None:
            is_mine[rows[i]] = False
        found.append(_nearest(model, case, k, limit, is_mine, min(k, n_stored)))
    return _with_ids([{"neighbours": one} for one in found], cases)


def _nearest(model: IB1, case: Cases, k: int, limit: int, is_wanted: np.ndarray, n_enough: int) -> list[dict[str, Any]]:
    """Return the wanted cases at the k nearest distances; as many are searched as it takes to find them."""
    memory, asked = model.memory, k
    while True:
        groups = model.nearest(case, min(asked, memory.n_cases))
        distance = np.repeat(groups.distance, groups.n_rows.astype(np.intp))
        is_here = is_wanted[groups.rows]
        n_distances = len(np.unique(distance[is_here]))
        if n_distances >= n_enough or asked >= memory.n_cases:
            break
        asked *= 4
    rows, distance = groups.rows[is_here], distance[is_here]
    farthest = np.unique(distance)[:k]
    nearest = np.flatnonzero(distance <= farthest[-1])[:limit] if len(farthest) else np.empty(0, np.intp)
    records = records_of(model, rows[nearest].astype(np.int64)).to_dicts()
    return [
        {"id": one["id"], "distance": far, "class": one["class"], **values_of(one)}
        for one, far in zip(records, distance[nearest].tolist())
    ]


def conditions(value: Any) -> list[tuple[str, str]]:
    """Check conditions such as {"sex": "male"}, or "sex=male"."""
    if isinstance(value, dict) and all(one is None or isinstance(one, str | int | float) for one in value.values()):
        return [(name, "" if one is None else str(one)) for name, one in value.items()]
    pairs = [one.partition("=") for one in texts(value)] if isinstance(value, str | list) else []
    if not pairs or any(not name or not equals for name, equals, _ in pairs):
        raise WrongField('conditions such as {"sex": "male"}')
    return [(name, text_value) for name, _, text_value in pairs]


def _with_ids(records: list[dict[str, Any]], cases: Cases) -> list[dict[str, Any]]:
    if cases.ids is None:
        return records
    return [{"id": query} | record for query, record in zip(cases.ids.tolist(), records)]
