"""A model at a glance: what it learned, from what, with which settings."""

from importlib import import_module

from starlette.requests import Request
from starlette.routing import Route

from casebase.about import about_model
from casebase.methods import Saved
from casebase.serve.pages.about import summary_of
from casebase.serve.web import Page, desk_of, page


def routes() -> list[Route]:
    return page("/m/{name}", overview)


def overview(request: Request) -> Page:
    """Show what a model has learned."""
    desk = desk_of(request)
    facts = {"name": desk.name, "file": desk.path.name, "kind": desk.kind} | summary_of(desk)
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
    return Page("overview.html", desk.name, facts, command=f"casebase inspect {desk.path.name}", desk=desk)
