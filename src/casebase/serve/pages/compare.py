"""Compare: methods on the same folds of a model's records, and the cases on which they differ."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase import methods
from casebase.base.records import values_of
from casebase.base.threads import n_cores
from casebase.confidence import calibrate
from casebase.confidence.calibration import is_calibrated_when_trained
from casebase.errors import CasebaseError, unknown_name
from casebase.method_comparison import MethodComparison, compare_methods, summary
from casebase.method_comparison.plot import scores_svg
from casebase.methods import METHODS, Saved, method_named
from casebase.serve.jobs import Job
from casebase.serve.pages.ask import saved_model
from casebase.serve.pages.jobs import follow
from casebase.serve.records.stored import Part, records_with, stored_records, why_no_records
from casebase.serve.results import Result
from casebase.serve.shelf import Shelf
from casebase.serve.web import Page, action, desk_of, jobs_of, page, quoted, results_of, shelf_of

KEY = "compare"
MOST_FOLDS = 20
MOST_SECONDS = 3600.0  # for one method
USUAL_SECONDS = 60.0


def routes() -> list[Route]:
    return [
        *page("/m/{name}/compare", compare),
        *action("/m/{name}/compare", start, role="read"),
        *action("/m/{name}/learn", learn, role="admin"),
    ]


def compare(request: Request) -> Page:
    """Show what to compare, and the last comparison."""
    desk = desk_of(request)
    saved = saved_model(desk)
    result = results_of(request).last(desk, KEY)
    shelf = shelf_of(request)
    facts: dict[str, Any] = {
        "name": desk.name,
        "why_not": why_no_records(saved.model),
        "methods": [{"name": name, "title": method_named(name).title} for name in METHODS],
        "most_folds": MOST_FOLDS,
        "seconds": USUAL_SECONDS,
        "can_learn": shelf.folder is not None and not shelf.read_only,
        "comparison": None,
        "is_current": results_of(request).current(desk, KEY) is not None,
        "said": [],
        "table": None,
        "differences": None,
    }
    fragments: dict[str, str] = {}
    if result is not None:
        comparison: MethodComparison = result.found
        facts |= _shown(comparison, result)
        facts["differences"] = _differences(request, saved, comparison)
        fragments["scores"] = scores_svg(comparison)
    target = shlex.quote(saved.model.schema.target)
    command = f"casebase cases {desk.path.name} -o records.csv && casebase methods records.csv --target {target}"
    return Page("compare.html", f"Compare methods on {desk.name}", facts, command, fragments, desk)


def _shown(comparison: MethodComparison, result: Result) -> dict[str, Any]:
    """Return a comparison in sentences and a table; a row that is a method can be learned."""
    grid = summary.grid(comparison, titles=True)
    learnable = {row.method for row in comparison.rows if row.role == "method" and row.accuracy is not None}
    return {
        "comparison": comparison.to_dict() | {"version": result.version},
        "said": [summary.headline(comparison), summary.how(comparison), *summary.remarks(comparison)],
        "table": {
            "header": list(grid.header),
            "is_number": [not grid.is_left(i) for i in range(len(grid.header))],
            "rows": [
                {"method": row.method, "can_learn": row.method in learnable, "cells": list(cells)}
                for row, cells in zip(comparison.rows, grid.rows)
            ],
            "caption": grid.caption,
        },
    }


def _differences(request: Request, saved: Saved, comparison: MethodComparison) -> dict[str, Any] | None:
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
    records = records_with(saved.model, [one.id for one in found])
    return {
        "known": known,
        "between": chosen,
        "part": part.to_dict(),
        "columns": list(next(iter(records.values()))["values"]) if records else [],
        "cases": [one.to_dict() | values_of(records.get(one.id, {"values": None})) for one in found],
    }


def start(request: Request, form: FormData) -> Response:
    """Start the comparison that a form asks for."""
    desk = desk_of(request)
    chosen = [text for text in form.getlist("method") if isinstance(text, str)]
    cv = int(_number(form, "cv", 5, 2, MOST_FOLDS))
    seed = int(_number(form, "seed", 0, 0, 2**31 - 1))
    seconds = _number(form, "seconds", USUAL_SECONDS, 0.1, MOST_SECONDS)
    for name in chosen:
        if name not in METHODS:
            raise CasebaseError(unknown_name("method", name, METHODS))
    stored_records(saved_model(desk).model)  # an error if there are none

    def work(saved: Saved, job: Job) -> MethodComparison:
        stored = stored_records(saved.model)
        compared = compare_methods(
            stored.cases,
            methods=chosen or None,
            cv=cv,
            random_state=seed,
            time_budget=seconds,
            progress=job,
        )
        return replace(compared, notes=(*stored.notes, *compared.notes))

    job = results_of(request).start(desk, KEY, f"Compare methods on {desk.name}", work)
    return follow(job, f"/m/{quoted(desk.name)}/compare")


def learn(request: Request, form: FormData) -> Response:
    """Start to learn a method from a model's records; the new model is put on the shelf."""
    desk, shelf = desk_of(request), shelf_of(request)
    name = form.get("method")
    if not isinstance(name, str) or name not in METHODS:
        raise CasebaseError(unknown_name("method", str(name), METHODS))
    saved = saved_model(desk)
    stored_records(saved.model)
    path = shelf.new_model_path(f"{desk.name}-{name}")
    job = jobs_of(request).start(
        "learn", f"Learn {name} from {desk.name}", lambda job: _learned(shelf, saved, name, path, job)
    )
    return follow(job, f"/m/{quoted(path.stem)}")


def _learned(shelf: Shelf, saved: Saved, name: str, path: Path, job: Job) -> str:
    cases, n_jobs = stored_records(saved.model).cases, n_cores()
    model = method_named(name).fit(cases, n_jobs=n_jobs, progress=job)
    calibration = calibrate(model, cases, n_jobs=n_jobs) if is_calibrated_when_trained(model) else None
    methods.save(path, model, saved.estimator, calibration=calibration)
    added = shelf.add_file(path)
    job.place = f"/m/{quoted(added)}"
    return added


def _number(form: FormData, name: str, usual: float, least: float, most: float) -> float:
    """Return a number of a form; an error unless it is within its limits."""
    text = form.get(name)
    if text is None or text == "":
        return usual
    try:
        value = float(str(text))
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise CasebaseError(f"{name} is a number from {least:g} to {most:g}; got {str(text)[:50]!r}.")
    return value
