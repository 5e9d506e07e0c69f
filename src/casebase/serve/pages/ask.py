"""Ask: a form made from the schema; the prediction, how sure, what decided, what would change it; the correction."""

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape, unescape
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.base.log import Author
from casebase.data import Schema
from casebase.data.columns import text_column
from casebase.data.labels import labels_for
from casebase.errors import CasebaseError, ChangedError, unknown_name
from casebase.methods import METHODS, Saved
from casebase.render.blocks import Shown as Explained
from casebase.render.html import body, headline, legend, signs_in
from casebase.serve.asking import Answer, ask, learned_by
from casebase.serve.desks.desk import Desk
from casebase.serve.pages.about import summary_of
from casebase.serve.questions import OTHER, VALUE, cases_of, fields_of, question_of, texts_in
from casebase.serve.records.stored import has_text_ids, typed_id
from casebase.serve.web import Page, Shown, action, desk_of, link, page, quoted, see, shelf_of, with_problem


def routes() -> list[Route]:
    return [*page("/m/{name}/ask", ask_page), *action("/m/{name}/ask", correct)]


def saved_model(desk: Desk) -> Saved:
    """Return the model of a desk; a tagger or hyphenator has pages of its own."""
    saved = desk.snapshot.saved
    if not isinstance(saved, Saved):
        place = {"tagger": "tag", "hyphenator": "hyphenate"}[desk.kind]
        raise CasebaseError(f"{desk.name} is a {desk.kind}: its page is /m/{quoted(desk.name)}/{place}.")
    return saved


def ask_page(request: Request) -> Page:
    """Show the form, and the answer if a question was asked."""
    parameters = request.query_params.multi_items()
    try:
        return _page(request, parameters, is_asked=True)
    except CasebaseError as error:
        return with_problem(_page(request, parameters, is_asked=False), error)


def _page(request: Request, parameters: Sequence[tuple[str, str]], *, is_asked: bool) -> Page:
    """Return the page with a question as it was typed, and its answer if it is to be asked."""
    desk = desk_of(request)
    saved, snapshot = saved_model(desk), desk.snapshot
    schema = saved.model.schema
    given, typed = dict(parameters), texts_in(parameters)
    facts: dict[str, Any] = {
        "name": desk.name,
        **summary_of(desk),
        "fields": [field.to_dict() for field in fields_of(saved.model)],
        "classes": [str(label) for label in schema.classes],
        "question": typed,
        "answer": None,
        "other": None,
        "corrected": _corrected(given),
        "methods": list(METHODS),
        "others": _comparable(request, desk, schema),
        "has_text_ids": has_text_ids(saved.model),
        "given": {name: given.get(name, "") for name in ("class", "other_class", "id", "by", "note")},
        "again": _place(desk, typed),
    }
    fragments: dict[str, str] = {}
    if is_asked and ("asked" in given or typed):
        question = question_of(parameters, schema)
        answer = ask(saved, snapshot.version, cases_of(question, schema))
        facts["answer"] = answer.to_dict()
        fragments |= _shown("answer", answer, desk)
        if given.get("with"):
            other = _other(request, given["with"], saved, snapshot.version, question)
            facts["other"] = {"name": given["with"]} | other.to_dict()
            fragments |= _shown("other", other, shelf_of(request).desks.get(given["with"], desk))
    case = ", ".join(f"{name}={value}" for name, value in typed.items())
    asked = ["explain", desk.path.name, "--case", case] if case else ["inspect", desk.path.name]
    command = shlex.join(["casebase", *asked])
    return Page("ask.html", f"Ask {desk.name}", facts, command, fragments, desk)


def _place(desk: Desk, question: Mapping[str, str], **further: Any) -> str:
    """Return the address of a question."""
    values = {f"{VALUE}{name}": text for name, text in question.items()}
    return link(f"/m/{quoted(desk.name)}/ask", asked=1, **further, **values)


def _comparable(request: Request, desk: Desk, schema: Schema) -> list[str]:
    """Return the other models that can answer the same questions: a question has all columns that they need."""
    columns = set(schema.needed_columns)
    return [
        one.name
        for one in shelf_of(request).desks.values()
        if one is not desk
        and isinstance(one.snapshot.saved, Saved)
        and columns.issuperset(one.snapshot.saved.model.schema.needed_columns)
    ]


def _corrected(parameters: Mapping[str, str]) -> dict[str, Any] | None:
    """Return what the answer was before a correction, and the record that was added."""
    if "was" not in parameters:
        return None
    return {"was": parameters["was"], "was_share": parameters.get("share"), "record": parameters.get("record")}


def _shown(name: str, answer: Answer, desk: Desk) -> dict[str, str]:
    return {name: evidence_html(answer.evidence, desk), **({f"{name}_flip": _flip_html(answer)} if answer.flip else {})}


def evidence_html(evidence: Explained, desk: Desk | None = None) -> str:
    """Return an explanation as a part of a page; the records of a desk lead to their pages."""
    said = evidence.headline()
    content = f'<h2 class="cb-answer">{headline(said)}</h2>\n{body(said, evidence.sections())}'
    if desk is not None:
        content = RECORD.sub(partial(_linked, desk), content)
    return f"<section>\n{content}\n{legend(signs_in(content))}</section>"


# A record in a table of the renderer, which has escaped its id.
RECORD = re.compile(r'(<th scope="row" data-record="([^"]*)">)(.*?)( <small|</th>)')


def _linked(desk: Desk, match: re.Match[str]) -> str:
    place = f"/m/{quoted(desk.name)}/record/{quoted(unescape(match[2]))}"
    return f'{match[1]}<a href="{escape(place)}">{match[3]}</a>{match[4]}'


def _flip_html(answer: Answer) -> str:
    assert answer.flip is not None
    said = answer.flip.headline()
    return body(said, answer.flip.sections())


def _other(request: Request, name: str, saved: Saved, version: str, question: Mapping[str, str]) -> Answer:
    """Return the answer of another model on the shelf, or of another method that learns from the same records."""
    shelf = shelf_of(request)
    if name in shelf.desks:
        other, snapshot = saved_model(shelf.desks[name]), shelf.desks[name].snapshot
        columns = other.model.schema.needed_columns
        known = {column: text for column, text in question.items() if column in columns}
        return ask(other, snapshot.version, cases_of(known, other.model.schema), has_flip=False)
    if name not in METHODS:
        raise CasebaseError(unknown_name("method or model", name, [*METHODS, *shelf.desks]))
    other = learned_by(name, saved, version)
    return ask(other, f"{version} {name}", cases_of(question, other.model.schema), has_flip=False)


def correct(request: Request, form: FormData) -> Shown:
    """Remember the question with its right class, and lead back to the answer, before and after."""
    desk = desk_of(request)
    texts = [(name, text) for name, text in form.multi_items() if isinstance(text, str)]
    try:
        return _remembered(desk, texts)
    except ChangedError as error:
        told = f"Somebody corrected {desk.name} meanwhile, and your correction was not saved."
        return with_problem(_still_asked(request, texts), error, told)
    except CasebaseError as error:
        return with_problem(_still_asked(request, texts), error)


def _still_asked(request: Request, texts: Sequence[tuple[str, str]]) -> Page:
    """Return the page of a correction that cannot be made, with the answer to its question if there is one."""
    try:
        return _page(request, [("asked", "1"), *texts], is_asked=True)
    except CasebaseError:
        return _page(request, texts, is_asked=False)


def _remembered(desk: Desk, texts: Sequence[tuple[str, str]]) -> Response:
    saved = saved_model(desk)
    schema, given = saved.model.schema, dict(texts)
    question = question_of(texts, schema)
    label = given.get("other_class", "").strip() or given.get("class", "").strip()
    if not label:
        raise CasebaseError("Choose the right class, or write it.")
    before = ask(saved, desk.snapshot.version, cases_of(question, schema), has_flip=False)
    new_id = given.get("id", "").strip()
    outcome = desk.insert(
        [{name: question.get(name) for name in schema.needed_columns}],
        labels_for(schema.classes, text_column([label])),
        ids=[typed_id(saved.model, new_id)] if new_id else None,
        author=Author(given.get("by") or None, given.get("note") or None),
        if_match=given.get("version") or None,
    )
    share = f"{before.probabilities.get(str(before.label), 0):.3f}"
    return see(_place(desk, question, was=str(before.label), share=share, record=outcome.ids[0]))


__all__ = ["OTHER", "VALUE", "evidence_html", "routes", "saved_model"]
