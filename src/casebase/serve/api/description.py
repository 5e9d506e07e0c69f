"""The description of the service: OpenAPI for programs, and a page with examples for people."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.methods import Saved
from casebase.serve.api.fields import parameters
from casebase.serve.api.openapi import describe
from casebase.serve.api.resources import named_desk, read, reply, resource, unchanged
from casebase.serve.desks.desk import Desk
from casebase.serve.questions import Field, fields_of
from casebase.serve.web import Page, address_of, page, quoted, shelf_of

MOST_SHOWN = 6  # columns of an example
METHODS = ("get", "post", "put", "patch", "delete")


def routes() -> list[Route]:
    return [
        resource("/v1/openapi.json", "openapi", GET=read(whole)),
        resource("/v1/models/{model}/openapi.json", "openapi", GET=read(of_model)),
        *page("/v1", service),
    ]


def whole(request: Request) -> Response:
    """Return the description of the whole service."""
    parameters(request, {})
    return reply(describe(list(shelf_of(request).desks.values())))


def of_model(request: Request) -> Response:
    """Return the description of one model, with its columns, their values and its classes."""
    parameters(request, {})
    desk = named_desk(request)
    version = desk.snapshot.version
    return unchanged(request, version) or reply(describe([], one=desk), version)


def service(request: Request) -> Page:
    """Show what the service can do, with a request to copy for each model."""
    desks = list(shelf_of(request).desks.values())
    paths = [
        {"method": method.upper(), "path": path, "summary": operations[method]["summary"]}
        for path, operations in describe(desks)["paths"].items()
        for method in METHODS
        if method in operations
    ]
    needs_token = request.app.state.config.needs_token
    address = address_of(request)
    facts = {
        "paths": paths,
        "models": [
            {
                "name": desk.name,
                "kind": desk.kind,
                "version": desk.snapshot.version,
                "example": example(desk, address, has_token=needs_token),
            }
            for desk in desks
        ],
        "needs_token": needs_token,
    }
    return Page("service.html", "Service", facts)


def example(desk: Desk, address: str, *, has_token: bool = False) -> str:
    """Return a command that asks a model, ready to be copied."""
    if isinstance(desk.snapshot.saved, Saved):
        values = {field.name: _some_value(field) for field in fields_of(desk.snapshot.saved.model)}
        known = {name: value for name, value in values.items() if value is not None}
        body: dict[str, Any] = {"cases": [dict(list(known.items())[:MOST_SHOWN])]}
        place = f"models/{quoted(desk.name)}/predict"
    elif desk.kind == "tagger":
        body, place = {"text": "The old man ran."}, f"taggers/{quoted(desk.name)}/tag"
    else:
        body, place = {"words": ["hyphenation"]}, f"hyphenators/{quoted(desk.name)}/hyphenate"
    text = json.dumps(body, ensure_ascii=False).replace("'", "'\\''")
    token = " -H 'Authorization: Bearer TOKEN'" if has_token else ""
    return f"curl {address}/v1/{place}{token} -H 'Content-Type: application/json' -d '{text}'"


def _some_value(field: Field) -> Any:
    if field.values:
        return field.values[0]
    return field.least
