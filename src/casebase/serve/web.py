"""Pages: a function returns facts; a template shows them, and the page's `.json` twin is the facts themselves.

Whatever a page shows is in its facts, apart from fragments that the library's own renderer makes of the same records.
Templates escape every value. A page works without scripts; an action is a posted form, and leads back to a page.
"""

import json
import math
import re
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

import casebase.serve as package
from casebase.errors import CasebaseError
from casebase.methods import Saved
from casebase.render.words import format_value, number, printable
from casebase.serve.config import ROLES, Role
from casebase.serve.desks.desk import Desk
from casebase.serve.jobs import Jobs
from casebase.serve.problems import Problem, problem_of
from casebase.serve.records.stored import why_no_records
from casebase.serve.results import Results
from casebase.serve.security import needs
from casebase.serve.shelf import Shelf

if TYPE_CHECKING:
    from jinja2 import Environment

HOST = re.compile(r"[A-Za-z0-9.\[\]:-]+")  # what may be in a command that somebody copies
HERE = Path(package.__path__[0])  # templates and static files are installed beside the modules


@dataclass(frozen=True)
class Page:
    """What a page shows: facts for the template and the JSON twin, and the command line that gives the same.

    Where casebase has no command for it, that is a command that gets the twin from the server.
    """

    template: str
    title: str
    facts: Mapping[str, Any]
    command: str | None = None
    fragments: Mapping[str, str] = field(default_factory=dict)  # HTML of the library's renderer
    desk: Desk | None = None  # the model that the page is about: its pages are in the navigation
    status: int = 200
    problem: Problem | None = None  # what was wrong with a form, which the page shows again
    has_twin: bool = True


Shown = Page | Response
PageFunction = Callable[[Request], Shown]
ActionFunction = Callable[[Request, FormData], Shown]


def page(path: str, function: PageFunction, *, role: Role = "read") -> list[Route]:
    """Return the routes of a page and of its JSON twin."""
    twin = "/index.json" if path == "/" else f"{path}.json"
    return [
        Route(twin, _endpoint(function, role, is_json=True)),
        Route(path, _endpoint(function, role, is_json=False)),
    ]


def action(path: str, function: ActionFunction, *, role: Role = "correct") -> list[Route]:
    """Return the route of a form: the function does what it asks for, and mostly leads to a page."""

    async def endpoint(request: Request) -> Response:
        async def act() -> Shown:
            needs(role, request.scope)
            async with request.form(max_files=8, max_fields=5_000) as form:
                return await run_in_threadpool(function, request, form)

        return await _answered(request, act, is_json=False)

    return [Route(path, endpoint, methods=["POST"])]


def _endpoint(function: PageFunction, role: Role, *, is_json: bool) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        async def show() -> Shown:
            needs(role, request.scope)
            return await run_in_threadpool(function, request)

        return await _answered(request, show, is_json=is_json)

    return endpoint


async def _answered(request: Request, show: Callable[[], Awaitable[Shown]], *, is_json: bool) -> Response:
    try:
        shown = await show()
        if isinstance(shown, Response):
            return shown
        if is_json:
            return JSON(shown.facts, shown.status) if shown.problem is None else shown.problem.response()
        return await run_in_threadpool(html_of, request, shown)
    except CasebaseError as error:
        problem = problem_of(error)
    except Problem as error:
        problem = error
    if is_json:
        return problem.response()
    return html_of(request, error_page(problem))


def with_problem(shown: Page, error: CasebaseError, detail: str | None = None) -> Page:
    """Return the page of a form that was filled in wrongly, with what is wrong; its twin is the problem alone."""
    problem = problem_of(error)
    if detail is not None:
        problem.detail = detail
    return replace(shown, problem=problem, status=problem.status)


def error_page(problem: Problem) -> Page:
    """Return the page that says what went wrong."""
    return Page("problem.html", problem.to_dict()["title"], problem.to_dict(), status=problem.status)


class JSON(Response):
    """A JSON response of values as the library has them: numbers of numpy, and NaN as null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json_bytes(content)


def json_bytes(content: Any) -> bytes:
    """Return JSON without NaN, which JSON does not have.

    >>> json_bytes({"a": float("nan"), "b": (1, "é")}).decode()
    '{"a": null, "b": [1, "é"]}'
    """
    try:
        return json.dumps(content, ensure_ascii=False, allow_nan=False, default=_plain).encode("utf-8", "replace")
    except ValueError:
        return json.dumps(_finite(content), ensure_ascii=False, default=_plain).encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (tuple, set, frozenset)):
        return list(value)
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return str(value)


def _finite(value: Any) -> Any:
    """Return a value with None in place of numbers that JSON does not have."""
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return _finite(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_finite(one) for one in value]
    return value


def see(place: str) -> Response:
    """Return a redirection to a page, after an action."""
    return RedirectResponse(place, 303)


def link(path: str, /, **query: Any) -> str:
    """Return an address with a query; parameters without a value are left out, a list is repeated.

    >>> link("/m/nouns/table", where=["gender=f", "last=é"], after=None, sort="id")
    '/m/nouns/table?where=gender%3Df&where=last%3D%C3%A9&sort=id'
    """
    pairs = [
        (name, one)
        for name, value in query.items()
        if value is not None
        for one in (value if isinstance(value, list | tuple) else [value])
    ]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def shelf_of(request: Request) -> Shelf:
    """Return the shelf of the server."""
    shelf: Shelf = request.app.state.shelf
    return shelf


def jobs_of(request: Request) -> Jobs:
    """Return the jobs of the server."""
    jobs: Jobs = request.app.state.jobs
    return jobs


def results_of(request: Request) -> Results:
    """Return the results of jobs about models."""
    results: Results = request.app.state.results
    return results


def desk_of(request: Request) -> Desk:
    """Return the desk that the address names."""
    return shelf_of(request).desk(request.path_params["name"])


def _desk_below(request: Request) -> Desk | None:
    """Return the desk whose pages an address is among, if it exists and whoever asks may know."""
    found = re.match("/m/([^/]+)", request.url.path)
    return shelf_of(request).desks.get(found[1]) if found and may(request, "read") else None


def may(request: Request, role: Role) -> bool:
    """Return whether whoever asks has a role: a page hides what they may not do."""
    given: Role | None = request.scope.get("role")
    return given is not None and ROLES.index(given) >= ROLES.index(role)


def quoted(name: object) -> str:
    """Return a value as one part of a path."""
    return quote(str(name), safe="")


def address_of(request: Request) -> str:
    """Return the address of the server as whoever asks knows it."""
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host if HOST.fullmatch(host) else 'localhost'}"


def curl(request: Request, place: str, body: Mapping[str, Any] | None = None) -> str:
    """Return the command that gets an address of this server, or sends a JSON object there."""
    words = ["curl", f"{address_of(request)}{place}"]
    if request.app.state.config.needs_token:
        words += ["-H", "Authorization: Bearer TOKEN"]
    if body is not None:
        words += ["-H", "Content-Type: application/json", "-d", json.dumps(body, ensure_ascii=False)]
    return shlex.join(words)


def pages_of(desk: Desk) -> list[tuple[str, str]]:
    """Return the pages about a model: the text of each link, and its address; no pages of records if it keeps none."""
    home, saved = f"/m/{quoted(desk.name)}", desk.snapshot.saved
    has_records = isinstance(saved, Saved) and why_no_records(saved.model) is None
    return [(text, f"{home}/{part}") for text, part in NAVIGATION[desk.kind] if has_records or part not in OF_RECORDS]


# The pages about a model, by its kind.
NAVIGATION = {
    "model": (
        ("Ask", "ask"),
        ("Table", "table"),
        ("Compare", "compare"),
        ("Errors", "errors"),
        ("Picture", "picture"),
        ("Health", "health"),
        ("Journal", "journal"),
    ),
    "tagger": (("Tag", "tag"), ("Journal", "journal")),
    "hyphenator": (("Hyphenate", "hyphenate"), ("Journal", "journal")),
}

OF_RECORDS = ("table", "compare", "errors", "health")


@cache
def templates() -> "Environment":
    """Return the templates; Jinja2 is imported with the first page, so that the server starts sooner."""
    jinja2 = import_module("jinja2")
    found: Environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    found.filters |= {
        "value": format_value,
        "number": number,
        "quoted": quoted,
        "pages": pages_of,
        "printable": printable,
    }
    found.globals |= {"link": link}
    return found


def html_of(request: Request, shown: Page) -> Response:
    """Return the HTML of a page."""
    markup = import_module("markupsafe").Markup
    fragments = {name: markup(text) for name, text in shown.fragments.items()}  # made by the library's renderer
    query = request.url.query
    twin = _twin(request.url.path) + (f"?{query}" if query else "") if shown.has_twin and shown.status < 400 else None
    text = (
        templates()
        .get_template(shown.template)
        .render(
            page=shown,
            facts=shown.facts,
            fragments=fragments,
            desk=_desk_below(request) if shown.desk is None else shown.desk,
            path=request.url.path,
            twin=twin,
            command=shown.command or (curl(request, twin) if twin else None),
            may_correct=may(request, "correct"),
            may_admin=may(request, "admin"),
            **shown.facts if all(isinstance(name, str) for name in shown.facts) else {},
        )
    )
    return HTMLResponse(text, shown.status)


def _twin(path: str) -> str:
    return "/index.json" if path == "/" else f"{path}.json"
