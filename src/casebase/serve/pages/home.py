"""Home: the models and tables on the shelf."""

import shlex
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from casebase.serve.desks.desk import Desk
from casebase.serve.pages.about import summary_of
from casebase.serve.shelf import Shelf
from casebase.serve.web import Page, page, shelf_of

MOST_NAMED = 6  # files in the command of the page


def routes() -> list[Route]:
    return page("/", home)


def home(request: Request) -> Page:
    """Show what can be opened, and where to drop more."""
    shelf = shelf_of(request)
    facts = {
        "models": [_described(desk) for desk in list(shelf.desks.values())],
        "tables": [
            {"name": name, "file": path.name, "bytes": path.stat().st_size}
            for name, path in list(shelf.tables.items())
            if path.exists()
        ],
        "takes_files": shelf.folder is not None and not shelf.read_only,
    }
    return Page("home.html", "casebase", facts, command=_command(shelf))


def _command(shelf: Shelf) -> str:
    """Return the command line that starts such a server."""
    paths = [desk.path for desk in list(shelf.desks.values())] + list(shelf.tables.values())
    files = [path.name for path in paths]
    return shlex.join(["casebase", "serve", *files[:MOST_NAMED], *(["…"] if len(files) > MOST_NAMED else [])])


def _described(desk: Desk) -> dict[str, Any]:
    return {"name": desk.name, "file": desk.path.name, "kind": desk.kind} | summary_of(desk)
