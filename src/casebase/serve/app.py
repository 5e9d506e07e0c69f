"""The application: pages, the service, and what guards them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match, Mount, Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from casebase.render.stylesheet import PAGE_STYLE, REPORT_STYLE, STYLE
from casebase.serve import api, pages
from casebase.serve.api import predict
from casebase.serve.api.batches import Batches
from casebase.serve.api.metrics import Metrics
from casebase.serve.api.streams import Streams
from casebase.serve.config import Config
from casebase.serve.jobs import Jobs
from casebase.serve.problems import Problem
from casebase.serve.results import Results
from casebase.serve.security import FAULT, Doors, Guard, TooLargeError
from casebase.serve.shelf import Shelf
from casebase.serve.web import HERE, error_page, html_of

if TYPE_CHECKING:
    from casebase.serve.ports.timbl_port import TimblPort

LOOPBACK = "127.0.0.1"


def make_app(shelf: Shelf, config: Config, doors: Doors | None = None) -> ASGIApp:
    """Return the application that serves a shelf."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with _timbl_port(shelf, config):
            yield
        app.state.jobs.close()
        shelf.close()

    routes = [
        Mount("/static", StaticFiles(directory=HERE / "static")),
        Route("/evidence.css", _style),
        Route("/healthz", _alive),
        Route("/readyz", _ready),
    ]
    handlers: dict[Any, Any] = {
        HTTPException: _refused,
        TooLargeError: _too_large,
        TimeoutError: _too_slow,
        ClientDisconnect: _gone,
        Exception: _failed,
    }
    app = Direct(*predict.routes(), routes=routes, lifespan=lifespan, exception_handlers=handlers)
    app.router.default = Later(_common_routes, Later(_rare_routes))
    app.state.shelf, app.state.jobs, app.state.config = shelf, Jobs(config.limits.jobs), config
    app.state.metrics, app.state.paces, app.state.streams = Metrics(), predict.Paces(), Streams()
    app.state.batches = Batches()
    app.state.results = Results(app.state.jobs)
    app.state.doors = Doors(config) if doors is None else doors
    return Guard(app, app.state.doors)


class Direct(Starlette):
    """An application with a short way to one route, whose resource answers errors itself: the middle layers cost."""

    def __init__(self, direct: Route, **settings: Any) -> None:
        super().__init__(**settings)
        self.direct = direct

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match, found = self.direct.matches(scope)
        if match is Match.NONE:
            await super().__call__(scope, receive, send)
        else:
            scope.update(found, app=self)
            await self.direct.handle(scope, receive, send)


class Later:
    """Routes that are imported when no earlier one is asked for: the server starts sooner, and smaller."""

    def __init__(self, routes: Callable[[], list[Route]], rest: ASGIApp | None = None) -> None:
        self._routes, self._rest = routes, rest
        self._router: Router | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._router is None:
            self._router = Router(await run_in_threadpool(self._routes), default=self._rest)
        await self._router(scope, receive, send)


def _common_routes() -> list[Route]:
    return [*api.routes(), *pages.routes()]


def _rare_routes() -> list[Route]:
    tools: list[Route] = import_module("casebase.serve.ports.tool_routes").routes()
    return [*pages.later_routes(), *tools]


@asynccontextmanager
async def _timbl_port(shelf: Shelf, config: Config) -> AsyncIterator[None]:
    """Answer timblserver's clients too, if the config has a port for them; its protocol knows no tokens: only here."""
    if config.timbl_port is None:
        yield
        return
    ports = import_module("casebase.serve.ports.timbl_port")
    port: TimblPort = ports.TimblPort(shelf.desks, LOOPBACK, config.timbl_port)
    await port.start()
    task = asyncio.create_task(port.serve())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _alive(request: Request) -> Response:
    return Response("ok\n", media_type="text/plain")


async def _ready(request: Request) -> Response:
    """Tell a supervisor, who has no token, that requests are answered: models are loaded before the server listens."""
    return Response("ready\n", media_type="text/plain")


async def _style(request: Request) -> Response:
    return Response(
        f"{STYLE}\n{PAGE_STYLE}\n{REPORT_STYLE}", media_type="text/css", headers={"cache-control": "max-age=3600"}
    )


async def _too_large(request: Request, error: TooLargeError) -> Response:
    return _shown(request, Problem(413, str(error)))


async def _too_slow(request: Request, error: TimeoutError) -> Response:
    return _shown(request, Problem(408, "The request did not come to its end in time."))


async def _gone(request: Request, error: ClientDisconnect) -> Response:
    return Response(status_code=400)  # nobody reads it


async def _failed(request: Request, error: Exception) -> Response:
    return _shown(request, FAULT)


async def _refused(request: Request, error: HTTPException) -> Response:
    detail = "There is no such page." if error.status_code == 404 else error.detail
    return _shown(request, Problem(error.status_code, detail, headers=error.headers))


def _shown(request: Request, problem: Problem) -> Response:
    """Return a problem as a page for a browser, and as JSON for others."""
    wants_page = "text/html" in request.headers.get("accept", "")
    return html_of(request, error_page(problem)) if wants_page else problem.response()
