"""Errors: how well a model answers records that it has not seen; a cell of the confusion grid leads to its cases."""

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.base.leave_out import memory_of
from casebase.base.model import LeavesOneOut
from casebase.base.records import values_of
from casebase.base.threads import n_cores
from casebase.errors import CasebaseError, unknown_name
from casebase.evaluate import HeldOutRecords, Report, held_out_records
from casebase.methods import Saved
from casebase.serve.desks.desk import Desk
from casebase.serve.jobs import Job
from casebase.serve.pages.ask import saved_model
from casebase.serve.pages.jobs import follow
from casebase.serve.records.stored import Part, records_with, why_no_records
from casebase.serve.results import Result, Results
from casebase.serve.web import Page, action, desk_of, link, page, quoted, results_of

KEY = "errors"
AT_ONCE = 3_000  # records that are left out of a memory while somebody waits; more are a job
MOST_CLASSES = 25  # rows and columns of a grid
MOST_PAIRS = 50  # confusions of a list
N_SHADES = 9


def routes() -> list[Route]:
    return [*page("/m/{name}/errors", errors), *action("/m/{name}/errors", start, role="read")]


def errors(request: Request) -> Page:
    """Show the scores and the confusion grid, and the cases of a cell if one is chosen."""
    desk = desk_of(request)
    saved = saved_model(desk)
    why_not = why_no_records(saved.model)
    facts: dict[str, Any] = {"name": desk.name, "why_not": why_not, "report": None, "cell": None, "is_current": False}
    if why_not is None:
        results = results_of(request)
        if is_quick(saved):
            found_now(results, desk)
        result = results.last(desk, KEY)
        facts["is_current"] = results.current(desk, KEY) is not None
        if result is not None:
            found: HeldOutRecords = result.found
            facts |= _scores(found, result, saved, f"/m/{quoted(desk.name)}/errors")
            facts["cell"] = _cell(request, saved, found)
    return Page("errors.html", f"Errors of {desk.name}", facts, _command(desk), desk=desk)


def _command(desk: Desk) -> str:
    return f"casebase evaluate {shlex.quote(desk.path.name)} --errors errors.csv"


def start(request: Request, form: FormData) -> Response:
    """Start to answer the records, each by a model that has not seen it."""
    desk = desk_of(request)
    memory_of(saved_model(desk).model)  # an error if there are no records
    job = results_of(request).start(desk, KEY, f"Find the errors of {desk.name}", _work, _command(desk))
    return follow(job, f"/m/{quoted(desk.name)}/errors")


def _work(saved: Saved, job: Job) -> HeldOutRecords:
    return held_out_records(saved.model, n_jobs=n_cores(), progress=job)


def is_quick(saved: Saved) -> bool:
    """Return whether the records can be answered while somebody waits."""
    model = saved.model
    return isinstance(model, LeavesOneOut) and model.leaves_one_out and memory_of(model).n_cases <= AT_ONCE


def found_now(results: Results, desk: Desk) -> HeldOutRecords:
    """Return the answers to the records of a model, each left out; they are found now unless that was done before."""
    snapshot = desk.snapshot
    assert isinstance(snapshot.saved, Saved)
    result = results.last(desk, KEY)
    if result is None or result.version != snapshot.version:
        found = held_out_records(snapshot.saved.model, n_jobs=n_cores())
        result = Result(snapshot.version, snapshot.sequence, found)
        results.keep(desk, KEY, result)
    answered: HeldOutRecords = result.found
    return answered


def _scores(found: HeldOutRecords, result: Result, saved: Saved, place: str) -> dict[str, Any]:
    report = found.report
    notes = []
    if saved.method.keeps == "some cases":
        notes.append("The model keeps only some of the records that it learned from, the difficult ones.")
    return {
        "how": found.how,
        "version": result.version,
        "notes": notes,
        "report": {name: value for name, value in report.to_dict().items() if name != "confusion"},
        "grid": _grid(report, place),
        "confusions": _confusions(report, place),
    }


def _grid(report: Report, place: str) -> dict[str, Any]:
    """Return the confusion grid of the classes with most errors; a cell has its count, its shade and its place."""
    n_errors: Counter[int] = Counter()
    for i, row in enumerate(report.confusion):
        for j, n in enumerate(row):
            if i != j:
                n_errors[i] += n
                n_errors[j] += n
    n_classes = len(report.labels)
    worst = sorted(range(n_classes), key=lambda i: (-n_errors[i], i))[:MOST_CLASSES]
    shown = sorted(worst)
    rows = []
    for i in shown:
        total = sum(report.confusion[i])
        cells = [
            {
                "count": report.confusion[i][j],
                "shade": _shade(report.confusion[i][j], total),
                "is_right": i == j,
                "place": _place(place, report.labels[i], report.labels[j]) if report.confusion[i][j] else None,
            }
            for j in shown
        ]
        rows.append({"label": report.labels[i], "total": total, "cells": cells})
    return {"labels": [report.labels[i] for i in shown], "rows": rows, "n_left_out": n_classes - len(shown)}


def _shade(count: int, total: int) -> int:
    """Return how dark a cell is, by its share of its class: 0 for none, 1 to 9."""
    return 0 if not count else max(1, min(N_SHADES, round(N_SHADES * count / total)))


def _confusions(report: Report, place: str) -> list[dict[str, Any]]:
    """Return the most frequent confusions."""
    pairs = Counter((error.actual, error.predicted) for error in report.errors)
    return [
        {"actual": actual, "predicted": predicted, "count": n, "place": _place(place, actual, predicted)}
        for (actual, predicted), n in sorted(pairs.items(), key=lambda pair: (-pair[1], str(pair[0])))[:MOST_PAIRS]
    ]


def _place(place: str, actual: Any, predicted: Any) -> str:
    return link(place, actual=str(actual), predicted=str(predicted)) + "#cases"


def _cell(request: Request, saved: Saved, found: HeldOutRecords) -> dict[str, Any] | None:
    """Return a page of the cases of a cell: of one class, of one prediction, or of both; by default all errors."""
    parameters = request.query_params
    classes, own = found.cases.schema.classes, found.cases.known_labels
    actual, predicted = _class(classes, parameters.get("actual")), _class(classes, parameters.get("predicted"))
    if actual is None and predicted is None:
        is_shown = own != found.answers
    else:
        is_shown = np.ones(len(own), dtype=bool)
        for code, codes in ((actual, own), (predicted, found.answers)):
            if code is not None:
                is_shown &= codes == code
    rows = np.flatnonzero(is_shown)
    part = Part.at(parameters.get("start"), len(rows))
    shown = rows[part.start : part.stop]
    ids = found.cases.case_ids()[shown].tolist()
    records = records_with(saved.model, ids)
    return {
        "actual": None if actual is None else classes[actual],
        "predicted": None if predicted is None else classes[predicted],
        "part": part.to_dict(),
        "columns": list(next(iter(records.values()))["values"]) if records else [],
        "cases": [
            {
                "id": case,
                "class": classes[own[row]],
                "predicted": classes[found.answers[row]],
                **(values_of(records[case]) if case in records else {"values": None}),
            }
            for case, row in zip(ids, shown.tolist())
        ],
    }


def _class(classes: Sequence[Any], text: str | None) -> int | None:
    """Return the code of the class that a parameter names; None if there is none."""
    if text is None:
        return None
    names = [str(label) for label in classes]
    if text not in names:
        raise CasebaseError(unknown_name("class", text, names))
    return names.index(text)
