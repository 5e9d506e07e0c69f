"""The service: models over HTTP, for programs. One module per resource, each with `routes()`.

They are imported when somebody first asks for one, so that the server starts sooner; predictions are there already.
"""

from importlib import import_module

from starlette.routing import Route

RESOURCES = ("predict", "explain", "cases", "description", "models", "jobs", "language", "metrics")


def routes() -> list[Route]:
    """Return the routes of the service."""
    return [route for name in RESOURCES for route in import_module(f"{__name__}.{name}").routes()]
