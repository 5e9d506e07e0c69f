"""The explorer: one module per page, each with `routes()`."""

from starlette.routing import Route

from casebase.serve.pages import home, hyphenate, overview, tag


def routes() -> list[Route]:
    """Return the routes of all pages."""
    return [route for module in (home, overview, tag, hyphenate) for route in module.routes()]
