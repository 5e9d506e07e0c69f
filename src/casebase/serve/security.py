"""Who may ask for what: hosts, tokens, roles, origins, sizes, rates. Plain ASGI, before anything reads a request.

A browser comes with a ticket in the address that the server printed; the ticket works once and becomes a cookie that no
script reads. A program sends a token as Bearer. A page of another site can send neither: the cookie is SameSite=Strict,
and unsafe requests of browsers must come from the same origin. A name other than the server's own is refused, so that a
rebound DNS name reaches nothing.
"""

import asyncio
import base64
import hashlib
import hmac
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from casebase.serve.config import ROLES, Config, Role
from casebase.serve.problems import Problem

LOG = logging.getLogger("casebase.serve")
COOKIE = "casebase"
TICKET = "ticket"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# A supervisor asks for the first two without a token; at the third a person gives one.
OPEN_PATHS = frozenset({"/healthz", "/readyz", "/enter", "/evidence.css", "/favicon.ico"})
STREAMS = frozenset(
    {
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "text/csv",
        "text/tab-separated-values",
        "application/vnd.apache.arrow.stream",
    }
)
TOOLS = ("/inception/", "/labelstudio/")  # they send whole documents
MOST_CLIENTS = 10_000  # whose rates are remembered
POLICY = {
    "content-security-policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
# As bytes, since every response has them.
ADDED = [(name.encode(), value.encode()) for name, value in (POLICY | {"cache-control": "no-store"}).items()]


# The headers of a request by name in lower case; of several with a name the first, as in Starlette's `Headers`, whose
# lookups go through the list each time.
Headers = Mapping[str, str]

FAULT = Problem(500, "This is a fault of casebase; the server's log has its place.")


class Doors:
    """The tickets, sessions and tokens of a server."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.tickets: dict[str, Role] = {}
        self.sessions: dict[str, Role] = {}

    def new_ticket(self, role: Role = "admin") -> str:
        """Return a ticket that opens a session once."""
        ticket = secrets.token_urlsafe(24)
        self.tickets[ticket] = role
        return ticket

    def take(self, ticket: str) -> str | None:
        """Return a new session for a ticket, which is then used up; None if it is not known."""
        role = self.tickets.pop(ticket, None)
        if role is None:
            return None
        session = secrets.token_urlsafe(24)
        self.sessions[session] = role
        return session

    def enter(self, token: str) -> str | None:
        """Return a new session for somebody who has a token; None if it is not known."""
        role = self._role(token.encode())
        return None if role is None else self.take(self.new_ticket(role))

    def role_of(self, headers: Headers) -> tuple[Role | None, str | None]:
        """Return the role of whoever sends these headers, and what identifies the sender."""
        authorization = headers.get("authorization")
        if authorization is not None:
            token = _token(authorization)
            found = self._role(token)
            return found, hashlib.sha256(token).hexdigest() if found else None
        session = _cookie(headers)
        if session is not None and session in self.sessions:
            return self.sessions[session], session
        return ("admin" if not self.config.needs_token else None), None

    def _role(self, given: bytes) -> Role | None:
        found: Role | None = None
        for token, role in self.config.tokens.items():  # all are compared: the time tells nothing
            if hmac.compare_digest(token.encode(), given):
                found = role
        return found


def headers_of(scope: Scope) -> Headers:
    """Return the headers of a request.

    >>> headers_of({"headers": [(b"host", b"localhost"), (b"host", b"elsewhere")]})
    {'host': 'localhost'}
    """
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}


def _token(authorization: str) -> bytes:
    """Return the token of a Bearer header, or the password of a Basic one: some tools can send nothing else.

    >>> _token("Bearer abc"), _token("Basic dG9vbDphYmM=")
    (b'abc', b'abc')
    """
    scheme, _, rest = authorization.partition(" ")
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(rest, validate=True).partition(b":")[2]
        except ValueError:
            return b""
    return rest.strip().encode() if scheme.lower() == "bearer" else b""


def _is_bearer(headers: Headers) -> bool:
    """Return whether a request has a Bearer header, which no page of another site can make a browser send."""
    return headers.get("authorization", "").lower().startswith("bearer ")


def _cookie(headers: Headers) -> str | None:
    if "cookie" not in headers:
        return None
    try:
        cookie = SimpleCookie(headers["cookie"]).get(COOKIE)
    except CookieError:
        return None
    return None if cookie is None else cookie.value


class Guard:
    """Refuse what must not come in, and add the headers that protect a page."""

    def __init__(self, app: ASGIApp, doors: Doors) -> None:
        self.app, self.doors, self.config = app, doors, doors.config
        self.rates = Rates(self.config.limits.per_second, self.config.limits.burst)
        self.n_running = {"known": 0, "unknown": 0}  # strangers have a room of their own, and never fill the other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = headers_of(scope)
        origin = headers.get("origin")

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(one for one in ADDED if one[0] not in present)]
                if origin in self.config.cors:
                    out = MutableHeaders(scope=message)
                    out["access-control-allow-origin"] = str(origin)
                    out.add_vary_header("origin")
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, protected)
            return
        room = "known" if scope["role"] is not None else "unknown"
        self.n_running[room] += 1
        try:
            await self._limited(scope, headers, receive, protected)
        finally:
            self.n_running[room] -= 1

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the response to a request that goes no further; else note the role in the scope."""
        host = _host_name(headers.get("host", ""))
        if host not in self.config.hosts:
            return Problem(
                421, f"This server does not answer to the name {host!r}. Start it with --allow-host {host or 'NAME'}."
            ).response()
        path, method = scope["path"], scope["method"]
        if method == "OPTIONS" and headers.get("origin") in self.config.cors:
            return _preflight(headers)
        entered = self._entered(scope)
        if entered is not None:
            return entered
        role, who = self.doors.role_of(headers)
        client = who or (scope.get("client") or ("?",))[0]
        wait = self.rates.wait(client)
        if wait:
            return _busy(429, "Too many requests", wait)
        if role is None and not path.startswith("/static/") and path not in OPEN_PATHS:
            return _unknown(headers)
        if method not in SAFE and not _is_bearer(headers) and not self._is_own_page(headers):
            return Problem(
                403,
                "This request comes from a page of another site. Open the server's own page, or send a token as "
                "Authorization: Bearer.",
            ).response()
        limits = self.config.limits
        is_full = (
            self.n_running["known"] >= limits.requests
            if role is not None
            else path == "/enter" and self.n_running["unknown"] >= limits.strangers
        )
        if is_full:
            return _busy(503, "The server is busy", 1.0)
        scope["role"] = role
        return None

    def _entered(self, scope: Scope) -> Response | None:
        """Return the redirection that turns a ticket in the address into a cookie."""
        if scope["method"] != "GET" or TICKET.encode() not in scope.get("query_string", b""):
            return None
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        ticket = dict(pairs).get(TICKET)
        if ticket is None:
            return None
        rest = urlencode([(name, value) for name, value in pairs if name != TICKET])
        # One slash: two would lead to another host.
        place = "/" + scope["path"].lstrip("/") + (f"?{rest}" if rest else "")
        session = self.doors.take(ticket)
        response = RedirectResponse(place, 303)
        if session is not None:
            set_session(response, session, scope)
        return response

    def _is_own_page(self, headers: Headers) -> bool:
        """Return whether a request that changes something comes from a page of this server, or from no page at all."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin in self.config.cors and origin is not None:
            return True
        if site is not None:
            return site in ("same-origin", "none")
        host = headers.get("host")
        return origin is None or origin in (f"http://{host}", f"https://{host}")

    async def _limited(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        started = False

        async def counted(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        bounds = self._bounds(scope, headers)
        try:
            async with asyncio.timeout(bounds.seconds):
                await self.app(scope, self._measured(bounds, receive), counted)
        except TimeoutError:
            if not started:
                await _busy(503, "The request took too long. Long work is a job", 5.0)(scope, receive, send)
        except TooLargeError as error:
            if not started:
                await Problem(413, str(error)).response()(scope, receive, send)
        except Exception as error:  # a fault of ours: the log has its place, and never a value of the data
            LOG.error("%s at %s, while answering %s", type(error).__name__, _place(error), scope["method"])
            if not started:
                await FAULT.response()(scope, receive, send)

    def _bounds(self, scope: Scope, headers: Headers) -> "Bounds":
        """Return what is allowed to a request."""
        limits, path = self.config.limits, str(scope["path"])
        if scope["role"] is None:
            return Bounds(limits.body_of_strangers, limits.seconds_of_strangers)
        if path.startswith("/v1/") and path.endswith("/predict") and _content(headers) in STREAMS:
            return Bounds(limits.stream, None)
        if path == "/upload" or (scope["method"] == "PUT" and path.startswith("/v1/models/")):
            return Bounds(limits.upload, None)
        is_long = path.endswith(("/events", "/download"))
        n_bytes = limits.document if path.startswith(TOOLS) else limits.body
        return Bounds(n_bytes, None if is_long else limits.seconds)

    def _measured(self, bounds: "Bounds", receive: Receive) -> Receive:
        """Return a `receive` that raises an error when a request is too large, or its sender silent for too long."""
        n_bytes, is_whole = 0, bounds.seconds is not None  # then silence ends with the time for the request

        async def measured() -> Message:
            nonlocal n_bytes, is_whole
            # After the whole request, `receive` waits for the client to leave, which may take as long as the answer.
            if is_whole:
                message = await receive()
            else:
                async with asyncio.timeout(self.config.limits.seconds):
                    message = await receive()
                is_whole = not message.get("more_body", False)
            n_bytes += len(message.get("body", b""))
            if n_bytes > bounds.n_bytes:
                raise TooLargeError(
                    f"The request is larger than {bounds.n_bytes:,} bytes, which is the most allowed here."
                )
            return message

        return measured


@dataclass(frozen=True)
class Bounds:
    """The bytes that a request may have, and the seconds until its answer; None if it may last."""

    n_bytes: int
    seconds: float | None


def _place(error: BaseException) -> str:
    """Return the module and the line where an error was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "an unknown place"
    return f"{trace.tb_frame.f_globals.get('__name__')}, line {trace.tb_lineno}"


def set_session(response: Response, session: str, scope: Scope) -> None:
    """Give a browser the cookie of a session: no script reads it, and no other site makes the browser send it."""
    response.set_cookie(COOKIE, session, httponly=True, samesite="strict", secure=scope["scheme"] == "https")


class TooLargeError(Exception):
    """A request is larger than allowed."""


def needs(role: Role, scope: Scope) -> None:
    """Refuse a request of somebody who may do less than `role`."""
    given: Role | None = scope.get("role")
    if given is None or ROLES.index(given) < ROLES.index(role):
        raise Problem(403, f"This needs the role {role}; this token has the role {given}.")


class Rates:
    """A bucket of tokens per client: it fills steadily, and each request takes one."""

    def __init__(self, per_second: float, burst: int) -> None:
        self.per_second, self.burst = per_second, burst
        self.buckets: OrderedDict[Any, tuple[float, float]] = OrderedDict()

    def wait(self, client: Any) -> float:
        """Return the seconds that a client has to wait; 0 if the request may come in."""
        now = time.monotonic()
        tokens, then = self.buckets.pop(client, (float(self.burst), now))
        tokens = min(float(self.burst), tokens + (now - then) * self.per_second)
        is_free = tokens >= 1.0
        self.buckets[client] = (tokens - 1.0 if is_free else tokens, now)
        if len(self.buckets) > MOST_CLIENTS:
            self.buckets.popitem(last=False)
        return 0.0 if is_free else (1.0 - tokens) / self.per_second


def _host_name(host: str) -> str:
    """Return the host without the port, in lower case.

    >>> _host_name("Localhost:8765"), _host_name("[::1]:80"), _host_name("")
    ('localhost', '[::1]', '')
    """
    name, colon, port = host.rpartition(":")
    if colon and port.isdecimal() and (name.startswith("[") or ":" not in name):
        host = name
    return host.lower()


def _content(headers: Headers) -> str:
    """Return the media type of a request's body, without parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _busy(status: int, what: str, seconds: float) -> Response:
    wait = str(max(1, round(seconds + 0.5)))
    return Problem(status, f"{what}; try again in {wait} s.", headers={"Retry-After": wait}).response()


def _preflight(headers: Headers) -> Response:
    allowed = {
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": headers.get("access-control-request-headers", ""),
        "access-control-max-age": "600",
    }
    return Response(status_code=204, headers=allowed)


def _unknown(headers: Headers) -> Response:
    detail = (
        "This needs a token: open the address that the server printed when it started, give a token at /enter, or "
        "send it as Authorization: Bearer."
    )
    if "text/html" in headers.get("accept", ""):
        return RedirectResponse("/enter", 303)
    return Problem(401, detail, headers={"www-authenticate": "Bearer"}).response()
