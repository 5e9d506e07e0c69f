"""One record: its values, why the model would say the same without it, its history; adding, changing, deleting."""

import shlex
from collections.abc import Mapping
from typing import Any

import numpy as np
from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.base.leave_out import explain_without_itself, stored_cases
from casebase.base.log import Author, Entry, log_of
from casebase.base.model import LeavesOut
from casebase.data.columns import spelling
from casebase.errors import CasebaseError, ChangedError, NotFoundError, SchemaError, unknown_name
from casebase.methods import Saved
from casebase.serve.desks.desk import Desk
from casebase.serve.pages.about import summary_of
from casebase.serve.pages.ask import evidence_html, saved_model
from casebase.serve.questions import OTHER, VALUE, fields_of, question_of, texts_in
from casebase.serve.records.browse import Browser, browser_of
from casebase.serve.records.stored import has_text_ids, typed_id
from casebase.serve.web import Page, Shown, action, desk_of, html_of, link, page, quoted, see, with_problem

PROVENANCE = "p."  # the prefix of parameters with provenance
AUTHOR = "casebase_author"  # the cookie that remembers the name of whoever corrects
MOST_LISTED = 200  # classes to choose from; more are typed


class _Id(Convertor[str]):
    """An id in an address: any text, with slashes and line breaks."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("case", _Id())


def routes() -> list[Route]:
    return [
        *page("/m/{name}/add", add_page),
        *page("/m/{name}/record/{id:case}", record),
        *action("/m/{name}/records", add),
        *action("/m/{name}/edit", edit),
        *action("/m/{name}/delete", delete),
    ]


def record(request: Request) -> Shown:
    """Show a record, the evidence for its class without it, and what happened to it."""
    desk, case = desk_of(request), request.path_params["id"]
    saved_model(desk)
    if request.url.path.endswith(".json") and not browser_of(desk).has(case) and browser_of(desk).has(f"{case}.json"):
        return html_of(request, _record(request, desk, f"{case}.json"))  # an id that ends like the address of a twin
    return _record(request, desk, case)


def _record(request: Request, desk: Desk, case: str | int, given: Mapping[str, str] | None = None) -> Page:
    """Return the page of a record; the form has its values, or those that somebody gave."""
    saved, browser = saved_model(desk), browser_of(desk)
    row, found = browser.record(case)
    evidence, why_not = _left_out(saved, row)
    log = log_of(saved.model, [entry for entry in saved.log if found["id"] in entry.ids]).of([found["id"]])
    facts = {
        **_form(request, desk, saved, browser),
        "id": found["id"],
        "record": found,
        "question": {name: spelling(value) for name, value in found["values"].items() if value is not None},
        "kept": found["provenance"],
        "target": saved.model.schema.target,
        "label": str(spelling(found["class"])),
        "note": "",
        "evidence": None if evidence is None else evidence.to_dict(),
        "why_not": why_not,
        "history": [{"text": str(change), "number": n} for change, n in _numbered(saved.log, log.corrections, found)][
            ::-1
        ],
        "corrected": request.query_params.get("corrected"),
        **({} if given is None else _filled(given)),
    }
    fragments = {} if evidence is None else {"evidence": evidence_html(evidence)}
    command = f"casebase explain {shlex.quote(desk.path.name)} --id {shlex.quote(str(found['id']))}"
    return Page("record.html", f"Record {found['id']} of {desk.name}", facts, command, fragments, desk)


def _left_out(saved: Saved, row: int) -> tuple[Any, str | None]:
    """Return the evidence for a record from all others, or why there is none."""
    model = saved.model
    if not isinstance(model, LeavesOut):
        return (
            None,
            f"What a model of {model.method} knows was learned from all records together: none can be left out.",
        )
    rows = np.array([row])
    try:
        return explain_without_itself(model, stored_cases(model, rows), rows)[0], None
    except CasebaseError as error:
        return None, str(error)


def _numbered(log: tuple[Entry, ...], changes: Any, found: dict[str, Any]) -> list[tuple[Any, int]]:
    numbers = [n for n, entry in enumerate(log, 1) if found["id"] in entry.ids]
    return list(zip(changes, numbers))


def _form(request: Request, desk: Desk, saved: Saved, browser: Browser) -> dict[str, Any]:
    """Return what the forms need: a field per column, the classes, the version that the form is made for."""
    classes = [str(spelling(label)) for label in saved.model.schema.classes]
    return {
        "name": desk.name,
        **summary_of(desk),
        "fields": [field.to_dict() for field in fields_of(saved.model)],
        "provenance": [column.name for column in browser.columns if column.kind == "provenance"],
        "classes": classes if len(classes) <= MOST_LISTED else [],
        "n_classes": len(classes),
        "by": request.cookies.get(AUTHOR, ""),
    }


def _filled(given: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a form as somebody filled them in."""
    return {
        "question": texts_in(given.items()),
        "kept": {name[len(PROVENANCE) :]: text for name, text in given.items() if name.startswith(PROVENANCE)},
        "label": given.get("other_class", "").strip() or given.get("class", "").strip(),
        **{name: given[name] for name in ("by", "note") if name in given},
    }


def add_page(request: Request) -> Page:
    """Show the form for a new record."""
    return _add_page(request, {})


def _add_page(request: Request, given: Mapping[str, str]) -> Page:
    desk = desk_of(request)
    saved, browser = saved_model(desk), browser_of(desk)
    facts = {
        **_form(request, desk, saved, browser),
        "record": None,
        "target": saved.model.schema.target,
        "has_text_ids": has_text_ids(saved.model),
        "given_id": given.get("id", ""),
        "note": "",
        **_filled(given),
    }
    command = f"casebase insert {shlex.quote(desk.path.name)} TABLE"
    return Page("add.html", f"Add a record to {desk.name}", facts, command, desk=desk)


def add(request: Request, form: FormData) -> Shown:
    """Store a new record, and lead to it."""
    desk = desk_of(request)
    given, saved = texts_of(form), saved_model(desk)
    wanted: dict[str, str | None] = {}
    try:
        row, label = _row(saved, browser_of(desk), given), _label(given)
        wanted = row | {saved.model.schema.target: label}
        new_id = given.get("id", "").strip()
        ids = [typed_id(saved.model, new_id)] if new_id else None
        outcome = desk.insert([row], [label], ids=ids, author=author_of(given), if_match=given.get("version") or None)
    except ChangedError as error:
        return _conflict(request, desk, given, error, None, wanted)
    except CasebaseError as error:
        return with_problem(_add_page(request, given), error)
    return _done(desk, outcome.ids[0], "added", given)


def edit(request: Request, form: FormData) -> Shown:
    """Change what the form has otherwise than the record, and lead to it."""
    desk = desk_of(request)
    given, saved, browser = texts_of(form), saved_model(desk), browser_of(desk)
    try:
        _, now = browser.record(given.get("id", ""))
    except NotFoundError as error:
        return _conflict(request, desk, given, error, given.get("id"), _row(saved, browser, given))
    try:
        return _changed(request, desk, saved, browser, given, now)
    except CasebaseError as error:
        return with_problem(_record(request, desk, now["id"], given), error)


def _changed(
    request: Request, desk: Desk, saved: Saved, browser: Browser, given: dict[str, str], now: dict[str, Any]
) -> Shown:
    target = saved.model.schema.target
    stored = {**now["values"], **now["provenance"], target: now["class"]}
    wanted = _row(saved, browser, given) | {target: _label(given)}
    changes = {name: [text] for name, text in wanted.items() if text != spelling(stored.get(name))}
    if not changes and given.get("version") == desk.snapshot.version:
        return _done(desk, now["id"], "unchanged", given)
    try:
        desk.update(
            [now["id"]],
            changes or {target: [wanted[target]]},
            author=author_of(given),
            if_match=given.get("version") or None,
        )
    except ChangedError as error:
        return _conflict(request, desk, given, error, now["id"], wanted)
    return _done(desk, now["id"], "changed", given)


def delete(request: Request, form: FormData) -> Shown:
    """Erase a record, and lead to the table."""
    desk = desk_of(request)
    given, browser = texts_of(form), browser_of(desk)
    _, now = browser.record(given.get("id", ""))
    if given.get("sure") != "yes":
        error = CasebaseError("Confirm that the record is to be erased: its values cannot be brought back.")
        return with_problem(_record(request, desk, now["id"]), error)
    try:
        desk.remove([now["id"]], author=author_of(given), if_match=given.get("version") or None)
    except ChangedError as error:
        return _conflict(request, desk, given, error, now["id"], {})
    return remembering(see(link(f"/m/{quoted(desk.name)}/journal", done="erased")), given)


def texts_of(form: FormData) -> dict[str, str]:
    """Return the texts of a form; a file is no text."""
    given: dict[str, str] = {}
    for name, text in form.multi_items():
        if isinstance(text, str):
            given[name] = text
    return given


def _row(saved: Saved, browser: Browser, given: dict[str, str]) -> dict[str, str | None]:
    """Return the values and the provenance that a form has; an empty field is missing, and another has none."""
    schema = saved.model.schema
    question = question_of(list(given.items()), schema)
    stored = {column.name for column in browser.columns}
    asked = {name[len(VALUE) :] for name in given if name.startswith((VALUE, OTHER))}
    row: dict[str, str | None] = {name: question.get(name) for name in schema.needed_columns if name in stored & asked}
    kept = [column.name for column in browser.columns if column.kind == "provenance"]
    for name, text in given.items():
        if name.startswith(PROVENANCE):
            if (column := name.removeprefix(PROVENANCE)) not in kept:
                raise SchemaError(unknown_name("column", column, kept))
            row[column] = text.strip() or None
    return row


def _label(given: dict[str, str]) -> str:
    label = given.get("other_class", "").strip() or given.get("class", "").strip()
    if not label:
        raise CasebaseError("Choose a class, or write one.")
    return label


def author_of(given: dict[str, str]) -> Author:
    """Return who corrects, and why, as a form says."""
    return Author(given.get("by", "").strip() or None, given.get("note", "").strip() or None)


def _done(desk: Desk, case: int | str, what: str, given: dict[str, str]) -> Response:
    return remembering(see(link(f"/m/{quoted(desk.name)}/record/{quoted(case)}", corrected=what)), given)


def remembering(response: Response, given: dict[str, str]) -> Response:
    """Remember the name of whoever corrects, for the next form."""
    by = given.get("by", "").strip()
    if by and by.isascii() and by.isprintable() and len(by) <= 100:
        response.set_cookie(AUTHOR, by, httponly=True, samesite="strict", max_age=30_000_000)
    return response


def _conflict(
    request: Request, desk: Desk, given: dict[str, str], error: CasebaseError, case: Any, wanted: dict[str, Any]
) -> Page:
    """Show what was wanted beside what is stored now, and what others have corrected since the form was made."""
    saved, browser = saved_model(desk), browser_of(desk)
    try:
        now = None if case is None else browser.record(case)[1]
    except NotFoundError:
        now = None
    stored = {} if now is None else {**now["values"], **now["provenance"], saved.model.schema.target: now["class"]}
    places = [i for i, entry in enumerate(saved.log) if entry.after == given.get("version")]
    since = saved.log[places[-1] + 1 :] if places else saved.log
    facts = {
        "name": desk.name,
        "detail": str(error) if now is None and case is not None else f"Somebody corrected {desk.name} meanwhile.",
        "id": case,
        "is_erased": case is not None and now is None,
        "is_touched": any(case in entry.ids for entry in since),
        "since": [
            {"action": one.action, "when": one.when, "by": one.by, "note": one.note, "ids": list(one.ids)[:5]}
            for one in since[-10:]
        ],
        "rows": [
            {"name": name, "mine": wanted.get(name), "stored": spelling(stored.get(name))}
            for name in {**wanted, **stored}
        ],
        "given": {name: text for name, text in given.items() if name != "version"},
        "version": desk.snapshot.version,
        "action": request.url.path,
        "status": 412,
        "title": "Precondition Failed",
    }
    return Page("conflict.html", f"{desk.name} was corrected meanwhile", facts, desk=desk, status=412)
