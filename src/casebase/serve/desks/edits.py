"""An edit: one correction as it was asked for, in a form that a journal can keep and repeat."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from casebase.base.log import Author, Id, now
from casebase.data.numbers import WrittenNumber
from casebase.errors import CasebaseError
from casebase.neighbours.logged_correction import NOBODY

Kind = Literal["insert", "update", "remove", "learn", "correct"]
KINDS: tuple[Kind, ...] = ("insert", "update", "remove", "learn", "correct")
Value = str | int | float | bool | None
MAX_KEY = 255  # characters of an idempotency key


@dataclass(frozen=True)
class Edit:
    """A correction: who asks for what; `ids` is None until the new cases of an insertion have some.

    `content` is what the kind of correction needs beside the ids: rows and labels, changes, sentences or words. An
    idempotency `key` comes with a hash of the `request`, which is the same if it is repeated: it leaves out the author
    and the time, and has the ids as they were given.
    """

    kind: Kind
    content: Mapping[str, Any]
    ids: tuple[Id, ...] | None
    author: Author
    when: str
    key: str | None = None
    request: str | None = None

    @classmethod
    def of(
        cls, kind: Kind, content: Mapping[str, Any], ids: Any = None, author: Author = NOBODY, key: str | None = None
    ) -> "Edit":
        """Return an edit of this moment, after checking that all of it can be written to a journal."""
        given = None if ids is None else tuple(_plain_id(case) for case in listed(ids, "ids"))
        plain = {name: _plain(part) for name, part in content.items()}
        request = None if key is None else _hash([kind, given, plain])
        return cls(kind, plain, given, author, now(), _checked(key), request)

    def with_ids(self, ids: Sequence[Id]) -> "Edit":
        return replace(self, ids=tuple(ids))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ids": None if self.ids is None else list(self.ids)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Edit":
        """Return the edit in a journal; an error unless it is one."""
        if record["kind"] not in KINDS:
            raise ValueError(f"an unknown kind of correction, {record['kind']!r}")
        ids = None if record["ids"] is None else tuple(record["ids"])
        return cls(
            record["kind"],
            record["content"],
            ids,
            Author(**record["author"]),
            record["when"],
            record["key"],
            record["request"],
        )


def _hash(asked: Any) -> str:
    text = json.dumps(asked, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def listed(values: Any, what: str) -> list[Any]:
    """Return a list of some things; an error unless there is at least one."""
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise CasebaseError(f"Expected a list of {what}; got {type(values).__name__}.")
    things = list(values)
    if not things:
        raise CasebaseError(f"There is nothing to correct: the list of {what} is empty.")
    return things


def _plain_id(case: Any) -> Id:
    value = case.item() if isinstance(case, np.generic) else case
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise CasebaseError(f"An id is a whole number or text; got {type(value).__name__}.")
    return value


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; an error if it cannot be written and read again."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, WrittenNumber):
        return value.text
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return None  # a missing value
        raise CasebaseError(f"A value is text, a finite number, true, false, or missing; got {value}.")
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {_name(name): _plain(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_plain(one) for one in value]
    raise CasebaseError(f"A value is text, a finite number, true, false, or missing; got {type(value).__name__}.")


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise CasebaseError(f"The name of a column is text; got {name!r}.")
    return name


def _checked(key: str | None) -> str | None:
    if key is not None and (not isinstance(key, str) or not 0 < len(key) <= MAX_KEY or not key.isprintable()):
        raise CasebaseError(f"An idempotency key is printable text of 1 to {MAX_KEY} characters; got {key!r:.100}.")
    return key
