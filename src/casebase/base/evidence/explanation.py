"""The base class of evidence: printing, display in notebooks, conversion to JSON and back."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Self

from casebase.errors import CasebaseError
from casebase.render.blocks import Headline, Section
from casebase.render.html import render_fragment
from casebase.render.text import render_text


class Explanation(ABC):
    """The evidence for an answer: `print` shows it as text, a notebook as tables with bars."""

    kind: ClassVar[str]

    @abstractmethod
    def headline(self) -> Headline:
        """Return the answer and its support."""

    @abstractmethod
    def sections(self) -> tuple[Section, ...]:
        """Return the content below the headline."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the record as nested dictionaries and lists that JSON can represent."""

    @classmethod
    @abstractmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the record that `to_dict` converted, also after a round trip through JSON."""

    def __str__(self) -> str:
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_fragment(self)


def check_whole(record: Mapping[str, Any], names: list[str]) -> None:
    """Raise an error if a dictionary lacks one of the names."""
    absent = [name for name in names if name not in record]
    if absent:
        raise CasebaseError(f"This record of evidence is not complete: it lacks {', '.join(absent)}.")


PLAIN = frozenset({str, int, bool, type(None)})


def plain(value: Any) -> Any:
    """Return a value that JSON can represent: text, a finite number, a boolean, None, a list or a dictionary.

    A record (a dataclass) becomes a dictionary of its fields.
    """
    if type(value) in PLAIN:  # most values are
        return value
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        written = {name: plain(getattr(value, name)) for name in _names(type(value))}
        return {name: one for name, one in written.items() if one or name not in _written_if_any(type(value))}
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


@cache
def _names(record: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


@cache
def _written_if_any(record: type[Any]) -> frozenset[str]:
    """The names of the fields that a record in JSON has only where they are not empty."""
    return frozenset(field.name for field in fields(record) if field.metadata.get("if_any"))


def number_from(number: float | None) -> float:
    """Return a number read from JSON; numbers that are not finite were written as None, and become NaN."""
    return math.nan if number is None else number


def counts_from(counts: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[Any, float]:
    """Return counts by class; JSON has only text as keys, so `classes` maps the texts to the classes."""
    return {classes.get(label, label): number_from(count) for label, count in counts.items()}
