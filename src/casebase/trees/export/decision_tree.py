"""Export a decision tree as text, JSON or SQL.

SQL is a nested CASE expression. Where the tree sends a missing value down every branch, a single branch cannot answer:
such a row gets the class with the greatest sum over all leaves, each weighted by the shares on its path.
"""

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Protocol

from casebase.base import sql
from casebase.base.answers import Preference
from casebase.data import Schema
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.render.words import format_value, list_counts, pairs, plural, shorten
from casebase.trees.nodes import TreeNodes
from casebase.trees.paths import branch_to

VALUE_WIDTH = 40
N_EMPTY_SHOWN = 6  # values without a branch
MAX_INDENT = 20
MAX_NESTED = 900  # SQLite's limit is 1,000 nested expressions
MAX_LISTED = 1_000_000
MAX_CLASSES = 500  # SQL compares each with all others
# A leaf's lines instead of its class, for trees with something else at the leaves; an empty list keeps the class.
LeafLines = Callable[[int], list[str]]
NodeRecord = Callable[[int], dict[str, Any]]


class DecisionTree(Protocol):
    """What ID3 and C4.5 have in common; with `spreads` an unknown value takes every branch."""

    @property
    def schema(self) -> Schema: ...
    @property
    def nodes(self) -> TreeNodes: ...
    @property
    def preference(self) -> Preference: ...
    @property
    def spreads(self) -> bool: ...


def exported(model: DecisionTree, to: str) -> str:
    """Return the tree in one of `FORMATS`."""
    if to not in FORMATS:
        raise CasebaseError(unknown_name("format for trees", to, FORMATS))
    return FORMATS[to](model)


def text_of(model: DecisionTree, max_depth: int | None = None, at_leaf: LeafLines | None = None) -> str:
    """Return a line per node, indented under its test: its branch, its class if it is a leaf, and the class counts.

    Below `max_depth` tests, a line counts the nodes left out. `at_leaf` may give other text for the class of a leaf,
    and further lines below it.
    """
    if max_depth is not None and not is_whole(max_depth, 0):
        raise CasebaseError(f"max_depth is the number of levels of tests to show, 0 or more; got {max_depth!r}.")
    return "\n".join(_lines(model, max_depth, at_leaf)) + "\n"


def _lines(model: DecisionTree, max_depth: int | None, at_leaf: LeafLines | None) -> Iterator[str]:
    nodes, schema = model.nodes, model.schema
    sizes = _sizes(nodes) if max_depth is not None else None
    pending: list[tuple[int, str]] = [(0, "any case")]
    while pending:
        node, lead = pending.pop()
        if node < 0:  # branches that no training case took
            yield lead
            continue
        depth = int(nodes.level[node])
        indent = _indent(depth - 1)
        is_leaf = nodes.feature[node] < 0
        text = (at_leaf(node) if is_leaf and at_leaf else []) or [_label(schema, nodes.label[node])]
        yield f"{indent}{lead}{f' → {text[0]}' if is_leaf else ''} ({_case_counts(model, node)})"
        deeper = _indent(depth)
        if is_leaf:
            yield from (f"{deeper}{line}" for line in text[1:])
            continue
        if sizes is not None and max_depth is not None and depth >= max_depth:
            yield f"{deeper}… {plural(sizes[node] - 1, 'node')}"
            continue
        below = [(child, _test(model, child)) for child in nodes.children(node)]
        empty = list(islice(empty_values(model, node), N_EMPTY_SHOWN + 1))
        if empty:
            listed = _empty_branches(model, node, empty)
            name = pairs([schema.names[nodes.feature[node]]], [""], VALUE_WIDTH)[0].removesuffix('""')
            below.append((-1, f"{deeper}{name}{listed} → {_label(schema, nodes.label[node])} (no case)"))
        pending += below[::-1]


def _indent(depth: int) -> str:
    """Return the indentation of a node; beyond MAX_INDENT levels it stops growing and shows the depth as a number."""
    return "|   " * depth if depth <= MAX_INDENT else "|   " * MAX_INDENT + f"[{depth}] "


def _empty_branches(model: DecisionTree, node: int, some: list[Any]) -> str:
    """Return the values without a branch: the first few, and how many there are in all."""
    nodes = model.nodes
    n_empty = int(nodes.n_values[nodes.feature[node]]) - len(nodes.children(node))
    if n_empty <= N_EMPTY_SHOWN:
        return shorten(", ".join(map(format_value, some)), VALUE_WIDTH)
    return f"{shorten(', '.join(map(format_value, some[:2])), VALUE_WIDTH)} or one of {n_empty - 2:,} more"


def _sizes(nodes: TreeNodes) -> list[int]:
    """Return the number of nodes of each subtree, its root included."""
    sizes = [1] * nodes.n_nodes
    for node in range(nodes.n_nodes - 1, 0, -1):
        sizes[int(nodes.parent[node])] += sizes[node]
    return sizes


def _label(schema: Schema, code: int) -> str:
    return format_value(schema.classes[code])


def _test(model: DecisionTree, node: int) -> str:
    branch = branch_to(model.nodes, model.schema, node)
    return pairs([model.schema.names[branch.feature]], [branch.shown], VALUE_WIDTH)[0]


def _case_counts(model: DecisionTree, node: int) -> str:
    counts = {model.schema.classes[code]: n for code, n in model.nodes.counts(node).items()}
    cases = plural(float(model.nodes.n_cases[node]), "case")
    return cases if len(counts) == 1 else f"{cases}: {list_counts(counts)}"


def empty_values(model: DecisionTree, node: int) -> Iterator[Any]:
    """Yield the values of a test's feature that no training case had there; none for numbers."""
    nodes, feature = model.nodes, model.schema.features[model.nodes.feature[node]]
    vocabulary = feature.vocabulary
    if vocabulary is None:
        return
    taken = {int(nodes.value[child]) for child in nodes.children(node)}
    if model.spreads and vocabulary.missing is not None:
        taken.add(vocabulary.missing)
    yield from (vocabulary.value(code) for code in range(len(vocabulary)) if code not in taken)


def json_of(model: DecisionTree, at_node: NodeRecord | None = None) -> str:
    """Return the nodes in a list, the root first; branches refer to nodes by their position in the list.

    `at_node` may add to the record of a node.
    """
    nodes, schema = model.nodes, model.schema
    records = []
    for node in range(nodes.n_nodes):
        record: dict[str, Any] = {
            "then": schema.classes[nodes.label[node]],
            "n_cases": float(nodes.n_cases[node]),
            "counts": [{"class": schema.classes[code], "n": n} for code, n in nodes.counts(node).items()],
        }
        if nodes.feature[node] >= 0:
            record["asks"] = schema.names[nodes.feature[node]]
            record["branches"] = [_json_branch(model, child) for child in nodes.children(node)]
        records.append(record | (at_node(node) if at_node else {}))
    tree = {
        "target": schema.target,
        "missing": "takes every branch" if model.spreads else "is a value",
        "n_nodes": nodes.n_nodes,
        "n_leaves": nodes.n_leaves,
        "depth": nodes.depth,
        "nodes": records,
    }
    return json.dumps(tree, ensure_ascii=False, indent=2) + "\n"


def _json_branch(model: DecisionTree, child: int) -> dict[str, Any]:
    branch = branch_to(model.nodes, model.schema, child)
    if branch.threshold is None:
        return {"value": branch.value, "node": child}
    if branch.shown is None:
        return {"value": None, "node": child}
    if branch.threshold == float("-inf"):
        return {"is_known": True, "node": child}
    return {"above" if branch.is_above else "at_most": branch.threshold, "node": child}


def sql_of(model: DecisionTree, at_leaf: LeafLines | None = None) -> str:
    """Return an SQL expression for the class of a row; columns have the names of the features.

    `at_leaf` may give the lines of an expression to use at a leaf instead of its class.
    """
    _check_fits_sql(model)
    lines: list[str] = []
    # Depth-first with a stack of text and node, because a tree can be deeper than Python's recursion limit. An entry
    # without a node is text that closes a CASE.
    pending: list[tuple[str, int | None]] = [("", 0)]
    while pending:
        lead, node = pending.pop()
        if node is None:
            lines.append(lead)
            continue
        nodes, indent = model.nodes, "  " * int(model.nodes.level[node])
        if nodes.feature[node] < 0:
            comment = _case_counts(model, node).replace("\n", " ")
            text = (at_leaf(node) if at_leaf else []) or [_sql_class(model, nodes.label[node])]
            lines += [f"{lead}{text[0]} -- {comment}", *(f"{indent}{line}" for line in text[1:])]
            continue
        lines.append(f"{lead}CASE")
        tests = [(f"{indent}  WHEN {_sql_test(model, child)} THEN ", child) for child in nodes.children(node)]
        pending += [(f"{indent}END", None), (f"{indent}  {_sql_otherwise(model, node)}", None), *tests[::-1]]
    expression = "\n".join(lines)
    if not model.spreads or model.nodes.n_nodes == 1:
        return f"{expression}\n"
    return f"COALESCE(\n{expression},\n{_sql_sums(model)}\n)\n"


def _check_fits_sql(model: DecisionTree) -> None:
    nodes = model.nodes
    if nodes.depth > MAX_NESTED:
        raise CasebaseError(
            f"The tree is {nodes.depth:,} tests deep, and databases accept expressions that are nested less than "
            "1,000 times. Set max_depth, prune the tree, or export JSON."
        )
    n_listed = int(nodes.n_values[nodes.feature[nodes.feature >= 0]].sum()) if model.spreads else 0
    if n_listed > MAX_LISTED:
        raise CasebaseError(
            f"The branches of this tree have {n_listed:,} values, and SQL would have to list them all, to distinguish "
            "values without a branch from unseen ones. Export JSON instead."
        )
    n_classes = len(model.schema.classes)
    if model.spreads and (n_classes > MAX_CLASSES or n_classes * nodes.n_nodes > MAX_LISTED):
        raise CasebaseError(
            f"A tree of {nodes.n_nodes:,} nodes and {n_classes:,} classes is too large for SQL that takes every branch "
            'where a value is missing. Fit it with missing="value", or export JSON.'
        )


def _sql_test(model: DecisionTree, child: int) -> str:
    """Return the test of the branch to a node. A missing number takes the lower branch, unless it takes both."""
    branch = branch_to(model.nodes, model.schema, child)
    feature = model.schema.features[branch.feature]
    if branch.threshold is None:
        return sql.equals(feature, branch.value)
    name = sql.column(feature.name)
    if branch.threshold == float("-inf"):
        return f"{name} IS NOT NULL" if branch.is_above else f"{name} IS NULL"
    if branch.is_above:
        return f"{name} > {sql.number(branch.threshold)}"
    test = f"{name} <= {sql.number(branch.threshold)}"
    return test if model.spreads else f"({test} OR {name} IS NULL)"


def _sql_otherwise(model: DecisionTree, node: int) -> str:
    """Return what follows the tests of a node: its class, or NULL where every branch is taken."""
    label = _sql_class(model, model.nodes.label[node])
    if not model.spreads:
        return f"ELSE {label}"
    empty = list(empty_values(model, node))
    feature = model.schema.features[model.nodes.feature[node]]
    return f"WHEN {sql.is_one_of(feature, empty)} THEN {label} ELSE NULL" if empty else "ELSE NULL"


def _sql_sums(model: DecisionTree) -> str:
    """Return a query for the class with the greatest sum over the leaves; ties are broken as in the model.

    An inner query marks the tested features as known or not, so that their values are listed only once.
    """
    mark = "known"  # lengthened until no column name begins with it, so new names cannot clash
    while any(name.lower().startswith(mark) for name in model.schema.names):
        mark += "_"
    frequency, rank = model.preference.frequency, model.preference.rank
    preferred = sorted(range(len(frequency)), key=lambda c: (-frequency[c], rank[c]))
    sums = {code: total for code in preferred if (total := _sql_sum(model, code, mark))}
    totals = [f"{mark}_sum_{code}" for code in sums]
    answers = [
        f"WHEN {' AND '.join(f'{totals[i]} >= {other}' for other in totals[i + 1 :])} THEN {_sql_class(model, code)}"
        for i, code in enumerate(list(sums)[:-1])
    ]
    last = _sql_class(model, list(sums)[-1])
    marks = ", ".join(f"CASE WHEN {_sql_known(model, i)} THEN 1 ELSE 0 END AS {mark}_{i}" for i in model.nodes.tested)
    columns = ",\n    ".join(f"ROUND({total}, 9) AS {name}" for name, total in zip(totals, sums.values()))
    chosen = f"CASE {' '.join(answers)} ELSE {last} END" if answers else last
    return (
        f"(SELECT {chosen} FROM (\n  SELECT\n    {columns}\n  FROM (SELECT {marks}) AS {mark}_values) AS {mark}_sums)"
    )


def _sql_class(model: DecisionTree, code: int) -> str:
    return sql.literal(model.schema.classes[code])


def _sql_known(model: DecisionTree, feature: int) -> str:
    """Return the test whether a value was seen in training."""
    vocabulary = model.schema.features[feature].vocabulary
    if vocabulary is None:
        return f"{sql.column(model.schema.names[feature])} IS NOT NULL"
    known = [value for value in vocabulary.texts if value is not None]
    return sql.is_one_of(model.schema.features[feature], known) if known else "1 = 0"


def _sql_sum(model: DecisionTree, label: int, mark: str) -> str:
    """Return the sum of the leaves' shares of a class, each times the shares on its path; empty if all are 0."""
    nodes = model.nodes
    sums: dict[int, str] = {}
    for node in range(nodes.n_nodes - 1, -1, -1):  # children come after their parents
        share = nodes.counts(node).get(label, 0.0) / float(nodes.n_cases[node])
        if not share:
            continue
        if nodes.feature[node] < 0:
            sums[node] = sql.share(share)
            continue
        feature, below = int(nodes.feature[node]), nodes.children(node)
        n_below = float(nodes.n_cases[below.start : below.stop].sum())
        terms = []
        for child in below:
            if child in sums:
                known = f"WHEN {_sql_test(model, child)} THEN 1E0 WHEN {mark}_{feature} = 1 THEN 0E0"
                terms.append(
                    f"CASE {known} ELSE {sql.share(float(nodes.n_cases[child]) / n_below)} END * {sums.pop(child)}"
                )
        empty = list(empty_values(model, node))
        if empty:
            test = sql.is_one_of(model.schema.features[feature], empty)
            terms.append(f"CASE WHEN {test} THEN {sql.share(share)} ELSE 0E0 END")
        sums[node] = f"({' + '.join(terms)})"
    return sums.get(0, "")


FORMATS: dict[str, Callable[[DecisionTree], str]] = {
    "text": text_of,
    "json": json_of,
    "sql": sql_of,
}
