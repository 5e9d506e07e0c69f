"""The explorer: one module per page, each with `routes()`."""

from starlette.routing import Route

from casebase.serve.pages import ask, home, overview


def routes() -> list[Route]:
    """Return the routes of all pages."""
    return [route for module in (home, overview, ask) for route in module.routes()]
