"""Compare: methods on the same folds of a model's records or of a table, and the cases on which they differ."""

import shlex
from dataclasses import dataclass, replace
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.base.model import Model
from casebase.base.records import values_of
from casebase.errors import CasebaseError, unknown_name
from casebase.method_comparison import MethodComparison, compare_methods, summary
from casebase.method_comparison.plot import scores_svg
from casebase.methods import METHODS, Saved, StoredRecords, method_named, stored_records
from casebase.serve.jobs import Job
from casebase.serve.learning import Choices, Recent, cases_of, kinds_of, learn, reading_options
from casebase.serve.pages.ask import saved_model
from casebase.serve.pages.jobs import follow
from casebase.serve.records.stored import Part, records_with, why_no_records
from casebase.serve.web import (
    Page,
    Shown,
    action,
    desk_of,
    jobs_of,
    link,
    page,
    quoted,
    results_of,
    shelf_of,
    with_problem,
)

KEY = "compare"
MOST_FOLDS = 20
MOST_SECONDS = 3600.0  # for one method
USUAL = {"cv": "5", "seed": "0", "seconds": "60"}


def routes() -> list[Route]:
    return [
        *page("/m/{name}/compare", compare),
        *action("/m/{name}/compare", start, role="read"),
        *action("/m/{name}/learn", learn_method, role="admin"),
        *page("/t/{table}/compare", compare_table),
        *action("/t/{table}/compare", start_with_table, role="read"),
    ]


@dataclass(frozen=True)
class Asked:
    """What a form asks for: methods, all if there are none, folds, a seed, and seconds for each method."""

    methods: list[str]
    cv: int
    seed: int
    seconds: float

    @classmethod
    def of(cls, given: dict[str, Any]) -> "Asked":
        """Return what the fields of a form ask for; an error if one of them is wrong."""
        for name in given["method"]:
            if name not in METHODS:
                raise CasebaseError(unknown_name("method", name, METHODS))
        return cls(
            given["method"],
            int(_number(given, "cv", 2, MOST_FOLDS)),
            int(_number(given, "seed", 0, 2**31 - 1)),
            _number(given, "seconds", 0.1, MOST_SECONDS),
        )

    def compared(self, stored: StoredRecords, job: Job) -> MethodComparison:
        """Return the comparison on some records."""
        found = compare_methods(
            stored.cases,
            methods=self.methods or None,
            cv=self.cv,
            random_state=self.seed,
            time_budget=self.seconds,
            progress=job,
        )
        return replace(found, notes=(*stored.notes, *found.notes))

    def command(self, file: str, *options: str) -> str:
        """Return the command that makes the same comparison."""
        methods = ["--methods", ",".join(self.methods)] if self.methods else []
        settings = ["--cv", str(self.cv), "--seed", str(self.seed), "--time-budget", f"{self.seconds:g}"]
        return shlex.join(["casebase", "methods", file, *options, *methods, *settings])


def _number(given: dict[str, Any], name: str, least: float, most: float) -> float:
    """Return a number of a form; an error unless it is within its limits."""
    text = given[name]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise CasebaseError(f"{name} is a number from {least:g} to {most:g}; got {text[:50]!r}.")
    return value


def _given(form: FormData | None) -> dict[str, Any]:
    """Return the fields of a form as they were filled in; those that were left empty have their usual text."""
    texts = {} if form is None else {name: text for name, text in form.items() if isinstance(text, str)}
    chosen = [] if form is None else [text for text in form.getlist("method") if isinstance(text, str)]
    return {name: texts.get(name) or usual for name, usual in USUAL.items()} | {"method": chosen}


def compare(request: Request) -> Page:
    """Show what to compare, and the last comparison on the records of a model."""
    return _of_model(request, _given(None))


def _of_model(request: Request, given: dict[str, Any]) -> Page:
    desk = desk_of(request)
    saved = saved_model(desk)
    result = results_of(request).last(desk, KEY)
    facts, fragments = _shown(request, given, None if result is None else Compared(result.found, saved.model))
    facts |= {
        "name": desk.name,
        "why_not": why_no_records(saved.model),
        "is_current": results_of(request).current(desk, KEY) is not None,
        "records": f"/m/{quoted(desk.name)}/record",
        "learn": f"/m/{quoted(desk.name)}/learn",
        "choices": {},
    }
    if result is not None:
        facts["comparison"] |= {"version": result.version}
    command = _command(given, desk.path.name)
    return Page("compare.html", f"Compare methods on {desk.name}", facts, command, fragments, desk)


def compare_table(request: Request) -> Page:
    """Show what to compare, and the last comparison on a table that nothing was learned from yet."""
    return _of_table(request, Choices.of(request.query_params.multi_items()), _given(None))


def _of_table(request: Request, choices: Choices, given: dict[str, Any]) -> Page:
    name = request.path_params["table"]
    path = shelf_of(request).table(name)
    recognised = choices.recognised(path)
    facts, fragments = _shown(request, given, _of_tables.find(choices.key(path)))
    facts |= {
        "name": name,
        "why_not": None if recognised.target is not None else "The class is not chosen yet.",
        "is_current": True,
        "records": None,
        "learn": f"/t/{quoted(name)}/learn",
        "choices": choices.fields,
    }
    command = _command(given, path.name, *reading_options(recognised, kinds_of(recognised)))
    return Page("compare.html", f"Compare methods on {name}", facts, command, fragments)


def _command(given: dict[str, Any], file: str, *options: str) -> str:
    try:
        return Asked.of(given).command(file, *options)
    except CasebaseError:
        return shlex.join(["casebase", "methods", file, *options])


@dataclass(frozen=True)
class Compared:
    """A comparison, and a model that has the records."""

    comparison: MethodComparison
    model: Model


_of_tables: Recent[Compared] = Recent(4)


def _shown(request: Request, given: dict[str, Any], compared: Compared | None) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the facts and fragments about a comparison, and about the form."""
    shelf = shelf_of(request)
    facts: dict[str, Any] = {
        "methods": [{"name": name, "title": method_named(name).title} for name in METHODS],
        "given": given,
        "most_folds": MOST_FOLDS,
        "can_learn": shelf.folder is not None and not shelf.read_only,
        "comparison": None,
        "said": [],
        "table": None,
        "differences": None,
    }
    if compared is None:
        return facts, {}
    found = compared.comparison
    grid = summary.grid(found, titles=True)
    learnable = {row.method for row in found.rows if row.role == "method" and row.accuracy is not None}
    facts |= {
        "comparison": found.to_dict(),
        "said": [summary.headline(found), summary.how(found), *summary.remarks(found)],
        "table": {
            "header": list(grid.header),
            "is_number": [not grid.is_left(i) for i in range(len(grid.header))],
            "rows": [
                {"method": row.method, "can_learn": row.method in learnable, "cells": list(cells)}
                for row, cells in zip(found.rows, grid.rows)
            ],
            "caption": grid.caption,
        },
        "differences": _differences(request, compared.model, found),
    }
    return facts, {"scores": scores_svg(found)}


def _differences(request: Request, model: Model, comparison: MethodComparison) -> dict[str, Any] | None:
    """Return a page of the cases on which the chosen methods differ: by default, on which any do."""
    held_out = comparison.held_out
    if held_out is None:
        return None
    known = [row.method for row in comparison.rows if row.method in held_out.answers]
    asked = request.query_params.getlist("between")
    for name in asked:
        if name not in known:
            raise CasebaseError(unknown_name("method", name, known))
    chosen = asked or [row.method for row in comparison.rows if row.role == "method" and row.method in known]
    places = held_out.differing(chosen)
    part = Part.at(request.query_params.get("start"), len(places))
    found = [held_out.difference(place, chosen) for place in places[part.start : part.stop].tolist()]
    records = records_with(model, [one.id for one in found])
    return {
        "known": known,
        "between": chosen,
        "part": part.to_dict(),
        "columns": list(next(iter(records.values()))["values"]) if records else [],
        "cases": [one.to_dict() | values_of(records.get(one.id, {"values": None})) for one in found],
    }


def start(request: Request, form: FormData) -> Shown:
    """Start the comparison on a model's records that a form asks for."""
    desk, given = desk_of(request), _given(form)
    stored_records(saved_model(desk).model)  # an error if there are none
    try:
        asked = Asked.of(given)
    except CasebaseError as error:
        return with_problem(_of_model(request, given), error)

    def work(saved: Saved, job: Job) -> MethodComparison:
        return asked.compared(stored_records(saved.model), job)

    title = f"Compare methods on {desk.name}"
    job = results_of(request).start(desk, KEY, title, work, asked.command(desk.path.name))
    return follow(job, f"/m/{quoted(desk.name)}/compare")


def start_with_table(request: Request, form: FormData) -> Shown:
    """Start the comparison on a table that a form asks for."""
    name, given = request.path_params["table"], _given(form)
    path = shelf_of(request).table(name)
    choices = Choices.of([(key, text) for key, text in form.multi_items() if isinstance(text, str)])
    recognised = choices.recognised(path)
    if recognised.target is None:
        raise CasebaseError("Choose the class: the column that is to be predicted.")
    try:
        asked = Asked.of(given)
    except CasebaseError as error:
        return with_problem(_of_table(request, choices, given), error)
    key = choices.key(path)

    def work(job: Job) -> None:
        cases = cases_of(path, recognised).cases
        compared = asked.compared(StoredRecords(cases, ()), job)
        _of_tables.keep(key, Compared(compared, method_named("ib1").fit(cases)))

    command = asked.command(path.name, *reading_options(recognised, kinds_of(recognised)))
    job = jobs_of(request).start(KEY, f"Compare methods on {name}", work, command)
    return follow(job, link(f"/t/{quoted(name)}/compare", **choices.fields))


def learn_method(request: Request, form: FormData) -> Response:
    """Start to learn a method from a model's records; the new model is put on the shelf."""
    desk, shelf = desk_of(request), shelf_of(request)
    name = form.get("method")
    if not isinstance(name, str) or name not in METHODS:
        raise CasebaseError(unknown_name("method", str(name), METHODS))
    saved = saved_model(desk)
    stored_records(saved.model)  # an error if there are none
    shelf.writable_folder()

    def work(job: Job) -> str:
        cases = stored_records(saved.model).cases
        learned = learn(shelf, f"{desk.name}-{name}", cases, name, job, estimator=saved.estimator)
        job.place = f"/m/{quoted(learned.name)}"
        return learned.name

    output = f"{desk.name}-{name}.cb"
    command = shlex.join(["casebase", "train", desk.path.name, "-o", output, "--learner", name])
    job = jobs_of(request).start("learn", f"Learn {name} from {desk.name}", work, command)
    return follow(job, f"/m/{quoted(desk.name)}/compare")
