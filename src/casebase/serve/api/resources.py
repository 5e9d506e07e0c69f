"""Resources of the service: a function per HTTP method, with the role it needs; errors become problem details.

A resource is plain ASGI: a single prediction takes some tens of microseconds, and layers between cost as much.
"""

import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from casebase.errors import CasebaseError, NotFoundError
from casebase.methods import Saved
from casebase.serve.config import Role
from casebase.serve.desks.desk import Desk, Snapshot
from casebase.serve.problems import Problem, problem_of
from casebase.serve.security import TooLargeError, needs
from casebase.serve.web import json_bytes, shelf_of

Endpoint = Callable[[Request], Awaitable[Response]]
LOG = logging.getLogger("casebase.serve")


@dataclass(frozen=True)
class Verb:
    """What a resource does with one HTTP method, and the role that this needs."""

    function: Endpoint
    role: Role


def verb(function: Callable[[Request], Any], role: Role) -> Verb:
    """Return a verb; a function that is not asynchronous runs in a thread."""
    if iscoroutinefunction(function):
        return Verb(function, role)

    async def in_thread(request: Request) -> Response:
        response: Response = await run_in_threadpool(function, request)
        return response

    return Verb(in_thread, role)


def read(function: Callable[[Request], Any]) -> Verb:
    """Return a verb for everybody who has a token."""
    return verb(function, "read")


def correct(function: Callable[[Request], Any]) -> Verb:
    """Return a verb that changes a model."""
    return verb(function, "correct")


def admin(function: Callable[[Request], Any]) -> Verb:
    """Return a verb that adds or deletes models."""
    return verb(function, "admin")


def resource(path: str, name: str, **verbs: Verb) -> Route:
    """Return the route of a resource; `name` is what metrics call it."""
    return Route(path, Resource(name, verbs))


class Resource:
    """The ASGI application of one address."""

    def __init__(self, name: str, verbs: dict[str, Verb]) -> None:
        self.name, self.verbs = name, verbs
        if "GET" in verbs:
            self.verbs = verbs | {"HEAD": verbs["GET"]}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        request = Request(scope, receive)
        response = await self._response(request)
        await response(scope, receive, send)
        scope["app"].state.metrics.count(self.name, response.status_code, time.perf_counter() - start)

    async def _response(self, request: Request) -> Response:
        try:
            verb = self.verbs.get(request.method)
            if verb is None:
                return self._not_allowed(request.method)
            needs(verb.role, request.scope)
            return await verb.function(request)
        except CasebaseError as error:
            return problem_of(error).response()
        except Problem as problem:
            return problem.response()
        except TimeoutError:
            return Problem(408, "The request did not come to its end in time.").response()
        except TooLargeError as error:
            return Problem(413, str(error)).response()
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception as error:
            return fault(error).response()

    def _not_allowed(self, method: str) -> Response:
        allowed = {"allow": ", ".join([*self.verbs, "OPTIONS"])}
        if method == "OPTIONS":
            return Response(status_code=204, headers=allowed)
        return Problem(405, f"{method} is not possible here; {allowed['allow']} are.", headers=allowed).response()


def fault(error: Exception) -> Problem:
    """Return the problem for an error that nobody expected; the log has where it was, and no value of a request."""
    LOG.error("%s\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
    return Problem(500, f"{type(error).__name__}: this is a fault of casebase. Its log says where.")


def named_desk(request: Request) -> Desk:
    """Return the desk that the address names."""
    return shelf_of(request).desk(request.path_params["model"])


def versioned(answer: Callable[[Request, Desk, Snapshot], Response]) -> Callable[[Request], Response]:
    """Return an endpoint that answers from one snapshot of a desk, or with 304 if the client has that version."""

    @wraps(answer)
    def endpoint(request: Request) -> Response:
        desk = named_desk(request)
        snapshot = desk.snapshot
        return unchanged(request, snapshot.version) or answer(request, desk, snapshot)

    return endpoint


def classifier_of(desk: Desk, saved: object) -> Saved:
    """Return the model of a desk's snapshot; an error if it is a tagger or a hyphenator."""
    if not isinstance(saved, Saved):
        raise NotFoundError(f"{desk.name} is a {desk.kind}: its addresses begin with /v1/{desk.kind}s/{desk.name}/.")
    return saved


def reply(
    content: Any, version: str | None = None, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a JSON response; a version is the ETag."""
    return sent(json_bytes(content), "application/json", version, status=status, headers=headers)


def sent(
    content: bytes,
    media_type: str,
    version: str | None = None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a response with a version as its ETag."""
    found = dict(headers or {})
    if version is not None:
        found |= {"etag": f'"{version}"', "cache-control": "private, no-cache"}
    return Response(content, status, found, media_type)


def unchanged(request: Request, version: str) -> Response | None:
    """Return 304 if whoever asks has this version already."""
    known = request.headers.get("if-none-match")
    if known is None or (version not in _versions(known) and known.strip() != "*"):
        return None
    return Response(status_code=304, headers={"etag": f'"{version}"', "cache-control": "private, no-cache"})


def if_match(request: Request, version: str) -> str | None:
    """Return the version that a correction is made for, as a desk takes it; None if the request names none.

    Of several versions, the present one is chosen if it is among them.
    """
    given = request.headers.get("if-match")
    if given is None or given.strip() == "*":
        return None
    versions = _versions(given)
    return version if version in versions else versions[0]


def idempotency_key(request: Request) -> str | None:
    """Return the key under which a request may be repeated."""
    return request.headers.get("idempotency-key")


def _versions(header: str) -> list[str]:
    """Return the versions in a header with ETags; a weak one is as good as any, since it is a fingerprint.

    >>> _versions('"4f2a", W/"b1"')
    ['4f2a', 'b1']
    """
    return [tag.strip().removeprefix("W/").strip('"') for tag in header.split(",")]
