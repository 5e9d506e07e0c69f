"""Hierarchical rules to be read or run elsewhere: text, Markdown, JSON, SQL and Python source.

Text and Markdown begin with the default and put the exceptions to each rule beneath it. SQL and Python ask the rules in
the order of the levels, so the first that holds answers.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from casebase.errors import CasebaseError, unknown_name
from casebase.evidence.reading import plural, spelled
from casebase.exports import sql
from casebase.learners.discretising import interval_names
from casebase.learners.table_rules import Rules
from casebase.learners.telling_rules import asked_rule, exceptions_to


def exported(model: Rules, to: str) -> str:
    """Return the rules in one of `FORMATS`."""
    if to not in FORMATS:
        raise CasebaseError(unknown_name("format for rules", to, FORMATS))
    return FORMATS[to](model)


def text_of(model: Rules) -> str:
    """Return the default, and beneath each rule the exceptions to it."""
    return "".join(f"{'  ' * depth}{head}{support}\n" for depth, head, support in _nested(model))


def markdown_of(model: Rules) -> str:
    """Return nested lists: the exceptions to each rule beneath it."""
    return "".join(f"{'  ' * depth}- {_escaped(head)}{support}\n" for depth, head, support in _nested(model))


def _nested(model: Rules) -> Iterator[tuple[int, str, str]]:
    def below(number_of_rule: int, depth: int) -> Iterator[tuple[int, str, str]]:
        rule = asked_rule(model, number_of_rule)
        label = spelled(rule.label)
        head = f"{model.written(model.rules[number_of_rule])}: {label}" if rule.features else f"otherwise {label}"
        yield depth, head, f" ({_support(rule.n_cases, rule.n_exceptions)})"
        for other in exceptions_to(model, number_of_rule):
            yield from below(other, depth + 1)

    return below(len(model.rules), 0)


def _support(n_cases: float, n_exceptions: float) -> str:
    return plural(n_cases, "case") + (f", {plural(n_exceptions, 'exception')}" if n_exceptions else "")


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+.!|~-])", r"\\\1", text)


def json_of(model: Rules) -> str:
    """Return the rules in the order in which they are asked, each with the positions of the exceptions to it."""
    rules = []
    for i, rule in enumerate(model.rules):
        asked = asked_rule(model, i)
        rules.append(
            {
                "level": rule.level,
                "if": [_condition(model, *test) for test in rule.tests],
                "then": asked.label,
                "n_cases": asked.n_cases,
                "n_exceptions": asked.n_exceptions,
                "exceptions": exceptions_to(model, i),
            }
        )
    default = asked_rule(model, len(model.rules))
    record = {
        "target": model.schema.target,
        "n_levels": model.n_levels,
        "cost": model.cost,
        "n_unexplained": model.n_unexplained,
        "rules": rules,
        "otherwise": {
            "then": default.label,
            "n_cases": default.n_cases,
            "n_exceptions": default.n_exceptions,
            "exceptions": exceptions_to(model, len(model.rules)),
        },
    }
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def _condition(model: Rules, feature: int, code: int) -> dict[str, Any]:
    name = model.schema.names[feature]
    bounds = _bounds(model, feature, code)
    if bounds is None:
        return {"feature": name, "value": model.compared.features[feature].value(code)}
    low, high = bounds
    return {"feature": name, "above": low, "at_most": high}


def _bounds(model: Rules, feature: int, code: int) -> tuple[float | None, float | None] | None:
    """Return above which number and up to which an interval reaches; None for a value that is no interval."""
    cuts, value = model.discretisation.cuts[feature], model.compared.features[feature].value(code)
    if cuts is None or value is None:
        return None
    at = interval_names(cuts).index(str(value))
    return (float(cuts[at - 1]) if at else None), (float(cuts[at]) if at < len(cuts) else None)


def sql_of(model: Rules) -> str:
    """Return an expression for SQL that gives the class of a row; columns are named as the features."""
    lines = ["CASE"]
    for i, rule in enumerate(model.rules):
        asked = asked_rule(model, i)
        tests = " AND ".join(_sql_test(model, *test) for test in rule.tests)
        lines.append(f"  WHEN {tests} THEN {sql.literal(asked.label)} -- level {rule.level}, {_of(asked)}")
    default = asked_rule(model, len(model.rules))
    if not model.rules:
        return f"{sql.literal(default.label)} -- {_of(default)}\n"
    return "\n".join([*lines, f"  ELSE {sql.literal(default.label)} -- {_of(default)}", "END"]) + "\n"


def _of(asked: Any) -> str:
    return _support(asked.n_cases, asked.n_exceptions)


def _sql_test(model: Rules, feature: int, code: int) -> str:
    value, bounds = model.compared.features[feature].value(code), _bounds(model, feature, code)
    if bounds is None or value is None:
        return sql.equals(model.schema.features[feature], value)
    name, (low, high) = sql.column(model.schema.names[feature]), bounds
    tests = [f"{name} > {low!r}"] * (low is not None) + [f"{name} <= {high!r}"] * (high is not None)
    return " AND ".join(tests) or f"{name} IS NOT NULL"


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


def python_of(model: Rules) -> str:
    """Return the source of a function that gives the class of a row; it needs nothing else."""
    lines = []
    for i, rule in enumerate(model.rules):
        asked = asked_rule(model, i)
        tests = " and ".join(_python_test(model, *test) for test in rule.tests)
        lines.append(f"    if {tests}:  # level {rule.level}, {_of(asked)}\n        return {asked.label!r}\n")
    default = asked_rule(model, len(model.rules))
    return PYTHON_HEAD + "".join(lines) + f"    return {default.label!r}  # {_of(default)}\n"


def _python_test(model: Rules, feature: int, code: int) -> str:
    cell = f"row[{model.schema.names[feature]!r}]"
    bounds = _bounds(model, feature, code)
    if bounds is None:
        value = model.compared.features[feature].value(code)
        return f"symbol({cell}) is None" if value is None else f"symbol({cell}) == {str(value)!r}"
    low, high = bounds
    above = repr(low) if low is not None else 'float("-inf")'
    at_most = repr(high) if high is not None else 'float("inf")'
    return f"within({cell}, {above}, {at_most})"


FORMATS: dict[str, Callable[[Rules], str]] = {
    "text": text_of,
    "markdown": markdown_of,
    "json": json_of,
    "sql": sql_of,
    "python": python_of,
}
