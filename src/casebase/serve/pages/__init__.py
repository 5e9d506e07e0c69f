"""The explorer: one module per page, each with `routes()`."""

from starlette.routing import Route

from casebase.serve.pages import home, jobs, overview


def routes() -> list[Route]:
    """Return the routes of all pages."""
    return [route for module in (home, overview, jobs) for route in module.routes()]
