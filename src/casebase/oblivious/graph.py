"""Oblivious decision graphs: every level tests one feature, and similar nodes of a level are merged.

There are two methods. EODG is that of `eodg`. The other one tests symbols until all training cases are told apart that
can be. The feature of a level has the greatest conditional mutual information with the class, given the features above.
This gives an oblivious tree, in which the same subtree occurs in many places. Merging turns the tree into a graph.
Nodes are merged if their subtrees are equal; if they are compatible, that is, never lead to different classes by the
same values; or, top-down, if their cases together have no more expected errors than apart.

Reference: Kohavi, Li, "Oblivious decision trees, graphs, and top-down pruning" (1995).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.base import common, intervals
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.checks import check_name, checked_missing
from casebase.base.evidence import Step, TreeEvidence
from casebase.base.intervals import NOT_CUT, CutsFirst
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
from casebase.oblivious import eodg
from casebase.oblivious.eodg import Levels
from casebase.progress import Progress

METHODS = ("eodg", "consistent")
CRITERIA = ("information_gain", "gain_ratio")
CONFIDENCE = 0.25
MERGES = ("none", "equal", "compatible", "top_down")


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes level by level; node 0 is the root. The test nodes come first, then one leaf per class.

    The branches of node n are entries `first_edge[n]` to `first_edge[n + 1]`, by ascending value: the code of a value
    and the node that it leads to. A node of level l tests feature l of the order; leaves have the last level. The class
    counts of node n, `first_count[n]` to `first_count[n + 1]`, are those of the training cases that pass through it.
    `otherwise` has the node to which values without a branch lead; the node itself, or None for all, ends the walk.
    """

    level: np.ndarray
    first_edge: np.ndarray
    edge_value: np.ndarray
    edge_target: np.ndarray
    label: np.ndarray
    first_count: np.ndarray
    count_label: np.ndarray
    count: np.ndarray
    otherwise: np.ndarray | None = None

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

    @cached_property
    def otherwise_of(self) -> np.ndarray:
        """The node to which values without a branch lead, from each node; the node itself if they end the walk."""
        return np.arange(self.n_nodes, dtype=np.uint32) if self.otherwise is None else self.otherwise

    def counts(self, node: int) -> dict[int, float]:
        entries = slice(int(self.first_count[node]), int(self.first_count[node + 1]))
        return dict(zip(self.count_label[entries].tolist(), self.count[entries].tolist()))

    def answers_at(self, nodes: np.ndarray) -> Answers:
        """Return the class of nodes, with their class counts as votes."""
        return Answers(self.label, self.first_count, self.count_label, self.count).take(nodes)


@dataclass(frozen=True, eq=False)
class ObliviousGraph:
    """A graph over the features in `order`, one per level, merged from a tree of `n_tree_nodes` nodes.

    `thresholds` has the threshold of each level that tests a number, NaN for symbols; its branches are 0 for numbers up
    to the threshold, 1 for those above, and 2 for missing ones. `n_thresholds` is the number of thresholds of its
    feature that could have been chosen, 0 for symbols. Both are None if all levels test symbols.
    """

    schema: Schema
    graph: Graph
    order: np.ndarray
    preference: Preference
    missing_agrees: bool
    n_cases: int
    n_tree_nodes: int
    normalisation: Normalisation = "probability"
    settings: "Settings" = field(default_factory=lambda: Settings())
    thresholds: np.ndarray | None = None
    n_thresholds: np.ndarray | None = None

    method: ClassVar[str] = "oblivious_graph"

    @cached_property
    def levels(self) -> Levels:
        symbols = np.full(len(self.order), np.nan)
        return Levels(self.order, symbols if self.thresholds is None else self.thresholds)

    def n_values(self, level: int) -> int:
        """Return the number of branches that a node of a level can have."""
        vocabulary = self.schema.features[self.order[level]].vocabulary
        return eodg.N_BRANCHES if vocabulary is None else len(vocabulary)

    def value(self, level: int, code: int) -> Any:
        """Return the value of a branch, or the interval of a number as text; None is missing."""
        threshold = float(self.levels.thresholds[level])
        if np.isnan(threshold):
            return self.schema.features[self.order[level]].value(code)
        return None if code == eodg.MISSING else f"{'>' if code == eodg.ABOVE else '≤'} {threshold:.6g}"

    def columns(self, cases: Cases) -> list[np.ndarray]:
        """Return the branch that each case takes at each level; unknown values have one that no node has."""
        if self.thresholds is None:
            return question_columns(cases, self.order, self.missing_agrees)
        is_symbol = np.isnan(self.thresholds)
        symbols = iter(question_columns(cases, self.order[is_symbol], self.missing_agrees))
        numbers = self.levels.columns(cases, eodg.MISSING if self.missing_agrees else eodg.UNKNOWN)
        return [next(symbols) if known else column for known, column in zip(is_symbol.tolist(), numbers)]

    def summary(self) -> Summary:
        """Return the model's size: tested features, nodes, branches and classes."""
        graph = self.graph
        n_asked = len(np.unique(self.order))
        asked = f"{n_asked} of {format_count(len(self.schema.features), 'feature')} asked"
        if len(self.order) > n_asked:
            asked += f" on {len(self.order)} levels"
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
        n_values = [self.n_values(level) for level in range(len(self.order))]
        n_features, n_thresholds = len(self.schema.features), self.n_thresholds
        return codelengths.oblivious_graph(
            self.graph.widths,
            n_values,
            n_features,
            len(self.schema.classes),
            None if n_thresholds is None else n_thresholds.tolist(),
            skips=self.graph.otherwise is not None,
        )

    def walk(self, cases: Cases, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the node where each case ends, and how many branches it took."""
        asked, graph = self.columns(cases), self.graph
        return _native.walk_graph(
            graph.level,
            graph.first_edge,
            graph.edge_value,
            graph.edge_target,
            graph.otherwise_of,
            asked,
            cases.n_cases,
            n_jobs,
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
        asked = self.columns(cases)
        return [self._evidence(case, [int(column[i]) for column in asked]) for i, case in enumerate(cases.one_by_one())]

    def _evidence(self, case: Cases, codes: list[int]) -> TreeEvidence:
        graph, schema, values = self.graph, self.schema, case.values(0)
        node, steps = 0, [self._step(0, None, None)]
        used: set[int] = set()
        guessed: list[str] = []
        stopped = "leaf: all records that come here have one prediction"
        while len(graph.values(node)):
            level = int(graph.level[node])
            position = int(self.order[level])
            at = np.flatnonzero(graph.values(node) == codes[level])
            other = int(graph.otherwise_of[node])
            if not len(at):
                why = why_no_branch(schema.features[position], case.columns[position][0], values[position])
                if other == node:
                    stopped = why
                    break
                guessed.append(why)
            shown = values[position]
            if len(at):
                used.add(position)
                if schema.features[position].vocabulary is None:
                    shown = self.value(level, codes[level])
            node = int(graph.targets(node)[at[0]]) if len(at) else other
            steps.append(self._step(node, schema.names[position], shown))
        if guessed:
            stopped = f"leaf; {' and '.join(guessed)}, so the largest branch was taken"
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
            n_features_used=len(used),
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
class Settings(CutsFirst, BaseSettings):
    """How the feature of each level is chosen, and which nodes are merged."""

    first: ClassVar[str] = "method"
    added: ClassVar[Mapping[str, Any]] = {"method": "consistent"} | NOT_CUT

    method: str | None = setting(
        None,
        '{"eodg", "consistent"}',
        "How the graph is grown. EODG cross-validates the number of levels and compares numbers with thresholds; it is "
        "the default. The other method tests features until all training cases are told apart that can be, numbers as "
        "symbols; it is meant if one of `criterion`, `merge` and `confidence` is given, which are its own.",
        lambda method: method is None or check_name("method", METHODS)(method),
        kind="choice",
        choices=METHODS,
    )
    criterion: str | None = setting(
        None,
        '{"information_gain", "gain_ratio"}',
        "The measure that chooses the feature of the next level: its conditional mutual information with the class, "
        "given the features above (the default), or this information divided by the feature's conditional entropy. "
        'Only for method="consistent".',
        lambda criterion: criterion is None or check_name("criterion", CRITERIA)(criterion),
        kind="choice",
        choices=CRITERIA,
    )
    merge: str | None = setting(
        None,
        '{"top_down", "compatible", "equal", "none"}',
        "Which nodes of a level are merged: top-down, those whose cases have no more expected errors together than "
        "apart, and then compatible ones (the default); only compatible ones, which never lead to different classes by "
        'the same values; those with equal subtrees; or none. Only for method="consistent".',
        lambda merge: merge is None or check_name("merge", MERGES)(merge),
        kind="choice",
        choices=MERGES,
    )
    confidence: float | None = setting(
        None,
        "float",
        "Confidence level of the pessimistic error estimate, as in C4.5, 0.25 by default; lower values merge more. "
        'Only for method="consistent" with merge="top_down".',
        lambda confidence: confidence is None or checked_confidence(confidence),
        kind="number",
    )
    missing: str = common.missing("Whether a missing value has a branch like any other value, or ends the walk.")
    discretise: str = intervals.cuts_first()
    n_bins: int = intervals.n_bins()
    normalisation: Normalisation = common.normalisation()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method == "eodg" and self._own:
            name, value = next(iter(self._own.items()))
            raise CasebaseError(
                f"{name}={value!r} is a setting of method='consistent'; EODG chooses and merges by rules of its own. "
                f"Leave {name} out, or the method."
            )

    @property
    def _own(self) -> dict[str, Any]:
        """The settings given that only the method "consistent" has."""
        own = {"criterion": self.criterion, "merge": self.merge, "confidence": self.confidence}
        return {name: value for name, value in own.items() if value is not None}

    @property
    def method_used(self) -> str:
        """The method that is meant: the one given, or EODG unless settings of the other one are given."""
        return self.method or ("consistent" if self._own else "eodg")


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> ObliviousGraph:
    """Return an oblivious decision tree with nodes of a level merged into a graph.

    EODG is that of `eodg`. With the method "consistent", `merge` is "none" (a tree), "equal" (nodes with equal
    subtrees), "compatible" (nodes whose subtrees never lead to different classes by the same values) or "top_down"
    (nodes whose cases have no more expected errors together than apart, from the root down; then compatible nodes). The
    expected errors of a leaf are C4.5's pessimistic estimate at `confidence`.

    >>> rows = [["a", "x", "P"], ["a", "y", "Q"], ["b", "x", "Q"], ["b", "y", "P"]]
    >>> model = fit(Cases.from_table(rows, target=-1), merge="equal")
    >>> model.graph.n_nodes, model.graph.widths, model.n_tree_nodes
    (5, [1, 2], 7)
    """
    preference = preference_of(cases)
    candidates = relevance_order(cases.schema, used_features(cases))
    if settings.method_used == "eodg":
        levels, grown = eodg.learn(cases, candidates, preference, progress)
    else:
        cases = with_symbols(cases, list(range(cases.n_features)))
        order, grown = _consistent(cases, candidates, settings, preference, progress)
        levels = Levels(np.array(order, dtype=np.int64), np.full(len(order), np.nan))
    if progress:
        progress(1000, 1000)
    return _as_model(cases, settings, preference, levels, grown)


def _consistent(
    cases: Cases, candidates: Sequence[int], settings: Settings, preference: Preference, progress: Progress | None
) -> tuple[list[int], "_native._Graph"]:
    """Return the feature of each level, so that all training cases are told apart that can be, and the nodes."""
    confidence = CONFIDENCE if settings.confidence is None else float(settings.confidence)
    groups = kinds_of([cases.columns[i] for i in candidates], cases.known_labels, cases.weights).groups
    levels = _native.choose_levels(
        list(groups.columns),
        groups.first_count,
        groups.count_label,
        groups.count,
        preference.frequency,
        preference.rank,
        settings.criterion == "gain_ratio",
        eodg.share_of(progress, 0.0, 0.5),
    )
    order = [candidates[level] for level in levels.tolist()]
    groups = kinds_of([cases.columns[i] for i in order], cases.known_labels, cases.weights).groups
    return order, _native.grow_graph(
        list(groups.columns),
        groups.first_count,
        groups.count_label,
        groups.count,
        preference.frequency,
        preference.rank,
        MERGES.index(settings.merge or "top_down"),
        confidence,
        NormalDist().inv_cdf(1 - confidence),
        eodg.share_of(progress, 0.5, 1.0),
    )


def _as_model(
    cases: Cases, settings: Settings, preference: Preference, levels: Levels, grown: "_native._Graph"
) -> ObliviousGraph:
    otherwise = grown["otherwise"]
    graph = Graph(
        grown["level"],
        grown["first_edge"],
        grown["edge_value"],
        grown["edge_target"],
        grown["label"],
        grown["first_count"],
        grown["count_label"],
        grown["count"],
        otherwise if settings.method_used == "eodg" else None,
    )
    # After merging, a level may have no nodes left: its feature is dropped, and the levels below move up.
    used_levels, level = np.unique(graph.level[: graph.n_nodes - graph.n_leaves], return_inverse=True)
    level = np.concatenate([level.ravel(), np.full(graph.n_leaves, len(used_levels))]).astype(np.uint32)
    graph = replace(graph, level=level)
    order, thresholds = levels.order[used_levels], levels.thresholds[used_levels]
    n_thresholds = None
    if not np.isnan(thresholds).all():
        n_thresholds = np.array(
            [0 if np.isnan(t) else _n_cuts(cases.columns[i]) for i, t in zip(order.tolist(), thresholds.tolist())],
            dtype=np.uint32,
        )
    dropped = [i for i in range(cases.n_features) if i not in order]
    cases = cases.with_kinds(dict.fromkeys(dropped, "ignored"))
    return ObliviousGraph(
        without_ignored_values(cases.schema),
        graph,
        order,
        preference,
        checked_missing(settings.missing),
        cases.n_cases,
        grown["n_tree_nodes"],
        checked_normalisation(settings.normalisation),
        settings,
        None if n_thresholds is None else thresholds,
        n_thresholds,
    )


def _n_cuts(numbers: np.ndarray) -> int:
    return len(np.unique(numbers[~np.isnan(numbers)])) - 1


def checked_confidence(confidence: object) -> float:
    if not is_number(confidence) or not 0 < confidence <= 0.5:
        raise CasebaseError(f"confidence is a number above 0 and at most 0.5; got {confidence!r}.")
    return float(confidence)
