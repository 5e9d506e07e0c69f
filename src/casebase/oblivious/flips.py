"""Flips of oblivious models: a graph depends on the levels it walks, abstract cases on the features that are kept."""

import numpy as np

from casebase.base.flips import Domain, Structure, domains_of
from casebase.data import Cases
from casebase.oblivious.graph import ObliviousGraph
from casebase.oblivious.oblivion import Oblivion


def graph_domains(model: ObliviousGraph) -> tuple[Domain | None, ...]:
    """Return the values of the features that the graph tests; those without a branch get one answer."""
    graph, groups = model.graph, {}
    thresholds = model.levels.thresholds
    cuts = {
        feature: np.unique(thresholds[(model.order == feature) & ~np.isnan(thresholds)])
        for feature in np.unique(model.order[~np.isnan(thresholds)]).tolist()
    }
    first_edge = graph.first_edge.astype(np.int64)
    level_of_edge = np.repeat(graph.level, first_edge[1:] - first_edge[:-1])
    for level, feature in enumerate(model.order.tolist()):
        vocabulary = model.schema.features[feature].vocabulary
        if vocabulary is None:
            continue
        values = graph.edge_value[level_of_edge == level]
        groups[feature] = np.full(len(vocabulary), len(vocabulary))
        groups[feature][values] = values
    return domains_of(model.schema, used=np.unique(model.order).tolist(), cuts=cuts, groups=groups)


def asked_by_graph(model: ObliviousGraph, cases: Cases) -> np.ndarray:
    """Return the features of the nodes on the way of each case, that of the last node included."""
    graph, n = model.graph, cases.n_cases
    nodes, _ = model.walk(cases)
    # A branch may skip levels, and nodes have several parents: the levels above the last node were tested, or skipped.
    n_levels = np.minimum(graph.level[nodes].astype(np.int64) + 1, len(model.order))
    tested = np.zeros((n, len(model.schema.features)), dtype=bool)
    for level, feature in enumerate(model.order.tolist()):
        tested[:, feature] |= level < n_levels
    return tested


def abstract_domains(model: Oblivion) -> tuple[Domain | None, ...]:
    """Return the values of the features that are kept."""
    return domains_of(model.schema, used=model.order.tolist())


OBLIVION = Structure(abstract_domains)
GRAPH = Structure(graph_domains, asked_by_graph)
