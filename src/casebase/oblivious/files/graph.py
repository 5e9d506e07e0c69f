"""The model file of an oblivious decision graph: nodes level by level, and the targets of their branches."""

import numpy as np

from casebase.base.checks import checked_missing
from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import read_n_cases, read_preference, read_schema, write_preference, write_schema
from casebase.data import Schema
from casebase.data.checks import is_whole
from casebase.oblivious import graph
from casebase.oblivious.eodg import N_BRANCHES
from casebase.oblivious.graph import Graph, ObliviousGraph


def write_oblivious_graph(model: ObliviousGraph, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    header |= {
        "n_cases": model.n_cases,
        "n_tree_nodes": model.n_tree_nodes,
    }
    graph = model.graph
    arrays |= {
        "order": model.order,
        "graph.level": graph.level,
        "graph.first_edge": graph.first_edge,
        "graph.edge_value": graph.edge_value,
        "graph.edge_target": graph.edge_target,
        "graph.label": graph.label,
        "graph.first_count": graph.first_count,
        "graph.count_label": graph.count_label,
        "graph.count": graph.count,
    }
    if graph.otherwise is not None:
        arrays["graph.otherwise"] = graph.otherwise
    if model.thresholds is not None and model.n_thresholds is not None:
        arrays |= {"thresholds": model.thresholds, "n_thresholds": model.n_thresholds}


def read_oblivious_graph(header: Header, arrays: CheckedArrays, settings: graph.Settings) -> ObliviousGraph:
    schema = read_schema(header, arrays)
    order = arrays.get("order", "int64", below=len(schema.features))
    thresholds = arrays.get("thresholds", "float64", len(order)) if arrays.has("thresholds") else None
    n_thresholds = arrays.get("n_thresholds", "uint32", len(order)) if thresholds is not None else None
    is_symbol = np.ones(len(order), dtype=bool) if thresholds is None else np.isnan(thresholds)
    if len(np.unique(order[is_symbol])) != is_symbol.sum():
        raise ValueError("the order of the features has one of them twice")
    if thresholds is not None and np.isinf(thresholds).any():
        raise ValueError("a threshold is infinite")
    n_tree_nodes = header["n_tree_nodes"]
    if not is_whole(n_tree_nodes, 1):
        raise ValueError(f"the number of nodes of the tree is {n_tree_nodes!r}")
    return ObliviousGraph(
        schema,
        _read_graph(arrays, schema, order, is_symbol),
        order,
        read_preference(arrays, len(schema.classes)),
        checked_missing(settings.missing),
        read_n_cases(header),
        n_tree_nodes,
        settings.normalisation,
        settings,
        thresholds,
        n_thresholds,
    )


def _read_graph(arrays: CheckedArrays, schema: Schema, order: np.ndarray, is_symbol: np.ndarray) -> Graph:
    label = arrays.get("graph.label", "uint32", below=len(schema.classes))
    n_nodes = len(label)
    if n_nodes == 0:
        raise ValueError("the graph has no root")
    level = arrays.get("graph.level", "uint32", n_nodes, below=len(order) + 1)
    edge_target = arrays.get("graph.edge_target", "uint32", below=n_nodes)
    edge_value = arrays.get("graph.edge_value", "uint32", len(edge_target))
    first_edge = arrays.offsets("graph.first_edge", n_nodes + 1, len(edge_target), "uint32")
    n_edges = np.diff(first_edge.astype(np.int64)).astype(np.int64)
    node, is_leaf = np.repeat(np.arange(n_nodes), n_edges), n_edges == 0
    if first_edge[0] != 0 or (np.diff(level.astype(np.int64)) < 0).any() or (is_leaf != (level == len(order))).any():
        raise ValueError("the nodes of the graph are not level by level")
    # Branches must lead to later levels, so that every walk ends.
    if (level[edge_target] <= level[node]).any():
        raise ValueError("a branch of the graph does not lead to a later level")
    kinds = zip(order.tolist(), is_symbol.tolist())
    n_values = np.array([_n_values(schema, position, known) for position, known in kinds], dtype=np.int64)
    if (edge_value >= n_values[level[node]]).any():
        raise ValueError("a branch is for a value that its feature does not have")
    is_first = np.diff(node, prepend=-1) > 0
    if (np.diff(edge_value.astype(np.int64), prepend=-1)[~is_first] <= 0).any():
        raise ValueError("the branches of a node are not in order")
    count_label = arrays.get("graph.count_label", "uint32", below=len(schema.classes))
    first_count = arrays.offsets("graph.first_count", n_nodes + 1, len(count_label))
    count = arrays.numbers("graph.count", len(count_label))
    if first_count[0] != 0 or (np.diff(first_count.astype(np.int64)) < 1).any() or not count.all():
        raise ValueError("a node of the graph counts no cases")
    otherwise = None
    if arrays.has("graph.otherwise"):
        otherwise = arrays.get("graph.otherwise", "uint32", n_nodes, below=n_nodes)
        leads_on = otherwise != np.arange(n_nodes)
        if (is_leaf & leads_on).any() or (level[otherwise] <= level)[leads_on].any():
            raise ValueError("values without a branch do not lead to a later level")
    return Graph(level, first_edge, edge_value, edge_target, label, first_count, count_label, count, otherwise)


def _n_values(schema: Schema, position: int, is_symbol: bool) -> int:
    feature = schema.features[position]
    if not is_symbol:
        if feature.kind != "numeric" or feature.vocabulary is not None:
            raise ValueError(f"the graph compares {feature.name!r} with a threshold, but it has no numbers")
        return N_BRANCHES
    if feature.kind != "symbolic" or feature.vocabulary is None:
        raise ValueError(f"the graph tests {feature.name!r}, which has no values")
    return len(feature.vocabulary)
