"""Export a perceptron tree as text, JSON or SQL, with the amount that each value adds to a sum."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from casebase.base import sql
from casebase.errors import CasebaseError, unknown_name
from casebase.render.words import format_value, number, printable, shorten
from casebase.trees.export import decision_tree
from casebase.trees.perceptron_tree import A_NUMBER, PerceptronTree

VALUE_WIDTH = 24
N_VALUES_SHOWN = 12


def exported(model: PerceptronTree, to: str) -> str:
    """Return the tree in one of `FORMATS`."""
    if to not in FORMATS:
        raise CasebaseError(unknown_name("format for trees", to, FORMATS))
    return FORMATS[to](model)


@dataclass(frozen=True)
class Term:
    """What a feature adds to the sum of a unit: an amount for each value, or a slope for a number."""

    feature: int
    amounts: tuple[tuple[Any, int], ...] = ()
    slope: int | None = None


@dataclass(frozen=True)
class Unit:
    """The sum of one class; with two classes, a sum above zero means the first and below zero the second."""

    classes: tuple[Any, ...]
    bias: int
    terms: tuple[Term, ...]


def units(model: PerceptronTree, i: int) -> list[Unit]:
    """Return the units of a perceptron, as amounts that values add.

    With inputs of 1 and -1, a value adds twice its weight minus the weights of all values of its feature.
    """
    p, schema = model.perceptrons, model.schema
    inputs = p.inputs(i)
    labels = [schema.classes[code] for code in p.classes(i)]
    all_units = []
    for u, weights in enumerate(p.weights(i).tolist()):
        terms = []
        for feature in dict.fromkeys(of for of, _ in inputs):
            mine = [(value, weights[1 + n]) for n, (of, value) in enumerate(inputs) if of == feature]
            if mine[0][0] == A_NUMBER:
                terms.append(Term(feature, slope=mine[0][1]))
            else:
                total = sum(weight for _, weight in mine)
                amounts = tuple((schema.features[feature].value(value), 2 * w - total) for value, w in mine)
                terms.append(Term(feature, amounts))
        all_units.append(Unit(tuple(labels) if len(labels) == 2 else (labels[u],), weights[0], tuple(terms)))
    return all_units


def text_of(model: PerceptronTree, max_depth: int | None = None) -> str:
    """Return a line per node; below a leaf with a perceptron, the amounts that each value adds to its sums."""
    return decision_tree.text_of(model, max_depth, lambda node: _text_lines(model, node))


def _text_lines(model: PerceptronTree, node: int) -> list[str]:
    i = int(model.perceptron[node])
    if i < 0:
        return []
    lines = ["perceptron"]
    for unit in units(model, i):
        if len(unit.classes) == 2:
            above, below = map(format_value, unit.classes)
            lines.append(f"{above} if the sum is above 0, {below} if it is below: begins with {unit.bias}")
        else:
            lines.append(f"{format_value(unit.classes[0])} if its sum is the greatest: begins with {unit.bias}")
        lines += [f"  {_term(model, term)}" for term in unit.terms if term.slope or any(n for _, n in term.amounts)]
    return lines


def _term(model: PerceptronTree, term: Term) -> str:
    name = shorten(printable(model.schema.names[term.feature]), 40)
    if term.slope is not None:
        centre, half = model.centre[term.feature], model.half_range[term.feature]
        shifted = name if centre == 0 else f"({name} {'-' if centre > 0 else '+'} {number(abs(centre))})"
        return f"{term.slope:+d} · {shifted} / {number(half)}"
    most = sorted(term.amounts, key=lambda one: -one[1])
    shown = most if len(most) <= N_VALUES_SHOWN else most[: N_VALUES_SHOWN // 2] + most[-N_VALUES_SHOWN // 2 :]
    amounts = [f"{shorten(format_value(value), VALUE_WIDTH)} {amount:+d}" for value, amount in shown]
    if len(shown) < len(most):
        amounts.insert(N_VALUES_SHOWN // 2, "…")
    return f"{name}: {', '.join(amounts)}"


def json_of(model: PerceptronTree) -> str:
    """Return the nodes in a list, the root first; a leaf may have a perceptron, with its units and their terms."""
    return decision_tree.json_of(model, lambda node: _record(model, node))


def _record(model: PerceptronTree, node: int) -> dict[str, Any]:
    i = int(model.perceptron[node])
    if i < 0:
        return {}
    unit_records = []
    for unit in units(model, i):
        terms = [
            {
                "feature": model.schema.names[term.feature],
                "slope": term.slope,
                "centre": float(model.centre[term.feature]),
                "half_range": float(model.half_range[term.feature]),
            }
            if term.slope is not None
            else {
                "feature": model.schema.names[term.feature],
                "adds": [{"value": value, "amount": amount} for value, amount in term.amounts],
            }
            for term in unit.terms
        ]
        speaks = {"above": unit.classes[0], "below": unit.classes[1]} if len(unit.classes) == 2 else {}
        unit_records.append((speaks or {"class": unit.classes[0]}) | {"bias": unit.bias, "terms": terms})
    return {"perceptron": {"precision": int(model.perceptrons.precision[i]), "units": unit_records}}


def sql_of(model: PerceptronTree) -> str:
    """Return an SQL expression for the class of a row; columns have the names of the features."""
    mark = "sum"  # lengthened until no column name begins with it, so new names cannot clash
    while any(name.lower().startswith(mark) for name in model.schema.names):
        mark += "_"
    return decision_tree.sql_of(model, lambda node: _sql_lines(model, node, mark))


def _sql_lines(model: PerceptronTree, node: int, mark: str) -> list[str]:
    """Return the perceptron of a leaf as SQL; between equal sums the class wins that the model prefers."""
    i = int(model.perceptron[node])
    if i < 0:
        return []
    sums = [_sql_sum(model, unit) for unit in units(model, i)]
    codes = model.perceptrons.classes(i).tolist()
    place = model.place
    if len(codes) == 2:
        first, second = (sql.literal(model.schema.classes[code]) for code in codes)
        sign = ">=" if place[codes[0]] < place[codes[1]] else ">"
        return ["CASE WHEN", *_indent(sums[0]), f"  {sign} 0 THEN {first} ELSE {second} END"]
    order = sorted(range(len(codes)), key=lambda u: int(place[codes[u]]))
    answers = [
        f"WHEN {' AND '.join(f'{mark}_{u} >= {mark}_{other}' for other in order[at + 1 :])} "
        f"THEN {sql.literal(model.schema.classes[codes[u]])}"
        for at, u in enumerate(order[:-1])
    ]
    lines = ["(SELECT CASE", *(f"  {answer}" for answer in answers)]
    lines += [f"  ELSE {sql.literal(model.schema.classes[codes[order[-1]]])} END FROM (SELECT"]
    for u in order:
        end = "," if u != order[-1] else ""
        lines += [*_indent(sums[u]), f"    AS {mark}_{u}{end}"]
    return [*lines, f") AS {mark}s)"]


def _indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _sql_sum(model: PerceptronTree, unit: Unit) -> list[str]:
    lines = [str(unit.bias)]
    for term in unit.terms:
        feature = model.schema.features[term.feature]
        if term.slope is not None:
            centre, half = float(model.centre[term.feature]), float(model.half_range[term.feature])
            lines.append(f"+ {term.slope} * COALESCE(({sql.column(feature.name)} - {centre!r}) / {half!r}, 0)")
        else:
            tests = " ".join(f"WHEN {sql.equals(feature, value)} THEN {amount}" for value, amount in term.amounts)
            lines.append(f"+ CASE {tests} ELSE 0 END")
    return lines


FORMATS: dict[str, Callable[[PerceptronTree], str]] = {
    "text": text_of,
    "json": json_of,
    "sql": sql_of,
}
