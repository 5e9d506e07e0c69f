"""A question as a form has it: a field per column of the training table, made from the schema."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from casebase.base.leave_out import memory_of
from casebase.base.model import Model
from casebase.data import Cases, Schema
from casebase.data.features import Feature
from casebase.data.sources import LEFT_OUT
from casebase.errors import CasebaseError, SchemaError, unknown_name
from casebase.formats.line import named_table

MOST_BUTTONS, MOST_LISTED = 6, 200
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
PLAIN_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
PLAIN_WORD = re.compile(r"[A-Za-z]([A-Za-z _-]*[A-Za-z])?|[0-9]{1,15}")
VALUE, OTHER = "v.", "o."  # the prefixes of parameters: a column may have any name

Widget = Literal["buttons", "list", "typed", "number", "date"]


@dataclass(frozen=True)
class Field:
    """How a column is asked for: its widget, the values to choose from, and the range of a number."""

    name: str
    widget: Widget
    values: tuple[str, ...] = ()
    n_values: int | None = None
    least: float | None = None
    greatest: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the field as a JSON object."""
        return {
            "name": self.name,
            "widget": self.widget,
            "values": list(self.values),
            "n_values": self.n_values,
            "least": self.least,
            "greatest": self.greatest,
        }


def fields_of(model: Model) -> list[Field]:
    """Return a field for each column that a question needs."""
    schema = model.schema
    features = {feature.name: feature for feature in schema.features}
    if schema.source is None:
        return [_field(feature.name, feature, model) for feature in schema.features if feature.kind != "ignored"]
    fields = []
    for column in schema.source:
        if column.kind in LEFT_OUT or column.name not in schema.needed_columns:
            continue
        if column.kind == "date":
            fields.append(Field(column.name, "date"))
        elif column.order:
            fields.append(_listed(column.name, column.order))
        else:
            fields.append(_field(column.name, features[column.name], model))
    return fields


def _field(name: str, feature: Feature, model: Model) -> Field:
    if feature.asks_number:
        return Field(name, "number", (), None, *_range(feature, model))
    assert feature.vocabulary is not None
    return _listed(name, feature.vocabulary.texts)


def _listed(name: str, values: Iterable[str | None]) -> Field:
    known = [value for value in values if value is not None]
    if len(known) > MOST_LISTED:
        return Field(name, "typed", (), len(known))
    return Field(
        name, "buttons" if len(known) <= MOST_BUTTONS else "list", tuple(sorted(known, key=_by_number)), len(known)
    )


def _by_number(text: str) -> tuple[float, str]:
    """Return a key that sorts numbers by their amount, and other texts behind them."""
    try:
        return float(text), text
    except ValueError:
        return math.inf, text


def _range(feature: Feature, model: Model) -> tuple[float | None, float | None]:
    """Return the least and the greatest stored number of a feature; None if the model keeps no records."""
    try:
        memory = memory_of(model)
    except CasebaseError:
        return None, None
    position = [one.name for one in model.schema.features].index(feature.name)
    if position not in memory.order.tolist():
        return None, None
    rank = memory.order.tolist().index(position)
    numbers = np.concatenate([segment.numbers(rank) for segment in memory.segments])
    numbers = numbers[np.isfinite(numbers)]
    return (float(numbers.min()), float(numbers.max())) if len(numbers) else (None, None)


def texts_in(parameters: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the texts of columns in the parameters of a form; empty ones are left out.

    Another value that was typed (`o.NAME`) comes before one that was chosen (`v.NAME`).
    """
    pairs = list(parameters)
    return {
        name.removeprefix(prefix): text.strip()
        for prefix in (VALUE, OTHER)
        for name, text in pairs
        if name.startswith(prefix) and text.strip()
    }


def question_of(parameters: Sequence[tuple[str, str]], schema: Schema) -> dict[str, str]:
    """Return the texts of the columns that some parameters of a form give; a column without one is missing.

    A number may have a decimal comma if those of the training file had; elsewhere it is an error.
    """
    for name, _ in parameters:
        column = name[len(VALUE) :]
        if name.startswith((VALUE, OTHER)) and column not in schema.needed_columns:
            raise SchemaError(unknown_name("column", column, schema.needed_columns))
    has_commas = schema.layout is not None and schema.layout.decimal == ","
    numbers = {feature.name for feature in schema.features if feature.asks_number}
    question = texts_in(parameters)
    for name in numbers & question.keys():
        text = question[name]
        if DECIMAL_COMMA.fullmatch(text):
            if not has_commas:
                raise SchemaError(f"{name} is a number with a decimal point: write {text.replace(',', '.')}.")
            question[name] = text.replace(",", ".")
    return question


def cases_of(question: Mapping[str, str], schema: Schema) -> Cases:
    """Return the coded case of a question."""
    row = plain_row(question, schema)
    return schema.encode(named_table(question, schema) if row is None else [row])


def plain_row(question: Mapping[str, str], schema: Schema) -> dict[str, str | float | None] | None:
    """Return a question as a row that is coded without a table, and so without Arrow; None if the table is needed.

    A table defines what texts mean. This handles words where the model has symbols and plain numbers where it has
    numbers, which surely mean the same.
    """
    if not schema.is_named or not question.keys() <= set(schema.needed_columns):
        return None
    if schema.layout is not None and schema.layout.decimal not in (None, "."):
        return None
    numbers = {feature.name for feature in schema.features if feature.asks_number}
    row: dict[str, str | float | None] = dict.fromkeys(schema.needed_columns)
    for name, text in question.items():
        if name in numbers and PLAIN_NUMBER.fullmatch(text):
            row[name] = float(text)
        elif name not in numbers and PLAIN_WORD.fullmatch(text):
            row[name] = text
        else:
            return None
    return row
