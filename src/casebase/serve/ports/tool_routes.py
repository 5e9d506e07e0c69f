"""The routes of annotation tools: JSON in, JSON out, in the form that each tool sends and expects."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.errors import CasebaseError
from casebase.serve.ports.tools import TOOL_ROUTES, ToolRoute
from casebase.serve.problems import Problem, problem_of
from casebase.serve.security import needs
from casebase.serve.web import JSON, desk_of


def routes() -> list[Route]:
    """Return the routes of all tools."""
    return [Route(tool.path, _endpoint(tool), methods=[tool.method]) for tool in TOOL_ROUTES]


def _endpoint(tool: ToolRoute) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            needs(tool.role, request.scope)
            desk = desk_of(request)
            sent = await _json(request) if tool.method == "POST" else {}
            status, reply = await run_in_threadpool(tool.handler, sent, desk)
        except CasebaseError as error:
            return problem_of(error).response()
        except Problem as problem:
            return problem.response()
        return Response(status_code=status) if reply is None else JSON(reply, status)

    return endpoint


async def _json(request: Request) -> dict[str, Any]:
    try:
        sent = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise Problem(400, f"The request is not JSON: {error}.") from error
    if not isinstance(sent, dict):
        raise Problem(400, f"Expected a JSON object; got {type(sent).__name__}.")
    return sent
