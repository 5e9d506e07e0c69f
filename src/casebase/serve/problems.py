"""Errors as problem details (RFC 9457): what was expected, what came, where, and what to do."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from casebase.errors import CasebaseError

MEDIA_TYPE = "application/problem+json"
HINT = re.compile(r"Did you mean '([^']*)'\?")


class Problem(Exception):
    """A request that is refused, with its HTTP status; `errors` point to the values that are wrong."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        kind: str = "about:blank",
        errors: Sequence["Pointed"] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.kind = status, detail, kind
        self.errors, self.headers = tuple(errors), dict(headers or {})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the RFC."""
        found: dict[str, Any] = {
            "type": self.kind,
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        return found | ({"errors": [error.to_dict() for error in self.errors]} if self.errors else {})

    def response(self) -> JSONResponse:
        """Return the HTTP response."""
        return JSONResponse(self.to_dict(), self.status, headers=self.headers, media_type=MEDIA_TYPE)


@dataclass(frozen=True)
class Pointed:
    """A wrong value: a JSON pointer to it, what is wrong, and what was probably meant."""

    pointer: str
    detail: str

    def to_dict(self) -> dict[str, Any]:
        hint = HINT.search(self.detail)
        return {"pointer": self.pointer, "detail": self.detail} | ({"did_you_mean": hint[1]} if hint else {})


def problem_of(error: CasebaseError, pointer: str | None = None) -> Problem:
    """Return the problem for an error of the library; its type is the name of the error's class."""
    name = type(error).__name__
    status = STATUS.get(name, 422)
    kind = "/problems/" + re.sub(r"(?<!^)(?=[A-Z])", "-", name.removesuffix("Error")).lower()
    errors = [Pointed(pointer, str(error))] if pointer is not None else []
    return Problem(status, str(error), kind=kind, errors=errors)


# By the name of the class: HTTP's word for errors that are more than a wrong value.
STATUS = {
    "NotFoundError": 404,
    "KeyReusedError": 422,
    "ChangedError": 412,
    "LockedError": 409,
    "ReadOnlyError": 403,
    "ModelFileError": 422,
}
