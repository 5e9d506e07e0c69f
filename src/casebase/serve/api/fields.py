"""Fields of a request: parameters of an address and members of a JSON object, checked by one table each.

Every wrong field is reported, with a JSON pointer to it. A field that nobody knows is an error, because a misspelt one
would silently do nothing.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request

from casebase.errors import unknown_name
from casebase.serve.problems import Pointed, Problem

Check = Callable[[Any], Any]  # returns the value to use, or raises a WrongField that says what is expected
MOST_ERRORS = 20  # that one response reports
SHOWN = 60  # characters of a wrong value


class WrongField(Exception):
    """A field has another value than expected; the message says what is expected."""


def checked(given: Mapping[str, Any], known: Mapping[str, Check], what: str = "field") -> dict[str, Any]:
    """Return the fields that were given, each checked; a problem with a pointer to each that is wrong."""
    found: dict[str, Any] = {}
    errors: list[Pointed] = []
    for name, value in given.items():
        if name not in known:
            errors.append(Pointed(pointer(name), unknown_name(what, name, known)))
            continue
        try:
            found[name] = known[name](value)
        except WrongField as expected:
            errors.append(Pointed(pointer(name), f"Expected {expected}; got {shown(value)}."))
    refuse(errors)
    return found


def parameters(request: Request, known: Mapping[str, Check]) -> dict[str, Any]:
    """Return the parameters of an address; one that is given several times is a list."""
    if not request.scope["query_string"]:
        return {}
    query = request.query_params
    given = {name: values if len(values := query.getlist(name)) > 1 else values[0] for name in query}
    return checked(given, known, "parameter")


def refuse(errors: list[Pointed]) -> None:
    """Raise a problem if there are errors."""
    if errors:
        detail = errors[0].detail if len(errors) == 1 else f"{len(errors)} values are wrong. {errors[0].detail}"
        raise Problem(422, detail, kind="/problems/wrong-value", errors=errors[:MOST_ERRORS])


def pointer(*parts: object) -> str:
    """Return a JSON pointer (RFC 6901).

    >>> pointer("cases", 3, "a/b")
    '/cases/3/a~1b'
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def shown(value: Any) -> str:
    """Return a wrong value for a message, short."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def flag(value: Any) -> bool:
    """Check a truth value."""
    if isinstance(value, bool):
        return value
    words = {"true": True, "1": True, "": True, "false": False, "0": False}
    if not isinstance(value, str) or value.lower() not in words:
        raise WrongField("true or false")
    return words[value.lower()]


def whole(least: int, most: int) -> Check:
    """Return the check of a whole number."""

    def check(value: Any) -> int:
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise WrongField(f"a whole number from {least:,} to {most:,}")
        return value

    return check


def share(value: Any) -> float:
    """Check a number between 0 and 1."""
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not 0 < number < 1:
        raise WrongField("a number between 0 and 1, such as 0.9")
    return number


def text(value: Any) -> str:
    """Check a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise WrongField("a text")
    return value


def any_text(value: Any) -> str:
    """Check a text, which may be empty."""
    if not isinstance(value, str):
        raise WrongField("a text")
    return value


def texts(value: Any) -> list[str]:
    """Check a list of texts; one text is a list of one."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise WrongField("a list of texts")
    return listed


def choice(*known: str) -> Check:
    """Return the check of a word among some."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            raise WrongField(f"one of {', '.join(known)}")
        return value

    return check


def listed(value: Any) -> list[Any]:
    """Check a list that is not empty."""
    if not isinstance(value, list) or not value:
        raise WrongField("a list with at least one element")
    return value


def mapping(value: Any) -> dict[str, Any]:
    """Check a JSON object."""
    if not isinstance(value, dict):
        raise WrongField("an object")
    return value


def anything(value: Any) -> Any:
    """Take any value: it is checked elsewhere."""
    return value
