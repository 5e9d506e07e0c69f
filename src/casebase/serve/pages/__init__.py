"""The explorer: one module per page or group of pages, each with `routes()`; a new module is found by itself."""

from importlib import import_module
from pkgutil import iter_modules

from starlette.routing import Route


def routes() -> list[Route]:
    """Return the routes of all pages."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    return [route for module in modules if hasattr(module, "routes") for route in module.routes()]
