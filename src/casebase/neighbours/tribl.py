"""TRIBL: a tree for the features that stand out, the nearest cases below it.

The first features, by relevance, are walked as in IGTree. A case that leaves the tree before its end is
answered by the default of the last node. One that reaches the end finds the cases that share those
features, a range of the sorted memory, and the nearest of them, by the other features, vote as in IB1.

Reference: Daelemans, Van den Bosch, Zavrel, "A feature-relevance heuristic for indexing and compressing
large case bases", section 4.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase import _native
from casebase.base.answers import Answers
from casebase.base.evidence import Evidence
from casebase.base.progress import Progress
from casebase.base.recording import recorded
from casebase.base.trees import Tree
from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError
from casebase.measures.distances import METRICS
from casebase.measures.votes import Normalisation
from casebase.memory.relevance import MetricNames, Prepared, prepared, weights_of
from casebase.memory.segments import question_columns, relevance_order, with_symbols
from casebase.neighbours.comparison import CLIP
from casebase.neighbours.evidence import Explainer
from casebase.neighbours.ib1 import IB1, remembered
from casebase.neighbours.igtree import grow, tree_evidence, walk_answers, walked_path
from casebase.neighbours.search import NO_ROW, Neighbours, Questions, Voting, voting_for


@dataclass(frozen=True, eq=False)
class TRIBL:
    """A tree over the first `switch` features of the memory, and the cases below it.

    `below` compares the cases that share those features; `weights` are those that ordered the tree.
    """

    below: IB1
    tree: Tree
    weights: np.ndarray
    switch: int
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        return self.below.schema

    @property
    def voting(self) -> Voting:
        return self.below.voting

    @property
    def normalisation(self) -> Normalisation:
        return self.voting.normalisation

    def _walk(self, cases: Cases, n_jobs: int) -> tuple[np.ndarray, np.ndarray]:
        order = self.below.memory.order[: self.switch]
        queries = question_columns(cases, order, self.voting.missing_agrees)
        return _native.walk_tree(self.tree.first_child, self.tree.value, queries, cases.n_cases, n_jobs)

    @cached_property
    def _levels(self) -> np.ndarray:
        """The features by relevance: those of the tree, then the others as a new memory would have them.

        A memory that was corrected may still be sorted by an earlier order of the features below the tree.
        """
        order, metric = self.below.memory.order, self.below.metric
        place = np.argsort(metric.sum_order[0])
        is_numeric = [self.schema.features[position].kind == "numeric" for position in order]
        below = range(self.switch, len(order))
        ranks = sorted(below, key=lambda rank: (is_numeric[rank], -metric.weights[0, rank], place[rank]))
        return order[[*range(self.switch), *ranks]]

    def _asked(self, cases: Cases) -> Questions:
        return self.below.questions(cases, np.array([[self.switch, NO_ROW, 0]], dtype=np.uint32))

    def _reaches_cases(self, depth: np.ndarray) -> np.ndarray:
        return (depth == self.switch) & (self.switch < len(self.below.memory.order))

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the votes for every case, from the tree or from the cases below it."""
        nodes, depth = self._walk(cases, n_jobs)
        answers = walk_answers(self.tree, nodes, depth, self.weights[self._levels], is_tied_at_root=False)
        inside = np.flatnonzero(self._reaches_cases(depth))
        if progress:
            progress(cases.n_cases - len(inside))
        if not len(inside):
            return answers
        from_cases = self.below.nearby.answer(
            self._asked(cases).part(inside), retry_exact=False, n_jobs=n_jobs, progress=progress
        )
        return answers.replaced(inside, from_cases)

    def deciding(self, cases: Cases, *, n_jobs: int = 1) -> Neighbours:
        """Return the groups of cases that were asked, for every case; none where the tree answered."""
        _, depth = self._walk(cases, n_jobs)
        inside = np.flatnonzero(self._reaches_cases(depth))
        nothing = Neighbours.none(cases.n_cases)
        if not len(inside):
            return nothing
        found = self.below.nearby.deciding(self._asked(cases).part(inside), retry_exact=False, n_jobs=n_jobs)
        return nothing.replaced(inside, found)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[Evidence]:
        """Return the path through the tree and, below it, the cases that decided."""
        _, depth = self._walk(cases, 1)
        answers, below = self.answer(cases), self.below
        asked = self._asked(cases)
        explainer = Explainer(below.nearby, below.weights, retry_exact=False)
        order = below.memory.order[: self.switch]
        queries = question_columns(cases, order, self.voting.missing_agrees)
        reaches_cases = self._reaches_cases(depth)
        evidence: list[Evidence] = []
        for i in range(cases.n_cases):
            case, codes = cases.take(np.array([i])), [int(column[i]) for column in queries]
            path = walked_path(self.tree, self.schema, order, codes, case.values(0))
            if reaches_cases[i]:
                one = np.array([i])
                evidence.append(explainer.evidence(case, asked.part(one), answers.picked(one), limit, path[0]))
            else:
                evidence.append(tree_evidence(self.tree, self.schema, self.weights, case, path))
        return evidence


@recorded
def fit(
    cases: Cases,
    *,
    switch: int | str = "auto",
    k: int = 1,
    weighting: Any = "gain_ratio",
    weighting_below: Any = "none",
    metric: MetricNames = "overlap",
    vote: str = "equal",
    decay_alpha: float = 1.0,
    decay_beta: float = 1.0,
    threshold: int = 1,
    exact_match: bool | str = False,
    normalisation: Normalisation = "probability",
    diversify: bool = False,
    feature_limit: int | None = None,
    missing: str = "value",
    compat: str | None = None,
    order_by: Any = None,
    clip: float = CLIP,
) -> TRIBL:
    """Return a tree over the most relevant features with the cases below it.

    `weighting` orders the tree, `weighting_below` weighs the features below it; `switch` is the number of
    features in the tree, or "auto".
    """
    voting = voting_for(
        cases,
        k=k,
        vote=vote,
        decay_alpha=decay_alpha,
        decay_beta=decay_beta,
        exact_match=exact_match,
        normalisation=normalisation,
        missing=missing,
        compat=compat,
    )
    made = prepared(
        cases,
        weighting=weighting,
        metric=metric,
        diversify=diversify,
        feature_limit=feature_limit,
        compat=compat,
        order_by=order_by,
    )
    refuse_whole_rows(made)
    used = list(made.tables)
    keys = made.weights if order_by is None else made.keys
    n_above = automatic_switch(made.weights[used]) if switch == "auto" else checked_switch(switch, len(used))
    above = relevance_order(cases.schema, used, keys)[:n_above]
    below_weights = weights_of(made.cases, weighting_below, made.tables, compat)
    cases = with_symbols(made.cases, above)
    metrics = ["overlap" if i in above and METRICS[name] == "numeric" else name for i, name in enumerate(made.metrics)]
    below = remembered(
        replace(made, cases=cases, metrics=metrics, keys=keys),
        voting,
        threshold=threshold,
        clip=clip,
        first=above,
        weights=below_weights,
    )
    stored = below.memory.segments[0]
    tree = grow(list(stored.columns[:n_above]), stored.labels, stored.counts, voting.preference, compress=False)
    return TRIBL(below, tree, made.weights, n_above)


def refuse_whole_rows(made: Prepared) -> None:
    for name in made.metrics:
        if name in ("cosine", "dot"):
            raise CasebaseError(
                f"The metric {name!r} compares whole rows of numbers, of which a tree takes a part: use IB1."
            )


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
    if not is_whole(switch, 0):
        raise CasebaseError(
            f"switch is the number of features in the tree (0 to {n_features}) or 'auto'; got {switch!r}."
        )
    return min(int(switch), n_features)
