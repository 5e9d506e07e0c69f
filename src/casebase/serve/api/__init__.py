"""The service: models over HTTP, for programs. One module per resource, each with `routes()`."""

from starlette.routing import Route

from casebase.serve.api import cases, description, explain, jobs, language, metrics, models


def routes() -> list[Route]:
    """Return the routes of the service, but for predictions: the application asks for them first."""
    modules = (explain, cases, description, models, jobs, language, metrics)
    return [route for module in modules for route in module.routes()]
