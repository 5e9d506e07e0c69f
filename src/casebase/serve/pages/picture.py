"""Picture: what a model has learned, drawn; each node, rule or set leads to its cases."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.routing import Route

from casebase.base.leave_out import memory_of, stored_cases
from casebase.base.model import Model
from casebase.base.records import records_of, values_of
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.memory.lookup import rows_with
from casebase.methods import Saved
from casebase.oblivious.export.graph import branches, class_counts
from casebase.oblivious.export.graph import condition as one_of
from casebase.oblivious.graph import ObliviousGraph
from casebase.render.words import printable
from casebase.rules.table import Rules
from casebase.serve.desks.desk import Desk
from casebase.serve.pages.ask import saved_model
from casebase.serve.pictures.drawing import N_COLOURS, colours_of, condition, graph_picture, tree_picture
from casebase.serve.pictures.listed_rules import decided_by, rows_of_rule, rule_of
from casebase.serve.pictures.outlines import Outline, outline_of, passing
from casebase.serve.pictures.sets import MOST_SETS, sets_svg
from casebase.serve.pictures.weights import distances_of, weights_of
from casebase.serve.records.stored import Part, record_id, why_no_records
from casebase.serve.web import Page, desk_of, page, quoted, shelf_of
from casebase.smile.smile import SMILE
from casebase.trees.c45rules import C45Rules

Facts = dict[str, Any]
MOST_VALUES = 12  # of a branch of a graph that are named


def routes() -> list[Route]:
    return page("/m/{name}/picture", picture)


def picture(request: Request) -> Page:
    """Show a model as a tree, a graph, rules, sets of features, or weights, whichever it is."""
    desk = desk_of(request)
    saved = saved_model(desk)
    model = saved.model
    place = f"/m/{quoted(desk.name)}/picture"
    facts: Facts = {
        "name": desk.name,
        "title": saved.method.title,
        "size": model.summary().size,
        "kind": "weights",
        "node": None,
        "cases": None,
        "why_no_cases": why_no_records(model),
        "legend": [],
    }
    fragments: dict[str, str] = {}
    records = _records_for(request, desk, model)
    facts["records_of"] = records.name
    outline = outline_of(model)
    if outline is not None:
        found, drawing = _tree(request, records, outline, place)
    elif isinstance(model, ObliviousGraph) and len(model.order):
        found, drawing = _graph(request, model, records, place)
    elif isinstance(model, Rules | C45Rules):
        found, drawing = _rules(request, model, records), ""
    elif isinstance(model, SMILE):
        found, drawing = _sets(request, model, records, place)
    else:
        found, drawing = {"weights": weights_of(model), "distances": distances_of(model)}, ""
    fragments["drawing"] = drawing
    export = " --export text" if saved.method.exports else ""
    return Page(
        "picture.html",
        f"Picture of {desk.name}",
        facts | found,
        f"casebase inspect {shlex.quote(desk.path.name)}{export}",
        fragments,
        desk,
    )


@dataclass(frozen=True, eq=False)
class Records:
    """The records that nodes lead to: those of the model, or of another model on the shelf with the same columns.

    `asked` are these records in the codes of the model that is drawn; None if it has them itself, or there are none.
    """

    name: str | None
    model: Model
    asked: Cases | None = None

    def rows(self, own: np.ndarray | None, among: Callable[[Cases], np.ndarray]) -> np.ndarray | None:
        """Return the rows in memory of the records at a node: `own`, or those `among` the records of the other."""
        if own is not None or self.asked is None:
            return own
        found: np.ndarray = memory_of(self.model).in_given_order[among(self.asked)]
        return found


def _records_for(request: Request, desk: Desk, model: Model) -> Records:
    if why_no_records(model) is None:
        return Records(desk.name, model)
    for other in shelf_of(request).desks.values():
        saved = other.snapshot.saved
        if not isinstance(saved, Saved) or why_no_records(saved.model) is not None:
            continue
        schema = saved.model.schema
        if (schema.names, schema.target) == (model.schema.names, model.schema.target):
            cases = stored_cases(saved.model, memory_of(saved.model).in_given_order)
            return Records(other.name, saved.model, model.schema.recode(cases))
    return Records(None, model)


def _tree(request: Request, records: Records, outline: Outline, place: str) -> tuple[Facts, str]:
    node = _number(request, "node", outline.n_nodes)
    path = [node]
    while path[-1]:
        path.append(outline.parent(path[-1]))
    path.reverse()
    colours = colours_of(outline.counts(0))
    children = sorted(outline.children(node), key=lambda child: (-sum(outline.counts(child).values()), child))
    part = Part.at(request.query_params.get("branch"), len(children))
    facts: Facts = {
        "kind": "tree",
        "n_nodes": outline.n_nodes,
        "legend": _legend(outline.counts(0), colours),
        "way": [{"node": one, "text": condition(*outline.branch(one)) if one else "all cases"} for one in path],
        "node": {
            "number": node,
            "test": outline.test(node),
            "answer": outline.answer(node),
            "counts": _counts(outline.counts(node)),
            "n_cases": sum(outline.counts(node).values()),
        },
        "branches": [
            {
                "node": child,
                "condition": condition(*outline.branch(child)),
                "test": outline.test(child),
                "answer": outline.answer(child),
                "n_cases": sum(outline.counts(child).values()),
            }
            for child in children[part.start : part.stop]
        ],
        "branch_part": part.to_dict(),
        "cases": _cases(request, records, records.rows(outline.rows(node), lambda cases: outline.among(cases, node))),
    }
    return facts, tree_picture(outline, node, colours, f"{place}?node=").svg()


def _graph(request: Request, model: ObliviousGraph, records: Records, place: str) -> tuple[Facts, str]:
    graph, names = model.graph, [model.schema.names[i] for i in model.order.tolist()]
    node = _number(request, "node", graph.n_nodes)
    level = int(graph.level[node])
    is_leaf = not len(graph.values(node))
    colours = colours_of(class_counts(model, 0))
    test = None if is_leaf else names[level]
    counts = class_counts(model, node)
    facts: Facts = {
        "kind": "graph",
        "n_nodes": graph.n_nodes,
        "legend": _legend(class_counts(model, 0), colours),
        "node": {
            "number": node,
            "test": test,
            "answer": model.schema.classes[graph.label[node]],
            "counts": _counts(counts),
            "n_cases": sum(counts.values()),
        },
        "branches": [
            {
                "node": target,
                "condition": one_of(printable(str(test)), values, MOST_VALUES),
                "test": None,
                "answer": model.schema.classes[graph.label[target]],
                "n_cases": sum(class_counts(model, target).values()),
            }
            for target, values in branches(model, node).items()
        ],
        "leads_here": [
            {
                "node": one,
                "condition": one_of(printable(names[graph.level[one]]), branches(model, one)[node], MOST_VALUES),
            }
            for one in range(node)
            if node in graph.targets(one)
        ],
        "cases": _cases(request, records, records.rows(None, lambda cases: passing(model, cases, node))),
    }
    return facts, graph_picture(model, colours, f"{place}?node=").svg()


def _rules(request: Request, model: Rules | C45Rules, records: Records) -> Facts:
    n_rules = len(model.rules) + 1
    part = Part.at(request.query_params.get("rule"), n_rules)
    facts: Facts = {
        "kind": "rules",
        "rules": [rule_of(model, number).to_dict() for number in range(part.start, part.stop)],
        "rule_part": part.to_dict(),
        "has_levels": isinstance(model, Rules),
    }
    if "node" in request.query_params:
        number = _number(request, "node", n_rules)
        facts["node"] = rule_of(model, number).to_dict()
        own = rows_of_rule(model, number)
        facts["cases"] = _cases(request, records, records.rows(own, lambda cases: decided_by(model, cases, number)))
    return facts


def _sets(request: Request, model: SMILE, records: Records, place: str) -> tuple[Facts, str]:
    """Return the sets of features that decide about one stored record, which is left in its memory."""
    memory = memory_of(model)
    asked = request.query_params.get("record")
    if asked is None:
        row = memory.in_given_order[:1]
    else:
        row = rows_with(memory, np.array([record_id(memory, asked)], dtype=memory.ids(memory.in_given_order[:1]).dtype))
    case = stored_cases(model, row)
    (evidence,) = model.explain(case, limit=0)
    totals = dict(zip(model.schema.classes, model.preference.frequency.tolist()))
    colours = colours_of(totals)
    record = memory.ids(row).tolist()[0]
    facts: Facts = {
        "kind": "sets",
        "record": record,
        "legend": _legend(totals, colours),
        "n_sets": len(evidence.pools),
        "sets": [
            {
                "conditions": [condition(*pair) for pair in zip(pool.features, pool.values)],
                "n_cases": pool.n_cases,
                "counts": _counts(pool.counts),
            }
            for pool in evidence.pools[:MOST_SETS]
        ],
    }
    if "node" in request.query_params and evidence.pools:
        number = _number(request, "node", len(facts["sets"]))
        facts["node"] = facts["sets"][number] | {"number": number}
        facts["cases"] = _cases(request, records, _agreeing(model, evidence.pools[number].features, case))
    return facts, sets_svg(evidence, colours, f"{place}?record={quoted(record)}&node=")


def _agreeing(model: SMILE, features: Sequence[str], case: Any) -> np.ndarray:
    """Return the rows of the stored records that agree with a case on some features, numbers by their intervals."""
    memory, names = memory_of(model), model.schema.names
    rows = memory.in_given_order
    stored = model.discretisation.columns(stored_cases(model, rows))
    own = model.discretisation.columns(case)
    agrees = np.ones(len(rows), dtype=bool)
    for feature in features:
        position = names.index(feature)
        agrees &= stored[position] == own[position][0]
    return rows[agrees]


def _cases(request: Request, records: Records, rows: np.ndarray | None) -> Facts | None:
    """Return a page of stored records; None if there are none to choose from."""
    if rows is None:
        return None
    part = Part.at(request.query_params.get("start"), len(rows))
    found = records_of(records.model, rows[part.start : part.stop]).to_dicts() if len(rows) else []
    return {
        "part": part.to_dict(),
        "columns": list(found[0]["values"]) if found else [],
        "records": [{"id": one["id"], "class": one["class"], **values_of(one)} for one in found],
    }


def _number(request: Request, name: str, n: int) -> int:
    """Return the number of a node that the address names; 0 if it names none."""
    text = request.query_params.get(name, "0")
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number < n:
        raise CasebaseError(f"{name} is a number from 0 to {n - 1}; got {text[:50]!r}.")
    return number


def _counts(counts: Mapping[Any, float]) -> list[Facts]:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    return [{"label": label, "count": n} for label, n in ordered if n > 0]


def _legend(counts: Mapping[Any, float], colours: Mapping[Any, int]) -> list[Facts]:
    """Return the classes with colours of their own, and how many share the last."""
    own = [{"label": label, "colour": colour} for label, colour in colours.items() if colour < N_COLOURS]
    n_others = len(counts) - len(own)
    return [*own, *([{"label": f"{n_others} others", "colour": N_COLOURS}] if n_others > 0 else [])]
