"""TRIBL: a tree for the most relevant features, the nearest cases below it.

The tree asks about the first features, by relevance, as in IGTree. If a case has no branch in the tree, the default of
the last node is the answer. If it reaches the end of the tree, the stored cases that share these features are a range
of the sorted memory, and the nearest of them, by the other features, vote as in IB1.

Reference: Daelemans, Van den Bosch, Zavrel, "A feature-relevance heuristic for indexing and compressing
large case bases", section 4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.base.answers import Answers, Preference
from casebase.base.checks import check_whole
from casebase.base.evidence import Evidence
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.settings import internal, setting
from casebase.base.trees import Tree
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.distances import METRICS
from casebase.memory.relevance import Prepared, weights_of
from casebase.memory.segments import question_columns, relevance_order, with_symbols
from casebase.memory.store import Change, Store
from casebase.neighbours.below import CasesBelow
from casebase.neighbours.correctable import relevance_keys
from casebase.neighbours.evidence import Explainer
from casebase.neighbours.ib1 import IB1, from_prepared
from casebase.neighbours.igtree import (
    ends_at_leaf,
    grow,
    tree_evidence,
    tree_without,
    unmatched_weights,
    walk_answers,
    walked_paths,
)
from casebase.neighbours.regrowth import corrected_tree
from casebase.neighbours.search import Neighbours, Questions, scopes
from casebase.neighbours.settings import NeighbourSettings, weighting
from casebase.neighbours.switch import automatic_switch, best_switch, errors_by_switch
from casebase.progress import Progress, part_of

CV = "cv"  # the switch point is chosen by cross-validation


@dataclass(frozen=True, eq=False)
class TRIBL(CasesBelow):
    """A tree over the first `switch` features of the memory, and the cases below it.

    `below` compares the cases that share those features; `weights` are those that ordered the tree. `switch_errors` has
    the cross-validated errors of every switch point that was tried, if it was chosen so.
    """

    below: IB1
    tree: Tree
    weights: np.ndarray
    switch: int
    settings: "Settings" = field(default_factory=lambda: Settings())
    switch_errors: dict[int, float] | None = None

    method: ClassVar[str] = "tribl"

    def summary(self) -> Summary:
        """Return a summary of the model: its tree, cases, weights and classes."""
        n_cases, n_nodes = self.below.memory.n_cases, self.tree.n_nodes
        size = f"switch at {self.switch}, {format_count(n_nodes, 'node')} above {format_count(n_cases, 'case')}"
        counts: dict[str, Any] = {
            "n_cases": n_cases,
            "switch": self.switch,
            "n_nodes": n_nodes,
            "depth": self.tree.depth,
        }
        if self.switch_errors is not None:
            size = size.replace(",", f" of {len(self.below.memory.order)} (chosen by cross-validation),", 1)
            counts["switch_errors"] = self.switch_errors
        return summary_of(self, size, counts, self.weights)

    def without(self, row: int) -> "TRIBL":
        """Return the tree and the memory without one case; weights and the features of the tree stay the same."""
        below, n_above = self.below.without(row), self.switch
        gone = self.below.memory.part(np.array([row]))
        tree = tree_without(self.tree, below.memory, n_above, gone, self.preference, below.preference, compress=False)
        return replace(self, below=below, tree=tree)

    def refit(self, cases: Cases) -> "TRIBL":
        """Return the tree and the memory of other cases with the same settings."""
        return fit(cases, self.settings)

    def corrected(self, store: Store, change: Change, preference: Preference) -> "TRIBL | None":
        """Return the model of a changed store; None if the features of the tree have changed."""
        assert store.tables is not None
        if self.settings.switch == CV:  # the choice depends on all cases
            return None
        settings = self.settings
        weights, keys = store.relevance(**relevance_keys(settings))
        keys = weights if settings.order_by is None else keys
        used = list(store.tables)
        n_above = switch_for(settings, weights[used])
        order = relevance_order(store.schema, used, keys)
        if n_above != self.switch or order[:n_above] != store.memory.order[:n_above].tolist():
            return None
        below = self.below.with_store(store, store.weights(settings.weighting_below), keys, preference)
        tree = corrected_tree(self.tree, store.memory, n_above, change, self.preference, preference, compress=False)
        return None if tree is None else replace(self, below=below, tree=tree, weights=weights)

    def _walk(self, cases: Cases, n_jobs: int) -> tuple[np.ndarray, np.ndarray]:
        order = self.below.memory.order[: self.switch]
        queries = question_columns(cases, order, self.voting.missing_agrees)
        return _native.walk_tree(self.tree.first_child, self.tree.value, queries, cases.n_cases, n_jobs)

    @cached_property
    def _levels(self) -> np.ndarray:
        """The features by relevance: those of the tree, then the others as a new fit would order them.

        A corrected memory may still be sorted by an earlier order of the features below the tree.
        """
        order, metric = self.below.memory.order, self.below.metric
        place = np.argsort(metric.sum_order[0])
        is_numeric = [self.schema.features[position].kind == "numeric" for position in order]
        below = range(self.switch, len(order))
        ranks = sorted(below, key=lambda rank: (is_numeric[rank], -metric.weights[0, rank], place[rank]))
        return order[[*range(self.switch), *ranks]]

    @cached_property
    def _unmatched(self) -> np.ndarray:
        return unmatched_weights(self.weights[self._levels])

    def _questions(self, cases: Cases) -> Questions:
        return self.below.questions(cases, self._scope)

    @cached_property
    def _scope(self) -> np.ndarray:
        """The scope of the search: the cases that agree on the features of the tree."""
        return scopes(self.switch)

    def _reaches_cases(self, depth: np.ndarray) -> np.ndarray:
        reaches: np.ndarray = (depth == self.switch) & (self.switch < len(self.below.memory.order))
        return reaches

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the votes for every case, from the tree or from the cases below it."""
        nodes, depth = self._walk(cases, n_jobs)
        inside = np.flatnonzero(self._reaches_cases(depth))
        n_by_tree = cases.n_cases - len(inside)
        if progress:
            progress(n_by_tree, cases.n_cases)
        if not len(inside):
            return walk_answers(self.tree, nodes, depth, self._unmatched, is_tied_at_root=False)
        asked = self._questions(cases) if n_by_tree == 0 else self._questions(cases).part(inside)
        watched = part_of(progress, n_by_tree, cases.n_cases)
        from_cases = self.below.nearby.answer(asked, retry_exact=False, n_jobs=n_jobs, progress=watched)
        if n_by_tree == 0:  # as usual for a single query: what the nodes would answer is not needed
            return from_cases.with_details(depth=depth, at_leaf=ends_at_leaf(self.tree, nodes, depth))
        answers = walk_answers(self.tree, nodes, depth, self._unmatched, is_tied_at_root=False)
        return answers.replace_at(inside, from_cases)

    def deciding(self, cases: Cases, *, n_jobs: int = 1) -> Neighbours:
        """Return the neighbours that were considered for every case; none where the tree answered."""
        _, depth = self._walk(cases, n_jobs)
        inside = np.flatnonzero(self._reaches_cases(depth))
        nothing = Neighbours.none(cases.n_cases)
        if not len(inside):
            return nothing
        found = self.below.nearby.deciding(self._questions(cases).part(inside), retry_exact=False, n_jobs=n_jobs)
        return nothing.replace_at(inside, found)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[Evidence]:
        """Return the path through the tree and, below it, the cases that decided."""
        _, depth = self._walk(cases, 1)
        below, reaches = self.below, self._reaches_cases(depth)
        order = below.memory.order[: self.switch]
        queries = question_columns(cases, order, self.voting.missing_agrees)
        walks = walked_paths(self.tree, self.schema, order, queries, cases)
        explainer = Explainer(below.nearby, below.weights, retry_exact=False)
        evidence: dict[int, Evidence] = {}
        if not reaches.all():
            outside = np.flatnonzero(~reaches)
            ended = [walks[i] for i in outside.tolist()]
            by_tree = tree_evidence(self.tree, self.schema, self.weights, cases.take(outside), ended)
            evidence |= zip(outside.tolist(), by_tree)
        if reaches.any():
            inside = np.flatnonzero(reaches)
            asked, among = self._questions(cases), cases
            if len(inside) < cases.n_cases:
                asked, among = asked.part(inside), cases.take(inside)
            paths = [walks[i].steps for i in inside.tolist()]
            evidence |= zip(inside.tolist(), explainer.evidence(among, asked, limit, paths))
        return [evidence[i] for i in range(cases.n_cases)]


@dataclass(frozen=True, kw_only=True)
class Settings(NeighbourSettings):
    """How many features form the tree, and how cases are compared below it."""

    first: ClassVar[str] = "switch"

    switch: int | str = setting(
        "auto",
        'int, "auto" or "cv"',
        'Number of features in the tree, by descending weight; "auto" takes those whose weight exceeds the mean by '
        'more than one standard deviation, "cv" the number with the fewest errors in a cross-validation of the '
        "training cases.",
        check_whole("switch", "the number of features in the tree", 0, f"auto|{CV}"),
        kind="whole",
        word=f"auto|{CV}",
    )
    weighting_below: Any = weighting("none", "The weights for comparing cases below the tree.")
    chosen: int | None = internal(None)  # what cross-validation has chosen

    added: ClassVar[Mapping[str, Any]] = {**NeighbourSettings.added, "chosen": None}

    def for_sample(self) -> "Settings":
        return self if self.chosen is None else replace(self, switch=self.chosen, chosen=None)


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> TRIBL:
    """Return a tree over the most relevant features with the cases below it.

    `weighting` orders the tree, `weighting_below` weighs the features below it; `switch` is the number of
    features in the tree, "auto" or "cv".
    """
    prepared = _prepared(cases, settings)
    if settings.switch != CV:
        return _with_switch(prepared, settings, switch_for(settings, prepared.weights[list(prepared.tables)]))

    def fit_each(some: Cases, switches: Sequence[int]) -> list[TRIBL]:
        known = _prepared(settings.before_fit(some), settings)
        return [_with_switch(known, settings, switch) for switch in switches]

    n_features = len(prepared.tables)
    errors = errors_by_switch(cases, n_features, fit_each, n_jobs=n_jobs, progress=progress)
    n_above = best_switch(errors) if errors else automatic_switch(prepared.weights[list(prepared.tables)])
    return replace(_with_switch(prepared, replace(settings, chosen=n_above), n_above), switch_errors=errors)


def _prepared(cases: Cases, settings: Settings) -> Prepared:
    prepared = settings.prepare(cases)
    refuse_whole_rows(prepared)
    return prepared


def _with_switch(prepared: Prepared, settings: Settings, n_above: int) -> TRIBL:
    """Return the model with this many features in the tree."""
    voting, used = settings.voting(prepared.cases), list(prepared.tables)
    keys = prepared.weights if settings.order_by is None else prepared.keys
    n_above = min(n_above, len(used))
    above = relevance_order(prepared.cases.schema, used, keys)[:n_above]
    below_weights = weights_of(prepared.cases, settings.weighting_below, prepared.tables, settings.quirks)
    cases = with_symbols(prepared.cases, above)
    metrics = [
        "overlap" if i in above and METRICS[name] == "numeric" else name for i, name in enumerate(prepared.metrics)
    ]
    below = from_prepared(
        replace(prepared, cases=cases, metrics=metrics, keys=keys), voting, settings, first=above, weights=below_weights
    )
    stored = below.memory.segments[0]
    tree = grow(list(stored.columns[:n_above]), stored.labels, stored.counts, voting.preference, compress=False)
    return TRIBL(below, tree, prepared.weights, n_above, settings)


def switch_for(settings: Settings, weights: np.ndarray) -> int:
    """Return the number of features in the tree, given their weights."""
    if isinstance(settings.switch, str):
        return automatic_switch(weights)
    return min(settings.switch, len(weights))


def refuse_whole_rows(prepared: Prepared) -> None:
    for name in prepared.metrics:
        if name in ("cosine", "dot"):
            raise CasebaseError(
                f"The metric {name!r} compares whole rows of numbers, and a tree would use only a part: use IB1."
            )
