"""Export rules over strings as text, Markdown or JSON."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from casebase.errors import CasebaseError, unknown_name
from casebase.render.words import format_value, plural
from casebase.rules.outline import Line, as_markdown, as_text
from casebase.strings.evidence import AskedPiece, asked_piece
from casebase.strings.rules import StringRules


def exported(model: StringRules, to: str) -> str:
    """Return the rules in one of `FORMATS`."""
    if to not in FORMATS:
        raise CasebaseError(unknown_name("format for rules over strings", to, FORMATS))
    return FORMATS[to](model)


def text_of(model: StringRules) -> str:
    """Return the default, with the exceptions to each rule indented below it."""
    return as_text(_outline(model))


def markdown_of(model: StringRules) -> str:
    """Return nested lists: the exceptions to each rule are a list below it."""
    return as_markdown(_outline(model))


def _outline(model: StringRules) -> Iterator[Line]:
    def below(number: int, depth: int) -> Iterator[Line]:
        rule = asked_piece(model, number)
        label = format_value(rule.label)
        head = f"{rule.condition()}: {label}" if rule.piece else f"otherwise {label}"
        exceptions = f", {plural(rule.n_exceptions, 'exception')}" if rule.n_exceptions else ""
        yield depth, head, f" ({plural(rule.n_cases, 'string')}{exceptions})"
        for other in model.exceptions_to(number):
            yield from below(other, depth + 1)

    return below(len(model.rules), 0)


def json_of(model: StringRules) -> str:
    """Return the rules in the order in which they are tried, each with the positions of its exceptions."""
    rules = [asked_piece(model, number) for number in range(len(model.rules) + 1)]
    records = [
        {"level": rule.level, "piece": rule.piece, "letters": rule.note or "letters"} | _support(model, number, rule)
        for number, rule in enumerate(rules[:-1])
    ]
    record = {
        "target": model.target,
        "mark": model.settings.mark,
        "edges": model.settings.edges,
        "classes_of_letters": model.letters,
        "n_levels": model.n_levels,
        "cost": model.cost,
        "n_unexplained": model.n_unexplained,
        "rules": records,
        "otherwise": _support(model, len(rules) - 1, rules[-1]),
    }
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def _support(model: StringRules, number: int, rule: AskedPiece) -> dict[str, Any]:
    return {
        "then": rule.label,
        "n_strings": rule.n_cases,
        "n_exceptions": rule.n_exceptions,
        "exceptions": model.exceptions_to(number),
    }


FORMATS: dict[str, Callable[[StringRules], str]] = {"text": text_of, "markdown": markdown_of, "json": json_of}
