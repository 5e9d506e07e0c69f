"""The explorer: one module per page or group of pages, each with `routes()`; a new module is found by itself.

Pages that need much of the library are imported when somebody first asks for one, so that the server starts sooner.
"""

from importlib import import_module
from pkgutil import iter_modules

from starlette.routing import Route

LATER = frozenset({"compare", "errors", "health", "hyphenate", "language", "picture", "tag"})


def routes() -> list[Route]:
    """Return the routes of the pages that are there from the start."""
    return _routes_of([found.name for found in iter_modules(__path__) if found.name not in LATER])


def later_routes() -> list[Route]:
    """Return the routes of the other pages."""
    return _routes_of(sorted(LATER))


def _routes_of(names: list[str]) -> list[Route]:
    modules = [import_module(f"{__name__}.{name}") for name in names]
    return [route for module in modules if hasattr(module, "routes") for route in module.routes()]
