"""Export hierarchical rules as text, Markdown, JSON, SQL or Python source.

Text and Markdown begin with the default and list the exceptions to each rule below it. SQL and Python try the rules in
the order of the levels, and the first match wins.
"""

import json
from collections.abc import Callable, Iterator

from casebase.base.rule_programs import Condition, WrittenRule, case_when, python_source, support
from casebase.data.intervals import interval_names
from casebase.errors import CasebaseError, unknown_name
from casebase.render.words import format_value
from casebase.rules.evidence import asked_rule, exceptions_to
from casebase.rules.outline import Line, as_markdown, as_text
from casebase.rules.table import Rules


def exported(model: Rules, to: str) -> str:
    """Return the rules in one of `FORMATS`."""
    if to not in FORMATS:
        raise CasebaseError(unknown_name("format for rules", to, FORMATS))
    return FORMATS[to](model)


def text_of(model: Rules) -> str:
    """Return the default, with the exceptions to each rule indented below it."""
    return as_text(_outline(model))


def markdown_of(model: Rules) -> str:
    """Return nested lists: the exceptions to each rule are a list below it."""
    return as_markdown(_outline(model))


def _outline(model: Rules) -> Iterator[Line]:
    def below(number_of_rule: int, depth: int) -> Iterator[Line]:
        rule = asked_rule(model, number_of_rule)
        label = format_value(rule.label)
        head = f"{model.written(model.rules[number_of_rule])}: {label}" if rule.features else f"otherwise {label}"
        yield depth, head, f" ({support(rule.n_cases, rule.n_exceptions)})"
        for other in exceptions_to(model, number_of_rule):
            yield from below(other, depth + 1)

    return below(len(model.rules), 0)


def json_of(model: Rules) -> str:
    """Return the rules in the order in which they are tried, each with the positions of its exceptions."""
    rules = []
    for i, rule in enumerate(model.rules):
        asked = asked_rule(model, i)
        rules.append(
            {
                "level": rule.level,
                "if": [_condition(model, *test).json() for test in rule.tests],
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


def _condition(model: Rules, feature: int, code: int) -> Condition:
    bounds = _bounds(model, feature, code)
    asked = model.schema.features[feature]
    if bounds is None:
        return Condition(asked, model.compared.features[feature].value(code))
    low, high = bounds
    return Condition(asked, above=low, at_most=high, is_interval=True)


def _bounds(model: Rules, feature: int, code: int) -> tuple[float | None, float | None] | None:
    """Return the lower and upper bound of an interval; None for a value that is not an interval."""
    cuts, value = model.discretisation.cuts[feature], model.compared.features[feature].value(code)
    if cuts is None or value is None:
        return None
    at = interval_names(cuts).index(str(value))
    return (float(cuts[at - 1]) if at else None), (float(cuts[at]) if at < len(cuts) else None)


def sql_of(model: Rules) -> str:
    """Return an SQL expression for the class of a row; columns have the names of the features."""
    return case_when(*_program(model))


def python_of(model: Rules) -> str:
    """Return the source of a self-contained function that returns the class of a row."""
    return python_source(*_program(model))


def _program(model: Rules) -> tuple[list[WrittenRule], WrittenRule]:
    """Return the rules in the order in which they are tried, and the default."""
    asked = [asked_rule(model, i) for i in range(len(model.rules) + 1)]
    notes = [support(one.n_cases, one.n_exceptions) for one in asked]
    rules = [
        WrittenRule([_condition(model, *test) for test in rule.tests], one.label, f"level {rule.level}, {note}")
        for rule, one, note in zip(model.rules, asked, notes)
    ]
    return rules, WrittenRule([], asked[-1].label, notes[-1])


FORMATS: dict[str, Callable[[Rules], str]] = {
    "text": text_of,
    "markdown": markdown_of,
    "json": json_of,
    "sql": sql_of,
    "python": python_of,
}
