"""The service described as OpenAPI 3.1: for all models, or for one, with its columns, values and classes."""

from collections.abc import Mapping
from typing import Any

from casebase.base.model import Model
from casebase.serve.api.bodies import ARROW, CSV, JSON_TYPE, NDJSON, TSV
from casebase.serve.desks.desk import Desk
from casebase.serve.problems import MEDIA_TYPE as PROBLEM
from casebase.serve.questions import Field, fields_of

Schema = dict[str, Any]
VERSION = "1"
MOST_EXAMPLES = 10
VALUE: Schema = {"type": ["string", "number", "boolean", "null"]}
TEXT: Schema = {"type": "string", "minLength": 1}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}


def _whole(least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def _list(items: Schema, most: int | None = None) -> Schema:
    return {"type": "array", "items": items, "minItems": 1} | ({} if most is None else {"maxItems": most})


def _object(properties: Mapping[str, Schema], required: tuple[str, ...] = (), **more: Any) -> Schema:
    found: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return found | ({"required": list(required)} if required else {}) | more


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def describe(models: list[Desk], server: str = "/", *, one: Desk | None = None) -> dict[str, Any]:
    """Return the description of the whole service, or of one model."""
    paths: dict[str, Any] = {}
    schemas: dict[str, Schema] = _common()
    if one is None:
        for kind in ("model", "tagger", "hyphenator"):
            names = [desk.name for desk in models if desk.kind == kind]
            paths |= _paths_of(kind, None, names)
        paths |= _model_paths(None, [desk.name for desk in models]) | _job_paths() | _other_paths()
        schemas |= {"Case": _case(None), "Label": {}}
        title = "casebase"
    else:
        paths |= _paths_of(one.kind, one.name, []) | _model_paths(one.name, [])
        learned = getattr(one.snapshot.saved, "model", None) if one.kind == "model" else None
        schemas |= {"Case": _case(learned), "Label": _label(learned)}
        title = f"casebase: {one.name}"
    return {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": VERSION if one is None else one.snapshot.version,
            "description": "Predictions of memory-based models, with the cases behind them. Errors are problem details "
            "(RFC 9457) with a JSON pointer to each wrong value.",
        },
        "servers": [{"url": server}],
        "security": [{"token": []}, {}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {
                "Problem": {
                    "description": "What is wrong, and what to do.",
                    "content": {PROBLEM: {"schema": _ref("Problem")}},
                }
            },
        },
    }


def _case(model: Model | None) -> Schema:
    """Return the schema of a case in a question: a column that is left out is missing."""
    if model is None:
        return {"type": "object", "additionalProperties": VALUE}
    columns = {field.name: _column(field) for field in fields_of(model)}
    others = [name for name in (*model.schema.column_names, model.schema.target) if name not in columns]
    return _object(columns | dict.fromkeys(others, VALUE))


def _column(field: Field) -> Schema:
    """Return the schema of a column; any other value than those known is one that no stored case has."""
    if field.widget == "number":
        known: Schema = {"type": ["number", "null"]}
        if field.least is not None:
            known["description"] = f"Stored cases have {field.least:g} to {field.greatest:g}."
        return known
    if field.widget == "date":
        return {"type": ["string", "null"], "description": "A date."}
    if field.widget == "typed":
        return {"type": ["string", "null"], "description": f"One of {field.n_values:,} values, or another one."}
    known = {"enum": [*field.values, None]}
    return {"anyOf": [known, {"type": "string", "description": "a value that no stored case has"}]}


def _label(model: Model | None) -> Schema:
    return {} if model is None else {"enum": [*model.schema.classes, None]}


def _common() -> dict[str, Schema]:
    pointed = _object({"pointer": TEXT, "detail": TEXT, "did_you_mean": TEXT}, ("pointer", "detail"))
    problem = {"type": {"type": "string"}, "title": TEXT, "status": COUNT, "detail": TEXT}
    version = {"version": {**TEXT, "description": "The fingerprint of the stored cases: also the ETag."}}
    return {
        "Problem": _object(problem | {"errors": _list(pointed)}, ("type", "title", "status", "detail")),
        "Prediction": _object(
            {
                "id": {"type": ["string", "integer"]},
                "label": _ref("Label"),
                "distribution": {"type": "object", "additionalProperties": {"type": "number"}},
                "set": {"type": "array", "items": _ref("Label")},
                "remark": {"type": ["string", "null"]},
            },
            ("label",),
        ),
        "Predictions": _object(
            version | {"guarantee": TEXT, "predictions": _list(_ref("Prediction"))}, ("version", "predictions")
        ),
        "StoredCase": _object(
            {
                "id": {"type": ["string", "integer"]},
                "values": {"type": "object", "additionalProperties": VALUE},
                "provenance": {"type": "object", "additionalProperties": VALUE},
                "class": {},
                "weight": {"type": "number"},
                "exemplar_weight": {"type": "number"},
            },
            ("id", "values", "class"),
        ),
        "NewCase": _object(
            {
                "id": {"type": ["string", "integer"]},
                "values": _ref("Case"),
                "provenance": {"type": "object", "additionalProperties": VALUE},
                "class": {"type": ["string", "number", "boolean"]},
            },
            ("values", "class"),
        ),
        "Outcome": _object(
            version
            | {
                "before": TEXT,
                "ids": {"type": "array", "items": {"type": ["string", "integer"]}},
                "is_repeated": FLAG,
            },
            ("version", "before", "ids", "is_repeated"),
        ),
        "Job": {
            "type": "object",
            "properties": {
                "id": TEXT,
                "kind": TEXT,
                "title": TEXT,
                "state": {"enum": ["waiting", "running", "done", "failed", "cancelled"]},
                "done": COUNT,
                "total": COUNT,
                "result": {},
                "error": {"type": ["string", "null"]},
            },
            "required": ["id", "kind", "state"],
        },
    }


def _operation(
    summary: str,
    *,
    parameters: list[Schema] | None = None,
    body: Schema | None = None,
    answer: Schema | None = None,
    status: int = 200,
    media: tuple[str, ...] = (JSON_TYPE,),
    answer_type: str = JSON_TYPE,
    body_is_needed: bool = True,
) -> Schema:
    content: Schema = {} if answer is None else {"content": {answer_type: {"schema": answer}}}
    found: Schema = {
        "summary": summary,
        "responses": {
            str(status): {"description": "The answer."} | content,
            "4XX": {"$ref": "#/components/responses/Problem"},
        },
    }
    if parameters:
        found["parameters"] = parameters
    if body is not None:
        others = {one: {"schema": {"type": "string"}} for one in media if one != JSON_TYPE}
        found["requestBody"] = {"required": body_is_needed, "content": {JSON_TYPE: {"schema": body}} | others}
    return found


def _query(name: str, schema: Schema, description: str, *, required: bool = False) -> Schema:
    return {"name": name, "in": "query", "schema": schema, "description": description} | (
        {"required": True} if required else {}
    )


def _header(name: str, description: str) -> Schema:
    return {"name": name, "in": "header", "schema": {"type": "string"}, "description": description}


IF_MATCH = _header("If-Match", "The version that the correction is made for; 412 if the model has another one now.")
KEY = _header("Idempotency-Key", "A request with the same key is done once, however often it is sent.")
BY = [_query("by", TEXT, "Who corrects, for the log."), _query("note", TEXT, "Why, for the log.")]
AUTHOR = {"by": TEXT, "note": TEXT}


def _placed(part: str, name: str | None, known: list[str], operations: Schema) -> Schema:
    """Return a path with its operations; a name in it is a parameter unless the description is of one model."""
    path = part.replace("{model}", name) if name is not None else part
    parameters = []
    if name is None and "{model}" in part:
        schema = {"type": "string", "enum": known} if known else TEXT
        parameters.append({"name": "model", "in": "path", "required": True, "schema": schema})
    if "{id}" in part:
        parameters.append({"name": "id", "in": "path", "required": True, "schema": TEXT})
    return {path: ({"parameters": parameters} if parameters else {}) | operations}


def _paths_of(kind: str, name: str | None, known: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part, operations in {"model": _classifier, "tagger": _tagger, "hyphenator": _hyphenator}[kind]().items():
        found |= _placed(part, name, known, operations)
    return found


def _asked(options: Mapping[str, Schema], *, has_ids: bool = True) -> Schema:
    shared: dict[str, Schema] = {
        "cases": _list({"anyOf": [_ref("Case"), {"type": "array", "items": VALUE}]}, 10_000),
        "columns": {"type": "object", "additionalProperties": {"type": "array", "items": VALUE}},
    }
    if has_ids:
        shared["ids"] = _list({"type": ["string", "integer"]}, 1_000)
    return _object(shared | dict(options), anyOf=[{"required": [one]} for one in shared])


def _answers(name: str) -> Schema:
    return _object({"version": TEXT, name: {"type": "array", "items": {"type": "object"}}}, ("version", name))


def _classifier() -> dict[str, Schema]:
    base = "/v1/models/{model}"
    wish = {
        "proba": FLAG,
        "set": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "class_conditional": FLAG,
        "abstain": FLAG,
    }
    limit = {"limit": _whole(1, 1_000)}
    where = {"where": {"type": "object", "additionalProperties": VALUE}}
    record = {
        "values": _ref("Case"),
        "provenance": {"type": "object"},
        "class": {"type": ["string", "number", "boolean"]},
    }
    flips = {"limit": _whole(1, 10), "to": _ref("Label"), "freeze": _list(TEXT), "budget": _whole(1, 1_000_000)}
    page = [
        _query("after", TEXT, "Where the page begins, as in the address of the next page."),
        _query("sort", TEXT, "A column to sort by; with - before it, from the end."),
        _query("limit", _whole(1, 1_000), "Cases of a page."),
        _query("where", {"type": "array", "items": TEXT}, "A condition, such as sex=male; all must hold."),
        _query("q", {"type": "string"}, "A text in a value, the class or the id."),
    ]
    stored = _object({"version": TEXT, "case": _ref("StoredCase")}, ("version", "case"))
    cases = _object(
        {
            "version": TEXT,
            "n_cases": COUNT,
            "n_matching": COUNT,
            "cases": {"type": "array", "items": _ref("StoredCase")},
            "next": {"type": ["string", "null"]},
        },
        ("version", "cases", "next"),
    )
    outcome, corrected = _ref("Outcome"), [IF_MATCH, KEY]
    anything: Schema = {"type": "object"}
    return {
        f"{base}/predict": {
            "post": _operation(
                "Predict the class of cases.",
                parameters=[_query(one, schema, "As in the body.") for one, schema in wish.items()],
                body=_asked(wish, has_ids=False),
                answer=_ref("Predictions"),
                media=(JSON_TYPE, NDJSON, CSV, TSV, ARROW),
            )
        },
        f"{base}/explain": {
            "post": _operation(
                "Show the evidence for predictions.",
                body=_asked(limit | {"leave_out": FLAG}),
                answer=_answers("evidence"),
            )
        },
        f"{base}/neighbours": {
            "post": _operation(
                "Find the nearest stored cases.",
                body=_asked(limit | where | {"k": _whole(1, 1_000)}),
                answer=_answers("answers"),
            )
        },
        f"{base}/flip": {
            "post": _operation(
                "Find the smallest change that flips a prediction.", body=_asked(flips), answer=_answers("flips")
            )
        },
        f"{base}/cases": {
            "get": _operation("Page through the stored cases.", parameters=page, answer=cases),
            "post": _operation(
                "Store new cases.",
                parameters=corrected,
                body=_object({"cases": _list(_ref("NewCase"), 10_000)} | AUTHOR, ("cases",)),
                answer=outcome,
                status=201,
            ),
        },
        f"{base}/cases/{{id}}": {
            "get": _operation("Show a stored case.", answer=stored),
            "put": _operation(
                "Replace a stored case.",
                parameters=corrected,
                body=_object(record | AUTHOR, ("values", "class")),
                answer=outcome,
            ),
            "patch": _operation(
                "Change a stored case.", parameters=corrected, body=_object(record | AUTHOR), answer=outcome
            ),
            "delete": _operation("Remove a stored case.", parameters=[*corrected, *BY], answer=outcome),
        },
        f"{base}/values": {
            "get": _operation(
                "Find values of a column.",
                parameters=[
                    _query("feature", TEXT, "The column.", required=True),
                    _query("q", {"type": "string"}, "A text that the values begin with or contain."),
                    _query("limit", _whole(1, 1_000), "Values to return."),
                ],
                answer=anything,
            )
        },
        f"{base}/weights": {
            "get": _operation(
                "Show the weights of the features.",
                parameters=[_query("measures", FLAG, "Also all measures of relevance.")],
                answer=anything,
            )
        },
        f"{base}/openapi.json": {"get": _operation("This description, for one model.", answer=anything)},
    }


def _tagger() -> dict[str, Schema]:
    base = "/v1/taggers/{model}"
    token = {"anyOf": [TEXT, _list(TEXT)]}
    text = {"sentences": _list(_list(token)), "text": TEXT}
    pairs = {"sentences": _list(_list({"type": "array", "items": TEXT, "minItems": 2}))}
    either: Schema = {"oneOf": [{"required": ["sentences"]}, {"required": ["text"]}]}
    anything: Schema = {"type": "object"}
    return {
        f"{base}/tag": {
            "post": _operation("Tag sentences.", body=_object(text | {"confidence": FLAG}, **either), answer=anything)
        },
        f"{base}/explain": {
            "post": _operation(
                "Show what decided each tag.", body=_object(text | {"limit": _whole(1, 100)}, **either), answer=anything
            )
        },
        f"{base}/learn": {
            "post": _operation(
                "Learn sentences with their tags.",
                parameters=[IF_MATCH, KEY],
                body=_object(pairs | AUTHOR, ("sentences",)),
                answer=_ref("Outcome"),
            )
        },
    }


def _hyphenator() -> dict[str, Schema]:
    base = "/v1/hyphenators/{model}"
    words = {"words": _list(TEXT)}
    anything: Schema = {"type": "object"}
    asked = words | {"text": {"type": "string"}, "hyphen": {"type": "string"}}
    either: Schema = {"oneOf": [{"required": ["words"]}, {"required": ["text"]}]}
    return {
        f"{base}/hyphenate": {"post": _operation("Hyphenate words.", body=_object(asked, **either), answer=anything)},
        f"{base}/explain": {
            "post": _operation(
                "Show the patterns behind each break.",
                body=_object(words | {"limit": _whole(1, 100)}, ("words",)),
                answer=anything,
            )
        },
        f"{base}/correct": {
            "post": _operation(
                "Teach words with their hyphens.",
                parameters=[IF_MATCH, KEY],
                body=_object(words | {"hyphen": TEXT} | AUTHOR, ("words",)),
                answer=_ref("Outcome"),
            )
        },
    }


def _model_paths(name: str | None, known: list[str]) -> dict[str, Any]:
    base = "/v1/models/{model}"
    anything: Schema = {"type": "object"}
    binary: Schema = {"type": "string"}
    upload = _operation("Upload a model file or a table.", parameters=[IF_MATCH], answer=anything, status=201)
    kinds = ("application/octet-stream", CSV)
    upload["requestBody"] = {"required": True, "content": {kind: {"schema": binary} for kind in kinds}}
    paths = {
        base: {
            "get": _operation("Show a model: its version, columns and classes.", answer=anything),
            "put": upload,
            "delete": _operation("Take a model from the server.", parameters=[IF_MATCH], status=204),
        },
        f"{base}/report": {"get": _operation("Show what a model has learned.", answer=anything)},
        f"{base}/export": {
            "get": _operation(
                "Export a tree or rules.",
                parameters=[_query("to", TEXT, "text, markdown, json, sql or python.")],
                answer=binary,
                answer_type="text/plain",
            )
        },
        f"{base}/model": {
            "get": _operation("Download the model file.", answer=binary, answer_type="application/octet-stream")
        },
    }
    found: dict[str, Any] = {}
    for part, operations in paths.items():
        found |= _placed(part, name, known, operations)
    return found


def _job_paths() -> dict[str, Any]:
    texts = _list(TEXT)
    read = {"table": TEXT, "target": TEXT, "ignore": texts, "keep": texts, "id": TEXT, "kinds": {"type": "object"}}
    asked = {
        "kind": {"enum": ["train", "autopilot", "evaluate", "compare", "health"]},
        "model": TEXT,
        "learner": TEXT,
        "settings": {"type": "object"},
        "name": TEXT,
        "methods": texts,
        "cv": _whole(2, 1_000),
        "seed": _whole(0, 2**31),
        "seconds": _whole(1, 86_400),
    }
    job = _ref("Job")
    paths = {
        "/v1/jobs": {
            "get": _operation("List the jobs.", answer={"type": "object"}),
            "post": _operation("Start a job.", body=_object(asked | read, ("kind",)), answer=job, status=202),
        },
        "/v1/jobs/{id}": {
            "get": _operation("Show a job.", answer=job),
            "delete": _operation("Stop a job.", answer=job),
        },
        "/v1/jobs/{id}/events": {
            "get": _operation(
                "Follow a job, as server-sent events.", answer={"type": "string"}, answer_type="text/event-stream"
            )
        },
    }
    paths["/v1/jobs/{id}"]["delete"]["responses"]["202"] = {"description": "It will stop."}
    found: dict[str, Any] = {}
    for part, operations in paths.items():
        found |= _placed(part, None, [], operations)
    return found


def _other_paths() -> dict[str, Any]:
    plain: Schema = {"answer": {"type": "string"}, "answer_type": "text/plain"}
    return {
        "/v1/models": {"get": _operation("List the models and tables.", answer={"type": "object"})},
        "/v1/openapi.json": {"get": _operation("This description.", answer={"type": "object"})},
        "/healthz": {"get": _operation("Whether the server lives.", **plain)},
        "/readyz": {"get": _operation("Whether the server answers.", **plain)},
        "/metrics": {"get": _operation("Counters, as Prometheus reads them.", **plain)},
    }
