"""Ordered rules as SQL and Python programs: the first rule whose conditions hold gives the class."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from casebase.base import sql
from casebase.data import Feature
from casebase.render.words import plural


@dataclass(frozen=True)
class Condition:
    """A test that a feature has a value (None: it is missing), or a number in an interval (above, at_most]."""

    feature: Feature
    value: Any = None
    above: float | None = None
    at_most: float | None = None
    is_interval: bool = False

    def json(self) -> dict[str, Any]:
        if self.is_interval:
            return {"feature": self.feature.name, "above": self.above, "at_most": self.at_most}
        return {"feature": self.feature.name, "value": self.value}

    def sql(self) -> str:
        if not self.is_interval:
            return sql.equals(self.feature, self.value)
        name = sql.column(self.feature.name)
        tests = [] if self.above is None else [f"{name} > {sql.number(self.above)}"]
        tests += [] if self.at_most is None else [f"{name} <= {sql.number(self.at_most)}"]
        return " AND ".join(tests) or f"{name} IS NOT NULL"

    def python(self) -> str:
        cell = f"row[{self.feature.name!r}]"
        if not self.is_interval:
            return f"symbol({cell}) is None" if self.value is None else f"symbol({cell}) == {str(self.value)!r}"
        above = repr(self.above) if self.above is not None else 'float("-inf")'
        at_most = repr(self.at_most) if self.at_most is not None else 'float("inf")'
        return f"within({cell}, {above}, {at_most})"


@dataclass(frozen=True)
class WrittenRule:
    """If all conditions hold, then the label; the default rule has no conditions. The note becomes a comment."""

    conditions: Sequence[Condition]
    label: Any
    note: str


def support(n_cases: float, n_exceptions: float) -> str:
    """Return the number of cases that a rule covers, and of exceptions among them.

    >>> support(3, 1), support(2, 0)
    ('3 cases, 1 exception', '2 cases')
    """
    return plural(n_cases, "case") + (f", {plural(n_exceptions, 'exception')}" if n_exceptions else "")


def case_when(rules: Iterable[WrittenRule], default: WrittenRule) -> str:
    """Return an SQL expression for the class of a row; columns have the names of the features."""
    otherwise = f"{sql.literal(default.label)} -- {default.note}"
    lines = [
        f"  WHEN {' AND '.join(one.sql() for one in rule.conditions)} THEN {sql.literal(rule.label)} -- {rule.note}"
        for rule in rules
    ]
    return "\n".join(["CASE", *lines, f"  ELSE {otherwise}", "END"] if lines else [otherwise]) + "\n"


PYTHON_HEAD = '''\
def symbol(value):
    """Return a value as the rules spell it; None for a missing one."""
    if value is None or value != value:
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(float(value))
    return str(value)


def within(value, above, at_most):
    """Tell whether a number lies in an interval; a missing one does not."""
    return not (value is None or value != value) and above < float(value) <= at_most


def classify(row):
    """Return the class of a row, a mapping from the names of features to their values."""
'''


def python_source(rules: Iterable[WrittenRule], default: WrittenRule) -> str:
    """Return the source of a Python function that returns the class of a row and imports nothing."""
    tests = ((" and ".join(one.python() for one in rule.conditions), rule) for rule in rules)
    lines = [f"    if {test}:  # {rule.note}\n        return {rule.label!r}\n" for test, rule in tests]
    return PYTHON_HEAD + "".join(lines) + f"    return {default.label!r}  # {default.note}\n"
