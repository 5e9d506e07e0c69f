"""Home: the models and tables on the shelf."""

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from casebase.serve.desks.desk import Desk
from casebase.serve.pages.about import summary_of
from casebase.serve.web import Page, page, shelf_of


def routes() -> list[Route]:
    return page("/", home)


def home(request: Request) -> Page:
    """Show what can be opened, and where to drop more."""
    shelf = shelf_of(request)
    facts = {
        "models": [_described(desk) for desk in shelf.desks.values()],
        "tables": [
            {"name": name, "file": path.name, "bytes": path.stat().st_size} for name, path in shelf.tables.items()
        ],
        "takes_files": shelf.folder is not None and not shelf.read_only,
    }
    return Page("home.html", "casebase", facts, command="casebase serve")


def _described(desk: Desk) -> dict[str, Any]:
    return {"name": desk.name, "file": desk.path.name, "kind": desk.kind} | summary_of(desk)
