"""What ID3 and C4.5 share: growing a tree from cases, and walking down it."""

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from casebase import _native
from casebase.base.answers import Answers, Preference
from casebase.data import Cases, Schema
from casebase.data.checks import is_number, is_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.measures.distances import MetricNames, resolve_metrics
from casebase.measures.weights import used_features
from casebase.memory.segments import relevance_order
from casebase.progress import Progress
from casebase.trees.evidence import PathEvidence
from casebase.trees.nodes import TreeNodes
from casebase.trees.paths import path_evidence

NO_CODE = 2**32 - 1
CRITERIA = ("information_gain", "gain_ratio")
# Quinlan leaves a feature with very many values out of the average gain: its high gain would raise the average.
WIDE = 0.3


@dataclass(frozen=True)
class Growth:
    """How a tree is grown; `GrowthRules` in the core documents each field."""

    criterion: str
    above_average: bool = False
    goes_on: bool = False
    cuts_cost: bool = False
    is_fractional: bool = False
    min_cases: float = 1.0
    max_depth: int | None = None


@dataclass(frozen=True)
class Pruning:
    """Which tests become leaves: without fewer training errors (`collapses`) or expected errors (`prunes`)."""

    confidence: float = 0.25
    collapses: bool = True
    prunes: bool = True
    raises: bool = False


def with_tests(cases: Cases, metric: MetricNames) -> Cases:
    """Return the cases with each feature's kind set: symbols are tested for equality, numbers against a threshold."""
    cases, metrics = resolve_metrics(cases, metric)
    for name in metrics:
        if name not in ("overlap", "numeric", "ignored"):
            raise CasebaseError(
                "A tree tests whether symbols are equal ('overlap') or numbers are above a threshold ('numeric'), and "
                f"leaves out features that are 'ignored'; its metric cannot be {name!r}."
            )
    return cases


def grow(cases: Cases, preference: Preference, growth: Growth, pruning: Pruning | None = None) -> TreeNodes:
    """Return the nodes of a tree over all features in use; ties go to the feature that comes first by name."""
    features = relevance_order(cases.schema, used_features(cases))
    columns = [cases.columns[i] for i in features]
    missing = [_missing_code(cases.schema, i) if growth.is_fractional else NO_CODE for i in features]
    n_values = np.zeros(cases.n_features, dtype=np.uint32)
    n_values[features] = [n_branches(cases.schema, i, growth.is_fractional) for i in features]
    many = WIDE * cases.class_counts.sum()
    arrays = _native.grow_decision_tree(
        columns,
        [_n_codes(cases.schema, i) for i in features],
        missing,
        [_is_symbol(cases.schema, i) and bool(n_values[i] >= many) for i in features],
        cases.known_labels,
        cases.weights,
        preference.frequency,
        preference.rank,
        growth.criterion == "gain_ratio",
        growth.above_average,
        growth.goes_on,
        growth.cuts_cost,
        growth.is_fractional,
        float(growth.min_cases),
        cases.n_cases if growth.max_depth is None else growth.max_depth,
    )
    if pruning is not None:
        arrays = _native.prune_decision_tree(
            arrays["column"],
            arrays["threshold"],
            arrays["first_child"],
            arrays["value"],
            arrays["label"],
            arrays["first_count"],
            arrays["count_label"],
            arrays["count"],
            columns,
            missing,
            cases.known_labels,
            cases.weights,
            preference.frequency,
            preference.rank,
            growth.is_fractional,
            pruning.confidence,
            NormalDist().inv_cdf(1.0 - pruning.confidence),
            pruning.collapses,
            pruning.prunes,
            pruning.raises,
        )
    at = arrays["column"]
    return TreeNodes(
        np.where(at < 0, -1, np.array(features, dtype=np.int32)[at]).astype(np.int32),
        arrays["threshold"],
        arrays["first_child"],
        arrays["value"],
        arrays["label"],
        arrays["first_count"],
        arrays["count_label"],
        arrays["count"],
        n_values,
        n_thresholds(cases),
    )


def _n_codes(schema: Schema, feature: int) -> int:
    vocabulary = schema.features[feature].vocabulary
    return 0 if vocabulary is None else len(vocabulary)


def _missing_code(schema: Schema, feature: int) -> int:
    vocabulary = schema.features[feature].vocabulary
    return NO_CODE if vocabulary is None or vocabulary.missing is None else vocabulary.missing


def _is_symbol(schema: Schema, feature: int) -> bool:
    return schema.features[feature].kind == "symbolic"


def n_branches(schema: Schema, feature: int, is_fractional: bool) -> int:
    """Return how many branches a test on a feature has."""
    vocabulary = schema.features[feature].vocabulary
    return 2 if vocabulary is None else len(vocabulary) - (is_fractional and vocabulary.missing is not None)


def n_thresholds(cases: Cases) -> np.ndarray:
    """Return the number of possible thresholds of each feature; 0 for symbols."""
    n_cuts = np.zeros(cases.n_features, dtype=np.uint32)
    for i, (feature, column) in enumerate(zip(cases.schema.features, cases.columns)):
        if feature.kind == "numeric":
            n_cuts[i] = max(len(np.unique(column[~np.isnan(column)])) - 1, 0)
    return n_cuts


@dataclass(frozen=True, eq=False)
class Ends:
    """The end nodes of walks: case i ends at `node[first[i]:first[i + 1]]`, with a `share` of its weight at each."""

    first: np.ndarray
    node: np.ndarray
    share: np.ndarray


def walk(tree: TreeNodes, cases: Cases, is_fractional: bool, n_jobs: int = 1) -> Ends:
    """Return the nodes where each case ends: a leaf, or a node without a branch for its value.

    With `is_fractional`, a missing or unseen value goes down every branch.
    """
    columns = [cases.columns[i] for i in tree.tested]
    if is_fractional:
        columns = [_unseen_is_missing(column, cases.schema, i) for i, column in zip(tree.tested, columns)]
    missing = [NO_CODE] * len(columns)  # _native widens the "unknown" code of any width to this one
    n_ends, node, share = _native.walk_decision_tree(
        tree.column,
        tree.threshold,
        tree.first_child,
        tree.value,
        tree.n_cases,
        columns,
        missing,
        is_fractional,
        cases.n_cases,
        n_jobs,
    )
    return Ends(np.concatenate([[0], np.cumsum(n_ends, dtype=np.int64)]), node, share)


def _unseen_is_missing(column: np.ndarray, schema: Schema, feature: int) -> np.ndarray:
    vocabulary = schema.features[feature].vocabulary
    if vocabulary is None or vocabulary.missing is None:
        return column
    return np.where(column == vocabulary.missing, column.dtype.type(vocabulary.unknown), column)


def answer(
    tree: TreeNodes,
    cases: Cases,
    preference: Preference,
    *,
    is_fractional: bool = False,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Answers:
    """Return the class of the node where each case ends, with its counts; several end nodes vote by their shares."""
    if cases.n_cases == 0:
        return Answers.none()
    ends = walk(tree, cases, is_fractional, n_jobs)
    if progress:
        progress(cases.n_cases, cases.n_cases)
    first_end = ends.node[ends.first[:-1]]
    answers = tree.answers_at(first_end)
    answers = replace(answers, depth=tree.level[first_end], at_leaf=tree.feature[first_end] < 0)
    several = np.flatnonzero(np.diff(ends.first) > 1)
    if len(several) == 0:
        return answers
    return answers.replace_at(several, _answers_of_shares(tree, ends, several, preference))


def _answers_of_shares(tree: TreeNodes, ends: Ends, cases: np.ndarray, preference: Preference) -> Answers:
    """Return the classes of cases that end at several nodes.

    Each end node divides its share of the case among its classes. The votes are scaled to the average number of cases
    of the end nodes, so that they are counts like the votes of a case with a single end node.
    """
    n_ends = ends.first[cases + 1] - ends.first[cases]
    first = np.cumsum(n_ends) - n_ends
    at = np.repeat(ends.first[cases] - first, n_ends) + np.arange(n_ends.sum())
    nodes, shares = ends.node[at].astype(np.int64), ends.share[at]
    sizes = np.repeat(np.add.reduceat(shares * tree.n_cases[nodes], first), n_ends)
    counts = Answers(tree.label, tree.first_count, tree.count_label, tree.count).take(nodes)
    case = np.repeat(np.repeat(np.arange(len(cases)), n_ends), counts.n_votes)
    votes = counts.votes * np.repeat(sizes * shares / tree.n_cases[nodes], counts.n_votes)
    # One cell per case and class. Within a case, classes are in tie-break order, so the first best one wins.
    n_classes = len(preference.rank)
    place = np.empty(n_classes, dtype=np.int64)
    place[np.lexsort((preference.rank, -preference.frequency))] = np.arange(n_classes)
    cells, cell = np.unique(case * n_classes + place[counts.vote_label], return_inverse=True)
    total = np.bincount(cell, votes)
    label = np.argsort(place)[cells % n_classes].astype(np.uint32)
    first_vote = np.searchsorted(cells, np.arange(len(cases) + 1) * n_classes)
    most = np.maximum.reduceat(total, first_vote[:-1])
    is_best = np.flatnonzero(total >= np.repeat(most, np.diff(first_vote)) * (1 - 1e-9))
    chosen = is_best[np.searchsorted(is_best, first_vote[:-1])]
    return Answers(
        label[chosen],
        first_vote.astype(np.uint64),
        label,
        total,
        depth=np.maximum.reduceat(tree.level[nodes], first),
        at_leaf=np.logical_and.reduceat(tree.feature[nodes] < 0, first),
    )


def explain(model: Any, cases: Cases, limit: int) -> list[PathEvidence]:
    """Return the path of each case through a decision tree."""
    labels = model.answer(cases).label.tolist()
    return [
        path_evidence(model.nodes, model.schema, case, label=label, spreads=model.spreads, limit=limit)
        for case, label in zip(cases.one_by_one(), labels)
    ]


def checked_criterion(criterion: Any) -> str:
    if not isinstance(criterion, str) or criterion not in CRITERIA:
        raise CasebaseError(unknown_name("criterion", criterion, CRITERIA))
    return criterion


def checked_depth(max_depth: Any) -> int | None:
    if max_depth is None:
        return None
    if not is_whole(max_depth, 0):
        raise CasebaseError(
            f"max_depth is the largest number of tests above a leaf: a whole number, or None for no limit; "
            f"got {max_depth!r}."
        )
    return int(max_depth)


def checked_min_cases(min_cases: Any) -> float:
    if not is_number(min_cases) or not 0 < min_cases < np.inf:
        raise CasebaseError(
            f"min_cases is the number of cases that at least two branches of a test need, above 0; got {min_cases!r}."
        )
    return float(min_cases)


def checked_confidence(confidence: Any) -> float:
    if not is_number(confidence) or not 0 < confidence <= 0.5:
        raise CasebaseError(
            f"confidence is the level of the pessimistic error estimate: above 0, at most 0.5 (lower values prune "
            f"more); got {confidence!r}."
        )
    return float(confidence)
