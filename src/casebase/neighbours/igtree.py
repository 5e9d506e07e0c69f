"""IGTree: the memory compressed into a tree, the most relevant feature at the root.

A node stands for all cases that agree on the features above it, and its default is their most frequent class. A node
whose cases have one class is not expanded, and a leaf with the default of its parent is removed: the tree still answers
every training case as the full tree would, with a fraction of the nodes. A new case follows the branches of its values;
at the first value without a branch, the default of the last node is the answer.

Reference: Daelemans, Van den Bosch, Zavrel, "A feature-relevance heuristic for indexing and compressing
large case bases", Figure 1.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

import numpy as np

from casebase import _native
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.checks import check_flag, checked_missing
from casebase.base.container import release
from casebase.base.evidence import Step, TreeEvidence
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.quotes import unseen_in_each, why_no_branch
from casebase.base.settings import setting
from casebase.base.trees import Tree
from casebase.data import Cases, Schema
from casebase.errors import CasebaseError
from casebase.measures import codelengths
from casebase.measures.counts import Counts
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.memory.segments import (
    BLOCK,
    Memory,
    Segment,
    question_columns,
    relevance_order,
    sorted_segment,
    with_symbols,
    without_ignored_values,
)
from casebase.memory.store import Change, Store, in_one_segment, without_rows
from casebase.neighbours.correctable import KeepsCases, refuse_limit, relevance_keys
from casebase.neighbours.regrowth import corrected_tree
from casebase.neighbours.settings import RelevanceSettings
from casebase.progress import Progress


@dataclass(frozen=True, eq=False)
class IGTree(KeepsCases):
    """A tree over the features in `order`, the most relevant first.

    `memory` has the cases that the tree was grown from, if they were kept; corrections need them.
    """

    schema: Schema
    tree: Tree
    order: np.ndarray
    weights: np.ndarray
    missing_agrees: bool
    preference: Preference
    n_cases: int
    normalisation: Normalisation = "probability"
    memory: Memory | None = None
    tables: dict[int, Counts] | None = None
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "igtree"

    @property
    def compression(self) -> float:
        """The share of the memory's values that the tree saves.

        The memory stores one value per case and feature, the tree one per node.
        """
        return 1.0 - self.tree.n_nodes / (self.n_cases * len(self.order))

    def codelength(self) -> float:
        """Return the codelength of the tree in bits: order of the features, branches, default classes."""
        branching: Counter[tuple[int, int]] = Counter()  # a large tree has few different numbers of branches
        for feature, level in zip(self.order.tolist(), self.tree.levels):
            n_children = np.diff(self.tree.first_child[level.start : level.stop + 1])
            for n, times in enumerate(np.bincount(n_children).tolist()):
                if n and times:
                    branching[_n_values(self.schema, feature), n] += times
        n_leaves = self.tree.n_nodes - branching.total()
        return codelengths.igtree(branching, len(self.order), self.tree.depth, n_leaves, len(self.schema.classes))

    def summary(self) -> Summary:
        """Return a summary of the model: nodes, depth, compression, weights and classes."""
        nodes, depth = self.tree.n_nodes, self.tree.depth
        size = f"{format_count(nodes, 'node')}, depth {depth}, {self.compression:.1%} compression"
        counts = {"n_cases": self.n_cases, "n_nodes": nodes, "depth": depth, "compression": self.compression}
        return summary_of(self, size, counts, self.weights)

    def stored_memory(self) -> Memory | None:
        return self.memory

    def store(self) -> Store:
        """Return the cases with their counts, if they were kept."""
        refuse_limit(self.settings)
        if self.memory is None:
            raise CasebaseError(
                "This tree was grown without keeping its cases (keep_cases=False), so it cannot be corrected. Fit it "
                "again with keep_cases=True (--keep-cases)."
            )
        return Store(self.schema, self.memory, self.tables)

    def without(self, row: int) -> "IGTree":
        """Return the tree without one case; weights and the order of the features stay the same."""
        assert self.memory is not None, "only a case that was kept has a row"
        preference = self.preference.without(*self.memory.label_and_weight(row))
        memory, gone = without_rows(self.memory, np.array([row])), self.memory.part(np.array([row]))
        tree = tree_without(self.tree, memory, len(self.order), gone, self.preference, preference, compress=True)
        return replace(self, tree=tree, preference=preference, memory=memory, n_cases=self.n_cases - 1)

    def refit(self, cases: Cases) -> "IGTree":
        """Return the tree of other cases with the same settings."""
        return fit(cases, self.settings)

    def corrected(self, store: Store, change: Change, preference: Preference) -> "IGTree | None":
        """Return the tree of a changed store; None if the order of its features has changed."""
        assert store.tables is not None
        weights, keys = store.relevance(**relevance_keys(self.settings))
        keys = weights if self.settings.order_by is None else keys
        order = relevance_order(store.schema, list(store.tables), keys)
        if order != store.memory.order.tolist():
            return None
        tree = corrected_tree(self.tree, store.memory, len(order), change, self.preference, preference, compress=True)
        if tree is None:
            return None
        return replace(
            self,
            schema=store.schema,
            tree=tree,
            weights=weights,
            preference=preference,
            memory=store.memory,
            n_cases=store.memory.n_cases,
            tables=store.tables,
        )

    def walk(self, cases: Cases, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the last node that matched each case, and how many features matched."""
        queries = question_columns(cases, self.order, self.missing_agrees)
        return _native.walk_tree(self.tree.first_child, self.tree.value, queries, cases.n_cases, n_jobs)

    @cached_property
    def _unmatched(self) -> np.ndarray:
        return unmatched_weights(self.weights[self.order])

    @cached_property
    def _is_tied_at_root(self) -> bool:
        counts = sorted(self.tree.counts(0).values())
        return len(counts) > 1 and counts[-1] == counts[-2]

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the default class and the class counts of the node where each walk ends."""
        nodes, depth = self.walk(cases, n_jobs=n_jobs)
        if progress:
            progress(cases.n_cases, cases.n_cases)
        return walk_answers(self.tree, nodes, depth, self._unmatched, is_tied_at_root=self._is_tied_at_root)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[TreeEvidence]:
        """Return the path of every case through the tree, with the default at each node."""
        queries = question_columns(cases, self.order, self.missing_agrees)
        walks = walked_paths(self.tree, self.schema, self.order, queries, cases)
        return tree_evidence(self.tree, self.schema, self.weights, cases, walks)


def _n_values(schema: Schema, feature: int) -> int:
    vocabulary = schema.features[feature].vocabulary
    assert vocabulary is not None, "a tree asks whether symbols are equal"
    return len(vocabulary)


@dataclass(frozen=True, kw_only=True)
class Settings(RelevanceSettings):
    """How IGTree orders its features."""

    first: ClassVar[str] = "weighting"

    keep_cases: bool = setting(
        True,
        "bool",
        "Whether to keep the cases beside the tree, so that it can be corrected (`insert`, `remove`, `update`).",
        check_flag("keep_cases"),
        kind="flag",
        option="--keep-cases/--no-keep-cases",
    )

    def for_sample(self) -> "Settings":
        return replace(self, keep_cases=False)


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> IGTree:
    """Return the cases compressed into a tree: one feature per level, by descending weight.

    With `keep_cases` the model keeps the cases beside the tree, so that it can be corrected.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"]], target=-1)
    >>> fit(cases).tree.n_nodes
    2
    """
    preference, prepared = preference_of(cases, settings.quirks), settings.prepare(cases)
    for name in prepared.metrics:
        if name not in ("overlap", "numeric", "ignored"):
            raise CasebaseError(
                f"A tree asks whether values are equal: its metric is 'overlap' ('numeric' for weights from bins, "
                f"'ignored' for features to leave out), not {name!r}."
            )
    keys = prepared.weights if settings.order_by is None else prepared.keys
    order = relevance_order(cases.schema, list(prepared.tables), keys)
    cases = with_symbols(prepared.cases, order)
    memory = Memory(np.array(order, dtype=np.int64), (sorted_segment(cases, order),))
    stored = memory.segments[0]
    tree = grow(list(stored.columns), stored.labels, stored.counts, preference)
    return IGTree(
        without_ignored_values(cases.schema),
        tree,
        memory.order,
        prepared.weights,
        checked_missing(settings.missing),
        preference,
        cases.n_cases,
        checked_normalisation(settings.normalisation),
        memory if settings.keep_cases else None,
        dict(prepared.tables) if settings.keep_cases else None,
        settings,
    )


def walk_answers(
    tree: Tree, nodes: np.ndarray, depth: np.ndarray, unmatched: np.ndarray, *, is_tied_at_root: bool
) -> Answers:
    """Return the defaults of the nodes where walks ended; `unmatched` has the distance for each depth.

    A tie is reported only at the root: in other nodes it was decided when the tree was grown.
    """
    answers = tree.answers_at(nodes)
    was_tied = (depth == 0) & is_tied_at_root
    return answers.with_details(unmatched[depth], was_tied, depth, ends_at_leaf(tree, nodes, depth))


def ends_at_leaf(tree: Tree, nodes: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """Return whether each walk ended at a leaf; the root is none."""
    is_leaf: np.ndarray = tree.first_child[nodes] == tree.first_child[nodes.astype(np.int64) + 1]
    return is_leaf & (depth > 0)


def unmatched_weights(weights: np.ndarray) -> np.ndarray:
    """Return, for each depth, the sum of the weights below it: the features that did not match.

    >>> unmatched_weights(np.array([0.5, 0.25])).tolist()
    [0.75, 0.25, 0.0]
    """
    # Each sum is taken by itself, from left to right: its last bits depend on that. Weights of zero at the end change
    # nothing, and a file may declare a hundred thousand features that no case has.
    n_weighted = int(np.flatnonzero(weights)[-1]) + 1 if weights.any() else 0
    sums = np.zeros(len(weights) + 1)
    sums[:n_weighted] = [sum(weights[depth:n_weighted].tolist()) for depth in range(n_weighted)]
    return sums


def grow(
    columns: list[np.ndarray],
    labels: np.ndarray,
    counts: np.ndarray | None,
    preference: Preference,
    *,
    compress: bool = True,
) -> Tree:
    """Return a tree over sorted columns.

    Without `compress` every path goes down to the last column, as TRIBL needs it to find the cases below.
    """
    stream = _native.TreeStream(len(columns), preference.frequency, preference.rank, compress)
    for start in range(0, len(labels), BLOCK):  # the columns may be larger than memory, and mapped
        part = slice(start, start + BLOCK)
        stream.add([column[part] for column in columns], labels[part], None if counts is None else counts[part])
        for array in (*columns, labels):
            release(array, array[part])
    arrays = stream.finish()
    return Tree(
        arrays["first_child"],
        arrays["value"],
        arrays["label"],
        arrays["first_count"],
        arrays["count_label"],
        arrays["count"],
    )


def tree_without(
    tree: Tree, memory: Memory, n_levels: int, gone: Segment, before: Preference, after: Preference, *, compress: bool
) -> Tree:
    """Return the tree over the first features of a memory from which some cases are gone."""
    change = Change.of(gone, gone.part(np.empty(0, dtype=np.int64)))
    corrected = corrected_tree(tree, memory, n_levels, change, before, after, compress=compress)
    if corrected is not None:
        return corrected
    stored = in_one_segment(memory)
    return grow(list(stored.columns[:n_levels]), stored.labels, stored.counts, after, compress=compress)


class Walk(NamedTuple):
    """The steps of one case down a tree, the node where they ended, and why they ended there."""

    steps: tuple[Step, ...]
    node: int
    why: str


def walked_paths(tree: Tree, schema: Schema, order: np.ndarray, queries: list[np.ndarray], cases: Cases) -> list[Walk]:
    """Return the walk of every case down the tree; `queries` are the columns in the order of the levels."""
    codes = zip(*(column.tolist() for column in queries)) if queries else repeat((), cases.n_cases)
    return [_walk(tree, schema, order, *one) for one in zip(codes, cases.all_values())]


def _walk(tree: Tree, schema: Schema, order: np.ndarray, codes: Sequence[int], values: Sequence[Any]) -> Walk:
    def step(node: int, feature: str | None, value: Any) -> Step:
        counts = tree.counts(node)
        return Step(
            feature,
            value,
            schema.classes[tree.label[node]],
            {schema.classes[c]: n for c, n in counts.items()},
            sum(counts.values()),
        )

    node, steps = 0, [step(0, None, None)]
    for rank, feature_position in enumerate(order.tolist()):
        feature = schema.features[feature_position]
        if tree.first_child[node] == tree.first_child[node + 1]:
            return Walk(tuple(steps), node, "leaf: no stored record below this node says otherwise")
        child = tree.child(node, codes[rank])
        if child is None:
            why = why_no_branch(feature, codes[rank], values[feature_position], is_compressed=True)
            return Walk(tuple(steps), node, why)
        node = child
        steps.append(step(node, feature.name, values[feature_position]))
    return Walk(tuple(steps), node, "all features matched")


def tree_evidence(
    tree: Tree, schema: Schema, weights: np.ndarray, cases: Cases, walks: Sequence[Walk]
) -> list[TreeEvidence]:
    """Return the evidence for cases that the last node of their walk answers."""
    names, values, shown_weights = schema.names, cases.all_values(), tuple(weights.tolist())
    return [
        TreeEvidence(
            features=names,
            values=values[i],
            unseen=unseen,
            label=schema.classes[tree.label[walk.node]],
            votes=walk.steps[-1].counts,
            path=walk.steps,
            stopped=walk.why,
            weights=shown_weights,
            target=schema.target,
            n_features_used=len(walk.steps) - 1,
        )
        for i, (walk, unseen) in enumerate(zip(walks, unseen_in_each(cases, values)))
    ]
