"""Models: what is served, what each has learned, uploads, downloads, and exports."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase import methods
from casebase.about import about_model
from casebase.base.leave_out import memory_of, stored_cases
from casebase.errors import CasebaseError, ChangedError, NotFoundError, unknown_name
from casebase.formats.source import is_model_file
from casebase.measures.relevance_table import relevance_table
from casebase.measures.relief import relief
from casebase.measures.weights import used_features
from casebase.methods import Saved
from casebase.serve.api.bodies import ARROW, CSV, JSON_TYPE, NDJSON, TSV
from casebase.serve.api.fields import any_text, flag, parameters, text, whole
from casebase.serve.api.resources import (
    admin,
    classifier_of,
    if_match,
    read,
    reply,
    resource,
    sent,
    unchanged,
    versioned,
)
from casebase.serve.desks.contents import SavedObject
from casebase.serve.desks.desk import Desk, Snapshot
from casebase.serve.pages.about import summary_of
from casebase.serve.problems import Problem
from casebase.serve.questions import fields_of
from casebase.serve.records.value_counts import known_values, matching_values
from casebase.serve.shelf import Shelf, new_upload, refuse_compressed, safe_name
from casebase.serve.web import quoted, shelf_of

MODEL = "application/octet-stream"
SUFFIXES = {
    CSV: ".csv",
    TSV: ".tsv",
    NDJSON: ".ndjson",
    JSON_TYPE: ".json",
    ARROW: ".arrow",
    "application/vnd.apache.parquet": ".parquet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "text/plain": ".txt",
    MODEL: "",
}
EXPORTED = {"json": JSON_TYPE, "sql": "application/sql; charset=utf-8", "markdown": "text/markdown; charset=utf-8"}
RELIEF_SAMPLE = 1_000  # cases that RELIEF looks at while somebody waits
PLAIN_TEXT = "text/plain; charset=utf-8"


def routes() -> list[Route]:
    base = "/v1/models/{model}"
    return [
        resource("/v1/models", "models", GET=read(models)),
        resource(base, "model", GET=read(model), PUT=admin(upload), DELETE=admin(drop)),
        resource(f"{base}/values", "values", GET=read(values)),
        resource(f"{base}/weights", "weights", GET=read(weights)),
        resource(f"{base}/report", "report", GET=read(report)),
        resource(f"{base}/export", "export", GET=read(export)),
        resource(f"{base}/model", "download", GET=read(download)),
    ]


def models(request: Request) -> Response:
    """Return the models and the tables on the shelf."""
    parameters(request, {})
    shelf = shelf_of(request)
    tables = [{"name": name, "kind": "table", "bytes": _size(path)} for name, path in list(shelf.tables.items())]
    return reply({"models": [_listed(desk) for desk in list(shelf.desks.values())], "tables": tables})


def _listed(desk: Desk) -> dict[str, Any]:
    facts = summary_of(desk)
    kept = ("version", "method", "title", "target", "size", "n_classes", "n_cases", "corrections", "is_correctable")
    return {"name": desk.name, "kind": desk.kind} | {name: facts[name] for name in kept if name in facts}


def model(request: Request) -> Response:
    """Return a model: its version, its method, and the columns and classes as requests have them."""
    parameters(request, {})
    shelf, name = shelf_of(request), request.path_params["model"]
    if name not in shelf.desks and name in shelf.tables:
        return reply({"name": name, "kind": "table", "bytes": _size(shelf.tables[name])})
    desk = shelf.desk(name)
    snapshot = desk.snapshot
    same = unchanged(request, snapshot.version)
    if same is not None:
        return same
    # Without the number of corrections, which may differ though the version is the same.
    found = {one: value for one, value in _listed(desk).items() if one != "corrections"}
    if isinstance(snapshot.saved, Saved):
        learned = snapshot.saved.model
        found |= {"columns": columns_of(learned), "classes": list(learned.schema.classes)}
    else:
        found["summary"] = dict(snapshot.saved.summary())
    return reply(found, snapshot.version)


def columns_of(learned: Any) -> list[dict[str, Any]]:
    """Return the columns that a case has, with their values if there are not too many, or their range."""
    kinds = {"number": "number", "date": "date"}
    return [
        {
            "name": field.name,
            "kind": kinds.get(field.widget, "symbol"),
            "n_values": field.n_values,
            "values": list(field.values) or None,
            "least": field.least,
            "greatest": field.greatest,
        }
        for field in fields_of(learned)
    ]


async def upload(request: Request) -> Response:
    """Keep a model file or a table under the name in the address; to replace one, If-Match names its version."""
    shelf, name = shelf_of(request), request.path_params["model"]
    parameters(request, {})
    given = request.headers.get("content-type", MODEL).partition(";")[0].strip().lower()
    if given not in SUFFIXES:
        raise Problem(415, f"Expected a model ({MODEL}) or a table ({', '.join(SUFFIXES)}); got {given!r:.80}.")
    if safe_name(name) != name:
        raise CasebaseError(f"A name has up to 60 letters a to z, digits, '.', '_' and '-'; got {name!r:.80}.")
    is_replaced = _may_replace(request, shelf, name)
    folder = shelf.writable_folder()
    path = await _on_disk(request.stream(), folder)
    try:
        return await run_in_threadpool(_kept, shelf, name, path, SUFFIXES[given], is_replaced)
    finally:
        path.unlink(missing_ok=True)


def _may_replace(request: Request, shelf: Shelf, name: str) -> bool:
    """Return whether there is a model or table with this name, which the request may replace."""
    if name not in shelf.desks and name in shelf.tables:
        return True
    if name not in shelf.desks:
        if request.headers.get("if-match") is not None:
            raise ChangedError(f"There is no model {name} to replace: leave If-Match out to add it.")
        return False
    if request.headers.get("if-match") is None:
        raise Problem(428, f"There is a model {name}. To replace it, send its version as If-Match.")
    desk = shelf.desks[name]
    wanted, version = if_match(request, desk.snapshot.version), desk.snapshot.version
    if wanted not in (None, version):
        raise ChangedError(f"{name} is at version {version} now, not at {wanted}: somebody corrected it.")
    if desk.path.parent.resolve() != shelf.writable_folder().resolve():
        raise Problem(409, f"The file of {name} is not in the folder of the server: it cannot be replaced from here.")
    return True


async def _on_disk(stream: AsyncIterator[bytes], folder: Path) -> Path:
    """Write an upload to a new file as it comes, and return its path."""
    with new_upload(folder) as file:
        async for chunk in stream:
            file.write(chunk)
    return Path(file.name)


def _kept(shelf: Shelf, name: str, path: Path, suffix: str, is_replaced: bool) -> Response:
    """Put an upload on the shelf."""
    if path.stat().st_size == 0:
        raise CasebaseError("The body is empty: expected a model file or a table.")
    is_model = is_model_file(str(path))
    if is_model:
        Desk.open(path, name=name, read_only=True).close()  # a damaged model is refused before another one goes
    elif not suffix:
        raise CasebaseError(
            "The body is not a model file. For a table, send its type: Content-Type: text/csv, for example."
        )
    if is_replaced and is_model and name in shelf.desks:
        kept = shelf.replace_model(name, path)
    else:
        refuse_compressed(path)  # before another one goes
        if is_replaced:
            _drop(shelf, name)
        kept, _ = shelf.take(path, f"{name}{'.cb' if is_model else suffix}")
    at = {"location": f"/v1/models/{quoted(kept)}"}
    status = 200 if is_replaced else 201
    if not is_model:
        return reply({"name": kept, "kind": "table", "bytes": _size(shelf.table(kept))}, status=status, headers=at)
    desk = shelf.desk(kept)
    return reply(_listed(desk), desk.snapshot.version, status=status, headers=at)


def drop(request: Request) -> Response:
    """Take a model or a table from the shelf; its file is deleted if it was uploaded or learned here."""
    parameters(request, {})
    shelf, name = shelf_of(request), request.path_params["model"]
    if name in shelf.desks:
        version = shelf.desks[name].snapshot.version
        wanted = if_match(request, version)
        if wanted not in (None, version):
            raise ChangedError(f"{name} is at version {version} now, not at {wanted}: somebody corrected it.")
    elif name not in shelf.tables:
        raise NotFoundError(unknown_name("model", name, shelf))
    _drop(shelf, name)
    return Response(status_code=204)


def _drop(shelf: Shelf, name: str) -> None:
    """Take the model with this name from the shelf, or else the table."""
    if name in shelf.desks:
        shelf.drop_model(name)
    else:
        shelf.drop_table(name)


@versioned
def values(request: Request, desk: Desk, snapshot: Snapshot) -> Response:
    """Return values of a column that begin with a text or, after these, contain it; for a field that completes."""
    asked = parameters(request, {"feature": text, "q": any_text, "limit": whole(1, 1_000)})
    if "feature" not in asked:
        raise Problem(422, "Name a column: ?feature=NAME.")
    schema = classifier_of(desk, snapshot.saved).model.schema
    known = known_values(schema, asked["feature"])
    found, n_matching = matching_values(known, asked.get("q", ""), asked.get("limit", 20))
    record = {
        "version": snapshot.version,
        "feature": asked["feature"],
        "n_values": len(known),
        "n_matching": n_matching,
        "values": found,
    }
    return reply(record, snapshot.version)


@versioned
def weights(request: Request, desk: Desk, snapshot: Snapshot) -> Response:
    """Return the weight of each feature in the model and, if asked and it stores cases, all measures of relevance."""
    asked = parameters(request, {"measures": flag})
    learned = classifier_of(desk, snapshot.saved).model
    found: dict[str, Any] = {"version": snapshot.version, "target": learned.schema.target}
    found["features"] = [dict(feature) for feature in learned.summary().features]
    if asked.get("measures"):
        cases = stored_cases(learned, memory_of(learned).in_given_order)
        sampled = None if cases.n_cases <= RELIEF_SAMPLE else RELIEF_SAMPLE
        found["measures"] = relevance_table(cases, relief(cases, used_features(cases), n_samples=sampled))
    return reply(found, snapshot.version)


@versioned
def report(request: Request, desk: Desk, snapshot: Snapshot) -> Response:
    """Return what `casebase inspect --json` prints of a model."""
    parameters(request, {})
    found: dict[str, Any] = {"version": snapshot.version}
    if isinstance(snapshot.saved, Saved):
        found |= snapshot.saved.model.summary().to_dict() | {"parameters": snapshot.saved.parameters}
        found["about"] = about_model(snapshot.saved.model)
    else:
        found |= snapshot.saved.summary()
    return reply(found, snapshot.version)


@versioned
def export(request: Request, desk: Desk, snapshot: Snapshot) -> Response:
    """Return a model in a form that people read or other programs run."""
    to = parameters(request, {"to": text}).get("to", "text")
    return sent(exported(snapshot.saved, to).encode(), EXPORTED.get(to, PLAIN_TEXT), snapshot.version)


def exported(saved: SavedObject, to: str) -> str:
    """Return the text of an export; an error says which there are."""
    if isinstance(saved, Saved):
        formats = saved.method.exports
        if not formats:
            raise CasebaseError(f"A model of {saved.method.name} has no export; trees and rules have.")
        if to not in formats:
            raise CasebaseError(unknown_name("export", to, formats))
        return formats[to](saved.model)
    write = getattr(saved, "export", None)
    if write is None:
        raise CasebaseError("A tagger has no export: download the model.")
    text_of: str = write("tex" if to == "text" else to)
    return text_of


@versioned
def download(request: Request, desk: Desk, snapshot: Snapshot) -> Response:
    """Return the model file of this version, with all its corrections."""
    parameters(request, {})
    found = _file_of(snapshot.saved)
    named = {"content-disposition": f'attachment; filename="{desk.name}.cb"'}
    return sent(found, MODEL, snapshot.version, headers=named)


def _file_of(saved: SavedObject) -> bytes:
    """Return the bytes of a model file; the file itself is deleted at once, since it may have cases that go later."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.cb"
        if isinstance(saved, Saved):
            methods.save_all(path, saved)
        else:
            saved.save(path)
        return path.read_bytes()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
