"""The body of a request: its media type, and JSON with the position of what is wrong."""

import json
import re
from typing import Any

from starlette.requests import ClientDisconnect, Request

from casebase.serve.api.fields import pointer, refuse
from casebase.serve.problems import Pointed, Problem

JSON_TYPE, NDJSON, CSV, TSV = "application/json", "application/x-ndjson", "text/csv", "text/tab-separated-values"
ARROW = "application/vnd.apache.arrow.stream"
SAME = {"application/ndjson": NDJSON, "text/json": JSON_TYPE, "*/*": JSON_TYPE, "application/*": JSON_TYPE}
STREAMS = (NDJSON, CSV, TSV, ARROW)  # media types that are read and written piece by piece
SURROGATE = re.compile(r"[\ud800-\udfff]")


def media_type(request: Request, *known: str) -> str:
    """Return the media type of a body, one of those known; a problem otherwise (415)."""
    given = request.headers.get("content-type")
    if given is None:
        return JSON_TYPE
    if given == JSON_TYPE:  # most requests
        return given
    kind = given.partition(";")[0].strip().lower()
    kind = SAME.get(kind, kind)
    if kind not in known:
        headers = {"accept-post": ", ".join(known)}
        raise Problem(415, f"Expected a body of the type {', '.join(known)}; got {kind!r:.80}.", headers=headers)
    return kind


def wanted_type(request: Request, default: str, *known: str) -> str:
    """Return the media type of the answer: the first that the request accepts; a problem if it is none (406)."""
    accept = request.headers.get("accept")
    if accept is None or accept == "*/*" or accept == default:
        return default
    # Preferences by q are read as an order, which is how clients write them.
    asked = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    if "*/*" in asked and default not in asked and not any(SAME.get(kind, kind) in known for kind in asked[:1]):
        return default
    for kind in asked:
        if SAME.get(kind, kind) in known:
            return default if kind.endswith("/*") else SAME.get(kind, kind)
    raise Problem(406, f"The answer can be {', '.join(known)}; the request accepts {accept!r:.80}.")


async def json_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request; without a body an empty one."""
    media_type(request, JSON_TYPE)
    body = await _whole_body(request)
    if not body:
        return {}
    found = decoded(body)
    if type(found) is not dict:
        raise Problem(422, f'Expected a JSON object, such as {{"cases": […]}}; got {type(found).__name__}.')
    return found


async def _whole_body(request: Request) -> bytes:
    """Return the body of a request, which mostly is one message: Starlette's stream of chunks costs more than JSON."""
    pieces = []
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(pieces)


def decoded(body: bytes) -> Any:
    """Return a JSON text as Python values; a problem says where it is wrong."""
    try:
        found = DECODE(body.decode())
    except UnicodeDecodeError as error:
        raise Problem(400, f"The body is not UTF-8 (byte {error.start}).") from None
    except json.JSONDecodeError as error:
        detail = f"The body is not JSON: {error.msg}, at line {error.lineno}, column {error.colno}."
        raise Problem(400, detail) from None
    except RecursionError:
        raise Problem(400, "The body is not usable JSON: it is nested too deeply.") from None
    except ValueError as error:
        raise Problem(400, f"The body is not usable JSON: {error!s:.100}.") from None
    if b"\\ud" in body or b"\\uD" in body:
        _refuse_surrogates(found)
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value; a missing value is null")


DECODE = json.JSONDecoder(parse_constant=_constant).decode


def _refuse_surrogates(found: Any) -> None:
    """Refuse text that no encoding can write: half of a pair of surrogates."""
    errors: list[Pointed] = []

    def walk(value: Any, at: tuple[object, ...]) -> None:
        if isinstance(value, str):
            if SURROGATE.search(value):
                errors.append(Pointed(pointer(*at), "The text has a lone surrogate, which is no character."))
        elif isinstance(value, dict):
            for name, one in value.items():
                if SURROGATE.search(name):
                    errors.append(Pointed(pointer(*at), "A name has a lone surrogate, which is no character."))
                else:
                    walk(one, (*at, name))
        elif isinstance(value, list):
            for i, one in enumerate(value):
                walk(one, (*at, i))

    walk(found, ())
    refuse(errors)
