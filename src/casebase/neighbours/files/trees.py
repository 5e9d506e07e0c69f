"""Model files of the methods that walk a tree: IGTree, and TRIBL with its cases."""

import math
from typing import Any

from casebase.base.checks import checked_missing
from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import (
    read_memory,
    read_n_cases,
    read_order,
    read_preference,
    read_schema,
    write_memory,
    write_preference,
    write_schema,
)
from casebase.base.trees import read_tree, write_tree
from casebase.data.checks import is_whole
from casebase.neighbours import igtree, tribl
from casebase.neighbours.files.cases import read_ib1, write_ib1


def write_igtree(model: igtree.IGTree, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    write_tree(model.tree, arrays)
    header |= {
        "n_cases": model.n_cases,
        "keeps_cases": model.memory is not None,
    }
    arrays |= {"weights": model.weights, "order": model.order}
    if model.memory is not None:
        write_memory(model.memory, model.schema, arrays)


def read_igtree(header: Header, arrays: CheckedArrays, settings: igtree.Settings) -> igtree.IGTree:
    schema = read_schema(header, arrays)
    order = read_order(arrays, len(schema.features))
    tree = read_tree(arrays, len(schema.classes))
    if any(schema.features[position].kind != "symbolic" for position in order):
        raise ValueError("the tree asks about a feature that has no values")
    if tree.depth > len(order):
        raise ValueError("the tree is deeper than it has features")
    memory = read_memory(arrays, schema, is_lazy=True) if header["keeps_cases"] else None
    n_cases = read_n_cases(header)
    if memory is not None and memory.n_cases != n_cases:
        raise ValueError("the tree was not grown from the cases beside it")
    return igtree.IGTree(
        schema,
        tree,
        order,
        arrays.numbers("weights", len(schema.features)),
        checked_missing(settings.missing),
        read_preference(arrays, len(schema.classes)),
        n_cases,
        settings.normalisation,
        memory,
        settings=settings,
    )


def write_tribl(model: tribl.TRIBL, header: Header, arrays: Arrays) -> None:
    write_ib1(model.below, header, arrays)
    write_tree(model.tree, arrays)
    header["switch"] = model.switch
    if model.switch_errors is not None:
        header["switch_errors"] = [list(pair) for pair in model.switch_errors.items()]
    arrays["tree_weights"] = model.weights


def read_tribl(header: Header, arrays: CheckedArrays, settings: tribl.Settings) -> tribl.TRIBL:
    below = read_ib1(header, arrays, settings)
    tree = read_tree(arrays, len(below.schema.classes))
    switch = header["switch"]
    if not is_whole(switch, 0, len(below.memory.order)):
        raise ValueError("the switch point exceeds the number of features")
    if tree.depth > switch:
        raise ValueError("the tree is deeper than the switch point")
    if any(below.schema.features[position].kind != "symbolic" for position in below.memory.order[:switch]):
        raise ValueError("the tree asks about a feature that has no values")
    weights = arrays.numbers("tree_weights", len(below.schema.features))
    errors = header.get("switch_errors")
    return tribl.TRIBL(below, tree, weights, switch, settings, None if errors is None else _read_errors(errors))


def _read_errors(pairs: Any) -> dict[int, float]:
    errors = {switch: float(n) for switch, n in pairs}
    if not all(is_whole(switch, 0) and math.isfinite(n) and n >= 0 for switch, n in errors.items()):
        raise ValueError("the errors by switch point are not finite numbers of at least 0")
    return errors
