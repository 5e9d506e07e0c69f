"""C4.5: what ID3 does, with care for noise, numbers and gaps.

A test is chosen by gain ratio among those that gain as much as the average test; it must have enough cases in two
branches, and a threshold pays for being chosen among many. A case whose value is missing goes down every branch, with a
part of its weight. The tree is then pruned from the leaves up: a test becomes a leaf where the errors to be feared, the
upper limit of a confidence interval, are not more that way.

References: Quinlan, "C4.5: programs for machine learning" (1993); "Improved use of continuous attributes in C4.5"
(1996).
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.evidence import PathEvidence
from casebase.base.progress import Progress
from casebase.base.recording import recorded
from casebase.data import Cases, Schema
from casebase.data.checks import is_number
from casebase.errors import CasebaseError, unknown_name
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.memory.relevance import MetricNames
from casebase.memory.segments import without_ignored_values
from casebase.trees.growth import (
    Growth,
    Pruning,
    answer,
    checked_criterion,
    checked_depth,
    checked_min_cases,
    explain,
    grow,
    with_tests,
)
from casebase.trees.nodes import TreeNodes

MISSING = ("fractional", "value")


@dataclass(frozen=True, eq=False)
class C45:
    """A tree of tests; `spreads` says whether a missing value goes down every branch."""

    schema: Schema
    nodes: TreeNodes
    preference: Preference
    n_cases: int
    spreads: bool = True
    normalisation: Normalisation = "probability"
    parameters: dict[str, Any] = field(default_factory=dict)

    def codelength(self) -> float:
        """Return the bits that say the tree; the shares of branches, for missing values, are not said."""
        return self.nodes.codelength(len(self.schema.classes))

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class of the node where each case ends; of several ends, the shares together."""
        return answer(self.nodes, cases, self.preference, is_fractional=self.spreads, n_jobs=n_jobs, progress=progress)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[PathEvidence]:
        """Return the path of every case, or its paths where a value is not known."""
        return explain(self, cases, limit)


@recorded
def fit(
    cases: Cases,
    *,
    confidence: float = 0.25,
    min_cases: float = 2,
    criterion: str = "gain_ratio",
    pruned: bool = True,
    subtree_raising: bool = False,
    collapse: bool = True,
    max_depth: int | None = None,
    metric: MetricNames = "overlap",
    missing: str = "fractional",
    normalisation: Normalisation = "probability",
) -> C45:
    """Return a tree pruned so that it errs little on cases that it has not seen.

    A lower `confidence` prunes more. `collapse` makes leaves of tests that answer no training case better, before any
    pruning and without it. `subtree_raising` lets the heaviest branch of a test take its place.

    >>> rows = [["a", "x", "P"], ["a", "y", "P"], ["a", "x", "P"], ["b", "y", "Q"], ["b", "x", "Q"], ["b", "y", "Q"]]
    >>> model = fit(Cases.from_table(rows, target=-1))
    >>> model.nodes.n_nodes, model.schema.features[model.nodes.feature[0]].name
    (3, 'f1')
    """
    is_fractional = checked_missing(missing) == "fractional"
    growth = Growth(
        checked_criterion(criterion),
        above_average=criterion == "gain_ratio",
        cuts_cost=True,
        is_fractional=is_fractional,
        min_cases=checked_min_cases(min_cases),
        max_depth=checked_depth(max_depth),
    )
    pruning = Pruning(checked_confidence(confidence), bool(collapse), bool(pruned), bool(subtree_raising))
    checked_normalisation(normalisation)
    cases = with_tests(cases, metric)
    preference = preference_of(cases, None)
    nodes = with_thresholds_of(cases, grow(cases, preference, growth, pruning))
    return C45(without_ignored_values(cases.schema), nodes, preference, cases.n_cases, is_fractional, normalisation)


def with_thresholds_of(cases: Cases, nodes: TreeNodes) -> TreeNodes:
    """Return the nodes with each threshold at the greatest training number that is not above it.

    So every threshold is a number that occurs.
    """
    threshold = nodes.threshold.copy()
    for i in np.unique(nodes.feature[np.isfinite(threshold)]).tolist():
        numbers = np.unique(cases.columns[i][~np.isnan(cases.columns[i])])
        here = (nodes.feature == i) & np.isfinite(threshold)
        threshold[here] = numbers[np.searchsorted(numbers, threshold[here], side="right") - 1]
    return replace(nodes, threshold=threshold)


def checked_missing(missing: Any) -> str:
    if not isinstance(missing, str) or missing not in MISSING:
        raise CasebaseError(unknown_name("way with missing values", missing, MISSING))
    return missing


def checked_confidence(confidence: Any) -> float:
    if not is_number(confidence) or not 0 < confidence <= 0.5:
        raise CasebaseError(
            f"confidence is how probable so few errors may be at the rate that is feared: above 0, at most 0.5 (a "
            f"lower one prunes more); got {confidence!r}."
        )
    return float(confidence)
