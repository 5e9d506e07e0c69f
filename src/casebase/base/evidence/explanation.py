"""The base class of evidence: printing, display in notebooks, conversion to JSON and back."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Self

from casebase.data.numbers import WrittenNumber, written_texts
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

    A record (a dataclass) becomes a dictionary of its fields. If it has `values` with numbers that are not written in
    their shortest spelling, it has their texts under `written`, and None for the others; a record without `values` has
    there the texts of such fields, by name.
    """
    if type(value) in PLAIN:  # most values are
        return value
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        fields_of = {name: plain(getattr(value, name)) for name in _names(type(value))}
        record = {name: one for name, one in fields_of.items() if one or name not in _written_if_any(type(value))}
        texts = _texts(getattr(value, "values", ())) if "values" in record else written_texts(vars(value))
        return record | {"written": texts} if texts else record
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def _texts(values: Sequence[Any]) -> list[str | None] | None:
    """Return the texts of the numbers that are not written in their shortest spelling; None if there are none."""
    texts = [value.text if isinstance(value, WrittenNumber) else None for value in values]
    return texts if any(text is not None for text in texts) else None


def values_from(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the values of a record read from JSON, numbers as they were written."""
    values = record["values"]
    texts = record.get("written") or [None] * len(values)
    return tuple(value if text is None else WrittenNumber(value, text) for value, text in zip(values, texts))


def fields_from_json(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record without `values` that was read from JSON, numbers as they were written."""
    texts = record.get("written", {})
    fields_of = {name: value for name, value in record.items() if name != "written"}
    return fields_of | {name: WrittenNumber(record[name], text) for name, text in texts.items()}


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
