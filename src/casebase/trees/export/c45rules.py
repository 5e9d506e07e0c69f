"""Export C4.5's rules as text, JSON, SQL or Python source."""

import json
from collections.abc import Callable
from itertools import groupby

from casebase.base.evidence import AskedRule
from casebase.base.rule_programs import Condition, WrittenRule, case_when, python_source, support
from casebase.errors import CasebaseError, unknown_name
from casebase.render.words import format_value
from casebase.trees.c45rules import C45Rules
from casebase.trees.paths import Branch

WIDTH = 40


def exported(model: C45Rules, to: str) -> str:
    """Return the rules in one of `FORMATS`."""
    if to not in FORMATS:
        raise CasebaseError(unknown_name("format for rules", to, FORMATS))
    return FORMATS[to](model)


def text_of(model: C45Rules) -> str:
    """Return the classes in the order in which their rules are tried, with the rules, and the default."""
    *rules, default = map(model.asked_rule, range(len(model.rules) + 1))
    lines = []
    for _, group in groupby(rules, key=lambda rule: rule.level):
        of_class = list(group)
        lines.append(f"{format_value(of_class[0].label)}, if")
        lines += [f"  {rule.condition(WIDTH)} ({_support(rule)})" for rule in of_class]
    return "\n".join([*lines, f"otherwise {format_value(default.label)} ({_support(default)})"]) + "\n"


def _support(rule: AskedRule) -> str:
    return support(rule.n_cases, rule.n_exceptions)


def json_of(model: C45Rules) -> str:
    """Return the rules in the order in which they are tried."""
    *rows, default = map(model.asked_rule, range(len(model.rules) + 1))
    rules = [
        {
            "if": [_condition(model, condition).json() for condition in rule.conditions],
            "then": one.label,
            "n_cases": one.n_cases,
            "n_exceptions": one.n_exceptions,
        }
        for rule, one in zip(model.rules, rows)
    ]
    otherwise = {"then": default.label, "n_cases": default.n_cases, "n_exceptions": default.n_exceptions}
    record = {"target": model.schema.target, "rules": rules, "otherwise": otherwise}
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def sql_of(model: C45Rules) -> str:
    """Return an SQL expression for the class of a row; columns have the names of the features."""
    return case_when(*_program(model))


def python_of(model: C45Rules) -> str:
    """Return the source of a self-contained function that returns the class of a row."""
    return python_source(*_program(model))


def _program(model: C45Rules) -> tuple[list[WrittenRule], WrittenRule]:
    *rows, default = map(model.asked_rule, range(len(model.rules) + 1))
    rules = [
        WrittenRule([_condition(model, condition) for condition in rule.conditions], one.label, _support(one))
        for rule, one in zip(model.rules, rows)
    ]
    return rules, WrittenRule([], default.label, _support(default))


def _condition(model: C45Rules, branch: Branch) -> Condition:
    feature = model.schema.features[branch.feature]
    if branch.threshold is None:
        return Condition(feature, branch.value)
    bound = {"above" if branch.is_above else "at_most": branch.threshold}
    return Condition(feature, is_interval=True, **bound)


FORMATS: dict[str, Callable[[C45Rules], str]] = {
    "text": text_of,
    "json": json_of,
    "sql": sql_of,
    "python": python_of,
}
