"""The path of a case through a decision tree, in the names and values of the table.

A case follows one branch after another to a leaf. A tree that sends an unknown value down every branch splits the case:
each child gets a share of it, in proportion to the training cases there.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isinf
from typing import Any

import numpy as np

from casebase.base.quotes import unseen_values, why_no_branch
from casebase.data import Cases, Feature, Schema
from casebase.trees.evidence import PathEvidence, ReachedNode
from casebase.trees.nodes import TreeNodes


@dataclass(frozen=True)
class Branch:
    """The branch from a test to a node: a value, or a number up to a threshold (above it if `is_above`)."""

    feature: int
    value: Any
    threshold: float | None = None
    is_above: bool = False

    @property
    def shown(self) -> Any:
        """The value, or the interval with six digits; None for a missing number."""
        if self.threshold is None:
            return self.value
        if isinf(self.threshold) and not self.is_above:
            return None
        return f"{'>' if self.is_above else '≤'} {self.threshold:.6g}"


def branch_to(nodes: TreeNodes, schema: Schema, node: int) -> Branch:
    """Return the branch that leads to a node below the root."""
    parent = int(nodes.parent[node])
    feature, value = int(nodes.feature[parent]), int(nodes.value[node])
    threshold = float(nodes.threshold[parent])
    if threshold == threshold:  # NaN is the threshold of a symbolic test
        return Branch(feature, None, threshold, value == 1)
    return Branch(feature, schema.features[feature].value(value))


def path_evidence(
    nodes: TreeNodes, schema: Schema, case: Cases, *, label: int, spreads: bool, limit: int = 10
) -> PathEvidence:
    """Return the path of one case to its answer.

    With `spreads`, a missing or unseen value takes every branch. Of the nodes where a share of the case ends, at most
    `limit` are listed, those with the greatest shares.
    """
    values = tuple(case.values(0))
    walk = _walk(nodes, schema, case, values, spreads)
    votes: dict[Any, float] = defaultdict(float)
    for node, share in walk.endings.items():
        # One end node votes with its class counts; several vote with their shares of the case.
        total = share if len(walk.endings) > 1 else nodes.n_cases[node]
        for code, n in nodes.counts(node).items():
            votes[schema.classes[code]] += float(total * n / nodes.n_cases[node])
    return PathEvidence(
        features=schema.names,
        values=values,
        unseen=unseen_values(case, values),
        label=schema.classes[label],
        votes=dict(votes),
        weights=(),
        target=schema.target,
        path=_reached_nodes(nodes, schema, walk, limit),
        n_endings=len(walk.endings),
        spread=tuple(schema.names[i] for i in walk.spread),
    )


@dataclass(frozen=True)
class _Walk:
    """The share of a case at each node it reached, where and why shares ended, and the features that split it."""

    share: dict[int, float]
    endings: dict[int, float]
    stopped: dict[int, str]
    spread: list[int]


def _walk(nodes: TreeNodes, schema: Schema, case: Cases, values: Sequence[Any], spreads: bool) -> _Walk:
    walk = _Walk({0: 1.0}, {}, {}, [])
    pending = [0]
    while pending:
        node = pending.pop()
        position = int(nodes.feature[node])
        if position < 0:
            n_classes = len(nodes.counts(node))
            walk.endings[node] = walk.share[node]
            walk.stopped[node] = f"leaf of {'one class' if n_classes == 1 else f'{n_classes} classes'}"
            continue
        feature, stored = schema.features[position], case.columns[position][0]
        if _is_known(feature, stored) or not spreads:
            code = _number_code(stored, nodes.threshold[node]) if feature.kind == "numeric" else int(stored)
            child = nodes.child(node, code)
            if child is None:
                walk.endings[node] = walk.share[node]
                walk.stopped[node] = why_no_branch(feature, stored, values[position])
                continue
            shares = {child: 1.0}
        else:
            below = nodes.children(node)
            sizes = nodes.n_cases[below.start : below.stop]
            shares = dict(zip(below, (sizes / sizes.sum()).tolist()))
            if position not in walk.spread:
                walk.spread.append(position)
        for child, share in shares.items():
            walk.share[child] = share * walk.share[node]
            pending.append(child)
    return walk


def _is_known(feature: Feature, stored: Any) -> bool:
    if feature.vocabulary is None:
        return not np.isnan(stored)
    return bool(stored != feature.vocabulary.unknown and stored != feature.vocabulary.missing)


def _number_code(number: float, threshold: float) -> int:
    """Return which branch a number takes; a missing one (NaN) takes the lower branch."""
    return int(number > threshold)


def _reached_nodes(nodes: TreeNodes, schema: Schema, walk: _Walk, limit: int) -> tuple[ReachedNode, ...]:
    """Return the nodes on the way to the end nodes with the greatest shares, depth-first."""
    greatest = sorted(walk.endings, key=lambda node: (-walk.endings[node], node))[:limit]
    # A test may have thousands of branches: note the few that lead to these end nodes instead of trying all.
    below: dict[int, set[int]] = defaultdict(set)
    for path in map(nodes.path, greatest):
        for node, child in pairwise(path):
            below[node].add(child)
    reached, pending = [], [0]
    while pending:
        node = pending.pop()
        branch = branch_to(nodes, schema, node) if node else None
        reached.append(
            ReachedNode(
                None if branch is None else schema.names[branch.feature],
                None if branch is None else branch.shown,
                schema.classes[nodes.label[node]],
                {schema.classes[code]: n for code, n in nodes.counts(node).items()},
                float(nodes.n_cases[node]),
                depth=int(nodes.level[node]),
                share=walk.share[node],
                stopped=walk.stopped.get(node, ""),
            )
        )
        # The greatest share last: a stack gives it back first.
        pending += sorted(below.get(node, ()), key=lambda child: (walk.share[child], -child))
    return tuple(reached)
