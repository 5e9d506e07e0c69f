"""TRIBL: a tree for the features that stand out, the nearest cases below it.

The first features, by relevance, are walked as in IGTree. A case that leaves the tree before its end is
answered by the default of the last node. One that reaches the end finds the cases that share those
features, a range of the sorted memory, and the nearest of them, by the other features, vote as in IB1.

Reference: Daelemans, Van den Bosch, Zavrel, "A feature-relevance heuristic for indexing and compressing
large case bases", section 4.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase import _native
from casebase.data import Cases, Schema
from casebase.errors import CasebaseError
from casebase.evidence import Evidence
from casebase.learners import neighbours
from casebase.learners.answers import Answers
from casebase.learners.explaining import Explainer
from casebase.learners.ib1 import IB1, metric_for
from casebase.learners.igtree import Tree, grow, tree_evidence, walked_path, with_symbols
from casebase.learners.memory import question_columns, relevance_order, remember
from casebase.learners.neighbours import NO_ROW, Progress, Voting, voting_for
from casebase.measures.distances import compared_by
from casebase.measures.weights import feature_tables, feature_weights, used_features


@dataclass(frozen=True, eq=False)
class TRIBL:
    """A tree over the first `switch` features of the memory, and the cases below it.

    `rows_begin` and `rows_end` say which rows of the memory lie below each node. `below` compares the
    cases there; `weights` are those that ordered the tree.
    """

    below: IB1
    tree: Tree
    rows_begin: np.ndarray
    rows_end: np.ndarray
    weights: np.ndarray
    switch: int

    @property
    def schema(self) -> Schema:
        return self.below.schema

    @property
    def voting(self) -> Voting:
        return self.below.voting

    def _walk(self, cases: Cases, n_jobs: int) -> tuple[np.ndarray, np.ndarray]:
        order = self.below.memory.order[: self.switch]
        queries = question_columns(cases, order, self.voting.missing_agrees)
        return _native.walk_tree(self.tree.first_child, self.tree.value, queries, cases.n_cases, n_jobs)

    def _scopes(self, nodes: np.ndarray) -> np.ndarray:
        scopes = np.empty((len(nodes), 4), dtype=np.uint32)
        scopes[:, 0], scopes[:, 1] = self.rows_begin[nodes], self.rows_end[nodes]
        scopes[:, 2], scopes[:, 3] = self.switch, NO_ROW
        return scopes

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the votes for every case, from the tree or from the cases below it."""
        nodes, depth = self._walk(cases, n_jobs)
        answers = self.tree.answers_at(nodes)
        inside = np.flatnonzero(depth == self.switch)
        if progress:
            progress(cases.n_cases - len(inside))
        if not len(inside) or self.switch == len(self.below.memory.order):
            return answers
        from_cases = neighbours.answer(
            self.below.memory,
            self.below.questions(cases, self._scopes(nodes)).part(inside),
            self.voting,
            retry_exact=False,
            n_jobs=n_jobs,
            progress=progress,
        )
        return answers.replaced(inside, from_cases)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[Evidence]:
        """Return the path through the tree and, below it, the cases that decided."""
        nodes, depth = self._walk(cases, 1)
        answers, below = self.answer(cases), self.below
        asked = below.questions(cases, self._scopes(nodes))
        explainer = Explainer(self.schema, below.memory, below.weights, below.metric, self.voting, retry_exact=False)
        order = below.memory.order[: self.switch]
        queries = question_columns(cases, order, self.voting.missing_agrees)
        evidence: list[Evidence] = []
        for i in range(cases.n_cases):
            case, codes = cases.take(np.array([i])), [int(column[i]) for column in queries]
            path = walked_path(self.tree, self.schema, order, codes, case.values(0))
            if depth[i] == self.switch and self.switch < len(below.memory.order):
                one = np.array([i])
                evidence.append(explainer.evidence(case, asked.part(one), answers.picked(one), limit, path[0]))
            else:
                evidence.append(tree_evidence(self.tree, self.schema, self.weights, case, path))
        return evidence


def fit(
    cases: Cases,
    *,
    switch: int | str = "auto",
    k: int = 1,
    weighting: Any = "gain_ratio",
    weighting_below: Any = "none",
    metric: str | Mapping[str | int, str] = "overlap",
    vote: str = "equal",
    missing: str = "value",
    compat: str | None = None,
) -> TRIBL:
    """Return a tree over the most relevant features with the cases below it.

    `weighting` orders the tree, `weighting_below` weighs the features below it; `switch` is the number of
    features in the tree, or "auto".
    """
    voting = voting_for(cases, k=k, vote=vote, missing=missing, compat=compat)
    cases = compared_by(cases, metric)
    used = used_features(cases)
    tables = feature_tables(cases)
    weights = feature_weights(cases, weighting, tables)
    n_above = automatic_switch(weights[used]) if switch == "auto" else checked_switch(switch, len(used))
    above = relevance_order(cases.schema, used, weights)[:n_above]
    weights_below = feature_weights(cases, weighting_below, tables)
    cases = with_symbols(cases, above)
    memory = remember(cases, weights_below, weights, first=above)
    tree, (begin, end) = grow(
        list(memory.columns[:n_above]), memory.labels, memory.counts, voting.preference, compress=False
    )
    metric_below = metric_for(cases, memory, weights_below, weights[memory.order])
    below = IB1(cases.schema, memory, weights_below, metric_below, voting)
    return TRIBL(below, tree, begin, end, weights, n_above)


def automatic_switch(weights: np.ndarray) -> int:
    """Return how many features have a weight above the mean plus one standard deviation.

    >>> automatic_switch(np.array([0.1, 0.1, 0.9, 0.1]))
    1
    """
    weights = np.sort(weights)
    threshold = weights.mean() + weights.std()
    # Of two features the heavier is exactly at the threshold: rounding must not put it above.
    return int(np.sum(weights > threshold * (1.0 + 1e-12)))


def checked_switch(switch: object, n_features: int) -> int:
    if isinstance(switch, bool) or not isinstance(switch, int | np.integer) or switch < 0:
        raise CasebaseError(
            f"switch is the number of features in the tree (0 to {n_features}) or 'auto'; got {switch!r}."
        )
    return min(int(switch), n_features)
