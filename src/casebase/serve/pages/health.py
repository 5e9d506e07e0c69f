"""Health: what is odd about the records of a model; and a review, one decision after another."""

import shlex
from collections import Counter
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.base.leave_out import memory_of
from casebase.base.log import Author
from casebase.base.parameters import restored_parameters
from casebase.base.records import values_of
from casebase.base.threads import n_cores
from casebase.checkup import Health
from casebase.checkup import health as examine
from casebase.checkup.findings import TITLES, Finding
from casebase.checkup.page import MEANINGS, headline, how
from casebase.checkup.training import model_commands
from casebase.data.columns import spelling
from casebase.errors import CasebaseError, unknown_name
from casebase.methods import Saved
from casebase.serve.desks.desk import Desk
from casebase.serve.jobs import Job
from casebase.serve.pages import errors
from casebase.serve.pages.ask import saved_model
from casebase.serve.pages.jobs import follow
from casebase.serve.records.stored import Part, record_id, records_with, why_no_records
from casebase.serve.results import Result
from casebase.serve.review import REVIEWED, Choice, Review, Suspect, changed_answers
from casebase.serve.web import Page, action, desk_of, link, page, quoted, results_of, see

KEY, REVIEW = "health", "review"
MOST_OTHERS = 8  # records beside a suspect
MOST_KEYS = 9  # classes with a key of their own
MOST_EFFECTS = 12  # changed answers that are listed
NAMES = {  # of suspects, one and several
    "mislabelled": ("probably mislabelled", "probably mislabelled"),
    "contradiction": ("contradiction", "contradictions"),
    "outlier": ("outlier", "outliers"),
}
CHOICES: tuple[Choice, ...] = ("keep", "class", "remove", "skip")


def routes() -> list[Route]:
    return [
        *page("/m/{name}/health", health),
        *action("/m/{name}/health", start, role="read"),
        *page("/m/{name}/review", review),
        *action("/m/{name}/review", decide),
        *action("/m/{name}/review/undo", undo),
    ]


def health(request: Request) -> Page:
    """Show what is odd about the records, kind by kind."""
    desk, saved, result, facts = _examined(request)
    facts |= {"report": None, "kind": None, "n_suspects": 0, "suspects": []}
    if result is not None:
        report: Health = result.found
        facts |= _report(report, result)
        facts["kind"] = _kind(request, desk.name, report, saved)
        found = _review(request, desk, report)
        facts |= {"n_suspects": len(found.suspects), "suspects": _counted(found)}
    return Page("health.html", f"Health of {desk.name}", facts, _command(desk), desk=desk)


def _examined(request: Request) -> tuple[Desk, Saved, Result | None, dict[str, Any]]:
    """Return what health and review are about, the last report if there is one, and the facts that both begin with."""
    desk, results = desk_of(request), results_of(request)
    saved = saved_model(desk)
    facts = {
        "name": desk.name,
        "why_not": why_no_records(saved.model),
        "is_current": results.current(desk, KEY) is not None,
    }
    return desk, saved, results.last(desk, KEY), facts


def _command(desk: Desk) -> str:
    return f"casebase health {shlex.quote(desk.path.name)}"


def _counted(found: Review) -> list[str]:
    """Return how many suspects there are of each kind, in words; a record of several kinds counts for the first."""
    n_of = Counter(one.kinds[0] for one in found.suspects)
    said = [f"{n_of[kind]:,} {names[n_of[kind] > 1]}" for kind, names in NAMES.items() if n_of[kind]]
    return [*said, f"without {found.n_kept_before:,} that were kept"] if found.n_kept_before else said


def _report(report: Health, result: Result) -> dict[str, Any]:
    return {
        "version": result.version,
        "report": {name: value for name, value in report.to_dict().items() if name != "findings"},
        "said": [headline(report), how(report), *report.notes],
        "kinds": [
            {"kind": kind, "title": title, "meaning": MEANINGS[kind], "count": report.counts[kind]}
            for kind, title in TITLES.items()
        ],
        "together": report.commands.remove_redundant() if report.counts["redundant"] else None,
    }


def _kind(request: Request, name: str, report: Health, saved: Saved) -> dict[str, Any] | None:
    """Return a page of the findings of one kind: by default of the first kind that has some."""
    asked = request.query_params.get("kind")
    if asked is not None and asked not in TITLES:
        raise CasebaseError(unknown_name("kind of finding", asked, TITLES))
    chosen = asked or next((kind for kind in TITLES if report.counts[kind]), None)
    if chosen is None:
        return None
    findings = report.of(chosen)
    part = Part.at(request.query_params.get("start"), len(findings))
    shown = findings[part.start : part.stop]
    there = records_with(saved.model, [one.record for one in shown if one.record is not None])
    return {
        "kind": chosen,
        "title": next(title for kind, title in TITLES.items() if kind == chosen),
        "meaning": next(meaning for kind, meaning in MEANINGS.items() if kind == chosen),
        "part": part.to_dict(),
        "findings": [
            one.to_dict() | {"is_there": one.record in there, "places": _places(name, one, one.record in there)}
            for one in shown
        ],
        "has_suggestion": any(one.suggested is not None for one in findings),
        "is_reviewed": chosen in REVIEWED,
    }


def _places(name: str, one: Finding, is_there: bool) -> dict[str, str]:
    """Return where something can be done about a finding: the text of each link, and its address."""
    home = f"/m/{quoted(name)}"
    places: dict[str, str] = {}
    if is_there:
        places["Open the record"] = f"{home}/record/{quoted(one.record)}"
    if one.kind in REVIEWED:
        places["Review"] = f"{home}/review"
    if one.column is not None and one.value is not None:
        places["Records with this value"] = link(f"{home}/table", where=f"{one.column}={spelling(one.value)}")
    elif one.column is not None:
        places["Its values"] = link(f"{home}/values", feature=one.column, limit=1000)
    return places


def start(request: Request, form: FormData) -> Response:
    """Start to examine the records."""
    desk = desk_of(request)
    memory_of(saved_model(desk).model)  # an error if there are no records
    file = desk.path.name

    def work(saved: Saved, job: Job) -> Health:
        kinds = restored_parameters(saved.estimator).get("kinds")
        commands = model_commands(saved.model, kinds, file)
        return examine(saved.model, n_jobs=n_cores(), progress=job, commands=commands)

    place = f"/m/{quoted(desk.name)}/{'review' if form.get('then') == 'review' else 'health'}"
    job = results_of(request).start(desk, KEY, f"Look at the health of {desk.name}", work, _command(desk))
    return follow(job, place)


def _review(request: Request, desk: Desk, report: Health) -> Review:
    """Return the review of a report: the one under way, or a new one if the records were examined anew."""
    results = results_of(request)
    result = results.last(desk, REVIEW)
    if result is None or result.found.health is not report:
        result = Result(desk.snapshot.version, desk.snapshot.sequence, Review(desk, report))
        results.keep(desk, REVIEW, result)
    found: Review = result.found
    return found


def review(request: Request) -> Page:
    """Show the next suspect record, its nearest records, and what a correction would change."""
    desk, saved, result, facts = _examined(request)
    facts |= {
        "is_examined": result is not None,
        "is_correctable": desk.snapshot.is_correctable and not desk.read_only,
        "by": request.query_params.get("by", ""),
        "suspect": None,
        "last": None,
        "n_suspects": 0,
        "n_decided": 0,
        "n_kept_before": 0,
        "counts": {},
    }
    if result is not None:
        found = _review(request, desk, result.found)
        decisions = list(found.decisions)
        facts |= {
            "n_suspects": len(found.suspects),
            "n_decided": len(decisions),
            "n_kept_before": found.n_kept_before,
            "counts": {choice: sum(one.choice == choice for one in decisions) for choice in CHOICES},
            "last": {"record": decisions[-1].record, "choice": decisions[-1].choice} if decisions else None,
        }
        suspect = found.next()
        if suspect is not None:
            facts["suspect"] = _suspect(request, desk, saved, found, suspect)
    command = f"{_command(desk)} --list mislabelled"
    return Page("review.html", f"Review of {desk.name}", facts, command, desk=desk)


def _suspect(request: Request, desk: Desk, saved: Saved, found: Review, suspect: Suspect) -> dict[str, Any]:
    ids = [suspect.record, *suspect.others[:MOST_OTHERS]]
    records = records_with(saved.model, ids)
    own = records.get(suspect.record)
    others = [records[case] for case in ids[1:] if case in records]
    values = {} if own is None else own["values"]
    return {
        "record": suspect.record,
        "label": None if own is None else str(spelling(own["class"])),
        "suggested": None if suspect.suggested is None else str(spelling(suspect.suggested)),
        "reasons": list(suspect.reasons),
        "columns": list(values),
        **values_of(own or {"values": {}}),
        "is_there": own is not None,
        "others": [
            one | {"differs": [name for name, value in one["values"].items() if value != values.get(name)]}
            for one in others
        ],
        "classes": _classes(saved, suspect),
        "n_decided": _n_decided(found.health, suspect),
        "effects": _effects(request, desk, saved, suspect) if own is not None else None,
    }


def _classes(saved: Saved, suspect: Suspect) -> list[dict[str, Any]]:
    """Return the classes that a record may get; the most frequent, and the suggested one, have a key."""
    summary = saved.model.summary()
    frequent = sorted(zip(summary.classes, summary.frequencies), key=lambda pair: (-pair[1], str(pair[0])))
    labels = [str(spelling(label)) for label, _ in frequent]
    suggested = None if suspect.suggested is None else str(spelling(suspect.suggested))
    if suggested in labels[MOST_KEYS:]:
        labels.remove(suggested)
        labels.insert(MOST_KEYS - 1, suggested)
    return [{"label": label, "key": n if n <= MOST_KEYS else None} for n, label in enumerate(labels, 1)]


def _n_decided(report: Health, suspect: Suspect) -> int:
    """Return how many answers to other records change without this one."""
    places = (report.scores.ids == suspect.record).nonzero()[0]
    return int(report.scores.n_decided[places[0]]) if len(places) else 0


def _effects(request: Request, desk: Desk, saved: Saved, suspect: Suspect) -> dict[str, Any] | None:
    """Return what changes for the others if the record gets the suggested class; None where that takes too long."""
    if suspect.suggested is None or not errors.is_quick(saved):
        return None
    held_out = errors.found_now(results_of(request), desk)
    changed = changed_answers(saved, held_out, suspect.record, suspect.suggested)
    if changed is None:
        return None
    n_righted = sum(one["after"] == one["class"] for one in changed)
    n_wronged = sum(one["before"] == one["class"] for one in changed)
    return {
        "n_changed": len(changed),
        "n_righted": n_righted,
        "n_wronged": n_wronged,
        "changed": changed[:MOST_EFFECTS],
    }


def decide(request: Request, form: FormData) -> Response:
    """Carry out a decision, and lead to the next record."""
    desk = desk_of(request)
    saved = saved_model(desk)
    by = _by(form)
    choice = next((one for one in CHOICES if one == form.get("choice")), None)
    label = form.get("label")
    if choice is None and isinstance(label, str):
        choice = "class"  # the button of a class has its name alone
    if choice is None:
        raise CasebaseError(f"Expected a choice: {', '.join(CHOICES)}; got {str(form.get('choice'))[:50]!r}.")
    found = _under_review(request, desk)
    record = record_id(memory_of(saved.model), str(form.get("record")))
    was = _class_of(saved, str(form.get("was")))
    given = _class_of(saved, label) if isinstance(label, str) else None
    if choice == "class" and given == was:
        choice = "keep"
    found.decide(desk, record, choice, label=given, was=was, by=by)
    return see(link(f"/m/{quoted(desk.name)}/review", by=by))


def _class_of(saved: Saved, text: str) -> str:
    """Return the text of the class that a form names; forms send every line break as CR and LF."""
    lines = text.splitlines()
    names = (str(spelling(label)) for label in saved.model.schema.classes)
    return next((name for name in names if name.splitlines() == lines), text)


def undo(request: Request, form: FormData) -> Response:
    """Take the last decision back, and lead to its record."""
    desk = desk_of(request)
    by = _by(form)
    _under_review(request, desk).undo(desk, by)
    return see(link(f"/m/{quoted(desk.name)}/review", by=by))


def _under_review(request: Request, desk: Desk) -> Review:
    result = results_of(request).last(desk, KEY)
    if result is None:
        raise CasebaseError("The records have not been examined yet: start the review first.")
    return _review(request, desk, result.found)


def _by(form: FormData) -> str | None:
    text = str(form.get("by") or "").strip()
    Author(text or None)  # checks it
    return text or None
