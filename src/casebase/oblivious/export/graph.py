"""Export an oblivious decision graph as text, JSON or SQL."""

import json
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from casebase.base import sql
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.oblivious.graph import ObliviousGraph
from casebase.render.words import format_value, list_counts, plural, printable, shorten

VALUE_WIDTH = 24


def exported(model: ObliviousGraph, to: str) -> str:
    """Return the graph in one of `FORMATS`."""
    if to not in FORMATS:
        raise CasebaseError(unknown_name("format for graphs", to, FORMATS))
    return FORMATS[to](model)


def branches(model: ObliviousGraph, node: int) -> dict[int, list[Any]]:
    """Return the targets of a node in the order of their first values, each with all values that lead to it."""
    graph = model.graph
    found: dict[int, list[Any]] = {}
    if not len(graph.values(node)):
        return found
    feature = model.schema.features[model.order[graph.level[node]]]
    for value, target in zip(graph.values(node).tolist(), graph.targets(node).tolist()):
        found.setdefault(target, []).append(feature.value(value))
    return found


def class_counts(model: ObliviousGraph, node: int) -> dict[Any, float]:
    return {model.schema.classes[code]: n for code, n in model.graph.counts(node).items()}


def text_of(model: ObliviousGraph, max_nodes: int | None = None) -> str:
    """Return the nodes level by level, each with its cases and the targets of its values.

    With `max_nodes`, a last line counts the nodes that are not shown.
    """
    if max_nodes is not None and not is_whole(max_nodes, 1):
        raise CasebaseError(f"max_nodes is the number of nodes to show, 1 or more; got {max_nodes!r}.")
    graph = model.graph
    n_tests = graph.n_nodes - graph.n_leaves
    if not n_tests:
        return f"asks nothing: {format_value(model.schema.classes[graph.label[0]])} ({_case_counts(model, 0)})\n"
    names = [printable(model.schema.names[i]) for i in model.order]
    lines = [f"asks {', '.join(names)}: {plural(graph.n_nodes, 'node')}, of which {graph.n_leaves} name a class"]
    shown = n_tests if max_nodes is None else min(n_tests, max_nodes)
    for node in range(shown):
        name = names[graph.level[node]]
        lines.append(f"node {node + 1} asks {name} ({_case_counts(model, node)})")
        for target, values in branches(model, node).items():
            listed = " or ".join(shorten(format_value(value), VALUE_WIDTH) for value in values)
            lines.append(f"  {name} = {listed}: {_target(model, target)}")
        lines.append(f"  otherwise: {format_value(model.schema.classes[graph.label[node]])}")
    if shown < n_tests:
        lines.append(f"… and {plural(n_tests - shown, 'more node')} that ask")
    return "\n".join(lines) + "\n"


def _target(model: ObliviousGraph, node: int) -> str:
    if len(model.graph.values(node)):
        return f"node {node + 1}"
    return f"{format_value(model.schema.classes[model.graph.label[node]])}"


def _case_counts(model: ObliviousGraph, node: int) -> str:
    counts = class_counts(model, node)
    return f"{plural(sum(counts.values()), 'case')}: {list_counts(counts)}"


def json_of(model: ObliviousGraph) -> str:
    """Return the nodes in a list, the root first; branches refer to nodes by their position in the list."""
    graph, schema = model.graph, model.schema
    listed = []
    for node in range(graph.n_nodes):
        counts = class_counts(model, node)
        record: dict[str, Any] = {
            "then": schema.classes[graph.label[node]],
            "n_cases": sum(counts.values()),
            "counts": [{"class": label, "n": n} for label, n in counts.items()],
        }
        if len(graph.values(node)):
            feature = schema.features[model.order[graph.level[node]]]
            record["asks"] = feature.name
            record["branches"] = [
                {"value": feature.value(value), "node": target}
                for value, target in zip(graph.values(node).tolist(), graph.targets(node).tolist())
            ]
        listed.append(record)
    record = {
        "target": schema.target,
        "missing": "is a value" if model.missing_agrees else "has no branch",
        "order": [schema.names[i] for i in model.order],
        "n_nodes": graph.n_nodes,
        "n_leaves": graph.n_leaves,
        "n_tree_nodes": model.n_tree_nodes,
        "nodes": listed,
    }
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def sql_of(model: ObliviousGraph) -> str:
    """Return an SQL expression for the class of a row; columns have the names of the features.

    Every level is a query over the one before it, which has the number of the node that the row has come to: so the
    expression is no longer than the graph. A row that ends before the last level keeps the node where it ended, as a
    number below zero.
    """
    graph, schema = model.graph, model.schema
    if not graph.n_edges:
        return sql.literal(schema.classes[graph.label[0]]) + "\n"
    at = "node"  # lengthened until no column name begins with it, so new names cannot clash
    while any(name.lower().startswith(at) for name in schema.names):
        at += "_"
    source = f"SELECT 0 AS {at}_0"
    for level, width_end in enumerate(accumulate(graph.widths)):
        tests = []
        for node in range(width_end - graph.widths[level], width_end):
            feature = schema.features[model.order[level]]
            for target, values in branches(model, node).items():
                known = [value for value in values if value is not None or model.missing_agrees]
                if known:
                    to = target if len(graph.values(target)) else -1 - target
                    tests.append(f"WHEN {at}_{level} = {node} AND {sql.is_one_of(feature, known)} THEN {to}")
            tests.append(f"WHEN {at}_{level} = {node} THEN {-1 - node}")
        listed = "\n    ".join(tests)
        source = (
            f"SELECT CASE\n    {listed}\n    ELSE {at}_{level} END AS {at}_{level + 1}\n"
            f"  FROM ({source}) AS {at}s_{level}"
        )
    last = len(graph.widths)
    answers = "\n  ".join(
        f"WHEN {at}_{last} = {-1 - node} THEN {sql.literal(schema.classes[graph.label[node]])}"
        for node in range(graph.n_nodes)
    )
    return f"(SELECT CASE\n  {answers}\n  END FROM (\n  {source}\n) AS {at}s_{last})\n"


FORMATS: dict[str, Callable[[ObliviousGraph], str]] = {
    "text": text_of,
    "json": json_of,
    "sql": sql_of,
}
