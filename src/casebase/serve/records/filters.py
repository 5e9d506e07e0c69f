"""Conditions on columns, as an address and the command line write them: `gender=f`, `age>=30`, `colour!=`."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from casebase.errors import CasebaseError
from casebase.serve.records.columns import Column, column_named
from casebase.serve.records.parts import Part

# The longest first: what begins with '>=' does not compare by '>'.
COMPARISONS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
SIGNS = ("!=", *COMPARISONS, "=")


@dataclass(frozen=True)
class Condition:
    """A condition on a column; a missing value equals no text, and compares with no bound."""

    column: Column
    sign: str
    text: str

    def holds(self, part: Part) -> np.ndarray:
        """Return for each row of a part whether the condition holds."""
        if self.sign == "=":
            return self.column.is_equal(part, self.text)
        if self.sign == "!=":
            return ~self.column.is_equal(part, self.text)
        return self.column.compares(part, COMPARISONS[self.sign], self.text)

    def __str__(self) -> str:
        return f"{self.column.name}{self.sign}{self.text}"


def condition(text: str, columns: Sequence[Column]) -> Condition:
    """Return the condition that a text says; the name of a column may contain signs, so the longest name counts."""
    names = sorted([*(column.name for column in columns), "class"], key=len, reverse=True)
    for name in names:
        if text.startswith(name):
            rest = text[len(name) :]
            sign = next((sign for sign in SIGNS if rest.startswith(sign)), None)
            if sign is not None:
                return Condition(column_named(columns, name), sign, rest[len(sign) :])
    places = [(text.find(sign), sign) for sign in SIGNS if text.find(sign) > 0]
    if places:
        column_named(columns, text[: min(places)[0]])  # an error: there is no such column
    raise CasebaseError(
        f"A condition is a column, a sign ({' '.join(SIGNS)}) and a value, such as age>=30; got {text[:200]!r}."
    )
