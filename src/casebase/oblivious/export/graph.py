"""Export an oblivious decision graph as text, JSON or SQL."""

import json
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from casebase.base import sql
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.oblivious import eodg
from casebase.oblivious.graph import ObliviousGraph
from casebase.render.words import format_value, list_counts, plural, printable, shorten, sign

VALUE_WIDTH = 24


def exported(model: ObliviousGraph, to: str) -> str:
    """Return the graph in one of `FORMATS`."""
    if to not in FORMATS:
        raise CasebaseError(unknown_name("format for graphs", to, FORMATS))
    return FORMATS[to](model)


def branches(model: ObliviousGraph, node: int) -> dict[int, list[Any]]:
    """Return the targets of a node in the order of their first values, each with all values that lead to it.

    The intervals of a number are texts, such as "≤ 2.5".
    """
    graph = model.graph
    found: dict[int, list[Any]] = {}
    if not len(graph.values(node)):
        return found
    level = int(graph.level[node])
    for value, target in zip(graph.values(node).tolist(), graph.targets(node).tolist()):
        found.setdefault(target, []).append(model.value(level, value))
    return found


def condition(name: str, values: Sequence[Any], at_most: int | None = None, width: int | None = None) -> str:
    """Return the condition that a feature has one of some values, or a number in one of some intervals.

    >>> condition("f", ["a", "b"]), condition("size", ["≤ 2.5", None]), condition("f", ["a", "b", "c"], at_most=1)
    ('f = a or b', 'size ≤ 2.5 or ?missing', 'f = a or 2 other values')
    """
    shown = [format_value(value) if width is None else shorten(format_value(value), width) for value in values]
    listed, n_more = shown[:at_most], len(shown[at_most:]) if at_most is not None else 0
    return f"{name} {sign(values[0])}{' or '.join(listed)}" + (f" or {n_more:,} other values" if n_more else "")


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
            lines.append(f"  {condition(name, values, width=VALUE_WIDTH)}: {_target(model, target)}")
        other = int(graph.otherwise_of[node])
        otherwise = format_value(model.schema.classes[graph.label[node]]) if other == node else _target(model, other)
        lines.append(f"  otherwise: {otherwise}")
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
            level = int(graph.level[node])
            record["asks"] = schema.names[model.order[level]]
            record["branches"] = [
                {**_test(model, level, value), "node": target}
                for value, target in zip(graph.values(node).tolist(), graph.targets(node).tolist())
            ]
            if graph.otherwise is not None:
                record["otherwise"] = int(graph.otherwise[node])
        listed.append(record)
    record = {
        "target": schema.target,
        "missing": "is a value" if model.missing_agrees else "has no branch",
        "order": [schema.names[i] for i in model.order],
        **({"cuts": cuts} if (cuts := schema.cuts) else {}),
        "n_nodes": graph.n_nodes,
        "n_leaves": graph.n_leaves,
        "n_tree_nodes": model.n_tree_nodes,
        "nodes": listed,
    }
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def _test(model: ObliviousGraph, level: int, code: int) -> dict[str, Any]:
    threshold = float(model.levels.thresholds[level])
    if np.isnan(threshold) or code == eodg.MISSING:
        return {"value": model.value(level, code)}
    return {"above" if code == eodg.ABOVE else "at_most": threshold}


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
            for target, values in branches(model, node).items():
                known = [value for value in values if value is not None or model.missing_agrees]
                if known:
                    test = _sql_test(model, level, known)
                    tests.append(f"WHEN {at}_{level} = {node} AND {test} THEN {_sql_target(model, target)}")
            other = int(graph.otherwise_of[node])
            to = -1 - node if other == node else _sql_target(model, other)
            tests.append(f"WHEN {at}_{level} = {node} THEN {to}")
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


def _sql_target(model: ObliviousGraph, node: int) -> int:
    return node if len(model.graph.values(node)) else -1 - node


def _sql_test(model: ObliviousGraph, level: int, values: list[Any]) -> str:
    feature, threshold = model.schema.features[model.order[level]], float(model.levels.thresholds[level])
    if np.isnan(threshold):
        return sql.is_one_of(feature, values)
    tests = []
    for value in values:
        if value is None:
            tests.append(sql.equals(feature, None))
        else:
            tests.append(f"{sql.column(feature.name)} {'>' if value[0] == '>' else '<='} {sql.number(threshold)}")
    return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"


FORMATS: dict[str, Callable[[ObliviousGraph], str]] = {
    "text": text_of,
    "json": json_of,
    "sql": sql_of,
}
