"""Enter: where a person gives a token, if nobody can show them the address that the server printed."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from casebase.serve.security import Doors, set_session
from casebase.serve.web import Page, html_of


def routes() -> list[Route]:
    return [Route("/enter", enter, methods=["GET", "POST"])]


async def enter(request: Request) -> Response:
    """Show the form; turn a token that is known into a session."""
    is_wrong = False
    if request.method == "POST":
        doors: Doors = request.app.state.doors
        async with request.form() as form:
            token = form.get("token")
        session = doors.enter(token.strip()) if isinstance(token, str) else None
        if session is not None:
            response = RedirectResponse("/", 303)
            set_session(response, session, request.scope)
            return response
        is_wrong = True
    status = 401 if is_wrong else 200
    return html_of(request, Page("enter.html", "Enter", {"is_wrong": is_wrong}, status=status, has_twin=False))
