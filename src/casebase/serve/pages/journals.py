"""Journal: what was corrected, by whom, when and why, with what was before and after; the newest first."""

import shlex
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.base.log import SHOWN, CaseChange, Entry, Log, log_of
from casebase.data.columns import spelling
from casebase.errors import CasebaseError
from casebase.methods import Saved
from casebase.serve.desks.desk import Desk
from casebase.serve.pages.about import summary_of
from casebase.serve.pages.records import AUTHOR, author_of, remembering, texts_of
from casebase.serve.records.stored import Part
from casebase.serve.web import JSON, Page, action, desk_of, link, page, quoted, see


def routes() -> list[Route]:
    return [
        *page("/m/{name}/journal", journal),
        *page("/m/{name}/log.json", whole_log)[1:],
        *action("/m/{name}/undo", undo),
    ]


def entries_of(desk: Desk) -> tuple[Entry, ...]:
    """Return the log of a desk, whatever its kind."""
    saved = desk.snapshot.saved
    entries: tuple[Entry, ...] = saved.log if isinstance(saved, Saved) else saved._log
    return entries


def log_at(desk: Desk, entries: Sequence[Entry]) -> Log:
    """Return some corrections of a desk with what was before and after each."""
    saved = desk.snapshot.saved
    return log_of(saved.model, entries) if isinstance(saved, Saved) else saved.log_of(entries)


def journal(request: Request) -> Page:
    """Show the corrections of a model, a page at a time."""
    desk = desk_of(request)
    entries = entries_of(desk)
    part = Part.at(request.query_params.get("start"), len(entries), 20)
    newest, oldest = len(entries) - part.start, max(0, len(entries) - part.stop)
    facts = {
        "name": desk.name,
        **summary_of(desk),
        "part": part.to_dict(),
        "corrections": _corrections(desk, entries, oldest, newest)[::-1],
        "done": request.query_params.get("done"),
        "by": request.cookies.get(AUTHOR, ""),
        "kind": desk.kind,
    }
    command = f"casebase log {shlex.quote(desk.path.name)}"
    return Page("journal.html", f"Journal of {desk.name}", facts, command, desk=desk)


def whole_log(request: Request) -> Response:
    """Send all corrections as a file, as `casebase log --json` prints them."""
    desk = desk_of(request)
    content = {"file": desk.path.name} | log_at(desk, entries_of(desk)).to_dict()
    response = JSON(content)
    response.headers["content-disposition"] = f"attachment; filename*=UTF-8''{quote(desk.name)}-log.json"
    return response


def _corrections(desk: Desk, entries: tuple[Entry, ...], oldest: int, newest: int) -> list[dict[str, Any]]:
    """Return the corrections with these numbers, with the cases before and after each."""
    shown = entries[oldest:newest]
    last_of = {case: i for i, entry in enumerate(entries) for case in entry.ids}
    # What a case was after a correction is what a later one replaced, so later entries about it are needed too.
    wanted = {case for entry in shown for case in entry.ids[:SHOWN]}
    used = [(i, e) for i, e in enumerate(entries) if i >= oldest and (i < newest or not wanted.isdisjoint(e.ids))]
    cases = {i: one.cases for (i, _), one in zip(used, log_at(desk, [entry for _, entry in used]))}
    return [
        {
            "number": i + 1,
            **{name: getattr(entry, name) for name in ("action", "when", "by", "note", "before", "after")},
            "n_cases": len(entry.ids),
            "cases": [_change(one) for one in cases[i][:SHOWN]],
            # A tagger cannot forget a sentence.
            "can_be_undone": desk.kind != "tagger"
            and entry.action != "remove"
            and all(last_of[case] == i for case in entry.ids),
        }
        for i, entry in enumerate(shown, oldest)
    ]


def _change(one: CaseChange) -> dict[str, Any]:
    """Return a case of a correction, with the values that differ."""
    differing = []
    if one.before is not None and one.after is not None:
        differing = [
            {"name": name, "before": spelling(one.before.get(name)), "after": spelling(value)}
            for name, value in one.after.items()
            if spelling(one.before.get(name)) != spelling(value)
        ]
    return one.to_dict() | {"changes": differing}


def undo(request: Request, form: FormData) -> Response:
    """Undo a correction with a new one, and lead to the journal."""
    desk = desk_of(request)
    given = texts_of(form)
    text = given.get("number", "")
    if not text.isdecimal():
        raise CasebaseError(f"A correction has a number; got {text!r}.")
    desk.undo(int(text), author=author_of(given), if_match=given.get("version") or None)
    return remembering(see(link(f"/m/{quoted(desk.name)}/journal", done="undone")), given)
