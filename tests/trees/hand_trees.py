"""Trees written by hand: the tests stand in the code, the counts come from the cases."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from casebase.base.answers import preference_of
from casebase.data import Cases
from casebase.trees.nodes import TreeNodes

Spec = Mapping[str, Any] | None


def tree_nodes(cases: Cases, spec: Spec, *, spreads: bool = False) -> TreeNodes:
    """Return the nodes of a tree.

    A test on a symbol is {"ask": name, value: spec, …}, where values that are left out lead to leaves; one on a number
    is {"ask": name, "at": threshold, "low": spec, "high": spec}; a leaf is None. With `spreads`, a case whose value is
    missing goes down every branch with a share of its weight.
    """
    weights = np.ones(cases.n_cases) if cases.weights is None else cases.weights
    preference, schema = preference_of(cases), cases.schema
    feature, threshold, value, n_children, counts = [], [], [], [], []
    level: list[tuple[int, Spec, np.ndarray]] = [(0, spec, weights)]
    while level:
        below = []
        for code, test, w in level:
            value.append(code)
            counts.append(np.bincount(cases.known_labels, w, minlength=len(schema.classes)))
            parts: dict[int, tuple[Spec, np.ndarray]] = {}
            position = -1 if test is None else schema.position(test["ask"])
            cut = np.nan if test is None else test.get("at", np.nan)
            feature.append(position)
            threshold.append(cut)
            if test is not None:
                column, vocabulary = cases.columns[position], schema.features[position].vocabulary
                if vocabulary is None:
                    is_missing, branch = np.isnan(column), (column > cut).astype(int)
                    specs = {0: test.get("low"), 1: test.get("high")}
                else:
                    is_missing, branch = column == vocabulary.missing, column.astype(int)
                    specs = {c: test.get(vocabulary.value(c)) for c in range(len(vocabulary))}
                is_missing &= spreads
                known = w * ~is_missing
                for c, inner in specs.items():
                    here = known * (branch == c)
                    if here.sum():
                        parts[c] = inner, here + w * is_missing * here.sum() / known.sum()
            n_children.append(len(parts))
            below += [(c, inner, here) for c, (inner, here) in parts.items()]
        level = below
    sparse = [np.flatnonzero(one) for one in counts]
    labels = [
        min(held, key=lambda c: (-n[c], -preference.frequency[c], preference.rank[c]))
        for n, held in zip(counts, sparse)
    ]
    n_values = [
        2 if f.vocabulary is None else len(f.vocabulary) - (spreads and f.vocabulary.missing is not None)
        for f in schema.features
    ]
    return TreeNodes(
        np.array(feature, np.int32),
        np.array(threshold, float),
        np.concatenate([[1], 1 + np.cumsum(n_children)]).astype(np.uint32),
        np.array(value, np.uint32),
        np.array(labels, np.uint32),
        np.cumsum([0, *map(len, sparse)]).astype(np.uint64),
        np.concatenate(sparse).astype(np.uint32),
        np.concatenate([n[h] for n, h in zip(counts, sparse)]),
        np.array(n_values, np.uint32),
        np.zeros(len(n_values), np.uint32),
    )
