"""What all records of evidence can do: be printed, be drawn in a notebook, become JSON and come back from it."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from casebase.errors import CasebaseError
from casebase.render.blocks import Headline, Section
from casebase.render.html import render_fragment
from casebase.render.text import render_text


class Explanation(ABC):
    """Why an answer was given: `print` shows it as text, the last line of a notebook cell as a table with bars."""

    kind: ClassVar[str]

    @abstractmethod
    def headline(self) -> Headline:
        """Return the answer, and how sure it is."""

    @abstractmethod
    def sections(self) -> tuple[Section, ...]:
        """Return what text and pages show below the headline."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the record as nested dictionaries and lists, as JSON has them."""

    @classmethod
    @abstractmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the record that `to_dict` wrote, also after a journey through JSON."""

    def __str__(self) -> str:
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_fragment(self)


def check_whole(record: Mapping[str, Any], names: list[str]) -> None:
    """Refuse a dictionary in which something is missing."""
    absent = [name for name in names if name not in record]
    if absent:
        raise CasebaseError(f"This is not a whole record of evidence: {', '.join(absent)} is not in it.")


def plain(value: Any) -> Any:
    """Return a value as JSON can have it: text, finite number, truth value, None, list or dictionary."""
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def restored_number(number: float | None) -> float:
    """Return a number as it was; JSON has none that is not finite, so these come back as NaN."""
    return math.nan if number is None else number


def restored_counts(counts: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[Any, float]:
    """Return counts under the classes as they are; JSON has text as keys."""
    return {classes.get(label, label): restored_number(count) for label, count in counts.items()}
