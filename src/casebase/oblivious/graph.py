"""Oblivious decision graphs: every level tests one feature, and similar nodes of a level are merged.

The feature of a level has the greatest conditional mutual information with the class, given the features above. This
gives an oblivious tree, in which the same subtree occurs in many places. Merging turns the tree into a graph. Nodes are
merged if their subtrees are equal; if they are compatible, that is, never lead to different classes by the same values;
or, top-down, if their cases together have no more expected errors than apart.

Reference: Kohavi, Li, "Oblivious decision trees, graphs, and top-down pruning" (1995).
"""

from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.base import common
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.checks import check_name, checked_missing
from casebase.base.evidence import Step, TreeEvidence
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.quotes import unseen_values, why_no_branch
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.data import Cases, Schema
from casebase.data.checks import is_number
from casebase.errors import CasebaseError
from casebase.measures import codelengths
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.measures.weights import used_features
from casebase.memory.distinct import kinds_of
from casebase.memory.segments import question_columns, relevance_order, with_symbols, without_ignored_values
from casebase.progress import Progress

CRITERIA = ("information_gain", "gain_ratio")
MERGES = ("none", "equal", "compatible", "top_down")


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes level by level; node 0 is the root. The test nodes come first, then one leaf per class.

    The branches of node n are entries `first_edge[n]` to `first_edge[n + 1]`, by ascending value: the code of a value
    and the node that it leads to. A node of level l tests feature l of the order; leaves have the last level. The class
    counts of node n, `first_count[n]` to `first_count[n + 1]`, are those of the training cases that pass through it.
    """

    level: np.ndarray
    first_edge: np.ndarray
    edge_value: np.ndarray
    edge_target: np.ndarray
    label: np.ndarray
    first_count: np.ndarray
    count_label: np.ndarray
    count: np.ndarray

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included; there is one leaf per predicted class."""
        return len(self.label)

    @property
    def n_leaves(self) -> int:
        return int((np.diff(self.first_edge.astype(np.int64)) == 0).sum())

    @property
    def n_edges(self) -> int:
        return len(self.edge_value)

    @property
    def widths(self) -> list[int]:
        """The number of test nodes of each level."""
        widths: list[int] = np.bincount(self.level[: self.n_nodes - self.n_leaves]).tolist()
        return widths

    @property
    def depth(self) -> int:
        """The largest number of tests on a path."""
        longest = np.zeros(self.n_nodes, dtype=np.int64)
        for node in range(self.n_nodes - 1, -1, -1):  # branches lead to later nodes
            below = self.targets(node)
            longest[node] = 1 + longest[below].max() if len(below) else 0
        return int(longest[0])

    def values(self, node: int) -> np.ndarray:
        return self.edge_value[int(self.first_edge[node]) : int(self.first_edge[node + 1])]

    def targets(self, node: int) -> np.ndarray:
        return self.edge_target[int(self.first_edge[node]) : int(self.first_edge[node + 1])]

    def counts(self, node: int) -> dict[int, float]:
        entries = slice(int(self.first_count[node]), int(self.first_count[node + 1]))
        return dict(zip(self.count_label[entries].tolist(), self.count[entries].tolist()))

    def answers_at(self, nodes: np.ndarray) -> Answers:
        """Return the class of nodes, with their class counts as votes."""
        return Answers(self.label, self.first_count, self.count_label, self.count).take(nodes)


@dataclass(frozen=True, eq=False)
class ObliviousGraph:
    """A graph over the features in `order`, one per level, merged from a tree of `n_tree_nodes` nodes."""

    schema: Schema
    graph: Graph
    order: np.ndarray
    preference: Preference
    missing_agrees: bool
    n_cases: int
    n_tree_nodes: int
    normalisation: Normalisation = "probability"
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "oblivious_graph"

    def summary(self) -> Summary:
        """Return the model's size: tested features, nodes, branches and classes."""
        graph = self.graph
        asked = f"{len(self.order)} of {format_count(len(self.schema.features), 'feature')} asked"
        counts = {
            "n_cases": self.n_cases,
            "n_nodes": graph.n_nodes,
            "n_leaves": graph.n_leaves,
            "n_edges": graph.n_edges,
            "depth": graph.depth,
            "n_tree_nodes": self.n_tree_nodes,
            "asked": [self.schema.names[i] for i in self.order],
        }
        size = f"{asked}, {format_count(graph.n_nodes, 'node')} (of {self.n_tree_nodes:,} in the tree)"
        return summary_of(self, size, counts)

    def codelength(self) -> float:
        """Return the description length in bits: order of the features, width of each level, target of each branch."""
        n_values = [len(self.schema.features[i].vocabulary or ()) for i in self.order.tolist()]
        n_features = len(self.schema.features)
        return codelengths.oblivious_graph(self.graph.widths, n_values, n_features, len(self.schema.classes))

    def walk(self, cases: Cases, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the node where each case ends, and how many branches it took."""
        asked = question_columns(cases, self.order, self.missing_agrees)
        graph = self.graph
        return _native.walk_graph(
            graph.level, graph.first_edge, graph.edge_value, graph.edge_target, asked, cases.n_cases, n_jobs
        )

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class of the node where each case ends, with the class counts of that node."""
        if cases.n_cases == 0:
            return Answers.none()
        nodes, _ = self.walk(cases, n_jobs=n_jobs)
        if progress:
            progress(cases.n_cases, cases.n_cases)
        return self.graph.answers_at(nodes)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[TreeEvidence]:
        """Return the path of every case through the graph, with the class of each node on it."""
        asked = question_columns(cases, self.order, self.missing_agrees)
        return [self._evidence(case, [int(column[i]) for column in asked]) for i, case in enumerate(cases.one_by_one())]

    def _evidence(self, case: Cases, codes: list[int]) -> TreeEvidence:
        graph, schema, values = self.graph, self.schema, case.values(0)
        node, steps = 0, [self._step(0, None, None)]
        stopped = "leaf: all records that come here have one prediction"
        while len(graph.values(node)):
            level = int(graph.level[node])
            position = int(self.order[level])
            at = np.flatnonzero(graph.values(node) == codes[level])
            if not len(at):
                stopped = why_no_branch(schema.features[position], case.columns[position][0], values[position])
                break
            node = int(graph.targets(node)[at[0]])
            steps.append(self._step(node, schema.names[position], values[position]))
        return TreeEvidence(
            features=schema.names,
            values=tuple(values),
            unseen=unseen_values(case, values),
            label=schema.classes[graph.label[node]],
            votes=steps[-1].counts,
            path=tuple(steps),
            stopped=stopped,
            weights=(),
            target=schema.target,
            n_features_used=len(steps) - 1,
        )

    def _step(self, node: int, feature: str | None, value: Any) -> Step:
        counts = self.graph.counts(node)
        return Step(
            feature,
            value,
            self.schema.classes[self.graph.label[node]],
            {self.schema.classes[c]: n for c, n in counts.items()},
            sum(counts.values()),
        )


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How the feature of each level is chosen, and which nodes are merged."""

    first: ClassVar[str] = "criterion"

    criterion: str = setting(
        "information_gain",
        '{"information_gain", "gain_ratio"}',
        "The measure that chooses the feature of the next level: its conditional mutual information with the class, "
        "given the features above, or this information divided by the feature's conditional entropy.",
        check_name("criterion", CRITERIA),
        kind="choice",
        choices=CRITERIA,
    )
    merge: str = setting(
        "top_down",
        '{"top_down", "compatible", "equal", "none"}',
        "Which nodes of a level are merged: top-down, those whose cases have no more expected errors together than "
        "apart, and then compatible ones; only compatible ones, which never lead to different classes by the same "
        "values; those with equal subtrees; or none.",
        check_name("merge", MERGES),
        kind="choice",
        choices=MERGES,
    )
    confidence: float = setting(
        0.25,
        "float",
        "Confidence level of the pessimistic error estimate, as in C4.5; lower values merge more. Only for "
        'merge="top_down".',
        lambda confidence: checked_confidence(confidence),
        kind="number",
    )
    missing: str = common.missing("Whether a missing value has a branch like any other value, or ends the walk.")
    normalisation: Normalisation = common.normalisation()


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> ObliviousGraph:
    """Return an oblivious decision tree with nodes of a level merged into a graph.

    `merge` is "none" (a tree), "equal" (nodes with equal subtrees), "compatible" (nodes whose subtrees never lead to
    different classes by the same values) or "top_down" (nodes whose cases have no more expected errors together than
    apart, from the root down; then compatible nodes). The expected errors of a leaf are C4.5's pessimistic estimate at
    `confidence`.

    >>> rows = [["a", "x", "P"], ["a", "y", "Q"], ["b", "x", "Q"], ["b", "y", "P"]]
    >>> model = fit(Cases.from_table(rows, target=-1), merge="equal")
    >>> model.graph.n_nodes, model.graph.widths, model.n_tree_nodes
    (5, [1, 2], 7)
    """
    confidence = float(settings.confidence)
    cases = with_symbols(cases, list(range(cases.n_features)))
    preference = preference_of(cases)
    candidates = relevance_order(cases.schema, used_features(cases))
    groups = kinds_of([cases.columns[i] for i in candidates], cases.known_labels, cases.weights).groups
    levels = _native.choose_levels(
        list(groups.columns),
        groups.first_count,
        groups.count_label,
        groups.count,
        preference.frequency,
        preference.rank,
        settings.criterion == "gain_ratio",
    )
    order = [candidates[level] for level in levels.tolist()]
    groups = kinds_of([cases.columns[i] for i in order], cases.known_labels, cases.weights).groups
    grown = _native.grow_graph(
        list(groups.columns),
        groups.first_count,
        groups.count_label,
        groups.count,
        preference.frequency,
        preference.rank,
        MERGES.index(settings.merge),
        confidence,
        NormalDist().inv_cdf(1 - confidence),
    )
    graph = Graph(
        grown["level"],
        grown["first_edge"],
        grown["edge_value"],
        grown["edge_target"],
        grown["label"],
        grown["first_count"],
        grown["count_label"],
        grown["count"],
    )
    # After merging, a level may have no nodes left: its feature is dropped, and the levels below move up.
    used_levels, level = np.unique(graph.level[: graph.n_nodes - graph.n_leaves], return_inverse=True)
    level = np.concatenate([level.ravel(), np.full(graph.n_leaves, len(used_levels))]).astype(np.uint32)
    graph = replace(graph, level=level)
    order = [order[level] for level in used_levels.tolist()]
    dropped = [i for i in range(cases.n_features) if i not in order]
    cases = cases.with_kinds(dict.fromkeys(dropped, "ignored"))
    return ObliviousGraph(
        without_ignored_values(cases.schema),
        graph,
        np.array(order, dtype=np.int64),
        preference,
        checked_missing(settings.missing),
        cases.n_cases,
        grown["n_tree_nodes"],
        checked_normalisation(settings.normalisation),
        settings,
    )


def checked_confidence(confidence: object) -> float:
    if not is_number(confidence) or not 0 < confidence <= 0.5:
        raise CasebaseError(f"confidence is a number above 0 and at most 0.5; got {confidence!r}.")
    return float(confidence)
