"""A table that nothing was learned from yet: what was recognised, how to change it, and what to learn."""

import shlex
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.base.parameters import plain_parameters
from casebase.data.sources import KINDS
from casebase.errors import CasebaseError, unknown_name
from casebase.methods import METHODS, method_named
from casebase.serve.jobs import Job
from casebase.serve.learning import CHOICES, Choices, cases_of, kinds_of, learn, reading_options
from casebase.serve.pages.jobs import followed
from casebase.serve.web import Page, action, jobs_of, page, quoted, see, shelf_of

SEPARATORS = {"": "recognised", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16")
FORBIDDEN = ("constant",)  # kinds that nobody gives to a column


def routes() -> list[Route]:
    return [
        *action("/upload", upload, role="admin"),
        *page("/t/{table}", table_page),
        *action("/t/{table}/learn", learn_from, role="admin"),
        *action("/t/{table}/drop", drop, role="admin"),
    ]


def upload(request: Request, form: FormData) -> Response:
    """Keep a file that was dropped, and show what was recognised."""
    files = [one for one in form.getlist("file") if isinstance(one, UploadFile) and one.filename]
    if not files:
        raise CasebaseError("Choose a file: a table, or a model (.cb).")
    shelf = shelf_of(request)
    names = [shelf.receive(one.file, str(one.filename)) for one in files]
    name, is_model = names[0]
    if len(names) > 1:
        return see("/")
    return see(f"/m/{quoted(name)}" if is_model else f"/t/{quoted(name)}")


def table_page(request: Request) -> Page:
    """Show how a table would be read."""
    name = request.path_params["table"]
    shelf = shelf_of(request)
    path = shelf.table(name)
    parameters = request.query_params.multi_items()
    choices = Choices.of(parameters)
    recognised = choices.recognised(path)
    facts: dict[str, Any] = {
        "name": name,
        "recognised": recognised.to_dict() | {"file": path.name},
        "said": choices.said,
        "kinds": [kind for kind in KINDS if kind not in FORBIDDEN],
        "separators": SEPARATORS,
        "encodings": list(ENCODINGS),
        "methods": {method: method_named(method).title for method in METHODS},
        "can_learn": shelf.folder is not None and not shelf.read_only,
    }
    command = shlex.join(
        ["casebase", "train", path.name, "-o", "model.cb", *reading_options(recognised, choices.kinds)]
    )
    return Page("table_file.html", name, facts, command)


def learn_from(request: Request, form: FormData) -> Response:
    """Start to learn a model from a table."""
    name = request.path_params["table"]
    shelf = shelf_of(request)
    path = shelf.table(name)
    parameters = [(key, text) for key, text in form.multi_items() if isinstance(text, str)]
    method = dict(parameters).get("method") or "auto"
    if method not in METHODS:
        raise CasebaseError(unknown_name("method", method, METHODS))
    recognised = Choices.of(parameters).recognised(path)
    if recognised.target is None:
        raise CasebaseError("Choose the class: the column that is to be predicted.")
    shelf.writable_folder()  # an error if there is none

    def work(job: Job) -> dict[str, Any]:
        read = cases_of(path, recognised)
        own = plain_parameters({"kinds": read.kinds, "data_file": path.name})
        learned = learn(shelf, path.stem, read.cases, method, job, estimator=own)
        job.place = f"/m/{quoted(learned.name)}/ask"
        return {"model": learned.name, "size": learned.size}

    title = f"Learning from {path.name} with {method}"
    options = ["-o", f"{path.stem}.cb", "--learner", method, *reading_options(recognised, kinds_of(recognised))]
    command = shlex.join(["casebase", "train", path.name, *options])
    return see(followed(jobs_of(request).start("train", title, work, command)))


def drop(request: Request, form: FormData) -> Response:
    """Take a table from the shelf."""
    shelf_of(request).drop_table(request.path_params["table"])
    return see("/")


__all__ = ["CHOICES", "routes"]
