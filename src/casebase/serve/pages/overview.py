"""A model at a glance: what it learned, from what, with which settings."""

import shlex
from importlib import import_module

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.routing import Route

from casebase.about import about_model
from casebase.errors import CasebaseError
from casebase.methods import Saved
from casebase.serve.pages.about import summary_of
from casebase.serve.web import Page, Shown, action, desk_of, page, see, shelf_of, with_problem


def routes() -> list[Route]:
    return [*page("/m/{name}", overview), *action("/m/{name}/drop", drop, role="admin")]


def overview(request: Request) -> Page:
    """Show what a model has learned."""
    desk, folder = desk_of(request), shelf_of(request).folder
    facts = {"name": desk.name, "file": desk.path.name, "kind": desk.kind} | summary_of(desk)
    facts["is_file_deleted"] = folder is not None and desk.path.parent.resolve() == folder.resolve()
    saved = desk.snapshot.saved
    if isinstance(saved, Saved):
        summary = saved.model.summary()
        facts |= {
            "about": about_model(saved.model),
            "classes": dict(zip(map(str, summary.classes), summary.frequencies)),
            "features": list(summary.features),
        }
    else:
        language = import_module("casebase.serve.pages.language")  # imported for taggers and hyphenators alone
        facts |= {"about": language.about(saved), "classes": {}, "features": []} | language.content_of(saved)
    return Page("overview.html", desk.name, facts, command=f"casebase inspect {shlex.quote(desk.path.name)}", desk=desk)


def drop(request: Request, form: FormData) -> Shown:
    """Take a model from the shelf, with its file if that was uploaded or learned here."""
    desk = desk_of(request)
    if form.get("sure") != "yes":
        return with_problem(overview(request), CasebaseError(f"Confirm that {desk.name} is to be deleted."))
    shelf_of(request).drop_model(desk.name)
    return see("/")
