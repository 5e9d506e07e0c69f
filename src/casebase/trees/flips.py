"""Flips of decision trees and their rules: the answer depends only on the tests on the way to it."""

from collections.abc import Mapping

import numpy as np

from casebase.base.flips import Domain, Structure, asked_by_rules, domains_of
from casebase.data import Cases, Schema
from casebase.trees.c45 import C45
from casebase.trees.c45rules import C45Rules
from casebase.trees.id3 import ID3
from casebase.trees.nodes import TreeNodes
from casebase.trees.path_rules import EQUAL
from casebase.trees.perceptron_tree import PerceptronTree

N_STEPS = 16  # between the least and the greatest number that a perceptron was trained on


def tree_domains(model: ID3 | C45) -> tuple[Domain | None, ...]:
    """Return the values that a tree tells apart."""
    nodes = model.nodes
    return domains_of(model.schema, used=nodes.tested, cuts=_cuts(nodes), groups=_branches(nodes, model.schema))


def _cuts(nodes: TreeNodes) -> dict[int, np.ndarray]:
    is_number = ~np.isnan(nodes.threshold)
    return {i: np.unique(nodes.threshold[is_number & (nodes.feature == i)]) for i in nodes.tested}


def _branches(nodes: TreeNodes, schema: Schema) -> dict[int, np.ndarray]:
    """Return for symbolic features a group per value; all values without any branch are one group."""
    groups = {}
    asked = np.concatenate([[-1], nodes.feature[nodes.parent[1:]]])
    for i in nodes.tested:
        vocabulary = schema.features[i].vocabulary
        if vocabulary is not None:
            groups[i] = mentioned(len(vocabulary), nodes.value[asked == i])
    return groups


def mentioned(n_codes: int, codes: np.ndarray) -> np.ndarray:
    """Return a group for each code: its own if it is among `codes`, otherwise one for all others.

    >>> mentioned(4, np.array([2])).tolist()
    [4, 4, 2, 4]
    """
    groups = np.full(n_codes, n_codes)
    groups[codes] = codes
    return groups


def asked_by_tree(model: ID3 | C45 | PerceptronTree, cases: Cases) -> np.ndarray:
    """Return the features that are tested on the way of each case, in all branches that it takes."""
    return _walk(model, cases)[0]


def _walk(model: ID3 | C45 | PerceptronTree, cases: Cases) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the tested features, and the cases and nodes at which the walks end."""
    nodes, schema = model.nodes, model.schema
    tested = np.zeros((cases.n_cases, len(schema.features)), dtype=bool)
    # The children of a node lie side by side by ascending value, so node and value together are an ascending key.
    span = int(nodes.value.max(initial=0)) + 2
    keys = nodes.parent[1:] * span + nodes.value[1:]
    row, node = np.arange(cases.n_cases), np.zeros(cases.n_cases, dtype=np.int64)
    ended: list[tuple[np.ndarray, np.ndarray]] = []
    while len(row):
        feature = nodes.feature[node]
        is_leaf = feature < 0
        ended.append((row[is_leaf], node[is_leaf]))
        row, node, feature = row[~is_leaf], node[~is_leaf], feature[~is_leaf]
        tested[row, feature] = True
        rows, below = [], []
        for position in np.unique(feature).tolist():
            here = feature == position
            stored, at = cases.columns[position][row[here]], node[here]
            vocabulary = schema.features[position].vocabulary
            if vocabulary is None:
                is_known, code = ~np.isnan(stored), (stored > nodes.threshold[at]).astype(np.int64)
            else:
                is_known, code = stored != vocabulary.unknown, stored.astype(np.int64)
                if vocabulary.missing is not None:
                    is_known &= stored != vocabulary.missing
            spread = ~is_known if model.spreads else np.zeros(len(at), dtype=bool)
            place = np.searchsorted(keys, at * span + np.minimum(code, span - 1))
            has_branch = ~spread & (code < span - 1)
            has_branch[has_branch] = keys[np.minimum(place[has_branch], len(keys) - 1)] == (
                at[has_branch] * span + code[has_branch]
            )
            ended.append((row[here][~has_branch & ~spread], at[~has_branch & ~spread]))
            n_children = nodes.n_children[at[spread]]
            first = nodes.first_child[at[spread]].astype(np.int64)
            ends = np.cumsum(n_children)
            every = np.repeat(first - (ends - n_children), n_children) + np.arange(ends[-1] if len(ends) else 0)
            rows += [row[here][has_branch], np.repeat(row[here][spread], n_children)]
            below += [place[has_branch] + 1, every]
        row = np.concatenate([np.empty(0, np.int64), *rows])
        node = np.concatenate([np.empty(0, np.int64), *below])
    return tested, np.concatenate([r for r, _ in ended]), np.concatenate([n for _, n in ended])


def perceptron_domains(model: PerceptronTree) -> tuple[Domain | None, ...]:
    """Return the values of a perceptron tree: symbols, and evenly spaced numbers from the least to the greatest.

    A perceptron adds up numbers, so it has no cuts. The steps, and a number on each side of the cuts of the tree, stand
    for all numbers.
    """
    asked = set(model.nodes.tested) | set(model.perceptrons.input_feature.tolist())
    cuts = _cuts(model.nodes)
    domains = list(domains_of(model.schema, used=sorted(asked)))
    for i in asked:
        if model.schema.features[i].vocabulary is None:
            centre, half = float(model.centre[i]), float(model.half_range[i])
            low, high = centre - half, centre + half
            beside = Domain(None, cuts[i]).choices(np.nan) if i in cuts else np.empty(0)
            steps = np.linspace(low, high, N_STEPS + 1)
            if low.is_integer() and high.is_integer() and high - low >= N_STEPS:  # a count, an age, a day
                steps = np.round(steps)
            domains[i] = Domain(np.unique(np.concatenate([steps, beside])))
    return tuple(domains)


def asked_by_perceptrons(model: PerceptronTree, cases: Cases) -> np.ndarray:
    """Return the features that are tested on the way, and the inputs of the perceptron at its end."""
    tested, row, node = _walk(model, cases)
    machines = model.perceptrons
    for i in np.unique(model.perceptron[node]).tolist():
        if i >= 0:
            inputs = sorted({feature for feature, _ in machines.inputs(i)})
            tested[np.ix_(row[model.perceptron[node] == i], inputs)] = True
    return tested


def rule_domains(model: C45Rules) -> tuple[Domain | None, ...]:
    """Return the values that the conditions of the rules tell apart."""
    conditions = model.conditions
    used = sorted(set(conditions.feature.tolist()))
    cuts: dict[int, np.ndarray] = {}
    groups: dict[int, np.ndarray] = {}
    for i in used:
        mine, vocabulary = conditions.feature == i, model.schema.features[i].vocabulary
        values = conditions.value[mine]
        if vocabulary is None:
            cuts[i] = np.unique(values[conditions.kind[mine] != EQUAL])
        else:
            groups[i] = mentioned(len(vocabulary), values[~np.isnan(values)].astype(np.int64))
    return domains_of(model.schema, used=used, cuts=cuts, groups=groups)


def asked_by_path_rules(model: C45Rules, cases: Cases) -> np.ndarray:
    """Return the features on which the choice of the rule depends."""
    conditions = model.conditions
    holds = conditions._each(cases, slice(0, cases.n_cases))
    each: Mapping[int, tuple[int, np.ndarray]] = dict(enumerate(zip(conditions.feature.tolist(), holds)))
    bounds = zip(conditions.first[:-1].tolist(), conditions.first[1:].tolist())
    rules = [[each[i] for i in conditions.of_rule[begin:end].tolist()] for begin, end in bounds]
    return asked_by_rules(rules, cases.n_cases, len(model.schema.features))


TREE = Structure(tree_domains, asked_by_tree)
PERCEPTRON_TREE = Structure(perceptron_domains, asked_by_perceptrons)
RULES = Structure(rule_domains, asked_by_path_rules)
