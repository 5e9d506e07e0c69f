"""The model files of ID3 and C4.5: nodes in breadth-first order, with their tests."""

import numpy as np

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import read_n_cases, read_preference, read_schema, write_preference, write_schema
from casebase.base.trees import read_tree, write_tree
from casebase.data import Schema
from casebase.trees import c45, id3
from casebase.trees.nodes import TreeNodes


def write_decision_tree(model: id3.ID3 | c45.C45, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    write_nodes(model.nodes, arrays)
    header["n_cases"] = model.n_cases


def read_id3(header: Header, arrays: CheckedArrays, settings: id3.Settings) -> id3.ID3:
    schema = read_schema(header, arrays)
    nodes, preference = read_nodes(arrays, schema), read_preference(arrays, len(schema.classes))
    return id3.ID3(schema, nodes, preference, read_n_cases(header), settings.normalisation, settings)


def read_c45(header: Header, arrays: CheckedArrays, settings: c45.Settings) -> c45.C45:
    schema = read_schema(header, arrays)
    nodes, preference = read_nodes(arrays, schema), read_preference(arrays, len(schema.classes))
    n_cases, spreads = read_n_cases(header), settings.missing == "fractional"
    return c45.C45(schema, nodes, preference, n_cases, spreads, settings.normalisation, settings)


def write_nodes(nodes: TreeNodes, arrays: Arrays) -> None:
    write_tree(nodes, arrays)
    arrays |= {
        "tree.feature": nodes.feature.astype(np.int64),
        "tree.threshold": nodes.threshold,
        "n_values": nodes.n_values,
        "n_thresholds": nodes.n_thresholds,
    }


def read_nodes(arrays: CheckedArrays, schema: Schema) -> TreeNodes:
    tree = read_tree(arrays, len(schema.classes))
    feature = arrays.get("tree.feature", "int64", tree.n_nodes)
    threshold = arrays.get("tree.threshold", "float64", tree.n_nodes)
    n_values = arrays.get("n_values", "uint32", len(schema.features))
    n_thresholds = arrays.get("n_thresholds", "uint32", len(schema.features))
    is_test = feature >= 0
    if ((feature < -1) | (feature >= len(schema.features))).any():
        raise ValueError("a node tests a feature that does not exist")
    first = tree.first_child.astype(np.int64)
    n_children = first[1:] - first[:-1]
    if (is_test != (n_children > 0)).any():
        raise ValueError("a leaf has branches, or a test has none")
    is_number = np.array([f.kind == "numeric" for f in schema.features])
    n_codes = np.array([2 if f.vocabulary is None else len(f.vocabulary) for f in schema.features])
    n_codes[[f.kind == "ignored" for f in schema.features]] = 0
    if (n_values > n_codes).any() or (np.isnan(threshold[is_test]) == is_number[feature[is_test]]).any():
        raise ValueError("a test does not fit its feature")
    parent = np.repeat(np.arange(tree.n_nodes), n_children)
    if (tree.value[1:] >= n_codes[feature[parent]]).any():
        raise ValueError("a branch is for a value that its feature does not have")
    starts = np.diff(parent, prepend=-1) > 0
    if (np.diff(tree.value[1:].astype(np.int64), prepend=-1)[~starts] <= 0).any():
        raise ValueError("the branches of a test are not in order")
    return TreeNodes(
        feature.astype(np.int32),
        threshold,
        tree.first_child,
        tree.value,
        tree.label,
        tree.first_count,
        tree.count_label,
        tree.count,
        n_values,
        n_thresholds,
    )
